"""Differences of some vendors' phones from Android. Each is off unless a fault enables it."""

from dataclasses import dataclass


@dataclass(slots=True)
class Quirks:
    dumps_left: int | None = None
    """How many more runs of `uiautomator dump` succeed before they are killed; None: no limit."""
    dumps_fail: bool = False
    """`uiautomator dump` writes its file and exits with 1."""
    keeps_automation: bool = False
    """A program cannot disconnect from UiAutomation: it keeps it until it exits."""
    denies_activities: bool = False
    """The shell's activity starts are aborted."""
    keeps_keyguard: bool = False
    """`wm dismiss-keyguard` has no effect."""
    lacks_dnd: bool = False
    """`cmd notification` does not know `allow_dnd` and `disallow_dnd`."""
    handwriting: bool = False
    """While the keyboard is shown, it keeps text that is typed by keys."""
    elsewhere: str | None = None
    """The app whose windows are on a second display; "" means all windows."""
    focus_elsewhere: bool = False
    """A window on a second display has the focus, and gets the keys that name no display."""
