"""Scrolls one view, and reads the screen after each step."""

from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...driver import (
    Driver,
    InputRefused,
    NodeSignature,
    NotActionable,
    Rest,
    Rested,
    Seek,
    TargetMissing,
)
from ...errors import ActionFailed, ToolError
from ...screen.model import Flag, Node, Screen
from ...screen.search import Place
from .dragging import Motion, compare, find_view
from .row_order import note_order
from .scroll_area import asked_distance, find_scroll_area, is_forward
from .snapshot import Snapshot
from .targets import target_of

if TYPE_CHECKING:
    from ..phone import Phone

LAST_ROW = 1_000_000
"""A row beyond the end of lists, which go to their last row for it. Android multiplies it by the
columns of a grid, so the largest integer would overflow."""
_WAYS = {True: Flag.SCROLLS_FORWARD, False: Flag.SCROLLS_BACKWARD}
_GONE = "The view is no longer on the screen."
_NOTHING = NodeSignature(None, None, None, None)


class UnreadablePage(ActionFailed):
    """A step was done, but the screen could not be read completely after it."""


class NoRoom(ActionFailed):
    """No finger can scroll the view. Nothing was done."""


class ViewGone(ActionFailed):
    """The view is no longer on the screen."""

    def __init__(self, message: str, *details: str, done: bool = False) -> None:
        """`done`: whether the step was done."""
        super().__init__(message, *details)
        self.done = done


@dataclass(slots=True)
class ScrolledView:
    """A view that is scrolled in steps, in the state of the last read."""

    phone: "Phone"
    rest: Rest
    """Receives the screen after each step, whether or not the driver reads it in the step's
    call."""
    snapshot: Snapshot
    place: Place
    items: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    """Rows and columns of the list items that were visible in any read."""
    unnumbered: bool = False
    """Whether a read had no numbered items."""
    first: int = 0
    """The first visible row, if rows are numbered."""

    def __post_init__(self) -> None:
        self._note()

    @property
    def node(self) -> Node:
        return self.snapshot.node(self.place)

    @property
    def screen(self) -> Screen:
        return self.snapshot.screen

    def more(self, forward: bool) -> bool | None:
        """Whether it can scroll further in that direction; None if unknown."""
        ways = self.node.flags & (Flag.SCROLLS_FORWARD | Flag.SCROLLS_BACKWARD)
        return bool(ways & _WAYS[forward]) if ways else None

    async def drag(self, direction: str, share: float) -> tuple[Motion, int]:
        """Move the content by a share of its visible part; return the movement, and the requested
        number of pixels. Raises NoRoom, ToolError."""
        screen, across = self.screen, direction in ("left", "right")
        area = find_scroll_area(screen, direction, 1.0, (self.place,))
        if area is None:
            raise NoRoom("A finger has no room to scroll it. Nothing was done.")
        box = area.box
        length, whole = (
            (box.right - box.left, screen.width)
            if across
            else (box.bottom - box.top, screen.height)
        )
        share = share * length / max(1, whole)
        drags = (find_scroll_area(screen, direction, share, (self.place,)) or area).drags
        *first, (start, end) = drags
        for done, (begin, stop) in enumerate(first):
            await self._after(done, self.phone.driver.drag(begin, stop, screen.density))
        await self._after(len(first), self._resting().drag(start, end, screen.density))
        motion = await self._read(direction)
        return motion, round(asked_distance(screen, box, direction, share))

    async def _after(self, done: int, drag: Awaitable[None]) -> None:
        try:
            await drag
        except ToolError as failure:
            if not done:
                raise
            raise type(failure)(
                f"Only a part of the drag was done. {failure.message}", *failure.details
            ) from failure

    async def page(self, direction: str) -> Motion:
        """Scroll by its visible part: by the view's own action, or else by a finger. Raises
        ToolError."""
        forward = is_forward(direction)
        if self.more(forward) is False:
            return Motion(0, False)
        if self.more(forward):
            target = target_of(self.node, self.snapshot.anchor(self.place))
            try:
                await self._resting().act(
                    target, "scroll_forward" if forward else "scroll_backward"
                )
            except InputRefused:
                return Motion(0, False)
            except TargetMissing as missing:
                raise ViewGone(_GONE) from missing
            except NotActionable:
                pass  # it no longer does
            else:
                return await self._read(direction)
        return (await self.drag(direction, 1.0))[0]

    async def jump(self, row: int) -> bool:
        """Jump to a row; return whether the view supports that. Raises ToolError."""
        if self.unnumbered or not self.node.flags & Flag.COLLECTION or self.more(True) is None:
            return False
        seek = Seek(_NOTHING, None, "", True, 0, (row, 0))
        target = target_of(self.node, self.snapshot.anchor(self.place))
        try:
            sought = await self._resting().seek(target, seek)
        except TargetMissing as missing:
            raise ViewGone(_GONE) from missing
        except (NotActionable, InputRefused):
            return False
        if sought.jumped:
            await self._read("down")
        return sought.jumped

    def _resting(self) -> Driver:
        """Return the driver for a step that reads the screen after it."""
        self.rest.rested = None
        return self.phone.driver.resting(self.rest)

    async def _read(self, direction: str) -> Motion:
        """Read the screen after a step, if its call has not done so. Raises Unreadable."""
        rested = self.rest.rested
        if rested is None:
            try:
                rested = Rested(True, True, await self.phone.driver.read_screen())
            except ToolError as failure:
                rested = Rested(True, False, None, failure.message)
            self.rest.rested = rested
        if rested.screen is None:
            raise UnreadablePage(rested.problem)
        before, after = self.snapshot, self.phone.elements.mark(rested.screen)
        now = find_view(before, self.place, after)
        if now is None and rested.screen.unseen:
            raise UnreadablePage(rested.screen.unseen)
        if now is None:
            raise ViewGone(_GONE, done=True)
        motion = compare(before, self.place, after, now, direction)
        self.snapshot, self.place = after, now
        self._note()
        return motion

    def _note(self) -> None:
        note_order(self.phone.elements.issued, self.snapshot, self.place)
        found = {
            item
            for place in self.snapshot.inside(self.place)
            if self.snapshot.node(place).flags & Flag.VISIBLE
            and (item := self.snapshot.item(place)) is not None
        }
        self.items |= found
        self.first = min(found, default=(0, 0))[0]
        self.unnumbered = self.unnumbered or not found
