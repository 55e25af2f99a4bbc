"""The driver that uses Android's own commands, for a phone on which the helper does not run.

Slower and with less: a screen is read at rest, elements are found anew and touched by their place,
text is typed by keys. What cannot be done so is refused by name.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..adb.link import AdbError, Link
from ..errors import ActionFailed
from ..helper.protocol import Code, HelperFailure
from ..helper.session import HelperLost
from ..ui.model import Flag, Node, Screen
from . import NotActionable, Picture, Point, Refused, Target, TargetMissing
from .aim import Covered, Undecided, find_area, find_point
from .app_tools import AppFailed, AppProblem, Bundle, ChangedPackages, DeclaredTools, ServiceReply
from .apps import AppProcesses, Installed
from .commands import Commands
from .exit_reasons import find_ending
from .files import Content, Place
from .finger import PATHS_SINCE, NoPaths, Stroke, TooManyFingers, scroll_stroke, touch_line
from .helper_driver import Asked, translate
from .logcat import read_logs
from .radio import read_airplane_mode, read_known_subscriptions
from .screencap import take_picture
from .shell_apps import ShellApps
from .shell_files import ShellFiles
from .shell_screen import Seen, ShellScreen
from .shell_text import ShellText
from .sms import Subscription
from .text import Typed, Typing
from .unsupported import NeedsHelper, Unsupported, refusal

if TYPE_CHECKING:
    from .apk_app_tools import ApkOffers

LONG_PRESS_MS = 800
SCROLL_SHARE = 0.7
SCROLL_MS = 400
REST_MS = 150
"""A finger that rests before it is lifted leaves a list where it is, and no row is passed over."""
SLOW_SCROLL_MS = 2000
"""Where it cannot rest, it is slow: the list rolls on, but by less than what it still shows."""
SLACK_SECONDS = 20.0
_BUTTONS = {
    "back": "input keyevent 4",
    "home": "input keyevent 3",
    "recents": "input keyevent 187",
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


class ShellDriver:
    """Every verb is one or a few command lines."""

    def __init__(
        self,
        link: Link,
        *,
        wake: bool = True,
        why: Callable[[], str] = str,
        notes: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        """`wake`: whether an action switches on a screen that is off. `why` is a sentence about the
        helper, `notes` what a screen says beside what it is."""
        self._link = link
        self._wake = wake
        self._why = why
        self._commands = Commands(link)
        self._screen = ShellScreen(self._commands, wake, notes)
        self._text = ShellText(self._commands, self._screen, self._tap, why)
        self._apps = ShellApps(self._commands)
        self._files = ShellFiles(self._commands)

    async def boot_id(self) -> str:
        """Another after each start of the phone; "" where it may not be read."""
        with _telling("boot_id"):
            return await self._commands.boot_id()

    # Looking.

    async def read_screen(self) -> Screen:
        with _telling("screen"):
            return (await self._screen.read()).screen

    async def capture(self, max_size: int | None, format: str, quality: int) -> Picture:
        with _telling("capture"):
            return await take_picture(self._commands, max_size, format, quality)

    async def changed(self, after: int, within_ms: int) -> int:
        """By looking again, which takes its own time; a screen that was read at rest and not
        touched since is not looked at again."""
        if self._screen.seq <= after and self._screen.acted:
            try:
                await self.read_screen()
            except ActionFailed:
                # In motion, or between two windows: that is a change.
                self._screen.seq = max(self._screen.seq, after + 1)
        return self._screen.seq

    # Touching.

    async def touch(self, strokes: Sequence[Sequence[Point]]) -> None:
        with _telling("touch", act=True):
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
        length = max(stroke[-1][2] for stroke in strokes)
        self._screen.acted = True
        await self._commands.do(line, seconds=length / 1000 + SLACK_SECONDS)

    async def _ready(self, operation: str = "a touch") -> tuple[int, int]:
        """The screen's size, once the screen is on; else `deed` is what has no effect."""
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
        size = glance.size()
        if size is None:
            raise HelperFailure(Code.FAILED, "The phone does not say how large its screen is.")
        return size

    async def scroll(self, direction: str, share: float, duration_ms: int) -> None:
        with _telling("scroll", act=True):
            width, height = await self._ready()
            await self._touch([scroll_stroke(direction, share, duration_ms, width, height)])

    async def pinch(self, x: float, y: float, scale: float, duration_ms: int) -> float:
        raise NeedsHelper(Unsupported.FINGERS, self._why())

    async def press(self, button: str) -> None:
        with _telling("press", act=True):
            await self._ready("a button")
            self._screen.acted = True
            await self._commands.do(_BUTTONS[button])

    async def act(self, target: Target, action: str) -> None:
        """At the place where a reading has just found the element."""
        with _telling("act", act=True):
            node = target.shown
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

    async def _tap(self, node: Node, hold_ms: int = 0) -> None:
        seen = self._screen.reading_of(node)
        try:
            if seen is None:
                raise Covered
            x, y = find_point(seen.screen, seen.boxes, node, seen.unread)
        except Undecided:
            raise Refused(
                "Another element takes touches in the same place, and this Android does not say"
                " which of the two lies on top; without Handheld's helper on the phone an element"
                " is touched by its place alone. Nothing was done. Call get_screen_state with"
                " include_screenshot=true to see it, and tap by coordinates if it is on top."
            ) from None
        except Covered:
            raise Refused(
                "No part of the element is free to be touched: it is covered or out of sight, and"
                " without Handheld's helper on the phone it is touched by its place alone. Nothing"
                " was done. Scroll to it or close what lies over it, then read the screen again."
            ) from None
        await self._touch([[(x, y, 0), (x, y, hold_ms)]] if hold_ms else [[(x, y, 0)]])

    async def _swipe(self, node: Node, seen: Seen, forward: bool) -> None:
        try:
            left, top, right, bottom = find_area(seen.screen, seen.boxes, node, seen.unread)
        except Covered:
            raise Refused("It is covered or out of sight. Nothing was done.") from None
        x, y = (left + right) / 2, (top + bottom) / 2
        upright = bottom - top >= right - left or not _is_sideways(node)
        reach = (bottom - top if upright else right - left) * SCROLL_SHARE / 2
        away = reach if forward else -reach
        start = (x, y + away) if upright else (x + away, y)
        end = (x, y - away) if upright else (x - away, y)
        if await self._commands.api() < PATHS_SINCE:
            await self._touch([[(*start, 0), (*end, SLOW_SCROLL_MS)]])
            return
        (from_x, from_y), (to_x, to_y) = start, end
        path = [
            (from_x + (to_x - from_x) * step / 4, from_y + (to_y - from_y) * step / 4)
            for step in range(5)
        ]
        stroke: list[Point] = [(*at, step * SCROLL_MS // 4) for step, at in enumerate(path)]
        await self._touch([[*stroke, (*end, SCROLL_MS + REST_MS)]])

    # Text.

    async def type(self, target: Target, typing: Typing) -> Typed:
        with _telling("type", act=True):
            return await self._text.type(target, typing)

    async def key(self, key: str) -> None:
        with _telling("key", act=True):
            await self._ready("a key")
            await self._text.key(key)

    async def get_clipboard(self) -> str | None:
        raise NeedsHelper(Unsupported.CLIPBOARD, self._why())

    async def set_clipboard(self, text: str) -> None:
        raise NeedsHelper(Unsupported.CLIPBOARD, self._why())

    # Apps.

    async def launch(self, package: str) -> str:
        with _telling("launch", {"package": package}, act=True):
            await self._ready("opening an app")
            self._screen.acted = True
            return await self._apps.launch(package)

    async def packages(self, kind: str) -> list[Installed]:
        with _telling("packages"):
            return await self._apps.packages(kind)

    async def processes(self, package: str) -> AppProcesses | None:
        with _telling("processes"):
            return await self._apps.processes(package)

    async def stop(self, package: str) -> bool:
        with _telling("stop", {"package": package}, act=True):
            return await self._apps.stop(package)

    async def logs(self, filters: Sequence[str], last: int | None) -> str:
        with _telling("logs"):
            return await read_logs(self._link, filters, last)

    # Files.

    async def locate(self, root: str, path: str) -> Place:
        with _telling("locate", {"root": root, "path": path}):
            return await self._files.locate(root, path)

    async def commit(self, root: str, temp: str, path: str, expect: Content | None) -> None:
        with _telling("commit", {"root": root, "path": path}, act=True):
            await self._files.commit(root, temp, path, expect)

    async def remove(self, root: str, path: str) -> bool:
        with _telling("remove", {"root": root, "path": path}, act=True):
            return await self._files.remove(root, path)

    # What apps offer.

    async def offers(self) -> DeclaredTools:
        with _telling("offers"):
            return await self._apk_offers.offers()

    async def changed_packages(self, after: int) -> ChangedPackages:
        with _telling("offers"):
            return await self._apk_offers.changed(after)

    @cached_property
    def _apk_offers(self) -> "ApkOffers":
        from .apk_app_tools import ApkOffers

        return ApkOffers(self._link)

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

    async def find_ending(self, package: str, within_ms: int) -> str:
        return await find_ending(self._link, package, within_ms)

    async def subscriptions(self) -> list[Subscription]:
        raise NeedsHelper(Unsupported.MESSAGES, self._why())

    async def known_subscriptions(self) -> frozenset[int] | None:
        return await read_known_subscriptions(self._link)

    async def airplane_mode(self) -> bool | None:
        return await read_airplane_mode(self._link)

    async def send_sms(self, subscription: int, to: str, text: str) -> int:
        raise NeedsHelper(Unsupported.MESSAGES, self._why())

    async def release(self) -> bool:
        return False  # what a command holds ends with it

    async def aclose(self) -> None:
        """Nothing is kept open."""


def _is_sideways(node: Node) -> bool:
    name = node.class_name or ""
    return "Horizontal" in name or name.endswith(("ViewPager", "ViewPager2", "Gallery"))


@contextmanager
def _telling(
    do: str, arguments: dict[str, Any] | None = None, *, act: bool = False
) -> Generator[None]:
    """A failure below, as a tool says it: in the same words as one of the helper."""
    try:
        yield
    except (HelperFailure, HelperLost, AdbError) as problem:
        raise translate(problem, Asked(do, arguments or {}, act)) from problem
