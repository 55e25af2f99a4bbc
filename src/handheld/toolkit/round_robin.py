"""Those who wait for something that one at a time gets. Callers take turns, and what one caller
wants comes in its order, so that one with much to do does not keep the others waiting for all of
it."""

import asyncio
from collections import OrderedDict, deque


class RoundRobin:
    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        """By caller, the one whose turn it is next first."""

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def join(self, caller: str) -> asyncio.Future[None]:
        """Return what is done at the caller's turn. Cancelling it gives the turn up."""
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(ready)
        return ready

    def let_next(self) -> bool:
        """Give the next one its turn. False: nobody waits."""
        while self._waiting:
            caller, queue = next(iter(self._waiting.items()))
            ready = queue.popleft()
            if queue:
                self._waiting.move_to_end(caller)
            else:
                del self._waiting[caller]
            if not ready.done():  # else it was cancelled
                ready.set_result(None)
                return True
        return False
