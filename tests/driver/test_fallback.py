"""Which driver performs a call, depending on whether the helper runs."""

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from handheld.driver import Rest
from handheld.driver.by_shell.screen import NOTE
from handheld.driver.by_shell.unsupported import NeedsHelper, Unsupported, refusal
from handheld.driver.fallback import FallbackDriver
from handheld.errors import ActionFailed
from handheld.helper.client import NO_HELPER, HelperClient
from handheld.helper.protocol import Frame, FrameKind
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.process import Process
from harness.manual_clock import ManualClock
from harness.phones import WatchedLink

from .conftest import QUICK, Script, install

TAP = [[(5.0, 500.0, 0)]]
MAYBE = "The action may or may not have happened; look at the screen before going on."


@pytest.fixture
async def fallback(link: WatchedLink, clock: ManualClock) -> AsyncIterator[FallbackDriver]:
    driver = FallbackDriver(HelperClient(link, timing=QUICK), pauses=(30.0, 60.0), clock=clock)
    yield driver
    await driver.aclose()


def touches(phone: VirtualPhone) -> int:
    return sum(event.kind == "touch" for event in phone.world.events)


async def test_helper_that_starts_is_used(
    phone: VirtualPhone, link: WatchedLink, fallback: FallbackDriver
) -> None:
    screen = await fallback.read_screen()
    assert (screen.notes, screen.degraded, fallback.trouble) == ((), False, "")
    assert not any("uiautomator" in service for service in link.services)


async def test_calls_use_the_shell_without_a_helper_and_it_is_logged_once(
    phone: VirtualPhone,
    link: WatchedLink,
    fallback: FallbackDriver,
    caplog: pytest.LogCaptureFixture,
) -> None:
    phone.faults.refuse_helper()
    with caplog.at_level(logging.INFO, logger="handheld"):
        await fallback.touch(TAP)
        assert touches(phone) == 2
        first, second = await fallback.read_screen(), await fallback.read_screen()
    assert fallback.trouble == NO_HELPER
    assert first.notes == (NOTE, f"Handheld's helper is not used on this phone. {fallback.trouble}")
    assert second.notes == (NOTE,)
    assert [record.getMessage() for record in caplog.records] == [
        f"{link.serial} is used without Handheld's helper: adb's shell does the work, and can do "
        f"less. {fallback.trouble}"
    ]
    assert link.starts == 1


async def test_unsupported_verbs_state_why_the_helper_does_not_run(
    phone: VirtualPhone, fallback: FallbackDriver
) -> None:
    phone.faults.refuse_helper()
    for unsupported, call in (
        (Unsupported.CLIPBOARD, fallback.get_clipboard()),
        (Unsupported.CLIPBOARD, fallback.set_clipboard("x")),
        (Unsupported.FINGERS, fallback.pinch(500, 500, 2, 300)),
        (Unsupported.MESSAGES, fallback.subscriptions()),
        (Unsupported.MESSAGES, fallback.send_sms(1, "+15550100", "x")),
    ):
        with pytest.raises(NeedsHelper) as caught:
            await call
        assert caught.value.unsupported is unsupported
        assert caught.value.message == refusal(unsupported, fallback.trouble)


