"""`handheld lease`."""

import argparse
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ...devices.ownership import OwnerGone, Owners
from ...errors import ToolError
from ...server.sharing.remote import RemoteSurface
from ...settings import Settings
from ..exit_codes import USAGE_ERROR
from ..shared_arguments import add_fleet_arguments, fleet_error
from ..terminal import print_error, print_line, print_note


def add_lease_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action", nargs="?", choices=("list", "end"), default="list", help="what to do"
    )
    command.add_argument(
        "leased", nargs="?", metavar="PHONE", help="with end: the phone, by slug or serial"
    )
    add_fleet_arguments(command, "the leases at all hosts of an engine")


async def lease(given: argparse.Namespace, settings: Settings) -> int:
    if error := fleet_error(given):
        print_error(error)
        return USAGE_ERROR
    if given.action == "end" and not given.leased:
        print_error("Name the phone: handheld lease end PHONE")
        return USAGE_ERROR
    if given.fleet:
        from ..fleet.phones import end_fleet_lease, fleet_leases

        act = fleet_leases if given.action == "list" else end_fleet_lease
        return await act(given, settings)
    found = False
    for entry in Owners(settings.folders.owners).entries():
        if not entry.url:
            continue
        remote = RemoteSurface(entry)
        try:
            rows = await remote.phones()
            if given.action == "list":
                for row in rows:
                    if row.get("lease"):
                        print_line(_describe(row, row["lease"]))
                        found = True
            elif any(given.leased in (row.get("serial"), row.get("slug")) for row in rows):
                print_line(await remote.end_lease(given.leased))
                return 0
        except OwnerGone:
            continue
        except ToolError as problem:
            print_error(problem.message)
            return 1
        finally:
            await remote.aclose()
    if given.action == "list":
        if not found:
            print_note("No phone is leased.")
        return 0
    print_error(f"No server of yours has a phone {given.leased}.")
    return 1


def _describe(row: Mapping[str, Any], lease: Mapping[str, Any]) -> str:
    name = row.get("slug") or row.get("serial")
    if lease.get("until") is None:
        return f"{name}  being taken by {lease['who']}"
    since, until = (
        f"{datetime.fromtimestamp(lease[when], UTC).astimezone():%H:%M}"
        for when in ("since", "until")
    )
    ending = ", ending" if lease.get("state") == "ending" else ""
    return f"{name}  {lease['who']}, {since} to {until}{ending}"
