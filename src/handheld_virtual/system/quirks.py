"""How phones of some makers differ from Android. Without a fault this phone has none of these
quirks."""

from dataclasses import dataclass


@dataclass(slots=True)
class Quirks:
    dumps_left: int | None = None
    """How many more `uiautomator dump` run before the next ones are killed. None: all run."""
    dumps_fail: bool = False
    """`uiautomator dump` writes its file and exits with 1."""
    keeps_automation: bool = False
    """A program that disconnects from UiAutomation is refused, and has it until it ends."""
    denies_activities: bool = False
    """An activity that the shell starts is aborted."""
    keeps_keyguard: bool = False
    """`wm dismiss-keyguard` has no effect."""
    lacks_dnd: bool = False
    """`cmd notification` does not know `allow_dnd` and `disallow_dnd`."""
    handwriting: bool = False
    """While the keyboard is shown, it keeps what is typed by keys."""
    elsewhere: str | None = None
    """The app whose windows are on a second display; "" for all windows."""
    focus_elsewhere: bool = False
    """A window of a second display has the focus, and gets the keys that name no display."""
