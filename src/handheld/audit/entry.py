"""One recorded call."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

State = Literal["running", "done", "failed", "denied", "unknown"]
Which = Literal["before", "after"]

STATES: tuple[State, ...] = ("running", "done", "failed", "denied", "unknown")


class AuditError(Exception):
    """The record cannot be written or read. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class Entry:
    id: int
    at: float
    """When it began, in seconds since 1970."""
    phone: str
    door: str
    client: str
    token: str
    """The token's name."""
    person: bool
    tool: str
    arguments: Mapping[str, Any]
    """Masked."""
    state: State
    """`unknown`: nobody can say any more whether it happened."""
    result: tuple[str, ...]
    """Masked texts of the reply or the failure; a picture is `(image WxH)`."""
    milliseconds: float | None
    """None while it runs, and where its end was not seen."""
    note: str = ""
    """A sentence on what the state alone does not say."""
    elements: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    """What the element ids among the arguments stood for."""

    def as_json(self) -> dict[str, Any]:
        when = datetime.fromtimestamp(self.at, UTC).isoformat(timespec="milliseconds")
        return {**asdict(self), "time": when, "result": list(self.result)}
