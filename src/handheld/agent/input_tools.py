"""Touching, typing and pressing keys."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..driver import NotActionable
from ..driver.aim import Covered, Undecided, find_point
from ..driver.text import NoField, Typing
from ..errors import ElementNotFound, InvalidParams
from ..phone import Phone
from ..phone.typing import edit
from ..phone.waiting import Watch
from ..toolkit.recording import Secret
from ..toolkit.tool import Action, Listing, Toolset
from ..ui.model import Bounds, Flag
from ..ui.rows.covers import Covers
from ..ui.rows.tree import tree_of
from ..ui.rows.words import clean, cut
from .acting import OPEN_MS, act, current, whole
from .apps import find_app
from .params import (
    DragHold,
    Hold,
    Into,
    Key,
    KeyTimes,
    Milliseconds,
    Mode,
    Opened,
    Submit,
    SwipeEnd,
    SwipeStart,
    Times,
    TypedText,
    Where,
    Within,
    Zoom,
)
from .targets import POINT, At, NotVisible, find_target, is_named

input_tools = Toolset("touch")
app_opening = Toolset("apps")
key_tools = Toolset("system")
typing_tools = Toolset("text")
gesture_tools = Toolset("gesture")

HOLD_MS = 800
DOUBLE_TAP_GAP_MS = 100
SWIPE_MS = 300
RECENT_SECONDS = 5.0
"""How long after an action its target is waited for."""
PATIENCE_MS = 3_000


def _tap_actions(listing: Listing) -> Action:
    def choose(arguments: Mapping[str, Any]) -> str:
        if str(arguments.get("hold")).lower() == "true":
            return "hold"
        at = arguments.get("at", "")
        is_point = "x" in arguments or isinstance(at, list) or POINT.fullmatch(str(at).strip())
        return "point" if is_point else "element"

    return Action(
        {
            "element": replace(listing, stands_for=("click_element", "tap", "double_tap")),
            "point": replace(listing, stands_for=("tap", "double_tap")),
            "hold": replace(listing, stands_for=("long_press", "long_click_element")),
        },
        choose,
    )


@input_tools.tool(name="phone_tap", title="Tap", secret_reply=Secret.NO, actions=_tap_actions)
async def tap(
    phone: Phone, at: Where, within: Within = None, hold: Hold = None, times: Times = None
) -> str:
    """Tap. Answers with what changed."""
    target = await resolve(phone, at, within)
    count = times or 1
    verb = "Held" if hold else "Tapped" if count == 1 else f"Tapped {count} times"
    return await act(
        phone,
        f"{verb} {target.label}.",
        lambda resting: _tap(resting, target, bool(hold), count),
        target=target,
        why=lambda: _why_nothing(target),
    )


def _why_nothing(target: At) -> str:
    states = target.thing.item.states if target.thing else []
    if "disabled" in states:
        return " It is disabled: something on this screen may be missing."
    if "covered" in states:
        return " It is covered by something else."
    return ""


async def resolve(phone: Phone, at: str, within: str | None) -> At:
    """Return what is meant on the screen as it is now. Raises ElementNotFound with the screen."""
    before = phone.screens.last
    if before is not None and is_named(phone.screens, at):
        return replace(find_target(phone.screens, before, at, within), stale=True)
    recent = phone.clock.now() - phone.screens.acted_at < RECENT_SECONDS
    watch = Watch(phone.clock, PATIENCE_MS if recent else 0)
    while True:
        shown = await current(phone)
        try:
            return find_target(phone.screens, shown, at, within)
        except ElementNotFound as failure:
            # After an action, what it brings up may still be on its way.
            if isinstance(failure, NotVisible) and watch.left >= 1:
                await phone.driver.changed(shown.snapshot.screen.seq, round(watch.left))
                continue
            # A screen that was shown already is not repeated.
            details = () if shown.told else (whole(shown),)
            raise type(failure)(failure.message, *details) from None


async def _tap(phone: Phone, target: At, hold: bool, times: int) -> None:
    action, flag = ("long_click", Flag.LONG_CLICKABLE) if hold else ("click", Flag.CLICKABLE)
    ref = phone.screens.refs.get(target.ref)
    if ref is not None and times == 1 and (target.flags is None or target.flags & flag):
        try:
            await phone.elements.act(ref.id, action)
        except NotActionable:
            pass  # not any more: it is touched
        else:
            return
    x, y = await _point(phone, target)
    if hold:
        await phone.driver.touch([[(x, y, 0), (x, y, HOLD_MS)]])
    else:
        await phone.driver.touch([[(x, y, count * DOUBLE_TAP_GAP_MS)] for count in range(times)])


async def _point(phone: Phone, target: At) -> tuple[float, float]:
    """Return where a finger reaches the target. Raises ElementNotFound."""
    if target.point is not None:
        return target.point
    if target.thing is not None and not target.stale and phone.screens.last is not None:
        snapshot, place = phone.screens.last.snapshot, target.thing.place
    else:
        ref = phone.screens.refs.get(target.ref)
        if ref is None:
            raise ElementNotFound(f"{target.label} is gone.")
        snapshot, place = await phone.elements.resolve(ref.id)
    screen, node = snapshot.screen, snapshot.node(place)
    boxes = [window.nodes[0].bounds if window.nodes else None for window in screen.windows]
    try:
        return find_point(screen, boxes, node)
    except Undecided:
        # Android draws what comes later in the tree over what comes before, if nothing else is
        # known.
        area = Bounds(0, 0, screen.width, screen.height)
        tree = tree_of(snapshot.window(place), area)
        if point := Covers(tree, area).free_point(place[1]):
            return point
    except Covered:
        pass
    raise ElementNotFound(f"{target.label} is covered by something else: nothing was done.")


@typing_tools.tool(
    name="phone_type",
    title="Type",
    open_world=True,
    secret_reply=Secret.TYPED,
    stands_for=("type_append_text", "type_clear_text", "type_insert_text", "press_key"),
)
async def type_text(
    phone: Phone,
    text: TypedText,
    into: Into = None,
    mode: Mode = None,
    submit: Submit = None,
) -> str:
    """Type text into a field, any language."""
    target = await _field(phone, into)
    ref = phone.screens.refs.get(target.ref)
    if ref is None:
        raise ElementNotFound(f"{target.label} is not a field.")
    typing = Typing(text, "all" if mode in (None, "replace") else "end", 0, 0)

    async def operation(resting: Phone) -> None:
        await edit(phone if submit else resting, ref.id, typing)
        if submit:
            await resting.driver.key("enter")

    return await act(phone, f"Typed into {target.label}.", operation, target=target)


def _labelled(phone: Phone, target: At) -> At:
    """Return the field that a text labels: the next one in its row or in the row below it."""
    shown = phone.screens.last
    if shown is None or target.thing is None or target.thing.item.kind == "field":
        return target
    rows = shown.rows.rows
    for number, row in enumerate(rows):
        if not any(thing is target.thing for thing in row.things):
            continue
        for other in rows[number : number + 2]:
            fields = [thing for thing in other.things if thing.item.kind == "field"]
            if len(fields) == 1:
                label = f"{fields[0].ref} {fields[0].words}"
                return At(label, ref=fields[0].ref, thing=fields[0])
    return target


async def _field(phone: Phone, into: str | None) -> At:
    if into:
        target = await resolve(phone, into, None)
        return target if target.thing is None else _labelled(phone, target)
    shown = await current(phone)
    fields = [thing for _, thing in shown.rows.things if thing.item.kind == "field"]
    focused = [thing for thing in fields if "focused" in thing.item.states]
    if len(focused) == 1:
        thing = focused[0]
        return At(f"{thing.ref} {thing.words}", ref=thing.ref, thing=thing)
    names = ", ".join(f"{thing.ref} {thing.words}" for thing in fields[:8])
    hint = f" Say into: {names}." if names else " There is none on this screen."
    details = () if shown.told else (whole(shown),)
    raise ElementNotFound(f"No field has the focus.{hint}", *details)


_BUTTONS = {
    "back": "press_back",
    "home": "press_home",
    "recents": "press_recents",
    "notifications": "open_notifications",
    "quick_settings": "open_quick_settings",
}
"""The phone's own buttons, and the main tools that press them."""
_IN_FIELD = {"enter": "enter", "delete": "del", "del": "del", "tab": "tab", "space": "space"}
"""Keys that are typed into the focused field."""
_SHORT = {"select_all": "ctrl+a", "undo": "ctrl+z", "hide_keyboard": "back"}
"""What models call keys, and the keys that do it."""


