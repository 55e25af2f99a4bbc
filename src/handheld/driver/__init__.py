"""The interface of a phone: what it can do, independent of the implementation.

The verbs are grouped into protocols by subject, each next to the values it takes and returns.
`by_helper` implements them through our program on the phone, `by_shell` those that Android's own
commands can do, `by_adb` those that need no helper, and `fallback` chooses between the first two. A
verb that a driver cannot do raises a typed reason; it never returns a plausible value.
"""

from typing import Protocol, Self

from .app_tools import AppToolDriver
from .apps import AppDataDriver, AppDriver, LogDriver, ProfileDriver
from .cameras import CameraDriver
from .conditions import Conditions
from .device import DeviceDriver
from .diagnostics import DiagnosticDriver
from .files import FileDriver
from .guarding import Guard
from .hardware import HardwareDriver
from .input import (
    InputDriver,
    InputRefused,
    LiftDriver,
    NotActionable,
    OutOfReach,
    PinchDriver,
    Point,
    Seek,
    Sought,
    Spot,
)
from .intents import IntentDriver
from .notifications import NotificationDriver
from .packages import PackageDriver
from .recording import RecordingDriver
from .screen import NoticeDriver, Rest, Rested, Restless, ScreenDriver, Screenshot
from .sms import RadioDriver, SmsDriver
from .tables import TableDriver
from .target import NodeSignature, Target, TargetMissing
from .text import ClipboardDriver, TextDriver
from .web import WebDriver

__all__ = [
    "Driver",
    "ElementDriver",
    "Guard",
    "InputRefused",
    "NodeSignature",
    "NotActionable",
    "OutOfReach",
    "Point",
    "Rest",
    "Rested",
    "Restless",
    "ScreenDriver",
    "Screenshot",
    "Seek",
    "Sought",
    "Spot",
    "Target",
    "TargetMissing",
]


class ElementDriver(ScreenDriver, InputDriver, Protocol):
    """Reading elements and acting on them."""


class Driver(
    ElementDriver,
    NoticeDriver,
    LiftDriver,
    PinchDriver,
    TextDriver,
    ClipboardDriver,
    AppDriver,
    ProfileDriver,
    AppDataDriver,
    PackageDriver,
    LogDriver,
    IntentDriver,
    FileDriver,
    AppToolDriver,
    SmsDriver,
    RadioDriver,
    NotificationDriver,
    DeviceDriver,
    DiagnosticDriver,
    RecordingDriver,
    TableDriver,
    CameraDriver,
    HardwareDriver,
    WebDriver,
    Protocol,
):
    """All verbs of a phone. Each raises `errors.ToolError` kinds whose message states what
    happened."""

    conditions: Conditions

    @property
    def linked(self) -> bool:
        """Whether the phone has accepted our claim, and the stream is open. True for a phone
        without a running helper: it cannot tell hosts apart."""
        ...

    async def link(self) -> None:
        """Claim the phone for this one of several hosts that can reach it. Raises ToolError."""
        ...

    async def unlink(self) -> None:
        """Close the stream to the phone, if there is one; the next call opens a new one."""
        ...

    def resting(self, rest: Rest) -> Self:
        """Return a view on this driver whose actions also put the screen at rest into `rest`, if
        one call can do both. Use it for the last action only: each action waits for rest."""
        ...

    def guarded(self, guard: Guard) -> Self:
        """Return a view on this driver that asks `guard` before each part of an action on the
        screen, and during long parts."""
        ...

    async def release(self) -> bool:
        """Release the phone's resources that other programs may need; return whether any was
        held."""
        ...

    async def aclose(self) -> None: ...
