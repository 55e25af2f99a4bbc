"""The tools for the settings of a phone, on Androids old and new, with the helper and by adb."""

import json
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from handheld.adb.link import Link
from handheld.calls.local import Caller, LocalSurface
from handheld.calls.options import SurfaceOptions
from handheld.driver.by_shell.unsupported import Unsupported, refusal
from handheld.driver.device import Reach
from handheld.driver.fallback import FallbackDriver
from handheld.errors import ActionFailed, InvalidParams, TimedOut, ToolError
from handheld.helper.client import NO_HELPER, HelperClient
from handheld.phone.device.settings_backup import SettingsBackup
from handheld.phone.phone import Phone
from handheld.tools.main import CATALOG, EXTRA
from handheld_virtual.apps.form import ContactForm
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.process import Process
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.system.volumes import find_stream
from handheld_virtual.world import World
from harness.one_phone import ALL_ON, OnePhone
from harness.phones import PhoneClock, WatchedLink, reached

from .conftest import LONGEST_SHELL_PAUSE_MS, pass_time

LEVELS = [26, 28, 29, 30, 33, 34, 36]
FEW = [26, 30, 36]
"""Those of `make test`; the others run in `make test WHAT=all`."""
EACH = [
    pytest.param(level, marks=() if level in FEW else (pytest.mark.matrix,)) for level in LEVELS
]
WAYS = ["helper", "shell"]
REACHED = (
    "The connection to the phone uses Wi-Fi: turning it off would end it. Connect it by cable"
    " first."
)


class Shelf:
    """A phone with the tools of every toolset."""

    def __init__(self, device: VirtualPhone, phone: Phone) -> None:
        self.device, self.phone = device, phone
        self._surface = LocalSurface(
            (*CATALOG, *EXTRA), OnePhone(phone), SurfaceOptions(policy=ALL_ON)
        )

    @property
    def world(self) -> World:
        return self.device.world

    @property
    def kept(self) -> dict[str, str]:
        """What the phone had first, of what was changed."""
        return {
            name: value
            for kept in self.phone.device.originals.all()
            for name, value in kept.values.items()
        }

    async def passing(self, awaitable: Awaitable[Any]) -> Any:
        async def wait() -> Any:
            return await awaitable

        assert isinstance(self.device.clock, ManualClock)
        return await pass_time(self.device.clock, wait(), LONGEST_SHELL_PAUSE_MS)

    async def call(self, name: str, **arguments: Any) -> str:
        items = await self.passing(self._surface.call(f"android_{name}", arguments, Caller("test")))
        return "\n".join(items)

    async def failure(self, name: str, **arguments: Any) -> ToolError:
        with pytest.raises(ToolError) as caught:
            await self.call(name, **arguments)
        return caught.value

    async def info(self) -> dict[str, Any]:
        return json.loads(await self.call("get_device_info"))


