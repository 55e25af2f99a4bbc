"""The two tools for messages by themselves, under their bare names, on one phone."""

from collections.abc import Mapping, Sequence
from typing import Any

from .audit import Recorder
from .fleet import Fleet
from .fleet.by_address import ByAddress
from .narrowing import EVERYTHING, Narrowing
from .surface import Caller, Gate, LocalSurface
from .tool import Item, Listing
from .tools.sms import sms


class SmsSurface:
    """Passes on to a surface of these tools. A call cannot name a phone: its address can."""

    def __init__(
        self,
        fleet: Fleet,
        policy: Narrowing = EVERYTHING,
        recorder: Recorder | None = None,
        gate: Gate | None = None,
    ) -> None:
        phones = ByAddress(fleet, "/phones/<slug or serial>/mcp")
        self._surface = LocalSurface(
            (sms,), phones, policy=policy, bare=True, recorder=recorder, gate=gate
        )

    async def instructions(self, narrowing: Narrowing = EVERYTHING) -> str:
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
