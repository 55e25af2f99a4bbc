"""Touching, typing and pressing keys."""

from collections.abc import Mapping
from typing import Any, Literal

from ...driver import NotActionable, OutOfReach
from ...driver.by_shell.hit_test import Covered, Undecided, find_area, find_point
from ...driver.text import NoField, Typing
from ...errors import ActionFailed, ElementNotFound, InvalidParams
from ...phone.input.keyboard import dismiss
from ...phone.input.touch_kind import STILL_ZOOM, kind_of, pinched
from ...phone.input.typing import edit
from ...phone.phone import Phone
from ...phone.screen.screen_log import ShownScreen
from ...screen.model import Bounds, Flag, Screen
from ...screen.rows.covers import Covers
from ...screen.rows.tree import tree_of
from ...screen.rows.words import clean, cut
from ..recording import Secret
from ..tool import Paths, Toolset
from .elements.acting import act, current, whole
from .elements.actions import press_actions, swipe_actions, tap_actions, type_actions
from .elements.resolving import (
    SCROLL_HINT,
    find_known,
    find_on,
    hint_at_scroll,
    resolve,
    scroll_to_target,
)
from .elements.targets import At, find_in_picture, is_in_picture
from .keys import HIDE_KEYBOARD, IN_FIELD, clicks, key_name, pressed_key
from .params import (
    DragHold,
    Hold,
    Into,
    Key,
    KeyTimes,
    Milliseconds,
    Mode,
    ScrollTo,
    Submit,
    SwipeEnd,
    SwipeStart,
    Times,
    TypedText,
    Where,
    Within,
    Zoom,
)
from .saved_targets import is_already, note_targets
from .screen.hindrances import check_window, is_hindered, name_cover, name_rival, why_nothing
from .screen.wording import describe_altered

input_tools = Toolset("touch")
key_tools = Toolset("system")
typing_tools = Toolset("text")
gesture_tools = Toolset("gesture")

HOLD_MS = 800
DOUBLE_TAP_GAP_MS = 100
SWIPE_MS = 300


@input_tools.tool(name="phone_tap", title="Tap", secret_reply=Secret.NO, actions=tap_actions)
async def tap(
    phone: Phone,
    at: Where,
    within: Within = None,
    hold: Hold = None,
    times: Times = None,
    scroll: ScrollTo = None,
) -> str:
    """Tap. Answers with what changed."""
    count = times or 1
    verb = "Held" if hold else "Tapped" if count == 1 else f"Tapped {count} times"

    async def tap_at(target: At, scrolled: str = "", *, tries: bool = False) -> str:
        note_targets(phone, at=target)
        over = name_cover(phone.screens.last, target)
        under = f", which lies under {over}" if over else ""

        async def operation(resting: Phone) -> None:
            nonlocal under
            rival = await _tap(resting, target, bool(hold), count)
            if rival:
                under = f", which may lie under {rival}"

        return await act(
            phone,
            lambda: f"{scrolled}{verb} {target.label}{under}.",
            operation,
            target=target,
            why=lambda: why_nothing(phone.screens.last, target),
            tries=tries,
        )

    if scroll:
        return await tap_at(*await scroll_to_target(phone, at, within))
    known = find_known(phone, at, within) if count == 1 and not hold else None
    if known is not None:
        try:
            return await tap_at(known, tries=True)
        except ElementNotFound:
            pass  # nothing was done: the current screen is searched for the words
    target = await resolve(phone, at, within, hint=SCROLL_HINT)
    if is_already(target):
        return f"{target.label} is selected already: nothing was tapped."
    if (shown := phone.screens.last) is not None and is_hindered(shown, target):
        check_window(await current(phone), target)
    try:
        return await tap_at(target)
    except ElementNotFound as failure:
        raise hint_at_scroll(phone, target, failure) from failure


