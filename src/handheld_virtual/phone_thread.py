"""A virtual phone in its own thread, for tests and programs that are not asynchronous."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager
from inspect import isawaitable
from pathlib import Path
from types import TracebackType
from typing import ParamSpec, TypeVar, cast

from .packages.app import App
from .phone import VirtualPhone
from .scenes.scene import Scene
from .system.clock import Clock

P = ParamSpec("P")
T = TypeVar("T")

PATIENCE = 60.0
"""In seconds; a call that takes longer fails."""


class PhoneThread:
    """A phone that listens on loopback from `start` to `close`.

    The phone lives in another thread: `run` calls a function there, and `hold` pauses it while this
    thread inspects and changes it.
    """

    def __init__(
        self,
        scene: "str | Path | Scene" = "default",
        *,
        api: int | None = None,
        serial: str | None = None,
        authorize: bool | None = None,
        clock: Clock | None = None,
    ) -> None:
        """`clock` is the phone's clock, by default a running one. Raises SceneError."""
        self.phone = VirtualPhone.from_scene(
            scene, clock=clock, api=api, serial=serial, authorize=authorize
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: asyncio.Event | None = None
        self._thread: threading.Thread | None = None
        self._holding = threading.RLock()
        self._holder: int | None = None
        """The thread that holds the phone."""

    @property
    def address(self) -> str:
        """HOST:PORT, as `adb connect` takes it."""
        return self.phone.address

    @property
    def port(self) -> int:
        return self.phone.port

    def start(self) -> None:
        """Raises OSError when it cannot listen."""
        started: Future[None] = Future()
        self._thread = threading.Thread(
            target=self._serve, args=(started,), name="virtual-phone", daemon=True
        )
        self._thread.start()
        started.result(PATIENCE)

    def close(self) -> None:
        """Stop the phone and all its programs. A second call does nothing."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        if self._loop is not None and self._ended is not None:
            self._loop.call_soon_threadsafe(self._ended.set)
        if thread is threading.current_thread():
            return
        thread.join(PATIENCE)
        if thread.is_alive():
            raise TimeoutError("The virtual phone does not stop.")

    def run(
        self,
        operation: "Callable[P, Awaitable[T]] | Callable[P, T]",
        *arguments: P.args,
        **options: P.kwargs,
    ) -> T:
        """Call a function in the phone's thread, await its result there if it is awaitable, and
        return the result or raise the error."""
        loop = self._running()

        async def do() -> T:
            given = operation(*arguments, **options)
            return await cast("Awaitable[T]", given) if isawaitable(given) else cast("T", given)

        return asyncio.run_coroutine_threadsafe(do(), loop).result(PATIENCE)

    def call_soon(self, callback: Callable[[], object]) -> None:
        """Call a function in the phone's thread, without waiting for it."""
        self._running().call_soon_threadsafe(callback)

    def is_current(self) -> bool:
        """Whether this is called in the phone's thread."""
        return threading.current_thread() is self._thread

    def install(self, app: type[App]) -> None:
        """Install an app that was written for virtual phones. Raises BadApp."""
        self.run(self.phone.install, app)

    @contextmanager
    def hold(self) -> Generator[VirtualPhone]:
        """The phone, paused: it serves no client until the block ends."""
        with self._holding:
            if self._holder is not None:
                yield self.phone
                return
            held, released = threading.Event(), threading.Event()

            def wait() -> None:
                held.set()
                released.wait(PATIENCE)

            self._running().call_soon_threadsafe(wait)
            if not held.wait(PATIENCE):
                raise TimeoutError("The virtual phone does not answer.")
            self._holder = threading.get_ident()
            try:
                yield self.phone
            finally:
                self._holder = None
                released.set()

    def __enter__(self) -> "PhoneThread":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._thread is None or self._loop is None:
            raise RuntimeError("The virtual phone is not running.")
        if self._holder == threading.get_ident():
            raise RuntimeError("The virtual phone is held: use it after the `hold` block.")
        return self._loop

    def _serve(self, started: "Future[None]") -> None:
        async def main() -> None:
            self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
            try:
                await self.phone.start()
            except BaseException as problem:
                started.set_exception(problem)
                return
            started.set_result(None)
            try:
                await self._ended.wait()
            finally:
                await self.phone.aclose()

        asyncio.run(main())
