"""The cost of recording calls."""

import time
from pathlib import Path

from handheld.audit import AuditLog
from handheld.tools.call import Caller, ToolCall
from handheld.tools.main import CATALOG

from .client import Client
from .figures import Figure, median, of_rounds
from .ports import keep_port
from .programs import TOKEN, server, virtual_phone
from .timing import time_in_turns

CALLS = 2000
LIMIT_MS = 0.3


async def measure(home: Path) -> list[Figure]:
    listing = next(
        tool.listing for toolset in CATALOG for tool in toolset.tools if tool.name == "tap"
    )
    call = ToolCall("tap", listing, {"x": 540, "y": 1200}, Caller("http", "bench"), "virtual")
    log = AuditLog(home / "recording" / "calls.sqlite")
    try:
        tap, screen = _measure(log, call, "Tap executed."), _measure(log, call, "x" * 15_000)
    finally:
        log.close()
    return [
        Figure("recording a tap by itself, p50", tap, "ms", LIMIT_MS),
        Figure("recording a screen of 15 kB by itself, p50", screen, "ms", LIMIT_MS),
        await _measure_calls(home),
    ]


def _measure(log: AuditLog, call: ToolCall, reply: str) -> float:
    """Including the end of each call, which is written when the next one begins."""
    times: list[float] = []
    for _ in range(CALLS):
        start = time.perf_counter()
        log.end(log.begin(call), "done", [reply], 1.0)
        times.append((time.perf_counter() - start) * 1000)
    return median(times)


async def _measure_calls(home: Path) -> Figure:
    """Measure complete calls over HTTP to two servers, each with a phone; one of them records."""
    ports, spot = (keep_port(), keep_port()), {"x": 540, "y": 1200}
    async with (
        virtual_phone(home) as (_, first),
        virtual_phone(home) as (_, second),
        server(home, f"127.0.0.1:{first}", ports[0], "--audit-off"),
        server(home, f"127.0.0.1:{second}", ports[1]),
        Client("127.0.0.1", ports[0], TOKEN) as unrecorded,
        Client("127.0.0.1", ports[1], TOKEN) as recorded,
    ):
        turns = await time_in_turns(
            lambda: unrecorded.call("android_tap", spot),
            lambda: recorded.call("android_tap", spot),
            40,
            25,
        )
    return of_rounds(
        "recording: time added to a tap over HTTP, p50", turns.differences, "ms", LIMIT_MS
    )
