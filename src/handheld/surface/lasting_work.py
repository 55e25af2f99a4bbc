"""What a call has begun and that goes on after it, such as a recording: it is stopped as calls
are."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from .running_call import RunningCall

if TYPE_CHECKING:
    from ..phone import Phone


class LastingWork:
    def __init__(self, call: RunningCall, stop: Callable[[str], object]) -> None:
        """`stop` takes the reason, as a clause."""
        self._stop = stop
        self.names: Collection[str] = call.names
        self.phone: Phone | None = call.phone
        self.ends: list[Callable[[], object]] = []
        """Called once it has ended."""

    def take_over(self) -> None:
        self._stop("the owner of the phone took it over")

    def lose_lease(self, why: str) -> None:
        self._stop(f"the phone is not this client's any more: {why}")

    def end(self) -> None:
        while self.ends:
            self.ends.pop()()
