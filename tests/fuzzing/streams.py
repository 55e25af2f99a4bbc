"""What the fuzzed side of a connection is: bytes that come, and a place where answers go."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from functools import cache
from typing import Any

from handheld.clock import SYSTEM_CLOCK, Clock


@cache
def _runner() -> asyncio.Runner:
    """One event loop for each process: a new one takes longer than a case."""
    runner = asyncio.Runner()
    runner.get_loop().set_exception_handler(_raise_later)
    return runner


_unhandled: list[BaseException] = []


def _raise_later(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    problem = context.get("exception")
    _unhandled.append(problem or RuntimeError(context["message"]))


def complete(work: Coroutine[Any, Any, object]) -> None:
    """Run it to its end. Also raises what nobody waited for."""
    try:
        _runner().run(work)
        if _unhandled:
            raise _unhandled[0]
    finally:
        _unhandled.clear()


async def turns(count: int = 5) -> None:
    """Let the other tasks go on."""
    for _ in range(count):
        await asyncio.sleep(0)


def pieces(data: bytes) -> Iterator[bytes]:
    """As a network may cut them."""
    start, size = 0, 1
    while start < len(data):
        yield data[start : start + size]
        start, size = start + size, size * 3


class FedStream:
    """A stream that brings these bytes and then ends."""

    def __init__(self, *parts: bytes) -> None:
        self._parts = [piece for part in parts for piece in pieces(part)]
        self._parts.reverse()

    async def read(self, limit: int = 65536) -> bytes:
        await asyncio.sleep(0)
        if not self._parts:
            return b""
        head = self._parts.pop()
        if len(head) > limit:
            self._parts.append(head[limit:])
        return head[:limit]

    async def follow(self, take: Callable[[bytes], object]) -> None:
        while data := await self.read():
            take(data)

    async def write(self, data: bytes) -> None:
        pass

    async def aclose(self) -> None:
        pass


class FedLink:
    """A phone that answers whatever it is asked with these bytes."""

    serial = "phone"

    def __init__(self, data: bytes, features: str = "") -> None:
        self._data = data
        self._features = frozenset(features.split())

    @property
    def clock(self) -> Clock:
        return SYSTEM_CLOCK

    async def features(self) -> frozenset[str]:
        return self._features

    async def open(self, service: str) -> FedStream:
        return FedStream(self._data)

    async def aclose(self) -> None:
        pass


class Sink(asyncio.Transport):
    """A connection that takes everything."""

    def __init__(self) -> None:
        super().__init__()
        self._closing = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self

    def setsockopt(self, *_: int) -> None:
        pass

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def write(self, data: Any) -> None:
        pass

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        self._closing = True

    def abort(self) -> None:
        self._closing = True
