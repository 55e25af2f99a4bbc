"""`handheld install`: this server's entry in the configuration files of MCP clients."""

import argparse
import difflib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from ...settings import Settings
from ...settings.environment import variables
from ...settings.folders import PLACES
from ..clients.catalog import BY_ID, CLIENTS
from ..clients.change import Change, installed_entry, is_known, plan_install, plan_removal
from ..clients.client import TOKEN_VARIABLE, Machine, McpClient, Scope
from ..clients.config_file import ClientFile, FileError, read_file
from ..clients.entry import NAME, describe_entry
from ..clients.snippets import this_machine
from ..exit_codes import USAGE_ERROR
from ..own_program import own_program, runs_from_cache
from ..terminal import ask, print_error, print_line, print_note

_TOKEN = re.compile(r'Bearer (?!\$?\{)(?:\\.|[^\s"\\])+')
"""In an entry; not where it names a variable that holds one."""
_STARTS = frozenset({"cwd", "env", "envFile", "env_file", "environment", "envs"})
"""Keys of an entry that decide in which folder and with which variables a program is started."""
_ADDRESS = r"https?://[\w.:\[\]-]+(?:/|/[^\s\\?#]+(?:\?[^\s\\#]*)?)?"


class InstallError(Exception):
    """It cannot be installed so. The message says why."""


def add_install_arguments(command: argparse.ArgumentParser) -> None:
    # Without an explicit default argparse reports the clients as required.
    command.add_argument(
        "client",
        nargs="*",
        default=[],
        metavar="CLIENT",
        help="such as claude-code, cursor, vscode or codex; without one, list them",
    )
    command.add_argument(
        "--scope",
        choices=("user", "project"),
        help="for yourself, or for the project in this folder; defaults to user",
    )
    command.add_argument(
        "--http",
        nargs="?",
        const="",
        metavar="URL",
        help="connect to a server that runs: the one of this computer, or this address. Without it"
        " the client starts Handheld itself",
    )
    command.add_argument(
        "--phone",
        dest="only_phone",
        action="append",
        metavar="PHONE",
        help="only this phone: a serial, HOST:PORT or virtual; repeat for several",
    )
    command.add_argument(
        "--surface",
        dest="tool_surface",
        choices=("agent", "main"),
        help="agent: the tools for models; main: the documented android_ tools (default: agent)",
    )
    command.add_argument("--print", action="store_true", help="print the entry, and write nothing")
    command.add_argument("--remove", action="store_true", help="remove the entry again")
    command.add_argument("--yes", action="store_true", help="do not ask before writing")


def install(given: argparse.Namespace, settings: Settings) -> int:
    machine = this_machine()
    if error := _usage_error(given):
        print_error(error)
        return USAGE_ERROR
    if not given.client:
        _list(machine, settings.folders.clients)
        return 0
    worst = 0
    for name in given.client:
        try:
            code = _install(BY_ID[name], given, settings, machine)
        except (FileError, InstallError) as problem:
            print_error(str(problem))
            code = 1
        worst = max(worst, code)
    return worst


def _usage_error(given: argparse.Namespace) -> str:
    for name in given.client:
        if name not in BY_ID:
            near = difflib.get_close_matches(name, list(BY_ID), 1)
            hint = f" Did you mean {near[0]}?" if near else " `handheld install` lists them."
            return f"There is no client {name}.{hint}"
    added = [
        flag
        for flag, value in {
            "--http": given.http is not None,
            "--phone": given.only_phone,
            "--surface": given.tool_surface,
            "--print": given.print,
            "--remove": given.remove,
            "--scope": given.scope,
            "--yes": given.yes,
        }.items()
        if value
    ]
    if not given.client and added:
        return (
            f"Name the client: handheld install CLIENT {added[0]}. `handheld install` lists them."
        )
    if given.remove and set(added) & {"--http", "--phone", "--surface", "--print"}:
        return f"{added[0]} is not for --remove."
    if given.http is not None and len(given.only_phone or ()) > 1:
        return "With --http, --phone names one phone: leave it out for all that the server has."
    return ""


