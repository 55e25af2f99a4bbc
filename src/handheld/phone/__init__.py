"""What tools are given: a phone."""

from .elements import Elements, Marked
from .phone import Phone

__all__ = ["Elements", "Marked", "Phone"]
