"""The HTTP server: our socket, our edge, the SDK's application, on uvicorn."""

import asyncio
import gc
import logging
import socket
import ssl
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, TypedDict, Unpack

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from .. import __version__
from ..access.tool_filter import ToolFilter
from ..clock import SYSTEM_CLOCK, Clock
from ..settings import is_loopback
from ..surface.local import Surface
from ..toolkit.tool import Listing
from ..ui.text import replace_surrogates
from .bearer import Recognise, recognise_none
from .connection import Connection
from .edge import BODY_LIMIT, Console, Edge, First, Opening, Phones, Release
from .hosts import HostCheck
from .listener import Address, CannotServe, listen
from .mcp import Render, build_server
from .sms_form import describe

_IDLE_SECONDS = 120
"""A connection that is closed here just as its client sends the next call on it costs that call, so
clients are left to close what they no longer use; most do after 4 to 90 s."""
STOP_SECONDS = 3.0
"""How long running calls may go on once the server is to stop."""

log = logging.getLogger(__name__)


class HttpOptions(TypedDict, total=False):
    host: str
    port: int
    token: str
    recognise: Recognise
    allow_hosts: Sequence[str]
    body_limit: int
    tls: ssl.SSLContext | None
    phones: Phones | None
    release: Release | None
    render: Render | None
    name: str
    v1: First | None
    console: Console | None
    sms: bool
    clock: Clock


async def serve_http(
    surface: Surface,
    *,
    ready: Callable[[Address], None] | None = None,
    **options: Unpack[HttpOptions],
) -> None:
    """Serve until cancelled. The surface stays open: it is the caller's."""
    async with open_http(surface, **options) as address:
        # Full collections are what a slow call is made of; what start-up made stays for good.
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 100)
        if ready is not None:
            ready(address)
        await asyncio.Event().wait()


@asynccontextmanager
async def open_http(
    surface: Surface,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    token: str,
    recognise: Recognise = recognise_none,
    allow_hosts: Sequence[str] = (),
    body_limit: int = BODY_LIMIT,
    tls: ssl.SSLContext | None = None,
    phones: Phones | None = None,
    release: Release | None = None,
    render: Render | None = None,
    name: str = "handheld",
    v1: First | None = None,
    console: Console | None = None,
    sms: bool = False,
    clock: Clock = SYSTEM_CLOCK,
) -> AsyncGenerator[Address]:
    """A running server, for the length of the block. Port 0 takes a free one. `sms` has it answer
    in the form of the sms surface."""
    server = build_server(
        surface,
        door="sms" if sms else "http",
        instructions=await surface.instructions(),
        render=render,
        name=name,
        describe=describe if sms else Listing.as_json,
    )

    async def refresh_instructions(tool_filter: ToolFilter) -> str | None:
        """Those for a client who may not use all phones are its own."""
        try:
            if tool_filter.phones is not None:
                return replace_surrogates(await surface.instructions(tool_filter))
            server.instructions = replace_surrogates(await surface.instructions()) or None
        except Exception:
            log.exception("the instructions could not be made; the last ones stand")
        return None if tool_filter.phones is None else ""

    async with open_edge(
        server,
        host=host,
        port=port,
        token=token,
        recognise=recognise,
        allow_hosts=allow_hosts,
        body_limit=body_limit,
        tls=tls,
        opening=refresh_instructions,
        phones=phones,
        release=release,
        v1=v1,
        console=console,
        sms=sms,
        clock=clock,
    ) as address:
        yield address


@asynccontextmanager
async def open_edge(
    server: Server[Any],
    *,
    host: str,
    port: int,
    token: str,
    recognise: Recognise = recognise_none,
    allow_hosts: Sequence[str] = (),
    body_limit: int = BODY_LIMIT,
    tls: ssl.SSLContext | None = None,
    opening: Opening | None = None,
    phones: Phones | None = None,
    release: Release | None = None,
    v1: First | None = None,
    console: Console | None = None,
    sms: bool = False,
    clock: Clock = SYSTEM_CLOCK,
) -> AsyncGenerator[Address]:
    """Any low-level server of the SDK behind our edge."""
    if not token and not is_loopback(host):
        raise CannotServe(
            f"Without a token only this machine may connect: set --token, or serve on 127.0.0.1 "
            f"instead of {host or 'all addresses'}."
        )
    # The SDK's own checks stay off: the edge's apply on every bind address.
    sdk_app = server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        max_request_body_size=body_limit + 1,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    edge = Edge(
        sdk_app,
        version=__version__,
        token=token,
        recognise=recognise,
        gate=HostCheck.of(host, allow_hosts),
        body_limit=body_limit,
        opening=opening,
        phones=phones,
        release=release,
        v1=v1,
        console=console,
        sms_form=sms,
        clock=clock,
    )
    listener = listen(host, port, "--sms-port" if sms else "--port")
    address = Address(host, listener.getsockname()[1], tls is not None)
    try:
        async with _running(edge, listener, tls, clock):
            yield address
    finally:
        listener.close()


class _Uvicorn(uvicorn.Server):
    """uvicorn that leaves signals alone and says when it is up."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()

    @contextmanager
    def capture_signals(self) -> Generator[None]:  # type: ignore[override]
        yield


@asynccontextmanager
async def _running(
    edge: Edge, listener: socket.socket, tls: ssl.SSLContext | None, clock: Clock
) -> AsyncGenerator[None]:
    config = uvicorn.Config(
        edge,  # pyright: ignore[reportArgumentType]
        http=partial(Connection, clock=clock),  # pyright: ignore[reportArgumentType]
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=round(STOP_SECONDS) + 2,
    )
    config.load()
    config.ssl = tls
    server = _Uvicorn(config)
    serving = asyncio.create_task(server.serve([listener]))
    up = asyncio.create_task(server.up.wait())
    try:
        await asyncio.wait({serving, up}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            serving.result()
            raise CannotServe("The HTTP server ended as it started; its log has the details.")
        yield
    finally:
        up.cancel()
        server.should_exit = True
        edge.stop_streams()
        # Running calls get their time, then their clients are told.
        late = clock.call_later(STOP_SECONDS, edge.stop_running)
        try:
            await asyncio.wait({serving})
        finally:
            late.cancel()
            serving.cancel()
            await asyncio.gather(serving, up, return_exceptions=True)
