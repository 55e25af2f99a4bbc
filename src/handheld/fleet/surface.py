"""The surface of a gateway: it lists the tools, and calls them at the host that has the phone."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..access.tool_filter import AGENT, EVERYTHING, ToolFilter
from ..agent.arguments import PHONE, take_phones
from ..clock import SYSTEM_CLOCK, Clock
from ..engine.directory import Directory
from ..engine.wire import Wire
from ..errors import ActionFailed, InvalidParams, SeveralPhones, UnknownPhone
from ..phone.fleet import Fleet
from ..settings.slug import tool_prefix
from ..surface.agent_tools import make_agent_surface
from ..surface.choice import ChosenSurface
from ..surface.leased_phones import is_handle
from ..surface.local import LocalSurface
from ..surface.options import SurfaceOptions
from ..surface.tool_list import DEVICE
from ..toolkit.call import Caller
from ..toolkit.listing import APP_PREFIX, FLEET_TOOLSET, OTHER_DEVICE, PHONE_PREFIX, Item, Listing
from ..tools import EVERY_TOOLSET
from ..tools.fleet import fleet
from .gateway_fleet import GatewayFleet, host_of
from .host_calls import HostCalls
from .known_phones import KnownPhones, describe, listed
from .messages import HostCall

_OF_FLEET = frozenset(tool.name for tool in fleet.tools)
_LEASE = "lease"
"""The tool for models that does the same, without its prefix."""


class _Way(NamedTuple):
    """Where a call goes."""

    host: str
    arguments: Mapping[str, Any]
    leased: str = ""


class FleetSurface:
    def __init__(
        self,
        wire: Wire,
        directory: Directory,
        policy: ToolFilter = EVERYTHING,
        prefix: str = PHONE_PREFIX,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """`policy`: tools that it excludes are not listed, and refused. `prefix` is that of the
        tools for models."""
        self._clock = clock
        self._prefix = prefix
        self._policy = replace(policy, on=policy.on | {FLEET_TOOLSET})
        self._phones = KnownPhones(directory)
        self._calls = HostCalls(wire, directory, clock)
        # For the gateway's console.
        self.wire, self.directory = wire, directory
        self.phones, self.hosts = self._phones, self._calls
        # No call on a phone reaches it: it lists the tools, and runs those of the fleet.
        options = SurfaceOptions(
            several=True, policy=self._policy, clock=clock, fleet=self._make_fleet
        )
        self._own = ChosenSurface(
            LocalSurface(EVERY_TOOLSET, self._phones, options),
            make_agent_surface(self._phones, options, prefix),
        )

    async def instructions(self, tool_filter: ToolFilter = EVERYTHING) -> str:
        return await self._own.instructions(tool_filter)

    async def tools(self, tool_filter: ToolFilter = EVERYTHING) -> Sequence[Listing]:
        return await self._own.tools(tool_filter)

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        tool_filter: ToolFilter = EVERYTHING,
    ) -> Sequence[Item]:
        if await self._is_of_fleet(name, tool_filter):
            return await self._own.call(name, arguments, caller, tool_filter)
        if tool_filter.surface == AGENT and tool_filter.prefix is None:
            # Not that of the host.
            tool_filter = replace(tool_filter, prefix=self._prefix)
        way = self._find_way(name, arguments, caller, tool_filter)
        limits = tool_filter.within(self._policy)
        asked = HostCall(name, way.arguments, caller, limits, way.leased)
        return await self._calls.call(way.host, asked)

    def describe(self) -> str:
        """A sentence on the phones that there are."""
        return self._phones.describe()

    async def aclose(self) -> None:
        await self._own.aclose()

    def _make_fleet(self, caller: Caller, tool_filter: ToolFilter) -> Fleet:
        return GatewayFleet(self._phones, self._calls, caller, tool_filter, self._clock)

    async def _is_of_fleet(self, name: str, tool_filter: ToolFilter) -> bool:
        if tool_filter.surface == AGENT:
            prefix = self._prefix if tool_filter.prefix is None else tool_filter.prefix
            return name == prefix + _LEASE
        phone = tool_filter.phone
        prefix = tool_prefix("" if phone is None else await self._phones.slug_of(phone))
        return name.startswith(prefix) and name.removeprefix(prefix) in _OF_FLEET

    def _find_way(
        self, name: str, arguments: Mapping[str, Any], caller: Caller, tool_filter: ToolFilter
    ) -> _Way:
        """Raises ToolError."""
        if tool_filter.phone is not None:
            return _Way(self._phones.find(tool_filter.phone, tool_filter).host, arguments)
        parameter, ref = _named_phone(name, arguments, agent=tool_filter.surface == AGENT)
        if ref is not None and is_handle(ref):
            return _Way(host_of(ref), arguments)
        if ref is not None:
            try:
                return _Way(self._phones.find(ref, tool_filter).host, arguments)
            except UnknownPhone as unknown:
                raise InvalidParams(unknown.message) from None
        phones = self._phones.all(tool_filter)
        if own := [each for each in phones if each.is_leased_to(caller.token)]:
            if len(own) > 1:
                raise InvalidParams(
                    f"You have leased several phones: {listed(own)}. Say which one with the"
                    f" parameter {parameter}."
                )
            return _Way(own[0].host, {**arguments, parameter: own[0].serial}, parameter)
        present = [each for each in phones if each.fresh]
        if not present:
            raise ActionFailed(f"{describe(phones)} Nothing was done.")
        if len(present) > 1:
            raise SeveralPhones(listed(present), parameter)
        return _Way(present[0].host, {**arguments, parameter: present[0].serial})


def _named_phone(name: str, arguments: Mapping[str, Any], *, agent: bool) -> tuple[str, str | None]:
    """The parameter that chooses the phone, and what it says, as the host's surface reads it.
    Raises InvalidParams."""
    parameter = PHONE if agent else DEVICE.name
    if name.removeprefix("" if agent else tool_prefix("")).startswith(APP_PREFIX):
        parameter = OTHER_DEVICE if OTHER_DEVICE in arguments else parameter
        value = arguments.get(parameter)
    elif agent:
        steps: Any = arguments.get("steps")
        given: list[Any] = [arguments, *(steps if isinstance(steps, list) else ())]
        named = [
            phone for each in given if isinstance(each, Mapping) for phone in take_phones({**each})
        ]
        value = named[0] if named else None
    else:
        value = arguments.get(parameter)
    return parameter, None if value is None else DEVICE.read(value)
