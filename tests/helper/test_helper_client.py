"""The helper's client: starting, calling, losing and restarting the helper."""

import asyncio
import io
import zipfile
from contextlib import suppress

import anyio
import pytest

from driver.conftest import QUICK, Clients, Script, install
from handheld.adb.link import AdbError
from handheld.helper.client import NO_HELPER, HelperClient, HelperNotStarted
from handheld.helper.jar import bundled_jar
from handheld.helper.protocol import (
    GREETING,
    JAR_FOLDER,
    Code,
    Frame,
    FrameKind,
    Happened,
    HelperFailure,
    encode_json,
)
from handheld.helper.session import HelperLost, Timing
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.reference_helper import program as reference
from handheld_virtual.sh.process import Process
from harness.manual_clock import ManualClock
from harness.phones import WatchedLink
from harness.polling import HANG, until
from helper.contract.vectors import VECTORS, names

TAP = {"strokes": [[[540, 1200, 0]]]}
LONG = {"strokes": [[[100, 1000, 0], [100, 400, 4000]]]}


def touches(phone: VirtualPhone) -> list[object]:
    actions = [event.details[0] for event in phone.world.events if event.kind == "touch"]
    return [action for action in actions if action != "move"]


def jars(phone: VirtualPhone) -> list[str]:
    return [name for name in phone.files.list(JAR_FOLDER) if "helper" in name]


async def tap(client: HelperClient) -> None:
    assert (await client.call("touch", TAP, budget_ms=5000, act=True)).reply == {}


# Starting.


async def test_no_service_is_opened_before_the_first_call(
    phone: VirtualPhone, link: WatchedLink, client: HelperClient
) -> None:
    assert link.services == []
    await tap(client)
    assert jars(phone) == [bundled_jar().path.rpartition("/")[2]]
    assert phone.files.read(bundled_jar().path) == bundled_jar().data
    assert link.starts == 1


async def test_present_jar_is_not_pushed_again(
    link: WatchedLink, client: HelperClient, clients: Clients
) -> None:
    await tap(client)
    await client.aclose()
    link.services.clear()
    await tap(clients())
    assert [service.partition(":")[0] for service in link.services] == ["sync", "shell,v2,raw"]


def test_jar_is_a_dex_file() -> None:
    data = bundled_jar().data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["META-INF/MANIFEST.MF", "classes.dex"]
        assert archive.read("classes.dex").startswith(b"dex\n038\0")


async def test_jar_is_not_writable(phone: VirtualPhone, client: HelperClient) -> None:
    await tap(client)
    assert phone.files.stat(bundled_jar().path).mode & 0o777 == 0o444


async def test_only_jars_of_other_builds_are_removed(
    phone: VirtualPhone, client: HelperClient
) -> None:
    others = [f"handheld-helper-{n:016x}.jar" for n in range(3)]
    foreign = ["handheld-helper-mine.jar", "handheld-helper-0123456789abcdef.jar.old", "notes.txt"]
    for name in [*others, *foreign]:
        phone.files.write(f"/data/local/tmp/{name}", b"x")
    await tap(client)
    left = set(phone.files.list("/data/local/tmp"))
    assert left.isdisjoint(others)
    assert left >= {*foreign, bundled_jar().path.rpartition("/")[2]}


async def test_a_jar_of_an_interrupted_push_is_removed_without_a_round_trip(
    phone: VirtualPhone, link: WatchedLink, client: HelperClient, clients: Clients
) -> None:
    await tap(client)
    await client.aclose()
    left = bundled_jar().temporary()
    phone.files.write(left, b"PK")
    phone.files.set_time(left, 0)
    link.services.clear()
    await tap(clients())
    assert not phone.files.exists(left)
    assert [service.partition(":")[0] for service in link.services] == ["sync", "shell,v2,raw"]


async def test_another_build_on_the_phone_is_replaced_once(
    phone: VirtualPhone, link: WatchedLink, client: HelperClient
) -> None:
    jar = bundled_jar()
    phone.files.write(jar.path, bytes(len(jar.data)))
    await tap(client)
    assert phone.files.read(jar.path) == jar.data
    assert jars(phone) == [jar.path.rpartition("/")[2]]
    assert link.starts == 2


async def test_repeated_start_of_another_build_is_an_error(
    phone: VirtualPhone, link: WatchedLink, client: HelperClient
) -> None:
    install(phone, Script(hello={"build": "feedfacefeedface"}).program)
    with pytest.raises(HelperNotStarted, match="starts build feedfacefeedface"):
        await client.call("touch", TAP, budget_ms=5000, act=True)
    assert link.starts == 2
    assert touches(phone) == []