def _install(
    client: McpClient, given: argparse.Namespace, settings: Settings, machine: Machine
) -> int:
    scope: Scope = given.scope or next(client.scopes())
    path = client.file(scope, machine)
    if path is None:
        raise InstallError(f"{client.title} has no file for a {scope}: leave out --scope {scope}.")
    if given.remove:
        if client.format == "yaml":
            raise InstallError(f"Handheld does not change YAML files: edit {path} yourself.")
        file = _read(path, scope, machine)
        change = plan_removal(client, file, settings.folders.clients)
        return _apply(client, change, given, settings, machine)
    entry, private = _entry(client, scope, given, settings)
    if given.print or client.format == "yaml":
        print_line(describe_entry(client, entry))
        print_note(f"For {client.title}, in {machine.shorten(path)}. Nothing was written.")
        if not given.print:
            print_note("Handheld does not change YAML files: put it there yourself.")
        return 0 if given.print else 1
    file = _read(path, scope, machine)
    if scope == "project":
        _check_start(client, file)
    change = plan_install(client, file, entry, settings.folders.clients, private=private)
    for name in PLACES:
        if given.http is None and name in variables():
            print_note(f"{name} is set here: {client.title} must be started with it, too.")
    return _apply(client, change, given, settings, machine)


def _read(path: Path, scope: Scope, machine: Machine) -> ClientFile:
    """A new file is only for this user, but a project's for all who have the project."""
    file = read_file(path, machine.project if scope == "project" else None)
    if file.data is None and scope == "project":
        return ClientFile(file.path, file.target, None, 0o644)
    return file


def _check_start(client: McpClient, file: ClientFile) -> None:
    """Raises InstallError, FileError."""
    there = sorted(_STARTS & set(installed_entry(client, file) or ()) - client.own_keys())
    if there:
        raise InstallError(
            f"{file.path} has a server named {NAME} with {' and '.join(there)}, which decides how"
            " Handheld is started, such as with whose settings. Nothing was written. Whoever wrote"
            " the project may have put it there: look at it, and remove it first."
        )


def _entry(
    client: McpClient, scope: Scope, given: argparse.Namespace, settings: Settings
) -> tuple[Mapping[str, Any], bool]:
    """The entry, and whether there is a token in it. Raises InstallError."""
    surface = given.tool_surface or "agent"
    phones: list[str] = given.only_phone or []
    if given.http is None:
        if runs_from_cache() and "UV" not in variables():
            raise InstallError(
                "Handheld runs from a cache, which is emptied at times. Install it first: uv tool"
                " install handheld, or pipx install handheld"
            )
        named = [part for phone in phones for part in ("--phone", phone)]
        chosen = ["--surface", surface] if surface != "agent" else []
        return client.local.entry((*own_program(), "stdio", *named, *chosen)), False
    if client.remote is None:
        raise InstallError(
            f"{client.title} starts the servers in its file itself: leave out --http."
        )
    base, token = _server(given.http, settings)
    if not urlsplit(base).path.strip("/"):
        url = _address(base, surface, phones)
    elif phones or given.tool_surface:
        flag = "--phone" if phones else "--surface"
        raise InstallError(f"{base} already says what is used: leave out {flag}.")
    else:
        url = base
    if scope == "user" or not token:
        return client.remote.entry(url, token), bool(token)
    # A project's file is shared, and often in a repository.
    if not client.remote.takes_variable:
        raise InstallError(
            f"The file of a project is no place for a token, and {client.title} documents no way to"
            " name one. Install it for yourself (--scope user), or without --http."
        )
    print_note(f"The file names {TOKEN_VARIABLE}: start {client.title} with the token in it.")
    return client.remote.entry(url, token, by_variable=True), False


def _address(base: str, surface: str, phones: list[str]) -> str:
    of_phone = f"/phones/{quote(phones[0], safe='')}" if phones else ""
    return f"{base.rstrip('/')}{of_phone}/mcp{'/agent' if surface == 'agent' else ''}"


