"""The parameters of the tools for personal data."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal

from ...errors import InvalidParams
from ...phone.apps.logs import parse_moment
from ...screen.text import brief
from ..parameter import Param
from ..recording import Secret


def read_moment(text: str) -> datetime | None:
    """Read an ISO 8601 day or time; None if invalid."""
    return parse_moment(f"{text}T00:00:00") or parse_moment(f"{text}:00") or parse_moment(text)


def _moment_reader(name: str) -> Callable[[Any], datetime]:
    def read(value: Any) -> datetime:
        text = value if isinstance(value, str) else json.dumps(value)
        moment = read_moment(text.strip())
        if moment is None:
            raise InvalidParams(
                f"{name} must be an ISO 8601 day or time (e.g., '2024-01-15' or"
                f" '2024-01-15T10:30:00'). Got: '{brief(text)}'"
            )
        return moment

    return read


ContactQuery = Annotated[
    str,
    Param(
        "Words of the name, a phone number, or part of a mail address (at least 2 characters)",
        secret=Secret.WHOLE,
    ),
]
EventsFrom = Annotated[
    datetime,
    Param(
        "ISO 8601 day or time on the device's clock (e.g., 2024-01-15)",
        read=_moment_reader("from"),
        schema={"type": "string"},
        secret=Secret.NO,
    ),
]
EventsTo = Annotated[
    datetime,
    Param(
        "The end, itself not included: for one day, the next day",
        read=_moment_reader("to"),
        schema={"type": "string"},
        secret=Secret.NO,
    ),
]
MessagesWith = Annotated[
    str | None,
    Param("Only messages with this phone number or sender", secret=Secret.WHOLE),
]
ListedMedia = Annotated[Literal["image", "video", "audio"], Param("Kind of media")]
PersonalLimit = Annotated[int, Param("Most entries to return (1-200)", 1, 200)]