async def test_partially_pushed_jar_is_not_used(phone: VirtualPhone, client: HelperClient) -> None:
    async def lie(process: Process) -> int:
        await process.stdout.write(b"0" * 64 + b"  file\n")
        return 0

    phone.programs["sha256sum"] = lie
    with pytest.raises(HelperNotStarted, match="did not arrive"):
        await client.call("screen", budget_ms=5000)
    assert jars(phone) == []


async def test_output_before_the_greeting_is_skipped_and_kept(
    phone: VirtualPhone, client: HelperClient
) -> None:
    noise = b"WARNING: linker: something\nHANDHELD 0\nHANDHELD " * 500

    async def noisy(process: Process) -> int:
        await process.stdout.write(noise)
        await process.stderr.write(b"x" * 70_000 + b"the end")
        return await reference.run(process)

    install(phone, noisy)
    await tap(client)
    session = client.session
    assert session is not None
    assert session.noise == noise
    await until(lambda: len(session.stderr) == 65536)
    assert session.stderr.endswith(b"the end")


async def test_endless_output_before_the_greeting_is_an_error(
    phone: VirtualPhone, client: HelperClient
) -> None:
    async def chatter(process: Process) -> int:
        while True:
            await process.stdout.write(b"la " * 1000)

    install(phone, chatter)
    with pytest.raises(HelperLost, match="no greeting"):
        await client.call("screen", budget_ms=5000)
    await until(lambda: phone.processes.all() == [])


@pytest.mark.parametrize("code", [126, 127])
async def test_phone_that_cannot_run_the_jar_is_reported(
    phone: VirtualPhone, client: HelperClient, code: int
) -> None:
    async def fail(process: Process) -> int:
        await process.stderr.write(b"/system/bin/sh: app_process: can't execute\n")
        return code

    install(phone, fail)
    with pytest.raises(HelperLost) as caught:
        await client.call("touch", TAP, budget_ms=5000, act=True)
    assert (caught.value.message, caught.value.happened) == (NO_HELPER, Happened.NO)


async def test_error_output_of_a_failing_jar_is_quoted(
    phone: VirtualPhone, client: HelperClient
) -> None:
    async def fail(process: Process) -> int:
        await process.stderr.write(b"first line\nAborted: no looper\n")
        return 134

    install(phone, fail)
    with pytest.raises(HelperLost, match=r"exit code 134\)\. It said: Aborted: no looper"):
        await client.call("screen", budget_ms=5000)


@pytest.mark.slow
async def test_helper_that_never_greets_times_out(
    phone: VirtualPhone, clients: Clients, clock: ManualClock
) -> None:
    async def sulk(process: Process) -> int:
        await process.stdin.read()
        return 0

    install(phone, sulk)
    call = asyncio.create_task(clients(clock=clock).call("screen", budget_ms=5000))
    await clock.until_waits(15)
    await clock.advance(15)
    with pytest.raises(HelperLost, match="did not start within 15 s"):
        await call
    await until(lambda: phone.processes.all() == [])


async def test_second_client_learns_who_holds_the_phone(clients: Clients) -> None:
    await tap(clients("serve"))
    with pytest.raises(HelperFailure) as caught:
        await clients("stdio").call("screen", budget_ms=5000)
    assert caught.value.code is Code.IN_USE
    assert caught.value.data["client"] == "serve"


async def test_our_own_former_helper_is_awaited(
    phone: VirtualPhone, link: WatchedLink, clients: Clients
) -> None:
    first, second = clients(), clients()
    await tap(first)
    waiting = asyncio.create_task(tap(second))
    await until(lambda: link.starts == 2)
    await first.aclose()
    await waiting
    assert touches(phone) == ["down", "up"] * 2


# Calling.


async def test_answers_are_matched_to_their_calls(
    phone: VirtualPhone, client: HelperClient
) -> None:
    async def answer_backwards(script: Script, frame: Frame) -> None:
        if len(script.calls) == 5:
            for frame in reversed(script.frames):
                await script.write(
                    encode_json(FrameKind.DATA, frame.call, {"call": frame.call})[:-1]  # any bytes
                    + b"}"
                )
                await script.reply(frame.call, {"call": frame.call})

    install(phone, Script(answer_backwards).program)
    answers = await asyncio.gather(*(client.call("screen", budget_ms=5000) for _ in range(5)))
    assert [answer.reply for answer in answers] == [{"call": n} for n in range(1, 6)]
    assert [answer.data for answer in answers] == [b'{"call":%d}' % n for n in range(1, 6)]


