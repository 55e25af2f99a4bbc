"""What tools are given: a phone."""

from .elements import Elements
from .marked import Marked
from .phone import Phone
from .printed import Printed

__all__ = ["Elements", "Marked", "Phone", "Printed"]
