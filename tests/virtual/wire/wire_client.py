"""A low-level adb client for tests, message by message."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

from handheld.adb import wire
from handheld.adb.wire import AdbMessage, MessageDecoder, ShellDecoder
from harness.polling import HANG


class Finished(NamedTuple):
    stdout: bytes
    stderr: bytes
    code: int | None


class WireClient:
    """A connection. `receive` returns the next message, or None once the phone has disconnected."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer
        self._decoder = MessageDecoder()
        self._messages: list[AdbMessage] = []

    def send(self, command: int, arg0: int, arg1: int, data: bytes = b"") -> None:
        self.writer.write(wire.encode_message(AdbMessage(command, arg0, arg1, data)))

    async def receive(self) -> AdbMessage | None:
        async with asyncio.timeout(HANG):
            while not self._messages:
                try:
                    data = await self._reader.read(1 << 18)
                except ConnectionError:
                    return None
                if not data:
                    return None
                self._messages += self._decoder.feed(data)
        return self._messages.pop(0)

    async def greet(self) -> AdbMessage | None:
        self.send(wire.CNXN, wire.VERSION, wire.MAX_PAYLOAD, b"host::features=shell_v2,stat_v2\0")
        return await self.receive()

    async def open(self, service: str, id: int = 1) -> int:
        """Open a stream; return the phone's id of it, or 0 if it is refused."""
        self.send(wire.OPEN, id, 0, service.encode() + b"\0")
        answer = await self.receive()
        assert answer is not None
        return answer.arg0 if answer.command == wire.OKAY else 0

    async def write(self, theirs: int, data: bytes, id: int = 1) -> None:
        """Send one message and wait for its acknowledgement."""
        self.send(wire.WRTE, id, theirs, data)
        assert await self.receive() == AdbMessage(wire.OKAY, theirs, id)

    async def collect(self, theirs: int, id: int = 1) -> bytes:
        """Read up to the phone's CLSE, acknowledging each message."""
        data = b""
        while True:
            message = await self.receive()
            assert message is not None
            if message.command == wire.CLSE:
                self.send(wire.CLSE, id, theirs)
                return data
            if message.command == wire.WRTE:
                data += message.data
                self.send(wire.OKAY, id, theirs)

    async def exactly(self, theirs: int, size: int, id: int = 1) -> bytes:
        """Read the next `size` bytes of a stream that stays open."""
        data = b""
        while len(data) < size:
            message = await self.receive()
            assert message is not None
            assert message.command in (wire.WRTE, wire.OKAY)
            if message.command == wire.WRTE:
                data += message.data
                self.send(wire.OKAY, id, theirs)
        assert len(data) == size
        return data

    async def shell(self, command: str, stdin: bytes | None = None) -> Finished:
        theirs = await self.open(f"shell,v2,raw:{command}")
        assert theirs
        if stdin is not None:
            data = wire.encode_shell(wire.SHELL_STDIN, stdin)
            data += wire.encode_shell(wire.SHELL_CLOSE_STDIN)
            self.send(wire.WRTE, 1, theirs, data)
        parts = {wire.SHELL_STDOUT: b"", wire.SHELL_STDERR: b""}
        code = None
        for id, data in ShellDecoder().feed(await self.collect(theirs)):
            if id == wire.SHELL_EXIT:
                code = data[0]
            else:
                parts[id] += data
        return Finished(parts[wire.SHELL_STDOUT], parts[wire.SHELL_STDERR], code)


@asynccontextmanager
async def connect(port: int, *, greet: bool = True) -> AsyncGenerator[WireClient]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        client = WireClient(reader, writer)
        if greet:
            answer = await client.greet()
            assert answer is not None
            assert answer.command == wire.CNXN
        yield client
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def until(condition: Callable[[], object]) -> None:
    """Wait for a condition that the phone fulfils by itself."""
    async with asyncio.timeout(HANG):
        while not condition():  # noqa: ASYNC110 - several things are waited for so
            await asyncio.sleep(0)
