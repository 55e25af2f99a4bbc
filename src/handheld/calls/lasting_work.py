"""What a call has begun and that goes on after it, such as a recording: it is stopped as calls
are, also when their token is no longer valid."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from ..clock import Clock, Timer
from ..phone.leases.leases import REVOKED
from .call import Call

if TYPE_CHECKING:
    from ..phone.phone import Phone

TOKEN_CHECK_SECONDS = 1.0
"""As often as the tokens of running requests are checked again."""


class LastingWork:
    def __init__(self, call: Call, stop: Callable[[str], object]) -> None:
        """`stop` takes the reason, as a clause."""
        self._stop = stop
        self.names: Collection[str] = call.names
        self.phone: Phone = call.phone
        self.ends: list[Callable[[], object]] = []
        """Called once it has ended."""
        self._timer: Timer | None = None

    def take_over(self) -> None:
        self._stop("the owner of the phone took it over")

    def lose_lease(self, why: str) -> None:
        self._stop(f"this client no longer has the phone: {why}")

    def follow_token(self, holds: Callable[[], bool], clock: Clock) -> None:
        """Stop it once its token is no longer valid."""

        def look() -> None:
            if holds():
                self.follow_token(holds, clock)
            else:
                self._stop(REVOKED)

        self._timer = clock.call_later(TOKEN_CHECK_SECONDS, look)

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        while self.ends:
            self.ends.pop()()
