"""Calls over the engine, with answers in several messages."""

import asyncio
import hashlib
import random

import pytest

from handheld.fleet.nats.calls import (
    CREDIT,
    CREDIT_WITHIN,
    LARGEST_CALL,
    MOST_CALLS,
    MOST_HELD,
    PART,
    TAKEN_WITHIN,
    CallAnswer,
    CallNotSent,
    Incomplete,
    Responder,
    calling,
)
from handheld.fleet.nats.frames import BadFrame, NatsFrame
from handheld.fleet.nats.names import to_host
from handheld.fleet.nats.wire import EngineLost, EngineWire, NobodyListens
from harness.manual_clock import ManualClock
from harness.polling import HANG

from .lab import Lab, Relay, through, until

pytestmark = pytest.mark.needs_nats


async def test_an_answer_comes_in_order_with_its_bytes(lab: Lab) -> None:
    picture = random.Random(1).randbytes(3_000_000)
    host = EngineWire(lab.member("host"))

    async def handler(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        await answer.taken({"clock": 5.0})
        for number in range(3):
            await answer.note({"progress": number, "text": "Füße 📱 \ud800"})
        await answer.end({"echo": frame.head["name"], "raw": len(frame.raw)}, picture)

    Responder(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(60)
        notes: list[NatsFrame] = []
        async with calling(gateway, host.id, {"name": "look"}, b"1234") as call:
            assert call.taken["clock"] == 5.0
            end = await call.end(10, notes.append)
        assert [one.head["progress"] for one in notes] == [0, 1, 2]
        assert notes[0].head["text"] == "Füße 📱 \ud800"
        assert (end.head["echo"], end.head["raw"]) == ("look", 4)
        assert hashlib.sha256(end.raw).digest() == hashlib.sha256(picture).digest()


async def test_large_bytes_of_a_call_arrive_whole_before_it_is_handled(lab: Lab) -> None:
    file = random.Random(1).randbytes(3_000_000)
    host = EngineWire(lab.member("host"))

    async def handler(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        await answer.taken()
        same = hashlib.sha256(frame.raw).digest() == hashlib.sha256(file).digest()
        await answer.end({"same": same, "name": frame.head["name"], "age": frame.head["age"]})

    Responder(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(60)
        head = {"name": "write", "age": "old"}
        async with calling(gateway, host.id, head, file, lambda: {"age": "new"}) as call:
            end = await call.end(60)
        assert (end.head["same"], end.head["name"], end.head["age"]) == (True, "write", "new")
        with pytest.raises(BadFrame):
            async with calling(gateway, host.id, {}, bytes(LARGEST_CALL + 1)):
                pass


def opening(call: str, size: int) -> bytes:
    """The first message of a call whose bytes come in parts."""
    return NatsFrame({"call": call, "raw": size}).encode()


@pytest.mark.parametrize(
    "spoilt",
    [
        [({"part": 1}, 1000)],
        [({"part": 0}, 0)],
        [({"part": 0}, 300_000), ({"part": 1}, 300_000)],
        [({"part": number}, 1000) for number in range(CREDIT + 1)],
    ],
    ids=["one is missing", "one is empty", "more than was said", "more than was asked for"],
)
async def test_a_call_whose_bytes_are_not_as_announced_is_never_handled(
    lab: Lab, spoilt: list[tuple[dict[str, int], int]]
) -> None:
    handled: list[NatsFrame] = []
    host = EngineWire(lab.member("host"))

    async def handler(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        handled.append(frame)
        await answer.end({})

    responder = Responder(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(60)
        subject = to_host("call", host.id, gateway.id)
        answers = gateway.inbox(subject)
        await gateway.publish(subject, opening("1", 500_000), reply=answers.subject)
        assert NatsFrame.decode((await answers.get()).data).head["more"] == CREDIT
        for head, size in spoilt:
            await gateway.publish(subject, NatsFrame({"call": "1", **head}, bytes(size)).encode())
        async with calling(gateway, host.id, {}):  # it has heard of all that by then
            pass
        await responder.close()
    assert [dict(frame.head).get("raw") for frame in handled] == [None]


async def test_a_host_holds_no_more_bytes_of_calls_than_it_may(lab: Lab) -> None:
    host = EngineWire(lab.member("host"))

    async def handler(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        await answer.end({"done": True})

    responder = Responder(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(60)
        subject = to_host("call", host.id, gateway.id)
        answers = gateway.inbox(subject)
        for number in range(MOST_HELD // LARGEST_CALL):
            asked = opening(str(number), LARGEST_CALL)
            await gateway.publish(subject, asked, reply=answers.subject)
            assert NatsFrame.decode((await answers.get()).data).head["more"] == CREDIT
        async with calling(gateway, host.id, {}, bytes(4 * PART)) as call:
            assert (await call.end(60)).head["refused"] == "busy"
        stop = to_host("stop", host.id, gateway.id)
        await gateway.publish(stop, NatsFrame({"call": "0"}).encode())
        assert NatsFrame.decode((await answers.get()).data).head["stopped"] is True
        async with calling(gateway, host.id, {}, bytes(4 * PART)) as call:
            assert (await call.end(60)).head["done"] is True
        await responder.close()


async def test_bytes_that_no_host_wants_were_not_sent(lab: Lab) -> None:
    """It has begun nothing: the caller need not be told that it may have."""
    clock = ManualClock()
    host = EngineWire(lab.member("host"))
    asked = asyncio.Event()

    def heard(message: object) -> None:
        asked.set()

    host.serve(f"hh1.call.{host.id}.*", heard)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(60)

        async def call() -> None:
            async with calling(gateway, host.id, {}, bytes(4 * PART), clock=clock):
                pass

        task = asyncio.create_task(call())
        await asked.wait()
        await clock.until_waits(TAKEN_WITHIN)
        await clock.advance(TAKEN_WITHIN)
        with pytest.raises(CallNotSent) as problem:
            await task
        assert not problem.value.sent


async def test_a_caller_that_leaves_while_its_bytes_go_is_given_up(lab: Lab) -> None:
    clock = ManualClock()
    handled: list[NatsFrame] = []
    host = EngineWire(lab.member("host"))

    async def handler(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        handled.append(frame)

    responder = Responder(host, handler, clock)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(60)
        subject = to_host("call", host.id, gateway.id)
        answers = gateway.inbox(subject)
        await gateway.publish(subject, opening("1", 500_000), reply=answers.subject)
        await answers.get()
        await clock.until_waits(CREDIT_WITHIN)
        await clock.advance(CREDIT_WITHIN)
        await until(lambda: not clock.waits)
        await responder.close()
    assert not handled


async def test_leaving_a_call_stops_it(lab: Lab) -> None:
    stopped = asyncio.Event()
    host = EngineWire(lab.member("host"))

    async def handler(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        await answer.taken()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    Responder(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(60)
        async with calling(gateway, host.id, {}):
            pass
        async with asyncio.timeout(HANG):
            await stopped.wait()
        stopped.clear()
        async with calling(gateway, host.id, {}) as call:
            await call.stop()
            assert (await call.end(60)).head["stopped"] is True


async def test_one_gateway_cannot_stop_the_call_of_another(lab: Lab) -> None:
    go_on = asyncio.Event()
    host = EngineWire(lab.member("host"))

    async def handler(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        await answer.taken()
        await go_on.wait()
        await answer.end({"done": True})

    Responder(host, handler)
    async with host, lab.wires(lab.member("gateway"), lab.member("gateway")) as [one, other]:
        await host.ready(60)
        async with calling(one, host.id, {}) as call:
            subject = f"hh1.stop.{host.id}.{other.id}"
            await other.publish(subject, NatsFrame({"call": call.id}).encode())
            async with calling(other, host.id, {}):  # the host has heard of the stop by then
                go_on.set()
                assert (await call.end(60)).head["done"] is True


async def test_more_calls_than_a_host_takes_are_refused_at_once(lab: Lab) -> None:
    host = EngineWire(lab.member("host"))

    async def handler(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        await answer.taken()
        await asyncio.Event().wait()

    responder = Responder(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(60)
        open_calls = [calling(gateway, host.id, {}) for _ in range(MOST_CALLS)]
        for one in open_calls:
            await one.__aenter__()
        async with calling(gateway, host.id, {}) as call:
            assert (await call.end(60)).head["refused"] == "busy"
        for one in open_calls:
            await one.__aexit__(None, None, None)
        await responder.close()


async def test_a_host_that_is_gone_is_told_at_once(lab: Lab) -> None:
    async with lab.wires(lab.member("gateway")) as [gateway]:
        with pytest.raises(NobodyListens):
            async with calling(gateway, "h000000000000", {}):
                pass


async def test_a_handler_that_fails_ends_the_call_without_its_reason(lab: Lab) -> None:
    host = EngineWire(lab.member("host"))

    async def handler(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        raise RuntimeError("secret")

    Responder(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(60)
        async with calling(gateway, host.id, {}) as call:
            end = await call.end(60)
        assert end.head["failed"] == "Internal error"


async def test_a_sender_waits_for_a_caller_that_does_not_read(lab: Lab) -> None:
    sent: list[int] = []
    host = EngineWire(lab.member("host"))

    async def handler(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        await answer.taken()
        for number in range(40):
            await answer.part(bytes(1000))
            sent.append(number)
        await answer.end({})

    Responder(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(60)
        async with calling(gateway, host.id, {}) as call:
            await until(lambda: len(sent) >= CREDIT)
            assert len(sent) == CREDIT
            assert len((await call.end(60)).raw) == 40_000


async def test_an_answer_that_is_too_large_is_given_up(lab: Lab) -> None:
    host = EngineWire(lab.member("host"))

    async def handler(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        await answer.taken()
        await answer.end({}, bytes(2_000_000))

    Responder(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(60)
        async with calling(gateway, host.id, {}) as call:
            with pytest.raises(Incomplete):
                await call.end(10, largest=1_000_000)


async def test_a_connection_lost_in_a_call_ends_it_in_doubt(lab: Lab) -> None:
    host = EngineWire(lab.member("host"))

    async def handler(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        await answer.taken()
        await asyncio.Event().wait()

    responder = Responder(host, handler)
    async with Relay(lab.plan.nodes[0]) as relay, host:
        async with EngineWire(through(lab.member("gateway"), relay.address)) as gateway:
            await host.ready(60)
            await gateway.ready(60)
            async with calling(gateway, host.id, {}) as call:
                relay.cut()
                with pytest.raises(EngineLost) as lost:
                    await call.end(60)
                assert lost.value.sent
        await responder.close()


async def test_a_call_that_comes_after_its_stop_is_not_done(lab: Lab) -> None:
    """They may come by different servers, of which one stood still."""
    handled: list[NatsFrame] = []
    host = EngineWire(lab.member("host"))

    async def handler(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        handled.append(frame)
        await answer.end({})

    Responder(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(60)
        subject = to_host("call", host.id, gateway.id)
        answers = gateway.inbox(subject)
        stop = to_host("stop", host.id, gateway.id)
        await gateway.publish(stop, NatsFrame({"call": "1"}).encode())
        async with calling(gateway, host.id, {"name": "between"}) as call:
            await call.end(60)
        await gateway.publish(subject, NatsFrame({"call": "1"}).encode(), reply=answers.subject)
        async with calling(gateway, host.id, {"name": "after"}) as call:
            await call.end(60)
        assert [frame.head["name"] for frame in handled] == ["between", "after"]


async def test_a_host_that_ends_takes_no_more_calls(lab: Lab) -> None:
    host = EngineWire(lab.member("host"))

    async def handler(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        await answer.end({"done": True})

    responder = Responder(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(60)
        await responder.close()
        async with calling(gateway, host.id, {}) as call:
            assert (await call.end(60)).head == {"refused": "busy", "is": "end", "n": 0}
