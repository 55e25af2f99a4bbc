"""A phone for tools: driver, element ids, and one action at a time."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from copy import copy
from functools import cache
from typing import TYPE_CHECKING

from ..clock import SYSTEM_CLOCK, Clock
from ..driver import Driver, Guard, Rest
from ..driver.by_adb.left_file import RUN, Left
from ..errors import ActionFailed, ToolError
from ..helper.claim import PhoneClaim, PhoneClaims
from ..screen.model import Screen
from .apps.logs import Processes
from .files.files import Files
from .identity import PhoneIdentity
from .leases.shares import APP_CALLS, CALLS, WAITS, Shares
from .leases.turns import PATIENCE, GiveWay, Turns
from .personal.sms import Sms
from .screen.elements import Elements

if TYPE_CHECKING:
    from .apps.package_files import PackageRules
    from .device.device import Device
    from .device.settings_backup import SettingsBackup
    from .memory import PhoneMemory


LEAVE_SECONDS = 5.0
"""The time limit for removing this process's note of changes from the phone."""

log = logging.getLogger("handheld")


def _hides_nothing(package: str) -> bool:
    return False


BeginLasting = Callable[[Callable[[str], object]], Callable[[], object]]
"""Registers work that continues after its call, with a function that stops it for a reason, which
is a clause. Returns a function to call when the work has ended."""


def _admits_all(package: str) -> bool:
    return True


