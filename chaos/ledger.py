"""An app for the virtual phone on which every action has a name: rows that are replaced while
clients look at them, and a field. It notes what was done to it."""

import random
import re
from collections import Counter
from collections.abc import Callable

from handheld_virtual.toolkit import (
    MATCH,
    Activity,
    App,
    Button,
    Column,
    Field,
    RecycledList,
    Row,
    Text,
    View,
)

PACKAGE = "dev.handheld.ledger"
PAD_DP = 150
ROWS = 6
_WORD = re.compile(r"w\d+;")

Note = Callable[[str, str], None]
"""Takes what was done (`row`, `button`, `typed`) and to what."""


def find_words(content: str) -> Counter[str]:
    """The complete words of a field; before one may stand the begin of another, whose typing was
    interrupted."""
    return Counter(_WORD.findall(content))


class Page(Activity):
    def content(self) -> View:
        ledger = self.app
        assert isinstance(ledger, Ledger)
        self.ledger = ledger
        self._counted: Counter[str] = Counter()
        self.list = RecycledList(
            count=ROWS,
            row_height=44,
            make=self._make,
            bind=self._bind,
            id="list",
            width=MATCH,
            height=0,
            weight=1,
        )
        ledger.shown = self.list
        return Column(
            # Fingers are put down here, at points that nothing else is touched at.
            Text("Pad", id="pad", width=MATCH, height=PAD_DP),
            Field(hint="Words", id="field", width=MATCH, on_type=self._type),
            self.list,
        )

    def _make(self) -> View:
        return Row(
            Text(id="title", weight=1, width=0),
            Button("Open", id="open", padding=(8, 2)),
            content_gravity="center left",
            padding=(16, 0),
            clickable=True,
            id="row",
        )

    def _bind(self, row: View, position: int) -> None:
        name = self.ledger.rows[position]
        title, button = row.children
        assert isinstance(title, Text)
        title.text = name
        row.on_click = lambda: self.ledger.click("row", name)
        button.on_click = lambda: self.ledger.click("button", name)

    def _type(self, content: str) -> None:
        """Note the words that have become complete, each as often as it came."""
        counted = find_words(content)
        for word, count in (counted - self._counted).items():
            for _ in range(count):
                self.ledger.note("typed", word)
        self._counted = counted


class Ledger(App):
    package, label = PACKAGE, "Ledger"
    screens = (Page,)
    note: Note
    shown: RecycledList | None = None
    rows: list[str]

    def begin(self, note: Note, seed: int, change_ms: float) -> None:
        """`change_ms`: how often rows are replaced by themselves."""
        self.note, self._chance, self._change_ms = note, random.Random(seed), change_ms
        self._names = 0
        self.rows = [self._name() for _ in range(ROWS)]
        self.world.timers.after(change_ms, self._tick)

    def _name(self) -> str:
        self._names += 1
        return f"Order {self._names:06}"

    def click(self, part: str, name: str) -> None:
        self.note(part, name)
        if self._chance.random() < 0.5:
            self._change()

    def _tick(self) -> None:
        self._change()
        self.world.timers.after(self._change_ms, self._tick)

    def _change(self) -> None:
        """Another row takes the place, and the view, of an old one; or all change places."""
        if self._chance.random() < 0.3:
            self._chance.shuffle(self.rows)
        else:
            self.rows.pop(self._chance.randrange(ROWS))
            self.rows.insert(self._chance.randrange(ROWS), self._name())
        if self.shown is not None:
            self.shown.refresh()
