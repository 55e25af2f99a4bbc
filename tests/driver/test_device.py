"""What Android prints about the device, the command lines of each release, and over which network a
connection goes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.driver.by_shell import probes, setting_commands
from handheld.driver.by_shell.probes import (
    Battery,
    Brightness,
    Rotation,
    Volume,
    fact_line,
    read_app_languages,
    read_battery,
    read_brightness,
    read_dumped_volumes,
    read_font_scale,
    read_last_fix,
    read_mobile_data,
    read_night,
    read_rotation,
    read_switch,
    read_volume,
)
from handheld.driver.by_shell.reaching import find_reach, goes_over_tcp
from handheld.driver.device import Fix, Reach

WIFI, CABLE = (fixtures.text(f"device/connections-{way}.txt") for way in ("wifi", "cable"))


def test_battery_is_read_with_its_scale() -> None:
    assert read_battery(fixtures.text("device/battery-api34.txt")) == Battery(
        77, "charging", "usb", 28.7
    )
    assert read_battery(fixtures.text("device/battery-api26.txt")) == Battery(
        80, "discharging", "none", 25.4
    )
    assert read_battery("Can't find service: battery\n") == Battery(None, None, None, None)


def test_volume_is_read_as_each_release_prints_it() -> None:
    assert read_volume(fixtures.text("device/volume-api26.txt")) == Volume(7, 0, 15)
    assert read_volume(fixtures.text("device/volume-api35.txt")) == Volume(4, 0, 7)
    assert read_volume("No shell command implementation.\n") is None
    assert read_volume("AudioManager.getStreamVolume(2) -> 4\n") is None


def test_the_volumes_of_all_kinds_are_read_from_one_dump() -> None:
    assert read_dumped_volumes(fixtures.text("device/audio-api28.txt")) == {
        "call": Volume(4, 1, 7),
        "system": Volume(5, 0, 7),
        "ring": Volume(0, 0, 7),  # muted
        "music": Volume(11, 0, 15),  # that of the headset, which plays it
        "alarm": Volume(6, 1, 7),  # of a device that has none of its own: the default
    }
    assert read_dumped_volumes(fixtures.text("device/audio-api30.txt")) == {
        "ring": Volume(3, 0, 7),
        "music": Volume(9, 0, 25),
    }
    assert read_dumped_volumes("Can't find service: audio\n") == {}


def test_last_place_is_that_of_the_satellites_in_any_language() -> None:
    assert read_last_fix(fixtures.text("device/location-api28-german.txt")) == Fix(
        48.139001, 11.574498, 5.0, "gps", None, False
    )
    assert read_last_fix(fixtures.text("device/location-api34-mock.txt")) == Fix(
        -33.86882, 151.209296, 3.0, "gps", None, True
    )
    assert read_last_fix("gps provider:\n  last location=null\n") is None
    assert read_last_fix("Location[gps 148.1,11.6 hAcc=1]") is None


@pytest.mark.parametrize(
    ("printed", "value"),
    [("1\n", True), ("0\n", False), ("2\n", True), ("3\n", False), ("null\n", None), ("", None)],
)
def test_switch_of_a_radio_may_depend_on_airplane_mode(printed: str, value: bool | None) -> None:
    assert read_switch(printed) is value


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("\n1\n1\n", True),
        ("\n0\n1\n", False),
        ("dsds\n1\n0\n", False),
        ("dsds\n1\nnull\n", True),
        ("", None),
    ],
)
def test_mobile_data_is_that_of_the_card_for_data(printed: str, value: bool | None) -> None:
    assert read_mobile_data(printed) is value


def test_settings_that_mean_nothing_are_not_guessed() -> None:
    assert read_rotation("null\n0\n") is None
    assert read_rotation("0\n7\n") == Rotation(False, 0)
    assert read_brightness("0\nnull\n") is None
    assert read_brightness("1\n40\n") == Brightness(True, 40)
    assert read_font_scale("null\n") == 1.0
    assert read_font_scale("big\n") is None
    assert read_night("Error: nope\n") is None
    assert read_night("Night mode: custom_bedtime\n") == "custom_bedtime"
    assert read_app_languages("Locales for a.b for user 0 are []\n") == []
    assert read_app_languages("Locales for a.b for user 0 are [de,fr-CA]\n") == ["de", "fr-CA"]
    assert read_app_languages("Unknown package a.b for userId 0\n") is None


@given(st.text(max_size=300))
def test_no_text_breaks_a_parser(text: str) -> None:
    for name in dir(probes):
        if name.startswith("read_"):
            getattr(probes, name)(text)
    find_reach(text, "10.0.0.1:5555")


@given(
    st.integers(0, 100_000),
    st.integers(-90_000_000, 90_000_000),
    st.integers(-180_000_000, 180_000_000),
    st.sampled_from(".,"),
)
def test_every_place_is_read_as_it_was_printed(
    accuracy: int, latitude: int, longitude: int, point: str
) -> None:
    place = f"{latitude / 1e6:.6f}X{longitude / 1e6:.6f}".replace(".", point).replace("X", ",")
    fix = read_last_fix(f"  gps: Location[gps {place} hAcc={accuracy} et=+1s]\n")
    assert fix is not None
    assert (round(fix.latitude * 1e6), round(fix.longitude * 1e6)) == (latitude, longitude)
    assert fix.accuracy == accuracy


# Command lines


@pytest.mark.parametrize(
    ("api", "lines"),
    [
        (
            26,
            [
                "svc wifi disable",
                "svc data disable",
                "svc bluetooth disable",
                "settings put --user current system user_rotation 1;"
                " settings put --user current system accelerometer_rotation 0",
                "settings put --user current system screen_brightness_mode 0;"
                " settings put --user current system screen_brightness 204",
                "media volume --stream 3 --set 7",
            ],
        ),
        (
            28,
            [
                "svc wifi disable",
                "svc data disable",
                "svc bluetooth disable",
                "settings put --user current system user_rotation 1;"
                " settings put --user current system accelerometer_rotation 0",
                "settings put --user current system screen_brightness_mode 0;"
                " settings put --user current system screen_brightness 204",
                "media volume --stream 3 --set 7",
            ],
        ),
        (
            29,
            [
                "svc wifi disable",
                "svc data disable",
                "svc bluetooth disable",
                "wm set-user-rotation lock 1",
                "settings put --user current system screen_brightness_mode 0;"
                " cmd display set-brightness 0.7992",
                "media volume --stream 3 --set 7",
            ],
        ),
        (
            30,
            [
                "cmd wifi set-wifi-enabled disabled",
                "cmd phone data disable",
                "svc bluetooth disable",
                "wm set-user-rotation lock 1",
                "settings put --user current system screen_brightness_mode 0;"
                " cmd display set-brightness 0.7992",
                "cmd media_session volume --stream 3 --set 7",
            ],
        ),
        (
            33,
            [
                "cmd wifi set-wifi-enabled disabled",
                "cmd phone data disable",
                "cmd bluetooth_manager disable",
                "wm user-rotation lock 1",
                "settings put --user current system screen_brightness_mode 0;"
                " cmd display set-brightness 0.7992",
                "cmd media_session volume --stream 3 --set 7",
            ],
        ),
        (
            36,
            [
                "cmd wifi set-wifi-enabled disabled",
                "cmd phone data disable",
                "cmd bluetooth_manager disable",
                "wm user-rotation lock 1",
                "settings put --user current system screen_brightness_mode 0;"
                " cmd display set-brightness 0.7992",
                "cmd audio set-volume 3 7",
            ],
        ),
    ],
)
def test_each_release_is_told_in_its_own_words(api: int, lines: list[str]) -> None:
    assert [
        setting_commands.turn_wifi(False, api),
        setting_commands.turn_mobile_data(False, api),
        setting_commands.turn_bluetooth(False, api),
        setting_commands.set_rotation(Rotation(False, 1), api),
        setting_commands.set_brightness(Brightness(False, 204), api),
        setting_commands.set_volume("music", 7, api),
    ] == lines


@given(st.text(max_size=60))
def test_no_package_gets_into_a_command_line_that_is_none(text: str) -> None:
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_.]*", text):
        return
    with pytest.raises(ValueError, match=r"."):
        fact_line(probes.APP_LANGUAGE + text)
    with pytest.raises(ValueError, match=r"."):
        setting_commands.set_app_language(text or " ", "de")


# Over which network


@pytest.mark.parametrize(
    ("serial", "over"),
    [
        ("R58M123ABC", False),
        ("emulator-5554", False),
        ("192.168.1.20:5555", True),
        ("127.0.0.1:40123", True),
        ("adb-R58M123ABC-a1b2c3._adb-tls-connect._tcp", True),
    ],
)
def test_a_cable_and_an_emulators_pipe_are_no_network(serial: str, over: bool) -> None:
    assert goes_over_tcp(serial) is over


@pytest.mark.parametrize(
    ("printed", "serial", "reach"),
    [
        (WIFI, "192.168.1.20:5555", Reach.WIFI),
        (WIFI, "127.0.0.1:5037", Reach.WIFI),
        (WIFI.replace("wlan0", "rmnet_data1"), "192.168.1.20:5555", Reach.MOBILE),
        (WIFI.replace("wlan0", "tun0"), "192.168.1.20:5555", Reach.OTHER),
        (WIFI.replace("wlan0", "bt-pan"), "192.168.1.20:5555", Reach.BLUETOOTH),
        (WIFI.replace("wlan0", "eth0"), "192.168.1.20:5555", Reach.OWN),
        (WIFI.replace(" 01 ", " 06 "), "localhost:5555", Reach.OWN),
        (WIFI.replace(" 01 ", " 06 "), "192.168.1.20:5555", Reach.WIFI),
        (CABLE, "192.168.1.20:5555", Reach.WIFI),
        (CABLE, "192.168.7.7:5555", Reach.WIFI),
        ("", "127.0.0.1:40123", Reach.WIFI),
    ],
)
def test_the_phones_own_interface_decides(printed: str, serial: str, reach: Reach) -> None:
    assert find_reach(printed, serial) is reach
