"""Counts what an agent calls: it stands between the server and the tools."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handheld_virtual import Clock, ManualClock

from ..access.tool_filter import EVERYTHING, ToolFilter
from ..errors import ToolError
from ..surface.protocols import Surface
from ..toolkit.call import Caller
from ..toolkit.tool import Item, Listing
from .phone_time import passing

MOST_CALLS = 10_000
"""Calls that are kept; whoever makes more is counted no further."""


@dataclass(frozen=True, slots=True)
class MeteredCall:
    tool: str
    request: str
    reply: str
    pictures: int = 0
    failed: bool = False


class MeteredSurface:
    """Another surface, with a list of the calls on it."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self.clock: Clock | None = None
        """The phone's; the time of a manual one passes during calls."""
        self.calls: list[MeteredCall] = []

    async def instructions(self, tool_filter: ToolFilter = EVERYTHING) -> str:
        return await self._surface.instructions(tool_filter)

    async def tools(self, tool_filter: ToolFilter = EVERYTHING) -> Sequence[Listing]:
        return await self._surface.tools(tool_filter)

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        tool_filter: ToolFilter = EVERYTHING,
    ) -> Sequence[Item]:
        request = f"{name}{json.dumps(dict(arguments), ensure_ascii=False)}"
        calling = self._surface.call(name, arguments, caller, tool_filter)
        try:
            clock = self.clock
            items = await (passing(clock, calling) if isinstance(clock, ManualClock) else calling)
        except ToolError as failure:
            texts = (failure.message, *failure.details)
            self._keep(MeteredCall(name, request, "\n".join(texts), failed=True))
            raise
        texts = [item for item in items if isinstance(item, str)]
        self._keep(MeteredCall(name, request, "\n".join(texts), len(items) - len(texts)))
        return items

    async def aclose(self) -> None:
        await self._surface.aclose()

    def _keep(self, call: MeteredCall) -> None:
        if len(self.calls) < MOST_CALLS:
            self.calls.append(call)