async def test_helper_is_tried_again_after_a_pause(
    phone: VirtualPhone,
    link: WatchedLink,
    fallback: FallbackDriver,
    clock: ManualClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    phone.faults.refuse_helper()
    await fallback.read_screen()
    clock.put_forward(29.9)
    await fallback.read_screen()
    assert link.starts == 1
    clock.put_forward(0.1)
    await fallback.read_screen()
    assert link.starts == 2
    clock.put_forward(59.9)
    await fallback.read_screen()
    assert link.starts == 2
    phone.faults.clear()
    clock.put_forward(0.1)
    with caplog.at_level(logging.INFO, logger="handheld"):
        screen = await fallback.read_screen()
    assert (link.starts, screen.notes, fallback.trouble) == (3, (), "")
    assert caplog.messages[1:] == [f"{link.serial}: the helper runs again."]


async def test_action_is_not_repeated_when_the_helper_dies(
    phone: VirtualPhone, link: WatchedLink, fallback: FallbackDriver
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
            await fallback.touch(TAP)
        assert caught.value.message.endswith(MAYBE)
    assert (touches(phone), link.starts) == (0, 3)
    assert fallback.trouble.startswith("The helper died 3 times in a row: ")
    # Only the next call uses the shell.
    await fallback.touch(TAP)
    assert (touches(phone), link.starts) == (2, 3)


async def test_connection_that_is_closed_during_many_calls_is_no_death(
    phone: VirtualPhone, fallback: FallbackDriver
) -> None:
    await fallback.aclose()
    for _ in range(4):
        with pytest.raises(ActionFailed):
            await fallback.read_screen()
    assert fallback.trouble == ""


async def test_death_during_many_calls_counts_once(
    phone: VirtualPhone, link: WatchedLink, fallback: FallbackDriver
) -> None:
    calls = 5

    async def die(script: Script, frame: Frame) -> None:
        if len([frame for frame in script.frames if frame.kind == FrameKind.CALL]) == calls:
            raise RuntimeError

    async def run(process: Process) -> int:
        try:
            return await Script(die).program(process)
        except RuntimeError:
            return 1

    install(phone, run)
    lost = await asyncio.gather(
        *(fallback.touch(TAP) for _ in range(calls)), return_exceptions=True
    )
    assert [type(failure) for failure in lost] == [ActionFailed] * calls
    assert (link.starts, fallback.trouble) == (1, "")


async def test_read_uses_the_shell_when_the_helper_keeps_dying(
    phone: VirtualPhone, fallback: FallbackDriver
) -> None:
    async def die(process: Process) -> int:
        return 1

    install(phone, die)
    screen = await fallback.read_screen()
    assert NOTE in screen.notes


async def test_invalid_answer_to_a_read_stops_the_helper(
    phone: VirtualPhone, link: WatchedLink, fallback: FallbackDriver
) -> None:
    async def babble(script: Script, frame: Frame) -> None:
        if frame.kind == FrameKind.CALL:
            await script.reply(frame.call, {"weather": "fine"})

    install(phone, Script(babble).program)
    screen = await fallback.read_screen()
    trouble = "The helper on the phone gave an answer that makes no sense."
    assert (NOTE in screen.notes, fallback.trouble) == (True, trouble)
    assert phone.processes.find("app_process") == []


async def test_invalid_answer_to_an_action_leaves_it_in_doubt(
    phone: VirtualPhone, fallback: FallbackDriver
) -> None:
    async def babble(script: Script, frame: Frame) -> None:
        if frame.kind == FrameKind.CALL:
            await script.reply(frame.call, {})

    install(phone, Script(babble).program)
    with pytest.raises(ActionFailed, match=r"makes no sense\. The action may or may not"):
        await fallback.stop("com.android.calculator2")


async def test_shell_is_used_when_another_helper_build_starts(
    phone: VirtualPhone, fallback: FallbackDriver
) -> None:
    install(phone, Script(hello={"build": "feedfacefeedface"}).program)
    assert NOTE in (await fallback.read_screen()).notes
    assert "starts build feedfacefeedface" in fallback.trouble


async def test_shell_is_used_when_the_jar_cannot_be_pushed(
    phone: VirtualPhone, fallback: FallbackDriver
) -> None:
    async def lie(process: Process) -> int:
        await process.stdout.write(b"0" * 64 + b"  file\n")
        return 0

    phone.programs["sha256sum"] = lie
    assert NOTE in (await fallback.read_screen()).notes
    assert "did not arrive" in fallback.trouble


async def test_resting_view_reads_the_screen_through_the_helper(fallback: FallbackDriver) -> None:
    rest = Rest(1, 1, 1)
    await fallback.resting(rest).touch(TAP)
    assert rest.rested is not None
    assert rest.rested.screen is not None


async def test_resting_view_shares_what_is_known_about_the_helper(
    phone: VirtualPhone, link: WatchedLink, fallback: FallbackDriver
) -> None:
    phone.faults.refuse_helper()
    rest = Rest(1, 1, 1)
    await fallback.resting(rest).touch(TAP)
    assert rest.rested is None
    assert fallback.trouble == NO_HELPER
    await fallback.touch(TAP)
    await fallback.resting(rest).touch(TAP)
    assert link.starts == 1
    assert touches(phone) == 6
