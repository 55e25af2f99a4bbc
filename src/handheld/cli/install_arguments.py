"""The arguments of `handheld install`."""

import argparse


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
