"""Trials: one widget, and what is done with it step by step.

Android's own widgets and those of the virtual phone are put to the same trials; what they answer
and what they are like afterwards is compared.
"""

import random
from typing import Any

Trial = dict[str, Any]
Seen = dict[str, Any]
"""What a widget is like after a step."""

COMPARED = (
    *("answer", "log", "other", "class", "text", "flags"),
    *("content", "selection", "value", "rows", "scroll"),
)
"""Of what a widget is like; events and state descriptions are not compared."""

ACTIONS = {
    "focus": 0x1,
    "click": 0x10,
    "long_click": 0x20,
    "scroll_forward": 0x1000,
    "scroll_backward": 0x2000,
    "set_selection": 0x20000,
    "set_text": 0x200000,
}
"""AccessibilityNodeInfo's numbers."""

# DPAD_RIGHT and FORWARD_DEL ask native code for the next character, which is not there.
KEYS = {
    "DPAD_LEFT": 21,
    "MOVE_HOME": 122,
    "MOVE_END": 123,
    "DEL": 67,
    "ENTER": 66,
    "SPACE": 62,
    "TAB": 61,
    "A": 29,
    "5": 12,
}
TEXTS = (
    "",
    "a",
    "hello",
    "two words",
    "a1b2",
    "one\ntwo",
    "äß",
    "日本",
    "👍🏽x",
    "👩‍🚀",
    "e\u0301z",
)
WORDS = ("hello", "one two", "日本", "x👍🏽y")
REST_MS = 400
"""After a step: longer than a double tap may take."""
FLING_REST_MS = 4000


def draw_trial(choices: random.Random) -> Trial:
    """A trial as the choices have it; the same choices make the same trial."""
    kind = choices.choice(list(_WIDGETS))
    make, steps = _WIDGETS[kind]
    widget = {"kind": kind, **make(choices)}
    return {
        "widget": widget,
        "steps": [_draw_step(choices, widget, steps) for _ in range(choices.randint(1, 5))],
    }


def _draw_field(choices: random.Random) -> dict[str, Any]:
    lines = choices.random() < 0.4
    password = not lines and choices.random() < 0.3
    text = choices.choice(TEXTS)
    return {
        "lines": lines,
        "password": password,
        "text": text if lines else text.replace("\n", " "),
        "hint": choices.choice(("", "hint")),
        "most": choices.choice((None, None, 5)),
        "digits": choices.random() < 0.8,
        "enabled": choices.random() < 0.9,
    }


def _draw_labelled(choices: random.Random) -> dict[str, Any]:
    return {"text": choices.choice(WORDS), "enabled": choices.random() < 0.8}


def _draw_checkable(choices: random.Random) -> dict[str, Any]:
    return {**_draw_labelled(choices), "checked": choices.random() < 0.5}


def _draw_bar(choices: random.Random) -> dict[str, Any]:
    most = choices.choice((3, 10, 100))
    return {"most": most, "value": choices.randint(0, most), "enabled": choices.random() < 0.8}


def _draw_rows(choices: random.Random) -> dict[str, Any]:
    return {"count": choices.choice((3, 8, 9, 20, 100))}


_PRESSES = ("click", "long_click", "focus", "tap", "press", "key")
_EDITS = ("set_text", "set_selection", "key", "key", "click", "focus")
_MOVES = ("scroll_forward", "scroll_backward", "focus", "click")
_WIDGETS = {
    "field": (_draw_field, _EDITS),
    "text": (_draw_labelled, _PRESSES),
    "button": (_draw_labelled, _PRESSES),
    "check": (_draw_checkable, _PRESSES),
    "switch": (_draw_checkable, _PRESSES),
    "radio": (_draw_checkable, _PRESSES),
    "seek": (_draw_bar, _MOVES),
    "list": (_draw_rows, ("scroll_forward", "scroll_backward", "focus", "drag")),
    "scroll": (_draw_rows, (*_MOVES, "drag", "fling")),
}


def _draw_step(choices: random.Random, widget: dict[str, Any], steps: tuple[str, ...]) -> Trial:
    what = choices.choice(steps)
    if what == "key":
        keys = list(KEYS) if widget["kind"] == "field" else ["ENTER", "SPACE", "TAB"]
        return {"do": "key", "code": KEYS[choices.choice(keys)], "rest": REST_MS}
    if what == "tap":
        return {"do": "tap", "at": [20, 20], "rest": REST_MS}
    if what == "press":
        ms = choices.choice((300, 600))
        return {"do": "press", "at": [20, 20], "ms": ms, "rest": REST_MS}
    if what == "drag":
        # So slow that it is no fling: how fast a finger is decides native code, which is not there.
        ways = (-800, -400, -60, 60, 400) + ((-20,) if widget["kind"] == "scroll" else ())
        by = choices.choice(ways)
        start = 1000 if by < 0 else 100
        step = {"do": "drag", "at": [300, start], "by": [0, by], "ms": 100 * abs(by) // 10}
        return {**step, "rest": REST_MS}
    if what == "fling":
        speed = choices.choice((-1, 1)) * choices.choice((200, 1000, 2000, 5000, 12000, 24000))
        return {"do": "fling", "speed": speed, "rest": FLING_REST_MS}
    step: Trial = {"do": "perform", "action": ACTIONS[what]}
    if what == "set_text":
        step["text"] = choices.choice(TEXTS)
    elif what == "set_selection":
        step["start"], step["end"] = choices.randint(0, 6), choices.randint(0, 6)
    return {**step, "rest": REST_MS}
