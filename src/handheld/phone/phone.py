"""One phone, as tools see it: driver, element ids, and one action at a time."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from copy import copy

from ..clock import SYSTEM_CLOCK, Clock
from ..driver import Driver
from ..errors import ActionFailed
from ..ui.model import Screen
from .elements import Elements
from .files import Files
from .issued_refs import IssuedRefs
from .sms import Sms
from .sms_rules import SentParts, SmsRules
from .turns import PATIENCE, Turns


class Phone:
    """Reads take no lock; actions take turns, first come, first served."""

    def __init__(
        self,
        serial: str,
        driver: Driver,
        *,
        patience: float = PATIENCE,
        clock: Clock = SYSTEM_CLOCK,
        printed: IssuedRefs | None = None,
        files: Files | None = None,
        sms_rules: SmsRules | None = None,
        sent_parts: SentParts | None = None,
        name: str = "",
    ) -> None:
        """`printed` and `sent_parts` are what an earlier connection to this phone has left. `name`
        is what stays the same where the serial does not: a virtual phone has another one at every
        start."""
        self.serial = serial
        self.name = name or serial
        self.driver = driver
        self._files = files
        self.clock = clock
        self.sms = Sms(driver, clock, sms_rules, sent_parts)
        self.elements = Elements(driver, clock, printed)
        self._turns = Turns(patience, clock)
        self.boots = 0
        """How often it was seen to have been booted since this began."""

    @property
    def files(self) -> Files:
        """Raises ActionFailed where only the screen is reached."""
        if self._files is None:
            raise ActionFailed("The files of this phone are not reached from here.")
        return self._files

    @files.setter
    def files(self, files: Files) -> None:
        self._files = files

    def acting(self, call: str) -> AbstractAsyncContextManager[None]:
        """The phone's one action at a time. `call` is the name that others who wait are told.
        Raises TimedOut."""
        return self._turns.take(call)

    def in_active_window(self) -> "Phone":
        """The same phone, turn and ids' memory, for whoever sees the active window alone."""
        view = copy(self)
        view.elements = self.elements.in_active_window()
        return view

    def watched(self, saw: Callable[[Screen], None]) -> "Phone":
        """The same phone for one who reads; `saw` is told of each screen that is told of."""
        view = copy(self)
        view.elements = self.elements.watched(saw)
        return view

    def restarted(self) -> None:
        """The phone was booted since it was last seen."""
        self.boots += 1
        self.elements.forget()

    async def aclose(self) -> None:
        await self.driver.aclose()
