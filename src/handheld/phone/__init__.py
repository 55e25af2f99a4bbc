"""What tools are given: a phone."""

from .clock import Clock, RealClock
from .elements import Elements
from .marked import Marked
from .phone import Phone
from .printed import Printed

__all__ = ["Clock", "Elements", "Marked", "Phone", "Printed", "RealClock"]
