"""The tools as one kind of client sees them: names, phones, callers, outgoing text.

There is no second way to a phone: MCP, the command line and the console all call through here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .tool import Item, Listing


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: by which door, and as what the client introduced itself."""

    door: str
    """http, stdio, cli"""
    client: str = ""


class Surface(Protocol):
    """`phone` narrows to one phone (slug or serial); None is the surface's own choice."""

    async def instructions(self) -> str: ...

    async def tools(self, phone: str | None = None) -> Sequence[Listing]: ...

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        phone: str | None = None,
    ) -> Sequence[Item]:
        """Raises ToolError (a failure the model reads) or UnknownTool."""
        ...

    async def aclose(self) -> None: ...
