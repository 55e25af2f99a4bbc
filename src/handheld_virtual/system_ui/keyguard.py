"""The keyguard: the phone's lock state, and unlocking."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from . import bars
from .lock_screen import LockScreen

if TYPE_CHECKING:
    from ..views.window import Window
    from ..world import World

LEAST_DIGITS, MOST_DIGITS = 4, 16
TRIES = 5
"""The number of wrong PINs before a waiting time."""
WAIT_S = 30


class Keyguard:
    """While the phone is locked, a window covers the screen. Without a screen lock, the phone does
    not lock when its screen turns off. A swipe dismisses the lock screen; a PIN is entered on the
    bouncer."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._pin: str | None = None
        self.window: Window | None = None
        """The keyguard's window while the phone is locked."""
        self.asking = False
        """Whether the bouncer is shown."""
        self.typed = ""
        self.wrong = 0
        """Failed attempts since the last correct PIN."""
        self.message = ""
        self._ends = 0.0
        self._then: Callable[[], object] | None = None
        world.preferences.watch("secure", "lock_screen_show_notifications", lambda _: self.show())

    # Settings

    @property
    def kind(self) -> str:
        """The screen lock: `none`, `swipe` or `pin`."""
        if self._pin is not None:
            return "pin"
        off = self._world.preferences.is_on("secure", "lockscreen.disabled")
        return "none" if off else "swipe"

    def set_kind(self, kind: str) -> None:
        """Set `none` or `swipe`; this removes a PIN."""
        if kind not in ("none", "swipe"):
            raise ValueError(f"no such lock: {kind}")
        self._pin = None
        self._world.preferences.turn("secure", "lockscreen.disabled", kind == "none")
        self._fresh()

    def set_pin(self, pin: str | None) -> None:
        """Set a PIN of 4 to 16 digits; None restores the swipe."""
        if pin is None:
            self.set_kind("swipe")
            return
        if not (LEAST_DIGITS <= len(pin) <= MOST_DIGITS and pin.isascii() and pin.isdigit()):
            raise ValueError(f"a PIN has {LEAST_DIGITS} to {MOST_DIGITS} digits")
        self._pin = pin
        self._world.preferences.turn("secure", "lockscreen.disabled", False)
        self._fresh()

    # Locking and unlocking

    @property
    def locked(self) -> bool:
        return self.window is not None

    def lock(self) -> None:
        """Lock the phone; the apps continue behind the lock screen."""
        if self.window is not None:
            return
        world = self._world
        world.panel.close()
        title = "NotificationShade" if world.android.notification_shade_window else "StatusBar"
        root = LockScreen(world, self)
        self.window = world.screen.new_window("SYSTEM", bars.PACKAGE, title, root)
        self._fresh()
        world.windows_changed()

    def unlock(self) -> None:
        """Unlock without asking for a PIN."""
        if self.window is None:
            return
        self._world.screen.close_window(self.window)
        self.window = None
        then, self._then = self._then, None
        self._fresh()
        self._world.panel.close()
        self._world.windows_changed()
        if then is not None:
            then()

    def dismiss(self, then: Callable[[], object] | None = None) -> bool:
        """Unlock the phone, or show the bouncer first; return whether the phone is unlocked. `then`
        runs once it is."""
        if self.window is None:
            if then is not None:
                then()
            return True
        self._then = then
        if self._pin is None:
            self.unlock()
            return True
        self._world.panel.close()
        self._ask(True)
        return False

    def back(self) -> None:
        """Handle Back: return from the bouncer to the lock screen, where Back has no effect."""
        if self.asking:
            self._then = None
            self._ask(False)

    # The PIN

    @property
    def waiting_s(self) -> int:
        """The remaining waiting time in seconds, in which no PIN is accepted."""
        left = self._ends - self._world.timers.now()
        return -int(-left // 1000) if left > 0 else 0

    def type(self, text: str) -> None:
        """Type on the bouncer, which accepts only digits, and nothing during a waiting time."""
        if not self.asking or self.waiting_s:
            return
        digits = "".join(sign for sign in text if sign.isascii() and sign.isdigit())
        self.typed = (self.typed + digits)[:MOST_DIGITS]
        self.show()

    def delete(self) -> None:
        self.typed = self.typed[:-1]
        self.show()

    def enter(self) -> None:
        """Check the PIN; several wrong ones cause a waiting time."""
        if not self.asking or self.waiting_s or not self.typed:
            return
        typed, self.typed = self.typed, ""
        if typed == self._pin:
            self.wrong = 0
            self.unlock()
            return
        self.wrong += 1
        self.message = "Wrong PIN"
        if self.wrong % TRIES == 0:
            self._ends = self._world.timers.now() + WAIT_S * 1000
            self._count_down()
        self.show()

    def _count_down(self) -> None:
        left = self.waiting_s
        self.message = f"Try again in {left} second{'s' * (left != 1)}." if left else ""
        if left:
            self._world.timers.after(1000, self._count_down)
        self.show()

    def _ask(self, asking: bool) -> None:
        if asking != self.asking:
            self.asking, self.typed = asking, ""
            if not self.waiting_s:
                self.message = ""
            self._world.windows_changed()
        self.show()

    def _fresh(self) -> None:
        self.asking, self.typed = False, ""
        if not self.waiting_s:
            self.message = ""
        self.show()

    def show(self) -> None:
        """Refresh the lock screen."""
        if self.window is not None and isinstance(self.window.root, LockScreen):
            self.window.root.fill()
