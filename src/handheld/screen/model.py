"""A screen: windows, top first, each a flat list of nodes in pre-order."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import IntFlag
from typing import NamedTuple


class Bounds(NamedTuple):
    """Screen pixels. May be empty or negative: apps may report anything. Android may also report
    inverted bounds, which drivers make `upright`."""

    left: int
    top: int
    right: int
    bottom: int


class Flag(IntFlag):
    """Properties of a node. The numbers are part of the helper protocol: never renumber."""

    VISIBLE = 1
    CLICKABLE = 2
    LONG_CLICKABLE = 4
    FOCUSABLE = 8
    SCROLLABLE = 16
    EDITABLE = 32
    ENABLED = 64
    CHECKABLE = 128
    CHECKED = 256
    FOCUSED = 512
    SELECTED = 1024
    PASSWORD = 2048
    SHOWING_HINT = 4096
    """`text` is the field's hint, not its content."""
    COLLECTION = 8192
    """Has collection info: its direct children are rows of a list or grid."""
    EXPANDED = 16384
    """Can be collapsed, and not expanded further."""
    COLLAPSED = 32768
    """Can be expanded, and not collapsed further."""
    HEADING = 1 << 16
    """Begins a section. Since Android 9."""
    PARTLY_CHECKED = 1 << 17
    """Checkable, and neither checked nor unchecked. Since Android 16."""
    SCROLLS_UP = 1 << 18
    """Scrollable, and offers ACTION_SCROLL_UP. Not every scrollable view reports its directions."""
    SCROLLS_DOWN = 1 << 19
    SCROLLS_LEFT = 1 << 20
    SCROLLS_RIGHT = 1 << 21
    SCROLLS_FORWARD = 1 << 24
    """Scrollable, and not at its end: it offers ACTION_SCROLL_FORWARD."""
    SCROLLS_BACKWARD = 1 << 25
    """Scrollable, and not at its beginning: it offers ACTION_SCROLL_BACKWARD."""


def upright(left: int, top: int, right: int, bottom: int) -> Bounds:
    """Return bounds that are empty where Android's are inverted. Android clips a view that is
    scrolled out to its parents, which puts its far edge before its near one."""
    return Bounds(left, top, max(left, right), max(top, bottom))


def surround(boxes: Iterable[Bounds]) -> Bounds:
    """Return the smallest box with all of them; there must be one."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Bounds(min(lefts), min(tops), max(rights), max(bottoms))


@dataclass(slots=True)
class Node:
    """A view. Not frozen: a frozen dataclass takes three times as long to create."""

    depth: int
    """0 for the window's root; the parent is the nearest earlier node of depth - 1."""
    index: int
    """Position in Android's child list, where missing children leave gaps."""
    key: str
    """Identifies the View during its lifetime (`window:view:virtual`); empty if unknown."""
    class_name: str | None
    text: str | None
    description: str | None
    resource_id: str | None
    bounds: Bounds
    flags: int
    """Of `Flag`. An int: IntFlag arithmetic is slow in loops over many nodes."""
    drawing_order: int = 0
    """Higher than that of siblings drawn before it; 0 if unknown."""


def split_hint(node: Node) -> tuple[str | None, str | None]:
    """Return text and description as they are listed. A hint is not the field's content, but
    describes it if nothing else does."""
    if node.flags & Flag.SHOWING_HINT.value:
        return None, node.description or node.text
    return node.text, node.description


