"""An event loop in its own thread, and calls into it from other threads or loops."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")

ENDS_SECONDS = 5.0
"""How long a cancelled call may take to end: it lifts fingers meanwhile."""
_STARTS_SECONDS = 60.0


class Loop(Protocol):
    """A thread with an event loop. A virtual phone is also one."""

    def start(self) -> None: ...

    def call_soon(self, callback: Callable[[], object]) -> None:
        """Call a function in that thread. Raises RuntimeError if it does not run."""
        ...

    def is_current(self) -> bool:
        """Whether the caller is in that thread, which must not wait for itself."""
        ...

    def close(self) -> None: ...


class LoopThread:
    """Ends with the process: a program that forgets to close it can still exit."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: asyncio.Event | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        started: Future[None] = Future()
        self._thread = threading.Thread(
            target=self._serve, args=(started,), name=self._name, daemon=True
        )
        self._thread.start()
        started.result(_STARTS_SECONDS)

    def call_soon(self, callback: Callable[[], object]) -> None:
        if self._loop is None:
            raise RuntimeError(f"{self._name} is not running.")
        self._loop.call_soon_threadsafe(callback)

    def is_current(self) -> bool:
        return threading.current_thread() is self._thread

    def close(self) -> None:
        """A second call does nothing."""
        thread, self._thread = self._thread, None
        if thread is None or self._ended is None:
            return
        with suppress(RuntimeError):  # it has ended on its own
            self.call_soon(self._ended.set)
        if thread is not threading.current_thread():
            thread.join(ENDS_SECONDS)

    def _serve(self, started: "Future[None]") -> None:
        async def main() -> None:
            self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
            started.set_result(None)
            await self._ended.wait()

        asyncio.run(main())


class Broken(Exception):
    """The call was cancelled by something other than its waiter."""


class RunningCall(Generic[T]):
    """A coroutine in the loop of another thread. Callers wait for it by blocking, or in any other
    event loop."""

    def __init__(self, loop: Loop, work: Callable[[], Coroutine[Any, Any, T]]) -> None:
        """Raises RuntimeError if the loop does not run."""
        self._loop = loop
        self._work = work
        self._task: asyncio.Task[T] | None = None
        self._cancelled = False
        self._over = threading.Event()
        self._future: Future[T] = Future()
        loop.call_soon(self._begin)

    def cancel(self) -> None:
        with suppress(RuntimeError):
            self._loop.call_soon(self._cancel)

    def wait(self, seconds: float | None = None) -> T:
        """Raises Broken, and TimeoutError after `seconds`. Anything that interrupts the wait, such
        as Ctrl-C, also ends the call."""
        try:
            return self._future.result(seconds)
        except BaseException:
            if not self._over.is_set():
                self.cancel()
                self._over.wait(ENDS_SECONDS)
            raise

    async def waited(self) -> T:
        """Wait in an event loop. Cancelling the wait cancels the call."""
        try:
            return await asyncio.wrap_future(self._future)
        except asyncio.CancelledError:
            self.cancel()
            raise

    # In the thread of the loop

    def _begin(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._work())
        self._task.add_done_callback(self._end)
        if self._cancelled:
            self._task.cancel()

    def _cancel(self) -> None:
        self._cancelled = True
        if self._task is not None:
            self._task.cancel()

    def _end(self, task: "asyncio.Task[T]") -> None:
        self._over.set()
        problem = Broken() if task.cancelled() else task.exception()
        if not self._future.set_running_or_notify_cancel():
            return  # nobody is waiting
        if problem is not None:
            self._future.set_exception(problem)
        else:
            self._future.set_result(task.result())
