"""What a server asks of the C library about memory that it has freed. What that gives back is
measured by `make bench ONLY=memory`: it depends on the library."""

import asyncio
import ctypes
import gc
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from handheld.server.http import serve_http
from handheld.server.memory import return_free_pages, return_large_blocks
from handheld.server.options import HttpOptions
from harness.manual_clock import ManualClock
from harness.polling import HANG

from .little import LittleSurface

TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8
"""As in <malloc.h>."""


class Glibc:
    """Notes what it is asked for."""

    def __init__(self) -> None:
        self.set: dict[int, int] = {}
        self.trimmed: list[int] = []

    def mallopt(self, parameter: int, value: int) -> int:
        self.set[parameter] = value
        return 1

    def malloc_trim(self, pad: int) -> int:
        self.trimmed.append(pad)
        return 1


@pytest.fixture
def collector() -> Iterator[None]:
    """The garbage collector, which a server sets for itself."""
    threshold = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)


async def test_a_server_has_freed_memory_given_back(
    collector: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    glibc, clock, up = Glibc(), ManualClock(), asyncio.Event()
    monkeypatch.setattr(ctypes, "CDLL", lambda _: glibc)
    options = HttpOptions(port=0, token="", clock=clock)
    serving = asyncio.create_task(serve_http(LittleSurface(), options, lambda _: up.set()))
    async with asyncio.timeout(HANG):
        await up.wait()
        # A picture has its own pages, threads share what is kept, and the top is kept small.
        assert glibc.set == {MMAP_THRESHOLD: 256 * 1024, TRIM_THRESHOLD: 1024 * 1024, ARENA_MAX: 1}
        for count in range(3):
            assert glibc.trimmed == [0] * count
            await clock.until_waits(10)
            await clock.advance(10)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


def test_a_c_library_without_these_functions_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace())
    return_large_blocks()
    return_free_pages()
