"""The testbed: an app with screens for tests and benchmarks, which is not in the launcher."""

from handheld_virtual.packages.app import Activity, App
from handheld_virtual.views.drawing import theme
from handheld_virtual.views.layout import Column, Frame, Grid, Row, Scroll
from handheld_virtual.views.reading.events import Changed
from handheld_virtual.views.view import MATCH, Told, View
from handheld_virtual.views.widgets.basic import Button, CheckBox, Image, ProgressBar, Text
from handheld_virtual.views.widgets.field import Field
from handheld_virtual.views.widgets.live import Spinning
from handheld_virtual.views.widgets.recycler import RecycledList
from handheld_virtual.views.widgets.seek_bar import SeekBar
from testbed.awkward import SCENES

MOST_NODES = 20_000


class Nodes(Activity):
    """A window of `count` nodes, all on the screen: cells with a picture, a title, a summary and a
    button."""

    FIXED = 3
    """The nodes of the window's root, its content frame and the grid."""
    CELL = 6

    def content(self) -> View:
        count = int(self.extras.get("count", "500"))
        if not self.FIXED < count <= MOST_NODES:
            raise ValueError(f"a screen has {self.FIXED + 1} to {MOST_NODES} nodes, not {count}")
        cells, rest = divmod(count - self.FIXED, self.CELL)
        views: list[View] = [self._cell(number) for number in range(cells)]
        views += [Text(f"Rest {number}", size=8, id="rest") for number in range(rest)]
        return Grid(
            *views,
            columns=max(1, min(6, round((len(views) / 9) ** 0.5))),
            gap=2,
            padding=2,
            width=MATCH,
            height=MATCH,
            id="grid",
        )

    def _cell(self, number: int) -> View:
        return Row(
            Image(
                letter=chr(65 + number % 26),
                color=theme.WHITE,
                width=22,
                height=22,
                radius=11,
                background=theme.mix(theme.PRIMARY, theme.ERROR, number % 7 / 6),
                id="icon",
            ),
            Column(
                Text(f"Item {number}", size=10, face="Medium", id="title", most_lines=1),
                Text(
                    f"Summary of item {number}",
                    size=8,
                    id="summary",
                    most_lines=1,
                    color=theme.ON_SURFACE_DIM,
                ),
                weight=1,
                width=0,
            ),
            Button("Go", lambda: None, size=8, padding=(6, 3), id="go"),
            gap=4,
            padding=2,
            content_gravity="center left",
            id="row",
            description=f"Row {number}" if number % 5 == 0 else None,
            on_click=lambda: None,
        )


class EqualRows(Activity):
    """Rows that differ only in their names. Each has a Delete button, which shows the row's
    name."""

    def content(self) -> View:
        self.deleted: list[str] = []
        names = self.extras.get("names", "Ann,Bob,Cy,Bob").split(",")
        return Column(*(self._row(name) for name in names), width=MATCH, padding=8, gap=4)

    def _row(self, name: str) -> View:
        def delete() -> None:
            self.deleted.append(name)

        return Row(
            Text(name, id="name", weight=1, width=0),
            Button("Delete", delete, id="delete"),
            content_gravity="center left",
            width=MATCH,
            padding=8,
            id="row",
        )


class ChangingText(Activity):
    """A counter that increases with each tap, and every `every` ms if that is given."""

    def content(self) -> View:
        self.count = 0
        self.counter = Text("0", id="counter", size=48, width=MATCH, align="center")
        if "every" in self.extras:
            self._again()
        self.button = Button("More", self.more, id="more", width=MATCH)
        return Column(self.counter, self.button, padding=24, gap=24)

    def more(self) -> None:
        self.count += 1
        self.counter.text = str(self.count)

    def _again(self) -> None:
        def tick() -> None:
            # The counter stops when the user leaves the screen.
            if self.world.front is self:
                self.more()
                self._again()

        self.world.timers.after(max(1.0, float(self.extras["every"])), tick)


class LongList(Activity):
    """A recycled list of `count` rows, from `Row 0`, each with a button of the same name. With
    `jumps` "no" it does not offer ACTION_SCROLL_TO_POSITION; with `numbered` "no" its rows have no
    collection item info."""

    def content(self) -> View:
        self.clicked: list[int] = []
        return RecycledList(
            count=int(self.extras.get("count", "1000")),
            row_height=64,
            make=self._make,
            bind=self._bind,
            jumps=self.extras.get("jumps") != "no",
            numbered=self.extras.get("numbered") != "no",
            id="list",
            width=MATCH,
            height=MATCH,
        )

    def _make(self) -> View:
        return Row(
            Text(id="title", weight=1, width=0),
            Button("Open", id="open"),
            content_gravity="center left",
            padding=(16, 0),
        )

    def _bind(self, row: View, position: int) -> None:
        title, button = row.children
        assert isinstance(title, Text)
        title.text = f"Row {position}"
        button.on_click = lambda: self.clicked.append(position)


