"""Round trips to the phone of each tool for its settings."""

from typing import Any

from handheld.calls.local import Caller, LocalSurface
from handheld.calls.options import SurfaceOptions
from handheld.devices.opening import PhoneFactory
from handheld.tools.main.device import device
from handheld_virtual.phone import VirtualPhone
from harness.one_phone import ALL_ON, OnePhone
from harness.phones import reached

from .test_round_trips import CountedLink

READ_AND_CHANGE = ["shell", "shell"]
"""The value before is read before it is changed; the value after comes with the change."""
FIRST_CHANGE = ["shell", *READ_AND_CHANGE]
"""The value before is kept here and on the phone."""
COSTS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("get_device_info", {}, ["shell"]),
    # The first also asks for the serial number, by which values are kept.
    ("set_rotation", {"rotation": "landscape"}, ["shell", *FIRST_CHANGE]),
    ("set_appearance", {"dark": True}, FIRST_CHANGE),
    ("set_appearance", {"brightness": 70, "font_scale": 1.2}, [*FIRST_CHANGE, "shell", "shell"]),
    ("set_appearance", {"dark": True}, ["shell"]),
    # Over which network the phone is reached, for what could end the connection.
    ("set_network", {"wifi": False}, ["shell", *FIRST_CHANGE]),
    ("set_network", {"bluetooth": True}, FIRST_CHANGE),
    ("set_volume", {"stream": "music", "level": 3}, FIRST_CHANGE),
    ("set_language", {"locale": "de"}, ["language", "shell", "language"]),
    ("set_language", {"locale": "fr", "package_id": "com.android.settings"}, FIRST_CHANGE),
    (
        "set_location",
        {"latitude": 1, "longitude": 2},
        ["location", "shell", "shell", "mock_location", "location"],
    ),
    ("get_location", {}, ["location"]),
    ("set_screen", {"on": False}, READ_AND_CHANGE),
    ("set_screen", {"on": False}, ["shell"]),
    ("dismiss_keyboard", {}, ["screen"]),
]


async def test_each_tool_of_the_device_needs_the_expected_round_trips() -> None:
    make = PhoneFactory().make_phone
    async with reached(VirtualPhone(), make=make, links=CountedLink) as (_, link, made):
        assert isinstance(link, CountedLink)
        surface = LocalSurface((device,), OnePhone(made), SurfaceOptions(policy=ALL_ON))
        costs: list[tuple[str, list[str]]] = []
        await made.driver.languages()  # the helper runs from here on
        for name, arguments, _ in COSTS:
            link.trips.clear()
            await surface.call(f"android_{name}", arguments, Caller("test"))
            costs.append((name, list(link.trips)))
    assert costs == [(name, trips) for name, _, trips in COSTS]
    assert {name for name, _, _ in COSTS} == {tool.name for tool in device.tools}
