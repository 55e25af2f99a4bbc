"""The environment, ours and that of programs that we start."""

import os
from collections.abc import Mapping


def variables() -> Mapping[str, str]:
    """Our own environment, for what is not an option: the folders of other programs."""
    return os.environ


def environment_with(more: dict[str, str]) -> dict[str, str]:
    """Our own environment, and these variables."""
    return {**os.environ, **more}
