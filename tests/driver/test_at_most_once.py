"""The reported outcome of an action is true, wherever the connection breaks."""

import asyncio
import gc
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from typing import Any, cast

import pytest
from chaos.relay import Relay

from handheld.adb.direct import DirectLink
from handheld.adb.link import ByteStream, LinkLost
from handheld.devices.direct import DirectDevice, TcpEndpoint
from handheld.devices.opening import PhoneFactory
from handheld.driver import Driver
from handheld.driver.by_adb.commands import Commands
from handheld.driver.by_helper.driver import HelperDriver
from handheld.driver.by_shell.driver import ShellDriver
from handheld.errors import ActionFailed
from handheld.helper.client import HelperClient
from handheld.helper.protocol import (
    GREETING,
    Code,
    Frame,
    FrameKind,
    Happened,
    HelperFailure,
    encode_json,
)
from handheld.helper.session import HelperLost, Timing
from handheld.phone.phone import Phone
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.process import Process
from harness.manual_clock import ManualClock
from harness.phones import WatchedLink, link_to, put_jar
from harness.polling import HANG, until

from .chaos import Crowd, Wire
from .conftest import QUICK, Clients, Script, install

KILLS = 8
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.matrix) for seed in (1, 2))]
TAP = {"strokes": [[[540, 1200, 0]]]}


@pytest.fixture(autouse=True)
async def complaints() -> AsyncIterator[list[str]]:
    """Assert that the event loop reports nothing, such as an unretrieved exception."""
    messages: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: messages.append(str(context)))
    yield messages
    gc.collect()
    await asyncio.sleep(0)
    loop.set_exception_handler(None)
    assert messages == []


def notify(_: str) -> None:
    pass


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("impatience", [0.0, 0.4], ids=["patient", "impatient"])
async def test_taps_on_a_connection_cut_at_any_byte(
    phone: VirtualPhone, seed: int, impatience: float
) -> None:
    chance = random.Random(seed)
    put_jar(phone)
    async with Wire(phone.port, chance).open() as wire:
        endpoint = TcpEndpoint("127.0.0.1", wire.port, tuple)
        devices = DirectDevice(endpoint, PhoneFactory().make_phone, notify)
        try:
            crowd = Crowd(lambda: devices.pick(None), chance)
            crowd.impatience = impatience
            async with asyncio.timeout(HANG), asyncio.TaskGroup() as tapping:
                for _ in range(4):
                    tapping.create_task(crowd.tap(60))
        finally:
            await devices.aclose()
        await until(lambda: phone.processes.all() == [])
        assert wire.cuts > 3
    crowd.outcomes.check(phone)
    assert len(crowd.outcomes.done) > 60


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
async def test_taps_while_the_helper_is_killed_repeatedly(
    phone: VirtualPhone, clients: Clients, seed: int
) -> None:
    chance = random.Random(seed)
    held = Phone("x", cast("Driver", HelperDriver(clients(timing=QUICK))))

    async def pick() -> Phone:
        return held

    crowd = Crowd(pick, chance)
    crowd.impatience = 0.2

    async def kill() -> None:
        for _ in range(KILLS):
            await until(lambda: phone.processes.find("handheld") != [])
            # While it starts, while it taps, or between two taps.
            for _ in range(chance.randrange(400)):
                await asyncio.sleep(0)
            phone.kill("handheld")

    async with asyncio.timeout(HANG):
        killing = asyncio.create_task(kill())
        try:
            while not killing.done():
                await asyncio.gather(*(crowd.tap(5) for _ in range(4)))
        finally:
            killing.cancel()
            await asyncio.gather(killing, return_exceptions=True)
        # No more kills or cancellations: only the calls in flight were lost.
        crowd.impatience = 0
        await asyncio.gather(*(crowd.tap(20) for _ in range(4)))
    crowd.outcomes.check(phone)
    assert len(crowd.outcomes.done) > 60


# Moments that random timing seldom hits.


async def test_shell_command_whose_answers_are_lost_may_have_happened(phone: VirtualPhone) -> None:
    """Also where the phone's answer that it has begun is among them."""
    async with Relay(phone.port) as relay, link_to(relay) as link:
        touched = len(phone.world.events)
        relay.stall(there=False, back=True)
        tapping = asyncio.create_task(Commands(link).do("input tap 5 600"))
        await until(lambda: len(phone.world.events) > touched)
        relay.cut()
        with pytest.raises(HelperLost) as caught:
            await tapping
        assert caught.value.happened is Happened.MAYBE


async def test_app_whose_start_cannot_be_followed_was_started(
    phone: VirtualPhone, link: WatchedLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def open_once(service: str) -> ByteStream:
        if any("am start" in opened for opened in link.services):
            raise LinkLost("The phone went away.")
        return await opening(service)

    opening = link.open
    monkeypatch.setattr(link, "open", open_once)
    with pytest.raises(ActionFailed) as caught:
        await ShellDriver(link).launch("com.android.settings")
    assert phone.world.front.app.package == "com.android.settings"
    assert caught.value.message.startswith("The phone went away. The action was begun")


async def test_caller_cancelled_when_the_helper_is_ready_leaves_it_to_the_next(
    phone: VirtualPhone, link: WatchedLink
) -> None:
    """Else an unused helper would block the phone for everyone, including us."""

    def leave(_: Mapping[str, Any]) -> None:
        call.cancel()

    client = HelperClient(link, timing=QUICK, greeted=leave)
    call = asyncio.create_task(client.call("touch", TAP, budget_ms=5000, act=True))
    try:
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await client.call("touch", TAP, budget_ms=5000, act=True)).reply == {}
        assert link.starts == 1
    finally:
        await client.aclose()
    await until(lambda: phone.processes.all() == [])


