"""What tools are given: a phone."""

from .elements import Elements, Marked, Printed
from .phone import Phone

__all__ = ["Elements", "Marked", "Phone", "Printed"]
