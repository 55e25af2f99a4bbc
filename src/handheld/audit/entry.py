"""One recorded call."""

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

State = Literal["running", "done", "failed", "denied", "unknown"]
Which = Literal["before", "after"]

_JSON_KEYS = {"transport": "door"}
"""Keys that differ from the field: exported files keep their first names."""
STATES: tuple[State, ...] = ("running", "done", "failed", "denied", "unknown")


class AuditError(Exception):
    """The record cannot be written or read. The message is a sentence."""


class Dropped(NamedTuple):
    """All dropped calls of a token's reads, or of its acts."""

    token: str
    act: bool | None
    """None for calls from before the chain of hashes, which include both kinds."""
    calls: int
    first: float
    """When the first of them began, in seconds since 1970, as is `last`."""
    last: float
    hash: bytes
    """Over the hashes of all their links in the chain."""


class AuditEntry(NamedTuple):
    id: int
    at: float
    """When it began, in seconds since 1970."""
    phone: str
    transport: str
    client: str
    token: str
    """The token's name."""
    person: bool
    tool: str
    arguments: Mapping[str, Any]
    """Masked."""
    state: State
    """`unknown`: whether it happened cannot be determined."""
    result: tuple[str, ...]
    """Masked texts of the reply or the failure; a picture is `(image WxH)`."""
    milliseconds: float | None
    """None while it runs, and if its end was never recorded."""
    note: str = ""
    """A sentence with details on the state."""
    elements: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    """What the element ids in the arguments referred to."""

    def as_json(self) -> dict[str, Any]:
        when = datetime.fromtimestamp(self.at, UTC).isoformat(timespec="milliseconds")
        fields = self._asdict().items()
        values = {_JSON_KEYS.get(name, name): value for name, value in fields}
        values |= {"time": when, "result": list(self.result)}
        return {**values, "elements": dict(self.elements)}
