"""The environment of programs that we start."""

import os


def environment_with(more: dict[str, str]) -> dict[str, str]:
    """Our own environment, and these variables."""
    return {**os.environ, **more}
