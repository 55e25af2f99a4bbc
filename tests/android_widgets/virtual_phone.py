"""The trials on the virtual phone's widgets."""

from typing import Any

from handheld.screen.model import Flag
from handheld_virtual.packages.app import Activity, App
from handheld_virtual.views.layout import Column, Row, Scroll
from handheld_virtual.views.reading import accessibility
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.basic import Button, CheckBox, RadioButton, Switch, Text
from handheld_virtual.views.widgets.field import Field
from handheld_virtual.views.widgets.recycler import RecycledList
from handheld_virtual.views.widgets.seek_bar import SeekBar
from handheld_virtual.world import World

from .events import compared_events
from .trials import ACTIONS, Seen, Trial

MOVE_MS = 10
DP = 3
ROW_DP, VIEWPORT_DP = 50, 400
FLAGS = {
    "checkable": Flag.CHECKABLE,
    "checked": Flag.CHECKED,
    "clickable": Flag.CLICKABLE,
    "collection": Flag.COLLECTION,
    "editable": Flag.EDITABLE,
    "enabled": Flag.ENABLED,
    "focusable": Flag.FOCUSABLE,
    "focused": Flag.FOCUSED,
    "long_clickable": Flag.LONG_CLICKABLE,
    "password": Flag.PASSWORD,
    "scrollable": Flag.SCROLLABLE,
    "selected": Flag.SELECTED,
    "showing_hint": Flag.SHOWING_HINT,
}
_NAMES = {number: name for name, number in ACTIONS.items()}


