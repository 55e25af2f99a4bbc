"""One call of a tool, as the record and the rules see it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from .listing import Listing

TRANSPORT_META = "dev.handheld/door"
"""The `_meta` key under which a process of this user that forwards a call names the transport of
the original call."""
CODE_META = "dev.handheld/code"
"""The `_meta` key of a failure's code, in the answer to such a process."""
QUESTION_NOTE = "notifications/dev.handheld/question"
"""The message that tells such a process of a question about its call, if a person is at its
terminal."""
FORWARDED_TRANSPORTS = ("stdio", "cli", "library")
"""The transports that such a process may name."""


# Tuples, because they are made at every call: a frozen dataclass takes five times as long.


class Caller(NamedTuple):
    """Who calls: over which transport, under which client name, and with whose token."""

    transport: str
    """http, stdio, cli, library, v1, console"""
    client: str = ""
    token: str = ""
    """The name of the token that was presented; empty where none is required."""
    person: bool = False
    """A person at the console, not an agent."""


class Beside(str):
    """The package of an app that shows a part of the screen: an overlay, a widget. Rules that name
    the app hold; it does not take part in others."""

    __slots__ = ()


class ToolCall(NamedTuple):
    tool: str
    """The tool's bare name, without a prefix."""
    listing: Listing
    arguments: Mapping[str, Any]
    """As they were given, unmasked: for decisions, not for the record."""
    caller: Caller
    phone: str = ""
    """Slug or serial; empty where no phone could be picked."""
    apps: tuple[str, ...] = ()
    """The packages of the visible apps, the one in front first; empty when unknown."""
    screen: str = ""
    """The title of the window in front, for a question to a person."""
    subject: str = ""
    """What the arguments stand for, for a question to a person."""
    id: int = 0
    """The call's number in the audit record; 0 where nothing is recorded."""
    plain_field: bool = False
    """For a call that types: the field is known to hold no secret."""
    elements: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    """What the element ids in the arguments refer to: text, description, resource id, class."""