def _server(given: str, settings: Settings) -> tuple[str, str]:
    """The address of a server, and the token that it wants. Raises InstallError."""
    from ...access.owner_token import ensure_token
    from ...devices.ownership import Owners

    if not given:
        running = [
            entry
            for entry in Owners(settings.folders.owners).entries()
            if entry.url and entry.command.split()[1:2] in (["serve"], ["demo"])
        ]
        if not running:
            raise InstallError(
                "No server runs here. Start one (handheld serve), or name its address: --http"
                " http://HOST:PORT"
            )
        if len(running) > 1:
            every = ", ".join(entry.url for entry in running)
            raise InstallError(f"Several servers run here: {every}. Name one: --http URL")
        if running[0].cert:
            print_note(f"The client must trust the server's certificate: {running[0].cert}")
        return running[0].url, running[0].token
    host = _host_of(given)
    if settings.no_token:
        return given, ""
    if host in ("127.0.0.1", "::1", "localhost"):
        return given, settings.token or ensure_token(settings.folders.token).value
    # The token of this computer's owner is no other computer's business.
    if not (token := variables().get(TOKEN_VARIABLE, "")):
        raise InstallError(f"Say which token {host} wants: set {TOKEN_VARIABLE} for this command.")
    if not given.lower().startswith("https:"):
        print_note(f"The client will send the token to {given} without encryption: use https.")
    return given, token


def _host_of(address: str) -> str:
    """Raises InstallError for what clients could read otherwise than we do."""
    try:
        url = urlsplit(address)
        host, port = url.hostname or "", url.port
    except ValueError:
        host, port = "", None
    plain = re.fullmatch(_ADDRESS, address, re.ASCII | re.IGNORECASE)
    if not host or not plain or port == 0:
        raise InstallError(f"{address} is no address: write http://HOST:PORT")
    return host


def _apply(
    client: McpClient,
    change: Change | None,
    given: argparse.Namespace,
    settings: Settings,
    machine: Machine,
) -> int:
    if change is None:
        print_line(
            f"{client.title}: {'it is not there' if given.remove else 'it is there already'}."
        )
        return 0
    _show(change)
    if not given.yes and not ask("Write this?" if change.data is not None else "Remove the file?"):
        print_note("Nothing was written.")
        return 1
    copy = change.carry_out(settings.folders.clients)
    where = machine.shorten(change.file.path)
    if given.remove:
        print_line(f"{client.title}: removed from {where}.")
    else:
        print_line(f"{client.title}: installed in {where}.")
    if copy is not None:
        print_line(f"The file as it was before: {machine.shorten(copy)}")
    if not given.remove:
        if client.after:
            print_line(client.after)
        scope = f" --scope {given.scope}" if given.scope else ""
        print_line(f"To undo it: handheld install {client.id} --remove{scope}")
    return 0


def _show(change: Change) -> None:
    """The change as a diff, in which tokens are not shown."""
    file = change.file
    old = file.text.splitlines()
    new = [] if change.data is None else change.data.decode().removeprefix("\ufeff").splitlines()
    before = str(file.path) if file.data is not None else "/dev/null"
    after = str(file.path) if change.data is not None else "/dev/null"
    for line in difflib.unified_diff(old, new, before, after, lineterm=""):
        print_line(_TOKEN.sub("Bearer <token>", line))
    if file.data is not None and change.mode != file.mode:
        print_line(f"Its mode {file.mode:o} becomes {change.mode:o}: it holds a token.")
    elif change.data is not None and file.data == change.data:
        print_line("Only its mode changes.")


def _list(machine: Machine, copies: Path) -> None:
    """The clients on this machine, and where Handheld is installed in them."""
    missing: list[str] = []
    for client in CLIENTS:
        notes = [_state(client, scope, machine, copies) for scope in client.scopes()]
        notes = [note for note in notes if note]
        if not notes and not client.found(machine):
            missing.append(client.id)
            continue
        print_line(f"{client.id:16} {client.title:20} {'; '.join(notes) or 'not installed'}")
    if missing:
        print_line(f"Not found here: {', '.join(missing)}")
    print_line("To install: handheld install CLIENT")


def _state(client: McpClient, scope: Scope, machine: Machine, copies: Path) -> str:
    path = client.file(scope, machine)
    if path is None or client.format == "yaml":
        return (
            "put it there by hand (--print)"
            if client.format == "yaml" and client.found(machine)
            else ""
        )
    try:
        file = read_file(path, machine.project if scope == "project" else None)
        entry = installed_entry(client, file)
    except FileError as problem:
        return str(problem)
    if entry is None:
        return ""
    ours = is_known(client, file, entry, copies)
    return (
        f"{'installed' if ours else f'another server is called {NAME}'} in {machine.shorten(path)}"
    )
