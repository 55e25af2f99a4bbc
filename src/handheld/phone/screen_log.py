"""The screens that agents were shown: their refs, and what changed since one of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..ui.model import Notice, Screen
from ..ui.rows.screen import Rows, rows_of
from ..ui.search import Place
from .elements import Elements
from .refs import Refs
from .snapshot import Snapshot

MOST_SCREENS = 64
MOST_NOTICES = 8


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
    acted_at: float = -1e9
    """When an agent last did something, by the phone's clock."""
    untold: list[Notice] = field(default_factory=list[Notice])
    """The toasts and notifications since the last reply that told them."""
    _heard_at: int | None = None
    """The time of the last one; None before the first screen, which does not tell old ones."""

    @property
    def last(self) -> ShownScreen | None:
        return next(reversed(self.screens.values()), None)

    def take_notices(self) -> list[Notice]:
        """Return those that no reply has told yet."""
        taken, self.untold = self.untold, []
        return taken

    def show(self, elements: Elements, screen: Screen) -> ShownScreen:
        """Name everything on a screen and keep it. An unchanged screen keeps its id."""
        self._hear(screen.notices)
        snapshot = elements.mark(screen)
        used: list[Place] = []

        def name(place: Place) -> str:
            used.append(place)
            return self.refs.assign(snapshot, place).name

        rows = rows_of(screen, name)
        elements.remember(snapshot, used)
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

    def _hear(self, notices: Sequence[Notice]) -> None:
        heard_at = self._heard_at
        if heard_at is not None:
            new = [notice for notice in notices if notice.at > heard_at]
            self.untold = [*self.untold, *new][-MOST_NOTICES:]
        first = -1 if heard_at is None else heard_at
        self._heard_at = max([first, *(notice.at for notice in notices)])

    def forget(self) -> None:
        """The phone was rebooted."""
        self.untold, self._heard_at = [], None
        self.refs.forget()
        self.screens.clear()
