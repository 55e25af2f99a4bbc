"""The commands and their flags. Flags that are settings come from the settings themselves."""

import argparse
import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn

from .. import __version__
from ..settings import Option, options

_REACH = ("phone", "adb.server", "log_level")
"""Options of every command that reaches a phone."""
_SERVER = ("adb.server", "log_level")
"""Options of every command that speaks with the adb server alone."""
_TOOLS = (
    "slug",
    "read_only",
    "wake",
    "tools.off",
    "toolsets.off",
    "apps.trust",
    "apps.timeout_seconds",
    "apps.reply_limit",
)
"""Options of every command that offers tools."""
_LISTEN = (
    "host",
    "port",
    "token",
    "no_token",
    "allow_host",
    "body_limit",
    "tls.cert",
    "tls.key",
    "tls.self_signed",
)
"""Options of every command that listens for clients."""
_SURFACES = ("no_v1", "no_console")
"""Options on what is served beside the tools at /mcp."""
_PORTS = ("surface", "sms.port")
"""Options on surfaces with a port of their own."""
_FILES = (
    "files.size_limit_mb",
    "download.allow_http",
    "download.allow_unverified_https",
    "download.allow_private_addresses",
    "download.timeout_seconds",
    "sms.subscriptions",
    "sms.allow",
    "sms.block",
    "sms.parts_per_minute",
    "sms.dry_run",
    "audit.off",
    "audit.required",
    "audit.pictures",
    "audit.most_mb",
    "audit.most_days",
    "audit.mask_typing",
    "audit.mask_files",
    "audit.mask_apps",
    "policy.ask",
    "policy.deny",
    "policy.allow",
    "policy.require_console",
    "policy.wait_seconds",
)
"""Options of every command that may own a phone."""


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """What was typed: flags may stand before, between and after the words. Ends the process, as
    argparse does, when it is told nothing that makes sense."""
    parser, commands = _build()
    if not arguments or arguments[0] not in commands:
        return parser.parse_args(arguments)
    # Else argparse counts a word that may be left out as left out at the first flag, and does not
    # know the FILE in `apps check --json FILE` any more.
    given = argparse.Namespace(command=arguments[0])
    return commands[arguments[0]].parse_intermixed_args(arguments[1:], given)


def print_help() -> None:
    _build()[0].print_help()


class _Parser(argparse.ArgumentParser):
    """One that answers a slip of the keyboard with what is near it."""

    def error(self, message: str) -> NoReturn:
        known: list[str] = []
        if typed := re.search(r"unrecognized arguments: (--[\w-]+)", message):
            known = re.findall(r"--[\w-]+", self.format_usage())
        elif typed := re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message):
            known = re.findall(r"[\w-]+", typed[2])
        near = difflib.get_close_matches(typed[1], dict.fromkeys(known), 1) if typed else []
        super().error(f"{message}. Near it: {near[0]}." if near else message)


