"""Changing the settings of a phone: the old value is stored first, the new one is read back, and
the connection is never cut."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ...clock import Clock
from ...driver.by_adb import left_file
from ...driver.by_adb.commands import first_line
from ...driver.by_adb.left_file import READ, RUN, read_left
from ...driver.by_shell import setting_commands
from ...driver.by_shell.probes import read_volume
from ...driver.device import DeviceDriver, Reach
from ...driver.reading.dumpsys import read_awake, read_current_size, read_locked
from ...errors import ActionFailed, InvalidParams, ToolError
from .settable import SETTABLE, Facts, Settable, read_api, rotation_names
from .settings_backup import NotKept, SettingsBackup

PATIENCE = 3.0
"""The seconds within which a phone must show a change."""
LOOK = 0.25
_ENDS: Mapping[tuple[str, str], tuple[Reach, ...]] = {
    ("wifi", "off"): (Reach.WIFI, Reach.OTHER),
    ("airplane_mode", "on"): (Reach.WIFI, Reach.MOBILE, Reach.BLUETOOTH, Reach.OTHER),
    ("mobile_data", "off"): (Reach.MOBILE, Reach.OTHER),
    ("bluetooth", "off"): (Reach.BLUETOOTH,),
}
"""The networks whose connections a setting would end."""
_NO_COMMANDS = ("No shell command implementation", "Unknown command", "Can't find service")
_REFUSALS = ("Exception", "Error", "denied", "Denied", "not allowed")


class DeviceSettings:
    def __init__(
        self,
        driver: DeviceDriver,
        clock: Clock,
        identify: Callable[[], Awaitable[str]],
        address: str = "",
        originals: SettingsBackup | None = None,
    ) -> None:
        """`identify` returns the name under which this phone's values are stored."""
        self._driver = driver
        self._clock = clock
        self._identify = identify
        self._address = address
        self.originals = originals or SettingsBackup()
        self._key = ""

    async def key(self) -> str:
        if not self._key:
            self._key = await self._identify() or self._address
        return self._key

    # Settings with their own command line

    async def change(self, wanted: Mapping[str, str]) -> list[str]:
        """Set values of `SETTABLE`, in their order; return a sentence for each. Raises ActionFailed
        for the first one that the phone rejects, with the completed changes in its details."""
        names = [name for name in SETTABLE if name in wanted]
        facts = await self.read(names)
        done: list[str] = []
        for name in names:
            try:
                sentence, facts = await self._set(name, wanted[name], facts, names)
            except ToolError as failure:
                failure.details = (*done, *failure.details)
                raise
            done.append(sentence)
        return done

    async def read(self, names: list[str]) -> Facts:
        asked = dict.fromkeys(fact for name in names for fact in SETTABLE[name].facts)
        return await self._driver.read_device(["api", *asked])

    async def change_rotation(self, name: str) -> list[str]:
        """`name` is `auto`, or one of `settable.TURNED`."""
        facts = await self.read(["rotation"])
        value = "auto" if name == "auto" else str(rotation_names(facts).index(name))
        sentence, facts = await self._set("rotation", value, facts, ["rotation"])
        if value == "auto":
            return [sentence]
        wide = name.endswith("landscape")
        end = self._clock.now() + PATIENCE / 2
        while (is_wide := _is_wide(facts)) not in (wide, None) and self._clock.now() < end:
            await self._clock.sleep(LOOK)
            facts = await self.read(["rotation"])
        if is_wide not in (wide, None):
            shown = "landscape" if is_wide else "portrait"
            return [sentence, f"The app in front keeps the screen in {shown}."]
        return [sentence]

    async def change_volume(self, stream: str, level: int | None, share: float | None) -> list[str]:
        """Set the level, or a share of the highest level. Raises InvalidParams."""
        name = f"volume.{stream}"
        facts = await self.read([name])
        volume = read_volume(facts[name])
        if volume is None:
            raise _unknown(SETTABLE[name])
        if level is None:
            level = max(volume.least, round(volume.most * (share or 0)))
        if not volume.least <= level <= volume.most:
            raise InvalidParams(
                f"level must be between {volume.least} and {volume.most} for {stream}, got: {level}"
            )
        sentence, _ = await self._set(name, str(level), facts, [name])
        return [sentence]

    async def _set(
        self, name: str, value: str, facts: Facts, names: list[str]
    ) -> tuple[str, Facts]:
        settable, api = SETTABLE[name], read_api(facts)
        before = settable.read(facts)
        if before is None or not api:
            raise _unknown(settable)
        if settable.same(value, before):
            await self._forget_if_original(name, value)
            return f"{settable.label}: already {settable.show(before, facts)}", facts
        if name == "airplane_mode" and api < setting_commands.AIRPLANE_SINCE:
            raise ActionFailed("Airplane mode cannot be set over adb before Android 9.")
        if over := _ENDS.get((name, value)):
            await self._keep_connection(over)
        await self.remember(name, before)
        asked = list(dict.fromkeys(fact for one in names for fact in SETTABLE[one].facts))
        answer = await self._driver.change_device(settable.line(value, api), ["api", *asked])
        said, now = answer.said, await self._await(settable, value, answer.facts, names)
        if (
            name.startswith("volume.")
            and api >= setting_commands.AUDIO_SINCE
            and not _has(settable, value, now)
        ):
            line = setting_commands.set_volume_by_session(name.partition(".")[2], int(value))
            again = await self._driver.change_device(line, ["api", *asked])
            now = await self._await(settable, value, again.facts, names)
        after = settable.read(now)
        if after is None:
            raise ActionFailed(
                f"{settable.label} was changed, but the phone does not report its new value."
            )
        await self._forget_if_original(name, after)
        if not settable.same(value, after):
            raise ActionFailed(_kept(settable, settable.show(after, now), said))
        shown = f"{settable.label}: {settable.show(before, facts)} -> {settable.show(after, now)}"
        if name == "dark_mode" and api < setting_commands.EVERYWHERE_SINCE:
            shown += ". Before Android 10 most apps ignore it."
        return shown, now

    async def _await(self, settable: Settable, value: str, facts: Facts, names: list[str]) -> Facts:
        """Read again until the phone has the value, for a limited time."""
        end = self._clock.now() + PATIENCE
        while not _has(settable, value, facts) and self._clock.now() < end:
            await self._clock.sleep(LOOK)
            facts = await self.read(names)
        return facts

    async def _keep_connection(self, over: tuple[Reach, ...]) -> None:
        """Raises ActionFailed if this connection uses one of these networks."""
        reach = await self._driver.reach()
        if reach in over:
            raise ActionFailed(
                f"The connection to the phone uses {reach.value}: turning it off would end it."
                " Connect it by cable first."
            )

    # Original values

    async def remember(self, name: str, value: str) -> None:
        """Raises ActionFailed if the value cannot be stored: it could not be restored later."""
        try:
            self.originals.remember(await self.key(), self._address, name, value)
        except NotKept as problem:
            raise ActionFailed(
                f"The phone's current value cannot be stored for restoring it later: {problem}."
                " Nothing was done."
            ) from problem
        await self._note(name, self.originals.of(await self.key()).get(name, value))

    async def _note(self, name: str, value: str) -> None:
        """Store the value on the phone, too, for its next user if this process is killed."""
        key = await self.key()
        if (key, name) in self.originals.noted:
            return
        answer = await self._driver.change_device(f"{left_file.note(name, value)}; {READ}", ())
        for left in read_left(answer.said):
            if left.name == name and left.run != RUN:
                # A killed process changed the setting first, and nobody has restored it yet.
                self._keep(key, name, left.value)
                taken = f"{left_file.drop(name)}; {left_file.note(name, left.value)}"
                await self._driver.change_device(taken, ())
        self.originals.noted.add((key, name))

    def _keep(self, key: str, name: str, value: str) -> None:
        """Store this value, replacing any earlier one. Raises ActionFailed."""
        try:
            self.originals.forget(key, name)
            self.originals.remember(key, self._address, name, value)
        except NotKept as problem:
            raise ActionFailed(
                f"The phone's original value cannot be stored: {problem}. Nothing was done."
            ) from problem

    async def _forget_if_original(self, name: str, value: str) -> None:
        """Forget the original value if the phone has it again."""
        # Identifying the phone takes a query; it is not needed if no values are stored.
        known = self._key or self.originals.all()
        kept = self.originals.of(await self.key()).get(name) if known else None
        settable = SETTABLE.get(name)
        if kept is not None and (kept == value if settable is None else settable.same(kept, value)):
            await self.forget(name)

    async def forget(self, name: str) -> None:
        try:
            self.originals.forget(await self.key(), name)
        except NotKept as problem:
            raise ActionFailed(
                f"The phone has its original value again, but that could not be noted: {problem}."
            ) from problem
        noted = (await self.key(), name)
        if noted in self.originals.noted:
            await self._driver.change_device(left_file.drop(name), ())
            self.originals.noted.discard(noted)

    async def leave(self) -> None:
        """End normally: changes stay, and only this computer keeps their original values."""
        mine = {noted for noted in self.originals.noted if noted[0] == self._key}
        if mine:
            await self._driver.change_device(left_file.drop_run(), ())
            self.originals.noted -= mine

    # The screen

    async def switch_screen(self, on: bool) -> list[str]:
        names = ("awake", "locked")
        facts = await self._driver.read_device(names)
        before = read_awake(facts["awake"])
        said = ""
        if before is not on:
            line = setting_commands.switch_screen(on)
            answer = await self._driver.change_device(line, names)
            facts, said = answer.facts, answer.said
            end = self._clock.now() + PATIENCE
            while read_awake(facts["awake"]) is not on and self._clock.now() < end:
                await self._clock.sleep(LOOK)
                facts = await self._driver.read_device(names)
        after = read_awake(facts["awake"])
        if after is not on:
            if after is None:
                raise ActionFailed("The phone does not report whether its screen is on.")
            raise ActionFailed(_with_said(f"The phone kept its screen {_on(after)}", said, ""))
        locked = ["The phone is locked."] if on and read_locked(facts["locked"]) else []
        if before is on:
            return [f"Screen: already {_on(on)}", *locked]
        return [f"Screen: {_on(not on)} -> {_on(on)}", *locked]


def _on(on: bool) -> str:
    return "on" if on else "off"


def _has(settable: Settable, value: str, facts: Facts) -> bool:
    has = settable.read(facts)
    return has is not None and settable.same(value, has)


def _unknown(settable: Settable) -> ActionFailed:
    return ActionFailed(
        f"The phone does not report its {_lower(settable.label)}. Nothing was done."
    )


def _lower(label: str) -> str:
    return label if label[1:2].isupper() or "-" in label else label[0].lower() + label[1:]


def _kept(settable: Settable, shown: str, said: str) -> str:
    at = "at " if shown[:1].isdigit() else ""
    return _with_said(
        f"The phone kept {_lower(settable.label)} {at}{shown}", said, settable.why_kept
    )


def _with_said(sentence: str, said: str, why: str) -> str:
    if any(sign in said for sign in _NO_COMMANDS):
        return f"{sentence}: its Android has no command for it."
    if any(sign in said for sign in _REFUSALS):
        return f"{sentence}. Android said: {first_line(said)}."
    return f"{sentence}: {why}." if why else f"{sentence}."


def _is_wide(facts: Mapping[str, Any]) -> bool | None:
    size = read_current_size(facts["current"])
    return None if size is None else size[0] > size[1]
