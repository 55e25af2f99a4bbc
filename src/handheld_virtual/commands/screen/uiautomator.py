"""`uiautomator`: dumps the screen as XML, in Android's format."""

import contextlib
import re

from handheld.screen.model import Bounds, Flag, Node

from ...automation import SECOND_DISPLAY, AutomationHeld, ReleaseRefused
from ...system.android import Android
from ...system.identity import identity
from ...system.latency import NODE
from ...system.logs import Writer
from ...system_ui import bars
from ...views.reading import accessibility
from ...views.reading.captured import CapturedView
from ...views.view import View
from ...views.widgets.field import Field
from ...views.window import Window
from ...world import World
from ..call import CommandCall, refuse

DEFAULT_FILE = "/sdcard/window_dump.xml"
HOLDER = "uiautomator dump"
QUIET_MS = 1000
"""The screen is idle after this time without an accessibility event."""
PATIENCE_MS = 10_000
"""How long to wait for the screen to become idle."""
ANSWER_MS = 5000
"""How long to wait for an app that does not respond."""

_STREAMS = ("/dev/tty", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
_HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
_HELP = f"""\
Usage: uiautomator <subcommand> [options]

Available subcommands:

help: displays help message

runtest: executes UI automation tests
    runtest <class spec> [options]
      This phone has no test runner: it refuses.

dump: creates an XML dump of current UI hierarchy
    dump [--verbose][file]
      [--compressed]: dumps compressed layout information.
      [file]: the location where the dumped XML should be stored, default is
      {DEFAULT_FILE}

events: prints out accessibility events until terminated
      This phone does not print them: it refuses.
"""
_KILLED = 137
_INVALID = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufdd0-\ufddf]")
_ESCAPED = re.compile('[&<>"\n\r\t]|[^\x00-\uffff]')
_NAMED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_NOT_NAF = ("GridView", "GridLayout", "ListView", "TableLayout")
_FLAGS = (
    ("checkable", int(Flag.CHECKABLE)),
    ("checked", int(Flag.CHECKED)),
    ("clickable", int(Flag.CLICKABLE)),
    ("enabled", int(Flag.ENABLED)),
    ("focusable", int(Flag.FOCUSABLE)),
    ("focused", int(Flag.FOCUSED)),
    ("scrollable", int(Flag.SCROLLABLE)),
    ("long-clickable", int(Flag.LONG_CLICKABLE)),
    ("password", int(Flag.PASSWORD)),
    ("selected", int(Flag.SELECTED)),
)
_ACTIONABLE = int(
    Flag.CLICKABLE
    | Flag.LONG_CLICKABLE
    | Flag.FOCUSABLE
    | Flag.SCROLLABLE
    | Flag.EDITABLE
    | Flag.CHECKABLE
    | Flag.COLLECTION
)


class NotIdle(Exception):
    """The screen did not become idle."""


class Unwritable(Exception):
    """Android's XML writer rejects a character; the message is its exception."""


async def uiautomator(call: CommandCall) -> None:
    match call.arguments:
        case ["dump", *words]:
            await _dump(call, words)
        case ["events" | "runtest" as command, *_]:
            await refuse(call, f"uiautomator {command} is not supported by this phone")
        case _:
            await call.process.stderr.write(_HELP.encode())


async def _dump(call: CommandCall, words: list[str]) -> None:
    world = call.phone.world
    compressed = "--compressed" in words
    # Android ignores unknown options, which includes this one on older releases.
    every_window = "--windows" in words and world.android.uiautomator_windows
    name = next((word for word in reversed(words) if not word.startswith("-")), DEFAULT_FILE)
    path = call.path(name) if name else "/"
    if world.quirks.dumps_left is not None:
        if not world.quirks.dumps_left:
            await refuse(call, "Killed ", _KILLED)  # by the system, without an exception in the log
            return
        world.quirks.dumps_left -= 1
    refusal = None
    try:
        world.automation.take(HOLDER)
    except AutomationHeld:
        await _crash(
            call,
            "java.lang.IllegalStateException: UiAutomationService "
            "android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy"
            f"@{identity(world.automation.holder)}already registered!",
        )
        return
    try:
        await wait_for_idle(world)
        text = await _windows(world, compressed) if every_window else await _root(world, compressed)
    except NotIdle:
        await refuse(call, "ERROR: could not get idle state.", 0)
        return
    except Unwritable as problem:
        if path not in _STREAMS:
            with contextlib.suppress(OSError):
                call.files.write(path, b"")  # Android has already opened the file
        await _crash(call, f"java.lang.IllegalArgumentException: {problem}")
        return
    finally:
        try:
            world.automation.release(HOLDER)
        except ReleaseRefused as problem:
            refusal = problem
            world.automation.lose(HOLDER)  # the process ends below
    if text is None:
        await refuse(call, "ERROR: null root node returned by UiTestAutomationBridge.", 0)
        return
    if path in _STREAMS:
        await call.process.stdout.write(text.encode())
    else:
        try:
            call.files.write(path, text.encode())
        except OSError as problem:
            # Even then, Android prints below that the dump was written.
            reason = f"failed to dump window to file\njava.io.FileNotFoundException: {path}: open"
            _log(call, "E", "AccessibilityNodeInfoDumper", f"{reason} failed: {problem.strerror}")
    if refusal is not None:
        await _crash(call, f"java.lang.SecurityException: {refusal}")
        return
    await call.write(f"UI hierchary dumped to: {path}\n")
    call.code = int(world.quirks.dumps_fail)


