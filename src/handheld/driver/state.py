"""Settings and sent messages of a phone: the protocol."""

from collections.abc import Mapping
from typing import Protocol


class StateDriver(Protocol):
    async def setting(self, table: str, name: str) -> str | None:
        """Return the value in one of Android's three tables (system, secure, global); None if there
        is none."""
        ...

    async def sent_messages(self) -> Mapping[int, str] | None:
        """Return the recipients of this phone's text messages, sent or not, by message id; None if
        Android does not let the shell read them."""
        ...
