"""Sockets inside the phone: abstract names and ports on which programs or `adb reverse` listen."""

import asyncio
import contextlib
import errno
import os
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ..sh.streams import Duplex
from .stream import CLOSING_SECONDS

if TYPE_CHECKING:
    from .adbd import AdbConnection

REVERSES = 256
LONGEST = 4096
"""The limit of a request in characters."""
ECHO = "localabstract:handheld-echo"
_KINDS = ("tcp", "local", "localabstract", "localfilesystem", "localreserved")
_LOCALHOST = re.compile(r"(?:localhost|127\.0\.0\.1):([0-9]+)")

Listener = Callable[[Duplex], Awaitable[None]]


class Sockets:
    """The listening sockets inside the phone, by name: `localabstract:x`, `tcp:8080`."""

    def __init__(self) -> None:
        self._listeners: dict[str, Listener] = {ECHO: echo}
        self.others: Callable[[str], Listener | None] = _nobody
        """Finds sockets that are not registered here."""
        self._reverses: dict[str, tuple[AdbConnection, str]] = {}

    def listen(self, name: str, listener: Listener) -> None:
        if name in self._listeners or name in self._reverses:
            raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE), name)
        self._listeners[name] = listener

    def find(self, name: str) -> Listener | None:
        kind, _, address = name.partition(":")
        if kind == "tcp":
            local = _LOCALHOST.fullmatch(address)
            name = f"tcp:{local[1]}" if local else name
        listener = self._listeners.get(name) or self.others(name)
        if listener is not None:
            return listener
        if name in self._reverses:
            connection, destination = self._reverses[name]
            return _towards(connection, destination)
        return None

    @property
    def reversed(self) -> tuple[str, ...]:
        """The reverse forwards of clients."""
        return tuple(self._reverses)

    def leave(self, connection: "AdbConnection") -> None:
        """Remove the reverse forwards of a disconnected client."""
        self._reverses = {
            name: (owner, destination)
            for name, (owner, destination) in self._reverses.items()
            if owner is not connection
        }

    def reverse(self, request: str, connection: "AdbConnection") -> bytes:
        """Handle a `reverse:` request as adbd does: answer with one OKAY, or FAIL with the reason.
        All clients share the list."""
        verb, _, rest = request.partition(":")
        if request == "list-forward":
            lines = "".join(
                f"{owner.name} {name} {destination}\n"
                for name, (owner, destination) in self._reverses.items()
            )
            return _counted(lines)
        if request == "killforward-all":
            self._reverses.clear()
            return b"OKAY"
        if verb == "killforward" and rest:
            if self._reverses.pop(rest, None) is None:
                return _fail(f"listener '{rest}' not found")
            return b"OKAY"
        if verb == "forward":
            return self._add(rest, connection)
        return _fail("not a reverse forwarding command")

    def _add(self, rest: str, connection: "AdbConnection") -> bytes:
        keep = rest.startswith("norebind:")
        wish = rest.removeprefix("norebind:")
        name, _, destination = wish.partition(";")
        if len(wish) > LONGEST or not name or not destination or destination.startswith("*"):
            return _fail(f"bad forward: {wish[:LONGEST]}")
        kind, colon, address = name.partition(":")
        if not colon or kind not in _KINDS:
            return _fail(f"cannot bind listener: unknown socket specification:{name}")
        answer = b"OKAY"
        if kind == "tcp":
            if not address.isascii() or not address.isdigit():
                return _fail(
                    "cannot bind listener: listening on specified hostname currently unsupported"
                )
            if len(address) > 5 or int(address) > 65535:
                return _fail(f"cannot bind listener: bad port number '{address}'")
            if int(address) == 0:
                name = self._free_port()
                answer += _counted(name.removeprefix("tcp:"))
        if name in self._reverses:
            if keep:
                return _fail("cannot rebind existing socket")
        elif name in self._listeners:
            return _fail(f"cannot bind listener: {os.strerror(errno.EADDRINUSE)}")
        elif len(self._reverses) >= REVERSES:
            return _fail(f"cannot bind listener: {os.strerror(errno.EMFILE)}")
        self._reverses[name] = (connection, destination)
        return answer

    def _free_port(self) -> str:
        names = (f"tcp:{port}" for port in range(40000, 65536))
        return next(n for n in names if n not in self._reverses and n not in self._listeners)


def _nobody(name: str) -> Listener | None:
    return None


def _counted(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")[:0xFFFF]
    return f"{len(data):04x}".encode() + data


def _fail(reason: str) -> bytes:
    return b"FAIL" + _counted(reason)


async def echo(peer: Duplex) -> None:
    """Echo all received data."""
    while data := await peer.read():
        await peer.write(data)


def _towards(connection: "AdbConnection", destination: str) -> Listener:
    async def run(peer: Duplex) -> None:
        stream = await connection.dial(destination)
        if stream is None:
            return
        # adb has no half-closed streams, so the end of one direction ends both.
        there = asyncio.ensure_future(_pump(peer, stream))
        back = asyncio.ensure_future(_pump(stream, peer))
        try:
            await asyncio.wait((there, back), return_when=asyncio.FIRST_COMPLETED)
            if stream.closed:
                # Data that the computer sent before it closed is still in transit.
                await asyncio.wait((back,), timeout=CLOSING_SECONDS)
        finally:
            for pump in (there, back):
                pump.cancel()
            await asyncio.gather(there, back, return_exceptions=True)
            await stream.aclose()

    return run


async def _pump(source: Duplex, sink: Duplex) -> None:
    with contextlib.suppress(BrokenPipeError):
        while data := await source.read():
            await sink.write(data)
