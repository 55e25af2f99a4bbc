"""Crashes and performance of apps: the protocol. Its values are loaded with the first call."""

from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .crashes import CrashRecords
    from .performance import Performance


class DiagnosticDriver(Protocol):
    async def crash_records(self, package: str | None, near: datetime | None) -> "CrashRecords":
        """Return what is recorded: of an app, as far as Android can tell its records apart, or of
        all. Reports are whole only with `near`, and then only those of that time are there."""
        ...

    async def performance(self, package: str) -> "Performance":
        """Return what the app uses now."""
        ...