def _build() -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """The whole, and each command."""
    parser = _Parser(
        prog="handheld",
        description="Android phones in an AI agent's hands, over MCP.",
        epilog="Try it without a phone: handheld demo",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"handheld {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def add(name: str, help: str, example: str, keys: Iterable[str]) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name,
            help=help,
            description=help,
            epilog=f"Example: {example}",
            allow_abbrev=False,
        )
        wanted = set(keys)
        for option in options():
            if option.key in wanted:
                _add_option(command, option)
        return command

    add(
        "serve",
        "Serve phones over HTTP.",
        "handheld serve --phone virtual --port 8080",
        _REACH + _TOOLS + _LISTEN + _SURFACES + _PORTS + _FILES,
    )
    add(
        "stdio",
        "Serve phones to the client that starts this, over stdin and stdout.",
        "handheld stdio --phone R58M123ABC",
        _REACH + _TOOLS + _FILES,
    )
    # Only for the list and `handheld --help`: the virtual phone reads its own flags.
    commands.add_parser("virtual", help="Run a virtual phone alone, for any adb client.")
    add(
        "demo",
        "Serve a virtual phone and show how to connect each client.",
        "handheld demo",
        ("log_level", *_TOOLS, *_LISTEN, *_SURFACES, *_FILES),
    )

    phones = add("phones", "List phones, or let go of one.", "handheld phones", _REACH)
    phones.add_argument(
        "action", nargs="?", choices=("list", "release"), default="list", help="what to do"
    )
    phones.add_argument(
        "serial", nargs="?", help="with release: the phone whose UiAutomation to let go of"
    )

    connect = add(
        "connect",
        "Have the adb server connect to a phone over Wi-Fi.",
        "handheld connect 192.168.1.20:37099",
        _SERVER,
    )
    connect.add_argument(
        "address", metavar="HOST[:PORT]", help="as the phone shows it; port 5555 without one"
    )
    connect.add_argument(
        "--save", action="store_true", help="add it to the phones in handheld.toml"
    )
    pair = add(
        "pair",
        "Make this computer known to a phone that shows a pairing code.",
        "handheld pair 192.168.1.20:41233",
        _SERVER,
    )
    pair.add_argument(
        "address", metavar="HOST:PORT", help="as “Pair device with pairing code” shows it"
    )
    pair.add_argument(
        "code", nargs="?", metavar="CODE", help="the code; asked for when it is left out"
    )
    disconnect = add(
        "disconnect",
        "Have the adb server let go of a phone over Wi-Fi.",
        "handheld disconnect 192.168.1.20:37099",
        _SERVER,
    )
    disconnect.add_argument("address", metavar="HOST[:PORT]", help="as `handheld phones` lists it")

    tools = add("tools", "List the tools.", "handheld tools --json", _REACH + _TOOLS)
    tools.add_argument("--all", action="store_true", help="list those that are switched off too")
    tools.add_argument("--json", action="store_true", help="print them as clients see them")

    call = add(
        "call",
        "Call a tool.",
        "handheld call android_tap x=540 y=1200",
        _REACH + _TOOLS + _FILES,
    )
    call.add_argument("name", metavar="TOOL", help="such as android_tap, or tap for short")
    # Without a default of its own argparse says that the arguments are required.
    call.add_argument(
        "arguments", nargs="*", default=[], metavar="NAME=VALUE", help="the tool's arguments"
    )
    call.add_argument("--json", metavar="OBJECT", help="the arguments as a JSON object")
    call.add_argument("--save", metavar="FOLDER", help="write pictures of the reply there")

    add_storage(
        add(
            "storage",
            "List, add, change or remove the folders on phones whose files tools may use.",
            "handheld storage add com.android.externalstorage.documents/primary:Download"
            " --allow-write",
            (),
        )
    )

    apps = add(
        "apps",
        "List the apps on the phone that offer tools, decide whose are listed, and check an app.",
        "handheld apps approve com.example.notes",
        (*_REACH, "apps.trust"),
    )
    apps.add_argument("action", choices=("list", "approve", "revoke", "check"), help="what to do")
    apps.add_argument(
        "package",
        nargs="?",
        metavar="PACKAGE",
        help="the app, by its package; check takes an APK file as well",
    )
    apps.add_argument(
        "--on", dest="only", metavar="PHONE", help="on this phone alone, as `list` names it"
    )
    apps.add_argument(
        "--call",
        action="store_true",
        help="with check: also call what takes no arguments, with whatever effects that has",
    )
    apps.add_argument("--json", action="store_true", help="with check: print the findings as JSON")

    console = add(
        "console",
        "Print a one-time link to the console of the running server.",
        "handheld console --open",
        _REACH,
    )
    console.add_argument("--open", action="store_true", help="open it in the browser")

    add_token(
        add(
            "token",
            "Show the owner's token, or list, add and revoke tokens with limits.",
            "handheld token add reader --read-only --expires 30d",
            (),
        )
    )

    add_log(
        add(
            "log",
            "Show the recorded calls: who called what on which phone, and how it ended.",
            "handheld log --since 1h --follow",
            (),
        )
    )

    doctor = add(
        "doctor",
        "Look for what is wrong and say what mends it.",
        "handheld doctor",
        _REACH + _LISTEN + _PORTS,
    )
    doctor.add_argument("--json", action="store_true", help="print the findings as JSON")
    doctor.add_argument(
        "--stderr", action="store_true", help="with what the helper printed on each phone"
    )
    doctor.add_argument(
        "--report",
        nargs="?",
        const="-",
        metavar="FILE",
        help="write a report for an issue tracker, with nothing private in it",
    )
    return parser, commands.choices


