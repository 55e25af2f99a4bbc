"""`handheld phones`: a line for each phone, and advice for each that cannot be used."""

from pathlib import Path

import pytest

from cli.fake_adb import fake_adb
from handheld.adb.state import PhoneState, PhoneUnavailable
from handheld.cli.arguments import parse
from handheld.cli.commands.phones import phones
from handheld.settings import load


async def test_each_unusable_phone_is_listed_with_advice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = parse(["phones"])
    async with fake_adb() as adb:
        adb.show(
            "A device usb:1-1 product:p model:M transport_id:1",
            "B unauthorized usb:1-2 transport_id:2",
            "192.168.1.20:5555 offline transport_id:3",
        )
        environment = {"HANDHELD_HOME": str(tmp_path), "ANDROID_ADB_SERVER_PORT": str(adb.port)}
        assert await phones(given, load({}, environment)) == 0
    out, err = capsys.readouterr()
    assert out == (
        "A                  device          M\n"
        "B                  unauthorized\n"
        "192.168.1.20:5555  offline\n"
    )
    assert err == (
        "The phone B has not allowed this computer yet: unlock it and accept the “Allow USB "
        "debugging?” prompt on its screen (no prompt: switch USB debugging off and on).\n"
        "The phone 192.168.1.20:5555 is offline: wake it and check its Wi-Fi connection, then run "
        "`handheld disconnect 192.168.1.20:5555` and `handheld connect 192.168.1.20:5555`.\n"
    )


@pytest.mark.parametrize("state", list(PhoneState))
def test_every_device_state_has_a_message_with_advice(state: PhoneState) -> None:
    if state is not PhoneState.DEVICE:
        output = str(PhoneUnavailable("R58M", state))
        assert output.startswith("The phone R58M ")
        assert ": " in output


async def test_the_message_without_a_phone_mentions_cables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = parse(["phones"])
    async with fake_adb() as adb:
        environment = {"HANDHELD_HOME": str(tmp_path), "ANDROID_ADB_SERVER_PORT": str(adb.port)}
        assert await phones(given, load({}, environment)) == 0
    assert "the cable may be one that only charges" in capsys.readouterr().err
