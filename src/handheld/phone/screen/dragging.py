"""Scrolls the screen's content by a share of its size, and reports the movement."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import ToolError
from ...screen.model import Flag
from ...screen.search import Place
from ...screen.shift import measure_below
from .row_order import note_order
from .scroll_area import ScrollArea, asked_distance, find_scroll_area, is_forward
from .snapshot import Snapshot

if TYPE_CHECKING:
    from ..phone import Phone

SETTLE_MS = 300
"""The time that content may take to follow the finger."""
QUIET_MS = 120
CLOSE = 0.05
"""The relative error up to which a movement is as requested."""
_MORE = {"down": "below", "up": "above", "left": "left", "right": "right"}


@dataclass(frozen=True, slots=True)
class Motion:
    """The effect of a scroll on a view."""

    pixels: int | None
    """None if nothing visible before is visible now; negative if it moved the other way."""
    more: bool | None
    """Whether it can scroll further in that direction."""


async def scroll(phone: "Phone", direction: str, share: float) -> str:
    """Scroll the largest scrolling view by a share of the screen's height or width; return a
    sentence about the movement."""
    driver = phone.driver
    try:
        before = await _read(phone)
    except ToolError as unreadable:
        await driver.scroll(direction, share)
        return _unknown(unreadable)
    area = find_scroll_area(before.screen, direction, share)
    if area is None:
        await driver.scroll(direction, share)
    else:
        note_order(phone.elements.issued, before, area.place)
        await _drag(phone, area, before.screen.density)
    try:
        after = await _read(phone)
        if area is None:
            return _describe_screen(before, after)
        asked = asked_distance(before.screen, area.box, direction, share)
        motion = await _measure(phone, before, after, area, direction, asked)
    except ToolError as unreadable:
        return _unknown(unreadable)
    if motion is None:
        return "The view that was scrolled is no longer on the screen."
    return describe(motion, direction, round(asked))


async def _drag(phone: "Phone", area: ScrollArea, density: int) -> None:
    """Raises ToolError, which mentions drags that were done before."""
    for done, (start, end) in enumerate(area.drags):
        try:
            await phone.driver.drag(start, end, density)
        except ToolError as failure:
            if not done:
                raise
            raise type(failure)(
                f"Only {done} of {len(area.drags)} drags were done, so the view has moved by less"
                f" than requested. The next one failed: {failure.message}",
                *failure.details,
            ) from failure


async def _read(phone: "Phone") -> Snapshot:
    return phone.elements.mark(await phone.driver.read_screen())


async def _measure(
    phone: "Phone",
    before: Snapshot,
    after: Snapshot,
    area: ScrollArea,
    direction: str,
    asked: float,
) -> Motion | None:
    """Compare the reads. A view that has not moved as far as it could may still be moving: it is
    read again."""
    motion = _compare(before, after, area, direction)
    if motion is not None and motion.more is not False and not after.screen.settled:
        late = motion.pixels is not None and abs(motion.pixels - asked) > CLOSE * asked
        # Views that draw themselves follow some frames later, and pagers snap to the nearest page.
        if late:
            seq = await phone.driver.changed(after.screen.seq, SETTLE_MS)
            if seq > after.screen.seq:
                await phone.driver.changed(seq, QUIET_MS)
            after = await _read(phone)
            motion = _compare(before, after, area, direction)
    now = find_view(before, area.place, after)
    if now is not None:
        note_order(phone.elements.issued, after, now)
    return motion


def _compare(before: Snapshot, after: Snapshot, area: ScrollArea, direction: str) -> Motion | None:
    now = find_view(before, area.place, after)
    return None if now is None else compare(before, area.place, after, now, direction)


def compare(before: Snapshot, place: Place, after: Snapshot, now: Place, direction: str) -> Motion:
    """Return the effect of a scroll on the view at `place`, which is at `now` afterwards."""
    nodes, later = before.window(place).nodes, after.window(now).nodes
    across = direction in ("left", "right")
    forward = is_forward(direction)
    shift = measure_below(nodes, place[1], later, now[1], across=across)
    pixels = None if shift is None else -shift if forward else shift
    ways = after.node(now).flags & (Flag.SCROLLS_FORWARD | Flag.SCROLLS_BACKWARD)
    way = Flag.SCROLLS_FORWARD if forward else Flag.SCROLLS_BACKWARD
    return Motion(pixels, bool(ways & way) if ways else None)


def find_view(before: Snapshot, place: Place, after: Snapshot) -> Place | None:
    """Return the view's current place: by its key, else by its signature and rank among equals."""
    then = before.node(place)
    alike = after.again(then)
    unmoved = [at for at in alike if after.node(at).bounds == then.bounds]
    found = alike if len(alike) == 1 else unmoved
    return found[0] if len(found) == 1 else None


def _describe_screen(before: Snapshot, after: Snapshot) -> str:
    then, now = (
        [window.nodes for window in snapshot.screen.windows if window.type != "SYSTEM"]
        for snapshot in (before, after)
    )
    outcome = "the screen is the same" if then == now else "the screen has changed"
    return (
        "No view on the screen is known to scroll that way: the finger moved through its middle,"
        f" and {outcome}."
    )


def describe(motion: Motion, direction: str, asked: int) -> str:
    end = "the top is reached" if direction == "up" else "the end is reached"
    more = f"more {_MORE[direction]}"
    if motion.pixels == 0 and motion.more:
        return f"Nothing moved, although there is {more}: something else took the touch."
    if motion.pixels == 0:
        return f"Nothing moved: {end}."
    if motion.pixels is None and motion.more is False:
        what = "Moved, and nothing visible before is still visible"
    elif motion.pixels is None:
        # The content has followed the finger, without a fling.
        what = f"Moved about {asked} px, and nothing visible before is still visible"
    elif motion.pixels > 0:
        what = f"Moved {motion.pixels} px"
    else:
        what = f"Moved {-motion.pixels} px in the other direction"
    if motion.more is None:
        return f"{what}."
    return f"{what}; {more if motion.more else end}."


def _unknown(problem: ToolError) -> str:
    return f"It is unknown whether anything moved: {problem.message}"
