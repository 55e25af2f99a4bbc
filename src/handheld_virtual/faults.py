"""Faults that a test, a scene or an adb client can inject.

Each fault has a name, a way to set it and a way to clear it. `FAULTS` is the list used by the flag
`--fault`, the shell's `virtual fault` and scenes.
"""

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .phone import VirtualPhone
    from .wire.stream import AdbStream

MOST_PATTERNS = 100
REFUSED_INPUT = (
    "Injecting input events requires the caller (or the source of the instrumentation, if any) to "
    "have the INJECT_EVENTS permission."
)
"""Android's message when a vendor's setting forbids the shell to inject input."""


class FaultError(ValueError):
    """The fault is unknown, or its value is invalid. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class Fault:
    name: str
    value: str
    """The placeholder after `=`, or "" for a fault without a value."""
    optional: bool
    help: str
    set: Callable[["Faults", str], object]
    clear: Callable[["Faults"], object]


class Faults:
    """The faults of one phone."""

    def __init__(self, phone: "VirtualPhone") -> None:
        self._phone = phone
        self._active: dict[str, str] = {}
        self._frozen: set[str] = set()
        self._capacity: int | None = None
        self._stalled: list[str] = []
        self._away_until = 0.0

    @property
    def active(self) -> dict[str, str]:
        """Names and values of the active faults."""
        if self._away_until <= self._phone.clock.now():
            self._active.pop("drop-link", None)
        if not self._phone.world.locked:
            self._active.pop("lock-screen", None)
        return dict(self._active)

    def set(self, words: str) -> None:
        """`NAME` or `NAME=VALUE`. Raises FaultError."""
        fault, value = check_fault(words)
        fault.set(self, value)

    def clear(self, name: str | None = None) -> None:
        """Clear one fault, or all. Raises FaultError for an unknown name."""
        for fault in FAULTS.values() if name is None else (_find(name),):
            fault.clear(self)
            self._active.pop(fault.name, None)

    # The connection

    def drop_link(self, away_ms: float = 0) -> None:
        """Cut every adb connection, like a pulled cable. For `away_ms`, new ones are cut too."""
        self._away_until = self._phone.clock.now() + away_ms
        if away_ms:
            self._active["drop-link"] = f"{away_ms:g}"
        self._phone.drop_connections()

    def restore_link(self) -> None:
        self._away_until = 0.0

    @property
    def link_is_away(self) -> bool:
        return self._away_until > self._phone.clock.now()

    def stall(self, pattern: str) -> None:
        """Stall streams of matching services (`shell*`, `sync:`, `*`): no more data either way."""
        if pattern not in self._stalled:
            if len(self._stalled) >= MOST_PATTERNS:
                raise FaultError(f"There are already {MOST_PATTERNS} patterns that stall streams.")
            self._stalled.append(pattern)
        self._active["stall"] = " ".join(self._stalled)
        for stream in self._phone.adbd.streams():
            self.stall_matching(stream)

    def unstall(self) -> None:
        self._stalled.clear()
        for stream in self._phone.adbd.streams():
            stream.stall(False)

    def stall_matching(self, stream: "AdbStream") -> None:
        """Stall a stream if its service matches."""
        if any(fnmatchcase(stream.service, pattern) for pattern in self._stalled):
            stream.stall(True)

    # Programs and apps

    def kill_helper(self) -> int:
        """Kill the helper; return how many there were."""
        return self._phone.kill("handheld")

    def refuse_helper(self) -> None:
        """Keep `app_process` from starting."""
        self._active["refuse-helper"] = ""

    @property
    def helper_is_refused(self) -> bool:
        return "refuse-helper" in self._active

    def freeze(self, package: str) -> None:
        """Freeze an app: its windows have no root and ignore touches."""
        if package not in self._phone.world.apps:
            raise FaultError(f"{package} is not installed.")
        self._phone.world.frozen_packages.add(package)
        self._frozen.add(package)
        self._active["freeze"] = " ".join(sorted(self._frozen))

    def thaw(self) -> None:
        self._phone.world.frozen_packages -= self._frozen
        self._frozen.clear()

    # Reading

    def keep_windows(self, walks: int) -> None:
        """For the next walks, accessibility lists the present windows, as from a stale cache."""
        automation = self._phone.world.automation
        automation.old_windows, automation.walks = self._phone.world.windows(), max(1, walks)
        automation.old_focus = self._phone.world.focused_window

    def keep_root(self, walks: int) -> None:
        """For the next walks, the focused window returns the content of the window that is focused
        now."""
        automation = self._phone.world.automation
        automation.old_root, automation.walks = self._phone.world.focused_window, max(1, walks)

    def open_during_walk(self, package: str) -> None:
        """Bring another app to the front while the next walk reads the windows."""
        if package not in self._phone.world.apps:
            raise FaultError(f"{package} is not installed.")
        self._phone.world.automation.on_walk = lambda: self._phone.world.show(package)

    def read_truly(self) -> None:
        automation = self._phone.world.automation
        automation.old_windows = automation.old_root = automation.on_walk = None

    # Vendors' quirks

    def kill_dumps(self, after: int) -> None:
        """Kill `uiautomator dump`, once `after` runs have succeeded."""
        self._phone.world.quirks.dumps_left = after
        self._active["kill-dumps"] = str(after)

    def let_dumps_run(self) -> None:
        self._phone.world.quirks.dumps_left = None

    def use_display(self, package: str) -> None:
        """Show the windows of an app, or all windows, on a second display."""
        if package and package not in self._phone.world.apps:
            raise FaultError(f"{package} is not installed.")
        self._phone.world.quirks.elsewhere = package
        self._phone.world.windows_changed()
        self._active["second-display"] = package

    def leave_display(self) -> None:
        self._phone.world.quirks.elsewhere = None
        self._phone.world.windows_changed()

    def turn_quirk(self, fault: str, quirk: str, on: bool) -> None:
        setattr(self._phone.world.quirks, quirk, on)
        if on:
            self._active[fault] = ""

    # The phone

    def fill_disk(self, left: int = 0) -> None:
        """Leave `left` bytes free: larger writes fail with ENOSPC."""
        files = self._phone.files
        if self._capacity is None:
            self._capacity = files.capacity
        files.capacity = min(self._capacity, files.used + left)
        self._active["fill-disk"] = str(left)

    def free_disk(self) -> None:
        if self._capacity is not None:
            self._phone.files.capacity, self._capacity = self._capacity, None

    def lock_screen(self) -> None:
        if not self._phone.world.locked:
            self._phone.world.keyguard.lock()
            self._active["lock-screen"] = ""

    def unlock_screen(self) -> None:
        """Undo this fault's lock only: a lock from the scene stays."""
        if "lock-screen" in self.active:
            self._phone.world.keyguard.unlock()

    def refuse_input(self) -> None:
        """Refuse input from the shell, as on phones where a vendor's setting forbids it."""
        self._phone.world.input_refused = True
        self._active["refuse-input"] = ""

    def allow_input(self) -> None:
        self._phone.world.input_refused = False


