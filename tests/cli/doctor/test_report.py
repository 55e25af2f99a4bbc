"""The doctor's findings about one phone, and the report without private data."""

import asyncio
import getpass
import re
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from bench.ports import keep_port
from hypothesis import given
from hypothesis import strategies as st

from cli.fake_adb import fake_adb
from cli.program import ADB_ALONE, need_adb
from handheld.adb.direct import DirectLink
from handheld.adb.server import AdbServer
from handheld.adb.state import PhoneState
from handheld.cli.doctor.checkup import (
    Facts,
    examine_phone,
    findings_of,
    parse_free_mb,
    parse_properties,
)
from handheld.cli.doctor.examination import Finding, Severity
from handheld.cli.doctor.private_words import PrivateWords, alias
from handheld.cli.doctor.report import describe, write_report
from handheld.driver.by_adb.vendor_hints import switches_of
from handheld.helper.jar import bundled_jar
from handheld.settings import load
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.process import Process
from harness.patient_clock import PatientClock
from harness.phones import link_to


@pytest.fixture
async def phone() -> AsyncIterator[VirtualPhone]:
    async with VirtualPhone() as phone:
        yield phone


@pytest.fixture
async def link(phone: VirtualPhone) -> AsyncIterator[DirectLink]:
    async with link_to(phone) as link:
        yield link


async def test_the_report_identifies_the_device_but_not_its_owner(link: DirectLink) -> None:
    facts = await examine_phone(link)
    assert facts.helper_ms is not None
    own, others = facts.apps or (0, 0)
    assert own > 3
    assert others > 3
    assert facts.free_mb is not None
    assert facts == Facts(
        manufacturer="Handheld",
        brand="handheld",
        model="Handheld Virtual",
        android="14",
        api=34,
        patch="2024-06-05",
        build="HANDHELD.34.001",
        user="0",
        free_mb=facts.free_mb,
        apps=facts.apps,
        helper_build=bundled_jar().build,
        helper_ms=facts.helper_ms,
        features=facts.features,
    )
    assert findings_of("S", facts) == [
        Finding(
            Severity.OK,
            "phone",
            f"S is connected, and the helper starts on it (build {bundled_jar().build}, "
            f"{facts.helper_ms} ms).",
        ),
        Finding(Severity.OK, "phone", "S is Handheld Handheld Virtual with Android 14, API 34."),
    ]


async def test_a_helper_that_fails_to_start_is_shown_with_its_stderr(
    phone: VirtualPhone, link: DirectLink
) -> None:
    async def fail(process: Process) -> int:
        await process.stderr.write(b"one\nCannot find class\x1b[1m\n")
        return 1

    phone.programs["app_process"] = fail
    facts = await examine_phone(link)
    assert facts.helper_ms is None
    assert facts.stderr[0] == "one"
    first, *_, last = findings_of("S", facts, stderr=True)
    assert first.verdict is Severity.PROBLEM
    assert first.fix.startswith("handheld doctor --stderr shows what it printed; ")
    assert first.sentence.startswith("S is connected, but: ")
    assert last.subject == "helper"
    assert last.sentence.startswith("Cannot find class")
    assert "\x1b" not in last.sentence


async def test_a_uiautomation_conflict_is_a_problem_that_names_the_holder(
    phone: VirtualPhone, link: DirectLink
) -> None:
    phone.world.automation.holder = "u2"

    async def processes(process: Process) -> int:
        await process.stdout.write(b" 77 app_process app_process / com.wetest.uia2.Main\n")
        return 0

    phone.programs["ps"] = processes
    [first, *_] = findings_of("S", await examine_phone(link))
    assert first.verdict is Severity.PROBLEM
    assert "It looks like uiautomator2 (u2.jar), pid 77 on the phone" in first.sentence


def test_each_relevant_fact_has_a_finding() -> None:
    def sentences(**facts: object) -> list[tuple[Severity, str]]:
        found = findings_of("S", Facts(helper_build="b", helper_ms=5, **facts))  # pyright: ignore
        return [(one.verdict, one.sentence) for one in found[1:]]

    assert sentences(api=25, android="7.1", model="Old") == [
        (Severity.PROBLEM, "S is Old with Android 7.1, API 25; Handheld needs Android 8 (API 26).")
    ]
    assert (Severity.WARNING, "S has 3 MB of storage left.") in sentences(free_mb=3)
    assert (Severity.OK, f"On phones of this maker: {switches_of('', 'POCO')}.") in sentences(
        brand="POCO"
    )
    assert findings_of("S", Facts(problem="It slept."))[0].sentence == (
        "S is connected, but: It slept."
    )


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/x 4096 1 2048 1% /data\n", 2),
        (
            "Filesystem            1K-blocks  Used Available Use% Mounted on\n"
            "/dev/block/by-name/userdata\n   4096 1 3072 1% /data\n",
            3,
        ),
        ("df: /data: Permission denied\n", None),
        ("", None),
    ],
)
def test_free_space_is_parsed_or_unknown(text: str, free: int | None) -> None:
    assert parse_free_mb(text) == free


@given(st.text())
def test_any_output_is_parsed_without_errors(text: str) -> None:
    parse_free_mb(text)
    parse_properties(text)
    PrivateWords({text: "x"}).hide(text)


