"""What the HTTP server is started with."""

import ssl
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from ..clock import SYSTEM_CLOCK, Clock
from .answers import Render
from .bearer import Recognise, recognise_none
from .exchange import Exchange
from .limits import BODY_LIMIT, BODY_SECONDS

if TYPE_CHECKING:
    from ..access.request_scope import RequestScope
    from ..access.resource_server import ResourceServer

ListPhones = Callable[[], Awaitable[Sequence[Mapping[str, Any]]]]
ReleasePhone = Callable[[str], Awaitable[str]]
AnswerV1 = Callable[[Exchange, Sequence[str], bytes, "RequestScope"], Awaitable[Mapping[str, Any]]]
"""Takes the rest of the path, and the body. Raises HttpRefusal."""
MakeV1 = Callable[[], AnswerV1]


class StopAgents(Protocol):
    """Stops agents, and resumes them, for whoever has the key."""

    key: str

    async def stop(self, ref: str = "") -> str: ...

    async def resume(self, ref: str = "") -> str: ...

    async def end_lease(self, ref: str) -> str: ...


class ServedConsole(Protocol):
    """The web pages at / and below /console. They authenticate their own requests."""

    key: str
    """What this user's other processes prove with that they are."""

    async def __call__(self, exchange: Exchange) -> None: ...

    def stop(self) -> None:
        """End streams that would otherwise stay open."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpOptions:
    """The options of one HTTP server."""

    token: str = field(repr=False)
    """The owner's bearer token; empty: no token is required, which only loopback may have."""
    recognise: Recognise = recognise_none
    """Looks up tokens other than the owner's."""
    token_names: Callable[[], Iterable[str]] = tuple
    """The names of all tokens other than the owner's."""
    oauth: "ResourceServer | None" = None
    """Judges access tokens of OAuth."""
    host: str = "127.0.0.1"
    """The address to listen on."""
    port: int = 8080
    """The port to listen on; 0 picks a free one."""
    allow_hosts: Sequence[str] = ()
    """Host and Origin names to accept in addition to loopback and `host`."""
    tls: ssl.SSLContext | None = None
    """Serves HTTPS."""
    body_limit: int = BODY_LIMIT
    """Largest request body, in bytes."""
    body_seconds: float = BODY_SECONDS
    """How long a request body may take to arrive."""
    name: str = "handheld"
    """The server's name in MCP."""
    sms: bool = False
    """Answers in the format of the sms surface: older clients get keys in a fixed order and no
    session ids."""
    agent: bool = False
    """Serves the agent surface at /mcp/agent."""
    phones: ListPhones | None = None
    """Serves GET /phones, for this user's other processes."""
    release: ReleasePhone | None = None
    """Serves POST /phones/<phone>/release, for this user's other processes."""
    restore: ReleasePhone | None = None
    """Serves POST /phones/<phone>/restore, for this user's other processes."""
    stop: StopAgents | None = None
    """Serves POST /stop and POST /lease/end, for this user's other processes."""
    v1: MakeV1 | None = None
    """Makes the v1 surface below /mcp/v1, at the first request for it."""
    console: ServedConsole | None = None
    """Serves the console."""
    render: Render | None = None
    """Renders the items of a tool reply; only the conformance fixture sets it."""
    clock: Clock = SYSTEM_CLOCK
