"""How a command reaches the tools: through the process that owns the phone, or as its owner."""

import argparse
import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..access.policy import make_gate, make_policy
from ..access.takeover import Takeover
from ..access.tool_filter import AGENT, SMS, V1, ToolFilter
from ..clock import SYSTEM_CLOCK, Clock
from ..devices.ownership import OwnerError, OwnerGone, Owners, OwnershipEntry, join
from ..errors import ToolError
from ..kept import StepsFile
from ..settings import Settings
from ..settings.slug import server_name
from ..sharing.inheritance import describe_limits, inherit
from ..sharing.remote import has_phone
from ..surface.choice import ChosenSurface, OneOfThem
from ..surface.protocols import Approver, AppToolSource, Surface
from ..toolkit.listing import Listing
from .scene import check_scene
from .through import check_policy, reach, refuse_ignored

if TYPE_CHECKING:
    # A command that goes through another process needs none of these.
    from ..access.approval import ApprovalGate
    from ..access.phone_filter import PhonePool
    from ..access.stop_switch import StopSwitch
    from ..access.tokens import Tokens
    from ..audit import Recorder
    from ..console import Console, ScreenReader
    from ..devices import Devices
    from ..fleet.tokens import FleetTokens
    from ..phone import Phone
    from ..phone.leases import Leases
    from ..phone.storage import Location
    from ..server.options import AnswerV1
    from ..sharing.owner import OwnedSurface
    from ..sharing.remote import RemoteSurface
    from ..toolkit.tool import Tool, Toolset

_V1 = ("handheld.server.v1", "handheld.tools.v1")
"""The modules of the v1 surface; without these files it is not served."""

log = logging.getLogger("handheld")


def surface_filter(given: argparse.Namespace) -> str:
    """The surface that a command line chooses, as a tool filter names it."""
    return AGENT if given.tool_surface == AGENT else ""


def command_line(command: str, settings: Settings) -> str:
    """How this process is named to others that want the phone."""
    return " ".join(["handheld", command, *(f"--phone {name}" for name in settings.phones)])


def open_recorder(
    settings: Settings,
    pictures: Callable[[], bool] = lambda: False,
    clock: Clock = SYSTEM_CLOCK,
) -> "Recorder | None":
    """Return the recorder of calls; None if recording is off. `pictures`: whether somebody watches
    who wants pictures of the screen before and after. Raises ToolError."""
    from ..audit import AuditError, AuditLog, Masks, Recorder

    audit = settings.audit
    if audit.off:
        return None
    masks = Masks(audit.mask_files, audit.mask_apps, audit.mask_typing, audit.mask_screens)
    try:
        record = AuditLog(
            settings.folders.audit,
            masks=masks,
            most_bytes=audit.most_mb * 1_000_000,
            most_days=audit.most_days,
            clock=clock,
        )
    except AuditError as problem:
        if audit.required:
            raise ToolError(
                f"{problem} Without it nothing is served; audit.required = false changes that."
            ) from problem
        log.warning("%s Calls are not recorded.", problem)
        return None
    return Recorder(
        record,
        required=audit.required,
        pictures=lambda: audit.pictures or pictures(),
        clock=clock,
    )


def make_surface(
    settings: Settings,
    phones: "PhonePool",
    recorder: "Recorder | None" = None,
    gate: Approver | None = None,
    clock: Clock = SYSTEM_CLOCK,
    takeover: Takeover | None = None,
    leases: "Leases | None" = None,
    *,
    several: bool = False,
) -> ChosenSurface:
    """The main and the agent surface, with the tools that the settings leave on. `several`: the
    tools take a phone even if only one was chosen. Raises SettingsError."""
    from ..phone.reset import make_reset
    from ..surface.agent_tools import make_agent_surface
    from ..surface.local import LocalSurface, SurfaceOptions
    from ..tools import CATALOG, EVERY_TOOLSET, EXTRA

    several = several or len(settings.phones) > 1
    options = SurfaceOptions(
        slug="" if several else settings.single_slug,
        several=several,
        policy=make_policy(settings, EVERY_TOOLSET),
        source=_app_tools(settings),
        recorder=recorder,
        gate=gate,
        takeover=takeover,
        clock=clock,
        leases=leases,
        tags=phone_tags(settings),
        reset=make_reset(settings.fleet.reset, settings.fleet.clear_data),
        kept=None if settings.steps.off else StepsFile(settings.folders.steps, clock),
    )
    return ChosenSurface(
        LocalSurface(EVERY_TOOLSET if leases else (*CATALOG, *EXTRA), phones, options),
        make_agent_surface(phones, options, settings.tool_prefix),
    )


