"""Which driver a phone has, as its helper comes and goes."""

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from handheld.driver.fallback import FallbackDriver
from handheld.driver.shell_screen import NOTE
from handheld.driver.unsupported import NeedsHelper, Unsupported, refusal
from handheld.errors import ActionFailed
from handheld.helper.client import NO_HELPER, HelperClient
from handheld.helper.protocol import Frame, Kind
from handheld.virtual.phone import VirtualPhone
from handheld.virtual.sh.process import Process
from manual_clock import ManualClock

from .conftest import QUICK, Script, WatchedLink, install

TAP = [[(5.0, 500.0, 0)]]
MAYBE = "The action may or may not have happened; look at the screen before going on."


@pytest.fixture
async def either(link: WatchedLink, clock: ManualClock) -> AsyncIterator[FallbackDriver]:
    driver = FallbackDriver(HelperClient(link, timing=QUICK), pauses=(30.0, 60.0), clock=clock)
    yield driver
    await driver.aclose()


def touches(phone: VirtualPhone) -> int:
    return sum(event.kind == "touch" for event in phone.world.events)


async def test_a_helper_that_starts_is_used(
    phone: VirtualPhone, link: WatchedLink, either: FallbackDriver
) -> None:
    screen = await either.read_screen()
    assert (screen.notes, screen.degraded, either.trouble) == ((), False, "")
    assert not any("uiautomator" in service for service in link.services)


async def test_without_a_helper_the_call_is_done_all_the_same_and_that_is_said_once(
    phone: VirtualPhone,
    link: WatchedLink,
    either: FallbackDriver,
    caplog: pytest.LogCaptureFixture,
) -> None:
    phone.faults.refuse_helper()
    with caplog.at_level(logging.INFO, logger="handheld"):
        await either.touch(TAP)
        assert touches(phone) == 2
        first, second = await either.read_screen(), await either.read_screen()
    assert either.trouble == NO_HELPER
    assert first.notes == (NOTE, f"Handheld's helper is not used on this phone. {either.trouble}")
    assert second.notes == (NOTE,)
    assert [record.getMessage() for record in caplog.records] == [
        f"{link.serial} is used without Handheld's helper, by adb's shell alone, which can do less."
        f" {either.trouble}"
    ]
    assert link.starts == 1
    with pytest.raises(NeedsHelper) as caught:
        await either.get_clipboard()
    assert caught.value.message == refusal(Unsupported.CLIPBOARD, either.trouble)


async def test_the_helper_is_tried_again_after_a_while(
    phone: VirtualPhone,
    link: WatchedLink,
    either: FallbackDriver,
    clock: ManualClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    phone.faults.refuse_helper()
    await either.read_screen()
    clock.put_forward(29.9)
    await either.read_screen()
    assert link.starts == 1
    clock.put_forward(0.1)
    await either.read_screen()
    assert link.starts == 2
    clock.put_forward(59.9)
    await either.read_screen()
    assert link.starts == 2
    phone.faults.clear()
    clock.put_forward(0.1)
    with caplog.at_level(logging.INFO, logger="handheld"):
        screen = await either.read_screen()
    assert (link.starts, screen.notes, either.trouble) == (3, (), "")
    assert caplog.messages[1:] == [f"{link.serial}: the helper runs again."]


async def test_an_action_whose_helper_dies_is_not_repeated(
    phone: VirtualPhone, link: WatchedLink, either: FallbackDriver
) -> None:
    async def die(script: Script, frame: Frame) -> None:
        raise RuntimeError

    async def run(process: Process) -> int:
        try:
            return await Script(die).program(process)
        except RuntimeError:
            return 1

    install(phone, run)
    for _ in range(3):
        with pytest.raises(ActionFailed) as caught:
            await either.touch(TAP)
        assert caught.value.message.endswith(MAYBE)
    assert (touches(phone), link.starts) == (0, 3)
    assert either.trouble.startswith("The helper died 3 times in a row: ")
    # Only the next call goes the other way.
    await either.touch(TAP)
    assert (touches(phone), link.starts) == (2, 3)


async def test_a_helper_that_dies_under_many_calls_has_died_once(
    phone: VirtualPhone, link: WatchedLink, either: FallbackDriver
) -> None:
    calls = 5

    async def die(script: Script, frame: Frame) -> None:
        if len([frame for frame in script.frames if frame.kind == Kind.CALL]) == calls:
            raise RuntimeError

    async def run(process: Process) -> int:
        try:
            return await Script(die).program(process)
        except RuntimeError:
            return 1

    install(phone, run)
    lost = await asyncio.gather(*(either.touch(TAP) for _ in range(calls)), return_exceptions=True)
    assert [type(failure) for failure in lost] == [ActionFailed] * calls
    assert (link.starts, either.trouble) == (1, "")


async def test_a_read_whose_helper_keeps_dying_is_done_by_the_shell(
    phone: VirtualPhone, either: FallbackDriver
) -> None:
    async def die(process: Process) -> int:
        return 1

    install(phone, die)
    screen = await either.read_screen()
    assert NOTE in screen.notes


async def test_an_answer_without_sense_is_not_believed(
    phone: VirtualPhone, link: WatchedLink, either: FallbackDriver
) -> None:
    async def babble(script: Script, frame: Frame) -> None:
        if frame.kind == Kind.CALL:
            await script.reply(frame.call, {"weather": "fine"})

    install(phone, Script(babble).program)
    screen = await either.read_screen()
    said = "The helper on the phone gave an answer that makes no sense."
    assert (NOTE in screen.notes, either.trouble) == (True, said)
    assert phone.processes.find("app_process") == []


async def test_an_action_with_an_answer_without_sense_stays_in_doubt(
    phone: VirtualPhone, either: FallbackDriver
) -> None:
    async def babble(script: Script, frame: Frame) -> None:
        if frame.kind == Kind.CALL:
            await script.reply(frame.call, {})

    install(phone, Script(babble).program)
    with pytest.raises(ActionFailed, match=r"makes no sense\. The action may or may not"):
        await either.stop("com.android.calculator2")


async def test_another_build_of_the_helper_is_no_reason_to_stop(
    phone: VirtualPhone, either: FallbackDriver
) -> None:
    install(phone, Script(hello={"build": "feedfacefeedface"}).program)
    assert NOTE in (await either.read_screen()).notes
    assert "starts build feedfacefeedface" in either.trouble


async def test_a_phone_that_takes_no_jar_is_used_all_the_same(
    phone: VirtualPhone, either: FallbackDriver
) -> None:
    async def lie(process: Process) -> int:
        await process.stdout.write(b"0" * 64 + b"  file\n")
        return 0

    phone.programs["sha256sum"] = lie
    assert NOTE in (await either.read_screen()).notes
    assert "did not arrive" in either.trouble
