"""Where the captured files of others are: beside the repository, or wherever one says."""

import os
from pathlib import Path


def folder() -> Path:
    """The folder with `spec/` and `corpus/` in it."""
    named = os.environ.get("HANDHELD_CORPUS")
    place = Path(named) if named else Path(__file__).resolve().parents[3] / "shared"
    if not place.is_dir():
        raise FileNotFoundError(
            f"There are no captured files at {place}: HANDHELD_CORPUS names their folder."
        )
    return place
