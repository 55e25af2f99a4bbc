"""The parts of the server that the console uses."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from ..access.approval import ApprovalGate
from ..access.stop_switch import StopSwitch
from ..access.tokens import Tokens
from ..app_tools.check.finding import Finding
from ..audit import AuditLog
from ..calls.local import Surface
from ..clock import SYSTEM_CLOCK, Clock
from ..devices import Devices
from ..phone.files.storage import Location
from ..settings import Settings
from .screen_stream import ConsoleScreens


@dataclass(frozen=True, slots=True)
class ConsoleContext:
    """The running server's own parts. The console reaches phones only through `surface`."""

    surface: Surface
    devices: Devices
    settings: Settings
    examine: Callable[[], AsyncIterator[Finding]]
    """What `handheld doctor` finds."""
    audit: AuditLog | None = None
    """None if calls are not recorded."""
    gate: ApprovalGate | None = None
    """None if calls need no approval."""
    tokens: Tokens | None = None
    clock: Clock = SYSTEM_CLOCK
    offered: Sequence[Location] = ()
    """Storage locations in addition to those of the owner's file."""
    switch: StopSwitch | None = None
    """None if agents cannot be stopped."""
    screens: ConsoleScreens | None = None
    """Built from `devices` unless gateways share it."""
