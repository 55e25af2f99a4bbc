"""`handheld log --verify` and `--head`."""

import argparse
from datetime import UTC, datetime

from ...audit import AuditError
from ...audit.chain import read_head
from ...audit.entry import Dropped
from ...audit.verification import read_tip, verify
from ...screen.text import cut, tidy
from ...settings import Settings
from ..exit_codes import USAGE_ERROR
from ..terminal import print_error, print_line

_NAME = 40


def chain(given: argparse.Namespace, settings: Settings) -> int:
    """Running servers may be writing at the same time."""
    file = settings.folders.audit
    try:
        kept = read_head(given.verify) if given.verify else None
    except AuditError as problem:
        print_error(str(problem))
        return USAGE_ERROR
    try:
        if given.head:
            head = read_tip(file)
            print_line(str(head or "Nothing is in the chain yet."))
            return 0 if head else 1
        found = verify(file, kept)
    except AuditError as problem:
        print_error(str(problem))
        return 1
    if found.old:
        print_line(
            f"{describe_calls(found.old)} from before the chain: nothing can be told about them."
        )
    for dropped in found.dropped:
        print_line(told(dropped))
    if found.problems:
        for problem in found.problems:
            print_line(tidy(problem))
        if found.more:
            print_line(f"{found.more} more are not listed.")
        print_line("The record is not as it was written.")
        return 1
    unfinished = f", {found.unfinished} of them without an end" if found.unfinished else ""
    print_line(f"OK: {describe_calls(found.calls)}{unfinished}.")
    if found.head:
        print_line(f"Head: {found.head}")
    return 0


def told(dropped: Dropped) -> str:
    """What was dropped, in a line."""
    kind = {True: "acts", False: "reads", None: "calls from before the chain"}[dropped.act]
    who = cut(tidy(dropped.token), _NAME) or "callers without a token"
    return (
        f"{_when(dropped.first)} to {_when(dropped.last)}  {who}  {dropped.calls} {kind} dropped,"
        f" hash {dropped.hash.hex()}"
    )


def describe_calls(count: int) -> str:
    return f"{count} call{'s' * (count != 1)}"


def _when(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "?"
