"""`handheld host` and `handheld gateway`: this computer as a member of an engine."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ...access.owner_token import OwnerToken
from ...access.policy import make_policy
from ...access.request_scope import SMS, V1, RequestScope
from ...access.tokens import Tokens
from ...calls.protocols import Surface
from ...clock import SYSTEM_CLOCK
from ...devices.ownership import Owners, take
from ...fleet.nats.joining import Joined, join
from ...fleet.nats.plan import EngineError
from ...server.sharing.remote import has_phone
from ...settings import Settings
from ...settings.slug import server_name
from ..clients.snippets import agent_url
from ..parts import V1_MODULES, serves_v1
from ..reach import command_line
from ..server_process import (
    Ready,
    allowed_hosts,
    find_token,
    open_oauth,
    open_tls,
    port_user,
    print_phones,
    print_token,
    run_server,
)
from ..terminal import print_error, print_line, print_note
from ..through import check_policy

if TYPE_CHECKING:
    from ...fleet.surface import FleetSurface
    from ...fleet.tokens import FleetTokens
    from ...server.options import AnswerV1, HttpOptions
    from ...tools.tool import Toolset


def add_host_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--join",
        metavar="CODE",
        help="at the first start: the code that `handheld engine admit` prints; - reads it from"
        " stdin",
    )


add_gateway_arguments = add_host_arguments


async def host(given: argparse.Namespace, settings: Settings) -> int:
    """Raises ToolError."""
    joined = await _become(given, settings)
    settings = replace(settings, surface=("main",))
    if port_user(settings, settings.port):
        # It is for the console and this user's own commands, which find it anywhere.
        settings = replace(settings, port=0)

    def greet(ready: Ready) -> None:
        greet_member(joined)
        print_phones(ready)
        if ready.console_link:
            print_line("`handheld console` prints a link to the console of this host.")

    return await run_server(settings, command_line("host", settings), greet, joined=joined)


async def gateway(given: argparse.Namespace, settings: Settings) -> int:
    """Raises ToolError, SettingsError."""
    from ...fleet.members import open_gateway
    from ...fleet.tokens import FleetTokens
    from ...server.listener import CannotServe
    from ...tools.main import EVERY_TOOLSET

    check_policy(settings)
    ports = {"main": (settings.port, "--port"), SMS: (settings.sms.port, "--sms-port")}
    for port, flag in (ports[name] for name in {"main", *settings.surface}):
        if user := port_user(settings, port):
            print_error(f"Port {port} is in use by {user}: stop it, or choose another with {flag}.")
            return 1
    joined = await _become(given, settings)
    token, tokens = find_token(settings), FleetTokens()
    try:
        options, cert = _gateway_options(settings, token, tokens)
        async with (
            open_gateway(
                joined,
                make_policy(settings, EVERY_TOOLSET),
                settings.tool_prefix,
                tokens=tokens,
                others=gateway_tools(settings),
                kept_names=settings.folders.names,
            ) as surface,
            AsyncExitStack() as stack,
        ):
            await _serve_gateway(surface, joined, settings, options, (token, cert), stack)
    except CannotServe as problem:
        print_error(str(problem))
        return 1
    return 0


def _gateway_options(
    settings: Settings, token: OwnerToken | None, tokens: "FleetTokens"
) -> "tuple[HttpOptions, str]":
    """Of all its ports, and the certificate that this user's own processes trust."""
    from ...server.options import HttpOptions

    own = Tokens(settings.folders.tokens)
    own_ones = tokens.beside(own.recognise)
    tls, cert = open_tls(settings, SYSTEM_CLOCK)
    options = HttpOptions(
        host=settings.host,
        port=settings.port,
        token=token.value if token else "",
        recognise=lambda secret: own_ones(secret) or tokens.recognise(secret),
        token_names=lambda: (*own.names(), *tokens.names()),
        allow_hosts=allowed_hosts(settings),
        body_limit=settings.body_limit,
        tls=tls,
        agent=True,
    )
    return options, cert


