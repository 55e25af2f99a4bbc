"""The services that an adb client can open, by name."""

import errno
import os
import re
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

from handheld.adb import wire
from handheld.adb.wire import ShellDecoder

from ..sh.shell import Shell
from ..sh.terminal import Terminal
from .adbd import AdbConnection, Handler
from .device_services import find_debugging_service, find_device_service
from .stream import AdbStream
from .sync import SyncService

if TYPE_CHECKING:
    from ..phone import VirtualPhone

PACKET = 64 * 1024
LONGEST_COMMAND = 128 * 1024
"""Linux's limit of an argument's length."""
WINDOW_SIZE = 5
"""The shell packet with a terminal's size in rows, columns and pixels."""
_SIZE = re.compile(rb"([0-9]{1,5})x([0-9]{1,5}),[0-9]{1,5}x[0-9]{1,5}\0?")


def find_service(phone: "VirtualPhone", name: str, connection: AdbConnection) -> Handler | None:
    """Return the handler of `name`, or None for a service that this phone does not have."""
    kind, colon, rest = name.partition(":")
    if not colon:
        return find_debugging_service(name)
    words = kind.split(",")
    if words[0] == "shell":
        too_long = _too_long(rest, packets="v2" in words)
        return too_long or _shell(phone, words[1:], rest)
    if kind == "sync":
        return lambda stream: SyncService(phone.files, stream).run()
    if kind == "exec":
        return _too_long(rest, packets=False) or _plain(phone, rest, linger=True)
    if kind in ("abb", "abb_exec"):
        # These services are like `cmd` with split words; `abb` uses packets, as a shell does.
        command = shlex.join(("cmd", *rest.split("\0")))
        return _shell(phone, ["v2", "raw"], command) if kind == "abb" else _plain(phone, command)
    if kind in ("tcp", "local", "localabstract", "localfilesystem", "localreserved"):
        return phone.sockets.find(name)
    if kind == "reverse":
        return _answer(phone, rest, connection)
    return find_device_service(phone, kind, rest)


def _too_long(command: str, *, packets: bool) -> Handler | None:
    """Fail like a program whose command line Linux would reject."""
    if len(os.fsencode(command)) < LONGEST_COMMAND:
        return None
    words = f"error: exec '/system/bin/sh' failed: {os.strerror(errno.E2BIG)}\n".encode()

    async def serve(stream: AdbStream) -> None:
        await stream.write(wire.encode_shell(wire.SHELL_STDOUT, words) if packets else words)

    return serve


def _shell(phone: "VirtualPhone", words: list[str], command: str) -> Handler:
    term = next((word[5:] for word in words if word.startswith("TERM=")), "dumb")
    # Without a command and without a mode, adbd allocates a terminal.
    terminal = "pty" in words or ("raw" not in words and not command)
    if "v2" not in words:
        return _terminal(phone, command, term) if terminal else _plain(phone, command)

    async def serve(stream: AdbStream) -> None:
        stdin = ShellInput(stream)
        stdout, stderr = (
            ShellOutput(stream, wire.SHELL_STDOUT),
            ShellOutput(stream, wire.SHELL_STDERR),
        )
        if terminal:
            tty = Terminal(stdin, stdout)
            stdin.resized = tty.resize
            code = await tty.run(Shell(phone, tty, tty, tty, {"TERM": term}), command)
        else:
            code = await Shell(phone, stdin, stdout, stderr, {"TERM": term}).run(command)
        await stream.write(wire.encode_shell(wire.SHELL_EXIT, bytes((code & 0xFF,))))

    return serve


def _plain(phone: "VirtualPhone", command: str, *, linger: bool = False) -> Handler:
    """Run a command without packets: output and errors are mixed, and there is no exit code."""

    async def serve(stream: AdbStream) -> None:
        stream.linger = linger
        await Shell(phone, stream, stream, stream, {}).run(command)

    return serve


def _terminal(phone: "VirtualPhone", command: str, term: str) -> Handler:
    async def serve(stream: AdbStream) -> None:
        tty = Terminal(stream, stream)
        await tty.run(Shell(phone, tty, tty, tty, {"TERM": term}), command)

    return serve


def _answer(phone: "VirtualPhone", request: str, connection: AdbConnection) -> Handler:
    async def serve(stream: AdbStream) -> None:
        await stream.write(phone.sockets.reverse(request, connection))

    return serve


class ShellInput:
    """A program's stdin, from a stream of shell packets."""

    def __init__(self, stream: AdbStream) -> None:
        self._stream = stream
        self._decoder = ShellDecoder()
        self._pending = b""
        self._ended = False
        self.resized: Callable[[int, int], None] = lambda rows, columns: None
        """Called with the terminal's size."""

    async def read(self, limit: int = 65536) -> bytes:
        while not self._pending and not self._ended:
            data = await self._stream.read()
            if not data:
                self._ended = True
            for id, content in self._decoder.feed(data):
                if id == wire.SHELL_STDIN and not self._ended:
                    self._pending += content
                elif id == wire.SHELL_CLOSE_STDIN:
                    self._ended = True
                elif id == WINDOW_SIZE and (size := _SIZE.fullmatch(content)):
                    self.resized(int(size[1]), int(size[2]))
        if len(self._pending) <= limit:
            data, self._pending = self._pending, b""
            return data
        data, self._pending = self._pending[:limit], self._pending[limit:]
        return data


class ShellOutput:
    """A program's stdout or stderr, as shell packets."""

    def __init__(self, stream: AdbStream, id: int) -> None:
        self._stream = stream
        self._id = id

    async def write(self, data: bytes) -> None:
        if 0 < len(data) <= PACKET:
            await self._stream.write(wire.encode_shell(self._id, data))
            return
        for start in range(0, len(data), PACKET):
            part = data[start : start + PACKET]
            await self._stream.write(wire.encode_shell(self._id, part))
