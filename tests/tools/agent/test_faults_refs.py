"""A ref means one element: what is tapped is what was shown, or nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handheld_virtual.views.layout import Column, Row, Scroll
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.basic import Button, Text
from handheld_virtual.views.widgets.recycler import RecycledList
from handheld_virtual.views.widgets.seek_bar import SeekBar

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
        if self.people:
            at, to = at % len(self.people), to % len(self.people)
            self.people.insert(to, self.people.pop(at))
        if rows:
            rows.insert(to, rows.pop(at))
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


@pytest.mark.parametrize(
    "layout",
    [pytest.param("page", marks=pytest.mark.matrix), "scroll", "list"],
)
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


@both
async def test_a_row_that_comes_in_above_does_not_take_the_ref(bench: AgentBench) -> None:
    board = Board("page", [Person("Bob")])
    show(bench, board.view)
    [ref] = await deletes(bench, board)
    board.add(0, 0)
    after = await deletes(bench, board)
    assert [person.name for person, _ in after.values()] == ["Ann", "Bob"]
    if bench.by == "helper":
        assert list(after)[1] == ref
    await bench._result("tap", {"at": ref})
    assert [person.name for person in board.deleted] in ([], ["Bob"])


@both
async def test_a_ref_of_a_dialog_does_not_answer_the_next_dialog(bench: AgentBench) -> None:
    pressed: list[str] = []
    page = show(bench, lambda: Column(Text("Notes")))
    page.ask("Save?", "To this phone.", ok=lambda: pressed.append("save"))
    ref = await bench.ref("OK")
    page.close_dialog()
    page.ask("Delete all?", "This cannot be undone.", ok=lambda: pressed.append("delete"))
    failed = await bench.failure("tap", at=ref)
    assert failed.message.startswith(f'{ref} "OK" ')
    assert pressed == []
    assert await bench.ref("OK") != ref


async def test_a_ref_of_a_dialog_that_is_shown_again_answers_it(bench: AgentBench) -> None:
    """As after a rotation: the same question in another window."""
    pressed: list[str] = []
    page = show(bench, lambda: Column(Text("Notes")))
    page.ask("Save?", "To this phone.", ok=lambda: pressed.append("save"))
    ref = await bench.ref("OK")
    page.close_dialog()
    page.ask("Save?", "To this phone.", ok=lambda: pressed.append("save"))
    await bench.call("tap", at=ref)
    assert pressed == ["save"]


async def test_a_slider_that_describes_itself_with_its_value_keeps_its_ref(
    bench: AgentBench,
) -> None:
    slider = SeekBar(10, 100, lambda _: None, description="Channel 2", width=MATCH)
    show(bench, lambda: Column(Text("Sound"), slider, width=MATCH))
    ref = await bench.ref("Channel 2")
    slider.value = 20
    assert await bench.ref("Channel 2") == ref
    slider.description = "Channel 3"
    assert await bench.ref("Channel 3") != ref


@both
async def test_refs_stay_over_a_rotation(bench: AgentBench) -> None:
    board = Board("page", [Person("Ann"), Person("Bob")])
    show(bench, board.view)
    before = await deletes(bench, board)
    bench.world.rotate(1)
    for ref, (person, _) in before.items():
        await bench.call("tap", at=ref)
        assert board.deleted.pop() is person
    if bench.by == "helper":
        assert list(await deletes(bench, board)) == list(before)


async def test_a_ref_of_an_app_that_was_started_again_is_followed_or_refused(
    bench: AgentBench,
) -> None:
    board = Board("page", [Person("Ann"), Person("Bob")])
    show(bench, board.view)
    before = await deletes(bench, board)
    bench.world.stop("dev.handheld.testbed")
    board.people.reverse()
    show(bench, board.view)
    for ref, (person, _) in before.items():
        await bench._result("tap", {"at": ref})
        assert [each for each in board.deleted if each is not person] == []
        board.deleted.clear()


async def test_refs_work_on_when_the_helper_was_killed(bench: AgentBench) -> None:
    board = Board("page", [Person("Ann"), Person("Bob")])
    show(bench, board.view)
    before = await deletes(bench, board)
    assert bench.device.faults.kill_helper()
    ref, (person, _) = list(before.items())[1]
    await bench._result("tap", {"at": ref})
    assert [each for each in board.deleted if each is not person] == []
    assert len(board.deleted) <= 1
    board.deleted.clear()
    await bench.call("tap", at=ref)
    assert board.deleted == [person]


async def test_no_ref_survives_a_reboot(bench: AgentBench) -> None:
    board = Board("page", [Person("Ann")])
    show(bench, board.view)
    [ref] = await deletes(bench, board)
    bench.phone.restarted()  # as the connection reports it
    board.deleted.clear()
    failed = await bench.failure("tap", at=ref)
    assert (
        failed.message
        == f"{ref} was shown too long ago, or before the phone was restarted: call phone_look."
    )
    assert board.deleted == []
    assert ref not in await deletes(bench, board)


@pytest.mark.matrix
async def test_a_ref_shows_another_letter_or_number_for_each_of_many_elements(
    bench: AgentBench,
) -> None:
    seen: dict[str, str] = {}
    for start in range(0, 1200, 30):
        texts = [f"Button {number}" for number in range(start, start + 30)]
        show(bench, lambda: Column(*(Button(text, height=20) for text in texts)))  # noqa: B023
        for row in (await bench.look())[1:]:
            for ref, words in items(row):
                assert seen.setdefault(ref, words) == words
    assert len(seen) > 999
