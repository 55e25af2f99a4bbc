"""The device's own commands on the virtual phone, by release."""

from collections.abc import Callable

import pytest
from phone_shell import Result, new_phone, run

from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.whereabouts import MockRefused

NONE = Result("", "No shell command implementation.\n")


@pytest.mark.parametrize("api", [26, 28, 29, 30, 33, 36])
async def test_wifi_has_a_command_for_the_shell_since_android_11(api: int) -> None:
    phone = new_phone(api)
    result = await run(phone, "cmd wifi set-wifi-enabled disabled")
    if api < 30:
        assert "SecurityException: Uid 2000 does not have access to wifi commands" in result.stderr
        assert phone.world.switches["wifi"]
        await run(phone, "svc wifi disable")
    else:
        assert result == Result("")
        assert (await run(phone, "cmd wifi status")).stdout.startswith("Wifi is disabled\n")
        root = await run(phone, "cmd wifi force-country-code enabled")
        assert "force-country-code wifi command (or such command doesn't exist)" in root.stderr
        wrong = await run(phone, "cmd wifi set-wifi-enabled on")
        assert "Expected 'enabled' or 'disabled' as next arg but got 'on'" in wrong.stderr
    assert not phone.world.switches["wifi"]


@pytest.mark.parametrize("api", [26, 28, 30, 33])
async def test_radios_have_the_commands_of_their_release(api: int) -> None:
    phone = new_phone(api)
    airplane = await run(phone, "cmd connectivity airplane-mode enable")
    assert airplane == (Result("") if api >= 28 else NONE)
    assert phone.world.switches["airplane"] is (api >= 28)
    bluetooth = await run(phone, "cmd bluetooth_manager enable")
    assert bluetooth == (Result("Enabling Bluetooth\n") if api >= 33 else NONE)
    data = await run(phone, "cmd phone data disable")
    assert data == (Result("") if api >= 30 else Result("Unknown command: data\n", code=255))
    await run(phone, "svc data enable; svc bluetooth enable")
    assert phone.world.preferences.is_on("global", "mobile_data")
    assert phone.world.switches["bluetooth"]


async def test_what_a_policy_forbids_stays_and_only_bluetooth_says_so() -> None:
    phone = new_phone()
    phone.world.switches.forbidden |= {"wifi", "bluetooth", "airplane"}
    assert await run(phone, "cmd wifi set-wifi-enabled disabled") == Result("")
    assert await run(phone, "cmd connectivity airplane-mode enable") == Result("")
    enabling = Result("Enabling Bluetooth\n", code=255)
    assert await run(phone, "cmd bluetooth_manager enable") == enabling
    switches = phone.world.switches
    assert (switches["wifi"], switches["airplane"], switches["bluetooth"]) == (True, False, False)


@pytest.mark.parametrize(("api", "levels"), [(26, (102, 102)), (28, (0, 255)), (29, (103, 255))])
async def test_brightness_by_display_works_since_android_10(
    api: int, levels: tuple[int, int]
) -> None:
    phone = new_phone(api)
    found: list[int] = []
    for share in ("0.4", "1"):
        result = await run(phone, f"cmd display set-brightness {share}")
        assert result == (NONE if api < 28 else Result(""))
        found.append(phone.world.preferences.number("system", "screen_brightness", 0))
    assert tuple(found) == levels
    if api >= 28:
        wrong = "Error: brightness should be a number between 0 and 1\n"
        assert await run(phone, "cmd display set-brightness 2") == Result("", wrong, 1)
        none = "Error: no brightness specified\n"
        assert await run(phone, "cmd display set-brightness") == Result("", none, 1)


