"""Reading the screen with Android's developer tools."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ...helper.protocol import Code, HelperFailure
from ...screen.model import Bounds, Flag, Node, Screen, Window
from ..by_adb.commands import Commands
from ..by_adb.profiles import ProfileOwners
from ..conditions import describe_condition, describe_displays, refuse_displays
from ..reading.dumpsys import (
    FRONT_LINES,
    Glance,
    read_foreground,
    read_front_user,
    read_glance,
    read_keyboard,
)
from ..reading.uiautomator import BadDump, Dump, DumpedWindow, Trouble, read_dump
from ..reading.window_numbers import WindowNumbers
from ..screen import Restless

EVERY_WINDOW = 30
"""The API level since which a dump can contain all windows."""
DUMP_SECONDS = 40.0
"""`uiautomator` waits 10 s for an idle screen, and 5 s for each app that does not answer."""

NOTE = "read through uiautomator, offscreen items are missing"
RESTLESS = (
    "The screen did not come to rest: an animation, a video or a clock was still changing it after"
    " 10 s, and without Handheld's helper on the phone its elements can only be read at rest."
    " Call get_screen_state with include_screenshot=true to see it, and act by coordinates."
)
_HELD = "Another program on the phone holds UiAutomation, without which a screen cannot be read."
KILLED = (
    "The phone killed uiautomator before it had read the screen, and no other program holds"
    " UiAutomation: some phones do so from the second time on. Without Handheld's helper, the"
    " elements of their screens cannot be read. Call get_screen_state with include_screenshot=true"
    " to see it, and act by coordinates; `handheld doctor` says why the helper does not run."
)
_HOLDERS_SINCE = 28
"""The API level since which Android reports whether a program holds UiAutomation."""
_HOLDER = "dumpsys accessibility | grep -c '^ *Ui Automation\\['"
_UNWRITABLE = (
    "Android's uiautomator failed: a text on the screen has a character that it cannot write."
    " Call get_screen_state when the screen shows something else, or take a screenshot."
)
MOVED = "another activity came to the front during the reading: this may be the previous screen"
READINGS = 4
"""The number of readings kept: others may read during an action on an earlier one."""
_ABOVE_ALL = 1 << 30
_MARK = "HANDHELD-GLANCE"
_KEEP_ROTATION = "rotation=$(settings get --user current system user_rotation)"
_RESTORE_ROTATION = (
    '[ "$(settings get --user current system user_rotation)" = "$rotation" ] ||'
    ' case $rotation in [0-3]) settings put --user current system user_rotation "$rotation";;'
    " *) settings delete --user current system user_rotation >/dev/null;; esac"
)
"""If the rotation is locked, `uiautomator` locks it again on exit, in the rotation at its start:
with a landscape app in front, in landscape."""
_FILES = "/data/local/tmp/handheld-dump"
_TIDY = (
    f"for o in {_FILES}-*.xml; do p=${{o##*-}};"
    ' [ -e "$o" ] && ! kill -0 "${p%.xml}" 2>/dev/null && rm -f "$o"; done'
)
"""A file's name has the pid of its shell: files of killed shells are removed."""
_FRONT = f"dumpsys activity activities | grep -E '{FRONT_LINES}'"
GLANCE = (
    f"wm size; wm density; {_FRONT};"
    " dumpsys window displays | grep -E 'cur=|mCurrentFocus=|mFocusedApp=|isKeyguardShowing=';"
    " dumpsys power | grep -m1 mWakefulness="
)
"""All queries except for the windows in one command line, which saves round trips."""
KEYBOARD = (
    "dumpsys window windows |"
    " grep -E '^ *Window #|touchable region=|mFrame=|isOnScreen=|isReadyForDisplay'"
)


@dataclass(slots=True)
class SeenScreen:
    """One reading of the screen, with data that only this driver needs."""

    screen: Screen
    boxes: list[Bounds | None]
    """The bounds of each window."""
    unread: list[DumpedWindow]
    """Further windows, with unknown content."""
    dark: bool
    """The screen was off."""
    focused_displays: list[int]
    """The other display whose window has the focus, if any."""
    moved: bool = False
    """Another activity came to the front during the dump."""


