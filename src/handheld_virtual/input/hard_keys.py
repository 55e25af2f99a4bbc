"""Keys that do not type: they move the focus, click, select, copy and delete text, or change the
volume or brightness."""

from typing import TYPE_CHECKING

from ..system.clipboard import Refused
from ..system.display import BRIGHTEST
from ..views.text.editing import Editing
from ..views.widgets.field import Field
from .focus_search import search
from .key_codes import CODES
from .keys import character
from .touch_mode import focusable_views, shown_views

if TYPE_CHECKING:
    from ..world import World

SHIFT, ALT, CTRL, META = 1, 2, 0x1000, 0x10000
"""Android's bits of the modifier keys."""
MODIFIERS = {
    CODES[f"{name}_{side}"]: bit
    for name, bit in {"SHIFT": SHIFT, "ALT": ALT, "CTRL": CTRL, "META": META}.items()
    for side in ("LEFT", "RIGHT")
}
BRIGHTNESS_STEP = BRIGHTEST // 10
VOLUME, VOLUME_AT_FIRST, LOUDEST = "volume_music_speaker", 5, 15
"""Android's setting of the media volume."""
SETTINGS = "com.android.settings"

_SHIFTED = dict(zip("`1234567890-=[]\\;',./", '~!@#$%^&*()_+{}|:"<>?', strict=True))
_NUMPAD = dict(zip((*range(144, 160), 161, 162, 163), "0123456789/*-+.,=()", strict=True))
_ARROWS = {19: (0, -1), 20: (0, 1), 21: (-1, 0), 22: (1, 0)}
_CLICKS = {CODES[name] for name in ("DPAD_CENTER", "ENTER", "NUMPAD_ENTER", "SPACE", "BUTTON_A")}
_TAB, _FORWARD_DEL = CODES["TAB"], CODES["FORWARD_DEL"]
_APPS = {CODES["CALCULATOR"]: "calculator", CODES["CONTACTS"]: "contacts", CODES["MUSIC"]: "music"}
_VOLUME = {CODES["VOLUME_UP"]: 1, CODES["VOLUME_DOWN"]: -1, CODES["VOLUME_MUTE"]: 0}
"""The volume steps of each key; 0 mutes."""
_EDITS = {
    CODES["CUT"]: "x",
    CODES["COPY"]: "c",
    CODES["PASTE"]: "v",
}


def press(world: "World", code: int, meta: int = 0, long: bool = False) -> bool:
    """Handle a key; return False if it has no function here and types instead."""
    if code in MODIFIERS:
        return True
    if code == CODES["ESCAPE"]:
        world.press("back")
    elif code in (CODES["BRIGHTNESS_UP"], CODES["BRIGHTNESS_DOWN"]):
        step = BRIGHTNESS_STEP if code == CODES["BRIGHTNESS_UP"] else -BRIGHTNESS_STEP
        world.display.brightness = max(1, min(world.display.brightness + step, BRIGHTEST))
    elif code in _VOLUME:
        level = world.preferences.number("system", VOLUME, VOLUME_AT_FIRST)
        level = 0 if _VOLUME[code] == 0 else max(0, min(level + _VOLUME[code], LOUDEST))
        world.preferences.put("system", VOLUME, str(level))
    elif code == CODES["SETTINGS"] or (meta & META and character(code) == "i"):
        _launch(world, SETTINGS)
    elif code == _TAB and meta & ALT:
        world.press("recents")
    elif code in _APPS:
        # Android starts the app of a category; here the app's package is fixed.
        name = _APPS[code]
        found = (package for package in world.apps if name in package.rpartition(".")[2])
        _launch(world, next(found, ""))
    elif code in (CODES["PAGE_UP"], CODES["PAGE_DOWN"]):
        _turn_page(world, code == CODES["PAGE_DOWN"])
    elif (field := world.input_method.field) is not None:
        return _edit(world, field, code, meta)
    elif code == _TAB or code in _ARROWS:
        _move_focus(world, code, meta)
    elif code in _CLICKS:
        focused = world.focused_window.focus if world.focused_window is not None else None
        if focused is not None:
            _ = focused.long_click() if long else focused.click()
    else:
        return False
    return True


