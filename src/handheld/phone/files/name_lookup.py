"""Looks up host names, each in its own thread.

A name server that does not answer blocks a thread for up to a minute. In the event loop's pool, six
such lookups would block all other work that needs a thread.
"""

import asyncio
import socket
import threading
from contextlib import suppress
from typing import Any

MOST_LOOKUPS = 4
"""The maximum of simultaneous lookups; further ones wait."""


class NameLookup:
    def __init__(self) -> None:
        self._free = asyncio.Semaphore(MOST_LOOKUPS)

    async def __call__(self, host: str, port: int) -> list[str]:
        """Resolve a host name to addresses. Raises OSError, UnicodeError."""
        await self._free.acquire()
        loop = asyncio.get_running_loop()
        found: asyncio.Future[list[Any]] = loop.create_future()

        def end(result: list[Any] | Exception) -> None:
            self._free.release()
            if found.cancelled():
                return
            if isinstance(result, Exception):
                found.set_exception(result)
            else:
                found.set_result(result)

        def look_up() -> None:
            result: list[Any] | Exception
            try:
                result = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            except Exception as problem:
                result = problem
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(end, result)

        # A daemon thread: the process does not wait for it on exit.
        threading.Thread(target=look_up, daemon=True, name="name lookup").start()
        return list(dict.fromkeys(str(entry[4][0]) for entry in await found))
