"""Reading the screen with the helper and with `uiautomator dump`, without latency and with that of
real hardware."""

from handheld.adb.direct import DirectLink
from handheld.adb.shell import run
from handheld.driver.helper_driver import HelperDriver
from handheld.helper.client import HelperClient
from handheld.virtual.phone import VirtualPhone

from .figures import Figure, median
from .timing import Call, time_calls

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

    # First, and closed again: Android has one UiAutomation connection at a time.
    driver = HelperDriver(HelperClient(link))
    try:
        ours = await _median(driver.read_screen, reads)
    finally:
        await driver.aclose()
    theirs = await _median(dump, reads)
    what = f"{NODES} nodes, latency {profile}"
    return [
        Figure(f"screen by the helper, {what}, p50", ours, "ms"),
        Figure(f"screen by uiautomator dump, {what}, p50", theirs, "ms"),
    ]


async def _show_nodes(link: DirectLink) -> None:
    count = str(NODES - BARS)
    answer = await run(
        link, ["am", "start", "-n", "dev.handheld.testbed/.Nodes", "--es", "count", count]
    )
    if answer.code:
        raise RuntimeError(f"The screen of {NODES} nodes did not open: {answer.stderr!r}")


async def _median(call: Call, count: int) -> float:
    """Return the median of so many calls, after a first one to warm up."""
    await call()
    return median(await time_calls(call, count))
