"""How long a call may last: what its arguments ask for, plus ten minutes."""

from collections.abc import Mapping
from typing import Any

from ..errors import InvalidParams

LONGEST_ASKED = 3600.0
"""Seconds that arguments may ask for."""
BEYOND = 600.0
"""Seconds that a call may last beyond that, for its turn, an approval or a slow phone."""

_SECONDS = {"timeout": 0.001, "duration": 0.001, "ms": 0.001, "seconds": 1.0}
"""The length in seconds of one unit, by the parameter."""


def asked_seconds(values: Mapping[str, Any]) -> float:
    """Return how long the arguments of one of our own tools ask it to last. Raises InvalidParams
    if that is too long."""
    asked = sum((values.get(name) or 0) * unit for name, unit in _SECONDS.items())
    if speed := values.get("typing_speed"):
        # Imported here: the commands that go through another process describe no screens.
        from ..screen.text import units

        text = values.get("text") or values.get("new_text") or ""
        asked += units(text) * (speed + min(values["typing_speed_variance"], speed)) / 1000
    if paths := values.get("paths"):
        asked += max(time for path in paths for _, _, time in path) / 1000
    if asked > LONGEST_ASKED:
        raise InvalidParams(
            f"This asks for {asked / 60:.0f} minutes, and a call may ask for at most"
            f" {LONGEST_ASKED / 60:.0f}. Nothing was done. Do it in parts, or faster."
        )
    return asked