async def _crash(call: CommandCall, exception: str) -> None:
    """End with an uncaught exception: it is logged, and the program is killed."""
    trace = (
        f"FATAL EXCEPTION: main\nProcess: uiautomator\n{exception}\n"
        "\tat com.android.commands.uiautomator.DumpCommand.run(DumpCommand.java)\n"
        "\tat com.android.commands.uiautomator.Launcher.main(Launcher.java)\n"
        "\tat com.android.internal.os.RuntimeInit.nativeFinishInit(Native Method)\n"
        "\tat com.android.internal.os.RuntimeInit.main(RuntimeInit.java)"
    )
    _log(call, "E", "AndroidRuntime", trace, "crash")
    await refuse(call, "Killed ", _KILLED)


def _log(call: CommandCall, level: str, tag: str, message: str, buffer: str = "main") -> None:
    pid = max((process.pid for process in call.phone.processes.find("uiautomator")), default=0)
    call.phone.world.logs.write(Writer(pid, 2000), level, tag, message, buffer)


async def wait_for_idle(world: World) -> None:
    """Wait until the screen is idle. Raises NotIdle.

    All timers are known, so a screen without a due timer is idle at once.
    """
    deadline = world.clock.now() + PATIENCE_MS
    while True:
        seen = world.automation.seq
        due = world.timers.due
        if due is None or due > world.clock.now() + QUIET_MS:
            return
        left = deadline - world.clock.now()
        if left <= 0:
            raise NotIdle
        if (
            await world.automation.wait_changed(seen, min(QUIET_MS, left)) == seen
            and left > QUIET_MS
        ):
            return


# The document


async def _root(world: World, compressed: bool) -> str | None:
    """The dump of the focused window; None if it has no root."""
    active = world.automation.focused
    reason = next(
        (why for _, window, why in world.automation.listed_windows() if window is active), ""
    )
    if reason == "timeout":
        await world.clock.sleep(ANSWER_MS)
        reason = next(
            (why for _, window, why in world.automation.listed_windows() if window is active), ""
        )
    if active is None or reason is not None:
        return None
    # Before Android 14, the size for apps is used as the screen's size.
    size = (world.width, world.height)
    if not world.android.uiautomator_real_size:
        size = app_size(world)
    root = await _hierarchy(world, active, compressed, size)
    world.automation.end_walk()
    return _HEADER + root


def app_size(world: World) -> tuple[int, int]:
    """The size for apps, without the navigation bar."""
    before, after, below = bars.insets(
        world.rotation, round(bars.NAVIGATION_DP * world.density / 160)
    )
    return world.width - before - after, world.height - below


_FOCUSED_ELSEWHERE = (
    f'<display id="{SECOND_DISPLAY}"><window index="0" title="Elsewhere" bounds="[0,0][1920,1080]"'
    ' active="true" focused="true" accessibility-focused="false" id="999" layer="0"'
    ' type="TYPE_APPLICATION" /></display>'
)
"""A focused window that returns no content."""


async def _windows(world: World, compressed: bool) -> str:
    listed = world.automation.listed_windows()
    if any(why == "timeout" for _, _, why in listed):
        await world.clock.sleep(ANSWER_MS)
        listed = world.automation.listed_windows()
    parts = [_HEADER, "<displays>", await _display(world, compressed, 0, listed)]
    if elsewhere := world.automation.listed_elsewhere():
        parts.append(await _display(world, compressed, SECOND_DISPLAY, elsewhere))
    elif world.quirks.focus_elsewhere:
        parts.append(_FOCUSED_ELSEWHERE)
    world.automation.end_walk()
    parts.append("</displays>")
    return "".join(parts)


async def _display(
    world: World, compressed: bool, display: int, listed: list[tuple[int, Window, str | None]]
) -> str:
    if not listed:
        return ""
    focused = world.automation.focused
    parts = [f'<display id="{display}">']
    for index, (number, window, why) in enumerate(listed):
        here = "true" if window is focused else "false"
        attributes = (
            ("index", str(index)),
            ("title", window.title or ""),
            ("bounds", _bounds(*window.box)),
            ("active", here),
            ("focused", here),
            ("accessibility-focused", "false"),
            ("id", str(number)),
            ("layer", str(len(listed) - 1 - index)),
            ("type", f"TYPE_{window.type}"),
        )
        tag = "<window" + "".join(f' {name}="{_safe(value)}"' for name, value in attributes)
        if why is not None:
            parts.append(f"{tag} />")
            continue
        tree = await _hierarchy(world, window, compressed, (world.width, world.height))
        parts.append(f"{tag}>{tree}</window>")
    parts.append("</display>")
    return "".join(parts)


