"""Surfaces of the same phones: a request's scope says which one it is for."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from ..access.request_scope import AGENT, EVERYTHING, RequestScope
from ..errors import UnknownTool
from ..tools.call import Caller
from ..tools.tool import Item, Listing
from .protocols import Surface

Calling = Coroutine[Any, Any, Sequence[Item]]
Around = Callable[[str, Mapping[str, Any], Calling], Calling]
"""What is done around a call: it is given the name, the arguments, and what runs the call."""


class ChosenSurface:
    """One that is not there has no tools."""

    def __init__(
        self,
        main: Surface,
        agent: Surface,
        others: Mapping[str, Surface] | None = None,
        around: Around | None = None,
    ) -> None:
        self._surfaces = {"": main, AGENT: agent, **(others or {})}
        self._around = around

    def beside(self, others: Mapping[str, Surface]) -> "ChosenSurface":
        """The same surfaces, and others."""
        return ChosenSurface(self._surfaces[""], self._surfaces[AGENT], others)

    def metered(self, around: Around) -> "ChosenSurface":
        """The same surfaces, with something around each call."""
        return ChosenSurface(self._surfaces[""], self._surfaces[AGENT], around=around)

    async def instructions(self, scope: RequestScope = EVERYTHING) -> str:
        surface = self._surfaces.get(scope.surface)
        return "" if surface is None else await surface.instructions(scope)

    async def tools(self, scope: RequestScope = EVERYTHING) -> Sequence[Listing]:
        surface = self._surfaces.get(scope.surface)
        return () if surface is None else await surface.tools(scope)

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        scope: RequestScope = EVERYTHING,
    ) -> Sequence[Item]:
        surface = self._surfaces.get(scope.surface)
        if surface is None:
            raise UnknownTool(name)
        calling = surface.call(name, arguments, caller, scope)
        return await (calling if self._around is None else self._around(name, arguments, calling))
