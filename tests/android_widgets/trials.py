"""Trials: one widget, and what is done with it step by step.

Android's own widgets and those of the virtual phone are put to the same trials; what they answer
and what they are like afterwards is compared.
"""

from typing import Any

from hypothesis import strategies as st

Trial = dict[str, Any]
Seen = dict[str, Any]
"""What a widget is like after a step."""

COMPARED = (
    *("answer", "log", "other", "class", "text", "flags"),
    *("content", "selection", "value", "rows", "scroll", "focus", "events"),
)
"""Of what a widget is like; state descriptions are not compared."""

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

# DPAD_LEFT, DPAD_RIGHT and FORWARD_DEL ask native code for the next character, which is not there.
KEYS = {
    "MOVE_HOME": 122,
    "MOVE_END": 123,
    "DEL": 67,
    "ENTER": 66,
    "SPACE": 62,
    "TAB": 61,
    "A": 29,
    "5": 12,
}
PRESSED = ["ENTER", "SPACE", "TAB"]
WAYS = {"TAB": 61, "DPAD_UP": 19, "DPAD_DOWN": 20, "DPAD_LEFT": 21, "DPAD_RIGHT": 22}
"""Keys that move the focus from button to button."""
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


Words = dict[str, Any]


def _one_of(*values: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


_MOSTLY = _one_of(True, True, True, True, False)
"""True first: hypothesis shrinks towards it."""


@st.composite
def _fields(draw: st.DrawFn) -> Words:
    lines = draw(st.booleans())
    password = not lines and draw(st.booleans())
    text = draw(_one_of(*TEXTS))
    return {
        "lines": lines,
        "password": password,
        "text": text if lines else text.replace("\n", " "),
        "hint": draw(_one_of("", "hint")),
        "most": draw(_one_of(None, None, 5)),
        "digits": draw(_MOSTLY),
        "enabled": draw(_MOSTLY),
    }


@st.composite
def _bars(draw: st.DrawFn) -> Words:
    most = draw(_one_of(3, 10, 100))
    return {"most": most, "value": draw(st.integers(0, most)), "enabled": draw(_MOSTLY)}


_LABELLED: dict[str, st.SearchStrategy[Any]] = {"text": _one_of(*WORDS), "enabled": _MOSTLY}
_CHECKABLE = {**_LABELLED, "checked": st.booleans()}
_ROWS = st.fixed_dictionaries({"count": _one_of(3, 8, 9, 20, 100)})
_GRIDS = st.fixed_dictionaries(
    {"rows": st.integers(1, 3), "columns": st.integers(1, 3), "disabled": st.integers(-1, 8)}
)
_PRESSES = ("click", "long_click", "focus", "tap", "press", "key", "app")
_EDITS = ("set_text", "set_selection", "key", "click", "long_click", "focus", "tap", "press", "app")
_MOVES = ("scroll_forward", "scroll_backward", "focus", "click", "app")
WIDGETS: dict[str, tuple[st.SearchStrategy[Words], tuple[str, ...]]] = {
    "text": (st.fixed_dictionaries(_LABELLED), _PRESSES),
    "button": (st.fixed_dictionaries(_LABELLED), _PRESSES),
    "field": (_fields(), _EDITS),
    "check": (st.fixed_dictionaries(_CHECKABLE), _PRESSES),
    "switch": (st.fixed_dictionaries(_CHECKABLE), _PRESSES),
    "radio": (st.fixed_dictionaries(_CHECKABLE), _PRESSES),
    "seek": (_bars(), _MOVES),
    "list": (_ROWS, ("scroll_forward", "scroll_backward", "focus", "drag", "app")),
    "scroll": (_ROWS, (*_MOVES, "drag", "fling")),
    "grid": (_GRIDS, ("key",)),
}
APP_SETS = {
    "text": ("text", "button", "field", "check", "switch", "radio"),
    "enabled": ("text", "button", "field", "check", "switch", "radio", "seek"),
    "checked": ("check", "switch", "radio"),
    "value": ("seek",),
    "note": tuple(WIDGETS),
    "note_shown": tuple(WIDGETS),
    "note_description": tuple(WIDGETS),
}
"""What an app changes by itself, and of which widgets; the note is a text beside them."""


@st.composite
def trials(draw: st.DrawFn) -> Trial:
    """One widget, and one to five steps."""
    kind = draw(st.sampled_from(list(WIDGETS)))
    make, steps = WIDGETS[kind]
    widget = {"kind": kind, **draw(make)}
    if widget.get("lines"):  # native code says in which of them a finger is
        steps = tuple(step for step in steps if step not in ("tap", "press"))
    return {
        "widget": widget,
        "steps": draw(st.lists(_steps(widget, steps), min_size=1, max_size=5)),
    }


@st.composite
def _steps(draw: st.DrawFn, widget: Words, steps: tuple[str, ...]) -> Trial:
    what = draw(st.sampled_from(steps))
    if what == "key":
        keys = {"field": list(KEYS), "grid": list(WAYS)}.get(widget["kind"], PRESSED)
        return {"do": "key", "code": (KEYS | WAYS)[draw(st.sampled_from(keys))], "rest": REST_MS}
    # In a field behind the text: where its letters are decides native code, which is not there.
    at = [600, 20] if widget["kind"] == "field" else [20, 20]
    if what == "tap":
        return {"do": "tap", "at": at, "rest": REST_MS}
    if what == "press":
        return {"do": "press", "at": at, "ms": draw(_one_of(300, 600)), "rest": REST_MS}
    if what == "app":
        return draw(_app_steps(widget))
    if what == "drag":
        # So slow that it is no fling: how fast a finger is decides native code, which is not there.
        ways = (-60, 60, -400, 400, -800) + ((-20,) if widget["kind"] == "scroll" else ())
        by = draw(_one_of(*ways))
        start = 1000 if by < 0 else 100
        step = {"do": "drag", "at": [300, start], "by": [0, by], "ms": 100 * abs(by) // 10}
        return {**step, "rest": REST_MS}
    if what == "fling":
        speed = draw(_one_of(-1, 1)) * draw(_one_of(200, 1000, 2000, 5000, 12000, 24000))
        return {"do": "fling", "speed": speed, "rest": FLING_REST_MS}
    step: Trial = {"do": "perform", "action": ACTIONS[what]}
    if what == "set_text":
        step["text"] = draw(_one_of(*TEXTS))
    elif what == "set_selection":
        step["start"], step["end"] = draw(st.integers(0, 6)), draw(st.integers(0, 6))
    return {**step, "rest": REST_MS}


@st.composite
def _app_steps(draw: st.DrawFn, widget: Words) -> Trial:
    kind = widget["kind"]
    part = draw(st.sampled_from([part for part, kinds in APP_SETS.items() if kind in kinds]))
    step: Trial = {"do": "app", "set": part, "rest": REST_MS}
    if part == "note":
        # So often, so many milliseconds apart: events are held back for 100.
        return {**step, "times": draw(_one_of(1, 2, 5)), "every": draw(_one_of(20, 30, 150))}
    if part == "text":
        return {**step, "to": draw(_one_of(*(TEXTS if kind == "field" else WORDS)))}
    if part == "value":
        return {**step, "to": draw(st.integers(0, widget["most"]))}
    if part == "note_description":
        return {**step, "to": draw(_one_of("one", "two"))}
    return {**step, "to": draw(st.booleans())}
