"""The screens shown to agents: their refs, and the changes since one of them."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ...screen.model import Notice, Screen
from ...screen.rows.everything import all_rows
from ...screen.rows.screen import Rows, rows_of
from ...screen.search import Place
from .elements import Elements
from .refs import Refs
from .snapshot import Snapshot

MOST_PICTURES = 32
MOST_SCREENS = 64
MOST_BYTES = 2_000_000
"""The approximate size of all stored screens; older ones are dropped."""
THING_BYTES = 350
"""The approximate size of a thing in a row, in addition to its words, which are stored twice."""
MOST_NOTICES = 8
MOST_LISTED = 2_000
"""The maximum of list rows whose words are remembered for returning to them."""
MOST_WORDS = 200
"""The maximum length of such a row's words."""


class ShownPicture(NamedTuple):
    """The dimensions of a picture. The picture itself is not stored."""

    id: str
    width: int
    height: int
    screen: tuple[int, int, int]
    """Width, height and rotation of the screen."""

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return the screen's point for the middle of a pixel of the picture."""
        width, height, _ = self.screen
        return (
            min(width - 1, (x + 0.5) * width / self.width),
            min(height - 1, (y + 0.5) * height / self.height),
        )

    def shows(self, screen: Screen) -> bool:
        """Whether the screen still has the size and the rotation of the picture."""
        return self.screen == _measures(screen)


@dataclass(slots=True)
class PictureLog:
    """The pictures shown to agents, and the mapping of their points to the screen."""

    count: int = 0
    _pictures: dict[str, ShownPicture] = field(default_factory=dict[str, ShownPicture])
    """By id, oldest first."""

    def add(self, width: int, height: int, screen: Screen) -> ShownPicture:
        self.count += 1
        shown = ShownPicture(f"p{self.count}", width, height, _measures(screen))
        self._pictures[shown.id] = shown
        if len(self._pictures) > MOST_PICTURES:
            del self._pictures[next(iter(self._pictures))]
        return shown

    def get(self, id: str) -> ShownPicture | None:
        return self._pictures.get(id)

    def forget(self) -> None:
        self._pictures.clear()


def _measures(screen: Screen) -> tuple[int, int, int]:
    return screen.width, screen.height, screen.rotation


@dataclass(slots=True)
class PastScreen:
    """A screen that was shown to an agent: its rows, without nodes once a newer screen exists."""

    number: int
    """The number in order of reading, which also counts screens shown to nobody."""
    rows: Rows
    told: bool = field(default=False, kw_only=True)
    """Whether an agent was shown all of it: then it lacks only the changes since."""
    id: str = field(default="", kw_only=True)
    """Its id in replies; "" if no reply has used one."""

    @property
    def size(self) -> int:
        """Its approximate size in bytes."""
        things = sum(1 + len(row.things) for row in self.rows.rows)
        width = max(map(_width, (row.text for row in self.rows.rows)), default=1)
        return THING_BYTES * things + 2 * width * len(self.rows.text)


@dataclass(slots=True)
class ShownScreen(PastScreen):
    """The screen that was shown last."""

    snapshot: Snapshot
    used: dict[Place, Hashable] = field(default_factory=dict[Place, Hashable])
    """The elements with refs, and the words beside them."""
    take_id: "Callable[[ShownScreen], str]" = lambda shown: f"s{shown.number}"

    def name(self) -> str:
        """Return its id, which is assigned when a reply first needs it: a wait reads screens that
        are shown to nobody."""
        if not self.id:
            self.id = self.take_id(self)
        return self.id


