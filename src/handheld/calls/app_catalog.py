"""The tools that the apps of the connected phones declare."""

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..access.phone_filter import PhonePool
from ..access.request_scope import RequestScope
from ..errors import ActionFailed, AppToolMissing, ToolError
from ..settings.slug import tool_prefix
from ..tools.tool import Tool
from .addressing import Addressing
from .options import SurfaceOptions
from .protocols import AppToolSource
from .tool_list import NAME_LIMIT, fit_name

if TYPE_CHECKING:
    from ..phone.phone import Phone

_log = logging.getLogger(__name__)

_LIST_SECONDS = 10.0
"""How long a list of tools waits for those of apps."""


class AppCatalog:
    def __init__(
        self, source: AppToolSource, addressing: Addressing, options: SurfaceOptions
    ) -> None:
        self._source = source
        self._addressing = addressing
        self._policy = options.policy
        self._prefix = tool_prefix(options.slug)
        self._clock = options.clock

    def lists(self, scope: RequestScope) -> bool:
        """Whether a tool of an app may be listed at all. They do anything, so none is read-only."""
        both = scope.within(self._policy)
        return not both.read_only and (
            both.only is None or any("app_" in name for name in both.only)
        )

    async def tools(self, scope: RequestScope) -> list[Tool]:
        """The tools of all phones of this request, each once."""
        found: dict[str, Tool] = {}
        try:
            async with self._clock.timeout(_LIST_SECONDS):
                phones = await self._addressing.phones(scope).present(scope.phone)
        except (TimeoutError, ToolError) as problem:
            _log.info("The phones whose apps declare tools are not known: %s", problem)
            return []
        for tools in await asyncio.gather(*map(self._tools_on, phones)):
            for tool in tools:
                if self._policy.leaves(tool.listing, self._prefix + tool.name):
                    found.setdefault(tool.name, tool)
        return list(found.values())

    async def _tools_on(self, phone: "Phone") -> Sequence[Tool]:
        """Empty for a phone that cannot be asked: its other tools are listed anyway, and a
        call reports the reason."""
        try:
            async with self._clock.timeout(_LIST_SECONDS):
                return await self._source.tools(phone)
        except TimeoutError:
            _log.warning("%s did not list the tools of its apps in time.", phone.serial)
        except ToolError as problem:
            _log.info("The tools of %s's apps are not listed: %s", phone.serial, problem.message)
        return ()

    async def find(self, phones: PhonePool, phone: "Phone", bare: str, name: str) -> Tool | None:
        """Return the tool that clients call `name` on this phone. Raises ToolError, with the phones
        that have the tool where this one does not."""
        if len(name) == NAME_LIMIT:
            prefix = name.removesuffix(bare)
            tools = await self._source.tools(phone)
            bare = next((tool.name for tool in tools if fit_name(prefix, tool.name) == name), bare)
        try:
            return await self._source.find(phone, bare, name)
        except AppToolMissing as missing:
            others = [other for other in await phones.present(None) if other is not phone]
            found = await asyncio.gather(*map(self._tools_on, others))
            having = [
                await phones.slug_of(other.serial) or other.serial
                for other, tools in zip(others, found, strict=True)
                if any(tool.name == bare for tool in tools)
            ]
            where = f" It is on: {', '.join(having)}." if having else ""
            raise ActionFailed(f"{missing.message}{where or ' List the tools again.'}") from None
