"""The calls of all hosts, from the copies of their records, for the timeline of a gateway."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import ActionFailed
from ...fleet.fleet_record import MOST_ENTRIES, FleetEntry, FleetRecord, Newest
from ...fleet.nats.jetstream import KvError
from ...fleet.nats.wire import WireFault
from ..routes import Request, Route
from ..sharing import Sharing

_LONGEST, _MOST = 4_000, 2_000_000
"""Characters of an argument or a result, and roughly of those of all calls together; longer ones
are cut."""
_FILTERS = ("host", "phone", "token", "tool")


class FleetTimeline:
    def __init__(self, record: FleetRecord) -> None:
        self._record = record
        self._reads: Sharing[Newest] = Sharing()
        """Pages with the same query share a read."""

    async def calls(self, request: Request) -> dict[str, Any]:
        """The latest matching calls, oldest first, and whether there may be older ones."""
        limit = request.query_number("limit", 200, 1, MOST_ENTRIES)
        host, phone, token, tool = (request.query.get(name, "") for name in _FILTERS)
        try:
            found = await self._reads.ask(
                (limit, host, phone, token, tool),
                lambda: self._record.newest(limit, host=host, phone=phone, token=token, tool=tool),
            )
        except (WireFault, KvError) as problem:
            raise ActionFailed(f"The calls of all hosts cannot be read: {problem}") from problem
        return {"calls": _show_all(found.entries), "more": found.more}


def _show_all(entries: Sequence[FleetEntry]) -> list[Mapping[str, Any]]:
    most = min(_LONGEST, _MOST // max(1, len(entries)))
    return [_show(each, most) for each in entries]


def _show(found: FleetEntry, most: int) -> dict[str, Any]:
    entry = found.entry
    return {
        **entry.as_json(),
        "arguments": {name: _cut(value, most) for name, value in entry.arguments.items()},
        "result": [_cut(text, most) for text in entry.result],
        "host": found.host_name,
        "key": f"{found.host}-{entry.id}",
    }


def _cut(value: Any, most: int) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= most:
        return value
    return f"{text[:most]}… ({len(text) - most} more characters are in the host's record)"


def routes(record: FleetRecord) -> Sequence[Route]:
    return (Route("GET", "calls", FleetTimeline(record).calls),)