class Leaving(WatchedLink):
    """A link that notifies the test of every piece just before it is delivered."""

    def __init__(self, link: DirectLink, notify: Callable[[bytes], None]) -> None:
        super().__init__(link)
        self._notify = notify

    async def open(self, service: str) -> ByteStream:
        return _Told(await super().open(service), self._notify)


class _Told:
    def __init__(self, stream: ByteStream, notify: Callable[[bytes], None]) -> None:
        self._stream = stream
        self._notify = notify
        self.write = stream.write
        self.aclose = stream.aclose

    async def read(self, limit: int = 65536) -> bytes:
        data = await self._stream.read(limit)
        self._notify(data)
        return data

    async def follow(self, take: Callable[[bytes], object]) -> None:
        def notify(data: bytes) -> None:
            self._notify(data)
            take(data)

        await self._stream.follow(notify)


@pytest.mark.parametrize("code", [Code.FAILED, Code.IN_USE])
async def test_caller_cancelled_when_an_error_arrives_hides_nothing_and_logs_nothing(
    phone: VirtualPhone, code: Code
) -> None:
    error = {"code": code, "message": "x", "happened": "no"}

    async def refuse(script: Script, frame: Frame) -> None:
        await script.write(encode_json(FrameKind.ERROR, frame.call, error))

    script = Script(refuse)
    if code is Code.IN_USE:

        async def greet(process: Process) -> int:
            await process.stdout.write(GREETING + encode_json(FrameKind.ERROR, 0, error))
            return 1

        install(phone, greet)
    else:
        install(phone, script.program)

    def leave(data: bytes) -> None:
        if code.value.encode() in data:
            asyncio.get_running_loop().call_soon(call.cancel)

    async with (
        link_to(phone) as link,
        aclosing(HelperClient(Leaving(link, leave), timing=QUICK)) as client,
    ):
        call = asyncio.create_task(client.call("touch", TAP, budget_ms=5000, act=True))
        with pytest.raises(asyncio.CancelledError):
            await call


# One action at a time.


async def act(phone: Phone, x: int) -> None:
    async with phone.acting(f"tap at {x}"):
        await phone.driver.touch([[(x, 1000, 0)]])


def tapped(script: Script) -> list[int]:
    return [call.arguments["strokes"][0][0][0] for call in script.calls]


async def test_next_action_waits_for_the_answer_to_a_cancelled_one(
    phone: VirtualPhone, clients: Clients, clock: ManualClock
) -> None:
    answer = asyncio.Event()

    async def late(script: Script, frame: Frame) -> None:
        if frame.kind == FrameKind.CANCEL:
            await answer.wait()
            error = {"code": "cancelled", "message": "x", "happened": "partly"}
            await script.write(encode_json(FrameKind.ERROR, frame.call, error))
        elif len(script.calls) > 1:
            await script.reply(frame.call, {})

    script = Script(late)
    install(phone, script.program)
    held = Phone("x", cast("Driver", HelperDriver(clients(clock=clock))), clock=clock)
    first = asyncio.create_task(act(held, 1))
    await script.received(lambda: tapped(script) == [1])
    second, third = (asyncio.create_task(act(held, x)) for x in (2, 3))
    first.cancel()
    await script.received(lambda: script.frames[-1].kind == FrameKind.CANCEL)
    second.cancel()  # while it waits for its turn: nothing reaches the phone
    with pytest.raises(asyncio.CancelledError):
        await second
    assert not first.done()
    assert tapped(script) == [1]
    answer.set()
    with pytest.raises(asyncio.CancelledError):
        await first
    await third
    assert tapped(script) == [1, 3]
    assert script.runs == 1


@pytest.mark.parametrize("leaves", [True, False], ids=["cancelled", "out of time"])
async def test_next_action_waits_until_an_unresponsive_stream_is_closed(
    phone: VirtualPhone, clients: Clients, clock: ManualClock, leaves: bool
) -> None:
    running: list[int] = []

    async def run(process: Process) -> int:
        running.append(len(phone.processes.find("handheld")))
        return await script.program(process)

    async def deaf(script: Script, frame: Frame) -> None:
        if script.runs == 2 and frame.kind == FrameKind.CALL:
            await script.reply(frame.call, {})

    script = Script(deaf)
    install(phone, run)
    client = clients(timing=Timing(grace_ms=50, backoff_seconds=(0.0,)), clock=clock)
    held = Phone("x", cast("Driver", HelperDriver(client)))

    async def unanswered() -> None:
        async with held.acting("first"):
            await client.call("touch", {"strokes": [[[1, 1000, 0]]]}, budget_ms=50, act=True)

    first = asyncio.create_task(unanswered())
    await script.received(lambda: tapped(script) == [1])
    await clock.until_waits(0.1)
    second = asyncio.create_task(act(held, 2))
    if leaves:
        first.cancel()
        await script.received(lambda: script.frames[-1].kind == FrameKind.CANCEL)
        await clock.advance(0.05)
        with pytest.raises(asyncio.CancelledError):
            await first
    else:
        await clock.advance(0.1)
        with pytest.raises(HelperFailure, match="did not answer within"):
            await first
    await second
    assert tapped(script) == [1, 2]
    assert running == [1, 1], "two helpers ran at the same time"
