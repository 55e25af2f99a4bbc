"""`handheld serve` and `handheld demo`."""

import argparse
from contextlib import suppress
from dataclasses import replace

from ...access.policy import describe_unasked
from ...access.takeover import RESUME, Takeover
from ...phone.files.storage import EXAMPLE, Location, StorageError, StorageFile
from ...settings import VIRTUAL, Settings
from ..choosing import choose_phone
from ..clients.snippets import agent_url, curl, snippets
from ..exit_codes import USAGE_ERROR
from ..own_program import own_program
from ..reach import command_line
from ..server_process import Ready, port_user, print_phones, print_token, run_server
from ..terminal import print_error, print_line

_DOWNLOAD = Location(EXAMPLE, VIRTUAL, allow_write=True, allow_delete=True)
"""What is offered of a virtual phone, unless the owner's file has its own entry for it."""


def add_serve_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--fleet",
        action="store_true",
        help="be a host and a gateway of the engine that this computer has joined as both: serve"
        " the phones of all hosts, and offer its own to the others",
    )
    command.add_argument(
        "--join",
        action="append",
        metavar="CODE",
        help="at the first start with --fleet: a code for a host and one for a gateway that"
        " `handheld engine admit` prints; - reads one from stdin",
    )


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
            from ..beside import find_client_process, serve_beside

            if await find_client_process(chosen) is not None:
                return await serve_beside(chosen)
        offered = (_DOWNLOAD,) if VIRTUAL in chosen.phone else ()
        return await run_server(chosen, command_line("serve", chosen), _greet, offered=offered)
    command = command_line("serve", settings)
    if "main" not in settings.surface:
        print_error("--fleet serves the main surface: add --surface main.")
        return USAGE_ERROR
    from ..fleet.members import be_both, greet_member

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


def _greet(ready: Ready) -> None:
    if ready.url:
        print_line(f"Handheld serves MCP at {agent_url(ready.url)}")
        _print_main(ready)
    if ready.sms_url:
        print_line(f"The sms surface is served over MCP at {ready.sms_url}")
    print_phones(ready)
    if VIRTUAL in ready.settings.phone:
        _print_download(ready)
    print_token(ready.token, ready.settings)
    if ready.console_link:
        print_line("`handheld console` prints a link to the console.")
    _print_unasked(ready)


def _print_download(ready: Ready) -> None:
    with suppress(StorageError):
        if _DOWNLOAD in StorageFile(ready.settings.folders.storage, (_DOWNLOAD,)).of({VIRTUAL}):
            print_line("The file tools may change files in the virtual phone's folder Download.")


def _print_unasked(ready: Ready) -> None:
    if Takeover(ready.settings.folders.held).names:
        print_line(f"Agents are held back until you resume them: {RESUME}")
    print_line(describe_unasked(ready.settings.policy))


def _print_main(ready: Ready) -> None:
    print_line(f"Programs that use the documented android_ tools connect to {ready.url}")


def _greet_with_setup(ready: Ready) -> None:
    token = ready.token.value if ready.token else ""
    url = agent_url(ready.url)
    print_line(f"A virtual phone is served over MCP at {url}")
    _print_main(ready)
    print_line(f"Token: {token}" if token else "No token is required.")
    _print_download(ready)
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
