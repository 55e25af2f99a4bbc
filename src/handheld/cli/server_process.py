"""A process that serves phones over HTTP: what it is made of, and how it starts and ends."""

import asyncio
import errno
import logging
import secrets
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from ..access.owner_token import OwnerToken, ensure_token
from ..access.tokens import AccessToken, Tokens
from ..clock import SYSTEM_CLOCK, Clock
from ..devices import restore
from ..devices.ownership import Owners, OwnershipClaim, take
from ..errors import ToolError
from ..phone.files.storage import Location
from ..server.listener import bind
from ..server.sharing.inheritance import describe_limits
from ..server.sharing.owner import report
from ..server.sharing.remote import has_phone
from ..settings import VIRTUAL, Settings
from ..settings.slug import server_name
from .parts import Parts, open_parts, phone_tags
from .scene import check_scene
from .terminal import print_error, print_line
from .through import check_policy

if TYPE_CHECKING:
    import ssl

    from ..access.resource_server import ResourceServer
    from ..calls.protocols import Surface
    from ..console import Console, ConsoleScreens
    from ..devices import Devices
    from ..fleet.nats.joining import Joined
    from ..fleet.nats.wire import EngineWire
    from ..fleet.tokens import FleetTokens
    from ..helper.claim import PhoneClaims
    from ..server.options import HttpOptions

_FIRST_SCAN_SECONDS = 3.0
_FIRST_START_SECONDS = 30.0
"""With a virtual phone, which is sure to come: on a busy machine its process starts slowly."""

log = logging.getLogger("handheld")


@dataclass(frozen=True, slots=True)
class Ready:
    """A server that has just opened its port, as the greeting shows it."""

    url: str
    """Empty where the main surface is not served."""
    sms_url: str
    """Empty where the sms surface is not served."""
    token: OwnerToken | None
    devices: "Devices"
    settings: Settings
    console_link: str = ""
    """A one-time link; empty where there is no console."""


@dataclass(frozen=True, slots=True)
class _Member:
    """Who this process is to an engine: a host, and a gateway if it serves all other phones too."""

    host: "Joined"
    gateway: "Joined | None"
    tokens: "FleetTokens"
    phone_claims: "PhoneClaims"


async def run_server(
    settings: Settings,
    command: str,
    greet: Callable[[Ready], None],
    clock: Clock = SYSTEM_CLOCK,
    offered: Sequence[Location] = (),
    joined: "Joined | None" = None,
    gateway: "Joined | None" = None,
) -> int:
    """`joined` is who this process is to the engine, if it is a host, and `gateway` if it also
    serves the phones of all others."""
    check_policy(settings)
    check_scene(settings)
    token = find_token(settings)
    tokens = Tokens(settings.folders.tokens, clock=clock)
    async with AsyncExitStack() as stack:
        owners = Owners(settings.folders.owners, clock)
        claim = await take(owners, settings.phones, command, has_phone, settings.single_slug)
        stack.callback(claim.release)
        member = None if joined is None else _make_member(joined, gateway, tokens, clock)
        parts = await open_parts(
            settings,
            command,
            log.info,
            clock,
            offered=offered,
            tokens=member.tokens if member else None if settings.no_token else tokens,
            host=member.host.membership.id if member else "",
            phone_claims=member.phone_claims if member else None,
        )
        stack.push_async_callback(parts.aclose)
        # In a thread, so that phones connect meanwhile.
        await asyncio.to_thread(__import__, "handheld.server.http")
        from ..server.listener import CannotServe

        await _wait_for_phones(parts)
        server = _Server(parts, claim, token, tokens, greet, offered, member)
        try:
            await server.run(stack)
        except CannotServe as problem:
            print_error(str(problem))
            return 1
    return 0


def _make_member(
    host: "Joined", gateway: "Joined | None", tokens: Tokens, clock: Clock
) -> "_Member":
    from ..fleet.tokens import FleetTokens
    from ..helper.claim import PhoneClaims

    return _Member(host, gateway, FleetTokens(clock, tokens.stamp), PhoneClaims())