@asynccontextmanager
async def open_shelf(
    api: int = 34,
    by: str = "helper",
    serial: str = "",
    originals: SettingsBackup | None = None,
    **options: Any,
) -> AsyncGenerator[Shelf]:
    def make(link: Link) -> Phone:
        if serial and isinstance(link, WatchedLink):
            link.serial = serial  # as adb would call it
        driver = FallbackDriver(HelperClient(link))
        return Phone(link.serial, driver, clock=PhoneClock(device), originals=originals)

    device = VirtualPhone(clock=ManualClock(), api=api, **options)
    async with reached(device, by, make=make) as used:
        yield Shelf(device, used.phone)


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("api", EACH)
async def test_radios_are_switched_and_read_back(api: int, by: str) -> None:
    async with open_shelf(api, by) as shelf:
        switches, preferences = shelf.world.switches, shelf.world.preferences
        assert await shelf.call("set_network", wifi=False) == "Wi-Fi: on -> off"
        assert not switches["wifi"]
        assert await shelf.call("set_network", wifi=False) == "Wi-Fi: already off"
        both = await shelf.call("set_network", bluetooth=True, mobile_data=False)
        assert both == "Mobile data: on -> off\nBluetooth: off -> on"
        assert (switches["bluetooth"], preferences.is_on("global", "mobile_data")) == (True, False)
        if api < 28:
            failure = await shelf.failure("set_network", airplane=True)
            assert failure.message == "Airplane mode cannot be set over adb before Android 9."
        else:
            assert await shelf.call("set_network", airplane=True) == "Airplane mode: off -> on"
            assert switches["airplane"]


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("api", EACH)
async def test_appearance_is_set_and_read_back(api: int, by: str) -> None:
    async with open_shelf(api, by) as shelf:
        world = shelf.world
        reply = await shelf.call("set_appearance", dark=True, brightness=80, font_scale=1.3)
        ignored = ". Before Android 10 most apps ignore it." if api < 29 else ""
        assert reply == (
            f"Dark mode: off -> on{ignored}\nBrightness: 40% -> 80%\nFont scale: 1 -> 1.3"
        )
        assert (world.display.night, world.display.font_scale) == (True, 1.3)
        assert abs(world.display.brightness - 204) <= 2
        assert shelf.kept == {"dark_mode": "no", "brightness": "102", "font_scale": "1"}


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("api", EACH)
async def test_rotation_is_fixed_and_follows_again(api: int, by: str) -> None:
    async with open_shelf(api, by) as shelf:
        assert await shelf.call("set_rotation", rotation="landscape") == (
            "Rotation: auto -> landscape"
        )
        assert shelf.world.rotation == 1
        assert (await shelf.info())["screen"]["rotation"] == "landscape"
        assert await shelf.call("set_rotation", rotation="reverse_portrait") == (
            "Rotation: landscape -> reverse portrait"
        )
        assert shelf.world.rotation == 2
        assert shelf.kept == {"rotation": "auto"}
        assert await shelf.call("set_rotation", rotation="auto") == (
            "Rotation: reverse portrait -> auto"
        )
        assert shelf.kept == {}


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("api", EACH)
async def test_volume_is_set_within_its_range(api: int, by: str) -> None:
    async with open_shelf(api, by) as shelf:
        music = find_stream(3)
        assert music is not None
        assert await shelf.call("set_volume", stream="music", level=9) == (
            "Music volume: 5 of 15 -> 9 of 15"
        )
        assert shelf.world.volumes[music] == 9
        failure = await shelf.failure("set_volume", stream="music", level=40)
        assert type(failure) is InvalidParams
        assert failure.message == "level must be between 0 and 15 for music, got: 40"
        failure = await shelf.failure("set_volume", stream="alarm", level=0)
        assert failure.message == "level must be between 1 and 7 for alarm, got: 0"


@pytest.mark.parametrize("api", EACH)
async def test_language_of_the_system_is_set_by_the_helper(api: int) -> None:
    async with open_shelf(api) as shelf:
        assert await shelf.call("set_language", locale="de") == "Language: en-US -> de"
        assert shelf.world.languages.system == ["de", "en-US"]
        assert await shelf.call("set_language", locale="de") == "Language: already de"
        failure = await shelf.failure("set_language", locale="xx-ZZ")
        assert (type(failure), failure.message) == (
            InvalidParams,
            "'xx-ZZ' is not a language tag.",
        )
        assert (await shelf.info())["language"] == "de"