async def _tap(phone: Phone, target: At, hold: bool, times: int) -> str:
    """Return the element that may have been touched instead, if the stacking order is unknown."""
    action, flag = ("long_click", Flag.LONG_CLICKABLE) if hold else ("click", Flag.CLICKABLE)
    ref = phone.screens.refs.get(target.ref)
    if ref is not None and times == 1 and (target.flags is None or target.flags & flag):
        try:
            await phone.elements.act(ref.id, action)
        except (NotActionable, OutOfReach):
            pass  # gone, or not certain: it is touched
        else:
            return ""
    (x, y), certain = await _point(phone, target)
    rival = "" if certain else name_rival(phone.screens.last, target, (x, y))
    if hold:
        await phone.driver.touch([[(x, y, 0), (x, y, HOLD_MS)]])
    else:
        await phone.driver.touch([[(x, y, count * DOUBLE_TAP_GAP_MS)] for count in range(times)])
    return rival


async def _point(phone: Phone, target: At) -> tuple[tuple[float, float], bool]:
    """Return a point where a finger reaches the target, and whether nothing is known to be above it
    there. Raises ElementNotFound."""
    if target.point is not None:
        return target.point, True
    if target.thing is not None and not target.stale and phone.screens.last is not None:
        snapshot, place = phone.screens.last.snapshot, target.place or target.thing.place
    else:
        ref = phone.screens.refs.get(target.ref)
        if ref is None:
            raise ElementNotFound(f"{target.label} is gone. Call phone_look.")
        snapshot, place = await phone.elements.resolve(ref.id)
    screen, node = snapshot.screen, snapshot.node(place)
    area = Bounds(0, 0, screen.width, screen.height)
    tree = tree_of(snapshot.window(place), area)
    if tree.shown[place[1]] is None:
        raise ElementNotFound(f"{target.label} is off screen: scroll to it first.")
    boxes = [window.nodes[0].bounds if window.nodes else None for window in screen.windows]
    try:
        return find_point(screen, boxes, node), True
    except Undecided:
        certain = False
    except Covered:
        certain = True  # the element over it was named already
    try:
        left, top, right, bottom = find_area(screen, boxes, node)
    except Covered:
        message = f"{target.label} is covered by another window: nothing was done."
        raise ElementNotFound(message) from None
    # Another element in its own window may lie over it and take the touch.
    above = tuple(box for box in boxes[: place[0]] if box is not None)
    middle = (left + right) // 2, (top + bottom) // 2
    return Covers(tree, area, above).free_point(place[1]) or middle, certain


_PLACES: Mapping[str, Literal["all", "end", "cursor"]] = {
    "replace": "all",
    "append": "end",
    "insert": "cursor",
}


