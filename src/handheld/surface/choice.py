"""Two surfaces of the same phones: a request's filter says which one it is for."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..access.tool_filter import AGENT, EVERYTHING, ToolFilter
from ..toolkit.call import Caller
from ..toolkit.tool import Item, Listing
from .protocols import Surface


class ChosenSurface:
    def __init__(self, main: Surface, agent: Surface) -> None:
        self._main = main
        self._agent = agent

    def _surface(self, tool_filter: ToolFilter) -> Surface:
        return self._agent if tool_filter.surface == AGENT else self._main

    async def instructions(self, tool_filter: ToolFilter = EVERYTHING) -> str:
        return await self._surface(tool_filter).instructions(tool_filter)

    async def tools(self, tool_filter: ToolFilter = EVERYTHING) -> Sequence[Listing]:
        return await self._surface(tool_filter).tools(tool_filter)

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        tool_filter: ToolFilter = EVERYTHING,
    ) -> Sequence[Item]:
        return await self._surface(tool_filter).call(name, arguments, caller, tool_filter)

    async def aclose(self) -> None:
        await self._main.aclose()
        await self._agent.aclose()
