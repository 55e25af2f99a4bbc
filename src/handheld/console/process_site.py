"""The console of one process: its pages and their events."""

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

from ..access.approval import QuestionChange
from ..audit import AuditEntry, AuditError, AuditLog
from ..clock import Clock
from .context import ConsoleContext
from .events import event, forward, put
from .pages import (
    approvals,
    apps,
    doctor,
    live,
    settings,
    steps,
    storage,
    takeover,
    timeline,
    tokens,
)
from .site import LINGER_SECONDS, Holds, Queue, Site, count_page

OTHERS_SECONDS = 1.0
"""How often the log is polled for calls of other processes, which send no notification."""


def process_site(context: ConsoleContext, *, linger: float = LINGER_SECONDS) -> Site:
    pages = (
        *(live, timeline, approvals, takeover),
        *(tokens, settings, storage, apps, steps, doctor),
    )
    routes = [route for page in pages for route in page.routes(context)]
    return Site("index.html", routes, partial(_sources, context, linger), context.clock)


def _sources(
    context: ConsoleContext, linger: float, stack: ExitStack, queue: Queue, holds: Holds
) -> Sequence[Coroutine[Any, Any, object]]:
    sources: list[Coroutine[Any, Any, object]] = []
    if context.audit is not None:
        calls = stack.enter_context(context.audit.subscribe())
        sources.append(forward(calls, queue, _call_event))
        sources.append(_watch_others(context.audit, queue, context.clock))
    if context.gate is not None:
        changes = stack.enter_context(context.gate.subscribe())
        sources.append(forward(changes, queue, partial(_question_event, context.clock)))
        count_page(context.gate, stack, linger, context.clock, holds)
    if context.switch is not None:
        held = stack.enter_context(context.switch.takeover.changes.watch())
        sources.append(_watch_changes(held, "held", queue))
        if context.switch.leases is not None:
            leases = stack.enter_context(context.switch.leases.changes.watch())
            sources.append(_watch_changes(leases, "leases", queue))
    return sources


def _call_event(entry: AuditEntry) -> bytes:
    return event("call", timeline.row(entry))


def _question_event(clock: Clock, change: QuestionChange) -> bytes:
    decision = {"state": change.state, "who": change.who, "now": clock.time()}
    return event("question", {**change.pending.as_json(), **decision})


async def _watch_changes(changed: asyncio.Event, kind: str, queue: Queue) -> None:
    """Only announce changes. The page then requests the current state, because it may have missed
    an earlier change."""
    while True:
        await changed.wait()
        changed.clear()
        put(queue, event(kind, {}))


async def _watch_others(audit: AuditLog, queue: Queue, clock: Clock) -> None:
    seen = audit.version()
    while True:
        await clock.sleep(OTHERS_SECONDS)
        with suppress(AuditError):
            if (now := audit.version()) != seen:
                seen = now
                put(queue, event("others", {}))