def check_fault(words: str) -> tuple[Fault, str]:
    """Parse `NAME=VALUE` into a fault and its value. Raises FaultError."""
    name, equals, value = words.partition("=")
    fault = _find(name)
    if equals and not fault.value:
        raise FaultError(f"The fault {name} takes no value.")
    if fault.value and not fault.optional and not value:
        raise FaultError(f"The fault {name} needs a value: {name}={fault.value}.")
    return fault, value


def _find(name: str) -> Fault:
    fault = FAULTS.get(name)
    if fault is None:
        near = difflib.get_close_matches(name, FAULTS, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"Choose one of {', '.join(FAULTS)}."
        raise FaultError(f"Unknown fault {name!r}. {hint}")
    return fault


def _number(value: str, name: str, most: int) -> int:
    if not value:
        return 0
    if not re.fullmatch("[0-9]{1,12}", value) or int(value) > most:
        raise FaultError(f"The fault {name} takes a number from 0 to {most}, not {value!r}.")
    return int(value)


def _nothing(faults: Faults) -> None:
    """Clears faults that end immediately."""


def _quirk(name: str, quirk: str, help: str) -> Fault:
    return Fault(
        name,
        "",
        False,
        help,
        lambda faults, _: faults.turn_quirk(name, quirk, True),
        lambda faults: faults.turn_quirk(name, quirk, False),
    )


FAULTS: dict[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault(
            "drop-link",
            "MS",
            True,
            "Cut every adb connection; with MS, also new ones for that time.",
            lambda faults, value: faults.drop_link(_number(value, "drop-link", 600_000)),
            Faults.restore_link,
        ),
        Fault(
            "stall",
            "SERVICE",
            False,
            "Stall streams of matching services (shell*, sync:, *).",
            lambda faults, value: faults.stall(value),
            Faults.unstall,
        ),
        Fault(
            "kill-helper",
            "",
            False,
            "Kill Handheld's helper.",
            lambda faults, _: faults.kill_helper(),
            _nothing,
        ),
        Fault(
            "refuse-helper",
            "",
            False,
            "Refuse to start app_process, and thus the helper.",
            lambda faults, _: faults.refuse_helper(),
            _nothing,
        ),
        Fault(
            "freeze",
            "PACKAGE",
            False,
            "Freeze an app: it does not respond.",
            lambda faults, value: faults.freeze(value),
            Faults.thaw,
        ),
        Fault(
            "old-windows",
            "WALKS",
            True,
            "List the present windows in the next walks, as from a stale cache; 1 walk by default.",
            lambda faults, value: faults.keep_windows(_number(value, "old-windows", 1_000)),
            Faults.read_truly,
        ),
        Fault(
            "old-root",
            "WALKS",
            True,
            "Keep the focused window's present content for the next walks; 1 walk by default.",
            lambda faults, value: faults.keep_root(_number(value, "old-root", 1_000)),
            Faults.read_truly,
        ),
        Fault(
            "open-during-walk",
            "PACKAGE",
            False,
            "Bring an app to the front while the next walk reads the windows.",
            lambda faults, value: faults.open_during_walk(value),
            Faults.read_truly,
        ),
        Fault(
            "fill-disk",
            "BYTES",
            True,
            "Leave BYTES free on the disk; 0 by default.",
            lambda faults, value: faults.fill_disk(_number(value, "fill-disk", 2**40)),
            Faults.free_disk,
        ),
        Fault(
            "lock-screen",
            "",
            False,
            "Lock the screen.",
            lambda faults, _: faults.lock_screen(),
            Faults.unlock_screen,
        ),
        Fault(
            "refuse-input",
            "",
            False,
            "Refuse input from the shell, as on some vendors' phones.",
            lambda faults, _: faults.refuse_input(),
            Faults.allow_input,
        ),
        Fault(
            "kill-dumps",
            "DUMPS",
            True,
            "Kill uiautomator dump after that many runs; 1 by default.",
            lambda faults, value: faults.kill_dumps(_number(value or "1", "kill-dumps", 1_000)),
            Faults.let_dumps_run,
        ),
        _quirk("fail-dumps", "dumps_fail", "Make uiautomator dump exit with 1 even after success."),
        _quirk("keep-automation", "keeps_automation", "Refuse to disconnect UiAutomation."),
        _quirk("deny-activities", "denies_activities", "Abort activities that the shell starts."),
        _quirk("keep-keyguard", "keeps_keyguard", "Ignore wm dismiss-keyguard."),
        _quirk("no-dnd-command", "lacks_dnd", "Remove disallow_dnd from cmd notification."),
        Fault(
            "second-display",
            "PACKAGE",
            True,
            "Show the windows of an app, or all windows, on a second display.",
            lambda faults, value: faults.use_display(value),
            Faults.leave_display,
        ),
        _quirk("second-focus", "focus_elsewhere", "Give the key focus to a second display."),
        _quirk("handwriting", "handwriting", "Make the keyboard keep text that is typed by keys."),
    )
}
