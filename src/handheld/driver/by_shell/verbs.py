"""Verbs without the screen by Android's own commands, for a phone without a running helper."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...adb.link import AdbError
from ...helper.protocol import Happened
from ...helper.session import HelperLost
from ..apps import AppProcesses, Installed
from ..by_adb.commands import Commands
from ..by_adb.verbs import AdbVerbs
from ..device import Whereabouts
from ..failures import translated
from ..intents import Handler, Intent
from ..notifications import Notification, NotificationVerb, Posted
from ..packages import AppInfo
from .apps import ShellApps
from .intents import ShellIntents
from .notifications import SNOOZE_SINCE, read_notifications, snooze
from .packages import read_app_info
from .probes import first
from .setting_commands import PLACES_SINCE
from .tables import query_rows
from .unsupported import NeedsHelper, Unsupported

if TYPE_CHECKING:
    from ..tables import Query, TableRows


class ShellVerbs(AdbVerbs):
    def __init__(self, commands: Commands, why: Callable[[], str]) -> None:
        """`why` returns a sentence about the helper."""
        super().__init__(commands.link)
        self._commands = commands
        self._why = why
        self._apps = ShellApps(commands)
        self._intents = ShellIntents(commands, self._apps)

    @contextmanager
    def _acting(self, do: str, arguments: dict[str, Any] | None = None) -> Generator[None]:
        """An action of several commands: if a command does not reach the phone after another has
        started, something may have been done."""
        before = self._commands.acts
        with translated(do, arguments, act=True):
            try:
                yield
            except AdbError as problem:
                if self._commands.acts == before:
                    raise
                raise HelperLost(str(problem), Happened.PARTLY) from problem

    # Apps.

    async def packages(self, kind: str, user: int | None = None) -> list[Installed]:
        with translated("packages"):
            return await self._apps.packages(kind, user)

    async def processes(self, package: str) -> AppProcesses | None:
        with translated("processes"):
            return await self._apps.processes(package)

    async def app_info(self, package: str) -> AppInfo | None:
        with translated("app_info"):
            return await read_app_info(self._commands, package)

    async def handlers(self, intent: Intent) -> list[Handler]:
        with translated("resolve"):
            return await self._intents.handlers(intent)

    # Notifications.

    async def notifications(self, after: int | None = None, within_ms: int = 0) -> Posted:
        with translated("notifications"):
            return await read_notifications(self._commands)

    async def act_on_notification(self, seen: Notification, verb: NotificationVerb) -> str:
        with self._acting("notification"):
            if verb.for_ms is None or await self._commands.api() < SNOOZE_SINCE:
                raise NeedsHelper(Unsupported.NOTIFICATIONS, self._why())
            await snooze(self._commands, seen, verb.for_ms)
            return ""

    # Tables.

    async def query(self, query: "Query") -> "TableRows":
        with translated("query"):
            return await query_rows(self._commands, query)

    # The device.

    async def languages(self) -> list[str]:
        """Return only the preferred language: the property has no others."""
        with translated("language"):
            printed = (await self._device.read(("locale",)))["locale"]
        return [first(printed) or printed.strip()]

    async def whereabouts(self, fresh_ms: int) -> Whereabouts:
        if fresh_ms:
            raise NeedsHelper(Unsupported.FIX, self._why())
        with translated("location"):
            return await self._device.last_place()

    async def pretend_place(self, place: tuple[float, float] | None) -> None:
        with translated("mock_location", act=True):
            if await self._commands.api() < PLACES_SINCE:
                raise NeedsHelper(Unsupported.PLACE, self._why())
            await self._device.pretend_place(place)

    async def keyboard_shown(self) -> bool:
        with translated("screen"):
            return await self._device.keyboard_shown()