def _press_actions(listing: Listing) -> Action:
    def choose(arguments: Mapping[str, Any]) -> str:
        name = _key_name(str(arguments.get("key", "")))
        return name if name in _BUTTONS else "key"

    return Action(
        {
            **{
                name: replace(listing, stands_for=(tool, "press_key"))
                for name, tool in _BUTTONS.items()
            },
            "key": replace(listing, stands_for=("press_key",)),
        },
        choose,
    )


def _key_name(key: str) -> str:
    return key.strip().lower().replace(" ", "_")


@key_tools.tool(name="phone_press", title="Press", secret_reply=Secret.NO, actions=_press_actions)
async def press(phone: Phone, key: Key, times: KeyTimes = None) -> str:
    """Press a key: back, home, recents, enter, delete, tab, escape, search, copy, cut, paste,
    select_all, up, down, left, right, volume_up, volume_down, power, notifications,
    quick_settings."""
    name = _key_name(key)

    async def operation(resting: Phone) -> None:
        for left in reversed(range(times or 1)):
            pressed = phone if left else resting
            if name in _IN_FIELD:
                await _press_in_field(pressed, name)
            else:
                await pressed.driver.press(_SHORT.get(name, name))

    return await act(phone, f"Pressed {cut(clean(name), 40)}.", operation)


