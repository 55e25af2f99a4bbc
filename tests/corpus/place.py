"""The folder of the captured files: beside the repository, or as set in the environment."""

import os
from pathlib import Path


def folder() -> Path:
    """Return the folder that contains `spec/` and `corpus/`."""
    named = os.environ.get("CORPUS")
    place = Path(named) if named else Path(__file__).resolve().parents[3] / "shared"
    if not place.is_dir():
        raise FileNotFoundError(
            f"There are no captured files at {place}: CORPUS names their folder."
        )
    return place
