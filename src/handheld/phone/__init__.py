"""A phone, as tools use it."""

from .elements import Elements
from .issued_refs import IssuedRefs
from .phone import Phone
from .snapshot import Snapshot

__all__ = ["Elements", "IssuedRefs", "Phone", "Snapshot"]