async def test_concurrent_callers_share_one_helper(link: WatchedLink, client: HelperClient) -> None:
    await asyncio.gather(*(client.call("screen", budget_ms=5000) for _ in range(8)))
    assert link.starts == 1


async def test_cancelled_caller_returns_only_when_the_phone_is_free(
    phone: VirtualPhone, link: WatchedLink, client: HelperClient
) -> None:
    gesture = asyncio.create_task(client.call("touch", LONG, budget_ms=9000, act=True))
    await until(lambda: touches(phone) == ["down"])
    gesture.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gesture
    assert touches(phone) == ["down", "cancel"]
    await tap(client)
    assert touches(phone) == ["down", "cancel", "down", "up"]
    assert link.starts == 1


async def test_repeated_cancellation_does_not_shorten_the_wait(
    phone: VirtualPhone, clients: Clients, clock: ManualClock
) -> None:
    client = clients(clock=clock)
    release = asyncio.Event()

    async def slow(script: Script, frame: Frame) -> None:
        if frame.kind == FrameKind.CANCEL:
            await release.wait()
            error = {"code": "cancelled", "message": "x", "happened": "partly"}
            await script.write(encode_json(FrameKind.ERROR, frame.call, error))

    script = Script(slow)
    install(phone, script.program)
    call = asyncio.create_task(client.call("touch", LONG, budget_ms=5000, act=True))
    await script.received(lambda: bool(script.calls))
    call.cancel()
    await script.received(lambda: script.frames[-1].kind == FrameKind.CANCEL)
    for _ in range(20):
        call.cancel()
        await asyncio.sleep(0)
    assert not call.done()
    release.set()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert [frame.kind for frame in script.frames] == [FrameKind.CALL, FrameKind.CANCEL]
    assert script.runs == 1


async def test_cancel_scope_waits_for_the_phone_too(
    phone: VirtualPhone, link: WatchedLink, client: HelperClient
) -> None:
    await tap(client)
    scope = anyio.CancelScope()

    async def leave() -> None:
        await until(lambda: touches(phone)[2:] == ["down"])
        scope.cancel()

    leaving = asyncio.create_task(leave())
    with scope:
        await client.call("touch", LONG, budget_ms=9000, act=True)
    await leaving
    assert scope.cancelled_caught
    assert touches(phone)[2:] == ["down", "cancel"]
    await tap(client)
    assert link.starts == 1


@pytest.mark.parametrize(
    "value", ["x" * 5_000_000, float("nan"), float("inf")], ids=["too long", "NaN", "infinity"]
)
async def test_oversized_call_is_rejected_by_the_client(
    phone: VirtualPhone, client: HelperClient, value: object
) -> None:
    with pytest.raises(HelperFailure) as caught:
        await client.call("launch", {"package": value}, budget_ms=5000, act=True)
    assert (caught.value.code, caught.value.happened) == (Code.BAD_CALL, Happened.NO)
    await tap(client)


async def test_helper_that_ignores_a_cancel_is_restarted(
    phone: VirtualPhone, clients: Clients, clock: ManualClock
) -> None:
    script = Script()
    install(phone, script.program)
    client = clients(timing=Timing(grace_ms=300), clock=clock)
    call = asyncio.create_task(client.call("touch", LONG, budget_ms=5000, act=True))
    await script.received(lambda: bool(script.calls))
    await clock.until_waits(5.3)
    call.cancel()
    await script.received(lambda: script.frames[-1].kind == FrameKind.CANCEL)
    await clock.advance(0.299)
    assert not call.done()
    assert client.connected
    await clock.advance(0.001)
    with pytest.raises(asyncio.CancelledError):
        await call
    assert not client.connected
    install(phone, reference.run)
    await tap(client)


async def test_unresponsive_helper_is_restarted_after_budget_and_grace(
    phone: VirtualPhone, clients: Clients, clock: ManualClock
) -> None:
    script = Script()
    install(phone, script.program)
    timing = Timing(grace_ms=400_000, ping_seconds=10_000, backoff_seconds=(0.0,))
    client = clients(timing=timing, clock=clock)
    for act, happened in ((True, Happened.MAYBE), (False, Happened.NO)):
        calls = len(script.calls)
        call = asyncio.create_task(client.call("touch", TAP, budget_ms=600_000, act=act))
        await script.received(lambda calls=calls: len(script.calls) > calls)
        await clock.until_waits_only(1000, 10_000)
        await clock.advance(999)
        assert not call.done()
        await clock.advance(1)
        with pytest.raises(HelperFailure) as caught:
            await call
        assert (caught.value.code, caught.value.happened) == (Code.OUT_OF_TIME, happened)
    assert len(script.calls) == script.runs == 2
    install(phone, reference.run)
    await tap(client)
    assert touches(phone) == ["down", "up"]


