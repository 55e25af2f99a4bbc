"""The SDK's server as an application behind the edge, imported and started by its first request."""

import asyncio
from typing import TYPE_CHECKING, Any

from .answers import Answers
from .exchange import App, Receive, Scope, Send

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server


class LateSdk:
    """`served`: our answers, or any server of the SDK."""

    def __init__(self, served: "Answers | Server[Any]", body_limit: int) -> None:
        self._served = served
        self._body_limit = body_limit
        self._app: asyncio.Future[App] | None = None
        self._running: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            self._stop.set()
            if self._running is not None:
                await asyncio.wait({self._running})
            await send({"type": "lifespan.shutdown.complete"})
            return
        if self._app is None:
            self._app = asyncio.get_running_loop().create_future()
            self._running = asyncio.create_task(self._run(self._app))
        app = await asyncio.shield(self._app)
        await app(scope, receive, send)

    async def _run(self, started: "asyncio.Future[App]") -> None:
        try:
            # In a thread: the import takes a second, in which other requests are answered.
            await asyncio.to_thread(__import__, "handheld.server.mcp")
            from .mcp import build_server, run_app

            served = self._served
            server = build_server(served) if isinstance(served, Answers) else served
            await run_app(server, self._body_limit, started.set_result, self._stop)
        except Exception as error:
            if started.done():
                raise
            # The next request tries again.
            self._app = None
            started.set_exception(error)
