"""`handheld phones --fleet` and `handheld lease --fleet`: the phones of all hosts of an engine."""

import argparse
import getpass
import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ...fleet.nats.directory import Directory, DirectoryPhone, LeaseRow
from ...screen.text import tidy
from ...settings import Settings
from ..terminal import print_line, print_note
from .reach import open_engine


class _Row(NamedTuple):
    host: str
    phone: DirectoryPhone

    def as_json(self) -> dict[str, Any]:
        row, lease = self.phone.row, self.phone.row.lease
        return {
            "host": self.host,
            "host_id": self.phone.host,
            "serial": row.serial,
            "slug": row.slug,
            "model": row.model,
            "api": row.api,
            "tags": list(row.tags),
            "state": self.phone.state,
            "lease": lease
            and {
                "who": lease.holder,
                "token": lease.token,
                "since": lease.since or None,
                "until": lease.ends or None,
            },
        }


async def fleet_phones(given: argparse.Namespace, settings: Settings) -> int:
    """Raises EngineError."""
    rows = await _read(given, settings)
    if given.json:
        print_line(json.dumps([row.as_json() for row in rows], ensure_ascii=False, indent=2))
        return 0
    _print_table(
        [
            row.host,
            row.phone.name,
            row.phone.state,
            row.phone.row.model,
            f"API {row.phone.row.api}" if row.phone.row.api else "",
            ", ".join(row.phone.row.tags),
            describe_lease(row.phone.row.lease) if row.phone.row.lease else "",
        ]
        for row in rows
    )
    if rows:
        counts = Counter(row.phone.state for row in rows)
        print_note(", ".join(f"{count} {state}" for state, count in sorted(counts.items())))
    else:
        print_note("No host of the engine has a phone.")
    return 0


async def fleet_leases(given: argparse.Namespace, settings: Settings) -> int:
    """Raises EngineError."""
    rows = [row for row in await _read(given, settings) if row.phone.row.lease]
    _print_table(
        [
            row.host,
            row.phone.name,
            describe_lease(row.phone.row.lease),
            "" if row.phone.fresh else "away",
        ]
        for row in rows
        if row.phone.row.lease
    )
    if not rows:
        print_note("No phone is leased.")
    return 0


async def end_fleet_lease(given: argparse.Namespace, settings: Settings) -> int:
    """Its host ends it, as for a person at the console of a gateway. Raises ToolError."""
    from ...fleet.host_calls import HostCalls
    from ...fleet.known_phones import KnownPhones
    from ...fleet.messages import OperatorAction, OperatorCommand

    async with open_engine(given, settings) as wire:
        directory = Directory(wire)
        await directory.read()
        phone = KnownPhones(directory).find(given.leased)
        order = OperatorCommand(
            OperatorAction.END_LEASE, phone.serial, f"handheld lease end, of {_user()}"
        )
        print_line(await HostCalls(wire, directory).obey(phone.host, order))
    return 0


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user without a name
        return "a user without a name"


async def _read(given: argparse.Namespace, settings: Settings) -> list[_Row]:
    async with open_engine(given, settings) as wire:
        directory = Directory(wire)
        await directory.read()
    rows = [_Row(directory.name(phone.host), phone) for phone in directory.phones()]
    return sorted(rows, key=lambda row: (row.host, row.phone.name))


def describe_lease(lease: LeaseRow) -> str:
    """As a host has told it."""
    if not lease.since:
        return f"being taken by {lease.holder}"
    if not lease.ends:
        return f"{lease.holder}, ending"
    return f"{lease.holder}, {_time(lease.since)} to {_time(lease.ends)}"


def _time(seconds: float) -> str:
    try:
        return f"{datetime.fromtimestamp(seconds, UTC).astimezone():%H:%M}"
    except (ValueError, OverflowError, OSError):
        return "?"


def _print_table(rows: Any) -> None:
    shown: list[Sequence[str]] = [[tidy(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True) if width)
        print_line("  ".join(cells).rstrip())
