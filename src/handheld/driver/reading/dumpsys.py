"""Parse the output of Android's `dumpsys`, `wm` and `ps`.

The lines differ between versions and vendors: unknown lines are skipped, and a missing value is
None, never a guess.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...screen.model import Bounds

_SECURE = 0x2000
"""Android's FLAG_SECURE."""

_COMPONENT = r"([A-Za-z][\w.]*)/([\w.$]+)"
_RECORD = rf"ActivityRecord\{{(\w+)(?: u(\d{{1,9}}))? {_COMPONENT}(?:\}}? t(\d{{1,9}})\b)?"
_RESUMED = re.compile(rf"^\s*(ResumedActivity:|topResumedActivity=|mResumedActivity:)\s*{_RECORD}")
_FOCUSED_APP = re.compile(rf"^\s*mFocusedApp=.*{_RECORD}")
_OPEN = re.compile(rf"^\s*\* Hist +#\d+: {_RECORD}")
_STATE = re.compile(r"^\s*state=(\w+)")
_RECENT = re.compile(r"^\s*\* Recent #\d+: Task(?:Record)?\{\w+ #(\d{1,9}) ")
_BEGUN_BY = re.compile(rf"^\s*intent=\{{.*\bcmp={_COMPONENT}")
_IDENTITY = r"Window\{[^\s}]+(?: u\d+)? "
"""The beginning of a printed window. Vivo prints the package before its number,"""
_ENDING = r"(?: type=\d+ )?"
"""and its type after its title."""
_FOCUS = re.compile(rf"^\s*mCurrentFocus={_IDENTITY}(.*?){_ENDING}(?: paused=\w+)?\}}$")
_SIZE = re.compile(r"^(Physical|Override) size: (\d{1,6})x(\d{1,6})\s*$")
_DENSITY = re.compile(r"^(Physical|Override) density: (\d{1,5})\s*$")
_CURRENT = re.compile(r"\bcur=(\d{1,6})x(\d{1,6})\b")
_WAKEFULNESS = re.compile(r"^\s*mWakefulness=(\w+)")
_KEYGUARD = re.compile(
    r"^\s*(?:mKeyguardShowing|KeyguardShowing|isKeyguardShowing|mShowingLockscreen|showing)=(\w+)"
)
_WINDOW = re.compile(r"^ *Window #\d++:? *+(.*)$")
"""Regardless of the rest of the line, the next lines belong to another window."""
_TITLE = re.compile(rf"{_IDENTITY}(.*?){_ENDING}(?: ?EXITING)?\}}")
_HEX_FLAGS = re.compile(r"\bfl=#([0-9a-f]{1,8})\b")
_NAMED_FLAGS = re.compile(r"^\s+fl=([A-Z_ ]+)\}?$")
_ON_SCREEN = re.compile(r"\bisOnScreen=(\w+)")
_READY = re.compile(r"\bisReadyForDisplay\(\)=(\w+)")
_REGION = re.compile(
    r"\btouchable region=SkRegion\(((?:\(-?\d{1,9},-?\d{1,9},-?\d{1,9},-?\d{1,9}\))+)\)"
)
_RECTANGLE = re.compile(r"\((-?\d{1,9}),(-?\d{1,9}),(-?\d{1,9}),(-?\d{1,9})\)")
_FRAME = re.compile(r"\bmFrame=\[(-?\d{1,9}),(-?\d{1,9})\]\[(-?\d{1,9}),(-?\d{1,9})\]")
_ABOUT_SCREEN = re.compile(
    r"size: |density: |cur=|Resumed|mFocusedApp|mCurrentFocus|\* Hist|state=|mWakefulness|howing"
)
"""Matches every line that `read_glance` needs."""


FRONT_LINES = r"ResumedActivity[:=]|KeyguardShowing=|\* Hist +#|^ *state="
"""Lines of `dumpsys activity activities` about the foreground, for `grep -E`."""
TASK_LINES = r"\* Recent #|^ *intent=\{"
"""Lines of `dumpsys activity recents` about the app that started a task."""


class Activity(NamedTuple):
    package: str
    class_name: str
    """Fully qualified."""


