"""Where the texts and captured files of others are, which these tests read."""

import os
from pathlib import Path


def folder() -> Path:
    """The folder with `spec/` and `corpus/` in it: HANDHELD_CORPUS names it."""
    named = os.environ.get("HANDHELD_CORPUS")
    place = Path(named) if named else Path(__file__).resolve().parents[3] / "shared"
    if not place.is_dir():
        raise FileNotFoundError(f"There is no folder {place}; HANDHELD_CORPUS names another.")
    return place
