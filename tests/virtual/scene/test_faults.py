"""Faults, as our tools and adb report them."""

import asyncio

import pytest

from handheld.adb import sync
from handheld.adb.direct import DirectLink
from handheld.adb.link import AdbError
from handheld.adb.sync import SyncError
from handheld.adb.wire import SHELL_STDOUT, encode_shell
from handheld.helper.client import NO_HELPER
from handheld_virtual import FaultError, ManualClock, VirtualPhone
from handheld_virtual.commands.control import usage
from handheld_virtual.faults import FAULTS, REFUSED_INPUT
from harness.patient_clock import PatientClock
from harness.phones import link_to
from harness.polling import HANG, until

from .conftest import Used, taking, using


async def test_dropped_link_closes_every_connection_and_accepts_new_ones(used: Used) -> None:
    used.device.faults.drop_link()
    with pytest.raises(AdbError):
        await used.adb("echo never")
    async with link_to(used.device):
        pass
    assert used.device.faults.active == {}


async def test_dropped_link_refuses_connections_for_its_time() -> None:
    clock = ManualClock()
    async with VirtualPhone(clock=clock) as device:
        device.faults.set("drop-link=5000")
        assert device.faults.active == {"drop-link": "5000"}
        with pytest.raises(AdbError):
            await DirectLink.connect("127.0.0.1", device.port, clock=PatientClock())
        await clock.advance(5000)
        assert device.faults.active == {}
        async with link_to(device):
            pass


async def test_stalled_service_sends_nothing_until_cleared(used: Used) -> None:
    used.device.faults.stall("shell*")
    stream = await used.link.open("shell,v2,raw:echo late; touch /sdcard/printed")
    reading = asyncio.create_task(stream.read())
    await until(lambda: used.device.files.exists("/sdcard/printed"))
    # Later requests on the same connection are answered.
    with pytest.raises(SyncError, match="no such file"):
        await sync.pull(used.link, "/sdcard/none")
    assert not reading.done()
    used.device.faults.clear("stall")
    printed = await asyncio.wait_for(reading, HANG)
    assert printed.startswith(encode_shell(SHELL_STDOUT, b"late\n"))
    await stream.aclose()


async def test_open_stream_stalls_and_resumes(used: Used) -> None:
    stream = await used.link.open("shell,v2,raw:cat")
    used.device.faults.stall("*")
    reading = asyncio.create_task(stream.read())
    writing = asyncio.create_task(stream.write(b"\x00\x03\x00\x00\x00abc"))
    [stalled] = used.device.adbd.streams()
    await until(lambda: stalled.connection.unread)
    assert used.device.faults.active == {"stall": "*"}
    # Later streams on the same connection work.
    other = await used.link.open("shell,v2,raw:true")
    assert stalled.connection.unread == 8
    assert not reading.done()
    used.device.faults.clear()
    await asyncio.wait_for(writing, HANG)
    assert await asyncio.wait_for(reading, HANG) == b"\x01\x03\x00\x00\x00abc"
    await stream.aclose()
    await other.aclose()


async def test_a_killed_helper_is_started_again_for_the_next_read(used: Used) -> None:
    assert "Calculator" in await used.call("get_screen_state")
    assert used.device.faults.kill_helper() == 1
    assert "Calculator" in await used.call("get_screen_state")


async def test_refused_helper_is_reported(used: Used) -> None:
    used.device.faults.refuse_helper()
    assert await used.failure("get_screen_state") == NO_HELPER
    assert await used.adb("app_process / X") == (
        b"",
        b"/system/bin/sh: app_process: can't execute: Permission denied\n",
        126,
    )
    used.device.faults.clear("refuse-helper")
    assert (await used.adb("app_process / X"))[2] == 1


async def test_frozen_app_is_reported_as_missing() -> None:
    clock = ManualClock()
    async with using(VirtualPhone(clock=clock)) as used:
        used.world.launch("com.android.settings")
        assert "Network & internet" in await used.call("get_screen_state")
        used.device.faults.freeze("com.android.settings")
        shown, _ = await taking(clock, used.call("get_screen_state"))
        assert "note:" in shown
        assert "Network & internet" not in shown
        used.device.faults.clear("freeze")
        assert "Network & internet" in await used.call("get_screen_state")


async def test_only_an_installed_app_can_be_frozen(used: Used) -> None:
    with pytest.raises(FaultError, match=r"org\.none is not installed\."):
        used.device.faults.set("freeze=org.none")


