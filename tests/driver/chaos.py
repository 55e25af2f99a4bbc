"""A connection to a phone that breaks at any byte, and callers that tap through it nevertheless."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import cast

from handheld.errors import ToolError
from handheld.phone.phone import Phone
from handheld_virtual.phone import VirtualPhone
from harness.polling import HANG

WIDTH = 1000


class Wire:
    """A TCP relay that is cut after a number of bytes, even in the middle of a message."""

    def __init__(self, port: int, chance: random.Random) -> None:
        self._target = port
        self._chance = chance
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0
        self.cuts = 0
        self.life = (2_000, 12_000)
        """After how many bytes, in both directions together, a connection is cut."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["Wire"]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            await server.wait_closed()
            async with asyncio.timeout(HANG):
                # The peers are disconnected by now: the pumps finish by themselves.
                await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, near: asyncio.StreamReader, to_near: asyncio.StreamWriter) -> None:
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        writers = [to_near]
        try:
            far, to_far = await asyncio.open_connection("127.0.0.1", self._target)
            writers.append(to_far)
            await self._relay(near, to_near, far, to_far)
        finally:
            self.cuts += 1
            for writer in writers:
                # Data that was already read may or may not arrive: that is the point.
                writer.close() if self._chance.random() < 0.5 else writer.transport.abort()
                with suppress(OSError):
                    await writer.wait_closed()

    async def _relay(
        self,
        near: asyncio.StreamReader,
        to_near: asyncio.StreamWriter,
        far: asyncio.StreamReader,
        to_far: asyncio.StreamWriter,
    ) -> None:
        left = self._chance.randrange(*self.life)

        async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
            nonlocal left
            while left > 0 and (data := await source.read(4096)):
                part = data[:left]
                left -= len(part)
                sink.write(part)
                await sink.drain()

        pumps = [asyncio.create_task(pump(near, to_far)), asyncio.create_task(pump(far, to_near))]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in pumps:
                one.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)


@dataclass
class Outcomes:
    """The reported outcome of each tap, by its coordinates."""

    done: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    not_done: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    doubtful: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def check(self, phone: VirtualPhone) -> None:
        """Assert that the reported outcomes are what the phone saw."""
        seen: Counter[object] = Counter(
            (event.details[2], event.details[3])
            for event in phone.world.events
            if event.kind == "touch" and event.details[0] == "down"
        )
        assert {spot: seen[spot] for spot in self.done if seen[spot] != 1} == {}
        assert {spot: seen[spot] for spot in self.not_done if seen[spot]} == {}
        assert {spot: seen[spot] for spot in self.doubtful if seen[spot] > 1} == {}
        assert seen.keys() <= {*self.done, *self.doubtful}


Pick = Callable[[], Awaitable[Phone]]


class Crowd:
    """Callers that tap where nobody tapped before, and record the reported outcome."""

    def __init__(self, pick: Pick, chance: random.Random) -> None:
        self._pick = pick
        self._chance = chance
        self._count = 0
        self.outcomes = Outcomes()
        self.impatience = 0.0
        """The share of callers that are cancelled before the answer."""

    async def tap(self, taps: int) -> None:
        for _ in range(taps):
            await self._tap()

    async def _tap(self) -> None:
        self._count += 1
        spot = self._count % WIDTH, 300 + self._count // WIDTH
        tapping = asyncio.create_task(self._touch(spot))
        if self._chance.random() < self.impatience:
            for _ in range(self._chance.randrange(40)):
                await asyncio.sleep(0)
            tapping.cancel()
        try:
            await tapping
        except asyncio.CancelledError:
            if not tapping.cancelled():
                raise  # this task itself was cancelled
            self.outcomes.doubtful.append(spot)
        except ToolError as problem:
            self._judge(spot, problem.message)
        else:
            self.outcomes.done.append(spot)

    async def _touch(self, spot: tuple[int, int]) -> None:
        phone = await self._pick()
        async with phone.acting("tap"):
            await phone.driver.touch([[(*spot, 0)]])

    def _judge(self, spot: tuple[int, int], message: str) -> None:
        if "may or may not" in message or "begun and not completed" in message:
            self.outcomes.doubtful.append(spot)
        else:
            self.outcomes.not_done.append(spot)
