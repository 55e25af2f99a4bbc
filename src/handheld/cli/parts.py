"""What makes up a process that serves phones."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..access.policy import make_gate, make_policy
from ..access.request_scope import SMS, V1, RequestScope
from ..access.takeover import Takeover
from ..calls.choice import ChosenSurface
from ..calls.protocols import AppToolSource, Surface
from ..clock import SYSTEM_CLOCK, Clock
from ..devices.combined import CombinedDevices
from ..errors import ToolError
from ..settings import VIRTUAL, Settings
from ..settings.slug import server_name
from ..tools.steps import StepsFile

if TYPE_CHECKING:
    # Made late, or not by every process: a client waits for its first reply meanwhile.
    from ..access.approval import ApprovalGate
    from ..access.stop_switch import StopSwitch
    from ..access.tokens import Tokens
    from ..audit import Recorder
    from ..calls.options import SurfaceOptions
    from ..console import Console, ConsoleScreens
    from ..devices import Devices
    from ..fleet.tokens import FleetTokens
    from ..helper.claim import PhoneClaims
    from ..phone.files.storage import Location
    from ..phone.leases.leases import Leases
    from ..phone.phone import Phone
    from ..server.options import AnswerV1
    from ..tools.tool import Tool

V1_MODULES = ("handheld.server.v1", "handheld.tools.v1")
"""The modules of the v1 surface; without these files it is not served."""

NO_PHONES = CombinedDevices(())
"""For lists of tools, which need no phone."""

log = logging.getLogger("handheld")


@dataclass
class Parts:
    """The parts that the surfaces of a process share."""

    settings: Settings
    devices: "Devices" = NO_PHONES
    recorder: "Recorder | None" = None
    gate: "ApprovalGate | None" = None
    takeover: Takeover = field(default_factory=Takeover)
    leases: "Leases | None" = None
    """Of the phones; None where nobody can take one."""
    several: bool = False
    """The tools take a phone even if only one was chosen."""
    clock: Clock = SYSTEM_CLOCK

    @cached_property
    def policy(self) -> RequestScope:
        """Raises SettingsError."""
        from ..tools.main import EVERY_TOOLSET

        return make_policy(self.settings, EVERY_TOOLSET)

    @cached_property
    def surface(self) -> ChosenSurface:
        """The main and the agent surface. Raises SettingsError."""
        from ..calls.agent_tools import make_agent_surface
        from ..calls.local import LocalSurface
        from ..phone.leases.reset import make_reset
        from ..tools.main import CATALOG, EVERY_TOOLSET, EXTRA

        settings = self.settings
        several = self.several or len(settings.phones) > 1
        options = replace(
            self._options,
            slug="" if several else settings.single_slug,
            several=several,
            source=_app_tools(settings),
            tags=phone_tags(settings),
            reset=make_reset(settings.fleet.reset, settings.fleet.clear_data),
            kept=None if settings.steps.off else StepsFile(settings.folders.steps, self.clock),
        )
        return ChosenSurface(
            LocalSurface(
                EVERY_TOOLSET if self.leases else (*CATALOG, *EXTRA), self.devices, options
            ),
            make_agent_surface(self.devices, options, settings.tool_prefix),
        )

    @cached_property
    def sms(self) -> Surface:
        from ..calls.sms import sms_surface

        return sms_surface(self.devices, self._options)

    @property
    def v1(self) -> "Callable[[], AnswerV1] | None":
        """What makes the v1 surface on its first request; None if it is off."""
        if not serves_v1(self.settings):
            return None

        def make() -> "AnswerV1":
            return import_module(V1_MODULES[0]).V1(
                self._v1_surface(), server_name(self.settings.single_slug)
            )

        return make

    def others(self) -> dict[str, Surface]:
        """What a host offers to gateways beside the main and the agent surface."""
        others = {SMS: self.sms}
        if serves_v1(self.settings):
            others[V1] = self._v1_surface()
        return others

    @cached_property
    def switch(self) -> "StopSwitch":
        from ..access.stop_switch import StopSwitch

        return StopSwitch(self.takeover, self.devices, self.leases)

    def console(
        self,
        *,
        tokens: "Tokens | None" = None,
        offered: "Sequence[Location]" = (),
        screens: "ConsoleScreens | None" = None,
        key: str = "",
    ) -> "Console":
        """`key` is what this user's other processes get a link with; one is made unless given."""
        from ..access.tokens import Tokens
        from ..console import Console, ConsoleContext, process_site
        from .doctor.examination import examine

        context = ConsoleContext(
            self.surface,
            self.devices,
            self.settings,
            partial(examine, self.settings),
            audit=self.recorder.log if self.recorder else None,
            gate=self.gate,
            tokens=tokens or Tokens(self.settings.folders.tokens, clock=self.clock),
            clock=self.clock,
            offered=offered,
            switch=self.switch,
            screens=screens,
        )
        return Console(process_site(context), key)

    async def aclose(self) -> None:
        """Surfaces have nothing to close."""
        if self.leases is not None:
            await self.leases.aclose()
        if self.recorder is not None:
            await self.recorder.aclose()
        await self.devices.aclose()

    def _v1_surface(self) -> Surface:
        return import_module(V1_MODULES[0]).v1_surface(self.devices, self._options)

    @cached_property
    def _options(self) -> "SurfaceOptions":
        """What all surfaces have in common."""
        from ..calls.options import SurfaceOptions

        return SurfaceOptions(
            policy=self.policy,
            recorder=self.recorder,
            gate=self.gate,
            takeover=self.takeover,
            leases=self.leases,
            clock=self.clock,
        )


