"""The arguments that several commands take."""

import argparse
from collections.abc import Sequence


def add_surface_argument(command: argparse.ArgumentParser, *, default: str) -> None:
    command.add_argument(
        "--surface",
        dest="tool_surface",
        choices=("agent", "main"),
        default=default,
        help="agent: the tools for models; main: the documented android_ tools"
        f" (default: {default})",
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