async def test_language_of_the_system_needs_the_helper() -> None:
    async with open_shelf(by="shell") as shelf:
        failure = await shelf.failure("set_language", locale="de")
        assert failure.message == refusal(Unsupported.LANGUAGE, NO_HELPER)
        assert (shelf.kept, shelf.world.languages.system) == ({}, ["en-US"])


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("api", EACH)
async def test_an_app_gets_a_language_of_its_own_since_android_13(api: int, by: str) -> None:
    app = "com.android.calculator2"
    async with open_shelf(api, by) as shelf:
        if api < 33:
            failure = await shelf.failure("set_language", locale="fr", package_id=app)
            assert failure.message == (
                "Apps can have their own language since Android 13; this phone has API level "
                f"{api}."
                " Nothing was done."
            )
            return
        reply = await shelf.call("set_language", locale="fr_ca", package_id=app)
        assert reply == f"Language of {app}: as the system -> fr-CA"
        assert shelf.world.languages.of_apps == {app: ["fr-CA"]}
        failure = await shelf.failure("set_language", locale="fr", package_id="org.example.none")
        assert failure.message == (
            "The language of org.example.none cannot be set: it is not installed. list_apps names"
            " those that are. Nothing was done."
        )
        failure = await shelf.failure("set_language", locale="fr", package_id="a b;c")
        assert failure.message == (
            "Parameter 'package_id' must be a package such as com.example.app, got: 'a b;c'"
        )


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("api", EACH)
async def test_a_place_is_pretended_and_given_up(api: int, by: str) -> None:
    async with open_shelf(api, by) as shelf:
        where = shelf.world.whereabouts
        where.put(47.5, 19.05)
        if by == "shell" and api < 31:
            failure = await shelf.failure("set_location", latitude=48.1, longitude=-11.6)
            assert failure.message == refusal(Unsupported.PLACE, NO_HELPER)
            return
        reply = await shelf.call("set_location", latitude=48.1, longitude=-11.6)
        assert reply == "Location: real -> 48.1, -11.6"
        assert where.last is not None
        assert (where.last.latitude, where.last.longitude, where.last.mock) == (48.1, -11.6, True)
        assert shelf.kept == {"location": "real"}
        found = json.loads(await shelf.call("get_location"))
        assert (found["latitude"], found["longitude"], found["pretended"]) == (48.1, -11.6, True)
        assert await shelf.call("set_location") == "Location: 48.1, -11.6 -> real"
        assert (where.tests, where.mock_allowed, shelf.kept) == ({}, False, {})


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("api", EACH)
async def test_the_last_known_place_is_told(api: int, by: str) -> None:
    async with open_shelf(api, by) as shelf:
        failure = await shelf.failure("get_location")
        assert failure.message == "No last known location available. Try with fresh_fix=true."
        shelf.world.whereabouts.put(-33.8688, 151.2093, 20)
        found = json.loads(await shelf.call("get_location"))
        assert (found["latitude"], found["longitude"]) == (-33.8688, 151.2093)
        assert (found["accuracy_meters"], found["street"]) == (20, None)
        assert (found["provider"], found["pretended"]) == ("gps", False)
        shelf.world.preferences.put("secure", "location_mode", "0")
        failure = await shelf.failure("get_location")
        assert failure.message == (
            "The location is switched off on this phone. Its owner can switch it on in the"
            " settings."
        )


async def test_a_fresh_fix_is_awaited_and_may_not_come() -> None:
    async with open_shelf() as shelf:
        where = shelf.world.whereabouts
        where.put(47.5, 19.05)
        found = json.loads(await shelf.call("get_location", fresh_fix=True))
        assert (found["latitude"], found["age_seconds"]) == (47.5, 0)
        where.fix_ms = None
        failure = await shelf.failure("get_location", fresh_fix=True)
        assert type(failure) is TimedOut
        assert failure.message == "Timed out waiting for fresh GPS fix (10000ms)"
        where.refused = True
        failure = await shelf.failure("get_location")
        assert failure.message == "Android does not tell the shell where the phone is."


async def test_android_10_finds_no_fresh_place_for_a_program_without_a_window() -> None:
    async with open_shelf(29) as shelf:
        shelf.world.whereabouts.put(47.5, 19.05)
        failure = await shelf.failure("get_location", fresh_fix=True)
        assert failure.message == (
            "Android 10 finds no fresh location for programs over adb: they lack its permission for"
            " the background. fresh_fix=false returns the last known one."
        )
        assert json.loads(await shelf.call("get_location"))["latitude"] == 47.5


