"""A relay of one TCP port, which cuts, stalls and delays what goes through it."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Self


class Relay:
    def __init__(self, target: int, host: str = "127.0.0.1") -> None:
        self.target = target
        self._host = host
        self.port = 0
        self.cut_off = False
        """New connections are closed immediately, too."""
        self.delay: Callable[[], float] | None = None
        """Seconds by which the next bytes are late. What goes over one connection keeps its order;
        what goes over several does not."""
        self._there, self._back = asyncio.Event(), asyncio.Event()
        self._there.set()
        self._back.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """Abort every connection: the other side gets a reset."""
        for writer in list(self._writers):
            writer.transport.abort()

    def stall(self, *, there: bool, back: bool) -> None:
        """Hold back what goes to the phone, and what comes from it, or let it flow on."""
        for stalled, flowing in ((there, self._there), (back, self._back)):
            if stalled:
                flowing.clear()
            else:
                flowing.set()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.cut_off:
            writer.transport.abort()
            return
        try:
            there, back = await asyncio.open_connection(self._host, self.target)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, back}
        try:
            await asyncio.gather(
                self._pass(reader, back, self._there), self._pass(there, writer, self._back)
            )
        finally:
            self._writers -= {writer, back}
            writer.transport.abort()
            back.transport.abort()

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, flowing: asyncio.Event
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                await flowing.wait()
                if self.delay is not None:
                    await asyncio.sleep(self.delay())
                writer.write(data)
                await writer.drain()
        writer.close()
