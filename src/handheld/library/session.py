"""One phone, opened at its first use. Callers may be in any thread and any event loop."""

import asyncio
import json
import os
import threading
import warnings
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import ActionFailed, InvalidParams, ToolError
from ..tools.listing import Item
from .failures import PhoneClosed, as_failure
from .loop_thread import Broken, Loop, RunningCall

if TYPE_CHECKING:
    from .connections import PhoneConnection
    from .tracing import Trace

T = TypeVar("T")

_CLOSES_SECONDS = 10.0


class Session:
    def __init__(
        self,
        name: str,
        loop: Loop,
        connect: "Callable[[], Awaitable[PhoneConnection]]",
        *,
        runs: bool = False,
        trace: "Trace | None" = None,
    ) -> None:
        """`connect` opens the phone in the thread of `loop`, where all other work also runs. `runs`
        means that somebody else starts and ends that thread."""
        self.name = name
        self.trace = trace
        self._loop = loop
        self._connect = connect
        self._others = runs
        self._started = runs
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._calls: set[RunningCall[Any]] = set()
        self._closed = False
        self._connection: PhoneConnection | None = None
        self._opening = asyncio.Lock()

    def wait(
        self,
        work: "Callable[[PhoneConnection], Coroutine[Any, Any, T]]",
        seconds: float | None = None,
    ) -> T:
        """Do something with the open phone. Raises ToolError, and TimeoutError after `seconds`."""
        __tracebackhide__ = True
        call = self._begin(work)
        try:
            return call.wait(seconds)
        except Exception as problem:
            failure = as_failure(problem)
            if failure is None:
                raise
        finally:
            self._calls.discard(call)
        # Raised outside the block: internal details of the traceback do not help the caller.
        raise failure

    async def waited(self, work: "Callable[[PhoneConnection], Coroutine[Any, Any, T]]") -> T:
        """Do something with the open phone, and wait in an event loop. Raises ToolError."""
        __tracebackhide__ = True
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            raise ActionFailed(
                "AsyncPhone is for asyncio: with another event loop use Phone in a thread."
            ) from None
        call = self._begin(work)
        try:
            return await call.waited()
        except Exception as problem:
            failure = as_failure(problem)
            if failure is None:
                raise
        finally:
            self._calls.discard(call)
        raise failure

    def call(
        self, tool: str, arguments: Mapping[str, Any], *, verb: bool = False
    ) -> "Callable[[PhoneConnection], Coroutine[Any, Any, Sequence[Item]]]":
        """Return a function that calls a tool. With `verb`, `tool` is a tool for models by its name
        without prefix. Raises InvalidParams."""
        given = _plain(arguments)
        trace = self.trace

        async def work(connection: "PhoneConnection") -> Sequence[Item]:
            run = partial(connection.do if verb else connection.call, tool, given)
            if trace is None:
                return await run()
            return await trace.record(connection, tool, given, run)

        return work

    def close(self) -> None:
        """Close the phone and break off running calls. A second call does nothing."""
        with self._lock:
            closed, self._closed = self._closed, True
            calls = list(self._calls)
        if closed or not self._started or os.getpid() != self._pid:
            return
        for call in calls:
            call.cancel()
        try:
            with suppress(RuntimeError, Broken, TimeoutError):
                closing = RunningCall(self._loop, self._close)
                if not self._loop.is_current():
                    closing.wait(_CLOSES_SECONDS)
        finally:
            if not self._others:
                self._loop.close()

    def abandon(self) -> None:
        """Close a phone that nobody can use now."""
        try:
            if self._connection is not None and not self._closed:
                warnings.warn(
                    f"The phone {self.name} was not closed.", ResourceWarning, stacklevel=2
                )
        finally:
            self.close()

    def _begin(self, work: "Callable[[PhoneConnection], Coroutine[Any, Any, T]]") -> RunningCall[T]:
        async def run() -> T:
            connection = await self._open()
            return await connection.pace(work(connection))

        with self._lock:
            if self._closed:
                raise PhoneClosed(f"The phone {self.name} is closed: create a new one.")
            if os.getpid() != self._pid:
                raise ActionFailed(
                    f"The phone {self.name} was created in another process: create one here, too."
                )
            if not self._started:
                self._loop.start()
                self._started = True
            call = RunningCall(self._loop, run)
            self._calls.add(call)
        return call

    async def _open(self) -> "PhoneConnection":
        async with self._opening:
            if self._connection is None:
                self._connection = await self._connect()
            return self._connection

    async def _close(self) -> None:
        async with self._opening:
            connection, self._connection = self._connection, None
            if connection is not None:
                with suppress(ToolError):
                    await connection.close()


def _plain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The given arguments in the form that would go over a wire. Raises InvalidParams."""
    given = {name: value for name, value in arguments.items() if value is not None}
    for name, value in given.items():
        try:
            given[name] = json.loads(json.dumps(value, allow_nan=False))
        except (TypeError, ValueError, RecursionError):
            raise InvalidParams(
                f"Parameter '{name}' takes texts, numbers, booleans and lists of them, got:"
                f" {type(value).__name__}"
            ) from None
    return given
