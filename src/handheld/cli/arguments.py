"""The commands, and parsing a command line. Each declares its arguments in its own
module; flags that set an option come from that option's declaration."""

import argparse
from collections.abc import Mapping, Sequence

from .. import __version__
from .parsers import DECIDE, OPERATE, TEST, USE, Command, MainParser

COMMANDS: Mapping[str, Command] = {
    "demo": Command(
        "commands.serve",
        "Serve a virtual phone and show how to connect each client.",
        "handheld demo",
        serves=True,
    ),
    "serve": Command(
        "commands.serve",
        "Serve phones over HTTP.",
        "handheld serve --phone virtual --port 8080",
        serves=True,
    ),
    "stdio": Command(
        "commands.stdio",
        "Serve phones over stdio, to the client that starts this command.",
        "handheld stdio --phone R58M123ABC",
        serves=True,
    ),
    "virtual": Command(
        "commands.virtual",
        "Run only a virtual phone, for any adb client.",
        "handheld virtual --api 30, then: adb connect 127.0.0.1:5600",
        group=TEST,
    ),
    "install": Command(
        "commands.install",
        "Install Handheld in Claude Code, Cursor, VS Code and others.",
        "handheld install cursor --phone virtual",
    ),
    "phones": Command(
        "commands.phones",
        "List phones; release one, check it, or put back its settings.",
        "handheld phones release R58M123ABC",
    ),
    "connect": Command(
        "commands.wireless",
        "Connect the adb server to a phone over Wi-Fi.",
        "handheld connect 192.168.1.20:37099",
    ),
    "pair": Command(
        "commands.wireless",
        "Pair this computer with a phone that shows a pairing code.",
        "handheld pair 192.168.1.20:41233",
    ),
    "disconnect": Command(
        "commands.wireless",
        "Disconnect the adb server from a phone over Wi-Fi.",
        "handheld disconnect 192.168.1.20:37099",
    ),
    "tools": Command(
        "commands.tools",
        "List the tools.",
        "handheld tools --json",
        group=USE,
    ),
    "call": Command(
        "commands.call",
        "Call a tool.",
        "handheld call android_tap x=540 y=1200",
        group=USE,
    ),
    "record": Command(
        "commands.record",
        "Record a phone's screen as a video or a moving picture.",
        "handheld record --seconds 20 -o demo.gif",
        group=USE,
    ),
    "storage": Command(
        "commands.storage",
        "List and change the folders on phones whose files tools may use.",
        "handheld storage add com.android.externalstorage.documents/primary:Download --allow-write",
        group=DECIDE,
    ),
    "apps": Command(
        "commands.apps",
        "List, approve, check and stub the apps that declare tools.",
        "handheld apps approve com.example.notes",
        group=DECIDE,
    ),
    "console": Command(
        "commands.console",
        "Print a one-time link to the console of the running server.",
        "handheld console --open",
        group=DECIDE,
    ),
    "approve": Command(
        "commands.approve",
        "Answer at this terminal what agents may do, or list what is asked.",
        "handheld approve",
        group=DECIDE,
    ),
    "stop": Command(
        "commands.stop",
        "Stop agents at once and hold them back until you resume them.",
        "handheld stop --phone desk",
        group=DECIDE,
    ),
    "lease": Command(
        "commands.lease",
        "List the phones that clients have leased, or end a lease.",
        "handheld lease end desk",
        group=DECIDE,
    ),
    "token": Command(
        "commands.token",
        "Show the owner's token; list, add and revoke tokens with limits.",
        "handheld token add reader --read-only --expires 30d",
        group=DECIDE,
    ),
    "log": Command(
        "commands.log",
        "Show the recorded calls: who called what, where, and the result.",
        "handheld log --since 1h --follow",
        group=DECIDE,
    ),
    "tasks": Command(
        "commands.tasks",
        "Measure an agent by tasks on a virtual phone.",
        "handheld tasks run --policy oracle",
        group=TEST,
    ),
    "steps": Command(
        "commands.steps",
        "List, show, edit, share and remove the steps that agents keep.",
        "handheld steps show send_note",
        group=USE,
    ),
    "engine": Command(
        "fleet.engine",
        "Make and run the engine that connects the phones of hosts.",
        "handheld engine init --host engine.example.com",
        group=OPERATE,
    ),
    "host": Command(
        "fleet.members",
        "Offer the phones of this computer to the gateways of an engine.",
        "handheld host --join CODE --phone R58M123ABC",
        group=OPERATE,
        serves=True,
    ),
    "gateway": Command(
        "fleet.members",
        "Serve the phones of all hosts of an engine over HTTP.",
        "handheld gateway --join CODE --port 8080",
        group=OPERATE,
        serves=True,
    ),
    "doctor": Command(
        "doctor.command",
        "Find problems and suggest fixes.",
        "handheld doctor",
        group=OPERATE,
    ),
    "completion": Command(
        "completion.command",
        "Print a script that completes command lines in your shell.",
        "handheld completion fish > ~/.config/fish/completions/handheld.fish",
        group=OPERATE,
    ),
}


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; flags may stand before, between and after positional arguments. Like
    argparse, exits the process when it is wrong."""
    command = COMMANDS.get(arguments[0]) if arguments else None
    if command is None:
        MainParser(COMMANDS, __version__).refuse(arguments)
    # Only this command's parser is built: argparse takes long for all of them.
    parser = command.make_parser(arguments[0], everything="--help-all" in arguments)
    # Otherwise argparse treats an optional positional as omitted at the first flag, and rejects
    # the FILE in `apps check --json FILE`.
    given = argparse.Namespace(command=arguments[0])
    return parser.parse_intermixed_args(arguments[1:], given)


def print_help() -> None:
    MainParser(COMMANDS, __version__).print_help()


def build_parser() -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """The parser of what stands before a command, and that of each command."""
    parsers = {name: command.make_parser(name) for name, command in COMMANDS.items()}
    return MainParser(COMMANDS, __version__), parsers