class Glance(NamedTuple):
    """Properties of the screen other than its windows."""

    current: tuple[int, int] | None
    """The size in the current rotation."""
    natural: tuple[int, int] | None
    """The size in the natural rotation."""
    density: int | None
    foreground: Activity | None
    awake: bool | None
    locked: bool | None

    def size(self, rotation: int = 0) -> tuple[int, int] | None:
        """Return the size in the current rotation, computed from `rotation` if Android does not
        report it."""
        if self.current is not None or self.natural is None:
            return self.current
        width, height = self.natural
        return (height, width) if rotation % 2 else (width, height)


def read_glance(printed: str) -> Glance:
    """Parse `wm size`, `wm density` and the lines of `dumpsys` about the screen."""
    printed = _about_screen(printed)
    return Glance(
        read_current_size(printed),
        read_size(printed),
        read_density(printed),
        read_foreground(printed),
        read_awake(printed),
        read_locked(printed),
    )


def read_size(printed: str) -> tuple[int, int] | None:
    """Parse `wm size`: the natural rotation's. An override takes precedence over the physical
    size."""
    found = {match[1]: match for match in _lines(_SIZE, printed)}
    match = found.get("Override") or found.get("Physical")
    return None if match is None else (int(match[2]), int(match[3]))


def read_density(printed: str) -> int | None:
    """Parse `wm density`."""
    found = {match[1]: match for match in _lines(_DENSITY, printed)}
    match = found.get("Override") or found.get("Physical")
    return None if match is None else int(match[2])


def read_current_size(printed: str) -> tuple[int, int] | None:
    """Parse `dumpsys window displays`, where the phone's own display is the first."""
    match = _CURRENT.search(printed)
    return None if match is None else (int(match[1]), int(match[2]))


def read_foreground(printed: str) -> Activity | None:
    """Return the foreground activity: from `dumpsys activity activities`, which prints it several
    times and in several formats, else the focused app in `dumpsys window`."""
    found = _front(printed)
    return None if found is None else found[0]


def read_front_user(printed: str) -> int:
    """Return the foreground activity's user; 0 if that is not printed."""
    found = _front(printed)
    return 0 if found is None else found[2]


def read_front_task(printed: str) -> int | None:
    """Return the id of the foreground activity's task."""
    found = _front(printed)
    return None if found is None else found[1]


def _about_screen(printed: str) -> str:
    """Drop lines that do not concern the screen: every parser searches all lines."""
    return "\n".join(filter(_ABOUT_SCREEN.search, printed.splitlines()))


def _front(printed: str) -> tuple[Activity, int | None, int] | None:
    """Return the foreground activity, its task and its user."""
    printed = _about_screen(printed)
    stopped = _stopped(printed)
    resumed: dict[str, tuple[Activity, int | None, int]] = {}
    for match in _lines(_RESUMED, printed):
        if match[2] not in stopped:
            # The last of each kind counts: the one for all displays is printed at the end.
            resumed[match[1]] = _found(*match.groups()[2:])
    for kind in ("ResumedActivity:", "topResumedActivity=", "mResumedActivity:"):
        if kind in resumed:
            return resumed[kind]
    apps = [
        _found(*match.groups()[1:])
        for match in _lines(_FOCUSED_APP, printed)
        if match[1] not in stopped
    ]
    focus = read_focus(printed)
    # With several displays each has an app; the focused window decides.
    for app in apps:
        if focus is not None and focus.startswith(f"{app[0].package}/"):
            return app
    return apps[-1] if apps else None


def _stopped(printed: str) -> set[str]:
    """Return the invisible activities, by record number: behind the lock screen, or while the
    screen is off, an activity stays the focused app."""
    found: set[str] = set()
    record = ""
    for line in printed.splitlines():
        if begins := _OPEN.match(line):
            record = begins[1]
        elif record and (state := _STATE.match(line)):
            if state[1] == "STOPPED":
                found.add(record)
            record = ""
    return found


def read_resumed(printed: str) -> frozenset[str]:
    """Return the packages of all resumed activities, on any display."""
    stopped = _stopped(printed)
    return frozenset(match[4] for match in _lines(_RESUMED, printed) if match[2] not in stopped)