async def _wait_for_phones(parts: Parts) -> None:
    """For a short time, so that the greeting names them."""
    virtual = VIRTUAL in parts.settings.phones
    with suppress(TimeoutError, ToolError):
        async with parts.clock.timeout(_FIRST_START_SECONDS if virtual else _FIRST_SCAN_SECONDS):
            await parts.devices.known()


@dataclass
class _Server:
    """The ports of a process and what answers at them."""

    parts: Parts
    claim: OwnershipClaim
    token: OwnerToken | None
    tokens: Tokens
    greet: Callable[[Ready], None]
    offered: Sequence[Location]
    member: "_Member | None"

    async def run(self, stack: AsyncExitStack) -> None:
        """Raises CannotServe."""
        from ..console.screen_stream import ConsoleScreens
        from ..server.http import open_http, serve_http
        from ..server.listener import Address

        parts, settings, member = self.parts, self.parts.settings, self.member
        tls, cert = open_tls(settings, parts.clock)
        common = self._common_options(tls)
        sms_url = ""
        if "sms" in settings.surface:
            options = replace(common, port=settings.sms.port, sms=True)
            sms_url = (await stack.enter_async_context(open_http(parts.sms, options))).url
        screens = ConsoleScreens(parts.devices)
        console = None
        if not settings.no_console:
            console = parts.console(tokens=self.tokens, offered=self.offered, screens=screens)
        options = self._main_options(common, console)
        is_main = "main" in settings.surface
        if not is_main:
            cert, options = "", _for_own_processes(options)
        if member is not None:
            await stack.enter_async_context(self._offer(member, screens))
        served: Surface = parts.surface
        if member is not None and member.gateway is not None:
            served, options = await self._open_gateway(member.gateway, options, stack)

        def ready(address: Address) -> None:
            url, key = address.url.removesuffix("/mcp"), console.key if console else ""
            sms, limits = sms_url.removesuffix("/mcp"), describe_limits(settings)
            self.claim.publish(url, options.token, cert, sms, key, limits, parts.switch.key)
            link = console.make_link(url) if console else ""
            shown = address.url if is_main else ""
            self.greet(Ready(shown, sms_url, self.token, parts.devices, settings, link))

        await serve_http(served, options, ready)

    def _common_options(self, tls: "ssl.SSLContext | None") -> "HttpOptions":
        """Of every port."""
        from ..server.options import HttpOptions

        settings, recognise = self.parts.settings, self.tokens.recognise
        return HttpOptions(
            host=settings.host,
            token=self.token.value if self.token else "",
            recognise=self.member.tokens.beside(recognise) if self.member else recognise,
            token_names=self.tokens.names,
            allow_hosts=allowed_hosts(settings),
            body_limit=settings.body_limit,
            tls=tls,
            name=server_name(settings.single_slug),
            clock=self.parts.clock,
        )

    def _main_options(self, common: "HttpOptions", console: "Console | None") -> "HttpOptions":
        parts = self.parts
        return replace(
            common,
            port=parts.settings.port,
            oauth=open_oauth(parts.settings, parts.clock),
            phones=lambda: report(parts.devices, parts.switch),
            release=parts.devices.release,
            restore=partial(restore, parts.devices),
            stop=parts.switch,
            agent=True,
            v1=parts.v1,
            console=console,
        )

    def _offer(
        self, member: "_Member", screens: "ConsoleScreens"
    ) -> "AbstractAsyncContextManager[EngineWire]":
        """Offer the phones of this host to the gateways of its fleet."""
        from ..fleet.call_service import People
        from ..fleet.members import open_host
        from ..fleet.publication import HostPhones

        parts = self.parts
        assert parts.leases is not None
        assert parts.gate is not None
        return open_host(
            member.host,
            parts.surface.beside(parts.others()),
            HostPhones(
                parts.devices,
                parts.leases,
                parts.takeover,
                phone_tags(parts.settings),
                member.phone_claims,
            ),
            record=parts.recorder.log.file if parts.recorder else None,
            people=People(screens.watch, parts.switch, parts.gate),
            kept_claims=parts.settings.folders.claims,
            clock=parts.clock,
            tokens=member.tokens,
        )

    async def _open_gateway(
        self, gateway: "Joined", options: "HttpOptions", stack: AsyncExitStack
    ) -> "tuple[Surface, HttpOptions]":
        """What serves the phones of all hosts of the fleet."""
        from ..fleet.members import open_gateway
        from ..fleet.tokens import FleetTokens

        parts, own = self.parts, options.recognise
        known = FleetTokens(parts.clock)

        def recognise(secret: str) -> AccessToken | None:
            return own(secret) or known.recognise(secret)

        opening = open_gateway(
            *(gateway, parts.policy, parts.settings.tool_prefix, parts.clock, known),
            kept_names=parts.settings.folders.names,
        )
        options = replace(
            options,
            recognise=recognise,
            token_names=lambda: (*self.tokens.names(), *known.names()),
        )
        return await stack.enter_async_context(opening), options


