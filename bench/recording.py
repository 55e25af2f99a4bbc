"""What the record of calls adds to each."""

import time
from pathlib import Path

from handheld.audit import AuditLog
from handheld.call import Call, Caller
from handheld.tools import CATALOG

from .figures import Figure, median

CALLS = 2000


def measure(home: Path) -> list[Figure]:
    listing = next(
        tool.listing for toolset in CATALOG for tool in toolset.tools if tool.name == "tap"
    )
    call = Call("tap", listing, {"x": 540, "y": 1200}, Caller("http", "bench"), "virtual")
    log = AuditLog(home / "recording" / "calls.sqlite")
    try:
        return [
            Figure("recording a tap, p50", _measure(log, call, "Tap executed."), "ms", 0.3),
            Figure(
                "recording a screen of 15 kB, p50", _measure(log, call, "x" * 15_000), "ms", 0.3
            ),
        ]
    finally:
        log.close()


def _measure(log: AuditLog, call: Call, reply: str) -> float:
    times: list[float] = []
    for _ in range(CALLS):
        start = time.perf_counter()
        log.end(log.begin(call), "done", [reply], 1.0)
        times.append((time.perf_counter() - start) * 1000)
    return median(times)
