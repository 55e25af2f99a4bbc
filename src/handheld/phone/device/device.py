"""The device for tools: its properties, settings, languages and location, and restoring changes."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...driver.by_adb.left_file import READ, RUN, Left, read_left
from ...driver.by_shell import setting_commands
from ...driver.by_shell.probes import (
    APP_LANGUAGE,
    STREAMS,
    first,
    read_app_languages,
    read_battery,
    read_brightness,
    read_dumped_volumes,
    read_font_scale,
    read_mobile_data,
    read_night,
    read_rotation,
    read_switch,
    read_volume,
)
from ...driver.by_shell.unsupported import NeedsHelper
from ...driver.device import Fix, Whereabouts
from ...driver.reading.dumpsys import (
    read_awake,
    read_current_size,
    read_density,
    read_locked,
    read_size,
)
from ...errors import ActionFailed, InvalidParams, TimedOut, ToolError
from ...screen.characters import plain
from ...screen.text import brief, cut
from ..apps.package_names import check_package
from .device_settings import DeviceSettings
from .language_tags import is_same_language, normalise_tag
from .settable import (
    LANGUAGE,
    OF_APP,
    PLACE,
    SETTABLE,
    encode_rotation,
    label_of,
    percent,
    read_api,
    rotation_names,
)

FIX_MS = 10_000
"""The time to wait for a fresh fix."""
_REAL = "real"
_FOLLOWS = "as the system"
_NEAR = 0.0005
_NO_BACKGROUND = 29
"""The API level whose shell may not access the location from the background."""
"""The maximum difference, in degrees, of a location from the one that was set."""
_ABOUT = (
    *("api", "android", "patch", "manufacturer", "model", "hardware", "locale", "timezone", "size"),
    *("density", "current", "awake", "locked", "battery", "wifi", "airplane_mode", "bluetooth"),
    *("mobile_data", "rotation", "dark_mode", "brightness", "font_scale", "location_mode"),
    *("audio", *(f"level.{stream}" for stream in STREAMS)),
)
_VIRTUAL = ("Handheld", "virtual")
"""The virtual phone's manufacturer and hardware."""


