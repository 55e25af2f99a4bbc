"""How far content moves when it is scrolled, and how many calls it takes to arrive at a row.

The phone's time is advanced as fast as it is waited for: what is measured does not depend on the
machine.
"""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from handheld.adb.direct import DirectLink
from handheld.calls.local import Caller, LocalSurface
from handheld.driver.fallback import FallbackDriver
from handheld.errors import ToolError
from handheld.helper.client import HelperClient
from handheld.phone.phone import Phone
from handheld.tools.main import CATALOG
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.views.widgets.recycler import RecycledList
from testbed import show_scene

from .crowd import SinglePhone
from .figures import Figure, median, percentile

SHARES = {"small": 0.25, "medium": 0.5, "large": 0.75}
ROUNDS = 4
ROWS = 1000
MOST_CALLS = 30
LISTS = {
    "that can jump": {},
    "that numbers its rows": {"jumps": "no"},
    "that says nothing of its rows": {"jumps": "no", "numbered": "no"},
}
Result = TypeVar("Result")


class Hand:
    """The tools on one virtual phone."""

    def __init__(self, device: VirtualPhone, clock: ManualClock, phone: Phone) -> None:
        self.device, self.clock = device, clock
        self._surface = LocalSurface(CATALOG, SinglePhone(phone))

    async def call(self, name: str, **arguments: Any) -> str:
        call = self._surface.call(f"android_{name}", arguments, Caller("bench"))
        return str((await self._passing(call))[0])

    async def _passing(self, call: Coroutine[Any, Any, Result]) -> Result:
        task = asyncio.create_task(call)
        while not task.done():
            due = self.clock.due
            # The waits of a scroll are short. Longer ones are limits, which must not pass while the
            # host computes.
            if due is not None and due - self.clock.now() <= 2_000:
                await self.clock.advance(due - self.clock.now())
            await asyncio.sleep(0)
        return await task

    def show_list(self, **how: str) -> RecycledList:
        scene = show_scene(self.device.world, "long_list", **how)
        assert scene.window is not None
        scene.window.layout()
        [view] = [view for view in scene.window.root.walk() if isinstance(view, RecycledList)]
        return view

    async def id_of(self, text: str) -> str:
        lines = (await self.call("get_screen_state")).split("\n")
        return next(line.split("\t")[0] for line in lines if f"\t{text}\t" in line)


@asynccontextmanager
async def open_hand(*, helper: bool) -> AsyncGenerator[Hand]:
    clock = ManualClock()
    async with VirtualPhone(clock=clock) as device:
        if not helper:
            device.faults.refuse_helper()
        link = await DirectLink.connect("127.0.0.1", device.port)
        phone = Phone("bench", FallbackDriver(HelperClient(link)))
        try:
            yield Hand(device, clock, phone)
        finally:
            await phone.aclose()
            await link.aclose()


async def measure() -> list[Figure]:
    figures: list[Figure] = []
    for how in ("helper", "shell"):
        async with open_hand(helper=how == "helper") as hand:
            errors, took = await _measure_errors(hand)
            name = f"scroll by {how}"
            off = percentile(errors, 0.95)
            figures += [
                Figure(f"{name}: share moved against share asked, p95", off, "x", 0.05, gates=True),
                Figure(f"{name}: time on the phone, p50", median(took), "ms"),
            ]
    far = f"scroll_to_element over {ROWS} rows, either way, in a list"
    async with open_hand(helper=True) as hand:
        for name, how in LISTS.items():
            calls = await _count_calls(hand, how)
            figures.append(Figure(f"{far} {name}", calls, "calls", 3, gates=True))
    return figures


async def _measure_errors(hand: Hand) -> tuple[list[float], list[float]]:
    """Return for every scroll how far it was off as a part of what was asked, and how long it
    took."""
    errors: list[float] = []
    took: list[float] = []
    rows = hand.show_list()
    rows.scroll_by(rows.extent // 2)
    for amount, share in SHARES.items():
        for direction in ("down", "up") * ROUNDS:
            before, begun = rows.offset, hand.clock.now()
            await hand.call("scroll", direction=direction, amount=amount)
            moved = abs(rows.offset - before)
            errors.append(abs(moved / (hand.device.world.height * share) - 1))
            took.append(hand.clock.now() - begun)
    return errors, took


async def _count_calls(hand: Hand, how: dict[str, str]) -> int:
    """Return the most calls from the last row to the first, and back."""
    rows = hand.show_list(count=str(ROWS), **how)
    first = await hand.id_of("Row 0")
    rows.scroll_by(rows.extent)
    last = await hand.id_of(f"Row {ROWS - 1}")
    return max(await _arrive(hand, first), await _arrive(hand, last))


async def _arrive(hand: Hand, id: str) -> int:
    for calls in range(1, MOST_CALLS):
        try:
            await hand.call("scroll_to_element", element_id=id)
        except ToolError:
            continue
        return calls
    return MOST_CALLS