def phone_tags(settings: Settings) -> dict[str, tuple[str, ...]]:
    """Of phones, by serial and by slug."""
    named = {slug: tags for name, tags in settings.tags.items() if (slug := settings.slug_of(name))}
    return {**settings.tags, **named}


def make_leases(
    settings: Settings, clock: Clock, tokens: "Tokens | FleetTokens | None" = None, place: str = ""
) -> "Leases":
    """`tokens`: None where only this user's own processes call. `place` is the id of a host."""
    from ..phone.leases import Leases

    if tokens is None:
        return Leases(clock, most=settings.fleet.most, place=place)
    return Leases(clock, most=settings.fleet.most, stamp=tokens.stamp, place=place)


def make_v1(
    settings: Settings,
    devices: "Devices",
    recorder: "Recorder | None" = None,
    gate: Approver | None = None,
    takeover: Takeover | None = None,
    leases: "Leases | None" = None,
) -> "Callable[[], AnswerV1] | None":
    """Return what makes the v1 surface on its first request; None if it is off."""
    if not _serves_v1(settings):
        return None
    from ..tools import EVERY_TOOLSET

    policy, name = make_policy(settings, EVERY_TOOLSET), server_name(settings.single_slug)

    def make() -> "AnswerV1":
        v1 = import_module(_V1[0])
        return v1.V1(v1.v1_surface(devices, policy, recorder, gate, takeover, leases), name)

    return make


def _serves_v1(settings: Settings) -> bool:
    return not settings.no_v1 and None not in map(find_spec, _V1)


def make_others(
    settings: Settings,
    devices: "Devices",
    recorder: "Recorder | None" = None,
    gate: Approver | None = None,
    takeover: Takeover | None = None,
    leases: "Leases | None" = None,
) -> dict[str, Surface]:
    """What a host offers to gateways beside the main and the agent surface."""
    from ..tools import EVERY_TOOLSET

    others = {SMS: make_sms_surface(settings, devices, recorder, gate, takeover, leases)}
    if _serves_v1(settings):
        policy = make_policy(settings, EVERY_TOOLSET)
        v1 = import_module(_V1[0])
        others[V1] = v1.v1_surface(devices, policy, recorder, gate, takeover, leases)
    return others


def gateway_tools(settings: Settings) -> "dict[str, tuple[Sequence[Toolset], ToolFilter]]":
    """The same for a gateway: the tools of each, and the limits of its own settings."""
    from ..tools import EVERY_TOOLSET
    from ..tools.sms import sms

    policy = make_policy(settings, EVERY_TOOLSET)
    tools: dict[str, tuple[Sequence[Toolset], ToolFilter]] = {SMS: ((sms,), policy)}
    if _serves_v1(settings):
        v1, tools_v1 = map(import_module, _V1)
        tools[V1] = ((tools_v1.V1_TOOLS,), v1.with_predecessors(policy))
    return tools


def gateway_v1(settings: Settings, surface: Surface) -> "Callable[[], AnswerV1] | None":
    """Return what serves the v1 surface of a gateway; None if it is off."""
    if not _serves_v1(settings):
        return None
    return lambda: import_module(_V1[0]).V1(OneOfThem(surface, V1), server_name(""))


def make_sms_surface(
    settings: Settings,
    devices: "Devices",
    recorder: "Recorder | None" = None,
    gate: Approver | None = None,
    takeover: Takeover | None = None,
    leases: "Leases | None" = None,
) -> Surface:
    from ..surface.sms import SmsSurface
    from ..tools import EVERY_TOOLSET

    policy = make_policy(settings, EVERY_TOOLSET)
    return SmsSurface(devices, policy, recorder, gate, takeover, leases)


def _app_tools(settings: Settings) -> AppToolSource | None:
    apps = settings.apps
    if apps.trust == "off":
        return None

    def make() -> AppToolSource:
        from ..sources import AppTools
        from ..sources.trust import Trust

        trust = Trust(settings.folders.apps, first_use=apps.trust == "first-use")
        return AppTools(trust, timeout_ms=apps.timeout_seconds * 1000, reply_limit=apps.reply_limit)

    return _LateAppTools(make)


