"""The surface of a gateway: it lists the tools, and calls them at the host that has the phone."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
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
from .fleet_questions import FleetQuestions
from .gateway_fleet import GatewayFleet, host_of
from .host_calls import HostCalls
from .host_lists import HostLists
from .known_phones import KnownPhones, describe, listed
from .messages import HostCall
from .tokens import FleetTokens

_OF_FLEET = frozenset(tool.name for tool in fleet.tools)
_LEASE = "lease"
"""The tool for models that does the same, without its prefix."""
_MOST_LISTED = 8
"""Hosts that are asked for their tools where no phone is named."""


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
        tokens: FleetTokens | None = None,
    ) -> None:
        """`policy`: tools that it excludes are not listed, and refused. `prefix` is that of the
        tools for models, `tokens` are those of the fleet."""
        self._clock = clock
        self._prefix = prefix
        self._policy = replace(policy, on=policy.on | {FLEET_TOOLSET})
        self._phones = KnownPhones(directory)
        self._calls = HostCalls(wire, directory, clock, tokens)
        self._lists = HostLists(wire, clock)
        # For the gateway's console.
        self.wire, self.directory = wire, directory
        self.phones, self.hosts = self._phones, self._calls
        self.questions = FleetQuestions(wire, directory, clock)
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
        """As hosts list them, because what apps declare and steps that were kept differ from phone
        to phone. Those of leases are our own, and all are where no host tells."""
        own = await self._own.tools(tool_filter)
        asked = [self._lists.read(*each) for each in self._listing_hosts(tool_filter)]
        told = [each for each in await asyncio.gather(*asked) if each is not None]
        if not told:
            return own
        known = {each.name: each for each in own}
        found: dict[str, Listing] = {}
        for each in chain(*told):
            # Where hosts disagree, no one of them describes the tools of all.
            if found.setdefault(each.name, each) != each:
                found[each.name] = known.get(each.name, found[each.name])
        fleet = await self._names_of_fleet(tool_filter)
        return [
            *(each for each in found.values() if each.name not in fleet),
            *(each for each in own if each.name in fleet),
        ]

    def _listing_hosts(self, tool_filter: ToolFilter) -> list[tuple[str, ToolFilter]]:
        """Whose tools are listed, and within which limits: the phone's that is named, else those of
        the token's leased phones, else of all unless they are many. Raises ToolError."""
        limits = self._limits(tool_filter)
        if tool_filter.phone is not None:
            known = self._phones.find(tool_filter.phone, tool_filter)
            return [(known.host, limits)] if known.fresh else []
        if not self._phones.complete:
            return []
        present = [each for each in self._phones.all(tool_filter) if each.fresh]
        leased = [each for each in present if each.is_leased_to(tool_filter.token)]
        if leased:
            limits = replace(limits, phones=frozenset(each.serial for each in leased))
        hosts = dict.fromkeys(each.host for each in leased or present)
        return [(host, limits) for host in hosts] if len(hosts) <= _MOST_LISTED else []

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        tool_filter: ToolFilter = EVERYTHING,
    ) -> Sequence[Item]:
        if name in await self._names_of_fleet(tool_filter):
            return await self._own.call(name, arguments, caller, tool_filter)
        way = self._find_way(name, arguments, caller, tool_filter)
        asked = HostCall(name, way.arguments, caller, self._limits(tool_filter), way.leased)
        return await self._calls.call(way.host, asked)

    def describe(self) -> str:
        """A sentence on the phones that there are."""
        return self._phones.describe()

    async def aclose(self) -> None:
        await self._own.aclose()

    def _make_fleet(self, caller: Caller, tool_filter: ToolFilter) -> Fleet:
        return GatewayFleet(self._phones, self._calls, caller, tool_filter, self._clock)

    def _limits(self, tool_filter: ToolFilter) -> ToolFilter:
        """For a host: within our own, and with our own prefix, not the host's."""
        if tool_filter.surface == AGENT and tool_filter.prefix is None:
            tool_filter = replace(tool_filter, prefix=self._prefix)
        return tool_filter.within(self._policy)

    async def _names_of_fleet(self, tool_filter: ToolFilter) -> frozenset[str]:
        """The tools of leases, which run here."""
        if tool_filter.surface == AGENT:
            prefix = self._prefix if tool_filter.prefix is None else tool_filter.prefix
            return frozenset((prefix + _LEASE,))
        phone = tool_filter.phone
        prefix = tool_prefix("" if phone is None else await self._phones.slug_of(phone))
        return frozenset(prefix + name for name in _OF_FLEET)

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
        if own := self._phones.leased_to(caller.token, tool_filter):
            if len(own) > 1:
                raise InvalidParams(
                    f"You have leased several phones: {listed(own)}. Say which one with the"
                    f" parameter {parameter}."
                )
            return _Way(own[0].host, {**arguments, parameter: own[0].serial}, parameter)
        phones = self._phones.all(tool_filter)
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
