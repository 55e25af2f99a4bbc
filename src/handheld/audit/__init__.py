"""What was called on the phones: recorded before it runs, completed after, with secrets masked."""

from .entry import AuditEntry, AuditError, State
from .log import AuditLog
from .masking import Masks
from .reading import AuditReader
from .recorder import Record, Recorder
from .subscription import Subscription

__all__ = [
    "AuditEntry",
    "AuditError",
    "AuditLog",
    "AuditReader",
    "Masks",
    "Record",
    "Recorder",
    "State",
    "Subscription",
]