@typing_tools.tool(
    name="phone_type",
    title="Type",
    open_world=True,
    secret_reply=Secret.TYPED,
    actions=type_actions,
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
    note_targets(phone, into=target)
    ref = phone.screens.refs.get(target.ref)
    if ref is None:
        raise ElementNotFound(f"{target.label} is not a field.")
    typing = Typing(text, _PLACES[mode or "replace"], 0, 0)

    async def operation(resting: Phone) -> None:
        field = phone if submit else resting
        await edit(field, ref.id, typing, lambda typed: describe_altered(text, typed))
        if submit:
            try:
                await resting.driver.key("enter")
            except NoField:
                raise ActionFailed(
                    f"It was typed into {target.label}, but enter was not pressed: no field has the"
                    " focus now."
                ) from None

    return await act(phone, f"Typed into {target.label}.", operation, target=target)


def labelled_field(phone: Phone, target: At) -> At:
    """Return the field that a text labels: the next field in its row or in the row below."""
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
        return target if target.thing is None else labelled_field(phone, target)
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


def _clicked(phone: Phone, screen: Screen, given: Mapping[str, Any]) -> Paths:
    """Return a touch of the focused element, if the key clicks it."""
    boxes = [
        node.bounds
        for window in screen.windows
        for node in window.nodes
        if node.flags & Flag.FOCUSED and not node.flags & Flag.EDITABLE
    ]
    if not clicks(str(given["key"])):
        return []
    return [[((box.left + box.right) / 2, (box.top + box.bottom) / 2, 0)] for box in boxes]


@key_tools.tool(
    name="phone_press",
    title="Press",
    secret_reply=Secret.NO,
    actions=press_actions,
    touches=_clicked,
)
async def press(phone: Phone, key: Key, times: KeyTimes = None) -> str:
    """Press a key: back, home, recents, enter, delete, tab, escape, search, copy, cut, paste,
    select_all, up, down, left, right, volume_up, volume_down, power, notifications,
    quick_settings."""
    name = key_name(key)
    pressed_as = pressed_key(name)
    if name == HIDE_KEYBOARD:
        return await _hide_keyboard(phone)

    async def operation(resting: Phone) -> None:
        for left in reversed(range(times or 1)):
            pressed = phone if left else resting
            if name in IN_FIELD:
                await _press_in_field(pressed, name)
            else:
                await pressed.driver.press(pressed_as)

    return await act(phone, f"Pressed {cut(clean(name), 40)}.", operation, leaves=True)


async def _hide_keyboard(phone: Phone) -> str:
    hidden = False

    async def operation(resting: Phone) -> None:
        nonlocal hidden
        hidden = await dismiss(phone)

    def done() -> str:
        return "Hid the keyboard." if hidden else "No keyboard was open."

    return await act(phone, done, operation)


async def _press_in_field(phone: Phone, name: str) -> None:
    try:
        await phone.driver.key(IN_FIELD[name])
    except NoField:
        await phone.driver.press(IN_FIELD[name])


def _swiped(phone: Phone, screen: Screen, given: Mapping[str, Any]) -> Paths:
    """Raises ToolError."""
    shown = phone.screens.show(phone.elements, screen)
    places = [_place(phone, shown, str(given[name])) for name in ("at", "to") if given.get(name)]
    ms = float(given.get("ms") or SWIPE_MS)
    if given.get("zoom") is not None:
        return pinched(screen, places[0][1], ms)
    x, y = places[0]
    return [[(x, y, 0), (*places[-1], ms + HOLD_MS * bool(given.get("hold")))]]


def _place(phone: Phone, shown: ShownScreen, at: str) -> tuple[float, float]:
    """Raises ElementNotFound, InvalidParams."""
    if is_in_picture(at):
        target = find_in_picture(phone.screens, shown.snapshot.screen, at)
    else:
        target = find_on(phone, shown, at, None)
    if target.point is not None:
        return target.point
    if target.thing is None:
        raise ElementNotFound(f"{target.label} is not visible.")
    box = shown.snapshot.node(target.place or target.thing.place).bounds
    return (box.left + box.right) / 2, (box.top + box.bottom) / 2


@gesture_tools.tool(
    name="phone_swipe",
    title="Swipe",
    secret_reply=Secret.NO,
    actions=swipe_actions,
    touches=_swiped,
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
    note_targets(phone, at=start)
    (x, y), _ = await _point(phone, start)
    if zoom is not None:
        if abs(zoom - 1) < STILL_ZOOM:
            raise InvalidParams(
                "A zoom of about 1 is not a pinch: 2 zooms in, 0.5 out. Nothing was done."
            )
        return await act(
            phone,
            f"Pinched at {start.label}.",
            lambda resting: resting.driver.pinch(x, y, zoom, ms or SWIPE_MS),
        )
    if to is None:
        raise InvalidParams("phone_swipe needs to, or zoom. It takes at, to, hold, ms, zoom.")
    end = await resolve(phone, to, None)
    note_targets(phone, to=end)
    (end_x, end_y), _ = await _point(phone, end)
    pause = HOLD_MS if hold else 0
    stroke = [
        (x, y, 0),
        *([(x, y, pause)] if hold else []),
        (end_x, end_y, pause + (ms or SWIPE_MS)),
    ]
    kind = kind_of(stroke)
    if kind == "tap":
        raise InvalidParams(
            f"{start.label} and {end.label} are one place: phone_tap taps there. Nothing was done."
        )
    if kind == "long_press" and not hold:
        raise InvalidParams("So slow a swipe is a long press first: add hold, or fewer ms.")
    return await act(
        phone,
        f"Dragged {start.label} to {end.label}.",
        lambda resting: resting.driver.touch([stroke]),
    )
