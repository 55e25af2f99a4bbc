"""The console of a gateway: the phones of all hosts."""

from collections.abc import Coroutine, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from ..clock import SYSTEM_CLOCK, Clock
from ..fleet.surface import FleetSurface
from . import fleet_phones
from .events import event
from .fleet_rows import FleetRows
from .site import Holds, Queue, Site

CHANGES_SECONDS = 0.5
"""How often a page is told what changed."""


def gateway_site(surface: FleetSurface, clock: Clock = SYSTEM_CLOCK) -> Site:
    rows = FleetRows(surface.directory, surface.wire)
    routes = fleet_phones.routes(rows, surface, clock)
    return Site("gateway.html", routes, partial(_sources, rows, clock), clock)


def _sources(
    rows: FleetRows, clock: Clock, stack: ExitStack, queue: Queue, holds: Holds
) -> Sequence[Coroutine[Any, Any, object]]:
    return [_tell_changes(rows, clock, queue)]


async def _tell_changes(rows: FleetRows, clock: Clock, queue: Queue) -> None:
    """The rows that changed, and those that are gone. A page that does not keep up is told less
    often, and misses none."""
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
