"""The screens that agents were shown: their refs, and what changed since one of them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from ..ui.model import Screen
from ..ui.rows.everything import all_rows
from ..ui.rows.screen import Rows, rows_of
from ..ui.search import Place
from .elements import Elements
from .pictures import PictureLog
from .refs import Refs
from .snapshot import Snapshot

MOST_SCREENS = 64


@dataclass(slots=True)
class ShownScreen:
    """A screen as it was shown to an agent."""

    number: int
    rows: Rows
    snapshot: Snapshot

    @property
    def id(self) -> str:
        return f"s{self.number}"


@dataclass(slots=True)
class ScreenLog:
    """What was shown of one phone, to all agents. It outlives a connection to the phone."""

    refs: Refs = field(default_factory=Refs)
    count: int = 0
    screens: dict[str, ShownScreen] = field(default_factory=dict[str, ShownScreen])
    """By id, oldest first."""
    pictures: PictureLog = field(default_factory=PictureLog)
    acted_at: float = -1e9
    """When an agent last did something, by the phone's clock."""

    @property
    def last(self) -> ShownScreen | None:
        return next(reversed(self.screens.values()), None)

    def show(self, elements: Elements, screen: Screen) -> ShownScreen:
        """Name everything on a screen and keep it. An unchanged screen keeps its id."""
        snapshot = elements.mark(screen)
        rows = self._named(elements, snapshot, lambda name: rows_of(screen, name))
        last = self.last
        if last is not None and last.rows.text == rows.text and last.rows.front_id == rows.front_id:
            last.rows, last.snapshot = rows, snapshot
            return last
        self.count += 1
        shown = ShownScreen(self.count, rows, snapshot)
        self.screens[shown.id] = shown
        if len(self.screens) > MOST_SCREENS:
            del self.screens[next(iter(self.screens))]
        return shown

    def show_all(self, elements: Elements, shown: ShownScreen) -> Rows:
        """Return the rows of a screen with all details, and name what is off screen."""
        screen, rows = shown.snapshot.screen, shown.rows
        return self._named(elements, shown.snapshot, lambda name: all_rows(screen, rows, name))

    def _named(
        self,
        elements: Elements,
        snapshot: Snapshot,
        print_rows: Callable[[Callable[[Place], str]], Rows],
    ) -> Rows:
        used: list[Place] = []

        def name(place: Place) -> str:
            used.append(place)
            return self.refs.assign(snapshot, place).name

        rows = print_rows(name)
        elements.remember(snapshot, used)
        for _, thing in rows.things:
            if thing.ref and (ref := self.refs.get(thing.ref)) is not None:
                ref.words = thing.name
        return rows

    def forget(self) -> None:
        """The phone was rebooted."""
        self.refs.forget()
        self.screens.clear()
        self.pictures.forget()
