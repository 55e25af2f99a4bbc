"""The surface of a gateway: it lists the tools, and sends calls to the host that has the phone."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any, cast

from ..access.phone_filter import none_connected, several_within
from ..access.request_scope import AGENT, EVERYTHING, SMS, V1, RequestScope
from ..calls.addressing import is_handle
from ..calls.agent_tools import agent_names, make_agent_surface
from ..calls.choice import ChosenSurface
from ..calls.local import LocalSurface
from ..calls.options import SurfaceOptions
from ..calls.tool_list import DEVICE
from ..clock import SYSTEM_CLOCK, Clock
from ..devices.by_url import SMS_ADDRESS, V1_ADDRESS
from ..errors import ActionFailed, InvalidParams, PermissionDenied, UnknownPhone, UnknownTool
from ..phone.leases.fleet import Fleet
from ..screen.characters import replace_surrogates
from ..settings.slug import tool_prefix
from ..tools.agent.arguments import PHONE, take_phones
from ..tools.call import Caller
from ..tools.listing import (
    APP_PREFIX,
    FLEET_TOOLSET,
    OTHER_DEVICE,
    PHONE_PREFIX,
    STEPS_PREFIX,
    Item,
    Listing,
)
from ..tools.main import EVERY_TOOLSET
from ..tools.main.fleet import fleet
from ..tools.tool import Toolset
from .fleet_questions import FleetQuestions
from .former_leases import FormerLeases
from .gateway_fleet import GatewayFleet, host_of
from .host_calls import HostCalls
from .host_lists import HostLists
from .known_phones import KnownPhone, KnownPhones, listed
from .messages import IN_ADDRESS, HostCall
from .nats.directory import Directory
from .nats.wire import EngineWire
from .standstill import StallDetector
from .tokens import FleetTokens

_DOCUMENTED = frozenset(tool.name for toolset in EVERY_TOOLSET for tool in toolset.tools)
_FOR_MODELS = frozenset(name.removeprefix(PHONE_PREFIX) for name in agent_names())
_OF_FLEET = frozenset(tool.name for tool in fleet.tools)
_LEASE = "lease"
"""The tool for models that takes a lease, without its prefix."""
_MOST_LISTED = 8
"""The most hosts that are asked for their tools if no phone is named."""


Offered = tuple[Sequence[Toolset], RequestScope]
"""The tools of a further surface, and the limits of our own settings."""
_ADDRESSES = {V1: V1_ADDRESS, SMS: SMS_ADDRESS}
"""How callers choose the phone if tools have no parameter for it."""


class FleetSurface:
    def __init__(
        self,
        wire: EngineWire,
        directory: Directory,
        policy: RequestScope = EVERYTHING,
        prefix: str = PHONE_PREFIX,
        clock: Clock = SYSTEM_CLOCK,
        tokens: FleetTokens | None = None,
        standstill: StallDetector | None = None,
        others: Mapping[str, Offered] | None = None,
    ) -> None:
        """Tools that `policy` excludes are neither listed nor called. `prefix` is the prefix of the
        tools for models, `tokens` are the fleet's, and `others` are the surfaces in addition to the
        main and the agent one. Right after a `standstill`, no call begins."""
        self._clock = clock
        self._prefix = prefix
        self._policy = replace(policy, on=policy.on | {FLEET_TOOLSET})
        self._policies = {name: limits for name, (_, limits) in (others or {}).items()}
        self._phones = KnownPhones(directory)
        self._calls = HostCalls(wire, directory, clock, tokens, standstill)
        self._lists = HostLists(wire, clock)
        self._former = FormerLeases()
        # For the gateway's console.
        self.wire, self.directory = wire, directory
        self.phones, self.hosts = self._phones, self._calls
        self.questions = FleetQuestions(wire, directory, clock)
        # No call on a phone goes through it: it lists the tools, and runs the fleet's own.
        options = SurfaceOptions(
            several=True, policy=self._policy, clock=clock, fleet=self._make_fleet
        )
        self._own = ChosenSurface(
            LocalSurface(EVERY_TOOLSET, self._phones, options),
            make_agent_surface(self._phones, options, prefix),
            {
                name: LocalSurface(
                    tools, self._phones, SurfaceOptions(bare=True, policy=limits, clock=clock)
                )
                for name, (tools, limits) in (others or {}).items()
            },
        )

    async def instructions(self, scope: RequestScope = EVERYTHING) -> str:
        return await self._own.instructions(scope)

    async def tools(self, scope: RequestScope = EVERYTHING) -> Sequence[Listing]:
        """The hosts' lists, because apps' tools and kept steps differ from phone to phone. The
        tools for leases are our own; without any host's list, all tools are."""
        own = await self._own.tools(scope)
        asked = [self._lists.read(*each) for each in self._listing_hosts(scope)]
        told = [each for each in await asyncio.gather(*asked) if each is not None]
        if not told:
            return own
        known = {each.name: each for each in own}
        found: dict[str, Listing] = {}
        for each in chain(*told):
            # If hosts disagree, none of them describes the tools of all.
            if found.setdefault(each.name, each) != each:
                found[each.name] = known.get(each.name, found[each.name])
        fleet = self._names_of_fleet(scope, scope.token)
        return [
            *(each for each in found.values() if each.name not in fleet),
            *(each for each in own if each.name in fleet),
        ]

    def _listing_hosts(self, scope: RequestScope) -> list[tuple[str, RequestScope]]:
        """The hosts whose tools are listed, and their limits: the host of the named phone, or the
        hosts of the token's leased phones, or all hosts unless there are many. Raises ToolError."""
        limits = self._limits(scope)
        if scope.phone is not None:
            known = self._phones.find(scope.phone, scope, scope.token, quiet=True)
            return [(known.host, limits)] if known.fresh else []
        if not self._phones.complete:
            return []
        leased = [
            each
            for each in self._phones.leased_to(scope.token, scope)
            if each.fresh and self._former.knows(scope.token, each.host)
        ]
        if leased:
            limits = replace(limits, phones=frozenset(each.serial for each in leased))
        phones = leased or self._phones.all(scope)
        hosts = dict.fromkeys(each.host for each in phones if each.fresh)
        return [(host, limits) for host in hosts] if len(hosts) <= _MOST_LISTED else []

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        scope: RequestScope = EVERYTHING,
    ) -> Sequence[Item]:
        if name in self._names_of_fleet(scope, caller.token):
            return await self._own.call(name, arguments, caller, scope)
        asked = HostCall(name, arguments, caller, self._limits(scope))
        if scope.surface in _ADDRESSES:
            host, asked = self._find_by_address(asked)
        else:
            host, asked = self._find_by_argument(asked)
        try:
            return await self._calls.call(host, asked)
        except PermissionDenied:
            if asked.leased:
                self._former.take(caller.token)  # the host has reported it
            raise

    def describe(self) -> str:
        """Describe the phones in a sentence."""
        return self._phones.describe()

    def _make_fleet(self, caller: Caller, scope: RequestScope) -> Fleet:
        return GatewayFleet(self._phones, self._calls, caller, scope, self._clock, self._former)

    def _limits(self, scope: RequestScope) -> RequestScope:
        """The limits for a host: within our own, and with our own prefix instead of the host's."""
        if scope.surface == AGENT and scope.prefix is None:
            scope = replace(scope, prefix=self._prefix)
        return scope.within(self._policies.get(scope.surface, self._policy))

    def _names_of_fleet(self, scope: RequestScope, token: str) -> frozenset[str]:
        """The tools for leases, which run here."""
        if scope.surface in _ADDRESSES:
            return frozenset()
        if scope.surface == AGENT:
            prefix = self._prefix if scope.prefix is None else scope.prefix
            return frozenset((prefix + _LEASE,))
        phone = scope.phone
        if phone is None:
            return _named_under(tool_prefix(""))
        known = self._phones.find(phone, scope, token, quiet=True)
        return _named_under(tool_prefix(known.of.row.slug))

    def _find_by_argument(self, asked: HostCall) -> tuple[str, HostCall]:
        """The host of the phone that a call is for, and the call with the phone's name there.
        Raises ToolError."""
        limits, arguments = asked.scope, asked.arguments
        if limits.phone is not None:
            return self._phones.find(limits.phone, limits, asked.caller.token).host, asked
        parameter, ref = _named_phone(asked.name, arguments, agent=limits.surface == AGENT)
        if ref is not None and is_handle(ref):
            return host_of(ref), asked
        if ref is not None:
            known = self._find(ref, asked)
            if ref in known.names:
                return known.host, asked
            arguments = _rename(arguments, parameter, ref, known.serial)
            return known.host, asked._replace(arguments=arguments)
        known, leased = self._find_unnamed(asked, f"with the parameter {parameter}.")
        arguments = {**arguments, parameter: known.serial}
        return known.host, asked._replace(arguments=arguments, leased=parameter if leased else "")

    def _find_by_address(self, asked: HostCall) -> tuple[str, HostCall]:
        """The host of the phone, and the call, when only the address may name the phone. Raises
        ToolError."""
        limits = asked.scope
        if limits.phone is not None:
            return self._phones.find(limits.phone, limits, asked.caller.token).host, asked
        known, leased = self._find_unnamed(asked, f"in the address: {_ADDRESSES[limits.surface]}")
        limits = replace(limits, phone=known.serial)
        return known.host, asked._replace(scope=limits, leased=IN_ADDRESS if leased else "")

    def _find(self, ref: str, asked: HostCall) -> KnownPhone:
        """The phone that an argument names. Raises ToolError."""
        try:
            return self._phones.find(ref, asked.scope, asked.caller.token)
        except UnknownPhone as unknown:
            raise InvalidParams(unknown.message) from None

    def _find_unnamed(self, asked: HostCall, how: str) -> tuple[KnownPhone, bool]:
        """The phone that the caller has leased, or the only one, and whether it is leased. `how`
        says how to name a phone. Raises ToolError."""
        allowed = asked.scope.phones
        if own := self._phones.leased_to(asked.caller.token, asked.scope):
            known = [each for each in own if self._former.knows(asked.caller.token, each.host)]
            if not known:
                names = ", ".join(map(self._phones.qualify, own))
                raise InvalidParams(
                    f"The directory says that you have leased {names}, but this gateway does not"
                    " know of that lease. Nothing was done. Call lease_status, or say which one"
                    f" {how}"
                )
            own = [each for each in known if each.of.fresh] or known
            if len(own) > 1:
                raise InvalidParams(
                    f"You have leased several phones: {listed(own)}. Say which one {how}"
                )
            self._former.note(asked.caller.token, own[0])
            return own[0], True
        if allowed is not None and len(allowed) == 1:
            [ref] = allowed
            return self._find(ref, asked), False
        phones = self._phones.all(asked.scope)
        present = [each for each in phones if each.fresh]
        if not present:
            raise (
                none_connected(allowed)
                if allowed
                else ActionFailed(f"{self._phones.describe()} Nothing was done.")
            )
        if len(present) > 1 and allowed is not None:
            raise several_within(allowed)
        if len(present) > 1 and not _is_known(asked):
            raise UnknownTool(replace_surrogates(asked.name))
        if len(present) > 1 and (former := self._former.take(asked.caller.token)):
            return former, True  # its host reports what became of the lease
        if len(present) > 1:
            raise InvalidParams(
                f"Several phones are connected: {listed(present)}. Say which one {how}"
            )
        return present[0], False


