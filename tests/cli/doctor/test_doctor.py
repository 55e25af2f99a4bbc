"""The doctor's findings about phones that adb has."""

import asyncio
from pathlib import Path

import pytest

from cli.fake_adb import fake_adb
from handheld.cli.doctor.checkup import SHELL_FALLBACK
from handheld.cli.doctor.direct_phones import examine_address
from handheld.cli.doctor.examination import Finding, Severity, check_record, examine
from handheld.devices.ownership import Owners
from handheld.settings import load
from handheld_virtual.phone import VirtualPhone
from harness.manual_clock import ManualClock
from harness.polling import HANG


async def findings(home: Path, adb_port: int, phone: str = "") -> list[Finding]:
    environment = {"HANDHELD_HOME": str(home), "ANDROID_ADB_SERVER_PORT": str(adb_port)}
    settings = load({"port": "0", "phone": phone}, environment)
    return [one async for one in examine(settings) if one.subject in ("phone", "phones")]


@pytest.mark.matrix
async def test_each_phone_has_its_own_finding(tmp_path: Path) -> None:
    async with fake_adb() as adb:
        adb.show("A unauthorized transport_id:1", "B device transport_id:2")
        first, second, third = await findings(tmp_path, adb.port, "C")
        assert (first.verdict, second.verdict) == (Severity.PROBLEM, Severity.PROBLEM)
        assert first.sentence == "The phone A has not allowed this computer yet."
        assert first.fix.startswith("Unlock it and accept the “Allow USB debugging?” prompt")
        assert second.sentence.startswith("B is connected, but: The phone B is offline")
        assert third == Finding(
            Severity.WARNING,
            "phones",
            "The phone C is not connected: `adb devices` lists the phones that are.",
            "adb devices -l",
        )


async def test_a_phone_at_an_address_that_has_not_allowed_this_computer_is_told_as_such(
    tmp_path: Path,
) -> None:
    clock, asked = ManualClock(), asyncio.Event()
    async with VirtualPhone(authorize=True) as device, asyncio.timeout(HANG):
        device.authority.changed = asked.set
        name = f"127.0.0.1:{device.port}"
        settings = load({"phone": name}, {"HANDHELD_HOME": str(tmp_path)})
        examined = asyncio.create_task(examine_address(settings, name, clock))
        await asked.wait()
        await clock.advance(10)
        facts = await examined
    assert facts.problem.startswith(f"The phone {name} has not allowed this computer yet: unlock")


@pytest.mark.slow
async def test_a_phone_in_use_by_a_running_handheld_is_not_checked(tmp_path: Path) -> None:
    claim = Owners(tmp_path / "state" / "owners").claim(["B"], "handheld serve --phone B")
    assert claim is not None
    async with fake_adb() as adb:
        adb.show("B device transport_id:2")
        assert await findings(tmp_path, adb.port) == [
            Finding(Severity.OK, "phone", "B is connected and in use by a running Handheld.")
        ]
    claim.release()


@pytest.mark.slow
async def test_no_connected_phone_is_a_warning(tmp_path: Path) -> None:
    async with fake_adb() as adb:
        assert await findings(tmp_path, adb.port) == [
            Finding(
                Severity.WARNING,
                "phones",
                "No phone is connected to the adb server.",
                "Plug one in and allow USB debugging on its screen (some cables only charge: try "
                "another); over Wi-Fi: handheld connect HOST:PORT; or try: handheld demo",
            )
        ]


@pytest.mark.matrix
async def test_no_adb_phone_is_fine_if_another_phone_is_chosen(tmp_path: Path) -> None:
    async with fake_adb() as adb:
        assert await findings(tmp_path, adb.port, "virtual") == [
            Finding(
                Severity.OK,
                "phones",
                "No phone is connected to the adb server; virtual is reached without it.",
            )
        ]


@pytest.mark.matrix
async def test_no_adb_phone_is_fine_if_a_server_has_another(tmp_path: Path) -> None:
    claim = Owners(tmp_path / "state" / "owners").claim(["virtual"], "handheld demo")
    assert claim is not None
    async with fake_adb() as adb:
        assert await findings(tmp_path, adb.port) == [
            Finding(
                Severity.OK,
                "phones",
                "No phone is connected to the adb server; virtual is reached without it.",
            )
        ]
    claim.release()


@pytest.mark.slow
async def test_a_phone_by_address_is_checked_without_an_adb_server(tmp_path: Path) -> None:
    async with fake_adb() as adb, VirtualPhone() as phone:
        name = f"127.0.0.1:{phone.port}"
        started, version = [
            one for one in await findings(tmp_path, adb.port, name) if one.subject == "phone"
        ]
        assert (started.verdict, version.verdict) == (Severity.OK, Severity.OK)
        assert started.sentence.startswith(f"{name} is connected, and the helper starts on it")
        phone.faults.refuse_helper()
        [refused, _] = [
            one for one in await findings(tmp_path, adb.port, name) if one.subject == "phone"
        ]
        assert refused.verdict is Severity.PROBLEM
        assert refused.sentence.startswith(f"{name} is connected, but: ")
        assert refused.sentence.endswith(SHELL_FALLBACK)
    async with fake_adb() as adb:
        [gone] = [one for one in await findings(tmp_path, adb.port, name) if one.subject == "phone"]
        assert gone.sentence.startswith(f"The phone at {name} does not work: No phone answers adb")


@pytest.mark.parametrize(
    ("given", "free", "verdict", "output", "fix"),
    [
        ({}, 2_000_000, Severity.OK, "{file}.", ""),
        (
            {},
            1500,
            Severity.PROBLEM,
            "{file}, and its disk has 1 kB left: once it is full, calls are refused.",
            "Free some space there, or set audit.required = false",
        ),
        (
            {"audit_required": False},
            0,
            Severity.WARNING,
            "{file}, and its disk has 0 kB left: once it is full, calls are not recorded.",
            "Free some space there",
        ),
    ],
)
def test_a_nearly_full_disk_is_reported_before_calls_are_refused(
    tmp_path: Path, given: dict[str, bool], free: int, verdict: Severity, output: str, fix: str
) -> None:
    settings = load(given, {"HANDHELD_HOME": str(tmp_path)})
    asked: list[Path] = []
    sentence = f"Calls are recorded in {output.format(file=settings.folders.audit)}"
    found = check_record(settings, lambda file: asked.append(file) or free)
    assert found == Finding(verdict, "record", sentence, fix)
    assert asked == [settings.folders.audit]