class Phone:
    """Reads take no lock; actions take turns in order of arrival, a person before agents."""

    def __init__(
        self,
        serial: str,
        driver: Driver,
        *,
        patience: float = PATIENCE,
        clock: Clock = SYSTEM_CLOCK,
        memory: "PhoneMemory | None" = None,
        files: Files | None = None,
        sms: Sms | None = None,
        identity: PhoneIdentity | None = None,
        claim: PhoneClaim | None = None,
        originals: "SettingsBackup | None" = None,
        package_rules: "PackageRules | None" = None,
    ) -> None:
        """`memory` comes from an earlier connection to this phone."""
        # Loaded with the first phone: a server's first reply does not wait for it.
        from .apps.package_files import PackageRules
        from .memory import PhoneMemory

        memory = memory or PhoneMemory()
        self.serial = serial
        self.driver = driver
        self.claim = claim or PhoneClaims().of(serial)
        self.hides: Callable[[str], bool] = _hides_nothing
        """Whether an app is hidden from the caller."""
        self.admits: Callable[[str], bool] = _admits_all
        """Whether the call may concern an app: rules judged the call by its arguments' meaning
        then."""
        self.identity = identity or PhoneIdentity(driver, serial)
        self._files = files
        self.package_rules = package_rules or PackageRules()
        """The owner's rules for packages to install."""
        self.examining = asyncio.Lock()
        """Held while packages are copied for rules on apps, which needs no phone's turn: each call
        may copy up to the limit."""
        self.clock = clock
        self.sms = sms or Sms(driver, clock)

        @cache
        def make_device() -> "Device":
            from .device.device import Device  # most sessions do not use it

            return Device(driver, clock, self._identify, serial, originals)

        self._make_device = make_device
        self._putting_back: asyncio.Task[None] | None = None
        self.elements = Elements(driver, clock, memory.issued_refs)
        self.screens = memory.screens
        self.crash_ids = memory.crash_ids
        self.notifications = memory.notifications
        self.web_pages = memory.web_pages
        self._turns = Turns(patience, clock)
        self._caller = ""
        self._person = False
        self._give_way: GiveWay | None = None
        """The caller who takes turns through this view."""
        self.calls, self.waits, self.app_calls = Shares(CALLS), Shares(WAITS), Shares(APP_CALLS)
        """The running reads, by their callers' tokens."""
        self.folds_web = False
        """Whether the caller wants adjacent texts of web pages folded into one row."""
        self.recorder = memory.recorder
        self.connection = object()
        """Identifies this connection to the phone; views share it."""
        self.guard: Guard | None = None
        """The registration of lasting work by this view's call."""
        self._begin_lasting: BeginLasting | None = None
        self.boots = 0
        """The number of reboots noticed since this object was created."""

    @property
    def name(self) -> str:
        """The name that stays the same when the serial does not."""
        return self.identity.name or self.serial

    @property
    def ours(self) -> bool:
        """Whether it is a virtual phone that this program started, whatever it reports."""
        return self.identity.ours

    async def _identify(self) -> str:
        await self.identity.read()
        return self.identity.single

    async def link(self) -> None:
        """Before a lease: claim the phone for this process, among several hosts that can reach it.
        Raises ToolError."""
        if self.claim.required and self.claim.claim is not None and not self.claim.elsewhere:
            await self.driver.link()

    @property
    def unlinked(self) -> str:
        """Return a sentence that says why it cannot be leased now; "" if it can."""
        if self.claim.elsewhere or not self.claim.required:
            return self.claim.elsewhere
        if not self.claim.ours:
            return "This host has not claimed it yet."
        return "" if self.driver.linked else "It has not accepted this host yet."

    @property
    def claim_note(self) -> str:
        """Return a note for the host's owner about the claim on the phone; "" for none."""
        claim = self.claim
        if claim.elsewhere or (claim.required and not claim.ours):
            return self.unlinked
        if claim.required and self.driver.linked and not claim.guarded:
            return (
                "It is used without the helper: nothing keeps a second host away, so connect it "
                "to only"
                " one."
            )
        return ""

    @property
    def judges_apps(self) -> bool:
        """Whether `hides` may return True."""
        return self.hides is not _hides_nothing

    async def hidden_processes(self) -> Processes:
        """Return the processes of apps hidden from the caller."""
        if not self.judges_apps:
            return Processes()
        hidden = [app for app in await self.driver.packages("all") if self.hides(app.package)]
        return Processes.of([await self.driver.processes(app.package) for app in hidden])

    @property
    def device(self) -> "Device":
        """The device, shared by all views on the phone."""
        return self._make_device()

    @property
    def files(self) -> Files:
        """Raises ActionFailed if only the screen is accessible."""
        if self._files is None:
            raise ActionFailed("The files of this phone are not reached from here.")
        return self._files

    @files.setter
    def files(self, files: Files) -> None:
        self._files = files

    def acting(
        self,
        call: str,
        caller: str = "",
        *,
        person: bool = False,
        give_way: GiveWay | None = None,
    ) -> AbstractAsyncContextManager[None]:
        """Hold the phone's turn: one action at a time. `call` is the name shown to waiting
        callers, who are served in rotation. A `person` comes first: `give_way` stops this action
        if a person waits. Raises TimedOut."""
        return self._turns.take(
            call,
            caller or self._caller,
            person=person or self._person,
            give_way=give_way or self._give_way,
        )

    def called_by(
        self,
        caller: str,
        *,
        person: bool,
        give_way: GiveWay | None,
        begin_lasting: BeginLasting | None = None,
    ) -> "Phone":
        """Return a view on the same phone for a tool that takes turns by itself, on behalf of this
        caller; see `acting`."""
        view = copy(self)
        view._caller, view._person, view._give_way = caller, person, give_way
        view._begin_lasting = begin_lasting
        return view

    @property
    def caller(self) -> str:
        """The token of this view's caller, if the tool takes turns by itself."""
        return self._caller

    def begin_lasting(self, stop: Callable[[str], object]) -> Callable[[], object]:
        """Register work that continues after the call: `stop` stops it when agents must stop.
        Returns a function to call when the work has ended. Raises ToolError."""
        return (lambda: None) if self._begin_lasting is None else self._begin_lasting(stop)

    def in_active_window(self) -> "Phone":
        """Return a view on the same phone, with its turns and issued refs, that reads only the
        active window."""
        view = copy(self)
        view.elements = self.elements.in_active_window()
        return view

    def folding_web(self) -> "Phone":
        """Return a view on the same phone, for a caller who wants the text of web pages folded."""
        view = copy(self)
        view.folds_web = True
        return view

    def resting(self, rest: Rest) -> "Phone":
        """Return a view on the same phone whose driver is `Driver.resting`."""
        view = copy(self)
        view.driver = self.driver.resting(rest)
        view.elements = self.elements.through(view.driver)
        return view

    def guarded(self, guard: Guard) -> "Phone":
        """Return a view on the same phone whose driver is `Driver.guarded`."""
        view = copy(self)
        view.driver = self.driver.guarded(guard)
        view.hides = guard.hides
        view.admits = guard.admits
        view.guard = guard
        view.elements = self.elements.through(view.driver)
        return view

    def watched(self, on_read: Callable[[Screen], None]) -> "Phone":
        """Return a view on the same phone that passes each screen it lists to `on_read`."""
        view = copy(self)
        view.elements = self.elements.watched(on_read)
        return view

    def restarted(self) -> None:
        """Handle a reboot of the phone since it was last seen."""
        self.boots += 1
        self.forget_shown()

    def forget_shown(self) -> None:
        """Forget everything shown to callers: ids and refs lose their meaning, and their texts are
        not repeated to anybody."""
        self.elements.forget()
        self.screens.forget()
        self.notifications.forget()
        self.web_pages.forget()

    def found_left(self, left: Sequence[Left]) -> None:
        """Handle settings that processes changed and did not restore: restore those of ended
        processes."""
        others = [each for each in left if each.run != RUN]
        if others and self._putting_back is None:
            self._putting_back = asyncio.create_task(self._put_back(others))

    async def _put_back(self, left: Sequence[Left]) -> None:
        try:
            async with self.acting("putting back what another process left"):
                for sentence in await self.device.put_back_left(left):
                    log.warning("%s, changed by a killed process: %s", self.serial, sentence)
        except ToolError as problem:
            log.warning("%s: changes by a killed process stay: %s", self.serial, problem.message)

    async def aclose(self) -> None:
        if self._putting_back is not None:
            self._putting_back.cancel()
            await asyncio.gather(self._putting_back, return_exceptions=True)
        if self._make_device.cache_info().currsize:
            with suppress(ToolError, TimeoutError):
                async with self.clock.timeout(LEAVE_SECONDS):
                    await self.device.leave()
        await self.recorder.drop(self.connection)
        await self.driver.aclose()
