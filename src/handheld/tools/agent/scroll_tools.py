"""Scrolling: by a part of what is visible, to the end, or until a text is visible."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from ...driver import Rest
from ...errors import ActionFailed, ElementNotFound, InvalidParams
from ...phone.input.touch_kind import through_middle
from ...phone.phone import Phone
from ...phone.screen.paging import LAST_ROW, ScrolledView, UnreadablePage, ViewGone
from ...phone.screen.screen_log import ShownScreen
from ...phone.screen.scroll_area import is_forward
from ...phone.screen.waiting import Watch
from ...screen.model import Screen
from ...screen.rows.screen import Rows
from ...screen.rows.words import clean, cut, fold, has_words
from ...screen.search import Place
from ..recording import Secret
from ..tool import Paths, Toolset
from .elements.acting import FIRST_MS, MOST_MS, QUIET_MS, act, current, whole
from .elements.actions import scroll_actions
from .elements.resolving import resolve
from .elements.targets import find_block, list_name
from .params import Direction, Screens, ScrollWithin, Until
from .saved_targets import note_targets
from .screen.lists import (
    MOST_PAGES,
    OTHER_WAY,
    PAGE_REST,
    SEARCH_MS,
    SIDES,
    begin_search,
    find_list,
    say_missed,
)

scroll_tools = Toolset("touch")

SCREENS = 0.8
TO_THE_END = 99
MIDDLE = 0.5
"""The way of a finger over a screen on which nothing is known to scroll, as a share of it."""


def _scrolled(phone: Phone, screen: Screen, given: Mapping[str, Any]) -> Paths:
    return through_middle(screen, given.get("direction") or "down", MIDDLE)


@scroll_tools.tool(
    name="phone_scroll",
    title="Scroll",
    secret_reply=Secret.NO,
    actions=scroll_actions,
    touches=_scrolled,
)
async def scroll(
    phone: Phone,
    direction: Direction = None,
    within: ScrollWithin = None,
    screens: Screens = None,
    until: Until = None,
) -> str:
    """Scroll a list or page; says how far and whether there is more."""
    wanted = _folded(until or "")
    if until and not wanted:
        raise InvalidParams("until is empty: give words that are to be visible.")
    shown = await current(phone)
    inside = await _find_within(phone, shown, within) if within else None
    shown = phone.screens.last or shown
    if wanted and (label := _visible(shown.rows, wanted)):
        seen = "" if shown.told else f"\n{whole(shown)}"
        return f"{label} is visible: nothing was scrolled.{seen}"
    found = find_list(shown, direction if wanted else direction or "down", inside)
    # A touch beside a dialog closes it.
    dialog = any(row.behind for row in shown.rows.rows)
    if found is None and (within or wanted or dialog):
        way = "" if wanted and not direction else f" {direction or 'down'}"
        where = f"{cut(clean(within), 60)} is in nothing" if within else "Nothing on this screen is"
        verb = "that scrolls" if within else "known to scroll"
        seen = () if shown.told else (whole(shown),)
        raise ActionFailed(f"{where} {verb}{way}: nothing was done.", *seen)
    if found is None:
        return await _through_the_middle(phone, direction or "down")
    place, way = found
    if until:
        ways = (way,) if direction else (way, OTHER_WAY[way])
        return await _search(phone, shown, place, ways, until)
    return await _Scroll(phone, shown, place, way, screens or SCREENS).run()


async def _find_within(phone: Phone, shown: ShownScreen, within: str) -> Place:
    """Return the list, or an element in it. Raises ElementNotFound."""
    block = find_block(shown, within)
    if block is not None:
        return block
    target = await resolve(phone, within, None)
    note_targets(phone, within=target)
    last = phone.screens.last or shown
    for _, thing in last.rows.things:
        if target.thing is not None and thing.place == target.thing.place:
            return thing.place
    raise ElementNotFound(f"{target.label} is not visible.")


async def _search(
    phone: Phone,
    shown: ShownScreen,
    place: Place,
    ways: tuple[str, ...],
    until: str,
) -> str:
    rest, wanted = Rest(*PAGE_REST), _folded(until)
    search = begin_search(
        phone, shown, place, lambda rows: bool(_visible(rows, wanted)), until, rest
    )

    async def operation(resting: Phone) -> None:
        missed = await search.run(ways, Watch(phone.clock, SEARCH_MS))
        if missed:
            raise say_missed([missed], until, shown, [place])

    def done() -> str:
        last = phone.screens.last
        return f"{search.told}: {_visible(last.rows, wanted) if last else until} is visible."

    return await act(phone, done, operation, rest=rest)


def _folded(until: str) -> str:
    return fold(until.strip().strip('"'))


def _visible(rows: Rows, wanted: str) -> str:
    """Return what shows this text as whole words, as it is called; "" if nothing does."""
    for row, thing in rows.things:
        texts = [*thing.item.pieces, *([thing.item.value] if thing.item.value else [])]
        listed = (fold(between.join(texts)) for between in (" ", " | "))
        if not row.behind and any(has_words(words, wanted) for words in listed):
            return thing.label
    return ""


async def _through_the_middle(phone: Phone, way: str) -> str:
    return await act(
        phone,
        f"Nothing on this screen is known to scroll {way}: the finger moved through its middle.",
        lambda resting: resting.driver.scroll(way, MIDDLE),
    )


@dataclass(slots=True)
class _Scroll:
    """One scroll of a view by a number of screens: of what is visible of the view."""

    phone: Phone
    shown: ShownScreen
    place: Place
    way: str
    screens: float
    pixels: int = 0
    exact: bool = True
    """Whether all of the pixels were measured."""
    steps: int = 0
    stopped: str = ""
    """Why it went less far than was asked for."""
    lost: str = ""
    """Why the view could not be compared after the last step."""

    async def run(self) -> str:
        far = self.screens >= TO_THE_END
        rest = Rest(*PAGE_REST) if far or self.screens > 1 else Rest(FIRST_MS, QUIET_MS, MOST_MS)
        view = ScrolledView(self.phone, rest, self.shown.snapshot, self.place)
        name = list_name(self.shown, self.place)
        if view.more(is_forward(self.way)) is False:
            seen = "" if self.shown.told else f"\n{whole(self.shown)}"
            return f"Nothing moved: {name} {self._at_end()}.{seen}"

        async def operation(resting: Phone) -> None:
            try:
                await (self._go_to_end(view) if far else self._go(view))
            except UnreadablePage:
                self.lost = "."
            except ViewGone as gone:
                if not (self.steps or gone.done):
                    raise
                self.lost = ", and it is no longer on the screen."

        return await act(self.phone, lambda: self._describe(view, name), operation, rest=rest)

    async def _go(self, view: ScrolledView) -> None:
        count = ceil(self.screens)
        watch = Watch(self.phone.clock, SEARCH_MS)
        while self.steps < count:
            if watch.left < 1:
                self.stopped = f" Stopped after {watch.elapsed / 1000:.0f} s."
                return
            motion, asked = await view.drag(self.way, self.screens / count)
            self._add(motion.pixels, asked)
            if motion.pixels == 0 or motion.more is False:
                return

    async def _go_to_end(self, view: ScrolledView) -> None:
        forward = is_forward(self.way)
        watch = Watch(self.phone.clock, SEARCH_MS)
        if await view.jump(LAST_ROW if forward else 0):
            self._add(None, 0)
        while view.more(forward) is not False:
            if watch.left < 1 or self.steps >= MOST_PAGES:
                self.stopped = (
                    f" Not to the end in {watch.elapsed / 1000:.0f} s: call again to go on."
                )
                return
            motion = await view.page(self.way)
            self._add(motion.pixels, 0)
            if motion.pixels == 0:
                return

    def _add(self, pixels: int | None, asked: int) -> None:
        self.steps += 1
        self.exact = self.exact and pixels is not None
        self.pixels += asked if pixels is None else pixels

    def _at_end(self) -> str:
        return {"down": "is at its end", "up": "is at its top"}.get(
            self.way, f"goes no further {self.way}"
        )

    def _describe(self, view: ScrolledView, name: str) -> str:
        if self.lost:
            return f"Scrolled {name} {self.way}{self.lost}"
        more, side = view.more(is_forward(self.way)), SIDES[self.way]
        if not self.pixels and self.exact:
            if more:
                why = f"although {name} has more {side}: something else took the touch"
                return f"Nothing moved, {why}."
            return f"Nothing moved: {name} {self._at_end()}."
        way, pixels = self.way, self.pixels
        if pixels < 0:
            way, pixels = OTHER_WAY[way], -pixels
        if self.screens >= TO_THE_END:
            end = "; more " + side if more else " to the top" if way == "up" else " to the end"
            return f"Scrolled {name} {way}{end}.{self.stopped}"
        about = "" if self.exact else "about "
        state = "" if more is None else f"; more {side}" if more else f"; it {self._at_end()}"
        return f"Scrolled {name} {way} {about}{pixels:,} px{state}.{self.stopped}"