# Removing private data


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("R58M123ABC is here", "<phone> is here"),
        ("usb_R58M123ABC_1, r58m123abc.log", "usb_<phone>_1, <phone>.log"),
        ("the adb of abc", "the adb of <user>"),
        ("fe80::1, ::1 and 12:30:45", "<address>, <address> and 12:30:45"),
        ("from 192.168.1.20:37099 on", "from <address> on"),
        ("[fe80::1ff:fe23:4567:890a]:5555", "<address>"),
        ("00:1A:2b:3C:4d:5E", "<hardware address>"),
        ("call +49 170 1234567 now", "call <number> now"),
        ("sms to 5551234567", "sms to <number>"),
        ("anna@example.org wrote", "<mail> wrote"),
        ("/home/anna/.config/handheld/x.toml", "<path>"),
        ("C:\\Users\\anna\\x", "<path>"),
        ("adb-R58M-a1b2c3._adb-tls-connect._tcp", "<phone over Wi-Fi>"),
        (
            "patch 2024-06-05, API 34, build AP2A.240805.005",
            "patch 2024-06-05, API 34, build AP2A.240805.005",
        ),
        ("build 0123456789abcdef, starts in 432 ms", "build 0123456789abcdef, starts in 432 ms"),
        ("/data/local/tmp/handheld.lock", "/data/local/tmp/handheld.lock"),
    ],
)
def test_only_private_data_is_replaced(text: str, hidden: str) -> None:
    words = {"R58M123ABC": "<phone>", "abc": "<user>", "ab": "no"}
    assert PrivateWords(words).hide(text) == hidden


def test_a_phone_has_one_alias_for_one_user() -> None:
    assert alias("R58M", b"one") == alias("R58M", b"one")
    assert alias("R58M", b"one") != alias("R58M", b"two")
    assert re.fullmatch("phone-[a-p]{8}", alias("R58M", b"one"))
    names = [alias(str(serial), b"one") for serial in range(500)]
    assert [PrivateWords({}).hide(name) for name in names] == names


async def test_unusable_phones_are_reported_with_their_state(tmp_path: Path) -> None:
    async with fake_adb() as adb:
        adb.show("R58M123ABC unauthorized usb:1-1 transport_id:1", "B device transport_id:2")
        environment = {"HANDHELD_HOME": str(tmp_path), "ANDROID_ADB_SERVER_PORT": str(adb.port)}
        text = await write_report(load({}, environment))
        again = await write_report(load({}, environment))
    assert "- state: unauthorized\n" in text
    assert "- phones: 2\n" in text
    assert "R58M123ABC" not in text
    assert re.findall("## phone-.*", text) == re.findall("## phone-.*", again)


def test_private_data_in_any_fact_is_replaced() -> None:
    """Every text in the report is cleaned in the same way, whatever its source."""
    private = ["R58M123ABC", "+491701234567", "192.168.1.20", "anna@example.org", "/home/anna/x"]
    facts = Facts(
        model=private[0],
        build=private[1],
        helper_problem=f"It said: {private[2]} and {private[3]}",
        stderr=[f"at {private[4]} of {private[0]}"],
        conflicts=f"It looks like {private[1]}",
    )
    words = PrivateWords({private[0]: "phone-1"})
    text = "\n".join(words.hide(line) for line in describe(PhoneState.DEVICE, "USB", facts))
    assert [word for word in private if word in text] == []


async def test_a_phone_by_its_address_is_in_the_report(tmp_path: Path, phone: VirtualPhone) -> None:
    async with fake_adb() as adb:
        environment = {"HANDHELD_HOME": str(tmp_path), "ANDROID_ADB_SERVER_PORT": str(adb.port)}
        text = await write_report(load({"phone": f"127.0.0.1:{phone.port}"}, environment))
    assert "- state: device, by address\n- maker: Handheld (handheld), model" in text
    assert re.search("^## phone-[a-p]{8}$", text, re.MULTILINE)
    assert str(phone.port) not in text


@pytest.mark.needs_adb
async def test_a_report_of_a_phone_holds_nothing_private(
    tmp_path: Path, phone: VirtualPhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Secrets of the virtual phone and of this machine must not be in the report."""
    need_adb()
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, value in ADB_ALONE.items():
        monkeypatch.setenv(name, value)
    port = keep_port()
    serial = f"127.0.0.1:{phone.port}"
    environment = {"HANDHELD_HOME": str(tmp_path), "ANDROID_ADB_SERVER_PORT": str(port)}
    try:
        await AdbServer(port=port, clock=PatientClock()).connect(serial)
        text = await write_report(load({}, environment))
    finally:
        ending = await asyncio.create_subprocess_exec("adb", "-P", str(port), "kill-server")
        await ending.wait()
    assert "- Android 14, API 34, patch 2024-06-05, build HANDHELD.34.001\n" in text
    assert re.search(r"- helper: build [0-9a-f]{16}, starts in \d+ ms, \d+ commands\n", text)
    private = [
        serial,
        "127.0.0.1",
        str(phone.port),
        socket.gethostname(),
        str(tmp_path),
        getpass.getuser(),
        phone.world.boot_id,
        *phone.world.apps,
        *(sim.number for sim in phone.world.telephony.sims),
    ]
    assert [word for word in private if len(word) > 2 and word in text] == []
