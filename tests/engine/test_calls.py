"""Calls over the engine, with answers in several messages."""

import asyncio
import hashlib
import random

import pytest

from handheld.engine.calls import CREDIT, MOST_CALLS, Answer, Desk, Incomplete, calling
from handheld.engine.frames import Frame
from handheld.engine.wire import LinkLost, NobodyListens, Wire

from .lab import Lab, Relay, through, until

pytestmark = pytest.mark.needs_nats


async def test_an_answer_comes_in_order_with_its_bytes(lab: Lab) -> None:
    picture = random.Random(1).randbytes(3_000_000)
    host = Wire(lab.member("host"))

    async def handler(gateway: str, frame: Frame, answer: Answer) -> None:
        await answer.taken({"clock": 5.0})
        for number in range(3):
            await answer.note({"progress": number, "text": "Füße 📱 \ud800"})
        await answer.end({"echo": frame.head["name"], "raw": len(frame.raw)}, picture)

    Desk(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(10)
        notes: list[Frame] = []
        async with calling(gateway, host.id, {"name": "look"}, b"1234") as call:
            assert call.taken["clock"] == 5.0
            end = await call.end(10, notes.append)
        assert [one.head["progress"] for one in notes] == [0, 1, 2]
        assert notes[0].head["text"] == "Füße 📱 \ud800"
        assert (end.head["echo"], end.head["raw"]) == ("look", 4)
        assert hashlib.sha256(end.raw).digest() == hashlib.sha256(picture).digest()


async def test_leaving_a_call_stops_it(lab: Lab) -> None:
    stopped = asyncio.Event()
    host = Wire(lab.member("host"))

    async def handler(gateway: str, frame: Frame, answer: Answer) -> None:
        await answer.taken()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    Desk(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(10)
        async with calling(gateway, host.id, {}):
            pass
        async with asyncio.timeout(10):
            await stopped.wait()
        stopped.clear()
        async with calling(gateway, host.id, {}) as call:
            await call.stop()
            assert (await call.end(10)).head["stopped"] is True


async def test_one_gateway_cannot_stop_the_call_of_another(lab: Lab) -> None:
    go_on = asyncio.Event()
    host = Wire(lab.member("host"))

    async def handler(gateway: str, frame: Frame, answer: Answer) -> None:
        await answer.taken()
        await go_on.wait()
        await answer.end({"done": True})

    Desk(host, handler)
    async with host, lab.wires(lab.member("gateway"), lab.member("gateway")) as [one, other]:
        await host.ready(10)
        async with calling(one, host.id, {}) as call:
            subject = f"hh1.stop.{host.id}.{other.id}"
            await other.publish(subject, Frame({"call": call.id}).encode())
            async with calling(other, host.id, {}):  # the host has heard of the stop by then
                go_on.set()
                assert (await call.end(10)).head["done"] is True


async def test_more_calls_than_a_host_takes_are_refused_at_once(lab: Lab) -> None:
    host = Wire(lab.member("host"))

    async def handler(gateway: str, frame: Frame, answer: Answer) -> None:
        await answer.taken()
        await asyncio.Event().wait()

    desk = Desk(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(10)
        open_calls = [calling(gateway, host.id, {}) for _ in range(MOST_CALLS)]
        for one in open_calls:
            await one.__aenter__()
        async with calling(gateway, host.id, {}) as call:
            assert (await call.end(10)).head["refused"] == "busy"
        for one in open_calls:
            await one.__aexit__(None, None, None)
        await desk.close()


async def test_a_host_that_is_gone_is_told_at_once(lab: Lab) -> None:
    async with lab.wires(lab.member("gateway")) as [gateway]:
        with pytest.raises(NobodyListens):
            async with calling(gateway, "h000000000000", {}):
                pass


async def test_a_handler_that_fails_ends_the_call_without_its_reason(lab: Lab) -> None:
    host = Wire(lab.member("host"))

    async def handler(gateway: str, frame: Frame, answer: Answer) -> None:
        raise RuntimeError("secret")

    Desk(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(10)
        async with calling(gateway, host.id, {}) as call:
            end = await call.end(10)
        assert end.head["failed"] == "Internal error"


async def test_a_sender_waits_for_a_caller_that_does_not_read(lab: Lab) -> None:
    sent: list[int] = []
    host = Wire(lab.member("host"))

    async def handler(gateway: str, frame: Frame, answer: Answer) -> None:
        await answer.taken()
        for number in range(40):
            await answer.part(bytes(1000))
            sent.append(number)
        await answer.end({})

    Desk(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(10)
        async with calling(gateway, host.id, {}) as call:
            await until(lambda: len(sent) >= CREDIT)
            assert len(sent) == CREDIT
            assert len((await call.end(10)).raw) == 40_000


async def test_an_answer_that_is_too_large_is_given_up(lab: Lab) -> None:
    host = Wire(lab.member("host"))

    async def handler(gateway: str, frame: Frame, answer: Answer) -> None:
        await answer.taken()
        await answer.end({}, bytes(2_000_000))

    Desk(host, handler)
    async with host, lab.wires(lab.member("gateway")) as [gateway]:
        await host.ready(10)
        async with calling(gateway, host.id, {}) as call:
            with pytest.raises(Incomplete):
                await call.end(10, largest=1_000_000)


async def test_a_connection_lost_in_a_call_ends_it_in_doubt(lab: Lab) -> None:
    host = Wire(lab.member("host"))

    async def handler(gateway: str, frame: Frame, answer: Answer) -> None:
        await answer.taken()
        await asyncio.Event().wait()

    desk = Desk(host, handler)
    async with Relay(lab.plan.nodes[0]) as relay, host:
        async with Wire(through(lab.member("gateway"), relay.address)) as gateway:
            await host.ready(10)
            await gateway.ready(10)
            async with calling(gateway, host.id, {}) as call:
                relay.cut()
                with pytest.raises(LinkLost) as lost:
                    await call.end(10)
                assert lost.value.sent
        await desk.close()
