"""`handheld phones restore`, and what mentions that something is changed."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from cli.fake_adb import fake_adb
from handheld.cli.arguments import parse
from handheld.cli.commands.phones import phones
from handheld.cli.doctor.examination import examine
from handheld.errors import ActionFailed
from handheld.phone.device.settings_backup import SettingsBackup
from handheld.settings import Settings, load
from handheld_virtual.phone import VirtualPhone


def home(folder: Path, **more: str) -> Mapping[str, str]:
    return {"HANDHELD_HOME": str(folder), **more}


@asynccontextmanager
async def changed_phone(
    folder: Path,
) -> AsyncGenerator[tuple[VirtualPhone, str, Settings, SettingsBackup]]:
    """A phone on which Wi-Fi was off before, with its address."""
    async with VirtualPhone() as phone, fake_adb() as adb:
        address = f"127.0.0.1:{phone.port}"
        environment = home(folder, ANDROID_ADB_SERVER_PORT=str(adb.port))
        settings = load({"phone": (address,)}, environment)
        kept = SettingsBackup(settings.folders.originals)
        kept.remember(address, address, "wifi", "off")
        yield phone, address, settings, kept


async def test_a_phone_gets_back_what_it_had(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with changed_phone(tmp_path) as (phone, address, settings, kept):
        kept.remember(address, address, "font_scale", "1.3")
        assert await phones(parse(["phones", "restore"]), settings) == 0
        assert capsys.readouterr().out == "Wi-Fi: on -> off\nFont scale: 1 -> 1.3\n"
        assert not phone.world.switches["wifi"]
        assert kept.all() == []
        assert await phones(parse(["phones", "restore"]), settings) == 0
        said = capsys.readouterr().out
        assert said == f"Nothing that Handheld changed is left on {address}.\n"


async def test_what_stays_changed_is_an_error_after_the_rest_was_put_back(tmp_path: Path) -> None:
    async with changed_phone(tmp_path) as (phone, address, settings, kept):
        kept.remember(address, address, "dark_mode", "purple")
        with pytest.raises(ActionFailed) as failure:
            await phones(parse(["phones", "restore"]), settings)
        assert failure.value.message == (
            "Wi-Fi: on -> off\nDark mode stays: purple is not a valid value."
        )
        assert not phone.world.switches["wifi"]


@pytest.mark.slow
async def test_what_is_changed_is_named_with_the_command_that_puts_it_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with fake_adb() as adb:
        adb.show("A device usb:1-1 product:p model:M transport_id:1")
        settings = load({}, home(tmp_path, ANDROID_ADB_SERVER_PORT=str(adb.port)))
        kept = SettingsBackup(settings.folders.originals)
        kept.remember("A", "A", "wifi", "on")
        kept.remember("A", "A", "volume.music", "5")
        assert await phones(parse(["phones"]), settings) == 0
        assert capsys.readouterr().err == (
            "Changed on A by agents: Wi-Fi, Music volume. To put it back: handheld phones restore"
            " A\n"
        )
        findings = [finding async for finding in examine(settings)]
    [found] = [finding for finding in findings if "not put back" in finding.sentence]
    assert (found.sentence, found.fix) == (
        "Changed on A by agents, and not put back: Wi-Fi, Music volume.",
        "handheld phones restore A",
    )


async def test_a_phone_is_restored_where_it_is_connected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = parse(["phones", "restore", "--fleet"])
    assert await phones(given, load({}, home(tmp_path))) != 0
    assert "A phone is restored where it is connected" in capsys.readouterr().err
