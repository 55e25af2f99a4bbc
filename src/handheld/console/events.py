"""What happens, told to every open console as it happens."""

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
"""How often something is said, so that a client that is gone is noticed."""
OTHERS_SECONDS = 1.0
"""How often it is looked whether other processes have recorded calls: they wake nobody here."""
MOST_STREAMS = 100
_MOST_WAITING = 1000

Told = TypeVar("Told")

log = logging.getLogger(__name__)


class Events:
    """One stream for each page that is open. While one is, a person can be asked."""

    def __init__(self, context: ConsoleContext, stopping: asyncio.Event, linger: float) -> None:
        """A console counts as open for `linger` seconds after its stream broke off: it may be
        reloading, and nothing is to slip through meanwhile."""
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
        """Until the session does not hold any more. Raises HttpRefusal."""
        if self._open >= MOST_STREAMS:
            raise HttpRefusal(503, "busy", f"{MOST_STREAMS} consoles are open already.")
        return Stream(self._tell(holds))

    async def _tell(self, holds: Callable[[], bool]) -> AsyncGenerator[bytes]:
        queue: asyncio.Queue[bytes] = asyncio.Queue(_MOST_WAITING)
        context = self._context
        with ExitStack() as stack:
            self._open += 1
            stack.callback(self._close)
            sources: list[Any] = []
            if context.audit is not None:
                calls = stack.enter_context(context.audit.subscribe())
                sources.append(_pass_on(calls, queue, _told_call))
                sources.append(_watch_others(context.audit, queue, context.clock))
            if context.gate is not None:
                changes = stack.enter_context(context.gate.subscribe())
                sources.append(_pass_on(changes, queue, partial(_told_question, context.clock)))
                context.gate.consoles += 1
                stack.callback(self._leave, context.gate, holds)
            tasks = [asyncio.ensure_future(one) for one in (*sources, self._stopping.wait())]
            try:
                yield event("hello", {"now": context.clock.time(), "consoles": self._consoles()})
                # Where one of them fails the stream ends: a page that would hear no questions any
                # more has to ask anew.
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
                        log.error("A console could not be told what happens.", exc_info=failure)

    def _consoles(self) -> int:
        return self._context.gate.consoles if self._context.gate else 0


def event(kind: str, value: Any) -> bytes:
    """JSON has no line breaks of its own, so one line of data is enough."""
    return b"event: " + kind.encode("ascii") + b"\ndata: " + dump(mend_json(value)) + b"\n\n"


def _told_call(entry: AuditEntry) -> bytes:
    return event("call", row(entry))


def _told_question(clock: Clock, change: Change) -> bytes:
    told = {"state": change.state, "who": change.who, "now": clock.time()}
    return event("question", {**question(change.pending), **told})


async def _pass_on(
    source: AsyncIterable[Told], queue: asyncio.Queue[bytes], written: Callable[[Told], bytes]
) -> None:
    async for one in source:
        _put(queue, written(one))


async def _watch_others(audit: AuditLog, queue: asyncio.Queue[bytes], clock: Clock) -> None:
    seen = audit.version()
    while True:
        await clock.sleep(OTHERS_SECONDS)
        with suppress(AuditError):
            if (now := audit.version()) != seen:
                seen = now
                _put(queue, event("others", {}))


def _put(queue: asyncio.Queue[bytes], told: bytes) -> None:
    """Who does not keep up loses the oldest."""
    if queue.full():
        queue.get_nowait()
    queue.put_nowait(told)


def _count_down(gate: ApprovalGate) -> None:
    gate.consoles -= 1
