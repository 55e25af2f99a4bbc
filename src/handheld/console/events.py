"""Server-sent events for every open console."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterable, Callable
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, TypeVar

from ..access.approval import ApprovalGate, Change
from ..audit import AuditEntry, AuditError, AuditLog
from ..clock import Clock
from ..server.envelope import dump
from ..server.exchange import HttpRefusal
from ..server.text import mend_json
from .approvals import question
from .context import ConsoleContext
from .routes import Stream
from .timeline import row

BEAT_SECONDS = 15.0
"""How often something is sent, so that a lost client is noticed."""
OTHERS_SECONDS = 1.0
"""How often the log is polled for calls of other processes, which send no notification."""
MOST_STREAMS = 100
_MOST_WAITING = 1000

Item = TypeVar("Item")

log = logging.getLogger(__name__)


class Events:
    """One stream for each open page. While there is one, a person can be asked for approval."""

    def __init__(self, context: ConsoleContext, stopping: asyncio.Event, linger: float) -> None:
        """A console counts as open for `linger` seconds after its stream ended: it may be
        reloading, and no call may skip approval meanwhile."""
        self._context = context
        self._linger = linger
        self._stopping = stopping
        self._open = 0

    def _close(self) -> None:
        self._open -= 1

    def _leave(self, gate: ApprovalGate, holds: Callable[[], bool]) -> None:
        if self._linger and holds() and not self._stopping.is_set():
            self._context.clock.call_later(self._linger, _count_down, gate)
        else:
            _count_down(gate)

    def stream(self, holds: Callable[[], bool]) -> Stream:
        """The stream lasts until `holds` is false. Raises HttpRefusal."""
        if self._open >= MOST_STREAMS:
            raise HttpRefusal(503, "busy", f"{MOST_STREAMS} consoles are already open.")
        return Stream(self._events(holds))

    async def _events(self, holds: Callable[[], bool]) -> AsyncGenerator[bytes]:
        queue: asyncio.Queue[bytes] = asyncio.Queue(_MOST_WAITING)
        context = self._context
        with ExitStack() as stack:
            self._open += 1
            stack.callback(self._close)
            sources: list[Any] = []
            if context.audit is not None:
                calls = stack.enter_context(context.audit.subscribe())
                sources.append(_forward(calls, queue, _call_event))
                sources.append(_watch_others(context.audit, queue, context.clock))
            if context.gate is not None:
                changes = stack.enter_context(context.gate.subscribe())
                sources.append(_forward(changes, queue, partial(_question_event, context.clock)))
                context.gate.consoles += 1
                stack.callback(self._leave, context.gate, holds)
            if context.switch is not None:
                held = stack.enter_context(context.switch.takeover.changes.watch())
                sources.append(_watch_changes(held, "held", queue))
                if context.switch.leases is not None:
                    leases = stack.enter_context(context.switch.leases.changes.watch())
                    sources.append(_watch_changes(leases, "leases", queue))
            tasks = [asyncio.ensure_future(source) for source in (*sources, self._stopping.wait())]
            try:
                yield event("hello", {"now": context.clock.time(), "consoles": self._consoles()})
                # If a source fails, the stream ends: the page would miss questions, so it has to
                # reconnect.
                while holds() and not any(task.done() for task in tasks):
                    getting = asyncio.ensure_future(queue.get())
                    try:
                        with suppress(TimeoutError):
                            async with context.clock.timeout(BEAT_SECONDS):
                                await asyncio.wait(
                                    {getting, *tasks}, return_when=asyncio.FIRST_COMPLETED
                                )
                        if holds():
                            yield getting.result() if getting.done() else b": \n\n"
                    finally:
                        getting.cancel()
                        with suppress(asyncio.CancelledError):
                            await getting
            finally:
                for task in tasks:
                    task.cancel()
                for failure in await asyncio.gather(*tasks, return_exceptions=True):
                    if isinstance(failure, Exception):
                        log.error("A console's event stream failed.", exc_info=failure)

    def _consoles(self) -> int:
        return self._context.gate.consoles if self._context.gate else 0


def event(kind: str, value: Any) -> bytes:
    """Encode an event. JSON has no line breaks, so one line of data is enough."""
    return b"event: " + kind.encode("ascii") + b"\ndata: " + dump(mend_json(value)) + b"\n\n"


def _call_event(entry: AuditEntry) -> bytes:
    return event("call", row(entry))


def _question_event(clock: Clock, change: Change) -> bytes:
    decision = {"state": change.state, "who": change.who, "now": clock.time()}
    return event("question", {**question(change.pending), **decision})


async def _forward(
    source: AsyncIterable[Item], queue: asyncio.Queue[bytes], encode: Callable[[Item], bytes]
) -> None:
    async for item in source:
        _put(queue, encode(item))


async def _watch_changes(changed: asyncio.Event, kind: str, queue: asyncio.Queue[bytes]) -> None:
    """The page asks what is held, or leased, now: it may also have missed a change."""
    while True:
        await changed.wait()
        changed.clear()
        _put(queue, event(kind, {}))


async def _watch_others(audit: AuditLog, queue: asyncio.Queue[bytes], clock: Clock) -> None:
    seen = audit.version()
    while True:
        await clock.sleep(OTHERS_SECONDS)
        with suppress(AuditError):
            if (now := audit.version()) != seen:
                seen = now
                _put(queue, event("others", {}))


def _put(queue: asyncio.Queue[bytes], encoded: bytes) -> None:
    """A client that does not keep up loses the oldest events."""
    if queue.full():
        queue.get_nowait()
    queue.put_nowait(encoded)


def _count_down(gate: ApprovalGate) -> None:
    gate.consoles -= 1
