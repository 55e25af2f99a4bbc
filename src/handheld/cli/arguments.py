"""The commands and their arguments. Flags that set an option come from its declaration."""

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

from .. import __version__
from ..settings import Option, options
from .engine_arguments import (
    add_engine_arguments,
    add_fleet_arguments,
    add_join_argument,
    add_serve_arguments,
)
from .install_arguments import add_install_arguments
from .log_arguments import add_log_arguments
from .owner_arguments import add_lease_arguments, add_stop_arguments
from .record_arguments import add_record_arguments
from .step_arguments import add_step_arguments
from .task_arguments import add_task_arguments


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; flags may stand before, between and after positional arguments. Like
    argparse, exits the process when it is wrong."""
    command = _commands().get(arguments[0]) if arguments else None
    if command is None:
        return build_parser()[0].parse_args(arguments)
    # Only this command's parser is built: argparse takes long for all of them.
    parser = _Parser(prog=f"handheld {arguments[0]}", **command.texts)
    command.complete(parser, arguments[0])
    # Otherwise argparse treats an optional positional as omitted at the first flag, and rejects
    # the FILE in `apps check --json FILE`.
    given = argparse.Namespace(command=arguments[0])
    return parser.parse_intermixed_args(arguments[1:], given)


def print_help() -> None:
    build_parser()[0].print_help()


class _Parser(argparse.ArgumentParser):
    """A parser that suggests the nearest command or flag for a misspelled one."""

    def error(self, message: str) -> NoReturn:
        import difflib

        known: list[str] = []
        if typed := re.search(r"unrecognized arguments: (--[\w-]+)", message):
            known = re.findall(r"--[\w-]+", self.format_usage())
        elif typed := re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message):
            known = re.findall(r"[\w-]+", typed[2])
        near = difflib.get_close_matches(typed[1], dict.fromkeys(known), 1) if typed else []
        super().error(f"{message}. Did you mean {near[0]}?" if near else message)


def build_parser() -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """The whole parser, and that of each command."""
    parser = _Parser(
        prog="handheld",
        description="Android phones in an AI agent's hands, over MCP.",
        epilog="Try it without a phone: handheld demo",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"handheld {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in _commands().items():
        command.complete(commands.add_parser(name, help=command.help, **command.texts), name)
    return parser, commands.choices


@dataclass(frozen=True)
class _Command:
    """A command, with what adds its own arguments."""

    help: str
    example: str = ""
    add: Callable[[argparse.ArgumentParser], object] = bool

    @property
    def texts(self) -> dict[str, Any]:
        if not self.example:
            return {}
        epilog = f"Example: {self.example}"
        return {"description": self.help, "epilog": epilog, "allow_abbrev": False}

    def complete(self, parser: argparse.ArgumentParser, name: str) -> None:
        """Add the options of a command, and its own arguments."""
        for option in options():
            if name in option.commands:
                _add_option(parser, option)
        self.add(parser)


def _commands() -> Mapping[str, _Command]:
    return {
        "serve": _Command(
            "Serve phones over HTTP.",
            "handheld serve --phone virtual --port 8080",
            add_serve_arguments,
        ),
        "stdio": _Command(
            "Serve phones over stdin and stdout, to the client that starts this command.",
            "handheld stdio --phone R58M123ABC",
            partial(_add_surface, default="agent"),
        ),
        # Listed for `handheld --help` only: the virtual phone parses its own flags.
        "virtual": _Command("Run only a virtual phone, for any adb client."),
        "demo": _Command(
            "Serve a virtual phone and show how to connect each client.", "handheld demo"
        ),
        "install": _Command(
            "Install Handheld in MCP clients such as Claude Code, Cursor and VS Code.",
            "handheld install cursor --phone virtual",
            add_install_arguments,
        ),
        "phones": _Command(
            "List phones, release one for other automation, or put back its changed settings.",
            "handheld phones release R58M123ABC",
            _add_phones,
        ),
        "connect": _Command(
            "Connect the adb server to a phone over Wi-Fi.",
            "handheld connect 192.168.1.20:37099",
            _add_connect,
        ),
        "pair": _Command(
            "Pair this computer with a phone that shows a pairing code.",
            "handheld pair 192.168.1.20:41233",
            _add_pair,
        ),
        "disconnect": _Command(
            "Disconnect the adb server from a phone over Wi-Fi.",
            "handheld disconnect 192.168.1.20:37099",
            _add_disconnect,
        ),
        "tools": _Command("List the tools.", "handheld tools --json", _add_tools),
        "call": _Command("Call a tool.", "handheld call android_tap x=540 y=1200", _add_call),
        "record": _Command(
            "Record a phone's screen as a video, or as a moving picture for a page.",
            "handheld record --seconds 20 -o demo.gif",
            add_record_arguments,
        ),
        "storage": _Command(
            "List, add, change or remove the folders on phones whose files tools may use.",
            "handheld storage add com.android.externalstorage.documents/primary:Download"
            " --allow-write",
            _add_storage,
        ),
        "apps": _Command(
            "List apps on the phone that declare tools, approve or revoke them, or check an app.",
            "handheld apps approve com.example.notes",
            _add_apps,
        ),
        "console": _Command(
            "Print a one-time link to the console of the running server.",
            "handheld console --open",
            _add_console,
        ),
        "stop": _Command(
            "Stop agents at once and hold them back until you let go.",
            "handheld stop --phone desk",
            add_stop_arguments,
        ),
        "lease": _Command(
            "List the phones that clients have leased, or end a lease.",
            "handheld lease end desk",
            add_lease_arguments,
        ),
        "token": _Command(
            "Show the owner's token, or list, add and revoke tokens with limits.",
            "handheld token add reader --read-only --expires 30d",
            _add_token,
        ),
        "log": _Command(
            "Show the recorded calls: who called what on which phone, and the result.",
            "handheld log --since 1h --follow",
            add_log_arguments,
        ),
        "tasks": _Command(
            "List tasks on a virtual phone, start one for an agent, check it, or run them all.",
            "handheld tasks run --policy oracle",
            _add_tasks,
        ),
        "steps": _Command(
            "List, show, edit, accept, remove, export or import the steps that agents keep.",
            "handheld steps show send_note",
            add_step_arguments,
        ),
        "engine": _Command(
            "Make and run the engine that connects the phones of several hosts.",
            "handheld engine init --host engine.example.com",
            add_engine_arguments,
        ),
        "host": _Command(
            "Offer the phones of this computer to the gateways of an engine.",
            "handheld host --join CODE --phone R58M123ABC",
            add_join_argument,
        ),
        "gateway": _Command(
            "Serve the phones of all hosts of an engine over HTTP.",
            "handheld gateway --join CODE --port 8080",
            add_join_argument,
        ),
        "doctor": _Command("Find problems and suggest fixes.", "handheld doctor", _add_doctor),
    }


def _add_disconnect(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "address", metavar="HOST[:PORT]", help="the phone, as `handheld phones` lists it"
    )


def _add_console(command: argparse.ArgumentParser) -> None:
    command.add_argument("--open", action="store_true", help="open the link in the browser")
    command.add_argument(
        "--gateway",
        action="store_true",
        help="the console of the gateway that runs here, with the phones of all hosts",
    )


def _add_tasks(command: argparse.ArgumentParser) -> None:
    add_task_arguments(command)
    _add_surface(command, default="agent")


def _add_phones(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action",
        nargs="?",
        choices=("list", "release", "restore"),
        default="list",
        help="what to do",
    )
    command.add_argument(
        "serial",
        nargs="?",
        help="with release: the phone on which other programs may use UiAutomation; with restore:"
        " the phone whose settings are put back as they were before agents changed them",
    )
    add_fleet_arguments(command, "the phones of all hosts of an engine")
    command.add_argument(
        "--json", action="store_true", help="with --fleet: print the phones as JSON"
    )


def _add_connect(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "address",
        metavar="HOST[:PORT]",
        help="the address that the phone shows; the port defaults to 5555",
    )
    command.add_argument(
        "--save", action="store_true", help="add the phone to those in handheld.toml"
    )


def _add_pair(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "address",
        metavar="HOST:PORT",
        help="the address shown under “Pair device with pairing code”",
    )
    command.add_argument(
        "code", nargs="?", metavar="CODE", help="the pairing code; prompted for if omitted"
    )


def _add_surface(command: argparse.ArgumentParser, *, default: str) -> None:
    command.add_argument(
        "--surface",
        dest="tool_surface",
        choices=("agent", "main"),
        default=default,
        help="agent: the tools for models; main: the documented android_ tools"
        f" (default: {default})",
    )


def _add_tools(command: argparse.ArgumentParser) -> None:
    _add_surface(command, default="main")
    command.add_argument("--all", action="store_true", help="include tools that are switched off")
    shown = command.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print the list that clients get")
    shown.add_argument(
        "--tokens",
        action="store_true",
        help="print what tools, toolsets and instructions cost in a model's context (o200k)",
    )


def _add_call(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "name", metavar="TOOL", help="such as android_tap, tap for short, or phone_look"
    )
    # Without an explicit default argparse reports the arguments as required.
    command.add_argument(
        "arguments", nargs="*", default=[], metavar="NAME=VALUE", help="the tool's arguments"
    )
    command.add_argument("--json", metavar="OBJECT", help="the arguments as a JSON object")
    command.add_argument(
        "--save", metavar="FOLDER", help="write pictures in the reply to this folder"
    )


def _add_apps(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action", choices=("list", "approve", "revoke", "check"), help="what to do"
    )
    command.add_argument(
        "package",
        nargs="?",
        metavar="PACKAGE",
        help="the app, by its package; check also takes an APK file",
    )
    command.add_argument(
        "--on", dest="only", metavar="PHONE", help="only on this phone, as `list` names it"
    )
    command.add_argument(
        "--call",
        action="store_true",
        help="with check: also call the tools that take no arguments, which may have effects",
    )
    command.add_argument(
        "--json", action="store_true", help="with check: print the findings as JSON"
    )


def _add_doctor(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print the findings as JSON")
    command.add_argument(
        "--stderr", action="store_true", help="show what the helper printed on each phone"
    )
    command.add_argument(
        "--report",
        nargs="?",
        const="-",
        metavar="FILE",
        help="write a report for an issue tracker, without private data",
    )


def _add_storage(command: argparse.ArgumentParser) -> None:
    command.add_argument("action", choices=("list", "add", "remove"), help="what to do")
    command.add_argument(
        "id",
        nargs="?",
        metavar="ID",
        help="the folder: com.android.externalstorage.documents/primary:FOLDER, with a card's UUID"
        " instead of primary for a card; add with an existing ID changes that folder",
    )
    command.add_argument(
        "--for", dest="only", metavar="SERIAL", help="only on this phone, by serial or slug"
    )
    command.add_argument("--name", help="what to call the folder; defaults to its own name")
    command.add_argument(
        "--description", help="what the folder holds, for the agent; up to 500 characters"
    )
    for right, purpose in (("write", "create and change files"), ("delete", "delete files")):
        command.add_argument(
            f"--allow-{right}",
            dest=f"allow_{right}",
            action=argparse.BooleanOptionalAction,
            help=f"let tools {purpose}; off by default",
        )


def _add_token(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action",
        choices=("show", "new", "list", "add", "revoke"),
        help="show or replace the owner's token; list, add or revoke others",
    )
    command.add_argument(
        "name", nargs="?", metavar="NAME", help="with add and revoke: the token's name"
    )
    command.add_argument(
        "--toolset",
        action="append",
        metavar="NAME",
        help="with add: only the tools of this toolset; repeat for several",
    )
    command.add_argument(
        "--for",
        dest="only",
        action="append",
        metavar="PHONE",
        help="with add: only this phone, by slug or serial; repeat for several",
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
        help="with add: how long it is valid, such as 12h, 30d or 4w, or its last day, such as"
        " 2030-12-31",
    )
    command.add_argument(
        "--fleet",
        action="store_true",
        help="with list, add and revoke: the tokens that all gateways of an engine accept; run it"
        " where the engine's keys are",
    )
    command.add_argument(
        "--tenant", metavar="NAME", help="with --fleet: whose gateways; defaults to main"
    )
    command.add_argument(
        "--folder",
        metavar="FOLDER",
        help="with --fleet: where the engine is; defaults to the state folder",
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
    else:
        parser.add_argument(
            option.flag,
            dest=option.dest,
            action="append" if option.repeats else "store",
            metavar=option.value,
            help=help,
        )


def _help(option: Option) -> str:
    """What the flag does, and the default without it."""
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
