"""What a console works with."""

from dataclasses import dataclass

from ..approval import Gate
from ..audit import AuditLog
from ..clock import SYSTEM_CLOCK, Clock
from ..fleet import Fleet
from ..settings import Settings
from ..surface import Surface
from ..tokens import Tokens


@dataclass(frozen=True, slots=True)
class Desk:
    """The running server's own parts. Phones are reached through `surface` alone."""

    surface: Surface
    fleet: Fleet
    settings: Settings
    audit: AuditLog | None = None
    """None where nothing is recorded."""
    gate: Gate | None = None
    """None where nobody is asked."""
    tokens: Tokens | None = None
    clock: Clock = SYSTEM_CLOCK