class _Time:
    """Stands still until the trial lets it pass."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        return self.at

    async def sleep(self, ms: float) -> None:
        raise AssertionError("a trial does not wait")


class VirtualTrial:
    """One trial on a new phone."""

    def __init__(self, api: int, widget: dict[str, Any]) -> None:
        self._clock = _Time()
        self._world = World(clock=self._clock, api=api, width=1080, height=2400, density=480)
        self._log: list[str] = []
        self._words = widget
        self._names: dict[int, str] = {}
        self._widget = self._make(widget)
        self._widget.enabled = widget.get("enabled", True)
        self._note = Text("note", id="note")
        other = Field(id="other", width=MATCH)
        page = Column(self._widget, other, self._note, width=MATCH)
        self._names |= {id(self._widget): "widget", id(other): "other", id(self._note): "note"}

        class Page(Activity):
            def content(self) -> View:
                return page

        class TrialApp(App):
            package, label = "org.example.trial", "Trial"
            screens = (Page,)

        self._world.install(TrialApp)
        self._world.bring("org.example.trial")
        self._elapse(1000)
        self._world.screen.changes.sent.clear()

    def run(self, steps: list[Trial]) -> list[Seen]:
        seen = [self._observe(None, self._clock.at)]
        for step in steps:
            answer = self._take(step)
            ended = self._clock.at
            self._elapse(step["rest"])
            seen.append(self._observe(answer, ended))
        return compared_events({"widget": self._words, "steps": steps}, seen)

    def _make(self, words: dict[str, Any]) -> View:
        text = words.get("text") or ""
        if words["kind"] == "grid":
            return self._make_grid(words["rows"], words["columns"], words["disabled"])
        match words["kind"]:
            case "field":
                return Field(
                    text,
                    hint=words["hint"],
                    password=words["password"],
                    single_line=not words["lines"],
                    most=words["most"],
                    accept=None if words["digits"] else lambda sign: not sign.isdigit(),
                    width=MATCH,
                    height=100,
                )
            case "text":
                return Text(text)
            case "button":
                return Button(text, lambda: self._log.append("click"), width=MATCH)
            case "check" | "switch" | "radio" as kind:
                box = {"check": CheckBox, "switch": Switch, "radio": RadioButton}[kind]
                return box(text, checked=words["checked"], on_change=self._changed, width=MATCH)
            case "seek":
                return SeekBar(words["value"], words["most"], lambda _: None, width=MATCH)
            case "list":
                return RecycledList(
                    count=words["count"],
                    row_height=ROW_DP,
                    make=Text,
                    bind=_bind_row,
                    width=MATCH,
                    height=VIEWPORT_DP,
                )
            case _:
                rows = (Text(f"Row {row}", height=ROW_DP) for row in range(words["count"]))
                return Scroll(Column(*rows, width=MATCH), width=MATCH, height=VIEWPORT_DP)

    def _make_grid(self, rows: int, columns: int, disabled: int) -> View:
        buttons = [
            Button("", width=ROW_DP * 2, height=ROW_DP, enabled=place != disabled)
            for place in range(rows * columns)
        ]
        self._names |= {id(button): f"button {place}" for place, button in enumerate(buttons)}
        lines = (buttons[row * columns : (row + 1) * columns] for row in range(rows))
        return Column(*(Row(*line) for line in lines))

    def _changed(self, checked: bool) -> None:
        self._log.append(f"checked {str(checked).lower()}")

    def _elapse(self, ms: float) -> None:
        end = self._clock.at + ms
        while self._clock.at < end:
            self._clock.at = min(end, self._clock.at + MOVE_MS)
            self._world.settle()

    def _take(self, step: Trial) -> bool | None:
        match step["do"]:
            case "perform":
                return self._perform(step)
            case "key":
                self._world.key(step["code"])
            case "tap":
                self._touch("down", *step["at"])
                self._elapse(MOVE_MS)
                self._touch("up", *step["at"])
            case "press":
                self._touch("down", *step["at"])
                self._elapse(step["ms"])
                self._touch("up", *step["at"])
            case "fling":
                self._widget.drag_end(-step["speed"], DP)
            case "app":
                self._change(step)
            case _:
                self._drag(step)
        return None

    def _change(self, step: Trial) -> None:
        """What the app does by itself."""
        widget: Any = self._widget
        value: Any = step.get("to")
        match step["set"]:
            case "note":
                for time in range(step["times"]):
                    self._elapse(step["every"] if time else 0)
                    self._note.text = f"note {time + 1}"
            case "note_shown":
                self._note.shown = value
            case "note_description":
                self._note.description = value
            case name:
                setattr(widget, name, value)

    def _perform(self, step: Trial) -> bool:
        automation, key = self._world.automation, self._node().key
        match _NAMES[step["action"]]:
            case "set_text":
                return automation.set_text(key, step["text"])
            case "set_selection":
                return automation.set_selection(key, step["start"], step["end"])
            case action:
                return automation.perform(key, action)

    def _drag(self, step: Trial) -> None:
        (x, y), (across, down) = step["at"], step["by"]
        moves = step["ms"] // MOVE_MS
        self._touch("down", x, y)
        for move in range(1, moves + 1):
            self._elapse(MOVE_MS)
            self._touch("move", x + int(across * move / moves), y + int(down * move / moves))
        self._touch("up", x + across, y + down)

    def _touch(self, action: str, x: float, y: float) -> None:
        left, top, _, _ = self._widget.place
        self._world.touch(action, 0, left + x, top + y)

    def _window(self) -> Any:
        return next(w for w in self._world.windows() if w.holds(self._widget))

    def _node(self) -> Any:
        window = self._window()
        nodes = accessibility.read(window)
        return next(node for node in nodes if node.key == window.key_of(self._widget))

    def _observe(self, answer: bool | None, ended: float) -> Seen:
        node, view = self._node(), self._widget
        focus = self._window().focus
        seen: Seen = {
            "answer": answer,
            "log": self._log,
            "other": focus is not None and focus.id == "other",
            "class": node.class_name,
            "text": node.text,
            "flags": [name for name, flag in FLAGS.items() if node.flags & flag],
        }
        self._log = []
        self._names.setdefault(id(self._window().root), "DecorView")
        seen["events"] = [
            {
                "type": event.kind,
                "source": self._names.get(id(event.source), type(event.source).__name__),
                "changes": int(event.changes),
                "after": max(0.0, event.at - ended),
                **event.details,
            }
            for event in self._world.screen.changes.sent
            if event.kind != "WINDOWS_CHANGED"
        ]
        self._world.screen.changes.sent.clear()
        if self._words["kind"] == "grid":
            seen["focus"] = None if focus is None else self._names[id(focus)]
        if isinstance(view, Field):
            seen["content"] = view.content
            seen["selection"] = list(self._world.automation.selection(node.key) or ())
        elif isinstance(view, SeekBar):
            seen["value"] = view.value
        elif isinstance(view, RecycledList):
            rows = view.children
            top = rows[0].place[1] - view.place[1] if rows else 0
            seen["rows"] = {"first": view.first, "count": len(rows), "top": top}
        elif isinstance(view, Scroll):
            seen["scroll"] = [0, view.offset]
        return seen


def _bind_row(row: View, position: int) -> None:
    assert isinstance(row, Text)
    row.text = f"Row {position}"