async def open_parts(
    settings: Settings,
    command: str,
    notify: Callable[[str], None],
    clock: Clock = SYSTEM_CLOCK,
    *,
    offered: "Sequence[Location]" = (),
    tokens: "Tokens | FleetTokens | None" = None,
    host: str = "",
    phone_claims: "PhoneClaims | None" = None,
) -> Parts:
    """Open the phones of a process that `command` started. `notify` is told when they come and go.
    `offered` are storage locations in addition to those of the owner's file. `tokens` are those of
    clients; None where only this user's own processes call. `host` is the id of a host of a fleet,
    and `phone_claims` are those by which it uses its phones. Raises ToolError, SettingsError.
    """
    from ..devices.opening import open_devices

    gate = open_gate(settings, clock, command)
    recorder = open_recorder(settings, lambda: gate.consoles > 0, clock)
    # A serial means the same phone, wherever it is: each host has its own virtual phone.
    serial = f"{VIRTUAL}-{host[:8]}" if host else ""
    try:
        devices = await open_devices(settings, notify, clock, offered, phone_claims, serial)
    except BaseException:
        if recorder is not None:
            await recorder.aclose()
        raise
    return Parts(
        settings,
        devices,
        recorder,
        gate,
        Takeover(settings.folders.held, clock),
        make_leases(settings, clock, tokens, host),
        several=bool(host),
        clock=clock,
    )


def make_leases(
    settings: Settings, clock: Clock, tokens: "Tokens | FleetTokens | None" = None, host: str = ""
) -> "Leases":
    """`tokens` are those of clients, and `host` is the id of a host of a fleet."""
    from ..phone.leases.leases import Leases

    if tokens is None:
        return Leases(clock, most=settings.fleet.most, place=host)
    return Leases(clock, most=settings.fleet.most, stamp=tokens.stamp, place=host)


def open_gate(settings: Settings, clock: Clock = SYSTEM_CLOCK, command: str = "") -> "ApprovalGate":
    """The approval gate of a process, which `command` started. Raises SettingsError."""
    from ..tools.main import EVERY_TOOLSET

    return make_gate(settings, EVERY_TOOLSET, clock, command)


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


def phone_tags(settings: Settings) -> dict[str, tuple[str, ...]]:
    """Of phones, by serial and by slug."""
    named = {slug: tags for name, tags in settings.tags.items() if (slug := settings.slug_of(name))}
    return {**settings.tags, **named}


def serves_v1(settings: Settings) -> bool:
    return not settings.no_v1 and None not in map(find_spec, V1_MODULES)


def _app_tools(settings: Settings) -> AppToolSource | None:
    apps = settings.apps
    if apps.trust == "off":
        return None

    def make() -> AppToolSource:
        from ..app_tools.app_tools import AppTools
        from ..app_tools.trust import Trust

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
