"""A list that keeps only the visible rows and reuses their views."""

from collections.abc import Callable
from typing import Any, Unpack

from ..layout import Scroll
from ..options import Options
from ..view import View


class RecycledList(Scroll):
    """`make` builds a row's views, and `bind` fills them for a position. A row that scrolls out
    passes its views, with their keys, to the row that scrolls in. `jumps` is false for a list whose
    library is older than RecyclerView's ACTION_SCROLL_TO_POSITION, `numbered` for a list whose rows
    have no collection item info, as often in Compose."""

    kind = "androidx.recyclerview.widget.RecyclerView"
    collection = True
    keeps_focus = True
    directed = False
    __slots__ = (
        "bind",
        "count",
        "first",
        "jumps",
        "make",
        "numbered",
        "row_height",
        "rows",
        "spare",
    )

    def __init__(
        self,
        *,
        count: int,
        row_height: float,
        make: Callable[[], View],
        bind: Callable[[View, int], None],
        jumps: bool = True,
        numbered: bool = True,
        **options: Unpack[Options],
    ) -> None:
        self.count, self.row_height = count, row_height
        self.jumps, self.numbered = jumps, numbered
        self.make, self.bind = make, bind
        self.rows: dict[int, View] = {}
        """The rows in the tree, by position."""
        self.first = 0
        self.spare: list[View] = []
        super().__init__(**options)

    def refresh(self, count: int | None = None) -> None:
        """Bind every row again after the data changed."""
        if count is not None:
            self.count = count
        for row in self.rows.values():
            row.parent = None
            self.spare.append(row)
        self.rows.clear()
        self.changed()

    def event_details(self, kind: str) -> dict[str, Any]:
        last = self.first + len(self.children) - 1
        return {"from": self.first, "to": last, "items": self.count}

    def measure_content(
        self, room_w: int, room_h: int, dp: float, exact_w: bool, exact_h: bool
    ) -> tuple[int, int]:
        height = round(self.row_height * dp)
        self.extent = height * self.count
        self.viewport = min(room_h, self.extent) if not exact_h else room_h
        self.offset = max(0, min(self.offset, self.extent - self.viewport))
        first = self.offset // height
        last = min(self.count, -(-(self.offset + self.viewport) // height))
        for position in [p for p in self.rows if not first <= p < last]:
            row = self.rows.pop(position)
            row.parent = None
            self.spare.append(row)
        for position in range(first, last):
            row = self.rows.get(position)
            if row is None:
                row = self.spare.pop() if self.spare else self.make()
                self.bind(row, position)  # before it has a parent: binding must not send an event
                row.parent = self
                self.rows[position] = row
            row.measure(room_w, height, dp, exact_w=True, exact_h=True)
        self.first = first
        self.children = [self.rows[position] for position in range(first, last)]
        return room_w, self.extent

    def item_place(self, index: int) -> tuple[int, int] | None:
        return (self.first + index, 0) if self.numbered else None

    def scroll_to_item(self, row: int, column: int) -> bool:
        """Scroll the row to the top, as far as the list goes. Returns True even if it is already
        there."""
        if not (self._enabled and self.jumps and self.count):
            return False
        height = self.extent // self.count
        self.scroll_by(min(row, self.count - 1) * height - self.offset)
        return True

    def arrange_children(self, dp: float) -> None:
        left, top, _, _ = self.inner(dp)
        height = round(self.row_height * dp)
        for number, row in enumerate(self.children):
            row.arrange(left, top + (self.first + number) * height - self.offset, dp)
