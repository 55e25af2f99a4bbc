"""The arguments of `handheld log`."""

import argparse

from .engine_arguments import add_fleet_arguments


def add_log_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--follow", action="store_true", help="keep printing new calls")
    command.add_argument(
        "--since", metavar="TIME", help="such as 90s, 15m, 1h, 2d, or 2026-11-15T08:30"
    )
    command.add_argument("--tool", metavar="TOOL", help="only calls of this tool, such as tap")
    command.add_argument(
        "--phone", dest="of_phone", metavar="PHONE", help="only on this phone, by slug or serial"
    )
    command.add_argument("--limit", metavar="N", help="only the last N calls; defaults to 50")
    command.add_argument("--json", action="store_true", help="print each call as a line of JSON")
    command.add_argument(
        "--export",
        nargs=2,
        metavar=("FORMAT", "FILE"),
        help="write the calls to a file (- is stdout): as jsonl, or as a pytest script that replays"
        " them on a virtual phone",
    )
    command.add_argument(
        "--verify",
        nargs="?",
        const="",
        metavar="HEAD",
        help="check that no call was removed or changed, and that the record still leads to a HEAD"
        " that you kept",
    )
    command.add_argument(
        "--head",
        action="store_true",
        help="print the head of the record's chain of hashes, to keep it somewhere else",
    )
    add_fleet_arguments(command, "the calls at all hosts of an engine")
    command.add_argument(
        "--host", dest="of_host", metavar="HOST", help="with --fleet: only at this host"
    )
    command.add_argument(
        "--token", dest="of_token", metavar="NAME", help="with --fleet: only of this token"
    )