class _LateAppTools:
    """The tools of apps, imported when a phone is first asked for them: a client has the reply to
    its first request before that."""

    def __init__(self, make: Callable[[], AppToolSource]) -> None:
        self._make = make

    async def tools(self, phone: "Phone") -> "Sequence[Tool]":
        return await self._source.tools(phone)

    async def find(self, phone: "Phone", name: str, called: str) -> "Tool | None":
        return await self._source.find(phone, name, called)

    @cached_property
    def _source(self) -> AppToolSource:
        return self._make()


def open_gate(settings: Settings, clock: Clock = SYSTEM_CLOCK, start: str = "") -> "ApprovalGate":
    """The approval gate for calls of this process, which `start` started. Raises SettingsError."""
    from ..tools import EVERY_TOOLSET

    return make_gate(settings, EVERY_TOOLSET, clock, start)


def make_console(
    settings: Settings,
    surface: Surface,
    devices: "Devices",
    recorder: "Recorder | None",
    gate: "ApprovalGate",
    switch: "StopSwitch",
    clock: Clock,
    *,
    tokens: "Tokens | None" = None,
    offered: "Sequence[Location]" = (),
    screens: "ScreenReader | None" = None,
    key: str = "",
) -> "Console":
    """`key` is what this user's other processes get a link with; one is made unless given."""
    from ..access.tokens import Tokens
    from ..console import Console, ConsoleContext, process_site

    context = ConsoleContext(
        surface,
        devices,
        settings,
        recorder.log if recorder else None,
        gate,
        tokens or Tokens(settings.folders.tokens, clock=clock),
        clock,
        offered,
        switch,
        screens,
    )
    return Console(process_site(context), key)


async def find_surface(
    settings: Settings,
    command: str,
    *,
    share: bool,
    after: OwnershipEntry | None = None,
    clock: Clock = SYSTEM_CLOCK,
) -> "OwnedSurface | RemoteSurface":
    """Return the owner's surface, or our own. `share` opens ours to other processes. `after` is the
    owner that we went through before and that is gone."""
    given = settings
    if after is not None:
        settings = inherit(settings, after)
    check_policy(settings)
    check_scene(settings)
    owners = Owners(settings.folders.owners, clock)
    joined = await join(
        owners,
        settings.phones,
        command_line(command, settings),
        has_phone,
        slug=settings.single_slug,
    )
    if isinstance(joined, OwnershipEntry):
        refuse_ignored(given, joined)
        return reach(settings, joined)
    recorder: Recorder | None = None
    try:
        from ..access.stop_switch import StopSwitch
        from ..devices.opening import open_devices
        from ..sharing.owner import LateConsole, OwnedSurface

        gate = open_gate(settings, clock, command_line(command, settings))
        recorder = open_recorder(settings, lambda: gate.consoles > 0, clock)
        devices = await open_devices(settings, log.info if share else log.debug, clock)
    except BaseException:
        if recorder is not None:
            await recorder.aclose()
        joined.release()
        raise
    takeover = Takeover(settings.folders.held, clock)
    leases = make_leases(settings, clock)
    switch = StopSwitch(takeover, devices, leases)
    surface = make_surface(settings, devices, recorder, gate, clock, takeover, leases)
    console = None
    if share and not settings.no_console:

        async def make(key: str) -> "Console":
            # In a thread, so that the client is served meanwhile.
            await asyncio.to_thread(__import__, "handheld.console")
            return make_console(settings, surface, devices, recorder, gate, switch, clock, key=key)

        console = LateConsole(make)
    return OwnedSurface(
        joined,
        devices,
        surface,
        share=share,
        switch=switch,
        gate=gate,
        recorder=recorder,
        limits=describe_limits(settings),
        console=console,
        clock=clock,
    )


async def list_with_apps(
    settings: Settings, command: str, tool_filter: ToolFilter
) -> Sequence[Listing]:
    """Return all tools, with those of the phones' apps. Raises ToolError or OwnerError if no phone
    could be asked."""
    surface = await find_surface(settings, command, share=False)
    try:
        await surface.demand_phone()
        return await surface.tools(tool_filter)
    except OwnerGone as gone:
        raise OwnerError(f"{gone.entry} has just exited. Try again.") from gone
    finally:
        await surface.aclose()
