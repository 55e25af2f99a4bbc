"""One call of a tool, as those see it who record it and who decide about it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from .tool import Listing

DOOR_META = "dev.handheld/door"
"""Where a process of this user that passes a call on says by which door it came."""
OWNER = "owner"
"""The name of the token that the server is started with."""
DOORS_BEHIND = ("stdio", "cli")
"""What may be said there."""


# Tuples, because they are made at every call: a frozen dataclass takes five times as long.


class Caller(NamedTuple):
    """Who calls: by which door, as what the client introduced itself, and with whose token."""

    door: str
    """http, stdio, cli, v1, console"""
    client: str = ""
    token: str = ""
    """The name of the token that was shown; empty where none was asked for."""
    person: bool = False
    """A person at the console, not an agent."""


class ToolCall(NamedTuple):
    tool: str
    """The tool's bare name, without a prefix."""
    listing: Listing
    arguments: Mapping[str, Any]
    """As they were given, unmasked: for deciding, not for keeping."""
    caller: Caller
    phone: str = ""
    """Slug or serial; empty where no phone could be picked."""
    apps: tuple[str, ...] = ()
    """The packages of apps that are to be seen, the one in front first; empty when unknown."""
    id: int = 0
    """What the audit calls it; 0 where nothing is recorded."""
    plain_field: bool = False
    """Of one that types: the field is known to be for nothing secret."""
    elements: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    """What the element ids among the arguments stand for: text, description, resource id, class."""