def add_storage(command: argparse.ArgumentParser) -> None:
    command.add_argument("action", choices=("list", "add", "remove"), help="what to do")
    command.add_argument(
        "id",
        nargs="?",
        metavar="ID",
        help="the folder: com.android.externalstorage.documents/primary:FOLDER, with a card's UUID"
        " instead of primary for a card; add with an ID that is there changes it",
    )
    command.add_argument(
        "--for", dest="only", metavar="SERIAL", help="on this phone alone, by serial or slug"
    )
    command.add_argument("--name", help="what to call it; by default its folder's name")
    command.add_argument("--description", help="what it holds, for the agent; 500 characters")
    for what, says in (("write", "create and change files"), ("delete", "delete files")):
        command.add_argument(
            f"--allow-{what}",
            dest=f"allow_{what}",
            action=argparse.BooleanOptionalAction,
            help=f"let tools {says}; off by default",
        )


def add_log(command: argparse.ArgumentParser) -> None:
    command.add_argument("--follow", action="store_true", help="go on with what is called from now")
    command.add_argument(
        "--since", metavar="TIME", help="such as 90s, 15m, 1h, 2d, or 2026-11-15T08:30"
    )
    command.add_argument("--tool", metavar="TOOL", help="calls of this tool alone, such as tap")
    command.add_argument(
        "--phone", dest="of_phone", metavar="PHONE", help="on this phone alone, by slug or serial"
    )
    command.add_argument("--limit", metavar="N", help="the last N; 50 without this")
    command.add_argument("--json", action="store_true", help="print each call as a line of JSON")
    command.add_argument(
        "--export",
        nargs=2,
        metavar=("FORMAT", "FILE"),
        help="write them to a file (- is stdout): as jsonl, or as a pytest script that makes them"
        " again on a virtual phone",
    )


def add_token(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action",
        choices=("show", "new", "list", "add", "revoke"),
        help="show or replace the owner's token; list, add or revoke others",
    )
    command.add_argument("name", nargs="?", metavar="NAME", help="with add and revoke: which token")
    command.add_argument(
        "--toolset",
        action="append",
        metavar="NAME",
        help="with add: only the tools of this toolset; several are several flags",
    )
    command.add_argument(
        "--for",
        dest="only",
        action="append",
        metavar="PHONE",
        help="with add: only this phone, by slug or serial; several are several flags",
    )
    command.add_argument(
        "--read-only",
        dest="reads",
        action="store_true",
        default=None,
        help="with add: only tools that change nothing",
    )
    command.add_argument(
        "--expires",
        metavar="WHEN",
        help="with add: how long it counts, as 12h, 30d or 4w, or the last day, as 2030-12-31",
    )


def _add_option(parser: argparse.ArgumentParser, option: Option) -> None:
    help = _help(option).replace("%", "%%").replace("`", "")
    if option.type is bool:
        parser.add_argument(
            option.flag,
            dest=option.dest,
            action="store_const",
            const=not option.default,
            help=help,
        )
    elif option.repeats:
        parser.add_argument(
            option.flag, dest=option.dest, action="append", metavar="NAME", help=help
        )
    else:
        name = option.path[-1].upper().replace("LOG_LEVEL", "LEVEL")
        parser.add_argument(option.flag, dest=option.dest, metavar=name, help=help)


def _help(option: Option) -> str:
    """What the flag does, and what holds without it."""
    if option.type is bool:
        on = option.default is True
        return f"Do not {option.help[0].lower()}{option.help[1:]}" if on else option.help
    default = option.shown
    if not default:
        default = ", ".join(option.default) if option.repeats else str(option.default)
    return " ".join(
        (
            option.help,
            *([f"One of {', '.join(option.choices)}."] if option.choices else []),
            *([f"Default: {default}."] if default and default != "none" else []),
        )
    )
