"""The two tools for messages by themselves, under their bare names, on one phone."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .errors import InvalidParams
from .fleet import Fleet, listed
from .narrowing import EVERYTHING, Narrowing
from .surface import Caller, LocalSurface
from .tool import Item, Listing
from .tools.sms import sms

if TYPE_CHECKING:
    from .phone import Phone


class SmsSurface:
    """Passes on to a surface of these tools. A call cannot name a phone: its address can."""

    def __init__(self, fleet: Fleet, policy: Narrowing = EVERYTHING) -> None:
        self._surface = LocalSurface((sms,), _ByAddress(fleet), policy=policy, bare=True)

    async def instructions(self) -> str:
        return ""

    async def tools(self, narrowing: Narrowing = EVERYTHING) -> Sequence[Listing]:
        return await self._surface.tools(narrowing)

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        narrowing: Narrowing = EVERYTHING,
    ) -> Sequence[Item]:
        return await self._surface.call(name, arguments, caller, narrowing)

    async def aclose(self) -> None:
        """Nothing is held here: the phones belong to whoever made them."""


class _ByAddress:
    """The phones, for callers that have no parameter to choose one with."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    async def pick(self, ref: str | None) -> "Phone":
        if ref is None:
            await self._fleet.settle()
            ready = self._fleet.connected()
            if len(ready) > 1:
                raise InvalidParams(
                    f"Several phones are connected: {listed(ready)}. Say which one in the address:"
                    " /phones/<slug or serial>/mcp"
                )
        return await self._fleet.pick(ref)

    async def slug_of(self, ref: str) -> str:
        return await self._fleet.slug_of(ref)

    async def present(self, ref: str | None) -> "Sequence[Phone]":
        return await self._fleet.present(ref)

    def describe(self) -> str:
        return self._fleet.describe()