async def _hierarchy(world: World, window: Window, compressed: bool, size: tuple[int, int]) -> str:
    if window is world.automation.focused and world.automation.old_root is not None:
        window = world.automation.old_root
    nodes = accessibility.read(window)
    if late := world.latency.of(NODE) * len(nodes):
        await world.clock.sleep(late)
    tree = _Tree(world.android, window.package, nodes, list(_shown(window.root)), size)
    if compressed:
        tree.drop_unimportant()
    return f'<hierarchy rotation="{world.rotation}">{tree.write(0)}</hierarchy>'


def _shown(view: View) -> "list[View]":
    """The children in the order in which they are read."""
    found = [view]
    for child in view.children:
        if child.shown:
            found += _shown(child)
    return found


class _Tree:
    """The nodes of one window by index; the root is 0."""

    def __init__(
        self,
        android: Android,
        package: str,
        nodes: list[Node],
        views: list[View],
        size: tuple[int, int],
    ) -> None:
        self._package, self._size = package, size
        self._ordered = android.uiautomator_drawing_order
        self._nodes, self._views = nodes, views
        self._whole = True
        self._children: list[list[int]] = [[] for _ in nodes]
        way: list[int] = []
        for place, node in enumerate(nodes):
            del way[node.depth :]
            if way:
                self._children[way[-1]].append(place)
            way.append(place)

    def drop_unimportant(self) -> None:
        """Remove views that only group others; their children replace them."""

        def lifted(place: int) -> list[int]:
            kept: list[int] = []
            for child in self._children[place]:
                below = lifted(child)
                if _important(self._nodes[child]):
                    self._children[child] = below
                    kept.append(child)
                else:
                    kept += below
            return kept

        self._children[0] = lifted(0)
        self._whole = False

    def write(self, place: int, index: int = 0, order: int = 0) -> str:
        node, view = self._nodes[place], self._views[place]
        package = view.package if isinstance(view, CapturedView) else self._package
        parts = ["<node"]
        if self._not_accessible(place):
            parts.append(' NAF="true"')
        parts.append(
            f' index="{index}" text="{_safe(node.text)}" resource-id="{_safe(node.resource_id)}"'
            f' class="{_safe(node.class_name)}" package="{_safe(package)}"'
            f' content-desc="{_safe(node.description)}"'
        )
        flags = node.flags
        parts += [f' {name}="{"true" if flags & flag else "false"}"' for name, flag in _FLAGS]
        # Captured bounds are not clipped again.
        box = node.bounds if isinstance(view, CapturedView) else self._clipped(node.bounds)
        parts.append(f' bounds="{_bounds(*box)}"')
        if self._ordered:
            if isinstance(view, CapturedView) and view.order is not None:
                order = view.order
            hint = view.hint if isinstance(view, Field) else ""
            parts.append(f' drawing-order="{order}" hint="{_safe(hint)}"')
        below = [
            self.write(child, self._nodes[child].index if self._whole else number, number + 1)
            for number, child in enumerate(self._children[place])
            if self._is_visible(child)
        ]
        parts += [">", *below, "</node>"] if below else [" />"]
        return "".join(parts)

    def _is_visible(self, place: int) -> bool:
        view = self._views[place]
        if isinstance(view, CapturedView):
            # A view that was dumped as visible without bounds stays visible.
            return not view.hidden
        return bool(self._nodes[place].flags & Flag.VISIBLE)

    def _not_accessible(self, place: int) -> bool:
        """Whether a node gets Android's NAF mark: clickable, with no text or description in it or
        below it."""
        node = self._nodes[place]
        if (node.class_name or "").endswith(_NOT_NAF):
            return False
        silent = not node.description and not node.text
        able = node.flags & Flag.CLICKABLE and node.flags & Flag.ENABLED
        return bool(able and silent and not self._says_something(place))

    def _says_something(self, place: int) -> bool:
        return any(
            self._nodes[child].description or self._nodes[child].text or self._says_something(child)
            for child in self._children[place]
        )

    def _clipped(self, bounds: Bounds) -> Bounds:
        left, top, right, bottom = bounds
        width, height = self._size
        if left < width and right > 0 and top < height and bottom > 0:
            return Bounds(max(left, 0), max(top, 0), min(right, width), min(bottom, height))
        return bounds


def _important(node: Node) -> bool:
    """Android's rule for views that do not declare their importance."""
    return node.text is not None or bool(node.description) or bool(node.flags & _ACTIONABLE)


def _bounds(left: int, top: int, right: int, bottom: int) -> str:
    return f"[{left},{top}][{right},{bottom}]"


def _safe(text: str | None) -> str:
    """Escape a text as Android's dumper and XML writer do. Raises Unwritable as the writer
    fails."""
    if not text:
        return ""
    if text.isascii() and text.isprintable() and not _ESCAPED.search(text):
        return text
    for char in text:
        if char == "\0" or "\ud800" <= char <= "\udfff" or char in "\ufffe\uffff":
            raise Unwritable(f"Illegal character (U+{ord(char):x})")
    return _ESCAPED.sub(_escape, _INVALID.sub(".", text))


def _escape(found: re.Match[str]) -> str:
    return _NAMED.get(found[0]) or f"&#{ord(found[0])};"
