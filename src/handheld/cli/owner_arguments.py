"""The arguments of `handheld approve`, `stop`, `lease`, `storage` and `token`, by which the owner
decides."""

import argparse

from .engine_arguments import add_fleet_arguments


def add_approve_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--list", action="store_true", help="print the open questions instead of waiting for them"
    )
    command.add_argument(
        "--gateway",
        action="store_true",
        help="those of the gateway that runs here, with the phones of all hosts",
    )


def add_stop_arguments(command: argparse.ArgumentParser) -> None:
    which = command.add_mutually_exclusive_group()
    which.add_argument(
        "--phone", dest="of_phone", metavar="PHONE", help="only on this phone, by slug or serial"
    )
    which.add_argument("--all", action="store_true", help="on every phone, which is the default")
    command.add_argument("--release", action="store_true", help="resume agents")


def add_lease_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action", nargs="?", choices=("list", "end"), default="list", help="what to do"
    )
    command.add_argument(
        "leased", nargs="?", metavar="PHONE", help="with end: the phone, by slug or serial"
    )
    add_fleet_arguments(command, "the leases at all hosts of an engine")


def add_storage_arguments(command: argparse.ArgumentParser) -> None:
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


def add_token_arguments(command: argparse.ArgumentParser) -> None:
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