async def _press_in_field(phone: Phone, name: str) -> None:
    try:
        await phone.driver.key(_IN_FIELD[name])
    except NoField:
        await phone.driver.press(_IN_FIELD[name])


@gesture_tools.tool(
    name="phone_swipe",
    title="Swipe",
    secret_reply=Secret.NO,
    stands_for=("swipe", "pinch", "custom_gesture"),
)
async def swipe(
    phone: Phone,
    at: SwipeStart,
    to: SwipeEnd = None,
    hold: DragHold = None,
    ms: Milliseconds = None,
    zoom: Zoom = None,
) -> str:
    """Drag from one place to another, or pinch."""
    start = await resolve(phone, at, None)
    x, y = await _point(phone, start)
    if zoom is not None:
        return await act(
            phone,
            f"Pinched at {start.label}.",
            lambda resting: resting.driver.pinch(x, y, zoom, ms or SWIPE_MS),
        )
    if to is None:
        raise InvalidParams("phone_swipe needs to, or zoom. It takes at, to, hold, ms, zoom.")
    end = await resolve(phone, to, None)
    end_x, end_y = await _point(phone, end)
    pause = HOLD_MS if hold else 0
    stroke = [(x, y, 0), *([(x, y, pause)] if hold else []), (end_x, end_y, pause + (ms or 300))]
    return await act(
        phone,
        f"Dragged {start.label} to {end.label}.",
        lambda resting: resting.driver.touch([stroke]),
    )


@app_opening.tool(
    name="phone_open",
    title="Open",
    open_world=True,
    secret_reply=Secret.NO,
    stands_for=("open_app",),
)
async def open_app(phone: Phone, what: Opened) -> str:
    """Open an app."""
    package, name = await find_app(phone, what)
    return await act(
        phone, f"Opened {name}.", lambda resting: resting.driver.launch(package), most_ms=OPEN_MS
    )
