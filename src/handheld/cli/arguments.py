"""The commands and their arguments. Flags that set an option come from its declaration."""

import argparse
from collections.abc import Mapping, Sequence
from functools import partial

from .. import __version__
from .engine_arguments import (
    add_engine_arguments,
    add_fleet_arguments,
    add_join_argument,
    add_serve_arguments,
)
from .install_arguments import add_install_arguments
from .log_arguments import add_log_arguments
from .owner_arguments import (
    add_approve_arguments,
    add_lease_arguments,
    add_stop_arguments,
    add_storage_arguments,
    add_token_arguments,
)
from .parsers import DECIDE, OPERATE, TEST, USE, Command, MainParser
from .record_arguments import add_record_arguments
from .step_arguments import add_step_arguments
from .task_arguments import add_task_arguments


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; flags may stand before, between and after positional arguments. Like
    argparse, exits the process when it is wrong."""
    commands = all_commands()
    command = commands.get(arguments[0]) if arguments else None
    if command is None:
        MainParser(commands, __version__).refuse(arguments)
    # Only this command's parser is built: argparse takes long for all of them.
    parser = command.make_parser(arguments[0], everything="--help-all" in arguments)
    # Otherwise argparse treats an optional positional as omitted at the first flag, and rejects
    # the FILE in `apps check --json FILE`.
    given = argparse.Namespace(command=arguments[0])
    return parser.parse_intermixed_args(arguments[1:], given)


def print_help() -> None:
    MainParser(all_commands(), __version__).print_help()


def build_parser() -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """The parser of what stands before a command, and that of each command."""
    commands = all_commands()
    parsers = {name: command.make_parser(name) for name, command in commands.items()}
    return MainParser(commands, __version__), parsers


def all_commands() -> Mapping[str, Command]:
    return {
        "demo": Command(
            "Serve a virtual phone and show how to connect each client.", "handheld demo"
        ),
        "serve": Command(
            "Serve phones over HTTP.",
            "handheld serve --phone virtual --port 8080",
            add_serve_arguments,
        ),
        "stdio": Command(
            "Serve phones over stdio, to the client that starts this command.",
            "handheld stdio --phone R58M123ABC",
            partial(_add_surface, default="agent"),
        ),
        "virtual": Command(
            "Run only a virtual phone, for any adb client.",
            "handheld virtual --api 30, then: adb connect 127.0.0.1:5600",
            _add_virtual,
            group=TEST,
        ),
        "install": Command(
            "Install Handheld in Claude Code, Cursor, VS Code and others.",
            "handheld install cursor --phone virtual",
            add_install_arguments,
        ),
        "phones": Command(
            "List phones; release one, check it, or put back its settings.",
            "handheld phones release R58M123ABC",
            _add_phones,
        ),
        "connect": Command(
            "Connect the adb server to a phone over Wi-Fi.",
            "handheld connect 192.168.1.20:37099",
            _add_connect,
        ),
        "pair": Command(
            "Pair this computer with a phone that shows a pairing code.",
            "handheld pair 192.168.1.20:41233",
            _add_pair,
        ),
        "disconnect": Command(
            "Disconnect the adb server from a phone over Wi-Fi.",
            "handheld disconnect 192.168.1.20:37099",
            _add_disconnect,
        ),
        "tools": Command(
            "List the tools.",
            "handheld tools --json",
            _add_tools,
            group=USE,
        ),
        "call": Command(
            "Call a tool.",
            "handheld call android_tap x=540 y=1200",
            _add_call,
            group=USE,
        ),
        "record": Command(
            "Record a phone's screen as a video or a moving picture.",
            "handheld record --seconds 20 -o demo.gif",
            add_record_arguments,
            group=USE,
        ),
        "storage": Command(
            "List and change the folders on phones whose files tools may use.",
            "handheld storage add com.android.externalstorage.documents/primary:Download"
            " --allow-write",
            add_storage_arguments,
            group=DECIDE,
        ),
        "apps": Command(
            "List, approve, check and stub the apps that declare tools.",
            "handheld apps approve com.example.notes",
            _add_apps,
            group=DECIDE,
        ),
        "console": Command(
            "Print a one-time link to the console of the running server.",
            "handheld console --open",
            _add_console,
            group=DECIDE,
        ),
        "approve": Command(
            "Answer at this terminal what agents may do, or list what is asked.",
            "handheld approve",
            add_approve_arguments,
            group=DECIDE,
        ),
        "stop": Command(
            "Stop agents at once and hold them back until you resume them.",
            "handheld stop --phone desk",
            add_stop_arguments,
            group=DECIDE,
        ),
        "lease": Command(
            "List the phones that clients have leased, or end a lease.",
            "handheld lease end desk",
            add_lease_arguments,
            group=DECIDE,
        ),
        "token": Command(
            "Show the owner's token; list, add and revoke tokens with limits.",
            "handheld token add reader --read-only --expires 30d",
            add_token_arguments,
            group=DECIDE,
        ),
        "log": Command(
            "Show the recorded calls: who called what, where, and the result.",
            "handheld log --since 1h --follow",
            add_log_arguments,
            group=DECIDE,
        ),
        "tasks": Command(
            "Measure an agent by tasks on a virtual phone.",
            "handheld tasks run --policy oracle",
            _add_tasks,
            group=TEST,
        ),
        "steps": Command(
            "List, show, edit, share and remove the steps that agents keep.",
            "handheld steps show send_note",
            add_step_arguments,
            group=USE,
        ),
        "engine": Command(
            "Make and run the engine that connects the phones of hosts.",
            "handheld engine init --host engine.example.com",
            add_engine_arguments,
            group=OPERATE,
        ),
        "host": Command(
            "Offer the phones of this computer to the gateways of an engine.",
            "handheld host --join CODE --phone R58M123ABC",
            add_join_argument,
            group=OPERATE,
        ),
        "gateway": Command(
            "Serve the phones of all hosts of an engine over HTTP.",
            "handheld gateway --join CODE --port 8080",
            add_join_argument,
            group=OPERATE,
        ),
        "doctor": Command(
            "Find problems and suggest fixes.",
            "handheld doctor",
            _add_doctor,
            group=OPERATE,
        ),
        "completion": Command(
            "Print a script that completes command lines in your shell.",
            "handheld completion fish > ~/.config/fish/completions/handheld.fish",
            _add_completion,
            group=OPERATE,
        ),
    }


def _add_virtual(command: argparse.ArgumentParser) -> None:
    # For the pages that describe every command: it parses its flags itself, without settings.
    from handheld_virtual.command_line import add_arguments

    add_arguments(command)


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
        choices=("list", "release", "restore", "check"),
        default="list",
        help="what to do",
    )
    command.add_argument(
        "serial",
        nargs="?",
        metavar="SERIAL",
        help="with release: the phone on which other programs may use UiAutomation; with restore:"
        " the phone whose settings are put back as they were before agents changed them; with"
        " check: the phone that is tried, by ten checks of a minute each",
    )
    command.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        help="with check: the report's file; phone-check.md by default",
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
        "action", choices=("list", "approve", "revoke", "check", "stub"), help="what to do"
    )
    command.add_argument(
        "package",
        nargs="?",
        metavar="PACKAGE",
        help="the app, by its package; check also takes an APK file, stub only that",
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


def _add_completion(command: argparse.ArgumentParser) -> None:
    command.add_argument("shell", nargs="?", choices=("bash", "zsh", "fish"), help="your shell")
    # What the scripts ask when the user presses the tabulator key.
    command.add_argument("--words", choices=("phones",), help=argparse.SUPPRESS)
