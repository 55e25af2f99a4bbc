"""Routes to stop and resume agents, on one phone or on all, and to end leases."""

from collections.abc import Sequence
from typing import Any

from ...access.stop_switch import StopSwitch
from ...access.takeover import ALL
from ..context import ConsoleContext
from ..routes import Request, Route, not_found


class TakeoverRoutes:
    def __init__(self, context: ConsoleContext) -> None:
        self._devices = context.devices
        self._switch = context.switch

    async def held(self, request: Request) -> dict[str, Any]:
        """Whether agents are held back on all phones, and the serials of those where they are."""
        switch = self._switch
        if switch is None or not (names := switch.takeover.names):
            return {"all": False, "phones": []}
        known = await self._devices.known()
        return {
            "all": ALL in names,
            "phones": [info.serial for info in known if await switch.holds(info)],
        }

    async def stop(self, request: Request) -> dict[str, Any]:
        return {"message": await self._required().stop(request.text("phone", ""))}

    async def resume(self, request: Request) -> dict[str, Any]:
        return {"message": await self._required().resume(request.text("phone", ""))}

    async def end_lease(self, request: Request) -> dict[str, Any]:
        return {"message": await self._required().end_lease(request.text("phone"))}

    def _required(self) -> StopSwitch:
        if self._switch is None:
            raise not_found("Agents cannot be stopped here.")
        return self._switch


def routes(context: ConsoleContext) -> Sequence[Route]:
    takeover = TakeoverRoutes(context)
    return (
        Route("GET", "held", takeover.held),
        Route("POST", "stop", takeover.stop),
        Route("POST", "resume", takeover.resume),
        Route("POST", "lease/end", takeover.end_lease),
    )