def _launch(world: "World", package: str) -> None:
    app = world.apps.get(package)
    if app is not None and app.main is not None:
        world.bring(package)


def _turn_page(world: "World", forward: bool) -> None:
    window = world.focused_window
    if window is None:
        return
    window.layout()
    for view in shown_views(window.root):
        if view.can_scroll(forward) and view.scroll_page(forward):
            return


# Keys in a field


def _edit(world: "World", field: Field, code: int, meta: int) -> bool:
    editing, typing = field.editing, world.input_method
    letter = _EDITS.get(code) or (character(code) if meta & CTRL else None)
    if letter in ("a", "c", "x", "v"):
        clip(world, field, letter)
    elif meta & CTRL and code in (122, 123):
        place = 0 if code == 122 else len(editing.text)
        field.edit(lambda: editing.select(place, place))
    elif meta & (CTRL | ALT | META):
        pass  # an unassigned shortcut
    elif code == _TAB:
        _move_focus(world, code, meta)
    elif code in (19, 20):
        place = _place_in_next_line(field, code == 20)
        if field.single_line and (place, place) == (editing.start, editing.end):
            _move_focus(world, code, meta)
        field.edit(lambda: editing.select(place, place))
    elif code in (21, 22, 122, 123) and meta & SHIFT:
        return False  # selecting by keys is not supported: the cursor moves
    elif code == _FORWARD_DEL:
        field.edit(lambda: _delete_after(editing))
    elif code in _NUMPAD:
        typing.press(_NUMPAD[code])
    elif meta & SHIFT and (typed := character(code)) is not None and typed.isprintable():
        typing.press(_SHIFTED.get(typed, typed.upper()))
    else:
        return False
    return True


def clip(world: "World", field: Field, letter: str) -> None:
    """Perform the shortcut of Ctrl with A, C, X or V."""
    editing = field.editing
    if letter == "a":
        field.edit(lambda: editing.select(0, len(editing.text)))
        return
    try:
        if letter == "v":
            text = world.clipboard.paste() or ""
            field.edit(lambda: editing.insert(text))
            return
        chosen = editing.text[editing.start : editing.end]
        # Android does not copy from password fields.
        if chosen and not field.password:
            world.clipboard.copy(chosen, world.front.app.package)
            if letter == "x":
                field.edit(lambda: editing.insert(""))
    except Refused:
        return


def _delete_after(editing: Editing) -> None:
    if editing.start == editing.end:
        start = editing.start
        editing.move(1)
        editing.select(start, editing.end)
    if editing.start != editing.end:
        editing.insert("")


def _place_in_next_line(field: Field, down: bool) -> int:
    """Return the cursor's place after Down or Up: the end or start of a selection; otherwise the
    same column of the next line; without such a line, the end or start of the text."""
    editing = field.editing
    text, place = editing.text, editing.end if down else editing.start
    if editing.start != editing.end:
        return place
    if field.single_line:
        return len(text) if down else 0
    start = text.rfind("\n", 0, place) + 1
    column = place - start
    if down:
        end = text.find("\n", place)
        if end < 0:
            target = len(text)
        else:
            following = text.find("\n", end + 1)
            target = min(end + 1 + column, len(text) if following < 0 else following)
    else:
        above = text.rfind("\n", 0, max(0, start - 1)) + 1
        target = min(above + column, start - 1) if start else 0
    return target


# Focus navigation


def _move_focus(world: "World", code: int, meta: int) -> None:
    window = world.focused_window
    if window is None or window.package in world.frozen_packages:
        return
    window.layout()
    views = focusable_views(window)
    if not views:
        return
    focused = window.focus
    if focused not in views:
        views[0].take_focus()
    elif code == _TAB:
        step = -1 if meta & SHIFT else 1
        views[(views.index(focused) + step) % len(views)].take_focus()
    else:
        found = search(focused, views, _ARROWS[code])
        if found is not None:
            found.take_focus()
