"""Commands on the phone, with separate standard output and error, and the exit code."""

import asyncio
import shlex
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .link import AdbError, ByteStream, Link, LinkLost, NoAnswer
from .wire import (
    SHELL_CLOSE_STDIN,
    SHELL_EXIT,
    SHELL_STDERR,
    SHELL_STDIN,
    SHELL_STDOUT,
    ShellDecoder,
    ShellPacket,
    WireError,
    encode_shell,
)

_STDIN_PACKET = 256 * 1024


class ShellResult(NamedTuple):
    stdout: bytes
    stderr: bytes
    code: int


class OutputTooLong(AdbError):
    """The command printed more than the limit. It was stopped; its effects remain."""


def quote(arguments: Sequence[str]) -> str:
    """Return the command line that passes exactly these arguments through a POSIX shell."""
    if not arguments or not arguments[0]:
        raise ValueError("A command needs a name.")
    if any("\0" in argument for argument in arguments):
        raise ValueError("A command's arguments cannot hold the character NUL.")
    name, *rest = arguments
    # A first word with an equals sign would be an assignment.
    first = f"'{name}'" if "=" in name and shlex.quote(name) == name else shlex.quote(name)
    return " ".join([first, *map(shlex.quote, rest)])


class ShellStream:
    """A running command. It is stopped when its stream is closed. One reader at a time."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._decoder = ShellDecoder()
        self._packets: deque[ShellPacket] = deque()

    async def read(self) -> ShellPacket | None:
        """Return the next packet of output, error or exit; None at the end of the stream."""
        packets = self._packets
        while not packets:
            data = await self._stream.read()
            if not data:
                return None
            try:
                packets.extend(self._decoder.feed(data))
            except WireError as problem:
                raise await self._close_broken(problem) from problem
        return packets.popleft()

    async def follow(self, take: Callable[[ShellPacket], object]) -> None:
        """Pass on each packet as soon as it is received, until the end of the stream."""

        def decode(data: bytes) -> None:
            for packet in self._decoder.feed(data):
                take(packet)

        try:
            await self._stream.follow(decode)
        except WireError as problem:
            raise await self._close_broken(problem) from problem

    async def _close_broken(self, problem: WireError) -> LinkLost:
        await self._stream.aclose()
        return LinkLost(f"The phone's shell does not speak adb's protocol: {problem}")

    async def write(self, data: bytes) -> None:
        """Write to the command's standard input."""
        if len(data) <= _STDIN_PACKET:
            await self._stream.write(encode_shell(SHELL_STDIN, data))
            return
        for start in range(0, len(data), _STDIN_PACKET):
            await self._stream.write(encode_shell(SHELL_STDIN, data[start : start + _STDIN_PACKET]))

    async def close_stdin(self) -> None:
        await self._stream.write(encode_shell(SHELL_CLOSE_STDIN))

    async def aclose(self) -> None:
        await self._stream.aclose()


async def spawn(link: Link, command: str) -> ShellStream:
    """Start a command line, quoted by `quote`, without a terminal."""
    return ShellStream(await link.open(f"shell,v2,raw:{command}"))


async def run(
    link: Link,
    arguments: Sequence[str],
    *,
    stdin: bytes | None = None,
    timeout: float = 30.0,
    limit: int = 16 * 1024 * 1024,
) -> ShellResult:
    """Run a command to its end. Output and error together may have `limit` bytes."""
    command = quote(arguments)
    try:
        async with link.clock.timeout(timeout):
            process = await spawn(link, command)
            try:
                return await finish(process, arguments[0], stdin, limit)
            finally:
                await process.aclose()
    except TimeoutError:
        raise NoAnswer(
            f"The command {arguments[0]} on the phone did not end within {timeout:g} s; "
            "it was stopped, and may have done part of its work."
        ) from None


async def finish(
    process: ShellStream,
    name: str,
    stdin: bytes | None,
    limit: int,
    on_output: Callable[[bytes], object] | None = None,
) -> ShellResult:
    """Read a running command's output until it exits. `name` is for errors; `on_output` receives
    the output as it arrives."""
    feeding = asyncio.create_task(_feed(process, stdin))
    try:
        parts: dict[int, list[bytes]] = {SHELL_STDOUT: [], SHELL_STDERR: []}
        size = 0
        while (packet := await process.read()) is not None:
            if packet.id in parts:
                size += len(packet.data)
                if size > limit:
                    raise OutputTooLong(f"The command {name} printed more than {limit} bytes.")
                parts[packet.id].append(packet.data)
                if on_output is not None and packet.id == SHELL_STDOUT:
                    on_output(packet.data)
            elif packet.id == SHELL_EXIT and packet.data:
                stdout, stderr = (b"".join(parts[id]) for id in (SHELL_STDOUT, SHELL_STDERR))
                return ShellResult(stdout, stderr, packet.data[0])
        raise LinkLost(f"The stream ended before the command {name} did; it may have run or not.")
    finally:
        feeding.cancel()
        # A command need not read its input, so a failed write is not an error.
        await asyncio.gather(feeding, return_exceptions=True)


async def _feed(process: ShellStream, stdin: bytes | None) -> None:
    if stdin:
        await process.write(stdin)
    await process.close_stdin()
