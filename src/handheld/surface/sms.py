"""The two tools for messages by themselves, under their bare names, on one phone."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..access.tool_filter import EVERYTHING, ToolFilter
from ..audit import Recorder
from ..devices import Devices
from ..devices.by_url import SelectedByUrl
from ..toolkit.tool import Item, Listing
from ..tools.sms import sms
from .local import Approver, Caller, LocalSurface


class SmsSurface:
    """Passes on to a surface of these tools. A call cannot name a phone: its address can."""

    def __init__(
        self,
        devices: Devices,
        policy: ToolFilter = EVERYTHING,
        recorder: Recorder | None = None,
        gate: Approver | None = None,
    ) -> None:
        phones = SelectedByUrl(devices, "/phones/<slug or serial>/mcp")
        self._surface = LocalSurface(
            (sms,), phones, policy=policy, bare=True, recorder=recorder, gate=gate
        )

    async def instructions(self, tool_filter: ToolFilter = EVERYTHING) -> str:
        return ""

    async def tools(self, tool_filter: ToolFilter = EVERYTHING) -> Sequence[Listing]:
        return await self._surface.tools(tool_filter)

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        tool_filter: ToolFilter = EVERYTHING,
    ) -> Sequence[Item]:
        return await self._surface.call(name, arguments, caller, tool_filter)

    async def aclose(self) -> None:
        """Nothing is held here: the phones belong to whoever made them."""