async def test_a_fresh_fix_needs_the_helper() -> None:
    async with open_shelf(by="shell") as shelf:
        failure = await shelf.failure("get_location", fresh_fix=True)
        assert failure.message == refusal(Unsupported.FIX, NO_HELPER)


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("api", EACH)
async def test_the_screen_is_switched(api: int, by: str) -> None:
    async with open_shelf(api, by) as shelf:
        assert await shelf.call("set_screen", on=True) == "Screen: already on"
        assert await shelf.call("set_screen", on=False) == "Screen: on -> off"
        assert not shelf.world.awake
        shelf.world.keyguard.lock()
        assert await shelf.call("set_screen", on=True) == "Screen: off -> on\nThe phone is locked."
        assert shelf.world.awake


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("api", EACH)
async def test_the_keyboard_is_closed_only_if_it_is_open(api: int, by: str) -> None:
    async with open_shelf(api, by) as shelf:
        world = shelf.world
        world.show("dev.handheld.form")
        form = world.front
        assert isinstance(form, ContactForm)
        assert await shelf.call("dismiss_keyboard") == "No keyboard was open"
        assert world.front is form
        form.fields["name"].click()
        assert world.input_method.window is not None
        assert await shelf.call("dismiss_keyboard") == "Keyboard dismissed"
        assert (world.input_method.window, world.front is form) == (None, True)


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("api", EACH)
async def test_the_device_tells_about_itself(api: int, by: str) -> None:
    async with open_shelf(api, by) as shelf:
        info = await shelf.info()
        assert (info["manufacturer"], info["model"], info["api"]) == (
            "Handheld",
            "Handheld Virtual",
            api,
        )
        assert info["screen"] == {
            "width": 1080,
            "height": 2400,
            "density": 420,
            "on": True,
            "locked": False,
            "rotation": "auto",
            "brightness_percent": 40,
            "brightness_auto": False,
            "dark": False,
            "font_scale": 1.0,
        }
        assert info["battery"] == {
            "level": 86,
            "status": "charging",
            "plugged": "usb",
            "celsius": 25.0,
        }
        assert info["network"] == {
            "wifi": True,
            "mobile_data": True,
            "airplane": False,
            "bluetooth": False,
        }
        assert info["volume"] == {
            "call": {"level": 4, "max": 5},
            "system": {"level": 5, "max": 7},
            "ring": {"level": 5, "max": 7},
            "music": {"level": 5, "max": 15},
            "alarm": {"level": 6, "max": 7},
            "notification": {"level": 5, "max": 7},
        }
        assert (info["language"], info["timezone"]) == ("en-US", "GMT")
        assert (info["simulated"], info["changed"], info["location_on"]) == (True, [], True)


# What the phone does not take


@pytest.mark.slow
@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("api", EACH)
async def test_a_radio_that_a_policy_keeps_is_told_as_it_is(api: int, by: str) -> None:
    async with open_shelf(api, by) as shelf:
        shelf.world.switches.forbidden |= {"wifi", "bluetooth", "mobile_data"}
        for name, kept in (
            ("wifi", "Wi-Fi on: a device policy may forbid it."),
            (
                "mobile_data",
                "mobile data on: it may have no SIM card, or a device policy may forbid it.",
            ),
        ):
            failure = await shelf.failure("set_network", **{name: False})
            assert (type(failure), failure.message) == (ActionFailed, f"The phone kept {kept}")
        failure = await shelf.failure("set_network", bluetooth=True)
        assert failure.message == "The phone kept bluetooth off: a device policy may forbid it."
        assert shelf.kept == {}


async def test_what_was_done_before_a_refusal_is_told_with_it() -> None:
    async with open_shelf() as shelf:
        shelf.world.switches.forbidden.add("bluetooth")
        failure = await shelf.failure("set_network", wifi=False, bluetooth=True)
        assert failure.message.startswith("The phone kept bluetooth off")
        assert failure.details == ("Wi-Fi: on -> off",)
        assert shelf.kept == {"wifi": "on"}


async def test_androids_own_refusal_is_passed_on() -> None:
    async with open_shelf() as shelf:

        async def refuse(process: Process) -> int:
            await process.stderr.write(b"java.lang.SecurityException: not today\n")
            return 0

        cmd = shelf.device.programs["cmd"]

        async def run(process: Process) -> int:
            refused = process.arguments[1:2] == ["wifi"]
            return await (refuse(process) if refused else cmd(process))

        shelf.device.programs["cmd"] = run
        failure = await shelf.failure("set_network", wifi=False)
        assert failure.message == (
            "The phone kept Wi-Fi on. Android said: java.lang.SecurityException: not today."
        )


async def test_a_service_without_commands_is_not_believed_in_spite_of_its_exit_code() -> None:
    async with open_shelf() as shelf:
        cmd = shelf.device.programs["cmd"]

        async def run(process: Process) -> int:
            if process.arguments[1:2] != ["wifi"]:
                return await cmd(process)
            await process.stderr.write(b"No shell command implementation.\n")
            return 0

        shelf.device.programs["cmd"] = run
        failure = await shelf.failure("set_network", wifi=False)
        assert failure.message == "The phone kept Wi-Fi on: its Android has no command for it."


