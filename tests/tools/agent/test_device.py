"""The device for models: values as they are said."""

import pytest

from handheld.errors import ActionFailed, InvalidParams

from .conftest import AgentBench


async def test_the_device_is_told_in_a_few_lines(bench: AgentBench) -> None:
    assert (await bench.call("read", what="device")).split("\n") == [
        '"Handheld Handheld Virtual" Android 14, API 34, simulated',
        "screen 1080x2400 on",
        "rotation auto, brightness 40%, dark_mode off, font_scale 1.0",
        "battery 86%, charging, plugged usb",
        "wifi on, mobile_data on, airplane_mode off, bluetooth off",
        "volume call 4/5, system 5/7, ring 5/7, music 5/15, alarm 6/7, notification 5/7",
        "language en-US, timezone GMT, location on",
    ]
    await bench.call("set", what="wifi", value="off")
    told = await bench.call("read", what="device")
    assert told.endswith("changed, and not put back: wifi")


@pytest.mark.parametrize(
    ("what", "value", "reply"),
    [
        ("wifi", "off", "Wi-Fi: on -> off"),
        ("wifi", False, "Wi-Fi: on -> off"),
        ("bluetooth", "ON", "Bluetooth: off -> on"),
        ("mobile_data", "disabled", "Mobile data: on -> off"),
        ("airplane_mode", True, "Airplane mode: off -> on"),
        ("rotation", "landscape", "Rotation: auto -> landscape"),
        ("rotation", "90", "Rotation: auto -> landscape"),
        ("rotation", "reverse portrait", "Rotation: auto -> reverse portrait"),
        ("volume", "40%", "Music volume: 5 of 15 -> 6 of 15"),
        ("volume", 9, "Music volume: 5 of 15 -> 9 of 15"),
        ("volume", "ring 3", "Ring volume: 5 of 7 -> 3 of 7"),
        ("volume", "mute", "Music volume: 5 of 15 -> 0 of 15"),
        ("volume", "alarm max", "Alarm volume: 6 of 7 -> 7 of 7"),
        ("brightness", "80%", "Brightness: 40% -> 80%"),
        ("brightness", "25", "Brightness: 40% -> 25%"),
        ("brightness", "auto", "Brightness: 40% -> automatic"),
        ("dark_mode", "on", "Dark mode: off -> on"),
        ("dark_mode", "auto", "Dark mode: off -> automatic"),
        ("font_scale", "1.3", "Font scale: 1 -> 1.3"),
        ("font_scale", "130%", "Font scale: 1 -> 1.3"),
        ("language", "de", "Language: en-US -> de"),
        (
            "language",
            "com.android.calculator2 fr",
            "Language of com.android.calculator2: as the system -> fr",
        ),
        ("location", "48.1,11.6", "Location: real -> 48.1, 11.6"),
        ("location", "-33.9, 151.2", "Location: real -> -33.9, 151.2"),
        ("location", "real", "Location: already real"),
        ("screen", "off", "Screen: on -> off"),
    ],
)
async def test_settings_take_what_models_say(
    bench: AgentBench, what: str, value: str, reply: str
) -> None:
    assert await bench.call("set", what=what, value=value) == reply


@pytest.mark.parametrize(
    ("what", "value", "message"),
    [
        ("wifi", "maybe", 'wifi is on or off, not "maybe".'),
        ("screen", "dim", 'screen is on or off, not "dim".'),
        (
            "rotation",
            "sideways",
            "rotation is auto, portrait, landscape, reverse_portrait, reverse_landscape, not"
            ' "sideways".',
        ),
        ("brightness", "140%", 'brightness is 0% to 100%, or auto, not "140%".'),
        ("font_scale", "9", 'font_scale is 0.5 to 2, usually 1, not "9".'),
        (
            "volume",
            "loud",
            'volume is 40% or a level, with its kind before it if not music ("ring 3"), not "loud".'
            " Kinds: call, system, ring, music, alarm, notification.",
        ),
        ("volume", "40", "level must be between 0 and 15 for music, got: 40"),
        ("language", "xx-ZZ", "'xx-ZZ' is not a language tag."),
        ("location", "91,0", 'location is latitude,longitude or real, not "91,0".'),
        ("location", "Paris", 'location is latitude,longitude or real, not "Paris".'),
    ],
)
async def test_values_that_mean_nothing_are_refused_in_one_line(
    bench: AgentBench, what: str, value: str, message: str
) -> None:
    failure = await bench.failure("set", what=what, value=value)
    assert (type(failure), failure.message) == (InvalidParams, message)


async def test_the_place_is_told_with_its_age(bench: AgentBench) -> None:
    failure = await bench.failure("read", what="location")
    assert isinstance(failure, ActionFailed)
    bench.world.whereabouts.put(47.5, 19.05)
    assert await bench.call("read", what="location") == "47.500000,19.050000, within 12 m, 0 s ago"
    await bench.call("set", what="location", value="1,2")
    told = await bench.call("read", what="location")
    assert told == "1.000000,2.000000, within 3 m, 0 s ago, pretended"


async def test_the_keyboard_is_hidden_without_leaving_the_app(bench: AgentBench) -> None:
    bench.world.show("dev.handheld.form")
    front = bench.world.front
    assert (await bench.call("press", key="hide_keyboard")).startswith("No keyboard was open.")
    assert bench.world.front is front
    await bench.call("tap", at="Name")
    assert bench.world.input_method.window is not None
    reply = await bench.call("press", key="hide_keyboard")
    assert reply.startswith("Hid the keyboard.")
    assert (bench.world.input_method.window, bench.world.front is front) == (None, True)


async def test_wifi_stays_on_while_the_phone_is_reached_over_it(bench: AgentBench) -> None:
    bench.device.adb_over = "wlan0"
    for what, value in (("wifi", "off"), ("airplane_mode", "on")):
        failure = await bench.failure("set", what=what, value=value)
        assert failure.message == (
            "The connection to the phone uses Wi-Fi: turning it off would end it. Connect it"
            " by cable first."
        )
    assert bench.world.switches["wifi"]
