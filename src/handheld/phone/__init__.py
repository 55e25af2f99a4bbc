"""What tools are given: a phone."""

from .clock import Clock, RealClock
from .elements import Elements, Printed
from .marked import Marked
from .phone import Phone

__all__ = ["Clock", "Elements", "Marked", "Phone", "Printed", "RealClock"]
