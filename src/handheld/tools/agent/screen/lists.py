"""The lists of a screen: finding them, and searching them for words."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from ....driver import Rest
from ....errors import ActionFailed, ElementNotFound
from ....phone.phone import Phone
from ....phone.screen.paging import NoRoom, ScrolledView, UnreadablePage, ViewGone
from ....phone.screen.screen_log import ShownScreen
from ....phone.screen.scroll_area import find_scroll_area, is_forward, scrollers, scrolls_across
from ....phone.screen.waiting import Watch
from ....screen.model import Flag
from ....screen.rows.screen import Rows, rows_of
from ....screen.rows.words import clean, cut, fold, has_words
from ....screen.search import Place
from ..elements.targets import list_name

SEARCH_MS = 40_000
"""The time limit of one call: clients give up after 60 s."""
MOST_PAGES = 500
MOST_LISTS = 3
"""The maximum of lists that one call searches."""
PAGE_REST = (500, 120, 1_000)
"""The time limits after each page, in milliseconds: until it begins to move, between movements, and
in all. Apps report changes 100 ms apart."""
SIDES = {"down": "below", "up": "above", "left": "left", "right": "right"}
OTHER_WAY = {"down": "up", "up": "down", "left": "right", "right": "left"}

Shows = Callable[[Rows], bool]


def find_list(
    shown: ShownScreen, direction: str | None, within: Place | None = None
) -> tuple[Place, str] | None:
    """Return the view that scrolls in that direction, and the direction: the innermost around
    `within`, or else the largest; None if there is none."""
    snapshot = shown.snapshot
    if within is None:
        # A touch beside a dialog closes it.
        behind = {row.scroller for row in shown.rows.rows if row.behind}
        front = [place for place in scrollers(snapshot.screen) if place not in behind]
        for way in (direction,) if direction else ("down", "right"):
            area = find_scroll_area(snapshot.screen, way, 1.0, front)
            if area is not None:
                return area.place, way
        return None
    scrolls = snapshot.node(within).flags & Flag.SCROLLABLE
    place = within if scrolls else snapshot.container(within)
    while place is not None:
        across = scrolls_across(snapshot.screen, place)
        if direction is None or (direction in ("left", "right")) is across:
            return place, direction or ("right" if across else "down")
        place = snapshot.container(place)
    return None


def find_lists(shown: ShownScreen) -> list[tuple[Place, str]]:
    """Return the lists to search, the largest first; horizontal ones only if nothing else
    scrolls."""
    found = _all_lists(shown)
    upright = [each for each in found if each[1] == "down"]

    def size(each: tuple[Place, str]) -> int:
        left, top, right, bottom = shown.snapshot.node(each[0]).bounds
        return (left - right) * (bottom - top)

    return sorted(upright or found, key=size)[:MOST_LISTS]


def _all_lists(shown: ShownScreen) -> list[tuple[Place, str]]:
    snapshot = shown.snapshot
    return [
        (row.scroller, "right" if scrolls_across(snapshot.screen, row.scroller) else "down")
        for row in shown.rows.rows
        if row.scroller and not row.behind and snapshot.node(row.scroller).flags & Flag.SCROLLABLE
    ]


@dataclass(slots=True)
class Search:
    """Searches one list page by page."""

    phone: Phone
    view: ScrolledView
    name: str
    shows: Shows
    words: str
    pages: int = 0
    direction: str = ""
    """The last direction."""
    turned: bool = False
    """Whether it went in the other direction before."""

    async def run(self, ways: Sequence[str], watch: Watch) -> str:
        """Scroll until the target is visible; then return "", else a sentence about the searched
        part. Raises ToolError."""
        try:
            return await self._run(ways, watch)
        except ViewGone:
            raise ActionFailed(
                f"{self.name} is no longer on the screen: the search ended after {self._extent()}."
            ) from None
        except UnreadablePage as failure:
            raise ActionFailed(
                f"{self.name} was scrolled, but the screen could not be read after it:"
                f" {failure.message}"
            ) from None
        except NoRoom:
            return f"{self.name} could not be scrolled, a finger has no room in it"

    async def _run(self, ways: Sequence[str], watch: Watch) -> str:
        view = self.view
        if len(ways) > 1 and await self._return():
            return ""
        first = view.first
        begun = {way: view.more(is_forward(way)) for way in ways}
        ended: list[str] = []
        for number, way in enumerate(ways):
            if begun[way] is False:
                ended.append(way)
                continue
            if number and self.pages:
                self.turned = True
                if await view.jump(first) and self._found(way):
                    return ""
            while way not in ended:
                if watch.left < 1 or self.pages >= MOST_PAGES:
                    return self._stopped(way, watch)
                motion = await view.page(way)
                self.pages += motion.pixels != 0
                if self._found(way):
                    return ""
                if motion.pixels == 0 or view.more(is_forward(way)) is False:
                    ended.append(way)
        return self._missed(ways)

    async def _return(self) -> bool:
        """Jump to the row that showed the target before, if the list can; return whether it is
        there."""
        view, wanted = self.view, fold(self.words)
        row = self.phone.screens.find_row(
            view.node.key, lambda words: has_words(fold(words), wanted)
        )
        if row is None:
            return False
        way = "up" if row < view.first else "down"
        return await view.jump(row) and self._found(way)

    def _found(self, way: str) -> bool:
        self.direction = way
        return self.shows(rows_of(self.view.screen, lambda place: ""))

    @property
    def told(self) -> str:
        """The work done, as a sentence without its end."""
        pages = "" if self.turned or not self.pages else f" {self._count_pages()}"
        return f"Scrolled {self.name} {self.direction}{pages}"

    def _missed(self, ways: Sequence[str]) -> str:
        extent = "" if self.view.unnumbered else f", {self._extent()}"
        if len(ways) > 1:
            start = "top" if "up" in ways else "start"
            return f"Searched {self.name} from {start} to end{extent}"
        [way] = ways
        end = "top" if way == "up" else "end"
        more = self.view.more(not is_forward(way))
        rest = "" if more is False else f", not {SIDES[OTHER_WAY[way]]} where it began"
        return f"Searched {self.name} {way} to the {end}{extent}{rest}"

    def _stopped(self, way: str, watch: Watch) -> str:
        return (
            f"Searched {self.name} {way} for {watch.elapsed / 1000:.0f} s, {self._extent()}, not to"
            f" the end (phone_scroll with direction: {way} and until goes on)"
        )

    def _extent(self) -> str:
        """Return the amount of rows or pages seen."""
        items = self.view.items
        if self.view.unnumbered:
            return self._count_pages()
        rows = {row for row, _ in items}
        if len(rows) < len(items):
            return f"{len(items):,} items"
        between = max(rows) - min(rows) + 1
        if between > len(rows):
            return f"{len(rows):,} of {between:,} rows seen"
        return f"{between:,} row{'s' * (between != 1)}"

    def _count_pages(self) -> str:
        return f"{self.pages} page{'s' * (self.pages != 1)}"


def begin_search(
    phone: Phone, shown: ShownScreen, place: Place, shows: Shows, words: str, rest: Rest
) -> Search:
    view = ScrolledView(phone, rest, shown.snapshot, place)
    return Search(phone, view, list_name(shown, place), shows, words)


def say_missed(
    searched: Sequence[str], words: str, shown: ShownScreen, places: Container[Place]
) -> ElementNotFound:
    """`places` are the searched lists on the screen."""
    others = [list_name(shown, place) for place, _ in _all_lists(shown) if place not in places]
    left = f" Not searched: {', '.join(others[:MOST_LISTS])}; name it as within." if others else ""
    return ElementNotFound(f'{"; ".join(searched)}: no "{cut(clean(words), 60)}".{left}')


async def search_lists(
    phone: Phone, shown: ShownScreen, lists: Sequence[tuple[Place, str]], shows: Shows, words: str
) -> Search:
    """Search each of the lists in both directions; return the successful search, at the page that
    shows the target. Raises ElementNotFound."""
    watch = Watch(phone.clock, SEARCH_MS)
    searched: list[str] = []
    rest = Rest(*PAGE_REST)
    now = shown
    for place, way in lists:
        again = now.snapshot.again(shown.snapshot.node(place)) if searched else [place]
        if len(again) != 1:
            continue
        search = begin_search(phone, now, again[0], shows, words, rest)
        missed = await search.run((way, OTHER_WAY[way]), watch)
        if not missed:
            return search
        searched.append(missed)
        now = phone.screens.show(phone.elements, search.view.screen)
    raise say_missed(searched, words, shown, [place for place, _ in lists])
