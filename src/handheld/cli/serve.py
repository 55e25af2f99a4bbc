"""`handheld serve` and `handheld demo`."""

import argparse
import asyncio
import errno
import logging
import secrets
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from ..access.owner_token import OwnerToken, ensure_token
from ..access.policy import describe_unasked, make_policy
from ..access.stop_switch import StopSwitch
from ..access.takeover import LET_GO, Takeover
from ..access.tokens import AccessToken, Tokens
from ..clock import SYSTEM_CLOCK, Clock
from ..devices import restore
from ..devices.ownership import Owners, take
from ..errors import ToolError
from ..phone.storage import EXAMPLE, Location, StorageError, StorageFile
from ..server.listener import bind
from ..settings import VIRTUAL, Settings
from ..settings.slug import server_name
from ..sharing.inheritance import describe_limits
from ..sharing.owner import report
from ..sharing.remote import has_phone
from .choosing import choose_phone
from .clients import agent_url, curl, snippets
from .exit_codes import USAGE_ERROR
from .own_program import own_program
from .reach import (
    command_line,
    make_console,
    make_leases,
    make_others,
    make_sms_surface,
    make_surface,
    make_v1,
    open_gate,
    open_recorder,
    phone_tags,
)
from .scene import check_scene
from .terminal import print_error, print_line
from .through import check_policy

if TYPE_CHECKING:
    import ssl

    from ..access.resource_server import ResourceServer
    from ..devices import Devices
    from ..engine.joining import Joined
    from ..surface.protocols import Surface

_FIRST_SCAN_SECONDS = 3.0
_FIRST_START_SECONDS = 30.0
"""With a virtual phone, which is sure to come: on a busy machine its process starts slowly."""
_DOWNLOAD = Location(EXAMPLE, VIRTUAL, allow_write=True, allow_delete=True)
"""What a demo offers, unless the owner's file has its own entry for it."""

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


async def serve(given: argparse.Namespace, settings: Settings) -> int:
    ports = {"main": (settings.port, "--port"), "sms": (settings.sms.port, "--sms-port")}
    for port, flag in (ports[name] for name in settings.surface):
        if user := port_user(settings, port):
            print_error(
                f"Port {port} is in use by {user}: stop it, or choose another port with {flag}."
            )
            return 1
    if not given.fleet:
        if given.join:
            print_error("--join is only for --fleet.")
            return USAGE_ERROR
        chosen = await choose_phone(settings, "serve")
        if chosen is None:
            return 0
        if "main" in chosen.surface:
            from .beside import find_client_process, serve_beside

            if await find_client_process(chosen) is not None:
                return await serve_beside(chosen)
        return await run_server(chosen, command_line("serve", chosen), _greet)
    command = command_line("serve", settings)
    if "main" not in settings.surface:
        print_error("--fleet serves the main surface: add --surface main.")
        return USAGE_ERROR
    from .fleet import be_both, greet_member

    host, gateway = await be_both(given, settings)

    def greet(ready: Ready) -> None:
        greet_member(host)
        greet_member(gateway)
        _greet(ready)

    return await run_server(settings, command, greet, joined=host, gateway=gateway)


