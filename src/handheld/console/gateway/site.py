"""The console of a gateway: the phones of all hosts, their questions and calls."""

from collections.abc import Coroutine, Sequence
from contextlib import ExitStack
from typing import Any

from ...clock import SYSTEM_CLOCK, Clock
from ...fleet.fleet_record import FleetRecord
from ...fleet.surface import FleetSurface
from ..events import event, put
from ..site import LINGER_SECONDS, Holds, Queue, Site, count_page
from . import approvals, phones, timeline
from .rows import FleetRows

CHANGES_SECONDS = 0.5
"""The interval at which a page receives changes."""


def gateway_site(
    surface: FleetSurface,
    name: str,
    clock: Clock = SYSTEM_CLOCK,
    *,
    linger: float = LINGER_SECONDS,
) -> Site:
    """`name` is the gateway's name for people."""
    rows = FleetRows(surface.directory, surface.wire)
    routes = (
        *phones.routes(rows, surface, clock),
        *approvals.routes(surface.questions, name, clock),
        *timeline.routes(FleetRecord(surface.wire, clock)),
    )

    def sources(
        stack: ExitStack, queue: Queue, holds: Holds
    ) -> Sequence[Coroutine[Any, Any, object]]:
        stack.enter_context(
            surface.questions.listening(lambda told: put(queue, event("question", told)))
        )
        count_page(surface.questions, stack, linger, clock, holds)
        return [_tell_changes(rows, clock, queue)]

    return Site("gateway.html", routes, sources, clock)


async def _tell_changes(rows: FleetRows, clock: Clock, queue: Queue) -> None:
    """Send the rows that changed, and the ids of those that are gone. A slow page receives changes
    less often, but misses none."""
    rows.look()
    told, known, engine = rows.change, set(rows.ids), rows.engine
    while True:
        await clock.sleep(CHANGES_SECONDS)
        rows.look()
        if (rows.change, rows.engine) == (told, engine):
            continue
        changed, gone = rows.since(told), known.difference(rows.ids)
        told, known, engine = rows.change, set(rows.ids), rows.engine
        news = {"change": told, "rows": changed, "gone": sorted(gone), "engine": engine}
        await queue.put(event("phones", news))
