"""Sockets inside the phone: abstract names and ports that programs or `adb reverse` listen on."""

import asyncio
import contextlib
import errno
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from .streams import Duplex

if TYPE_CHECKING:
    from .adbd import Connection

REVERSES = 256
ECHO = "localabstract:handheld-echo"

Listener = Callable[[Duplex], Awaitable[None]]


class Sockets:
    """What can be connected to inside the phone, by name: `localabstract:x`, `tcp:8080`."""

    def __init__(self) -> None:
        self._listeners: dict[str, Listener] = {ECHO: echo}
        self._reverses: dict[str, tuple[Connection, str]] = {}

    def listen(self, name: str, listener: Listener) -> None:
        if name in self._listeners or name in self._reverses:
            raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE), name)
        self._listeners[name] = listener

    def find(self, name: str) -> Listener | None:
        listener = self._listeners.get(name)
        if listener is not None:
            return listener
        if name in self._reverses:
            connection, destination = self._reverses[name]
            return _towards(connection, destination)
        return None

    def leave(self, connection: "Connection") -> None:
        """A client is gone, and what it reversed with it."""
        self._reverses = {
            name: (owner, destination)
            for name, (owner, destination) in self._reverses.items()
            if owner is not connection
        }

    def reverse(self, request: str, connection: "Connection") -> bytes:
        """Answer what follows `reverse:`, as adbd does: one OKAY, or FAIL and why."""
        verb, _, rest = request.partition(":")
        if request == "list-forward":
            lines = "".join(
                f"(reverse) {name} {destination}\n"
                for name, (owner, destination) in self._reverses.items()
                if owner is connection
            )
            return _counted(lines)
        if request == "killforward-all":
            self.leave(connection)
            return b"OKAY"
        if verb == "killforward":
            if self._reverses.get(rest, (None,))[0] is not connection:
                return _fail(f"listener '{rest}' not found")
            del self._reverses[rest]
            return b"OKAY"
        if verb == "forward":
            return self._add(rest, connection)
        return _fail("unknown reverse request")

    def _add(self, rest: str, connection: "Connection") -> bytes:
        keep = rest.startswith("norebind:")
        name, separator, destination = rest.removeprefix("norebind:").partition(";")
        kind, _, address = name.partition(":")
        if not separator or not destination or kind not in ("tcp", "localabstract") or not address:
            return _fail(f"cannot listen on {name or 'nothing'}")
        answer = b"OKAY"
        if kind == "tcp":
            if not address.isascii() or not address.isdigit() or int(address) > 65535:
                return _fail(f"bad port number '{address}'")
            if int(address) == 0:
                port = next(p for p in range(40000, 65536) if f"tcp:{p}" not in self._reverses)
                name = f"tcp:{port}"
                answer += _counted(str(port))
        known = self._reverses.get(name)
        if name in self._listeners or (known and (keep or known[0] is not connection)):
            return _fail(f"cannot rebind existing socket {name}" if known else f"{name} is in use")
        if len(self._reverses) >= REVERSES:
            return _fail("too many reverse sockets")
        self._reverses[name] = (connection, destination)
        return answer


def _counted(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")[:0xFFFF]
    return f"{len(data):04x}".encode() + data


def _fail(reason: str) -> bytes:
    return b"FAIL" + _counted(reason)


async def echo(peer: Duplex) -> None:
    """Gives back what it is sent."""
    while data := await peer.read():
        await peer.write(data)


def _towards(connection: "Connection", destination: str) -> Listener:
    async def run(peer: Duplex) -> None:
        stream = await connection.dial(destination)
        if stream is None:
            return
        # adb has no half-closed streams: the end of one direction ends both.
        pumps = [asyncio.ensure_future(work) for work in (_pump(peer, stream), _pump(stream, peer))]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            await stream.aclose()

    return run


async def _pump(source: Duplex, sink: Duplex) -> None:
    with contextlib.suppress(BrokenPipeError):
        while data := await source.read():
            await sink.write(data)
