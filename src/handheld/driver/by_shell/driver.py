"""The driver that uses Android's own commands, for a phone on which the helper does not run.

It is slower and more limited: it reads the screen at rest, taps elements by their position, and
types text by keys. It refuses everything else with a reason.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

import anyio

from ...adb.link import AdbError, Link
from ...errors import ActionFailed
from ...helper.protocol import Code, HelperFailure
from ...screen.model import Flag, Node, Screen
from ..app_tools import (
    AppFailed,
    AppProblem,
    Bundle,
    ChangedPackages,
    DeclaredTools,
    DeclaringApp,
    ServiceReply,
)
from ..apps import Profile
from ..by_adb.commands import LONGEST_LINE, Commands
from ..by_adb.screencap import take_picture
from ..failures import translated
from ..files import Content, Place
from ..input import InputRefused, NotActionable, OutOfReach, Point, Seek, Sought, Spot
from ..intents import Intent, Sent
from ..screen import Screenshot
from ..target import Target, TargetMissing
from ..text import Typed, Typing
from .files import ShellFiles
from .finger import (
    BROKEN_OFF,
    LIFT_LINE,
    PATHS_SINCE,
    QUICK_SINCE,
    NoPaths,
    Stroke,
    TooManyFingers,
    drag_stroke,
    scroll_ends,
    slow_stroke,
    touch_line,
)
from .hit_test import Covered, Undecided, find_area, find_point
from .intents import NotByShell
from .keys import KeyPress, read_key
from .keystrokes import COMBINATIONS_SINCE, key_line
from .screen import SeenScreen, ShellScreen
from .text import ShellText
from .unsupported import NeedsHelper, Unsupported, refusal
from .verbs import ShellVerbs

if TYPE_CHECKING:
    from .apk_app_tools import ApkAppTools

LONG_PRESS_MS = 800
SCROLL_SHARE = 0.7
SLACK_SECONDS = 20.0
LIFT_SECONDS = 2.0
_BUTTONS = {"back": 4, "home": 3, "recents": 187}
_PANELS = {
    "notifications": "cmd statusbar expand-notifications",
    "quick_settings": "cmd statusbar expand-settings",
}
_WAKE = "input keyevent 224"
_ACTIONS = {
    "click": Flag.CLICKABLE,
    "long_click": Flag.LONG_CLICKABLE,
    "scroll_forward": Flag.SCROLLABLE,
    "scroll_backward": Flag.SCROLLABLE,
}


class ShellDriver(ShellVerbs):
    """Performs every verb with one or a few command lines."""

    def __init__(
        self,
        link: Link,
        *,
        wake: bool = True,
        why: Callable[[], str] = str,
        notes: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        """`wake`: whether an action switches on a screen that is off. `why` returns a sentence
        about the helper, `notes` further notes for a screen."""
        super().__init__(Commands(link), why)
        self._wake = wake
        self._screen = ShellScreen(self._commands, wake, notes)
        self._text = ShellText(self._commands, self._screen, self._tap, why)
        self._files = ShellFiles(self._commands)

    async def boot_id(self) -> tuple[str, str]:
        """Return the boot id, which changes with each start of the phone, "" if it cannot be read;
        and the content for `left_file.read_left`."""
        with translated("boot_id"):
            return await self._commands.boot_id()

    # Screen.

    async def read_screen(self) -> Screen:
        with translated("screen"):
            screen = (await self._screen.read()).screen
            self.conditions.add(locked=screen.locked)
            return screen

    async def capture(self, max_size: int | None, format: str, quality: int) -> Screenshot:
        with translated("capture"):
            return await take_picture(self._commands, max_size, format, quality)

    async def changed(self, after: int, within_ms: int) -> int:
        """Read the screen again, however long that takes: nothing else reports changes. A screen
        that was read at rest and not touched since is not awaited."""
        if self._screen.acted or self._screen.seq > after:
            try:
                await self.read_screen()
            except ActionFailed:
                # The screen moves or is between two windows, which is a change.
                self._screen.seq = max(self._screen.seq, after + 1)
        return self._screen.seq

    # Input.

    async def touch(self, strokes: Sequence[Sequence[Point]]) -> None:
        with self._acting("touch"):
            await self._touch(strokes)

    async def _touch(self, strokes: Sequence[Stroke]) -> None:
        width, height = await self._ready()
        for x, y, _ in (point for stroke in strokes for point in stroke):
            if not (0 <= x <= width and 0 <= y <= height):
                size = {"width": width, "height": height}
                raise HelperFailure(Code.OUTSIDE_SCREEN, "Outside the screen.", data=size)
        try:
            line = touch_line(strokes, width, height, await self._commands.api())
        except TooManyFingers:
            raise NeedsHelper(Unsupported.FINGERS, self._why()) from None
        except NoPaths:
            raise NeedsHelper(Unsupported.PATHS, self._why()) from None
        if len(line) > LONGEST_LINE:
            raise NeedsHelper(Unsupported.POINTS, self._why())
        length = max(stroke[-1][2] for stroke in strokes)
        self._screen.acted = True
        try:
            await self._commands.do(line, seconds=length / 1000 + SLACK_SECONDS)
        except asyncio.CancelledError as stop:
            with anyio.CancelScope(shield=True), suppress(AdbError):
                if await self._lift():
                    stop.add_note(BROKEN_OFF)
            raise

    async def lift(self) -> None:
        with translated("touch", act=True):
            await self._lift()

    async def _lift(self) -> bool:
        """False: this Android has no command for it."""
        if await self._commands.api() < PATHS_SINCE:
            return False
        await self._commands.run(LIFT_LINE, seconds=LIFT_SECONDS)
        return True

    async def _ready(self, operation: str = "a touch") -> tuple[int, int]:
        """Return the screen's size once the screen is on. `operation` is for the error."""
        glance = await self._screen.glance()
        if glance.awake is False:
            if not self._wake:
                message = (
                    f"The screen is off: {operation} would have no effect. Wake the phone first."
                )
                raise HelperFailure(Code.FAILED, message)
            await self._commands.do(_WAKE)
            glance = await self._screen.glance()
            if glance.awake is False:
                raise HelperFailure(Code.FAILED, "The screen is off and did not switch on.")
            self.conditions.add(woken=True)
        self.conditions.add(locked=bool(glance.locked))
        size = glance.size()
        if size is None:
            raise HelperFailure(Code.FAILED, "The phone does not report the size of its screen.")
        return size

    async def scroll(self, direction: str, share: float) -> None:
        with self._acting("scroll"):
            size = await self._ready()
            density = (await self._screen.glance()).density or 160
            await self._drag(*scroll_ends(direction, share, *size, density), density)

    async def drag(self, start: Spot, end: Spot, density: int) -> None:
        with self._acting("touch"):
            await self._drag(start, end, density)

    async def _drag(self, start: Spot, end: Spot, density: int) -> None:
        # Before, each command takes so long that a finger put down by one becomes a long press.
        quick = await self._commands.api() >= QUICK_SINCE
        await self._touch([(drag_stroke if quick else slow_stroke)(start, end, density)])

    async def press(self, key: str) -> None:
        with self._acting("press"):
            api = await self._commands.api()
            if key in _PANELS:
                await self._ready("a button")
                line = _PANELS[key]
            elif key in _BUTTONS:
                await self._ready("a button")
                line = key_line(KeyPress(_BUTTONS[key]), api)
            else:
                pressed = read_key(key)
                if pressed.modifiers and api < COMBINATIONS_SINCE:
                    raise NeedsHelper(Unsupported.COMBINATIONS, self._why())
                if pressed.wakes:
                    await self._ready("a key")
                line = key_line(pressed, api)
            self._screen.acted = True
            await self._commands.do(line)

    async def act(self, target: Target, action: str) -> None:
        """Touch the position at which the last reading found the element."""
        with self._acting("act"):
            node = target.node
            seen = None if node is None else self._screen.reading_of(node)
            if node is None or seen is None:
                raise TargetMissing(gone=True)
            if not node.flags & _ACTIONS[action]:
                raise NotActionable(f"The view does not offer {action}.")
            if not node.flags & Flag.ENABLED:
                raise HelperFailure(Code.FAILED, f"The view did not accept {action}.")
            if action in ("click", "long_click"):
                await self._tap(node, LONG_PRESS_MS if action == "long_click" else 0)
            else:
                await self._swipe(node, seen, action == "scroll_forward")

    async def seek(self, target: Target, seek: Seek) -> Sought:
        """Scroll by one page: only a dump, which takes seconds, shows the result."""
        await self.act(target, "scroll_forward" if seek.forward else "scroll_backward")
        return Sought(scrolls=1, end=False, jumped=False)

    async def _tap(self, node: Node, hold_ms: int = 0) -> None:
        seen = self._screen.reading_of(node)
        try:
            if seen is None:
                raise Covered
            x, y = find_point(seen.screen, seen.boxes, node, seen.unread)
        except Undecided:
            raise OutOfReach(
                "Another element takes touches in the same place, and this Android does not say"
                " which of the two lies on top; without Handheld's helper on the phone, an element"
                " is touched by its position alone. Nothing was done. Call get_screen_state with"
                " include_screenshot=true to see it, and tap by coordinates if it is on top."
            ) from None
        except Covered:
            raise OutOfReach(
                "No part of the element is free to be touched: it is covered or out of sight, and"
                " without Handheld's helper on the phone it is touched by its position alone. "
                "Nothing"
                " was done. Scroll to it or close what covers it, then read the screen again."
            ) from None
        await self._touch([[(x, y, 0), (x, y, hold_ms)]] if hold_ms else [[(x, y, 0)]])

    async def _swipe(self, node: Node, seen: SeenScreen, forward: bool) -> None:
        try:
            left, top, right, bottom = find_area(seen.screen, seen.boxes, node, seen.unread)
        except Covered:
            raise InputRefused("It is covered or out of sight. Nothing was done.") from None
        x, y = (left + right) / 2, (top + bottom) / 2
        upright = bottom - top >= right - left or not _is_sideways(node)
        reach = (bottom - top if upright else right - left) * SCROLL_SHARE / 2
        away = reach if forward else -reach
        start = (x, y + away) if upright else (x + away, y)
        end = (x, y - away) if upright else (x - away, y)
        await self._drag(start, end, seen.screen.density)

    # Text.

    async def type(self, target: Target, typing: Typing) -> Typed:
        with self._acting("type"):
            seen = None if target.node is None else self._screen.reading_of(target.node)
            if seen is not None and (seen.dark or seen.screen.locked):
                await self._ready("typing")
            return await self._text.type(target, typing)

    async def key(self, key: str) -> None:
        with self._acting("key"):
            await self._ready("a key")
            await self._text.key(key)

    # Apps.

    async def launch(self, package: str) -> str:
        with self._acting("launch", {"package": package}):
            await self._ready("opening an app")
            self._screen.acted = True
            return await self._apps.launch(package)

    async def launch_in(self, profile: Profile, package: str) -> str:
        with self._acting("launch", {"package": package}):
            await self._ready("opening an app")
            self._screen.acted = True
            return await self._apps.launch(package, profile.user)

    async def stop(self, package: str) -> bool:
        with self._acting("stop", {"package": package}):
            return await self._apps.stop(package)

    # Intents.

    async def send_intent(self, intent: Intent) -> Sent:
        with self._acting("intent"):
            if intent.kind == "activity":
                await self._ready("opening it")
                self._screen.acted = True
            try:
                return await self._intents.send(intent)
            except NotByShell as lack:
                raise ActionFailed(f"{lack} Nothing was done. {self._why()}".rstrip()) from None

    # Files.

    async def locate(self, root: str, path: str) -> Place:
        with translated("locate", {"root": root, "path": path}):
            return await self._files.locate(root, path)

    async def commit(self, root: str, temp: str, path: str, expect: Content | None) -> None:
        with translated("commit", {"root": root, "path": path}, act=True):
            await self._files.commit(root, temp, path, expect)

    async def remove(self, root: str, path: str) -> bool:
        with translated("remove", {"root": root, "path": path}, act=True):
            return await self._files.remove(root, path)

    # App tools.

    async def declared_tools(self) -> DeclaredTools:
        with translated("offers"):
            return await self._apk_app_tools.declared_tools()

    async def declaring_apps(self, packages: Collection[str]) -> Mapping[str, DeclaringApp]:
        with translated("offers"):
            return await self._apk_app_tools.identify(packages)

    async def changed_packages(self, after: int) -> ChangedPackages:
        with translated("offers"):
            return await self._apk_app_tools.changed(after)

    @cached_property
    def _apk_app_tools(self) -> "ApkAppTools":
        from .apk_app_tools import ApkAppTools

        return ApkAppTools(self._link)

    async def call_provider(
        self,
        authority: str,
        method: str,
        extras: Bundle | None,
        within_ms: int,
        *,
        act: bool = True,
    ) -> Bundle | None:
        raise AppFailed(AppProblem.UNREACHABLE, refusal(Unsupported.APP_TOOLS, self._why()))

    async def call_service(
        self, package: str, class_name: str, id: str, extras: Mapping[str, str], within_ms: int
    ) -> ServiceReply:
        raise AppFailed(AppProblem.UNREACHABLE, refusal(Unsupported.APP_TOOLS, self._why()))


def _is_sideways(node: Node) -> bool:
    name = node.class_name or ""
    return "Horizontal" in name or name.endswith(("ViewPager", "ViewPager2", "Gallery"))
