"""The phone's buttons and keys, by name and by Android key code."""

from typing import TYPE_CHECKING

from ..packages.tasks import HOME
from . import hard_keys
from .keys import DELETE, ENTER, MOVES, character

if TYPE_CHECKING:
    from ..world import World

_HOME = 3
_BUTTONS = {_HOME: "home", 4: "back", 83: "notifications", 187: "recents"}
_POWER, _SLEEP, _WAKEUP, _MENU = 26, 223, 224, 82


def press(world: "World", button: str) -> bool:
    """Perform a global action; return False if this phone does not support it."""
    if not world.awake:
        return False
    if world.locked and button in ("back", "home", "recents"):
        if not (world.panel.close() or (button == "back" and world.system_dialogs.back())):
            world.keyguard.back()
    elif button == "back":
        typing = world.input_method
        if not (
            typing.toolbar.close()
            or typing.hide()
            or world.panel.close()
            or world.system_dialogs.back()
        ):
            world.tasks.back()
    elif button == "home":
        go_home(world)
    elif button == "recents":
        world.panel.close()
        world.apps[HOME].press_recents()
    elif button in ("notifications", "quick_settings"):
        world.panel.open(button)
    else:
        return False
    return True


def go_home(world: "World") -> None:
    """Show the home screen in its initial state."""
    world.panel.close()
    world.bring(HOME)
    world.front.left()


def press_key(world: "World", code: int, meta: int = 0, long: bool = False) -> None:
    """Press and release a key; `meta` are modifier bits from `hard_keys`."""
    if code in _BUTTONS:
        if code == _HOME:
            world.awake = True
        press(world, _BUTTONS[code])
    elif code == _POWER:
        world.awake = not world.awake
    elif code in (_SLEEP, _WAKEUP):
        world.awake = code == _WAKEUP
    elif not world.awake:
        return
    elif world.locked:
        _unlock(world, code)
    elif not world.touch_mode.take_key(code) and not hard_keys.press(world, code, meta, long):
        _type(world, code)


def _unlock(world: "World", code: int) -> None:
    typed = character(code)
    if code == _MENU:
        world.keyguard.dismiss()
    elif typed == DELETE:
        world.keyguard.delete()
    elif typed == ENTER:
        world.keyguard.enter()
    elif typed is not None:
        world.keyguard.type(typed)


def _type(world: "World", code: int) -> None:
    typed, typing = character(code), world.input_method
    if typed == DELETE:
        typing.delete()
    elif typed == ENTER:
        typing.enter()
    elif typed is not None:
        typing.press(typed)
    elif code in MOVES:
        typing.move(MOVES[code])
