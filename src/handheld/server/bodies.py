"""One budget for the bodies of all requests, for as long as each runs: otherwise sixty clients that
begin to send something large would fill the memory."""

from ..toolkit.shares import Share, Shares
from .exchange import Exchange, HttpRefusal
from .limits import BODIES, STRANGERS_BODIES


class Bodies:
    def __init__(self, largest: int) -> None:
        self._most = BODIES * largest
        self._held = 0
        self._strangers = 0
        self._shares = Shares(Share(largest, 2 * largest))

    def room(self, token: str | None, size: int) -> bool:
        """Whether so much more may be held. A token of None is a stranger's."""
        if token is None:
            return self._strangers + size <= STRANGERS_BODIES
        return self._held + size <= self._most and self._shares.room(token, size)

    def add(self, token: str | None, size: int) -> None:
        if token is None:
            self._strangers += size
        else:
            self._held += size
            self._shares.take(token, size)


class HeldBody:
    """What one request holds. Its token is known before its body is read."""

    def __init__(self, bodies: Bodies, exchange: Exchange) -> None:
        self._bodies = bodies
        self._exchange = exchange
        self._size = 0

    def add(self, size: int) -> None:
        """Raises HttpRefusal."""
        token = self._exchange.token
        if not self._bodies.room(token, size):
            raise HttpRefusal(
                503, "busy", "The bodies of other requests take all the room; try again later."
            )
        self._bodies.add(token, size)
        self._size += size

    def close(self) -> None:
        self._bodies.add(self._exchange.token, -self._size)
        self._size = 0
