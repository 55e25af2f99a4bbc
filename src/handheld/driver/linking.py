"""The link that a phone grants to one of several hosts that can reach it."""

from typing import Protocol


class LinkDriver(Protocol):
    @property
    def linked(self) -> bool:
        """Whether the phone has accepted our claim, and the stream is open. True for a phone
        without a running helper: it cannot tell hosts apart."""
        ...

    async def link(self) -> None:
        """Claim the phone. Raises ToolError."""
        ...

    async def unlink(self) -> None:
        """Close the stream to the phone, if there is one; the next call opens a new one."""
        ...