@pytest.mark.parametrize("api", [26, 30, 34, 35])
async def test_volume_is_told_and_set_by_three_programs(api: int) -> None:
    phone = new_phone(api)
    told = (
        "[v] will control stream=3 (STREAM_MUSIC)\n[v] will set volume to index=9\n"
        "[v] will get volume\n[v] Connecting to AudioService\n[v] volume is 9 in range [0..15]\n"
    )
    line = "volume --stream 3 --set 9 --get"
    assert await run(phone, f"media {line}") == Result(told)
    session = await run(phone, f"cmd media_session {line}")
    assert session == (Result(told) if api >= 30 else NONE)
    beyond = await run(phone, "media volume --stream 3 --set 16")
    assert beyond.code == 0
    assert beyond.stderr == "Error: invalid volume index 16 for stream 3 (should be in [0..15])\n"
    audio = await run(phone, "cmd audio set-volume 3 2; cmd audio get-stream-volume 3")
    if api >= 35:
        assert audio == Result(
            "calling AudioManager.setStreamVolume(3, 2, 0)\nAudioManager.getStreamVolume(3) -> 2\n"
        )
    elif api >= 31:
        assert audio == Result("")
    else:
        assert audio.stderr == NONE.stderr * 2
    keys = phone.world.preferences
    assert keys.get("system", "volume_music") == keys.get("system", "volume_music_speaker")


@pytest.mark.parametrize("api", [32, 33])
async def test_apps_have_languages_since_android_13(api: int) -> None:
    phone = new_phone(api)
    ask = "cmd locale get-app-locales com.android.settings --user current"
    if api < 33:
        assert await run(phone, ask) == Result("", "cmd: Can't find service: locale\n", 20)
        return
    assert await run(phone, ask) == Result("Locales for com.android.settings for user 0 are []\n")
    chosen = "cmd locale set-app-locales com.android.settings --user 0 --locales de,fr"
    assert await run(phone, chosen) == Result("")
    assert (await run(phone, ask)).stdout.endswith("are [de,fr]\n")
    unknown = await run(phone, "cmd locale set-app-locales a.b --locales de")
    assert unknown == Result("Unknown package a.b for userId 0\n")
    none = await run(phone, "cmd locale set-app-locales")
    assert none == Result("", "Error: no package specified\n", 255)
    await run(phone, "cmd locale set-app-locales com.android.settings")
    assert phone.world.languages.of_apps == {}


@pytest.mark.parametrize("api", [29, 30, 31, 34])
async def test_test_providers_are_for_those_whom_appops_allows(api: int) -> None:
    phone = new_phone(api)
    providers = "cmd location providers"
    pretend = (
        f"{providers} add-test-provider gps; {providers} set-test-provider-enabled gps true;"
        f" {providers} set-test-provider-location gps --location -1.5,2.25 --accuracy 3"
    )
    result = await run(phone, pretend)
    if api < 30:
        assert result == Result("", NONE.stderr * 3)
        return
    if api < 31:
        assert result == Result("Unknown command: providers\n" * 3, code=255)
        return
    assert (result.stdout, result.code) == ("", 255)
    assert result.stderr.count("not allowed to perform MOCK_LOCATION") == 3
    assert phone.world.whereabouts.last is None
    await run(phone, "appops set com.android.shell android:mock_location allow")
    assert await run(phone, pretend) == Result("")
    dumped = (await run(phone, "dumpsys location")).stdout
    assert "    gps provider [mock]:\n      last location=Location[gps -1.500000,2.250000" in dumped
    assert await run(phone, f"{providers} remove-test-provider network") == Result("")
    await run(phone, f"{providers} remove-test-provider gps")
    assert phone.world.whereabouts.tests == {}


async def test_location_is_switched_by_its_service() -> None:
    phone = new_phone(34)
    await run(phone, "cmd location set-location-enabled false")
    assert await run(phone, "cmd location is-location-enabled") == Result("false\n")
    assert phone.world.preferences.get("secure", "location_mode") == "0"


