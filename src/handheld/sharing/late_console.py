"""The console of a process that serves one client over stdio."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Before the client's first reply nothing of it is needed.
    from ..server.exchange import Receive, Scope, Send
    from ..server.options import Console


class LateConsole:
    """It is made at the first request for it: most such processes are never asked, and its modules
    take a while to import."""

    def __init__(self, make: "Callable[[str], Awaitable[Console]]") -> None:
        """`make` is given the key."""
        self.key = secrets.token_urlsafe(32)
        self.made = asyncio.Event()
        self._make = make
        self._making = asyncio.Lock()
        self._console: Console | None = None

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        async with self._making:
            if self._console is None:
                self._console = await self._make(self.key)
                self.made.set()
        await self._console(scope, receive, send)

    def stop(self) -> None:
        if self._console is not None:
            self._console.stop()
