"""Reading the screen with the helper and with `uiautomator dump`, without latency and with that of
real hardware; and on the two surfaces."""

from functools import partial
from pathlib import Path

from handheld.adb.direct import DirectLink
from handheld.adb.shell import run
from handheld.driver.by_helper.driver import HelperDriver
from handheld.helper.client import HelperClient
from handheld_virtual.phone import VirtualPhone

from .client import Client
from .figures import Figure, median, of_rounds
from .ports import keep_port
from .programs import TOKEN, cpu_seconds, server, virtual_phone
from .timing import Call, Compared, time_calls, time_in_turns

NODES = 100
BARS = 13
READS = {"none": 20, "phone": 3}
MANY_NODES = 500
ROUNDS = 40
SURFACE_LIMIT = 1.0
"""Of `get_screen_state`."""
NEW_LIMIT = 1.5
"""The same for a screen that was not shown before: its rows are laid out and all get refs."""


async def measure() -> list[Figure]:
    figures: list[Figure] = []
    for profile, reads in READS.items():
        async with VirtualPhone() as phone:
            link = await DirectLink.connect("127.0.0.1", phone.port)
            try:
                await _show_nodes(link, NODES)
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


async def measure_surfaces(home: Path) -> list[Figure]:
    """Read the same screen, and ever new ones, as `get_screen_state` and as `phone_look`."""
    port = keep_port()
    async with (
        virtual_phone(home) as (_, phone_port),
        server(home, f"127.0.0.1:{phone_port}", port) as serving,
        Client("127.0.0.1", port, TOKEN) as client,
        Client("127.0.0.1", port, TOKEN, "/mcp/agent") as agent,
    ):
        link = await DirectLink.connect("127.0.0.1", phone_port)

        async def state() -> object:
            return await client.call("android_get_screen_state", {})

        async def look() -> object:
            return await agent.call("phone_look", {})

        try:
            await _show_nodes(link, MANY_NODES)
            clock = partial(cpu_seconds, serving.pid)
            same = await time_in_turns(state, look, ROUNDS, 10, (clock, clock))
            new = await _time_new(link, state, look)
        finally:
            await link.aclose()
    what = f"{MANY_NODES} nodes"
    return [
        Figure(f"phone_look of {what}, p50", median(same.measured), "ms"),
        of_rounds(
            "phone_look against get_screen_state", same.ratios, "x", SURFACE_LIMIT, gates=True
        ),
        of_rounds(
            "the same in the server's processor time",
            same.spent_ratios,
            "x",
            SURFACE_LIMIT,
            gates=True,
        ),
        Figure(f"phone_look of {what} that are new, p50", median(new.measured), "ms"),
        Figure(f"get_screen_state of {what} that are new, p50", median(new.baseline), "ms"),
        of_rounds(
            "phone_look against get_screen_state, new nodes",
            new.ratios,
            "x",
            NEW_LIMIT,
            gates=True,
        ),
    ]


async def _time_new(link: DirectLink, baseline: Call, measured: Call) -> Compared:
    """Open another screen before each call; that is not measured."""
    compared = Compared()

    async def times(call: Call) -> list[float]:
        spent: list[float] = []
        for _ in range(3):
            await _show_nodes(link, MANY_NODES)
            spent += await time_calls(call, 1)
        return spent

    for _ in range(ROUNDS):
        compared.add(await times(baseline), await times(measured))
    return compared


async def _show_nodes(link: DirectLink, nodes: int) -> None:
    count = str(nodes - BARS)
    answer = await run(
        link, ["am", "start", "-n", "dev.handheld.testbed/.Nodes", "--es", "count", count]
    )
    if answer.code:
        raise RuntimeError(f"The screen of {nodes} nodes did not open: {answer.stderr!r}")


async def _median(call: Call, count: int) -> float:
    """Return the median of so many calls, after a first one to warm up."""
    await call()
    return median(await time_calls(call, count))
