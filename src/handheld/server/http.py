"""The HTTP server: uvicorn on our socket, with the edge in front of our answers."""

import asyncio
import gc
import logging
import socket
import ssl
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager

import uvicorn

from ..access.tool_filter import EVERYTHING
from ..clock import Clock
from ..settings import is_loopback
from ..surface.local import Surface
from ..toolkit.tool import Listing
from .acceptor import Acceptor
from .answers import Answers
from .connection import Connection
from .edge import Edge
from .listener import Address, CannotServe, listen
from .memory import return_free_pages, return_large_blocks
from .options import HttpOptions
from .sms_form import describe

_IDLE_SECONDS = 120
"""Long, because a connection that is closed just as its client sends the next call loses that call.
Most clients close unused connections themselves after 4 to 90 s."""
_TRIM_SECONDS = 10.0
STOP_SECONDS = 3.0
"""How long running calls may continue once the server is stopping."""

log = logging.getLogger(__name__)


async def serve_http(
    surface: Surface, options: HttpOptions, ready: Callable[[Address], None] | None = None
) -> None:
    """Serve until cancelled. The caller closes the surface."""
    async with open_http(surface, options) as address:
        # A full garbage collection makes a call slow; what exists after start-up stays for good.
        gc.collect()
        gc.freeze()
        gc.enable()
        gc.set_threshold(2_000, 5, 5)  # what fails is found while it is young
        return_large_blocks()
        if ready is not None:
            ready(address)
        await _give_memory_back(options.clock)


async def _give_memory_back(clock: Clock) -> None:
    """Until it is cancelled."""
    young = 0
    while True:
        await clock.sleep(_TRIM_SECONDS)
        # A failure is a cycle, with all that its frames had in hand. Python searches everything
        # only when there are a quarter more objects, and by then has megabytes of these.
        found = gc.get_stats()[0]["collections"]
        if found != young:
            young = found
            gc.collect()
        return_free_pages()


@asynccontextmanager
async def open_http(surface: Surface, options: HttpOptions) -> AsyncGenerator[Address]:
    """Serve `surface` for the length of the block."""
    answers = Answers(
        surface,
        transport="sms" if options.sms else "http",
        render=options.render,
        name=options.name,
        describe=describe if options.sms else Listing.as_json,
        token_names=options.token_names,
        clock=options.clock,
    )
    await answers.instructions(EVERYTHING)
    edge = Edge(answers, options)
    async with _open(edge, options) as address:
        yield address


@asynccontextmanager
async def _open(edge: Edge, options: HttpOptions) -> AsyncGenerator[Address]:
    host, tls, clock = options.host, options.tls, options.clock
    if not options.token and not is_loopback(host):
        raise CannotServe(
            f"Without a token only this machine may connect: set --token, or serve on 127.0.0.1 "
            f"instead of {host or 'all addresses'}."
        )
    listener = listen(host, options.port, "--sms-port" if options.sms else "--port")
    address = Address(host, listener.getsockname()[1], tls is not None)
    try:
        async with _running(edge, listener, tls, clock):
            yield address
    finally:
        listener.close()


class _Uvicorn(uvicorn.Server):
    """uvicorn that leaves signals alone and reports when it is up."""

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
        http="httptools",
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=round(STOP_SECONDS) + 1,
    )
    config.load()
    config.ssl = tls
    server = _Uvicorn(config)

    def make() -> Connection:
        return Connection(
            config=config,
            server_state=server.server_state,
            app_state={},
            clock=clock,
        )

    acceptor = Acceptor(listener, make, tls, clock)
    serving = asyncio.create_task(server.serve([]))
    up = asyncio.create_task(server.up.wait())
    try:
        await asyncio.wait({serving, up}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            serving.result()
            raise CannotServe("The HTTP server stopped during start-up; its log has the details.")
        acceptor.start()
        yield
    finally:
        up.cancel()
        acceptor.stop()
        server.should_exit = True
        edge.stop_streams()
        # Running calls get this much time; then they are stopped, and their clients get a 503.
        late = clock.call_later(STOP_SECONDS, edge.stop_running)
        try:
            await asyncio.wait({serving})
        finally:
            late.cancel()
            serving.cancel()
            await asyncio.gather(serving, up, return_exceptions=True)