class ShellScreen:
    """Reads the screen, and counts its changes."""

    def __init__(self, commands: Commands, wake: bool, more: Callable[[], tuple[str, ...]]) -> None:
        """`wake`: whether actions switch on a screen that is off. `more` returns further notes."""
        self._commands = commands
        self._wake = wake
        self._more = more
        self._numbers = WindowNumbers()
        self._owners = ProfileOwners()
        # Only one program at a time can use UiAutomation, and each dump starts one.
        self._turn = asyncio.Lock()
        self._before: object = None
        self.seq = 0
        self.acted = False
        """Whether an action was performed since the last reading."""
        self._seen: deque[SeenScreen] = deque(maxlen=READINGS)

    async def read(self) -> SeenScreen:
        """Raises HelperFailure, Restless, AdbError."""
        async with self._turn:
            self.acted = False
            seen = await self._read()
            if seen.moved or seen.screen.elsewhere:
                # The dump takes seconds.
                seen = await self._read()
            if seen.moved:
                seen.screen.notes += (MOVED,)
            self._seen.append(seen)
            return seen

    async def _read(self) -> SeenScreen:
        every = await self._commands.api() >= EVERY_WINDOW
        option = "--windows " if every else ""
        # Only the file proves a dump, not its message; so an old file is removed first.
        line = (
            f"{_FRONT}; echo {_MARK}; {_KEEP_ROTATION}; {_TIDY}; f={_FILES}-$$.xml; rm -f $f;"
            f" uiautomator dump {option}$f;"
            f" {_RESTORE_ROTATION}; cat $f; rm -f $f; echo; echo {_MARK};"
            f" {GLANCE}"
        )
        if not every:
            line += f"; {KEYBOARD}"
        result = await self._commands.run(line, seconds=DUMP_SECONDS)
        front, _, printed = result.stdout.decode(errors="replace").partition(_MARK)
        dumped, _, glanced = printed.rpartition(_MARK)
        glance = read_glance(glanced)
        errors = result.stderr.decode(errors="replace")
        try:
            dump = read_dump(f"{dumped}\n{errors}")
        except BadDump as problem:
            if problem.trouble is Trouble.KILLED and await self._is_free():
                raise Restless(KILLED, self._unread(glance)) from problem
            raise self._explain(problem, glance) from problem
        seen = self._build(dump, glance)
        screen = seen.screen
        screen.front_user = read_front_user(glanced) or None
        screen.profile = await self._owners.name(self._commands, screen.front_user)
        before = read_foreground(front)
        seen.moved = before is not None and before != glance.foreground
        if not dump.every_window:
            seen.unread += [
                DumpedWindow("INPUT_METHOD", None, part, _ABOVE_ALL)
                for part in read_keyboard(glanced)
            ]
        return seen

    def reading_of(self, node: Node) -> SeenScreen | None:
        """Return the recent reading that contains this node. None for a node from another driver
        or an old reading, whose position is no longer valid."""
        for seen in reversed(self._seen):
            if any(
                candidate is node for window in seen.screen.windows for candidate in window.nodes
            ):
                return seen
        return None

    async def glance(self) -> Glance:
        return read_glance(await self._commands.ask(GLANCE))

    def _explain(self, problem: BadDump, glance: Glance) -> Exception:
        match problem.trouble:
            case Trouble.RESTLESS:
                return Restless(RESTLESS, self._unread(glance))
            case Trouble.NO_ROOT:
                return HelperFailure(Code.NO_WINDOWS, "No root.", data={"missing": 1})
            case Trouble.KILLED:
                return HelperFailure(Code.AUTOMATION_HELD, _HELD)
            case Trouble.UNWRITABLE:
                return HelperFailure(Code.FAILED, _UNWRITABLE)
            case Trouble.MALFORMED:
                return HelperFailure(Code.FAILED, f"uiautomator wrote no screen: {problem}")
            case Trouble.NOTHING:
                reason = f": {problem}" if str(problem) else ", and did not say why"
                return HelperFailure(Code.FAILED, f"uiautomator wrote no screen{reason}.")

    async def _is_free(self) -> bool:
        """Whether it is certain that no program holds UiAutomation."""
        if await self._commands.api() < _HOLDERS_SINCE:
            return False
        return (await self._commands.ask(_HOLDER)).strip() == "0"

    def _unread(self, glance: Glance) -> Screen:
        self._count(object())
        return self._bare(glance, 0, ("the elements could not be read",))

    def _build(self, dump: Dump, glance: Glance) -> SeenScreen:
        # Other displays have their own coordinates, which touches do not use.
        shown = [window for window in dump.windows if window.display == 0]
        empty = [window for window in dump.empty if window.display == 0]
        elsewhere = [window for window in (*dump.windows, *dump.empty) if window.display]
        others = sorted({window.display for window in elsewhere})
        focused = sorted({window.display for window in elsewhere if window.focused})
        if not shown:
            if others and not empty:
                raise HelperFailure(Code.FAILED, refuse_displays(others))
            raise HelperFailure(Code.NO_WINDOWS, "No windows.", data={"missing": len(empty)})
        notes = tuple(
            f"window{f' {window.title}' if window.title else ''} gave no content and is missing"
            for window in empty
        )
        screen = self._bare(glance, dump.rotation or 0, notes + describe_displays(others))
        screen.degraded = not dump.every_window
        screen.missing = len(empty)
        for number, window in zip(self._numbers.number(shown), shown, strict=True):
            for node in window.nodes:
                left, top, right, bottom = node.bounds
                on = left < screen.width and top < screen.height and right > 0 and bottom > 0
                if not on or left >= right or top >= bottom:
                    node.flags &= ~Flag.VISIBLE.value
            screen.windows.append(
                Window(
                    number,
                    window.type,
                    window.package,
                    window.title,
                    window.layer,
                    window.focused,
                    window.nodes,
                )
            )
        # The clock in the status bar changes by itself, not by an action.
        counted = [window for window in screen.windows if window.type != "SYSTEM" or window.focused]
        self._count((counted, glance.foreground))
        screen.seq = self.seq
        boxes = [window.bounds for window in shown]
        return SeenScreen(screen, boxes, empty, glance.awake is False, focused)

    def _bare(self, glance: Glance, rotation: int, notes: tuple[str, ...]) -> Screen:
        size = glance.size(rotation)
        if size is None or glance.density is None:
            raise HelperFailure(Code.FAILED, "The phone does not report the size of its screen.")
        width, height = size
        return Screen(
            width,
            height,
            glance.density,
            rotation,
            [],
            glance.foreground,
            notes=(NOTE, *notes, *self._more()),
            way=NOTE,
            conditions=describe_condition(
                glance.awake is not False, bool(glance.locked), self._wake
            ),
            seq=self.seq,
            settled=True,
            locked=bool(glance.locked),
            awake=glance.awake is not False,
        )

    def _count(self, content: object) -> None:
        if content != self._before:
            self._before = content
            self.seq += 1
