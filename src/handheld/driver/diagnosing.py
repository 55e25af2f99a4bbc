"""Crashes and performance of apps: the protocol. Its values are loaded with the first call."""

from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .crashes import CrashRecords
    from .performance import Performance


class DiagnosticDriver(Protocol):
    async def crash_records(self, package: str | None, near: datetime | None) -> "CrashRecords":
        """Return the crash records of an app, as far as Android can separate them, or of all apps.
        Only with `near` are reports whole, and then only those of that time are returned."""
        ...

    async def performance(self, package: str) -> "Performance":
        """Return the app's current use of resources."""
        ...
