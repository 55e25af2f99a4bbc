"""The phones that this process owns, and the listener that shares them."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from ..devices import restore
from ..devices.ownership import OwnershipClaim
from ..server.sharing.inheritance import describe_limits
from .parts import Parts

if TYPE_CHECKING:
    # Before the client's first reply nothing of them is needed.
    from ..server.exchange import Exchange
    from ..server.options import ServedConsole

_LISTEN_AFTER_SECONDS = 2.0
"""A client that connects and sends nothing must not block other processes for longer."""

log = logging.getLogger("handheld")


class LateConsole:
    """The console of a process that serves one client over stdio. It is made at the first request
    for it: most such processes are never asked, and its modules take a while to import."""

    def __init__(self, make: "Callable[[str], Awaitable[ServedConsole]]") -> None:
        """`make` is given the key."""
        self.key = secrets.token_urlsafe(32)
        self.made = asyncio.Event()
        self._make = make
        self._making = asyncio.Lock()
        self._console: ServedConsole | None = None

    async def __call__(self, exchange: "Exchange") -> None:
        async with self._making:
            if self._console is None:
                self._console = await self._make(self.key)
                self.made.set()
        await self._console(exchange)

    def stop(self) -> None:
        if self._console is not None:
            self._console.stop()


class Owned:
    """Closing it ends the listener, closes the parts of the process and releases the claim, in this
    order."""

    def __init__(
        self, claim: OwnershipClaim, parts: Parts, answered: asyncio.Event | None = None
    ) -> None:
        """Other processes of this user are listened for once the first client is `answered`; None:
        they are not."""
        self.parts = parts
        self.surface = parts.surface
        self._claim = claim
        self._console: LateConsole | None = None
        self._listener: asyncio.Task[None] | None = None
        if answered is not None:
            if not parts.settings.no_console:
                self._console = LateConsole(self._make_console)
            self._listener = asyncio.create_task(self._listen(answered))

    async def demand_phone(self) -> None:
        """Raises ToolError if no phone can be used now."""
        await self.parts.devices.settle()
        if not self.parts.devices.connected():
            await self.parts.devices.pick(None)

    async def aclose(self) -> None:
        try:
            if self._listener is not None:
                self._listener.cancel()
                await asyncio.gather(self._listener, return_exceptions=True)
            await self.parts.aclose()
        finally:
            self._claim.release()

    async def _make_console(self, key: str) -> "ServedConsole":
        # In a thread, so that the client is served meanwhile.
        await asyncio.to_thread(__import__, "handheld.console")
        return self.parts.console(key=key)

    async def _listen(self, answered: asyncio.Event) -> None:
        """Listen for this user's other processes."""
        parts = self.parts
        with suppress(TimeoutError):
            async with parts.clock.timeout(_LISTEN_AFTER_SECONDS):
                await answered.wait()
        # Imports take a second: in a thread, so that the client is served meanwhile.
        await asyncio.to_thread(__import__, "handheld.server.http")
        from ..server.http import open_http
        from ..server.options import HttpOptions
        from ..server.sharing.owner import report

        token = secrets.token_urlsafe(32)
        try:
            async with open_http(
                self.surface,
                HttpOptions(
                    host="127.0.0.1",
                    port=0,
                    token=token,
                    agent=True,
                    phones=lambda: report(parts.devices, parts.switch),
                    release=parts.devices.release,
                    restore=partial(restore, parts.devices),
                    stop=parts.switch,
                    console=self._console,
                ),
            ) as address:
                await self._publish(address.url.removesuffix("/mcp"), token)
                await asyncio.Event().wait()
        except Exception:
            log.exception("The phone cannot be shared with other processes.")

    async def _publish(self, url: str, token: str) -> None:
        """Publish the listener, and then that somebody has used the console: who takes over the
        phones from then on goes on asking."""
        limits, console = describe_limits(self.parts.settings), self._console
        key = console.key if console is not None else ""
        stop = self.parts.switch.key
        publish = partial(self._claim.publish, url, token, console=key, stop=stop)
        publish(limits={**limits, "console": False})
        if console is not None:
            await console.made.wait()
            publish(limits={**limits, "console": True})
