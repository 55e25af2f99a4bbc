"""The screens that agents were shown: their refs, and what changed since one of them."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from ..ui.model import Screen
from ..ui.rows.screen import Rows, rows_of
from ..ui.search import Place
from .elements import Elements
from .refs import Refs
from .snapshot import Snapshot

MOST_SCREENS = 64


@dataclass(slots=True)
class ShownScreen:
    """A screen whose elements have refs."""

    number: int
    rows: Rows
    snapshot: Snapshot
    told: bool = False
    """Whether an agent was told all of it: changes since then are what it does not know."""

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
    acted_at: float = -1e9
    """When an agent last did something, by the phone's clock."""

    @property
    def last(self) -> ShownScreen | None:
        return next(reversed(self.screens.values()), None)

    @property
    def last_told(self) -> ShownScreen | None:
        return next((each for each in reversed(self.screens.values()) if each.told), None)

    def show(self, elements: Elements, screen: Screen) -> ShownScreen:
        """Name everything on a screen and keep it. An unchanged screen keeps its id."""
        snapshot = elements.mark(screen)
        beside: dict[Place, Hashable] = {}

        def name(place: Place) -> str:
            ref = self.refs.assign(snapshot, place)
            beside[place] = ref.beside
            return ref.name

        rows = rows_of(screen, name)
        elements.remember(snapshot, beside, beside)
        for _, thing in rows.things:
            if thing.ref and (ref := self.refs.get(thing.ref)) is not None:
                ref.words = thing.name
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

    def forget(self) -> None:
        """The phone was rebooted."""
        self.refs.forget()
        self.screens.clear()