def mask_password(text: str | None, flags: int) -> str | None:
    """Return a password as bullets: Android shows its last character for a moment."""
    if text is None or not flags & Flag.PASSWORD or flags & Flag.SHOWING_HINT:
        return text
    return "•" * (len(text.encode("utf-16-le", "surrogatepass")) // 2)


_SECRET_NAME = re.compile(r"passw|passcode|passphrase|(?<![a-z])(pin|otp|cvc|cvv)(?![a-z])", re.I)
"""The words in the resource id of a field for a secret."""


def is_secret_field(node: "Node") -> bool:
    """Whether a field is for a secret. While an app shows the field's content, Android no longer
    reports it as a password field."""
    named = _SECRET_NAME.search(node.resource_id or "")
    return bool(node.flags & Flag.PASSWORD.value) or named is not None


class Range(NamedTuple):
    """The value of a slider or progress bar: RangeInfo. Apps may give any finite numbers."""

    type: int
    """Android's RangeInfo type: 0 integers, 1 fractions, 2 percent."""
    least: float
    most: float
    now: float


@dataclass(slots=True)
class Details:
    """Properties that few views report, and `uiautomator` does not print."""

    state: str | None = None
    """The state description, unless it only repeats the checked state. Since Android 11."""
    error: str | None = None
    pane: str | None = None
    """The title of this part of the window. Since Android 9."""
    hint: str | None = None
    """The hint of a field with content; the hint of an empty field is its text."""
    label: str | None = None
    """The key of the view that names it."""
    range: Range | None = None
    rows: tuple[int, int] | None = None
    """Rows and columns of a list; negative if the list does not know them."""
    loading: bool = False
    """Whether it is a progress bar that does not report its progress."""


class WebNode(NamedTuple):
    """Properties of a node from a web page; `uiautomator` does not print them."""

    role: str
    """Chromium's name of the role: `paragraph`, `link`, `staticText`."""
    url: str | None = None
    """A link's target."""


@dataclass(slots=True)
class Window:
    id: int
    type: str
    """APPLICATION, INPUT_METHOD, SYSTEM, … or UNKNOWN(<int>)."""
    package: str | None
    title: str | None
    layer: int
    focused: bool
    nodes: list[Node] = field(default_factory=list[Node])
    items: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """Row and column of the nodes that are items of a list, by their position in `nodes`."""
    details: dict[int, Details] = field(default_factory=dict[int, Details])
    """The details of the few nodes that have them, by their position in `nodes`."""
    web: dict[int, WebNode] = field(default_factory=dict[int, WebNode])
    """The properties from web pages, by the position of the node in `nodes`."""

    @property
    def emptied(self) -> "Window":
        """The window without its nodes."""
        return replace(self, nodes=[], items={}, details={}, web={})


class Notice(NamedTuple):
    """A toast, or a notification that is new."""

    at: int
    """The phone's time in ms; it increases with each notice."""
    kind: str
    """`toast` or `notification`."""
    package: str
    title: str | None
    text: str | None


def find_elsewhere(windows: Iterable[Window], foreground: tuple[str, str] | None) -> str:
    """See `Screen.elsewhere`. Windows of the system, such as the notifications, lie over an
    activity that stays in front."""
    front = "" if foreground is None else foreground[0]
    read = list(windows)
    focused = next((window for window in read if window.focused), None)
    if focused is None or focused.type != "APPLICATION" or focused.package is None:
        return ""
    return "" if any(window.package == front for window in read) else front


@dataclass(slots=True)
class Screen:
    """The result of reading the screen."""

    width: int
    height: int
    density: int
    """dpi"""
    rotation: int
    """Quarter turns, 0 to 3."""
    windows: list[Window]
    foreground: tuple[str, str] | None = None
    """Package and fully qualified class of the foreground activity."""
    degraded: bool = False
    """Whether only the active window could be read."""
    notes: tuple[str, ...] = ()
    """Sentences about missing parts, without the `note:` prefix."""
    seq: int = 0
    """The phone's count of changes, sampled before the tree was walked."""

    missing: int = 0
    """Number of windows without content, which are not in `windows`."""

    notices: tuple[Notice, ...] = ()
    """The last notices that the phone reported, oldest first."""

    told: tuple[Notice, ...] = ()
    """The notices in the reply."""

    silent: tuple[str, ...] = ()
    """The packages of windows that are missing because their apps did not answer."""

    settled: bool = False
    """Whether the read itself waited for an idle screen: then no wait is needed between reads."""

    locked: bool = False
    """Whether a lock screen is shown."""

    awake: bool = True
    """Whether the screen is on."""

    conditions: tuple[str, ...] = ()
    """Sentences about a screen that is off or locked."""

    way: str = ""
    """The note on how all screens of this phone are read, if the reads are incomplete."""

    front_user: int | None = None
    """Android's user of the app in front, if it is known to be another user than the current
    one."""

    profile: str = ""
    """The name of that user, from the phone's profiles."""

    @property
    def unseen(self) -> str:
        """The notes about a missing window, which may contain an element that is not found."""
        return "; ".join(self.all_notes) if self.missing else ""

    @property
    def all_notes(self) -> tuple[str, ...]:
        return self.notes + self.conditions

    @property
    def active(self) -> Window | None:
        """The window that has the focus."""
        return next((window for window in self.windows if window.focused), None)

    @property
    def elsewhere(self) -> str:
        """The package of the activity in front, if the focused window is another app's and no
        window is its own: what was read is not what the phone shows."""
        return find_elsewhere(self.windows, self.foreground)

    @property
    def orientation(self) -> str:
        return "landscape" if self.width > self.height else "portrait"