class Gestures(Activity):
    """Views that record the gestures they receive in `log`."""

    def content(self) -> View:
        self.log: list[tuple[object, ...]] = []

        def note(*what: object) -> None:
            self.log.append(what)

        return Column(
            Button(
                "Press",
                lambda: note("click"),
                id="press",
                on_long_click=lambda: note("long_click"),
                width=MATCH,
                height=96,
            ),
            Button(
                "Twice",
                lambda: note("tap"),
                id="twice",
                on_double_tap=lambda: note("double_tap"),
                width=MATCH,
                height=96,
            ),
            Button("Dead", lambda: note("dead"), id="dead", enabled=False, width=MATCH, height=96),
            Frame(
                id="pad",
                on_touch=note,
                width=MATCH,
                height=0,
                weight=1,
                background=theme.SURFACE_HIGH,
                description="Touch pad",
            ),
            padding=16,
            gap=16,
        )


HOSTILE = (
    "tab\tnew\nline\rreturn\x00null\x1b[31mred",
    "\u2028line\u2029paragraph separators",
    "lone \ud800 surrogate \udfff",
    "עברית العربية ฿ हिन्दी 漢字かな 한국어",
    "👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301\u0302\u0303 \u202eright to left\u202c",
    "node_1_w42\tButton\tOK",
    "x" * 50_000,
    "words " * 10_000,
    "",
    " ",
)


class Hostile(Activity):
    """Texts that break careless text handling."""

    def content(self) -> View:
        views: list[View] = []
        for number, text in enumerate(HOSTILE):
            views.append(Text(text, id=f"text_{number}", most_lines=2, description=text[:100]))
        return Scroll(Column(*views, gap=8, padding=16, width=MATCH))


class Mixed(Activity):
    """One of each widget."""

    def content(self) -> View:
        return Scroll(
            Column(
                Text("Title", size=24, id="title"),
                Field(hint="Hint", id="field", width=MATCH),
                CheckBox("Box", id="box"),
                Button("Button", lambda: None, id="button"),
                Button("Ask", self._ask, id="ask"),
                Text("Far below", id="far", margin=(0, 2000, 0, 0)),
                gap=16,
                padding=24,
                width=MATCH,
            ),
            id="scroll",
        )

    def _ask(self) -> None:
        self.ask("Really?", "This cannot be undone.", cancel=lambda: None, ok=self.finish)


class Described(Activity):
    """Views that give accessibility services more than their text; `pane` is the pane title."""

    def content(self) -> View:
        heading = Text("Account", size=18, id="heading")
        heading.told = Told(heading=True)
        label = Text("Email", id="label")
        self.email = Field(hint="name@example.com", id="email", width=MATCH)
        self.email.told = Told(error="Not an address", labeled_by=label)
        self.tile = Button("Ringer", self._ring, id="tile")
        self.tile.told = Told(state="Vibrate")
        self.level = SeekBar(40, 100, lambda _: None, id="level", width=MATCH, description="Level")
        self.done = ProgressBar(0.25, id="done", width=MATCH)
        self.more = Button("More", self._unfold, id="more")
        self.more.expanded = False
        self.all = CheckBox("All files", id="all")
        self.all.partly_checked = True
        self.page = Column(
            *(heading, label, self.email, self.tile, self.level, self.done, self.more, self.all),
            *(Spinning(id="waiting"),) if "waiting" in self.extras else (),
            gap=8,
            padding=16,
            width=MATCH,
        )
        self.page.told = Told(pane=self.extras.get("pane", "Profile"))
        return self.page

    def _ring(self) -> None:
        """Change the pane's title, in the same window with the same looks."""
        self.page.told = Told(pane="Security")
        self.page.changed(Changed.UNDEFINED)

    def _unfold(self) -> None:
        self.more.expanded = not self.more.expanded
        self.more.changed(Changed.UNDEFINED)


class Testbed(App):
    package, label = "dev.handheld.testbed", "Testbed"
    main = None
    screens = (
        Nodes,
        EqualRows,
        ChangingText,
        LongList,
        Gestures,
        Hostile,
        Mixed,
        Described,
        *SCENES,
    )
