"""The arguments of `handheld engine`, and of the commands that join one."""

import argparse
from collections.abc import Sequence


def add_engine_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action",
        choices=("init", "run", "admit", "status", "revoke", "tenant"),
        help="make an engine; run a node of it; let a host or gateway join; show who is there;"
        " let one no longer in; add a tenant",
    )
    command.add_argument(
        "names",
        nargs="*",
        default=[],
        metavar="NAME",
        help="with admit: host or gateway, and its name; with revoke and tenant: the name",
    )
    command.add_argument(
        "--folder", metavar="FOLDER", help="where the engine is; defaults to the state folder"
    )
    command.add_argument(
        "--nodes", metavar="N", help="with init: how many servers, 1 or 3; defaults to 1"
    )
    command.add_argument(
        "--host",
        dest="node_host",
        action="append",
        metavar="HOST[:PORT]",
        help="with init: how others reach a node; repeat for each of several; defaults to"
        " localhost:4222",
    )
    command.add_argument(
        "--node", metavar="N", help="with run: which node this machine is; defaults to 1"
    )
    command.add_argument(
        "--tenant",
        metavar="NAME",
        help="with admit: whose host or gateway it is; defaults to main",
    )


def add_fleet_arguments(command: argparse.ArgumentParser, what: str) -> None:
    command.add_argument(
        "--fleet",
        action="store_true",
        help=f"{what}; run it where a gateway is, or the engine's keys are",
    )
    command.add_argument(
        "--tenant",
        metavar="NAME",
        help="with --fleet, where the engine's keys are: whose hosts; defaults to main",
    )
    command.add_argument(
        "--folder",
        metavar="FOLDER",
        help="with --fleet: where the engine is; defaults to the state folder",
    )


def fleet_error(
    given: argparse.Namespace, only: Sequence[str] = (), never: Sequence[str] = ()
) -> str:
    """What is wrong about the flags. `only` are those that need --fleet, `never` those that it
    cannot have: each by its name, after its dest and a colon where that is another."""
    for each in never if given.fleet else ("tenant", "folder", *only):
        dest, _, flag = each.rpartition(":")
        if getattr(given, dest or flag):
            cannot = f"--{flag} and --fleet cannot be combined."
            return cannot if given.fleet else f"--{flag} is only for --fleet."
    return ""


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


def add_join_argument(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--join",
        metavar="CODE",
        help="at the first start: the code that `handheld engine admit` prints; - reads it from"
        " stdin",
    )
