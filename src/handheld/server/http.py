"""The HTTP server: connections on our socket, and the edge in front of our answers."""

import asyncio
import gc
import logging
import socket
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from ..access.request_scope import EVERYTHING
from ..calls.local import Surface
from ..clock import Clock
from ..settings import is_loopback
from ..tools.tool import Listing
from .acceptor import Acceptor
from .answers import Answers
from .connection import Connection
from .edge import Edge
from .listener import Address, CannotServe, listen
from .memory import return_free_pages, return_large_blocks
from .options import HttpOptions
from .sms_form import describe

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


@asynccontextmanager
async def _running(
    edge: Edge, listener: socket.socket, tls: ssl.SSLContext | None, clock: Clock
) -> AsyncGenerator[None]:
    tasks = set[asyncio.Task[None]]()
    acceptor = Acceptor(listener, lambda: Connection(edge, clock, tasks), tls, clock)
    acceptor.start()
    try:
        yield
    finally:
        acceptor.stop()
        edge.stop_streams()
        # Running calls get this much time; then they are stopped, and their clients get a 503.
        late = clock.call_later(STOP_SECONDS, edge.stop_running)
        try:
            async with clock.timeout(STOP_SECONDS + 1):
                await acceptor.closed()
                while tasks:
                    await asyncio.wait(tasks)
        except TimeoutError:
            log.warning("requests that do not end are left")
        finally:
            late.cancel()
            acceptor.abort()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
