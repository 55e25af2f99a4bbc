"""The transport of adb messages over the air, with the latency profile's duration."""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from handheld.adb.wire import AdbMessage, WireError

from ..system.latency import AIR

if TYPE_CHECKING:
    from .adbd import Adbd

MOST = 4096
"""The limit of messages in transit; a client that waits for acknowledgements has fewer."""


class Air:
    """Delivers a client's messages in order. The delay of the whole round trip is applied on the
    way to the phone, which a client cannot notice."""

    def __init__(
        self, adbd: "Adbd", take: Callable[[AdbMessage], None], refuse: Callable[[WireError], None]
    ) -> None:
        """`take` is called with each message; if it raises WireError, `refuse` is called with
        that."""
        self._adbd = adbd
        self._take = take
        self._refuse = refuse
        self._under_way: deque[tuple[float, AdbMessage]] = deque()

    def bring(self, message: AdbMessage) -> None:
        """Deliver a message after its delay. Raises WireError."""
        late = self._adbd.phone.world.latency.of(AIR)
        idle = not self._under_way
        if idle and not late:
            self._take(message)
            return
        if len(self._under_way) >= MOST:
            raise WireError("It sends without waiting for acknowledgements.")
        self._under_way.append((self._adbd.phone.clock.now() + late, message))
        if idle:
            self._adbd.spawn(self._deliver())

    def clear(self) -> None:
        """Discard all messages, because the client has disconnected."""
        self._under_way.clear()

    async def _deliver(self) -> None:
        clock = self._adbd.phone.clock
        try:
            while self._under_way:
                due, message = self._under_way[0]
                if (left := due - clock.now()) > 0:
                    await clock.sleep(left)
                else:
                    self._under_way.popleft()
                    self._take(message)
        except WireError as problem:
            self._refuse(problem)
