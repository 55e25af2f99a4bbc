"""The audit record. Each call is written before it runs and completed afterwards, with secrets
masked."""

from .entry import AuditEntry, AuditError, State
from .log import AuditLog
from .masking import Masks
from .reading import AuditReader
from .recorder import Record, Recorder
from .subscription import EntrySubscription

__all__ = [
    "AuditEntry",
    "AuditError",
    "AuditLog",
    "AuditReader",
    "EntrySubscription",
    "Masks",
    "Record",
    "Recorder",
    "State",
]
