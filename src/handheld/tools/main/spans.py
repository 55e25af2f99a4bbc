"""The requested part of the log: a number of lines, and a span of time."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from ...errors import InvalidParams
from ...phone.apps.logs import parse_moment
from ...screen.text import brief
from ..parameter import read_integer

MOST_LINES = 1000


def read_last_lines(value: Any) -> int:
    lines = read_integer(value)
    if not 1 <= lines <= MOST_LINES:
        raise InvalidParams(f"last_lines must be between 1 and {MOST_LINES}, got {lines}")
    return lines


def moment_reader(name: str) -> Callable[[Any], datetime]:
    def read(value: Any) -> datetime:
        text = value if isinstance(value, str) else json.dumps(value)
        moment = parse_moment(text)
        if moment is None:
            raise InvalidParams(
                f"{name} must be an ISO 8601 timestamp (e.g., '2024-01-15T10:30:00')."
                f" Got: '{brief(text)}'"
            )
        return moment

    return read