async def _serve_gateway(
    surface: "FleetSurface",
    joined: Joined,
    settings: Settings,
    options: "HttpOptions",
    access: tuple[OwnerToken | None, str],
    stack: AsyncExitStack,
) -> None:
    """`access` is the owner's token, and the certificate. Raises CannotServe."""
    from ...server.http import open_http, serve_http
    from ...server.listener import Address

    token, cert = access
    sms_url = ""
    if SMS in settings.surface:
        sms_options = replace(options, port=settings.sms.port, sms=True, agent=False)
        sms_url = (await stack.enter_async_context(open_http(surface, sms_options))).url
    console = claim = None
    if not settings.no_console:
        from ...console import Console
        from ...console.gateway.site import gateway_site

        console = Console(gateway_site(surface, joined.name))
        # A gateway has no phones, so it is not among their owners.
        command, name = command_line("gateway", settings), f"gateway {os.getpid()}"
        claim = await take(Owners(settings.folders.gateways), (name,), command, has_phone)
        stack.callback(claim.release)
    options = replace(
        options,
        oauth=open_oauth(settings, SYSTEM_CLOCK),
        v1=gateway_v1(settings, surface),
        console=console,
    )

    def ready(address: Address) -> None:
        greet_member(joined)
        print_line(f"It serves MCP at {agent_url(address.url)}")
        print_line(f"Programs that use the documented android_ tools connect to {address.url}")
        if sms_url:
            print_line(f"The sms surface is served over MCP at {sms_url}")
        print_line(surface.describe())
        print_token(token, settings)
        if console is not None and claim is not None:
            claim.publish(address.url.removesuffix("/mcp"), "", cert, console=console.key)
            print_line("`handheld console --gateway` prints a link to its console.")

    await serve_http(surface, options, ready)


def gateway_tools(settings: Settings) -> "dict[str, tuple[Sequence[Toolset], RequestScope]]":
    """The tools of what a host offers beside the main and the agent surface, and the limits of a
    gateway's own settings."""
    from ...tools.main import EVERY_TOOLSET
    from ...tools.main.sms import sms

    policy = make_policy(settings, EVERY_TOOLSET)
    tools: dict[str, tuple[Sequence[Toolset], RequestScope]] = {SMS: ((sms,), policy)}
    if serves_v1(settings):
        tools[V1] = ((import_module(V1_MODULES[1]).V1_TOOLS,), policy)
    return tools


def gateway_v1(settings: Settings, surface: Surface) -> "Callable[[], AnswerV1] | None":
    """Return what serves the v1 surface of a gateway; None if it is off."""
    if not serves_v1(settings):
        return None
    return lambda: import_module(V1_MODULES[0]).V1(surface, server_name(""))


def greet_member(joined: Joined) -> None:
    servers = ", ".join(joined.membership.servers)
    print_line(
        f"This is the {joined.role} {joined.name} ({joined.membership.id}) of the engine at"
        f" {servers}"
    )


async def be_both(given: argparse.Namespace, settings: Settings) -> tuple[Joined, Joined]:
    """Join with the codes, if there are some, and be a host and a gateway. Raises EngineError."""
    _check_library("serve --fleet")
    for code in given.join or ():
        joined = await _join(code, settings)
        print_note(f"Joined as the {joined.role} {joined.name}. Later starts need no code.")
    host, gateway = (
        _load(role, settings, "serve --fleet --join CODE") for role in ("host", "gateway")
    )
    if host.tenant != gateway.tenant or host.membership.servers != gateway.membership.servers:
        raise EngineError(
            f"This computer is a host of {host.tenant} and a gateway of {gateway.tenant}, or of"
            " another engine: one of the two must join again."
        )
    return host, gateway


async def _become(given: argparse.Namespace, settings: Settings) -> Joined:
    """Join with the code, or be who this computer was before. Raises EngineError."""
    role = str(given.command)
    _check_library(role)
    if given.join is None:
        return _load(role, settings, f"{role} --join CODE")
    joined = await _join(given.join, settings)
    if joined.role != role:
        raise EngineError(
            f"The code was for a {joined.role}, and this computer has joined as one. Start it:"
            f" handheld {joined.role}"
        )
    print_note(f"Joined as the {role} {joined.name}. Later starts need no code.")
    return joined


def _check_library(command: str) -> None:
    if find_spec("nats") is None:
        raise EngineError(
            f"handheld {command} needs the NATS library. Install it: pip install 'handheld[fleet]'"
        )


def _load(role: str, settings: Settings, command: str) -> Joined:
    try:
        return Joined.load(settings.folders.joined(role))
    except EngineError as problem:
        raise EngineError(
            f"{problem} Where the engine's keys are, run: handheld engine admit {role} NAME."
            f" Then here: handheld {command}"
        ) from problem


async def _join(code: str, settings: Settings) -> Joined:
    joined = await join(sys.stdin.readline() if code == "-" else code)
    joined.save(settings.folders.joined(joined.role))
    return joined