@dataclass(slots=True)
class ScreenLog:
    """The screens of one phone shown to all agents. It outlives a connection to the phone."""

    refs: Refs = field(default_factory=Refs)
    count: int = 0
    """Of ids."""
    screens: dict[str, PastScreen] = field(default_factory=dict[str, PastScreen])
    """By id, oldest first."""
    last: ShownScreen | None = None
    reads: int = 0
    """The number of different screens that were read."""
    pictures: PictureLog = field(default_factory=PictureLog)
    acted_at: float = -1e9
    """The time of the last action by an agent, by the phone's clock."""
    shown_at: float = -1e9
    """The time when the last screen was last known to be current."""
    _size: int = 0
    """The size of all screens but the last."""
    _listed: dict[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])
    """The words of list rows, by the key of the list and the number of the row."""
    untold: list[Notice] = field(default_factory=list[Notice])
    """The toasts and notifications that no reply has reported yet."""
    _way: str = ""
    """The last reported note on how screens are read."""
    _heard_at: int | None = None
    """The time of the last notice; None before the first screen, which does not report old
    notices."""

    def find_row(self, list_key: str, fits: Callable[[str], bool]) -> int | None:
        """Return the list row that last showed matching words."""
        for (key, row), words in reversed(self._listed.items()):
            if key == list_key and fits(words):
                return row
        return None

    def _note_rows(self, shown: ShownScreen) -> None:
        found: dict[tuple[str, int], str] = {}
        for _, thing in shown.rows.things:
            item = shown.snapshot.item(thing.place)
            container = None if item is None else shown.snapshot.container(thing.place)
            if item is not None and container is not None:
                row = (shown.snapshot.node(container).key, item[0])
                found[row] = f"{found.get(row, '')} {thing.name}"[:MOST_WORDS]
        for row, words in found.items():
            self._listed.pop(row, None)
            self._listed[row] = words
        while len(self._listed) > MOST_LISTED:
            del self._listed[next(iter(self._listed))]

    def take_notices(self) -> list[Notice]:
        """Return the notices that no reply has reported yet, and mark them as reported."""
        taken, self.untold = self.untold, []
        return taken

    def take_way(self, screen: Screen) -> list[str]:
        """Return the note on how screens are read, if it has changed since the last report."""
        before, self._way = self._way, screen.way
        return [screen.way] if screen.way not in ("", before) else []

    @property
    def last_told(self) -> PastScreen | None:
        return next((each for each in reversed(self.screens.values()) if each.told), None)

    def show(self, elements: Elements, screen: Screen) -> ShownScreen:
        """Assign refs to everything on a screen and store it. An unchanged screen keeps its id."""
        self._hear(screen.notices)
        snapshot = elements.mark(screen)
        last = self.last
        if last is not None and _is_same(last.snapshot, snapshot):
            # The rows and refs would be the same.
            elements.remember_screen(snapshot, last.used)
            last.snapshot = snapshot
            return last
        rows, used = self._named(elements, snapshot, lambda name: rows_of(screen, name))
        if last is not None and last.rows.text == rows.text and last.rows.front_id == rows.front_id:
            last.rows, last.snapshot, last.used = rows, snapshot, used
            return last
        self.reads += 1
        if last is not None and last.id:
            self._keep(last)
        self.last = shown = ShownScreen(self.reads, rows, snapshot, used, self._take_id)
        self._note_rows(shown)
        return shown

    def _hear(self, notices: Sequence[Notice]) -> None:
        heard_at = self._heard_at
        if heard_at is not None:
            new = [notice for notice in notices if notice.at > heard_at]
            self.untold = [*self.untold, *new][-MOST_NOTICES:]
        first = -1 if heard_at is None else heard_at
        self._heard_at = max([first, *(notice.at for notice in notices)])

    def show_all(self, elements: Elements, shown: ShownScreen) -> Rows:
        """Return the rows of a screen with all details, and assign refs to offscreen elements."""
        screen, rows = shown.snapshot.screen, shown.rows
        named, _ = self._named(elements, shown.snapshot, lambda name: all_rows(screen, rows, name))
        return named

    def _named(
        self,
        elements: Elements,
        snapshot: Snapshot,
        print_rows: Callable[[Callable[[Place], str]], Rows],
    ) -> tuple[Rows, dict[Place, Hashable]]:
        used: dict[Place, Hashable] = {}

        def name(place: Place) -> str:
            ref = self.refs.assign(snapshot, place)
            used[place] = ref.beside
            return ref.name

        rows = print_rows(name)
        elements.remember_screen(snapshot, used)
        for _, thing in rows.things:
            if thing.ref and (ref := self.refs.get(thing.ref)) is not None:
                ref.words = thing.name
        return rows, used

    def forget(self) -> None:
        """Forget all screens: the phone was rebooted, or another client has it."""
        self.untold, self._heard_at = [], None
        self._way = ""
        self.refs.forget()
        self._listed.clear()
        self.screens.clear()
        self.pictures.forget()
        self.last, self._size = None, 0

    def _take_id(self, shown: ShownScreen) -> str:
        self.count += 1
        shown.id = f"s{self.count}"
        if shown is self.last:
            self.screens[shown.id] = shown
        else:
            # Another call has read the screen in the meantime.
            self._keep(shown)
        return shown.id

    def _keep(self, shown: ShownScreen) -> None:
        rows = shown.rows.without_nodes()
        past = PastScreen(shown.number, rows, told=shown.told, id=shown.id)
        self.screens[past.id] = past
        self._size += past.size
        while len(self.screens) >= MOST_SCREENS or self._size > MOST_BYTES:
            self._size -= self.screens.pop(next(iter(self.screens))).size


def _is_same(one: Snapshot, other: Snapshot) -> bool:
    """Whether two reads found the same screen, and gave its nodes the same ids."""
    return one.ids == other.ids and replace(one.screen, seq=other.screen.seq) == other.screen


def _width(text: str) -> int:
    """Return how many bytes a character takes in Python."""
    return 1 if text.isascii() else 4 if max(text) > "\uffff" else 2