async def test_a_volume_that_cmd_audio_ignores_is_set_by_the_media_session() -> None:
    async with open_shelf(36) as shelf:
        cmd = shelf.device.programs["cmd"]

        async def run(process: Process) -> int:
            ignored = process.arguments[1:3] == ["audio", "set-volume"]
            return 0 if ignored else await cmd(process)

        shelf.device.programs["cmd"] = run
        assert await shelf.call("set_volume", stream="ring", level=2) == (
            "Ring volume: 5 of 7 -> 2 of 7"
        )
        shelf.world.volumes.fixed.add(2)
        failure = await shelf.failure("set_volume", stream="ring", level=7)
        assert failure.message == (
            "The phone kept ring volume at 2 of 7: do not disturb is on, or a device policy may"
            " forbid it."
        )


async def test_a_language_that_a_policy_keeps_is_told_as_it_is() -> None:
    async with open_shelf() as shelf:
        shelf.world.languages.fixed = True
        failure = await shelf.failure("set_language", locale="hu")
        assert failure.message == (
            "The phone kept its language en-US: a device policy may forbid it."
        )
        assert shelf.kept == {}


async def test_a_screen_that_does_not_switch_on_is_told() -> None:
    async with open_shelf() as shelf:
        shelf.world.awake = False
        shelf.world.input_refused = True
        failure = await shelf.failure("set_screen", on=True)
        assert failure.message.startswith("The phone kept its screen off. Android said: ")


async def test_a_place_that_the_phone_does_not_take_is_given_up() -> None:
    async with open_shelf(by="shell") as shelf:
        shelf.world.whereabouts.put(47.5, 19.05)
        ignore(shelf, "set-test-provider-location")
        failure = await shelf.failure("set_location", latitude=1, longitude=2)
        assert failure.message == (
            "The phone kept its own location: a device policy may forbid it."
        )
        assert (shelf.world.whereabouts.tests, shelf.kept) == ({}, {})


async def test_a_pretended_place_that_stays_is_told_and_stays_noted() -> None:
    async with open_shelf(by="shell") as shelf:
        await shelf.call("set_location", latitude=1, longitude=2)
        ignore(shelf, "remove-test-provider")
        failure = await shelf.failure("set_location")
        assert failure.message == ("The phone kept the mock location: another app may set it.")
        assert shelf.kept == {"location": "real"}


async def test_a_place_is_pretended_also_while_apps_are_told_none() -> None:
    async with open_shelf() as shelf:
        shelf.world.preferences.put("secure", "location_mode", "0")
        assert await shelf.call("set_location", latitude=1, longitude=2) == (
            "Location: real -> 1, 2\nLocation is switched off: apps do not get any."
        )


async def test_a_phone_that_tells_no_more_after_a_change_is_told() -> None:
    async with open_shelf() as shelf:
        settings = shelf.device.programs["settings"]

        async def run(process: Process) -> int:
            told = shelf.world.switches["wifi"] or "wifi_on" not in process.arguments
            return await settings(process) if told else 0

        shelf.device.programs["settings"] = run
        failure = await shelf.failure("set_network", wifi=False)
        assert failure.message == (
            "Wi-Fi was changed, but the phone does not report its new value."
        )
        assert shelf.kept == {"wifi": "on"}


async def test_a_phone_that_does_not_tell_of_its_screen_is_told() -> None:
    async with open_shelf() as shelf:
        dumpsys = shelf.device.programs["dumpsys"]

        async def run(process: Process) -> int:
            return 0 if "power" in process.arguments else await dumpsys(process)

        shelf.device.programs["dumpsys"] = run
        failure = await shelf.failure("set_screen", on=False)
        assert failure.message == "The phone does not report whether its screen is on."


def ignore(shelf: Shelf, verb: str) -> None:
    """Let `cmd` do nothing where it is told this, and succeed."""
    cmd = shelf.device.programs["cmd"]

    async def run(process: Process) -> int:
        return 0 if verb in process.arguments else await cmd(process)

    shelf.device.programs["cmd"] = run