def _for_own_processes(options: "HttpOptions") -> "HttpOptions":
    """Of a port for this user's other processes alone, which look for the phone's owner."""
    from ..server.bearer import recognise_none

    return replace(
        options,
        host="127.0.0.1",
        port=0,
        token=secrets.token_urlsafe(32),
        recognise=recognise_none,
        oauth=None,
        tls=None,
        v1=None,
    )


def find_token(settings: Settings) -> OwnerToken | None:
    if settings.no_token:
        return None
    if settings.token:
        return OwnerToken(settings.token, made=False)
    return ensure_token(settings.folders.token)


def open_tls(settings: Settings, clock: Clock) -> "tuple[ssl.SSLContext | None, str]":
    from ..server.tls import load_tls, self_signed

    cert, key = settings.tls.cert, settings.tls.key
    if settings.tls.self_signed:
        cert, key = self_signed(settings.folders.tls, settings.host, clock)
    if cert is None or key is None:
        return None, ""
    return load_tls(cert, key), str(cert)


def open_oauth(settings: Settings, clock: Clock) -> "ResourceServer | None":
    if not settings.oauth.issuer:
        return None
    from ..access.issuer import Issuer
    from ..access.resource_server import ResourceServer

    issuers = [Issuer(url, clock) for url in settings.oauth.issuer]
    return ResourceServer(
        settings.oauth.url, issuers, phone_scopes=settings.oauth.phone_scopes, clock=clock
    )


def allowed_hosts(settings: Settings) -> Sequence[str]:
    """Those of the settings, and the name by which access tokens name this server."""
    return (*settings.allow_host, settings.oauth.url.partition("://")[2])


def port_user(settings: Settings, port: int) -> str:
    """Return who uses the port, by name for a Handheld process; "" if it is free."""
    if not port:
        return ""
    try:
        bind(settings.host, port).close()
        return ""
    except (OSError, UnicodeError) as problem:
        if not isinstance(problem, OSError) or problem.errno != errno.EADDRINUSE:
            return ""  # a wrong address is reported when the server listens on it
    for entry in Owners(settings.folders.owners).entries():
        if entry.listens_at(port):
            return str(entry)
    return "another program"


def print_token(token: OwnerToken | None, settings: Settings) -> None:
    if token is None:
        print_line("No token is required: every program on this machine can use the phone.")
    elif token.made and sys.stdout.isatty():
        print_line(f"New token, kept for later starts: {token.value}")
    elif token.made:
        # Where nobody looks at a terminal, this becomes a log, which others may read.
        print_line("A new token was made, which `handheld token show` prints.")
    elif settings.token:
        print_line("Clients must send the token that was given at the start.")
    else:
        print_line("Clients must send the token that `handheld token show` prints.")


def print_phones(ready: Ready) -> None:
    print_line(ready.devices.describe())
    if not ready.settings.phones and ready.devices.describe() == "No phone is connected.":
        print_line(
            "Phones connected later are picked up automatically. `handheld doctor` shows what is"
            " missing; --phone virtual serves a virtual phone."
        )