async def test_a_full_disk_is_full_for_sync_the_shell_and_the_helper(used: Used) -> None:
    await used.call("get_screen_state")  # pushes the helper before the disk is full
    temporary = ".handheld-0123456789abcdef.part"
    await sync.push(used.link, b"new", f"/sdcard/Download/{temporary}")
    used.device.faults.fill_disk(600)
    with pytest.raises(SyncError) as caught:
        await sync.push(used.link, b"x" * 1000, "/sdcard/Download/large")
    assert caught.value.errno == 28
    out, err, code = await used.adb("echo 0123456789 > /sdcard/Download/a && echo b > /sdcard/b")
    assert (out, code) == (b"", 1)
    assert b"No space left on device" in err
    with pytest.raises(SyncError) as caught:
        await used.driver.commit("primary:Download", temporary, "a folder/new.txt", None)
    assert (caught.value.errno, str(caught.value)) == (
        28,
        "a folder/new.txt: the phone's storage is full.",
    )
    used.device.faults.clear("fill-disk")
    await sync.push(used.link, b"x" * 1000, "/sdcard/Download/large")


async def test_a_locked_screen_is_what_the_next_read_shows(used: Used) -> None:
    used.device.faults.lock_screen()
    assert used.device.faults.active == {"lock-screen": ""}
    assert "Calculator" not in await used.call("get_screen_state")
    used.device.faults.clear("lock-screen")
    assert "Calculator" in await used.call("get_screen_state")


def test_clearing_leaves_a_phone_locked_that_was_locked_before() -> None:
    phone = VirtualPhone.from_scene("locked")
    phone.faults.lock_screen()
    phone.faults.clear()
    assert phone.world.locked


async def test_refused_input_names_the_setting_that_allows_it(used: Used) -> None:
    used.device.properties["ro.product.manufacturer"] = "Xiaomi"
    used.device.faults.refuse_input()
    assert await used.failure("tap", x=100, y=100) == (
        "The phone does not let adb touch the screen: turn on “USB debugging (Security settings)” "
        "in its developer options and restart it. Nothing was done."
    )
    out, err, code = await used.adb("input tap 5 5")
    assert (out, code) == (b"", 255)
    assert f"java.lang.SecurityException: {REFUSED_INPUT}".encode() in err
    assert used.world.events == []
    used.device.faults.clear("refuse-input")
    assert await used.adb("input tap 5 5") == (b"", b"", 0)


async def test_plain_adb_sets_lists_and_clears_faults(used: Used) -> None:
    assert await used.adb("virtual fault refuse-input fill-disk=10") == (b"", b"", 0)
    assert await used.adb("virtual fault") == (b"refuse-input\nfill-disk=10\n", b"", 0)
    assert await used.adb("virtual fault clear refuse-input") == (b"", b"", 0)
    assert await used.adb("virtual fault") == (b"fill-disk=10\n", b"", 0)
    assert await used.adb("virtual fault clear") == (b"", b"", 0)
    assert await used.adb("virtual fault") == (b"", b"", 0)


async def test_plain_adb_sets_the_latency(used: Used) -> None:
    assert await used.adb("virtual latency") == (b"none\n", b"", 0)
    assert await used.adb("virtual latency phone; virtual latency none") == (b"", b"", 0)
    assert used.device.latency == "none"


@pytest.mark.parametrize(
    ("words", "message", "code"),
    [
        ("virtual", usage(), 2),
        ("virtual fault dropp-link", "Unknown fault 'dropp-link'. Did you mean drop-link?", 1),
        ("virtual fault stall", "The fault stall needs a value: stall=SERVICE.", 1),
        ("virtual fault lock-screen=1", "The fault lock-screen takes no value.", 1),
        (
            "virtual fault fill-disk=much",
            "The fault fill-disk takes a number from 0 to 1099511627776, not 'much'.",
            1,
        ),
        (
            "virtual latency fast",
            "Unknown latency profile 'fast'. Choose one of none, phone, wifi.",
            1,
        ),
    ],
)
async def test_unknown_faults_and_values_are_refused(
    used: Used, words: str, message: str, code: int
) -> None:
    whole = message if code == 2 else f"virtual: {message}\n"
    assert await used.adb(words) == (b"", whole.encode(), code)


def test_the_usage_names_every_fault() -> None:
    listed = usage().partition("faults:\n")[2].splitlines()[:-1]
    assert [line.split()[0].partition("=")[0] for line in listed] == list(FAULTS)


async def test_virtual_program_is_not_part_of_android(used: Used) -> None:
    assert await used.adb("which virtual") == (b"/system/bin/virtual\n", b"", 0)


async def test_a_scene_of_faults_works_as_adb_sees_it() -> None:
    async with using(VirtualPhone.from_scene("trouble")) as used:
        listed = (await used.adb("virtual fault"))[0].decode().split()
        assert listed == ["refuse-input", "refuse-helper", "fill-disk=65536"]
