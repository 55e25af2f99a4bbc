"""The two SMS tools alone, under their bare names, on one phone."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..access.takeover import Takeover
from ..access.tool_filter import EVERYTHING, ToolFilter
from ..audit import Recorder
from ..devices import Devices
from ..devices.by_url import SMS_ADDRESS, SelectedByUrl
from ..phone.leases import Leases
from ..toolkit.call import Caller
from ..toolkit.tool import Item, Listing
from ..tools.sms import sms
from .local import LocalSurface
from .options import SurfaceOptions
from .protocols import Approver


class SmsSurface:
    """Forwards to a local surface of these tools. The phone is chosen by the address, not by a
    parameter."""

    def __init__(
        self,
        devices: Devices,
        policy: ToolFilter = EVERYTHING,
        recorder: Recorder | None = None,
        gate: Approver | None = None,
        takeover: Takeover | None = None,
        leases: Leases | None = None,
    ) -> None:
        phones = SelectedByUrl(devices, SMS_ADDRESS)
        options = SurfaceOptions(
            bare=True,
            policy=policy,
            recorder=recorder,
            gate=gate,
            takeover=takeover,
            leases=leases,
        )
        self._surface = LocalSurface((sms,), phones, options)

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
        """Nothing to close: the phones belong to their creator."""
