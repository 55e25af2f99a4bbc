"""The screen read by our helper and by `uiautomator dump`, on a phone that takes no time and on one
that takes the time hardware takes."""

import time
from collections.abc import Awaitable, Callable

from handheld.adb.direct import DirectLink
from handheld.adb.shell import run
from handheld.hands.helper import HelperHands
from handheld.helper.client import HelperClient
from handheld.virtual.phone import VirtualPhone

from .figures import Figure, median

NODES = 100
BARS = 13
READS = {"none": 20, "phone": 3}


async def measure() -> list[Figure]:
    figures: list[Figure] = []
    for profile, reads in READS.items():
        async with VirtualPhone() as phone:
            link = await DirectLink.connect("127.0.0.1", phone.port)
            try:
                await _show_nodes(link)
                phone.latency = profile
                figures += await _compare(link, profile, reads)
            finally:
                await link.aclose()
    return figures


async def _compare(link: DirectLink, profile: str, reads: int) -> list[Figure]:
    async def dump() -> None:
        answer = await run(link, ["uiautomator", "dump", "/dev/tty"])
        if answer.code or b"</hierarchy>" not in answer.stdout:
            raise RuntimeError(f"The screen was not dumped: {answer}")

    # First, and away again: Android lets one program at a time look at the screen.
    hands = HelperHands(HelperClient(link))
    try:
        ours = await _time(hands.read_screen, reads)
    finally:
        await hands.aclose()
    theirs = await _time(dump, reads)
    what = f"{NODES} nodes, latency {profile}"
    return [
        Figure(f"screen by the helper, {what}, p50", ours, "ms"),
        Figure(f"screen by uiautomator dump, {what}, p50", theirs, "ms"),
    ]


async def _time(call: Callable[[], Awaitable[object]], count: int) -> float:
    """Milliseconds, the median of `count` calls after a first one that starts things."""
    times: list[float] = []
    for number in range(count + 1):
        begun = time.perf_counter()
        await call()
        if number:
            times.append((time.perf_counter() - begun) * 1000)
    return median(times)


async def _show_nodes(link: DirectLink) -> None:
    count = str(NODES - BARS)
    answer = await run(
        link, ["am", "start", "-n", "dev.handheld.testbed/.Nodes", "--es", "count", count]
    )
    if answer.code:
        raise RuntimeError(f"The screen of {NODES} nodes did not come up: {answer.stderr!r}")