async def test_a_phone_that_does_not_tell_is_not_changed() -> None:
    async with open_shelf() as shelf:
        shelf.world.preferences.delete("global", "wifi_on")
        failure = await shelf.failure("set_network", wifi=False)
        assert failure.message == ("The phone does not report its Wi-Fi. Nothing was done.")


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("set_network", {}, "Give at least one of: wifi, mobile_data, airplane, bluetooth"),
        ("set_appearance", {}, "Give at least one of: dark, brightness, font_scale"),
        (
            "set_appearance",
            {"brightness": 101},
            "Parameter 'brightness' must be between 0 and 100, got: 101",
        ),
        ("set_location", {"latitude": 1}, "Give both latitude and longitude, or neither"),
        ("set_language", {"locale": "d e"}, "'d e' is not a language tag."),
    ],
)
async def test_arguments_that_mean_nothing_are_refused(
    tool: str, arguments: dict[str, Any], message: str
) -> None:
    async with open_shelf() as shelf:
        failure = await shelf.failure(tool, **arguments)
        assert (type(failure), failure.message) == (InvalidParams, message)


# The branch that we sit on


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize(
    "serial", ["192.168.232.2:5555", "adb-R58M-x1._adb-tls-connect._tcp", "127.0.0.1:5555"]
)
async def test_wifi_stays_on_while_the_phone_is_reached_over_it(by: str, serial: str) -> None:
    async with open_shelf(by=by, serial=serial) as shelf:
        shelf.device.adb_over = "wlan0"
        for arguments in ({"wifi": False}, {"airplane": True}):
            failure = await shelf.failure("set_network", **arguments)
            assert (type(failure), failure.message) == (ActionFailed, REACHED)
        assert (shelf.world.switches["wifi"], shelf.world.switches["airplane"]) == (True, False)
        assert shelf.kept == {}
        assert await shelf.call("set_network", bluetooth=True) == "Bluetooth: off -> on"


@pytest.mark.parametrize("serial", ["R58M123ABC", "emulator-5554", ""])
async def test_wifi_is_switched_off_where_the_connection_does_not_need_it(serial: str) -> None:
    async with open_shelf(serial=serial) as shelf:
        assert await shelf.call("set_network", wifi=False) == "Wi-Fi: on -> off"
        assert await shelf.call("set_network", airplane=True) == "Airplane mode: off -> on"


async def test_an_emulator_over_its_ethernet_may_lose_wifi() -> None:
    async with open_shelf(serial="10.0.2.15:5555") as shelf:
        shelf.device.adb_over = "eth0"
        assert await shelf.call("set_network", wifi=False) == "Wi-Fi: on -> off"


# Putting back


@pytest.mark.slow
@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("api", EACH)
async def test_everything_that_was_changed_is_put_back(api: int, by: str) -> None:
    async with open_shelf(api, by) as shelf:
        world = shelf.world
        world.whereabouts.put(47.5, 19.05)
        before = {table: world.preferences.all(table) for table in ("system", "secure", "global")}
        await shelf.call("set_network", wifi=False, bluetooth=True, mobile_data=False)
        await shelf.call("set_network", wifi=True)
        await shelf.call("set_network", wifi=False)
        await shelf.call("set_appearance", dark=True, brightness=10, font_scale=1.5)
        await shelf.call("set_rotation", rotation="landscape")
        await shelf.call("set_volume", stream="alarm", level=2)
        if by == "helper":
            await shelf.call("set_language", locale="de-AT")
            await shelf.call("set_location", latitude=1, longitude=2)
        changed = (await shelf.info())["changed"]
        assert {"wifi", "bluetooth", "brightness", "rotation", "volume.alarm"} <= set(changed)
        lines = await shelf.passing(shelf.phone.device.restore())
        assert "Wi-Fi: off -> on" in lines
        assert len(lines) == len(changed)
        assert shelf.kept == {}
        after = {table: world.preferences.all(table) for table in before}
        level = int(after["system"].pop("screen_brightness"))
        assert abs(level - int(before["system"].pop("screen_brightness"))) <= 2
        ignored = {"volume_alarm_speaker", "user_rotation"}
        assert {k: v for k, v in after["system"].items() if k not in ignored} == {
            k: v for k, v in before["system"].items() if k not in ignored
        }
        assert (after["secure"], after["global"]) == (before["secure"], before["global"])
        assert (world.languages.system, world.whereabouts.tests) == (["en-US"], {})
        assert await shelf.passing(shelf.phone.device.restore()) == []


async def test_what_cannot_be_put_back_is_told_and_stays_noted() -> None:
    async with open_shelf(serial="192.168.232.2:5555") as shelf:
        shelf.world.switches.set("wifi", False)
        assert await shelf.call("set_network", wifi=True) == "Wi-Fi: off -> on"
        shelf.device.adb_over = "wlan0"
        assert await shelf.passing(shelf.phone.device.restore()) == [REACHED]
        assert shelf.kept == {"wifi": "off"}


