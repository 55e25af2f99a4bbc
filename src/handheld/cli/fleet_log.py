"""`handheld log --fleet`: the calls at all hosts of an engine, from the copies that it keeps."""

import argparse
import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..audit.copies import CopyVerification
from ..fleet.fleet_record import FleetEntry, FleetRecord
from ..settings import Settings
from ..ui.text import tidy
from .chain import describe_calls, told
from .fleet_reach import open_engine
from .log import line
from .terminal import print_line, print_note


async def fleet_log(given: argparse.Namespace, settings: Settings, query: dict[str, Any]) -> int:
    """`query` is what both records can be asked. Raises EngineError."""
    async with open_engine(given, settings) as wire:
        record = FleetRecord(wire)
        if given.verify is not None:
            return _tell(await record.verify())
        newest = await record.newest(**query, host=given.of_host or "", token=given.of_token or "")
    for each in newest.entries:
        print_line(_json(each) if given.json else _line(each))
    if not newest.entries:
        print_note("No call that was copied to the engine matches.")
    if newest.more and len(newest.entries) < query["limit"]:
        print_note("Older calls were not looked at: narrow the search with --host or --since.")
    return 0


def _json(found: FleetEntry) -> str:
    whose = {"host": found.host_name, "host_id": found.host}
    return json.dumps({**whose, **found.entry.as_json()}, ensure_ascii=False)


def _line(found: FleetEntry) -> str:
    entry = found.entry
    return line(entry._replace(phone=f"{found.host_name}/{entry.phone or '-'}"))


def _tell(hosts: Mapping[str, CopyVerification]) -> int:
    for id, found in sorted(hosts.items(), key=lambda each: (each[1].host, each[0])):
        print_line(f"{tidy(found.host)} ({id}): {_sentence(found)}")
        for detail in _details(found):
            print_line(f"  {detail}")
    if not hosts:
        print_note("No call was copied to the engine.")
    bad = any(found.problems for found in hosts.values())
    if hosts and not bad:
        print_note(
            "At a host, `handheld log --verify HEAD` tells whether its own record leads there."
        )
    return int(bad)


def _sentence(found: CopyVerification) -> str:
    if found.problems:
        return "The copies are not all that the host has recorded, as it recorded it."
    unfinished = f", {found.unfinished} of them without an end" if found.unfinished else ""
    return f"OK: {describe_calls(found.calls)}{unfinished}."


def _details(found: CopyVerification) -> Iterator[str]:
    yield from map(tidy, found.problems)
    if found.more:
        yield f"{found.more} more are not listed."
    if found.first > 1:
        yield f"The copies begin with link {found.first}: older ones were not made, or have gone."
    if found.uncopied:
        yield f"{found.uncopied} links were dropped at the host before they were copied."
    if found.shortened:
        yield f"{found.shortened} copies are without values that were too large."
    yield from (f"At the host: {told(dropped)}" for dropped in found.dropped)
    if found.head:
        yield f"Head: {found.head}"