async def demo(given: argparse.Namespace, settings: Settings) -> int:
    settings = replace(settings, phone=(VIRTUAL,), surface=("main",))
    if user := port_user(settings, settings.port):
        print_line(f"Port {settings.port} is in use by {user}; using a free port instead.")
        settings = replace(settings, port=0)
    return await run_server(settings, "handheld demo", _greet_with_setup, offered=(_DOWNLOAD,))


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
    async with AsyncExitStack() as stack:
        owners = Owners(settings.folders.owners, clock)
        claim = await take(owners, settings.phones, command, has_phone, settings.single_slug)
        stack.callback(claim.release)
        from ..devices.opening import open_devices
        from ..helper.claim import PhoneClaims

        phone_claims = PhoneClaims()
        # A serial means the same phone, wherever it is: each host has a virtual phone of its own.
        serial = f"{VIRTUAL}-{joined.membership.id[:8]}" if joined is not None else ""
        devices = await open_devices(settings, log.info, clock, offered, phone_claims, serial)
        stack.push_async_callback(devices.aclose)
        # In a thread, so that phones connect meanwhile.
        await asyncio.to_thread(__import__, "handheld.server.http")
        from ..console.screen_stream import ScreenReader
        from ..server.bearer import recognise_none
        from ..server.http import open_http, serve_http
        from ..server.listener import Address, CannotServe
        from ..server.options import HttpOptions

        virtual = VIRTUAL in settings.phones
        with suppress(TimeoutError, ToolError):
            async with clock.timeout(_FIRST_START_SECONDS if virtual else _FIRST_SCAN_SECONDS):
                await devices.known()
        gate = open_gate(settings, clock, command)
        tokens = Tokens(settings.folders.tokens, clock=clock)
        recorder = open_recorder(settings, lambda: gate.consoles > 0, clock)
        if recorder is not None:
            stack.push_async_callback(recorder.aclose)
        takeover = Takeover(settings.folders.held, clock)
        recognise, fleet_tokens = tokens.recognise, None
        if joined is None:
            leases = make_leases(settings, clock, None if settings.no_token else tokens)
        else:
            from ..fleet.tokens import FleetTokens

            fleet_tokens = FleetTokens(clock, tokens.stamp)
            recognise = fleet_tokens.beside(recognise)
            leases = make_leases(settings, clock, fleet_tokens, joined.membership.id)
        stack.push_async_callback(leases.aclose)
        switch = StopSwitch(takeover, devices, leases)
        surface = make_surface(
            settings,
            devices,
            recorder,
            gate,
            clock,
            takeover,
            leases,
            several=joined is not None,
        )
        stack.push_async_callback(surface.aclose)
        cert = sms_url = ""
        try:
            tls, cert = open_tls(settings, clock)
            common = HttpOptions(
                host=settings.host,
                token=token.value if token else "",
                recognise=recognise,
                token_names=tokens.names,
                allow_hosts=allowed_hosts(settings),
                body_limit=settings.body_limit,
                tls=tls,
                name=server_name(settings.single_slug),
                clock=clock,
            )
            if "sms" in settings.surface:
                sms = make_sms_surface(settings, devices, recorder, gate, takeover, leases)
                sms_options = replace(common, port=settings.sms.port, sms=True)
                sms_url = (await stack.enter_async_context(open_http(sms, sms_options))).url
            console = None
            screens = ScreenReader(devices)
            if not settings.no_console:
                console = make_console(
                    settings,
                    surface,
                    devices,
                    recorder,
                    gate,
                    switch,
                    clock,
                    tokens=tokens,
                    offered=offered,
                    screens=screens,
                )
            options = replace(
                common,
                port=settings.port,
                oauth=open_oauth(settings, clock),
                phones=lambda: report(devices, switch),
                release=devices.release,
                restore=partial(restore, devices),
                stop=switch,
                agent=True,
                v1=make_v1(settings, devices, recorder, gate, takeover, leases),
                console=console,
            )
            main = "main" in settings.surface
            if not main:
                # Only for this user's other processes, which look for the phone's owner.
                cert = ""
                options = replace(
                    options,
                    host="127.0.0.1",
                    port=0,
                    token=secrets.token_urlsafe(32),
                    recognise=recognise_none,
                    oauth=None,
                    tls=None,
                    v1=None,
                )

            def ready(address: Address) -> None:
                url, key = address.url.removesuffix("/mcp"), console.key if console else ""
                sms = sms_url.removesuffix("/mcp")
                limits = describe_limits(settings)
                claim.publish(url, options.token, cert, sms, key, limits, switch.key)
                link = console.make_link(url) if console else ""
                shown = address.url if main else ""
                greet(Ready(shown, sms_url, token, devices, settings, link))

            if joined is not None:
                from ..fleet.call_service import People
                from ..fleet.members import open_host

                others = make_others(settings, devices, recorder, gate, takeover, leases)
                offer = open_host(
                    joined,
                    surface.beside(others),
                    devices,
                    leases,
                    takeover=takeover,
                    tags=phone_tags(settings),
                    record=recorder.log.file if recorder else None,
                    people=People(screens.watch, switch, gate),
                    phone_claims=phone_claims,
                    kept_claims=settings.folders.claims,
                    clock=clock,
                    tokens=fleet_tokens,
                )
                await stack.enter_async_context(offer)
            served: Surface = surface
            if gateway is not None:
                from ..fleet.members import open_gateway
                from ..fleet.tokens import FleetTokens
                from ..tools import EVERY_TOOLSET

                known = FleetTokens(clock)

                def recognise_all(secret: str) -> AccessToken | None:
                    return recognise(secret) or known.recognise(secret)

                options = replace(
                    options,
                    recognise=recognise_all,
                    token_names=lambda: (*tokens.names(), *known.names()),
                )
                policy = make_policy(settings, EVERY_TOOLSET)
                served = await stack.enter_async_context(
                    open_gateway(
                        *(gateway, policy, settings.tool_prefix, clock, known),
                        kept_names=settings.folders.names,
                    )
                )
            await serve_http(served, options, ready)
        except CannotServe as problem:
            print_error(str(problem))
            return 1
    return 0


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