def read_beginners(printed: str) -> dict[int, str]:
    """Parse `dumpsys activity recents`: the package that started each task, regardless of the
    activity that is open in it now."""
    found: dict[int, str] = {}
    task: int | None = None
    for line in printed.splitlines():
        if begins := _RECENT.match(line):
            task = int(begins[1])
        elif task is not None and (intent := _BEGUN_BY.match(line)):
            found[task] = intent[1]
            task = None
    return found


def read_focus(printed: str) -> str | None:
    """Return the title of the focused window; None while there is none."""
    found = [match[1] for match in _lines(_FOCUS, printed)]
    return found[-1] if found else None


def read_awake(printed: str) -> bool | None:
    """Parse `dumpsys power`. A dozing phone shows a clock at most, and ignores touches."""
    for match in _lines(_WAKEFULNESS, printed):
        return match[1] in ("Awake", "Dreaming")
    return None


def read_locked(printed: str) -> bool | None:
    """Parse `dumpsys activity activities` or `dumpsys window policy`: whether the lock screen is
    shown. Only the first display has one."""
    for match in _lines(_KEYGUARD, printed):
        return match[1] == "true"
    return None


def read_secure(printed: str) -> tuple[str, ...]:
    """Parse `dumpsys window windows`: titles of visible windows that may not be captured."""
    found: list[str] = []
    title, secure, shown = "", False, False

    def close() -> None:
        if title and secure and shown:
            found.append(title)

    for line in filter(None, printed.splitlines()):
        begins = _WINDOW.match(line)
        if begins is not None:
            close()
            title, secure, shown = _title(begins), False, False
        elif flags := _HEX_FLAGS.search(line):
            secure = secure or bool(int(flags[1], 16) & _SECURE)
        elif flags := _NAMED_FLAGS.match(line.rstrip()):
            secure = secure or "SECURE" in flags[1].split()
        elif state := _ON_SCREEN.search(line) or _READY.search(line):
            shown = state[1] == "true"
    close()
    return tuple(dict.fromkeys(found))


def read_keyboard(printed: str) -> tuple[Bounds, ...]:
    """Parse `dumpsys window windows`: the areas that the keyboard covers; none while it is
    hidden."""
    inside = shown = False
    covered: tuple[Bounds, ...] = ()
    touched = False
    for line in filter(None, printed.splitlines()):
        begins = _WINDOW.match(line)
        if begins is not None:
            if inside:
                break
            inside = _title(begins) == "InputMethod"
        elif inside and (region := _REGION.search(line)):
            # Its frame may be the whole screen: only its touchable region counts.
            parts = _RECTANGLE.findall(region[1])
            covered, touched = tuple(Bounds(*map(int, part)) for part in parts), True
        elif inside and not touched and (frame := _FRAME.search(line)):
            covered = (Bounds(*map(int, frame.groups())),)
        elif inside and (state := _ON_SCREEN.search(line) or _READY.search(line)):
            shown = state[1] == "true"
    return covered if shown else ()


def read_processes(printed: str, package: str) -> frozenset[int]:
    """Parse `ps -A -o PID,NAME`: the processes of an app, named like its package or with the
    package and a colon as prefix."""
    found: set[int] = set()
    for line in printed.splitlines():
        pid, *rest = line.split(None, 1)[:2] or [""]
        name = "".join(rest).rstrip()
        named = name == package or name.startswith(f"{package}:")
        if named and pid.isdecimal() and len(pid) < 10:
            found.add(int(pid))
    return frozenset(found)


def _title(begins: re.Match[str]) -> str:
    rest = begins[1].rstrip().removesuffix(":")
    named = _TITLE.fullmatch(rest)
    return (named and named[1]) or rest


def _found(
    user: str | None, package: str, name: str, task: str | None
) -> tuple[Activity, int | None, int]:
    whole = package + name if name.startswith(".") else name
    return Activity(package, whole), int(task) if task else None, int(user or 0)


def _lines(pattern: re.Pattern[str], printed: str) -> Iterator[re.Match[str]]:
    for line in printed.splitlines():
        match = pattern.match(line)
        if match is not None:
            yield match
