"""An owner's phone, for tasks that need no prepared state and whose checks adb can read."""

import stat
from contextlib import suppress

from ..access.phone_filter import PhonePool
from ..calls.choice import ChosenSurface
from ..clock import SYSTEM_CLOCK, Clock
from ..driver.apps import InFront
from ..phone.phone import Phone
from .facts import changes, unsafe
from .played_phone import PlayedPhone, TaskVerdict
from .task import AlreadyDone, BadTask, FactCheck, Task

_DOWNLOAD = "/storage/emulated/0/Download"
_SETTINGS = {
    "system": ("accelerometer_rotation", "font_scale", "screen_off_timeout"),
    "secure": ("enabled_accessibility_services", "location_mode", "ui_night_mode"),
    "global": (
        "adb_enabled",
        "airplane_mode_on",
        "bluetooth_on",
        "data_roaming",
        "device_name",
        "mobile_data",
        "wifi_on",
        "zen_mode",
    ),
}
"""The settings that owners change. Other settings change by themselves on a phone in use."""


class RealPhone(PlayedPhone):
    """Only the home screen is prepared, and a task's changes remain."""

    def __init__(
        self, phones: PhonePool, surface: ChosenSurface, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        super().__init__(surface)
        self._phones = phones
        self._clock = clock
        self._before: dict[str, str] = {}
        self._began = clock.now()

    async def start(self, task: Task, seed: int) -> str:
        plan = task.draw(seed)
        if not plan.real_phone or not isinstance(plan.check, FactCheck):
            raise BadTask(
                f"{task.name} needs a virtual phone; `handheld tasks list --phone SERIAL` lists"
                " what can be played on a real one."
            )
        phone = await self._phones.pick(None)
        before = await _read_facts(phone)
        if not plan.check.judge(before, ""):
            raise AlreadyDone(f"{task.name} is done on this phone already: choose another --seed.")
        await self._leave(phone)
        self.task, self.seed, self.plan, self._before = task, seed, plan, before
        self.meter.calls = []
        self._began = self._clock.now()
        return plan.sentence

    async def _leave(self, phone: Phone) -> None:
        """Show the home screen, and stop the previous task's app, so it opens on its first page.
        Other apps are untouched."""
        async with phone.acting("tasks"):
            front = (await phone.driver.read_screen()).foreground
            await phone.driver.press("home")
            if self.task is not None and front is not None:
                with suppress(InFront):  # the home screen was in front
                    await phone.driver.stop(front[0])

    @property
    def phone_seconds(self) -> float:
        return self._clock.now() - self._began

    async def check(self, answer: str) -> TaskVerdict:
        assert self.plan is not None, "no task was started"
        assert isinstance(self.plan.check, FactCheck), "start refuses others"
        after = await _read_facts(await self._phones.pick(None))
        why = self.plan.check.judge(after, answer)
        return TaskVerdict(not why, why, unsafe(changes(self._before, after), self.plan.may_change))

    async def aclose(self) -> None:
        """The phone is not ours to close."""


async def _read_facts(phone: Phone) -> dict[str, str]:
    """Settings, installed apps, the contents of Download, and the recipients of sent messages where
    Android reveals them. Raises ToolError."""
    driver = phone.driver
    found: dict[str, str] = {}
    for table, names in _SETTINGS.items():
        for name in names:
            if (value := await driver.setting(table, name)) is not None:
                found[f"setting {table} {name}"] = value
    for app in await driver.packages("all"):
        found[f"app {app.package}"] = str(app.version_code)
    for entry in await driver.list_folder(_DOWNLOAD):
        folder = stat.S_ISDIR(entry.stat.mode)
        found[f"file {_DOWNLOAD}/{entry.name}"] = "folder" if folder else f"{entry.stat.size} bytes"
    for id, address in (await driver.sent_messages() or {}).items():
        found[f"message to {address} #{id}"] = ""
    return found
