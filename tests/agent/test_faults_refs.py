"""A ref means one element: what is tapped is what was shown, or nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handheld.virtual.views.layout import Column, Row, Scroll
from handheld.virtual.views.recycler import RecycledList
from handheld.virtual.views.view import MATCH, View
from handheld.virtual.views.widgets import Button, Text

from .conftest import AgentBench
from .pages import items, show

both = pytest.mark.parametrize(
    "agent_by",
    ["helper", pytest.param("shell", marks=[pytest.mark.matrix, pytest.mark.by_shell])],
    indirect=True,
)


@dataclass(eq=False)
class Person:
    name: str


@dataclass
class Board:
    """Rows of people, each with the same two buttons, in a layout of choice."""

    layout: str
    people: list[Person]
    deleted: list[Person] = field(default_factory=list[Person])

    def view(self) -> View:
        if self.layout == "list":
            self.list = RecycledList(
                count=len(self.people),
                row_height=64,
                make=self._row,
                bind=lambda row, at: self._fill(row, self.people[at]),
                width=MATCH,
                height=MATCH,
            )
            return self.list
        self.column = Column(*map(self._new, self.people), width=MATCH)
        return Scroll(self.column) if self.layout == "scroll" else self.column

    def _row(self) -> View:
        return Row(Text("", weight=1, width=0), Button("Edit"), Button("Delete"), width=MATCH)

    def _new(self, person: Person) -> View:
        row = self._row()
        self._fill(row, person)
        return row

    def _fill(self, row: View, person: Person) -> None:
        title, _, delete = row.children
        assert isinstance(title, Text)
        title.text = person.name
        delete.on_click = lambda: self.deleted.append(person)
        delete.clickable = True

    def _show(self, rows: Sequence[View]) -> None:
        if self.layout == "list":
            self.list.refresh(len(self.people))
        else:
            self.column.replace(*rows)

    @property
    def _rows(self) -> list[View]:
        return [] if self.layout == "list" else list(self.column.children)

    def move(self, at: int, to: int) -> None:
        """The row and its views go elsewhere."""
        rows = self._rows
        for each in (self.people, rows):
            if each:
                each.insert(to % len(each), each.pop(at % len(each)))
        self._show(rows)

    def rebind(self, at: int, to: int) -> None:
        """Two rows are swapped as lists do it: the views stay."""
        if not self.people:
            return
        at, to = at % len(self.people), to % len(self.people)
        self.people[at], self.people[to] = self.people[to], self.people[at]
        for row, person in zip(self._rows, self.people, strict=False):
            self._fill(row, person)
        if self.layout == "list":
            self.list.refresh(len(self.people))

    def recreate(self, at: int, to: int) -> None:
        """All views are new, as after a rotation."""
        self._show([self._new(person) for person in self.people])

    def remove(self, at: int, to: int) -> None:
        rows = self._rows
        for each in (self.people, rows):
            if each:
                each.pop(at % len(each))
        self._show(rows)

    def add(self, at: int, to: int) -> None:
        rows = self._rows
        person = Person(NAMES[to % len(NAMES)])
        rows.insert(at % (len(rows) + 1), self._new(person))
        self.people.insert(at % (len(self.people) + 1), person)
        self._show(rows)

    def replace(self, at: int, to: int) -> None:
        self.remove(at, to)
        self.add(at, to)

    def rename(self, at: int, to: int) -> None:
        if self.people:
            person = self.people[at % len(self.people)]
            person.name = NAMES[to % len(NAMES)]
            for row, each in zip(self._rows, self.people, strict=False):
                self._fill(row, each)
            if self.layout == "list":
                self.list.refresh(len(self.people))


NAMES = ["Ann", "Bob", "Cem", "Dai", "Eva"]
CHANGES: list[Callable[[Board, int, int], None]] = [
    Board.move,
    Board.rebind,
    Board.recreate,
    Board.remove,
    Board.add,
    Board.replace,
    Board.rename,
]
changes = st.lists(
    st.tuples(st.sampled_from(CHANGES), st.integers(0, 4), st.integers(0, 4)),
    min_size=1,
    max_size=4,
)


async def deletes(bench: AgentBench, board: Board) -> dict[str, tuple[Person, str]]:
    """Whose Delete button each ref names, and how that person is called."""
    found: dict[str, tuple[Person, str]] = {}
    rows = [items(row) for row in await bench.look() if '"Delete"' in row]
    assert len(rows) == len(board.people)
    for person, row in zip(board.people, rows, strict=True):
        assert row[0] == ("", person.name)
        found[row[2][0]] = person, person.name
    return found


async def tapping_never_reaches_another(
    bench: AgentBench,
    layout: str,
    names: list[str],
    changed: list[tuple[Callable[[Board, int, int], None], int, int]],
    chosen: int,
    looks_again: bool,
) -> None:
    board = Board(layout, [Person(name) for name in names])
    show(bench, board.view)
    before = await deletes(bench, board)
    for change, at, to in changed:
        change(board, at, to)

    def is_same(one: tuple[Person, str], other: Person) -> bool:
        # Persons of one name cannot be told apart by anybody who sees the screen.
        return one[0] is other or one[1] == other.name

    if looks_again:
        for ref, (person, _) in (await deletes(bench, board)).items():
            assert ref not in before or is_same(before[ref], person)
    ref = list(before)[chosen % len(before)]
    await bench._result("tap", {"at": ref})
    assert len(board.deleted) <= 1
    assert all(is_same(before[ref], person) for person in board.deleted)


@pytest.mark.parametrize("layout", ["page", "scroll", "list"])
@both
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    names=st.lists(st.sampled_from(NAMES[:3]), min_size=1, max_size=4),
    changed=changes,
    chosen=st.integers(0, 3),
    looks_again=st.booleans(),
)
async def test_a_ref_acts_on_the_element_it_named_or_on_nothing(
    bench: AgentBench,
    layout: str,
    names: list[str],
    changed: list[tuple[Callable[[Board, int, int], None], int, int]],
    chosen: int,
    looks_again: bool,
) -> None:
    """The app changes its views between two calls in every way that apps do."""
    await tapping_never_reaches_another(bench, layout, names, changed, chosen, looks_again)