# Staying alive.


async def test_pings_are_sent_only_while_idle(
    phone: VirtualPhone, clients: Clients, clock: ManualClock
) -> None:
    async def answer(script: Script, frame: Frame) -> None:
        if frame.kind == FrameKind.PING:
            await script.pong(frame)
        else:
            await script.reply(frame.call, {})

    script = Script(answer)
    install(phone, script.program)
    client = clients(timing=Timing(ping_seconds=1000, silence_seconds=1500), clock=clock)
    for left in (1000, 200, 200, 200):
        await client.call("screen", budget_ms=5000)
        await clock.until_waits_only(left)
        await clock.advance(800)
    assert clock.waits == [200]
    await clock.advance(200)
    await script.received(lambda: script.frames[-1].kind == FrameKind.PING)
    assert [frame.kind for frame in script.frames] == [FrameKind.CALL] * 4 + [FrameKind.PING]
    assert client.connected


async def test_silent_helper_is_detected_without_a_call(
    phone: VirtualPhone, clients: Clients, clock: ManualClock
) -> None:
    async def answer(script: Script, frame: Frame) -> None:
        if frame.kind == FrameKind.CALL:
            await script.reply(frame.call, {})

    script = Script(answer)
    install(phone, script.program)
    client = clients(timing=Timing(ping_seconds=1000, silence_seconds=1500), clock=clock)
    await client.call("screen", budget_ms=5000)
    await clock.until_waits_only(1000)
    await clock.advance(1000)
    await script.received(lambda: script.frames[-1].kind == FrameKind.PING)
    await clock.until_waits_only(1000)
    assert client.connected
    await clock.advance(1000)
    assert not client.connected
    assert client.session is not None
    assert client.session.lost == "The helper on the phone has been silent for 2000 s."


# Losing it.


async def test_helper_killed_while_idle_is_restarted_at_the_next_call(
    phone: VirtualPhone, link: WatchedLink, client: HelperClient
) -> None:
    await tap(client)
    assert phone.kill("handheld") == 1
    await until(lambda: not client.connected)
    await tap(client)
    assert link.starts == 2
    assert touches(phone) == ["down", "up"] * 2


async def test_action_on_a_lost_stream_is_never_repeated(
    phone: VirtualPhone, link: WatchedLink, client: HelperClient
) -> None:
    call = asyncio.create_task(client.call("touch", LONG, budget_ms=9000, act=True))
    await until(lambda: touches(phone) == ["down"])
    phone.kill("handheld")
    with pytest.raises(HelperLost, match="ended") as caught:
        await call
    assert caught.value.happened is Happened.MAYBE
    assert touches(phone) == ["down"]  # the finger is never lifted
    await tap(client)
    assert link.starts == 2
    assert touches(phone) == ["down", "down", "up"]


async def test_read_on_a_lost_stream_is_repeated_once(
    phone: VirtualPhone, link: WatchedLink, client: HelperClient
) -> None:
    async def die(script: Script, frame: Frame) -> None:
        if script.runs == 1:
            phone.kill("handheld")
        else:
            await script.reply(frame.call, {"seq": 7})

    script = Script(die)
    install(phone, script.program)
    answer = await client.call("changed", {"after": 0, "within_ms": 9}, budget_ms=5000)
    assert answer.reply == {"seq": 7}
    assert script.calls[0] == script.calls[1]
    assert link.starts == len(script.calls) == 2


async def test_read_that_loses_two_streams_is_an_error(
    phone: VirtualPhone, client: HelperClient
) -> None:
    async def die(script: Script, frame: Frame) -> None:
        phone.kill("handheld")

    script = Script(die)
    install(phone, script.program)
    async with asyncio.timeout(HANG):
        with pytest.raises(HelperLost) as caught:
            await client.call("screen", budget_ms=5000)
    assert caught.value.happened is Happened.NO
    assert len(script.calls) == 2


