"""What a console works with."""

from dataclasses import dataclass

from ..access.approval import ApprovalGate
from ..access.tokens import Tokens
from ..audit import AuditLog
from ..clock import SYSTEM_CLOCK, Clock
from ..devices import Devices
from ..settings import Settings
from ..surface.local import Surface


@dataclass(frozen=True, slots=True)
class ConsoleContext:
    """The running server's own parts. Phones are reached through `surface` alone."""

    surface: Surface
    devices: Devices
    settings: Settings
    audit: AuditLog | None = None
    """None where nothing is recorded."""
    gate: ApprovalGate | None = None
    """None where nobody is asked."""
    tokens: Tokens | None = None
    clock: Clock = SYSTEM_CLOCK
