"""The environment of this process and of the programs that it starts."""

import os
from collections.abc import Mapping


def variables() -> Mapping[str, str]:
    """Our own environment, for variables that are not options, such as the folders of other
    programs."""
    return os.environ


def environment_with(more: dict[str, str]) -> dict[str, str]:
    """Our own environment, and these variables."""
    return {**os.environ, **more}
