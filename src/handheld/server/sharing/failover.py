"""A surface that switches between the owner's and our own when the owner changes."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from ...access.request_scope import EVERYTHING, RequestScope
from ...calls.protocols import Surface
from ...clock import SYSTEM_CLOCK, Clock
from ...devices.ownership import OwnerError, OwnerGone
from ...errors import ActionFailed, ToolError
from ...settings import SettingsError
from ...tools.call import Caller
from ...tools.listing import Item, Listing
from .remote import explain_loss

_T = TypeVar("_T")

_COMPARE_SECONDS = 1.5
"""How long after a comparison of the tool list with the one that the client has the next begins."""
_COMPARE_SHARE = 20
"""But at least this many times as long as it took: a phone without the helper lists all its
packages for it."""
_MOST_SECONDS = 30.0


class Reached(Protocol):
    """How the phone is reached: through its owner, or as its owner."""

    @property
    def surface(self) -> Surface: ...

    async def aclose(self) -> None: ...


class SharedSurface:
    """`find` reaches the phone's owner, or makes this process the owner. It is called at the first
    use, and again after an owner exited."""

    def __init__(
        self,
        find: Callable[[], Awaitable[Reached]],
        answered: asyncio.Event | None = None,
        *,
        surface: str = "",
        most: int | None = None,
        compare_seconds: float = _COMPARE_SECONDS,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """`answered` is set once a client has its first reply. `surface` is the one that all
        requests are for, `most` how many of them may run at a time: a process that was told what to
        do by somebody else must leave the owner's other clients their share."""
        self._find = find
        self._answered = answered or asyncio.Event()
        self._most = most
        self._running = 0
        self._filter = RequestScope(surface=surface)
        self._clock = clock
        self._compare_seconds = compare_seconds
        self._current: Reached | None = None
        self._lost: list[Reached] = []
        self._finding = asyncio.Lock()
        self._listed: Sequence[Listing] | None = None
        """The list that the client has."""
        self._changed = asyncio.Event()

    async def open(self) -> None:
        """Find the owner now. Raises OwnerError if it does not share the phone."""
        async with self._finding:
            if self._current is None:
                self._current = await self._find()
                await self._compare(self._current.surface)

    async def changes(self) -> AsyncIterator[None]:
        """Yield each time the tool list differs from the one last returned."""
        pause = self._compare_seconds
        while True:
            try:
                async with self._clock.timeout(pause):
                    await self._changed.wait()
            except TimeoutError:
                # The phone does not report when apps that declare tools come and go.
                began = self._clock.now()
                if self._current is not None:
                    await self._compare(self._current.surface)
                took = self._clock.now() - began
                pause = max(self._compare_seconds, min(_COMPARE_SHARE * took, _MOST_SECONDS))
                continue
            self._changed.clear()
            yield

    async def _compare(self, surface: Surface) -> None:
        """Another owner may have other tools; the client is notified then."""
        if self._listed is None:
            return
        try:
            if list(await surface.tools(self._filter)) != list(self._listed):
                self._listed = None  # until the client asks again
                self._changed.set()
        except (OwnerGone, ToolError):
            return  # the next request reports why

    async def instructions(self, scope: RequestScope = EVERYTHING) -> str:
        scope = scope.within(self._filter)
        return await self._query(lambda surface: surface.instructions(scope))

    async def tools(self, scope: RequestScope = EVERYTHING) -> Sequence[Listing]:
        scope = scope.within(self._filter)
        listings = await self._query(lambda surface: surface.tools(scope))
        self._answered.set()
        if scope == self._filter:
            self._listed = listings
        return listings

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        scope: RequestScope = EVERYTHING,
    ) -> Sequence[Item]:
        scope = scope.within(self._filter)
        with self._share():
            for _ in range(2):
                reached = await self._reach()
                try:
                    return await reached.surface.call(name, arguments, caller, scope)
                except OwnerGone as gone:
                    self._drop(reached)
                    if (failure := explain_loss(gone)) is not None:
                        raise failure from gone
                finally:
                    self._answered.set()
        raise ToolError("The process that had the phone is gone. Try again.")

    async def aclose(self) -> None:
        every = [*self._lost, *([self._current] if self._current else [])]
        self._lost, self._current = [], None
        for each in every:
            await each.aclose()

    async def _query(self, query: Callable[[Surface], Awaitable[_T]]) -> _T:
        with self._share():
            for _ in range(2):
                reached = await self._reach()
                try:
                    return await query(reached.surface)
                except OwnerGone:
                    self._drop(reached)
        raise ToolError("The process that had the phone is gone. Try again.")

    @contextmanager
    def _share(self) -> Generator[None]:
        if self._most is not None and self._running >= self._most:
            raise ActionFailed(
                f"{self._most} requests of a client may run at a time, and as many do. Nothing was"
                " done. Call this again when one has ended."
            )
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1

    async def _reach(self) -> Reached:
        while self._current is None:
            try:
                await self.open()
            except OwnerError as problem:
                raise ToolError(str(problem)) from problem
            except SettingsError as problem:
                if not self._lost:
                    raise  # of a command that has just begun
                raise ToolError(str(problem)) from problem
        return self._current

    def _drop(self, reached: Reached) -> None:
        # Closed only at the end: other calls may still be waiting for their own failure.
        if self._current is reached:
            self._current = None
            self._lost.append(reached)
