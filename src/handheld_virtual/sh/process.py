"""Programs that run on the virtual phone, with their arguments, streams and exit codes."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..phone import VirtualPhone


class Input(Protocol):
    async def read(self, limit: int = 65536) -> bytes:
        """Read at most `limit` bytes; b"" at the end of file."""
        ...


class Output(Protocol):
    async def write(self, data: bytes) -> None: ...


@dataclass(frozen=True, slots=True)
class Process:
    """A running program. It ends by returning its exit code, or is cancelled when its stream
    closes."""

    phone: "VirtualPhone"
    arguments: Sequence[str]
    """The arguments; the first is the command's name."""
    environment: Mapping[str, str]
    stdin: Input
    stdout: Output
    stderr: Output


Program = Callable[[Process], Awaitable[int]]
