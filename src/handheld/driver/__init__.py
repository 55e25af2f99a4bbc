"""What can be done on a phone, whichever way it is done.

`helper_driver` does it through our program on the phone, `shell_driver` with Android's own
commands, `fallback` through whichever is available. What cannot be done is a typed reason, never a
plausible value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..errors import ActionFailed
from ..ui.model import Node, Screen
from .app_tools import Bundle, ChangedPackages, DeclaredTools, ServiceReply
from .apps import AppProcesses, Installed
from .files import Content, Place
from .sms import Subscription
from .text import Typed, Typing

Point = tuple[float, float, int]
"""x, y in pixels and the time in milliseconds from the gesture's start."""


@dataclass(frozen=True, slots=True)
class NodeSignature:
    """What a node is known by. `text` is None where it is not compared (an editable node)."""

    class_name: str | None
    resource_id: str | None
    description: str | None
    text: str | None
    compare_text: bool = True


@dataclass(frozen=True, slots=True)
class Target:
    """A node to act on: its key, what must stand there, and what must stand beside it."""

    key: str
    looks: NodeSignature
    anchor_key: str = ""
    anchor: NodeSignature | None = None
    shown: Node | None = field(default=None, compare=False)
    """As the last reading had it, for a driver that knows no keys."""


@dataclass(frozen=True, slots=True)
class Picture:
    data: bytes
    width: int
    height: int
    format: str
    secure: tuple[str, ...] = ()
    """Titles of secure windows, which are black in the picture."""


class Driver(Protocol):
    """The verbs. Each raises `errors.ToolError` kinds with a sentence that says what happened."""

    async def read_screen(self) -> Screen: ...

    async def capture(self, max_size: int | None, format: str, quality: int) -> Picture: ...

    async def touch(self, strokes: Sequence[Sequence[Point]]) -> None: ...

    async def scroll(self, direction: str, share: float, duration_ms: int) -> None:
        """A finger through the middle of the screen, over a share of its height or width."""
        ...

    async def pinch(self, x: float, y: float, scale: float, duration_ms: int) -> float:
        """Two fingers on either side of the centre, kept on the screen. The scale that an app sees
        of it."""
        ...

    async def press(self, button: str) -> None: ...

    async def act(self, target: Target, action: str) -> None:
        """Verify and act in one call. Raises TargetMissing when it is not what was expected."""
        ...

    async def type(self, target: Target, typing: Typing) -> Typed:
        """Type into a field and read it back. Raises TargetMissing, CannotType."""
        ...

    async def key(self, key: str) -> None:
        """enter, del, tab or space, at the cursor of the field with the focus. Raises NoField."""
        ...

    async def launch(self, package: str) -> str:
        """Open an app; the package of the activity that is in front then. It is another one's where
        Android asks the owner something first, or the app has passed the start on, in its task."""
        ...

    async def packages(self, kind: str) -> list[Installed]:
        """all, user or system."""
        ...

    async def processes(self, package: str) -> AppProcesses | None:
        """None when it is not installed."""
        ...

    async def stop(self, package: str) -> bool:
        """End an app in the background; whether it was started again at once. Raises InFront."""
        ...

    async def logs(self, filters: Sequence[str], last: int | None) -> str:
        """What logcat prints, threadtime with year, zone and uid: of the last so many entries, or
        of all, those that its filters let through."""
        ...

    async def changed(self, after: int, within_ms: int) -> int: ...

    async def locate(self, root: str, path: str) -> Place:
        """What `path` below `root` is. Raises LeadsOutside, SyncError."""
        ...

    async def commit(self, root: str, temp: str, path: str, expect: Content | None) -> None:
        """Give the file `temp` in `root` the name `path`, in one step, and only while `path` still
        holds what is expected. Raises FileChanged, InDoubt, LeadsOutside, SyncError."""
        ...

    async def remove(self, root: str, path: str) -> bool:
        """Whether there was such a file. Raises InDoubt, LeadsOutside, SyncError."""
        ...

    async def get_clipboard(self) -> str | None:
        """The text on the clipboard; None when there is none."""
        ...

    async def set_clipboard(self, text: str) -> None: ...

    async def offers(self) -> DeclaredTools:
        """What the apps on the phone offer, as far as they declare it."""
        ...

    async def changed_packages(self, after: int) -> ChangedPackages:
        """What was installed, updated or removed since that count."""
        ...

    async def call_provider(
        self,
        authority: str,
        method: str,
        extras: Bundle | None,
        within_ms: int,
        *,
        act: bool = True,
    ) -> Bundle | None:
        """What is no act may be asked twice, where the first time nobody heard it. Raises
        AppFailed."""
        ...

    async def call_service(
        self, package: str, class_name: str, id: str, extras: Mapping[str, str], within_ms: int
    ) -> ServiceReply:
        """Start a service with these extras and a callback, and wait for the reply to the request
        with this id. Raises AppFailed."""
        ...

    async def find_ending(self, package: str, within_ms: int) -> str:
        """What became of an app whose process ended in that time, as a predicate; "" where the
        phone does not say."""
        ...

    async def subscriptions(self) -> list[Subscription]:
        """Of the active SIM cards, by their slots."""
        ...

    async def known_subscriptions(self) -> frozenset[int] | None:
        """Of all SIM cards that the phone has ever had; None where it does not say."""
        ...

    async def airplane_mode(self) -> bool | None:
        """Whether it is on; None where the phone does not say."""
        ...

    async def send_sms(self, subscription: int, to: str, text: str) -> int:
        """Send a message, once; into how many parts it was divided. Raises SmsFailed."""
        ...

    async def release(self) -> bool:
        """Let go of what other programs on the phone may want. Whether anything was held."""
        ...

    async def aclose(self) -> None: ...


class TargetMissing(Exception):
    """The node is gone, or it or its anchor shows something else. Nothing was done."""

    def __init__(self, gone: bool) -> None:
        super().__init__("gone" if gone else "changed")
        self.gone = gone


class NotActionable(Exception):
    """The node is there as expected but does not offer the action. Nothing was done."""


class Refused(ActionFailed):
    """The node was asked and said no: a list at its end does not scroll on. Nothing was done."""


class Restless(ActionFailed):
    """The screen never came to rest, and cannot be read while it moves."""

    def __init__(self, message: str, bare: Screen) -> None:
        super().__init__(message)
        self.bare = bare
        """The screen as far as it is known: without windows."""
