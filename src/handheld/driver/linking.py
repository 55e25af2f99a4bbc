"""Whether the phone has accepted this process, of several hosts that can reach it."""

from typing import Protocol


class LinkDriver(Protocol):
    @property
    def linked(self) -> bool:
        """Whether the phone has accepted our claim, and its stream is open. True of a phone on
        which the helper does not run: it cannot tell hosts apart."""
        ...

    async def link(self) -> None:
        """Let the phone accept our claim. Raises ToolError."""
        ...

    async def unlink(self) -> None:
        """End the stream to the phone, if there is one; the next call opens another."""
        ...