async def test_restarts_in_a_row_are_spaced(
    phone: VirtualPhone, link: WatchedLink, clients: Clients, clock: ManualClock
) -> None:
    async def fail(process: Process) -> int:
        return 1

    install(phone, fail)
    client = clients(timing=Timing(backoff_seconds=(0.0, 1000)), clock=clock)
    for _ in range(2):
        with pytest.raises(HelperLost):
            await client.call("screen", budget_ms=5000)
    third = asyncio.create_task(client.call("screen", budget_ms=5000))
    await clock.until_waits_only(1000)
    await clock.advance(999)
    assert (third.done(), link.starts) == (False, 2)
    await clock.advance(1)
    with pytest.raises(HelperLost):
        await third
    assert link.starts == 3


async def test_lost_phone_fails_every_call(phone: VirtualPhone, client: HelperClient) -> None:
    await tap(client)
    action = asyncio.create_task(client.call("touch", LONG, budget_ms=9000, act=True))
    read = asyncio.create_task(
        client.call("changed", {"after": 10**6, "within_ms": 9000}, budget_ms=9500)
    )
    await until(lambda: touches(phone)[2:] == ["down"])
    phone.drop_connections()
    with pytest.raises(HelperLost) as caught:
        await action
    assert caught.value.happened is Happened.MAYBE
    with pytest.raises(AdbError):
        await read
    with pytest.raises(AdbError):
        await client.call("screen", budget_ms=5000)


@pytest.mark.parametrize("vector", VECTORS["closes_host"], ids=names("closes_host"))
async def test_invalid_frames_from_the_helper_close_the_stream(
    phone: VirtualPhone, clients: Clients, vector: dict[str, str]
) -> None:
    data = bytes.fromhex(vector["hex"])
    build = b"0123456789abcdef"
    data = data.replace(build, bundled_jar().build.encode())

    async def babble(process: Process) -> int:
        await process.stdout.write(GREETING + data)
        while await process.stdin.read():
            pass
        return 0

    install(phone, babble)
    with pytest.raises(HelperLost, match="violates the protocol"):
        await clients(timing=QUICK).call("screen", budget_ms=5000)


# Closing.


async def test_closing_leaves_nothing_running(phone: VirtualPhone, client: HelperClient) -> None:
    await client.call("screen", budget_ms=5000)
    waiting = asyncio.create_task(
        client.call("changed", {"after": 10**6, "within_ms": 9000}, budget_ms=9500)
    )
    await until(lambda: client.connected)
    await asyncio.sleep(0)
    tasks = len(asyncio.all_tasks())
    await client.aclose()
    with pytest.raises(HelperLost):
        await waiting
    await until(lambda: phone.processes.all() == [])
    assert phone.world.automation.holder is None
    assert len(asyncio.all_tasks()) < tasks
    with pytest.raises(HelperLost, match="closed"):
        await client.call("screen", budget_ms=5000)


async def test_closing_does_not_wait_for_a_helper_that_never_greets(
    phone: VirtualPhone, clients: Clients
) -> None:
    client = clients(timing=Timing(start_seconds=600))

    async def sulk(process: Process) -> int:
        await process.stdin.read()
        return 0

    install(phone, sulk)
    call = asyncio.create_task(client.call("screen", budget_ms=5000))
    await until(lambda: bool(phone.processes.find("handheld")))
    async with asyncio.timeout(HANG):
        await client.aclose()
        with pytest.raises(HelperLost, match="closed"):
            await call
    await until(lambda: phone.processes.all() == [])


async def test_closing_before_the_first_call_opens_nothing(
    link: WatchedLink, client: HelperClient
) -> None:
    await client.aclose()
    assert link.services == []


@pytest.mark.parametrize("moment", range(12))
async def test_caller_cancelled_during_the_start_leaves_a_usable_client(
    phone: VirtualPhone, client: HelperClient, moment: int
) -> None:
    call = asyncio.create_task(client.call("touch", TAP, budget_ms=5000, act=True))
    for _ in range(moment * 4):
        await asyncio.sleep(0)
    call.cancel()
    with suppress(asyncio.CancelledError):
        assert (await call).reply == {}
    before = len(touches(phone))
    await tap(client)
    assert len(touches(phone)) == before + 2
    assert [name for name in jars(phone) if name.endswith(".tmp")] == []


@pytest.mark.parametrize("moment", range(6))
async def test_helper_killed_while_exiting_releases_the_phone(
    phone: VirtualPhone, client: HelperClient, moment: int
) -> None:
    await client.call("screen", budget_ms=5000)
    assert phone.kill("handheld") == 1
    for _ in range(moment):
        await asyncio.sleep(0)
    phone.kill("handheld")
    await until(lambda: not client.connected)
    assert phone.world.automation.holder is None
    await tap(client)