@lru_cache(64)
def _named_under(prefix: str) -> frozenset[str]:
    """The tools for leases."""
    return frozenset(prefix + name for name in _OF_FLEET)


def _is_known(asked: HostCall) -> bool:
    """Whether the tool exists, as far as that does not depend on a phone."""
    limits = asked.scope
    if limits.surface in _ADDRESSES:
        return True
    agent = limits.surface == AGENT
    prefix = (limits.prefix or "") if agent else tool_prefix("")
    bare = asked.name.removeprefix(prefix) if asked.name.startswith(prefix) else ""
    if agent:
        return bare in _FOR_MODELS or asked.name.startswith((APP_PREFIX, STEPS_PREFIX))
    return bare in _DOCUMENTED or bare.startswith(APP_PREFIX)


def _rename(
    arguments: Mapping[str, Any], parameter: str, ref: str, serial: str
) -> Mapping[str, Any]:
    """The arguments with the phone's name at its host, also in steps."""
    given = dict(arguments)
    if given.get(parameter) == ref:
        given[parameter] = serial
    steps: Any = given.get("steps")
    if isinstance(steps, list):
        given["steps"] = [
            {**each, parameter: serial}
            if isinstance(each, Mapping) and cast("Mapping[str, Any]", each).get(parameter) == ref
            else each
            for each in cast("list[Any]", steps)
        ]
    return given


def _named_phone(name: str, arguments: Mapping[str, Any], *, agent: bool) -> tuple[str, str | None]:
    """The parameter that chooses the phone, and its value, as the host's surface reads it. Raises
    InvalidParams."""
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