async def test_the_first_value_is_kept_over_processes_and_phones(tmp_path: Path) -> None:
    file = tmp_path / "state" / "originals.json"
    async with open_shelf(originals=SettingsBackup(file), serial="first") as shelf:
        await shelf.call("set_appearance", brightness=90)
    async with open_shelf(originals=SettingsBackup(file), serial="second") as shelf:
        await shelf.call("set_network", wifi=False)
        assert (await shelf.info())["changed"] == ["wifi"]
    assert {kept.phone: kept.values for kept in SettingsBackup(file).all()} == {
        "first": {"brightness": "102"},
        "second": {"wifi": "on"},
    }
    assert file.stat().st_mode & 0o077 == 0
    async with open_shelf(originals=SettingsBackup(file), serial="first") as shelf:
        shelf.world.preferences.put("system", "screen_brightness", "230")
        assert await shelf.passing(shelf.phone.device.restore()) == ["Brightness: 90% -> 40%"]
    assert [kept.phone for kept in SettingsBackup(file).all()] == ["second"]


async def test_what_has_its_first_value_again_is_not_changed_for_another_process_either(
    tmp_path: Path,
) -> None:
    file = tmp_path / "originals.json"
    async with open_shelf(originals=SettingsBackup(file), serial="first") as shelf:
        await shelf.call("set_network", wifi=False)
    async with open_shelf(
        originals=SettingsBackup(file), serial="first"
    ) as shelf:  # wifi is on again
        assert await shelf.call("set_network", wifi=True) == "Wi-Fi: already on"
    assert SettingsBackup(file).all() == []


@pytest.mark.parametrize(
    ("over", "given", "refused"),
    [
        (Reach.MOBILE, {"mobile_data": False}, True),
        (Reach.MOBILE, {"airplane": True}, True),
        (Reach.WIFI, {"airplane": True}, True),
        (Reach.BLUETOOTH, {"bluetooth": False}, True),
        (Reach.OTHER, {"wifi": False}, True),
        (Reach.MOBILE, {"wifi": False}, False),
        (Reach.OWN, {"airplane": True}, False),
    ],
)
async def test_what_the_connection_goes_over_is_not_switched_off(
    over: Reach, given: dict[str, bool], refused: bool
) -> None:
    async with open_shelf() as shelf:
        shelf.world.switches.set("bluetooth", True)

        async def reach() -> Reach:
            return over

        shelf.phone.driver.reach = reach  # type: ignore[method-assign]
        if not refused:
            assert "->" in await shelf.call("set_network", **given)
            return
        failure = await shelf.failure("set_network", **given)
        assert failure.message == (
            f"The connection to the phone uses {over.value}: turning it off would end it."
            " Connect it by cable first."
        )
        assert shelf.kept == {}


async def test_nothing_is_changed_whose_value_cannot_be_kept(tmp_path: Path) -> None:
    file = tmp_path / "originals.json"
    file.write_text("{", encoding="utf-8")
    async with open_shelf(originals=SettingsBackup(file)) as shelf:
        failure = await shelf.failure("set_network", wifi=False)
        assert failure.message == (
            "The phone's current value cannot be stored for restoring it later: the file is "
            "damaged;"
            " remove it. Nothing was done."
        )
        assert shelf.world.switches["wifi"]


async def test_a_tablet_lies_by_nature() -> None:
    async with open_shelf(width=2560, height=1600) as shelf:
        assert await shelf.call("set_rotation", rotation="portrait") == "Rotation: auto -> portrait"
        assert shelf.world.rotation == 3
        assert shelf.world.width < shelf.world.height


async def test_a_change_during_which_the_phone_is_lost_is_in_doubt_and_noted() -> None:
    async with open_shelf() as shelf:
        cmd = shelf.device.programs["cmd"]

        async def run(process: Process) -> int:
            code = await cmd(process)
            if process.arguments[1:2] == ["wifi"]:
                shelf.device.faults.drop_link()
            return code

        shelf.device.programs["cmd"] = run
        failure = await shelf.failure("set_network", wifi=False)
        assert "may or may not have happened" in failure.message
        assert shelf.kept == {"wifi": "on"}