def _greet(ready: Ready) -> None:
    if ready.url:
        print_line(f"Handheld serves MCP at {agent_url(ready.url)}")
        _print_main(ready)
    if ready.sms_url:
        print_line(f"The sms surface is served over MCP at {ready.sms_url}")
    print_phones(ready)
    print_token(ready.token, ready.settings)
    if ready.console_link:
        print_line("`handheld console` prints a link to the console.")
    _print_unasked(ready)


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


def _print_unasked(ready: Ready) -> None:
    if Takeover(ready.settings.folders.held).names:
        print_line(f"Agents are held back until you let go: {LET_GO}")
    print_line(describe_unasked(ready.settings.policy))


def _print_main(ready: Ready) -> None:
    print_line(f"Programs that use the documented android_ tools connect to {ready.url}")


def print_phones(ready: Ready) -> None:
    print_line(ready.devices.describe())
    if not ready.settings.phones and ready.devices.describe() == "No phone is connected.":
        print_line(
            "Phones connected later are picked up automatically. `handheld doctor` shows what is"
            " missing; --phone virtual serves a virtual phone."
        )


def _greet_with_setup(ready: Ready) -> None:
    token = ready.token.value if ready.token else ""
    url = agent_url(ready.url)
    print_line(f"A virtual phone is served over MCP at {url}")
    _print_main(ready)
    print_line(f"Token: {token}" if token else "No token is required.")
    with suppress(StorageError):
        if _DOWNLOAD in StorageFile(ready.settings.folders.storage, (_DOWNLOAD,)).of({VIRTUAL}):
            print_line("The file tools may read, write and delete files in its folder Download.")
    started = (*own_program(), "stdio", "--phone", VIRTUAL)
    for snippet in snippets(url, token, started):
        print_line(f"\n{snippet.client} ({snippet.where}):\n")
        print_line("\n".join(f"    {line}" for line in snippet.text.splitlines()))
    print_line("\n`handheld install CLIENT --http` writes it there, for these and other clients.")
    print_line("\nOr from a terminal:\n")
    line = curl(url, token, "phone_look", insecure=ready.settings.tls.self_signed)
    print_line(f"    {line}")
    if ready.console_link:
        print_line(
            "\nWatch the phone and every call on it (the link works once, within 10 minutes;"
        )
        print_line("`handheld console` prints another):\n")
        print_line(f"    {ready.console_link}")
    _print_unasked(ready)
    print_line("\nStop it with Ctrl-C.")