class Device(DeviceSettings):
    # What it is

    async def info(self) -> dict[str, Any]:
        """Return the phone's properties; None for unknown ones."""
        facts = await self._driver.read_device(_ABOUT)

        def text(name: str) -> str | None:
            return cut(plain(first(facts[name])), 100) or None

        current = read_current_size(facts["current"]) or read_size(facts["size"])
        rotation, brightness = (
            read_rotation(facts["rotation"]),
            read_brightness(facts["brightness"]),
        )
        night = read_night(facts["dark_mode"])
        battery = read_battery(facts["battery"])
        names = rotation_names(facts)
        volumes = {stream: read_volume(facts[f"level.{stream}"]) for stream in STREAMS}
        volumes |= read_dumped_volumes(facts["audio"])
        mode = first(facts["location_mode"])
        return {
            "manufacturer": text("manufacturer"),
            "model": text("model"),
            "android": text("android"),
            "api": read_api(facts) or None,
            "security_patch": text("patch"),
            "language": text("locale") or cut(plain(facts["locale"].strip()), 100) or None,
            "timezone": text("timezone"),
            "screen": {
                "width": current and current[0],
                "height": current and current[1],
                "density": read_density(facts["density"]),
                "on": read_awake(facts["awake"]),
                "locked": read_locked(facts["locked"]),
                "rotation": rotation
                and ("auto" if rotation.automatic else names[int(encode_rotation(rotation))]),
                "brightness_percent": brightness and percent(brightness.level),
                "brightness_auto": brightness and brightness.automatic,
                "dark": {"yes": True, "no": False}.get(night or "", night),
                "font_scale": read_font_scale(facts["font_scale"]),
            },
            "battery": battery._asdict(),
            "network": {
                "wifi": read_switch(facts["wifi"]),
                "mobile_data": read_mobile_data(facts["mobile_data"]),
                "airplane": read_switch(facts["airplane_mode"]),
                "bluetooth": read_switch(facts["bluetooth"]),
            },
            "volume": {
                stream: {"level": volume.level, "max": volume.most}
                for stream, volume in volumes.items()
                if volume is not None
            }
            or None,
            "location_on": mode != "0" if mode.isdecimal() else None,
            "changed": sorted(await self.changed()),
            "simulated": (first(facts["manufacturer"]), first(facts["hardware"])) == _VIRTUAL,
        }

    async def changed(self) -> Mapping[str, str]:
        """The settings that Handheld has changed, with their first values."""
        return self.originals.of(await self.key()) if self.originals.all() else {}

    # Languages

    async def change_language(self, tag: str, package: str | None) -> list[str]:
        """Raises InvalidParams, ActionFailed."""
        wanted = normalise_tag(tag)
        if not wanted:
            raise InvalidParams(f"'{brief(tag)}' is not a language tag.")
        if package is not None:
            return await self._change_of_app(package, wanted)
        before = await self._driver.languages()
        if before and is_same_language(wanted, before[0]):
            return [f"Language: already {_tag(before)}"]
        await self.remember(LANGUAGE, ",".join(before))
        rest = [each for each in before if not is_same_language(wanted, each)]
        return [await self._set_languages([wanted, *rest], before)]

    async def _set_languages(self, wanted: list[str], before: list[str]) -> str:
        try:
            after = await self._driver.set_languages(wanted)
        except NeedsHelper:
            await self._forget_if_original(LANGUAGE, ",".join(before))
            raise
        await self._forget_if_original(LANGUAGE, ",".join(after))
        if not after or not is_same_language(wanted[0], after[0]):
            raise ActionFailed(
                f"The phone kept its language {_tag(after)}: a device policy may forbid it."
            )
        return f"Language: {_tag(before)} -> {_tag(after)}"

    async def _change_of_app(self, package: str, tag: str) -> list[str]:
        """An empty tag selects the system's language."""
        check_package(package)
        fact = APP_LANGUAGE + package
        facts = await self._driver.read_device(("api", fact))
        api = read_api(facts)
        if 0 < api < setting_commands.APP_LANGUAGES_SINCE:
            raise ActionFailed(
                "Apps can have their own language since Android 13; this phone has API level"
                f" {api}. Nothing was done."
            )
        before = read_app_languages(facts[fact])
        if before is None:
            said = first(facts[fact])
            why = f"Android said: {cut(plain(said), 200)}."
            if said.startswith("Unknown package"):
                why = "it is not installed. list_apps names those that are."
            raise ActionFailed(f"The language of {package} cannot be set: {why} Nothing was done.")
        label, name = f"Language of {package}", OF_APP + package
        if before[:1] == [tag] or not (before or tag):
            return [f"{label}: already {_tag(before)}"]
        await self.remember(name, ",".join(before))
        line = setting_commands.set_app_language(package, tag)
        answer = await self._driver.change_device(line, (fact,))
        after = read_app_languages(answer.facts[fact])
        if after is not None:
            await self._forget_if_original(name, ",".join(after))
        if after is None or ((after or [""])[0] != tag and not _same_first(tag, after)):
            raise ActionFailed(
                f"The phone kept the language of {package} {_tag(after or [])}: a device policy may"
                " forbid it."
            )
        return [f"{label}: {_tag(before)} -> {_tag(after)}"]

    # Where it is

    async def locate(self, fresh: bool) -> Fix:
        """Raises ActionFailed, TimedOut."""
        found = await self._driver.whereabouts(FIX_MS if fresh else 0)
        if not found.enabled:
            raise ActionFailed(
                "The location is switched off on this phone. Its owner can switch it on in the"
                " settings."
            )
        if found.fix is not None:
            return found.fix
        if fresh and read_api(await self._driver.read_device(("api",))) == _NO_BACKGROUND:
            raise ActionFailed(
                "Android 10 finds no fresh location for programs over adb: they lack its permission"
                " for the background. fresh_fix=false returns the last known one."
            )
        if fresh:
            raise TimedOut(f"Timed out waiting for fresh GPS fix ({FIX_MS}ms)")
        raise ActionFailed("No last known location available. Try with fresh_fix=true.")

    async def change_place(self, place: tuple[float, float] | None) -> list[str]:
        """Mock the location; None restores the real one. Raises ActionFailed."""
        found = await self._driver.whereabouts(0)
        before = _shown_place(found)
        if place is None and before == _REAL and PLACE not in await self.changed():
            return ["Location: already real"]
        if place is not None:
            await self.remember(PLACE, _REAL)
        await self._driver.pretend_place(place)
        found = await self._driver.whereabouts(0)
        if place is None:
            if found.fix is not None and found.fix.mock:
                raise ActionFailed("The phone kept the mock location: another app may set it.")
            await self.forget(PLACE)
            return [f"Location: {before} -> real"]
        if not _is_there(found, place):
            await self._driver.pretend_place(None)  # a part of the change may have been done
            await self.forget(PLACE)
            raise ActionFailed("The phone kept its own location: a device policy may forbid it.")
        off = [] if found.enabled else ["Location is switched off: apps do not get any."]
        return [f"Location: {before} -> {_shown_place(found)}", *off]

    # Putting back

    async def put_back_left(self, left: Sequence[Left]) -> list[str]:
        """Restore the settings that killed processes had changed; return a sentence for each."""
        key = await self.key()
        # The first value of each counts; changes by this process since then are its own.
        found = {
            each.name: each.value
            for each in reversed(left)
            if (key, each.name) not in self.originals.noted
        }
        for name, value in found.items():
            self._keep(key, name, value)
            self.originals.noted.add((key, name))
        return await self._put_all_back(found)

    async def restore(self) -> list[str]:
        """Restore all changed settings; return a sentence for each, including failures. Raises
        ToolError if the phone does not answer."""
        noted = (await self._driver.change_device(READ, ())).said
        done = await self.put_back_left([each for each in read_left(noted) if each.run != RUN])
        return done + await self._put_all_back(dict(self.originals.of(await self.key())))

    async def _put_all_back(self, kept: Mapping[str, str]) -> list[str]:
        done: list[str] = []
        for name in sorted(kept, key=_order):
            value = kept[name]
            try:
                done += await self._put_back(name, value)
            except ToolError as failure:
                done.append(failure.message)
            except ValueError:
                # A file that was edited by hand may contain such a value.
                done.append(
                    f"{label_of(name)} stays: {cut(plain(value), 60)} is not a valid value."
                )
        return done

    async def _put_back(self, name: str, value: str) -> list[str]:
        if name == PLACE:
            return await self.change_place(None)
        if name == LANGUAGE:
            before, wanted = await self._driver.languages(), value.split(",")
            if before == wanted:
                await self.forget(LANGUAGE)
                return [f"Language: already {_tag(before)}"]
            sentence = await self._set_languages(wanted, before)
            await self.forget(LANGUAGE)
            return [sentence]
        if name.startswith(OF_APP):
            package = name.removeprefix(OF_APP)
            done = await self._change_of_app(package, value)
            await self.forget(name)
            return done
        if name not in SETTABLE:
            # Another version of Handheld stored it.
            raise ActionFailed(f"{cut(plain(name), 60)} is unknown: it stays as it is.")
        done = await self.change({name: value})
        await self.forget(name)
        return done


def _order(name: str) -> int:
    names = [*SETTABLE]
    return names.index(name) if name in names else len(names)


def _tag(tags: list[str]) -> str:
    return cut(plain(tags[0]), 60) if tags else _FOLLOWS


def _same_first(tag: str, tags: list[str]) -> bool:
    return bool(tag and tags) and is_same_language(tag, tags[0])


def _shown_place(found: Whereabouts) -> str:
    fix = found.fix
    return f"{fix.latitude:g}, {fix.longitude:g}" if fix is not None and fix.mock else _REAL


def _is_there(found: Whereabouts, place: tuple[float, float]) -> bool:
    fix = found.fix
    if fix is None:
        return False
    return abs(fix.latitude - place[0]) < _NEAR and abs(fix.longitude - place[1]) < _NEAR
