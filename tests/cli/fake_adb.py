"""A fake adb server with the phones of a test, which accept no services."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress


class FakeAdbServer:
    def __init__(self) -> None:
        self.port = 0
        self.lines: list[str] = []
        self.answers: dict[str, str] = {}
        """Answers to further requests; one that begins with FAIL is a refusal."""
        self.requests: list[str] = []
        self._trackers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def start(self, port: int = 0) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close everything, as a killed server does."""
        if self._server is None:
            return
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None

    def show(self, *lines: str) -> None:
        """Set the list of `adb devices -l`."""
        self.lines = list(lines)
        for writer in self._trackers:
            writer.write(self._list())

    def _list(self) -> bytes:
        text = "".join(f"{line}\n" for line in self.lines).encode()
        return b"%04x" % len(text) + text

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                await self._serve(reader, writer)
        finally:
            self._trackers.discard(writer)
            self._tasks.discard(task)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readexactly(int(await reader.readexactly(4), 16))
        name = request.decode(errors="replace")
        self.requests.append(name)
        if name in self.answers:
            output = self.answers[name]
            text = output.removeprefix("FAIL").encode()
            writer.write((b"FAIL" if output.startswith("FAIL") else b"OKAY") + b"%04x" % len(text))
            writer.write(text)
        elif request == b"host:version":
            writer.write(b"OKAY00040029")
        elif request == b"host:devices-l":
            writer.write(b"OKAY" + self._list())
        elif request == b"host:track-devices-l":
            writer.write(b"OKAY" + self._list())
            self._trackers.add(writer)
            await reader.read()
        else:
            writer.write(b"FAIL000edevice offline")


@asynccontextmanager
async def fake_adb() -> AsyncGenerator[FakeAdbServer]:
    server = FakeAdbServer()
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
