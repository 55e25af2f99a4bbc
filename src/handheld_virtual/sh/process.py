"""A program that runs on the virtual phone: its arguments, streams and exit code."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..phone import VirtualPhone


class Input(Protocol):
    async def read(self, limit: int = 65536) -> bytes:
        """b"" at end of file."""
        ...


class Output(Protocol):
    async def write(self, data: bytes) -> None: ...


@dataclass(frozen=True, slots=True)
class Process:
    """One running program. It ends by returning its exit code, or is cancelled when its stream is
    closed."""

    phone: "VirtualPhone"
    arguments: Sequence[str]
    """The command's own name first."""
    environment: Mapping[str, str]
    stdin: Input
    stdout: Output
    stderr: Output


Program = Callable[[Process], Awaitable[int]]