@pytest.mark.parametrize("api", [29, 30])
async def test_do_not_disturb_is_set_since_android_11(api: int) -> None:
    phone = new_phone(api)
    result = await run(phone, "cmd notification set_dnd priority")
    zen = phone.world.preferences.get("global", "zen_mode")
    assert (result.stdout, zen) == (("", "1") if api >= 30 else ("Unknown command: set_dnd\n", "0"))


async def test_night_mode_has_schedules() -> None:
    phone = new_phone(33)
    assert await run(phone, "cmd uimode night custom_bedtime") == Result(
        "Night mode: custom_bedtime\n"
    )
    assert await run(phone, "cmd uimode night custom_schedule") == Result(
        "Night mode: custom_schedule\n"
    )
    assert await run(new_phone(31), "cmd uimode night custom") == Result("Night mode: custom\n")


async def test_the_phone_tells_over_which_interface_adb_comes() -> None:
    phone = new_phone()
    assert " 01 " not in (await run(phone, "cat /proc/net/tcp")).stdout
    phone.adb_over = "wlan0"
    told = (await run(phone, "ip -o addr; cat /proc/net/tcp")).stdout
    assert "wlan0    inet 192.168.232.2/24" in told
    assert "02E8A8C0:15B3" in told
    await run(phone, "cmd wifi set-wifi-enabled disabled")
    assert "wlan0" not in (await run(phone, "ip addr")).stdout


async def test_a_reboot_ends_test_providers() -> None:
    phone = new_phone()
    where = phone.world.whereabouts
    where.mock_mode = "allow"
    where.add("gps")
    phone.reboot()
    assert where.tests == {}


@pytest.mark.parametrize("mode", ["default", "deny", "ignore", "allow"])
async def test_only_who_has_the_app_op_may_add_a_test_provider(mode: str) -> None:
    """In the mode `ignore`, Android does nothing and reports no error."""
    phone = new_phone()
    await run(phone, f"appops set com.android.shell android:mock_location {mode}")
    done = await run(phone, "cmd location providers add-test-provider gps")
    refused = mode in ("default", "deny")
    said = "com.android.shell from uid 2000 not allowed to perform MOCK_LOCATION"
    assert (said in done.stderr, bool(done.code)) == (refused, refused)
    assert bool(phone.world.whereabouts.tests) is (mode == "allow")


async def test_test_providers_are_refused_as_android_refuses_them() -> None:
    phone = new_phone()
    await run(phone, "appops set com.android.shell android:mock_location allow")

    async def said(words: str) -> str:
        return (await run(phone, f"cmd location providers {words}")).stderr.strip()

    exception = "java.lang.IllegalArgumentException: "
    place = "--location 47.5,19.25"
    for words, wanted in (
        ("add-test-provider passive", "Cannot mock the passive provider"),
        ("set-test-provider-enabled gps true", "gps provider is not a test provider"),
        (f"set-test-provider-location gps {place}", "gps provider is not a test provider"),
        ("set-test-provider-enabled mine true", "provider doesn't exist: mine"),
    ):
        assert (await said(words)).endswith(exception + wanted), words
    for words in ("remove-test-provider gps", *["add-test-provider gps"] * 2):
        assert await said(words) == ""
    assert list(phone.world.whereabouts.tests) == ["gps"]


@pytest.mark.parametrize(
    ("api", "again", "none"),
    [
        (28, "", 'Provider "gps" unknown'),
        (29, 'Provider "gps" already exists', 'Provider "gps" unknown'),
        (30, "", ""),
    ],
)
def test_programs_are_refused_test_providers_as_each_release_does(
    api: int, again: str, none: str
) -> None:
    where = VirtualPhone(api=api).world.whereabouts
    where.mock_mode = "allow"

    def refused(act: Callable[[str], None]) -> str:
        try:
            act("gps")
        except MockRefused as refusal:
            return str(refusal).removeprefix("java.lang.IllegalArgumentException: ")
        return ""

    assert refused(where.remove) == none
    assert [refused(where.add), refused(where.add)] == ["", again]
