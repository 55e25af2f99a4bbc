"""The arguments of `handheld stop` and `handheld lease`: the owner comes first."""

import argparse

from .engine_arguments import add_fleet_arguments


def add_stop_arguments(command: argparse.ArgumentParser) -> None:
    which = command.add_mutually_exclusive_group()
    which.add_argument(
        "--phone", dest="of_phone", metavar="PHONE", help="only on this phone, by slug or serial"
    )
    which.add_argument("--all", action="store_true", help="on every phone, which is the default")
    command.add_argument("--release", action="store_true", help="let agents go on")


def add_lease_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action", nargs="?", choices=("list", "end"), default="list", help="what to do"
    )
    command.add_argument(
        "leased", nargs="?", metavar="PHONE", help="with end: the phone, by slug or serial"
    )
    add_fleet_arguments(command, "the leases at all hosts of an engine")
