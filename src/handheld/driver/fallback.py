"""The helper driver, and where the helper does not run, the shell driver.

Nobody above asks which. A helper that does not start, dies again and again or answers nonsense is
left alone for a while; that is said once. No action is done twice: one whose helper died under it
stays in doubt, and only the next call goes the other way.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

from ..clock import Clock
from ..errors import ActionFailed
from ..helper.client import HelperClient, HelperNotStarted
from ..helper.protocol import Happened
from ..helper.session import HelperLost, Session
from ..ui.model import Screen
from . import Driver, Picture, Point, Target
from .app_tools import Bundle, ChangedPackages, DeclaredTools, ServiceReply
from .apps import AppProcesses, Installed
from .files import Content, Place
from .helper_driver import HelperDriver
from .shell_driver import ShellDriver
from .sms import Subscription
from .text import Typed, Typing

Done = TypeVar("Done")

LOSSES = 3
"""So many deaths in a row, without a call that succeeded between them, are no accident."""
PAUSES = (30.0, 60.0, 120.0, 300.0, 600.0)
"""Seconds until the helper is tried again, the last for all further times."""

_NONSENSE = (KeyError, IndexError, TypeError, ValueError, AttributeError)
"""What reading an answer raises that is no answer to what was asked."""
_OTHER_WAY = "%s is used without Handheld's helper, by adb's shell alone, which can do less. %s"

log = logging.getLogger("handheld")


class FallbackDriver:
    """The helper driver as long as the helper works, else the shell driver."""

    def __init__(
        self,
        client: HelperClient,
        *,
        wake: bool = True,
        pauses: Sequence[float] = PAUSES,
        clock: Clock | None = None,
        booted: Callable[[str], object] | None = None,
    ) -> None:
        """`wake`: whether an action switches on a screen that is off. `booted` is given the phone's
        boot id before the shell does anything, as whoever has the helper's HELLO learns it there.
        """
        self._client = client
        self._helper = HelperDriver(client, wake=wake)
        self._shell = ShellDriver(client.link, wake=wake, why=self._tell_why, notes=self._notes)
        self._pauses = pauses
        self._clock = clock or client.link.clock
        self._losses = 0
        self._last_lost: Session | None = None
        self._failures = 0
        self._again_at: float | None = None
        self._why = ""
        self._untold = False
        self._booted = booted

    @property
    def trouble(self) -> str:
        """Why the helper is not used, as a sentence; "" while it is."""
        return self._why

    def _tell_why(self) -> str:
        return self._why

    def _notes(self) -> tuple[str, ...]:
        """Once, on the first screen that is read the other way."""
        untold, self._untold = self._untold, False
        return (f"Handheld's helper is not used on this phone. {self._why}",) if untold else ()

    async def _by(
        self, operation: Callable[[Driver], Awaitable[Done]], *, act: bool = False
    ) -> Done:
        if self._again_at is not None and self._clock.now() < self._again_at:
            return await self._by_shell(operation)
        try:
            done = await operation(self._helper)
        except _NONSENSE as problem:
            message = "The helper on the phone gave an answer that makes no sense."
            # It would keep UiAutomation from those who come instead.
            await self._client.drop()
            self._leave(message)
            if act:
                raise ActionFailed(
                    f"{message} The action may or may not have happened; look at the screen before"
                    " going on."
                ) from problem
        except Exception as problem:
            cause = problem.__cause__
            if isinstance(cause, HelperNotStarted):
                self._leave(cause.message)
            elif isinstance(cause, HelperLost):
                # A helper that dies under many calls has died once.
                if cause.session is None or cause.session is not self._last_lost:
                    self._losses += 1
                    self._last_lost = cause.session
                if self._losses < LOSSES:
                    raise
                self._leave(f"The helper died {self._losses} times in a row: {cause.message}")
                if act or cause.happened is not Happened.NO:
                    raise
            else:
                self._serves()
                raise
        else:
            self._serves()
            return done
        return await self._by_shell(operation)

    async def _by_shell(self, operation: Callable[[Driver], Awaitable[Done]]) -> Done:
        """Once for each connection it is asked which boot this is: none outlives a reboot."""
        if self._booted is not None:
            boot = await self._shell.boot_id()
            if self._booted is not None and boot:
                self._booted(boot)
            self._booted = None
        return await operation(self._shell)

    def _leave(self, why: str) -> None:
        """Let the helper be for a while."""
        first = self._again_at is None
        pause = self._pauses[min(self._failures, len(self._pauses) - 1)]
        self._failures += 1
        self._losses = 0
        self._again_at = self._clock.now() + pause
        self._why = f"{why.rstrip('.')}."
        if first:
            self._untold = True
            log.warning(_OTHER_WAY, self._client.link.serial, self._why)

    def _serves(self) -> None:
        """The helper answered, be it with a no."""
        if not self._client.connected:
            return
        self._losses = 0
        if self._again_at is not None:
            log.info("%s: the helper runs again.", self._client.link.serial)
            self._again_at = None
            self._why = ""
            self._untold = False
            self._failures = 0

    # The verbs.

    async def read_screen(self) -> Screen:
        return await self._by(lambda driver: driver.read_screen())

    async def capture(self, max_size: int | None, format: str, quality: int) -> Picture:
        return await self._by(lambda driver: driver.capture(max_size, format, quality))

    async def touch(self, strokes: Sequence[Sequence[Point]]) -> None:
        await self._by(lambda driver: driver.touch(strokes), act=True)

    async def scroll(self, direction: str, share: float, duration_ms: int) -> None:
        await self._by(lambda driver: driver.scroll(direction, share, duration_ms), act=True)

    async def pinch(self, x: float, y: float, scale: float, duration_ms: int) -> float:
        return await self._by(lambda driver: driver.pinch(x, y, scale, duration_ms), act=True)

    async def press(self, button: str) -> None:
        await self._by(lambda driver: driver.press(button), act=True)

    async def act(self, target: Target, action: str) -> None:
        await self._by(lambda driver: driver.act(target, action), act=True)

    async def type(self, target: Target, typing: Typing) -> Typed:
        return await self._by(lambda driver: driver.type(target, typing), act=True)

    async def key(self, key: str) -> None:
        await self._by(lambda driver: driver.key(key), act=True)

    async def launch(self, package: str) -> str:
        return await self._by(lambda driver: driver.launch(package), act=True)

    async def packages(self, kind: str) -> list[Installed]:
        return await self._by(lambda driver: driver.packages(kind))

    async def processes(self, package: str) -> AppProcesses | None:
        return await self._by(lambda driver: driver.processes(package))

    async def stop(self, package: str) -> bool:
        return await self._by(lambda driver: driver.stop(package), act=True)

    async def logs(self, filters: Sequence[str], last: int | None) -> str:
        return await self._by(lambda driver: driver.logs(filters, last))

    async def changed(self, after: int, within_ms: int) -> int:
        return await self._by(lambda driver: driver.changed(after, within_ms))

    async def locate(self, root: str, path: str) -> Place:
        return await self._by(lambda driver: driver.locate(root, path))

    async def commit(self, root: str, temp: str, path: str, expect: Content | None) -> None:
        await self._by(lambda driver: driver.commit(root, temp, path, expect), act=True)

    async def remove(self, root: str, path: str) -> bool:
        return await self._by(lambda driver: driver.remove(root, path), act=True)

    async def get_clipboard(self) -> str | None:
        return await self._by(lambda driver: driver.get_clipboard())

    async def set_clipboard(self, text: str) -> None:
        await self._by(lambda driver: driver.set_clipboard(text), act=True)

    async def offers(self) -> DeclaredTools:
        return await self._by(lambda driver: driver.offers())

    async def changed_packages(self, after: int) -> ChangedPackages:
        return await self._by(lambda driver: driver.changed_packages(after))

    async def call_provider(
        self,
        authority: str,
        method: str,
        extras: Bundle | None,
        within_ms: int,
        *,
        act: bool = True,
    ) -> Bundle | None:
        return await self._by(
            lambda driver: driver.call_provider(authority, method, extras, within_ms, act=act),
            act=act,
        )

    async def call_service(
        self, package: str, class_name: str, id: str, extras: Mapping[str, str], within_ms: int
    ) -> ServiceReply:
        return await self._by(
            lambda driver: driver.call_service(package, class_name, id, extras, within_ms), act=True
        )

    async def find_ending(self, package: str, within_ms: int) -> str:
        return await self._shell.find_ending(package, within_ms)

    async def subscriptions(self) -> list[Subscription]:
        return await self._by(lambda driver: driver.subscriptions())

    async def known_subscriptions(self) -> frozenset[int] | None:
        return await self._shell.known_subscriptions()

    async def airplane_mode(self) -> bool | None:
        return await self._shell.airplane_mode()

    async def send_sms(self, subscription: int, to: str, text: str) -> int:
        return await self._by(lambda driver: driver.send_sms(subscription, to, text), act=True)

    async def release(self) -> bool:
        return await self._helper.release()

    async def aclose(self) -> None:
        await self._helper.aclose()
