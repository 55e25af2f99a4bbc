"""Screens on which one thing changed in place, and what an agent is told of it."""

from collections.abc import Iterator
from copy import deepcopy

from handheld.driver import Rested
from handheld.phone.screen.screen_log import PastScreen, ShownScreen
from handheld.phone.screen.snapshot import Snapshot
from handheld.screen.ids import assign
from handheld.screen.model import Flag, Node, Screen
from handheld.screen.rows.screen import Rows, Thing
from handheld.tools.agent.elements.acting import describe

from .captures import Capture

_BARS = "com.android.systemui"
_TYPED = "Milk and bread"


def replies(capture: Capture) -> Iterator[str]:
    """Yield the reply for each kind of change that the screen allows: a switch that was tapped, a
    field that was typed into, and a text that is another one now."""
    before = capture.print().rows
    things = [thing for _, thing in before.things]
    targets = [thing for thing in things if thing.ref]
    fields = [thing for thing in targets if thing.item.kind == "field"]
    checks = [thing for thing in targets if "on" in thing.item.states or "off" in thing.item.states]
    texts = [
        thing
        for thing in things
        if not thing.ref
        and thing.item.pieces
        and capture.screen.windows[thing.place[0]].package != _BARS
    ]
    if checks:
        switch = checks[len(checks) // 2]
        yield _reply(capture, before, f"Tapped {_label(switch)}.", _toggled(capture, switch))
    if fields:
        field = fields[0]
        yield _reply(capture, before, f"Typed into {_label(field)}.", _typed(capture, field))
    if texts and targets:
        text = texts[len(texts) // 2]
        done = f"Tapped {_label(targets[len(targets) // 2])}."
        yield _reply(capture, before, done, _reworded(capture, text))


def _label(thing: Thing) -> str:
    return f"{thing.ref} {thing.words}"


def _reply(capture: Capture, before: Rows, done: str, changed: Screen) -> str:
    after = capture.print(changed).rows
    shown = ShownScreen(42, after, Snapshot(changed, assign(changed), []))
    return describe(done, PastScreen(41, before), shown, Rested(True, True, changed), lambda: "")


def _changed(capture: Capture, thing: Thing) -> tuple[Screen, Node]:
    screen = deepcopy(capture.screen)
    window, number = thing.place
    return screen, screen.windows[window].nodes[number]


def _toggled(capture: Capture, thing: Thing) -> Screen:
    screen, _ = _changed(capture, thing)
    nodes = screen.windows[thing.place[0]].nodes
    at = thing.place[1]
    while not nodes[at].flags & Flag.CHECKABLE:
        at += 1  # the row's state is that of a checkable inside it
    nodes[at].flags ^= Flag.CHECKED.value
    return screen


def _typed(capture: Capture, thing: Thing) -> Screen:
    screen, node = _changed(capture, thing)
    node.text = _TYPED
    node.flags &= ~Flag.SHOWING_HINT.value
    return screen


def _reworded(capture: Capture, thing: Thing) -> Screen:
    screen, node = _changed(capture, thing)
    if node.text:
        node.text = f"{node.text} 2"
    else:
        node.description = f"{node.description} 2"
    return screen
