"""The names of the tools for models: `phone_…`, or with another prefix, in all that a client
reads. Rules, filters and the record go by the names with `phone_`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..access.tool_filter import EVERYTHING, ToolFilter
from ..errors import ToolError, UnknownTool
from ..toolkit.call import Caller
from ..toolkit.listing import KEPT_PREFIX, PHONE_PREFIX, Item, Listing
from .protocols import Surface

_CONTENT = ("phone_read",)
"""Their replies are content, which stays as it is."""


class AgentNames:
    def __init__(self, surface: Surface, names: Iterable[str], prefix: str = PHONE_PREFIX) -> None:
        """`names` are those of all tools; `prefix` is for requests that state none."""
        self._surface = surface
        self._names = frozenset(names)
        self._prefix = prefix
        words = "|".join(sorted(name.removeprefix(PHONE_PREFIX) for name in self._names))
        # Words of the phone, which are in quotes, and rules of the owner stay as they are.
        self._mentions = re.compile(
            r'"(?:[^"\\]|\\(?:.|\Z))*"?|rule \'[^\']*\''
            rf"|\b{PHONE_PREFIX}(?=(?:{words})\b|<tool>)",
            re.DOTALL,
        )

    def _prefix_in(self, tool_filter: ToolFilter) -> str:
        return self._prefix if tool_filter.prefix is None else tool_filter.prefix

    def _by_own_names(self, tool_filter: ToolFilter, prefix: str) -> ToolFilter:
        """Take names with the prefix in the filter, too. Without one they would be main tools."""
        if not prefix:
            return tool_filter

        def own(names: frozenset[str]) -> frozenset[str]:
            return names | {
                PHONE_PREFIX + name.removeprefix(prefix)
                for name in names
                if name.startswith(prefix)
            }

        only = None if tool_filter.only is None else own(tool_filter.only)
        return replace(tool_filter, only=only, off=own(tool_filter.off))

    async def instructions(self, tool_filter: ToolFilter = EVERYTHING) -> str:
        prefix = self._prefix_in(tool_filter)
        text = await self._surface.instructions(self._by_own_names(tool_filter, prefix))
        return self._renamed(text, prefix)

    async def tools(self, tool_filter: ToolFilter = EVERYTHING) -> Sequence[Listing]:
        prefix = self._prefix_in(tool_filter)
        if prefix == PHONE_PREFIX:
            return await self._surface.tools(tool_filter)
        listed = await self._surface.tools(self._by_own_names(tool_filter, prefix))
        return [self._listed(each, prefix) if each.name in self._names else each for each in listed]

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        tool_filter: ToolFilter = EVERYTHING,
    ) -> Sequence[Item]:
        prefix = self._prefix_in(tool_filter)
        if prefix == PHONE_PREFIX:
            return await self._surface.call(name, arguments, caller, tool_filter)
        tool_filter = self._by_own_names(tool_filter, prefix)
        own = PHONE_PREFIX + name.removeprefix(prefix)
        own = own if name.startswith(prefix) and own in self._names else name
        try:
            items = await self._surface.call(own, arguments, caller, tool_filter)
        except UnknownTool:
            raise UnknownTool(name) from None
        except ToolError as failure:
            failure.message = self._renamed(failure.message, prefix)
            raise
        if own in _CONTENT or not (own in self._names or own.startswith(KEPT_PREFIX)):
            return items
        return [self._renamed(each, prefix) if isinstance(each, str) else each for each in items]

    async def aclose(self) -> None:
        await self._surface.aclose()

    def _listed(self, listing: Listing, prefix: str) -> Listing:
        schema = listing.input_schema
        properties = {
            name: {**each, "description": self._renamed(each["description"], prefix)}
            if "description" in each
            else each
            for name, each in schema["properties"].items()
        }
        return replace(
            listing,
            name=prefix + listing.name.removeprefix(PHONE_PREFIX),
            description=self._renamed(listing.description, prefix),
            input_schema={**schema, "properties": properties},
        )

    def _renamed(self, text: str, prefix: str) -> str:
        if prefix == PHONE_PREFIX:
            return text
        return self._mentions.sub(
            lambda found: prefix if found[0] == PHONE_PREFIX else found[0], text
        )
