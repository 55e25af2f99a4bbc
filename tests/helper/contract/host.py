"""A host that knows only frames; it drives an implementation in the contract suite."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Protocol

from handheld.helper.protocol import (
    GREETING,
    CallRequest,
    Frame,
    FrameDecoder,
    FrameKind,
    Then,
    decode_json,
    encode_call,
    encode_frame,
)
from harness.polling import HANG


class Pipes(Protocol):
    """The streams of a running helper."""

    async def read(self) -> bytes: ...

    async def write(self, data: bytes) -> None: ...

    async def end(self) -> None:
        """Close standard input."""
        ...

    async def exit_code(self) -> int: ...

    async def kill(self) -> None: ...


class Answer(NamedTuple):
    """The result of a call: `value` of its REPLY or ERROR."""

    kind: FrameKind
    value: dict[str, Any]
    data: bytes = b""

    @property
    def failure(self) -> tuple[str, str]:
        """Code and happened."""
        assert self.kind == FrameKind.ERROR, self.value
        return self.value["code"], self.value["happened"]

    @property
    def reply(self) -> dict[str, Any]:
        assert self.kind == FrameKind.REPLY, self.value
        return self.value


class Host:
    """One stream to one helper. Answers are kept in the order of arrival."""

    def __init__(
        self,
        pipes: Pipes,
        advance: Callable[[float], Awaitable[None]],
        quiet: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`quiet` waits until a helper in another process is idle."""
        self._pipes = pipes
        self._advance = advance
        self._quiet = quiet
        self._decoder = FrameDecoder()
        self._ready: list[Frame] = []
        self._data: dict[int, list[bytes]] = {}
        self._pongs = 0
        self._pings = 0
        self.number = 0
        self.answers: dict[int, Answer] = {}
        self.order: list[int] = []
        self.pieces: list[int] = []
        """Sizes of the DATA frames seen."""
        self.why_ended: dict[str, Any] = {}
        """What the helper said before it ended the stream."""
        self.tolerant = False
        """Accept PONGs to pings that were not sent by `ping`."""

    async def greet(self) -> Frame:
        """Read the greeting and the first frame."""
        async with asyncio.timeout(HANG):
            before = bytearray()
            while GREETING not in before:
                data = await self._pipes.read()
                assert data, "the stream ended before the greeting"
                before += data
            self._ready += self._decoder.feed(bytes(before.partition(GREETING)[2]))
            return await self._frame()

    async def _frame(self) -> Frame:
        while not self._ready:
            data = await self._pipes.read()
            if not data:
                raise EOFError
            self._ready += self._decoder.feed(data)
        return self._ready.pop(0)

    async def begin_to_read(self) -> None:
        """Read only the first bytes of the next output."""
        self._ready += self._decoder.feed(await self._pipes.read())

    async def write(self, data: bytes) -> None:
        await self._pipes.write(data)

    async def call(
        self,
        do: str,
        with_: Any = None,
        *,
        budget_ms: int = 5000,
        act: bool = False,
        wake: bool = False,
        then: Then | None = None,
    ) -> int:
        """Send a call; return its number."""
        self.number += 1
        request = CallRequest(do, {} if with_ is None else with_, budget_ms, act, wake, then)
        await self.write(encode_call(self.number, request))
        return self.number

    async def cancel(self, number: int) -> None:
        await self.write(encode_frame(Frame(FrameKind.CANCEL, number)))

    async def ping(self) -> None:
        """Return when the answer has arrived: everything sent before has been received."""
        self._pings += 1
        await self.write(encode_frame(Frame(FrameKind.PING, self._pings)))
        await self._until(lambda: self._pongs == self._pings)

    async def settle(self) -> None:
        """Let the helper do everything it can without time passing."""
        for _ in range(3):
            await self.ping()
            if self._quiet is not None:
                await self._quiet()

    async def advance(self, ms: float) -> None:
        """Advance the phone's clock, after everything sent has been received."""
        await self.settle()
        await self._advance(ms)
        await self.settle()

    async def answer(self, number: int) -> Answer:
        await self._until(lambda: number in self.answers)
        return self.answers[number]

    async def do(self, do: str, with_: Any = None, **more: Any) -> Answer:
        """Call and wait for the answer."""
        return await self.answer(await self.call(do, with_, **more))

    async def _until(self, done: Callable[[], bool]) -> None:
        async with asyncio.timeout(HANG):
            while not done():
                self._keep(await self._frame())

    def _keep(self, frame: Frame) -> None:
        kind, number, payload = frame
        if kind == FrameKind.PONG:
            self._pongs += 1
            assert number == self._pongs or self.tolerant
        elif kind == FrameKind.DATA:
            assert number not in self.answers
            self.pieces.append(len(payload))
            self._data.setdefault(number, []).append(payload)
        elif kind == FrameKind.ERROR and number == 0:
            self.why_ended = decode_json(payload)
        else:
            assert kind in (FrameKind.REPLY, FrameKind.ERROR)
            assert number not in self.answers, "a second answer to one call"
            assert 0 < number <= self.number, "an answer to no call"
            data = b"".join(self._data.pop(number, []))
            self.answers[number] = Answer(FrameKind(kind), decode_json(payload), data)
            self.order.append(number)

    async def ended(self) -> int:
        """Wait until the helper has exited; return its exit code. Late answers are kept."""
        async with asyncio.timeout(HANG):
            try:
                while True:
                    self._keep(await self._frame())
            except EOFError:
                return await self._pipes.exit_code()

    async def end(self) -> None:
        await self._pipes.end()

    async def kill(self) -> None:
        await self._pipes.kill()
