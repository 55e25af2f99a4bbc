"""A connection to the engine: requests, what happens without an answer, and faults."""

import asyncio
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest

from handheld.fleet.nats.certificates import make_authority
from handheld.fleet.nats.client import Msg
from handheld.fleet.nats.names import to_host
from handheld.fleet.nats.wire import (
    MOST_ANSWERED,
    PING_EVERY,
    PONG_SLICE,
    PONG_SLICES,
    EngineAway,
    EngineLost,
    EngineWire,
    NobodyListens,
    NoEngineAnswer,
    NotAllowed,
)
from harness.manual_clock import ManualClock
from harness.polling import HANG

from .lab import Lab, Relay, through, until

pytestmark = pytest.mark.needs_nats


def echo(wire: EngineWire, seen: list[bytes]) -> Callable[[Msg], None]:
    tasks: set[asyncio.Task[None]] = set()

    async def answer(message: Msg) -> None:
        with suppress(EngineAway):  # its server may have been killed since
            await wire.publish(message.reply, b"echo " + message.data)

    def heard(message: Msg) -> None:
        seen.append(message.data)
        task = asyncio.create_task(answer(message))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    return heard


async def test_a_connection_that_was_just_closed_is_away(lab: Lab) -> None:
    """The library says so in its own words, which nobody would take for a lost connection."""
    async with lab.wires(lab.member("gateway")) as [wire]:
        followed = await wire.follow("KV_hosts")
        assert wire._connection is not None
        wire._connection.drop()
        with pytest.raises(EngineAway):
            await wire.publish("hh1.x", b"")
        with pytest.raises(EngineAway):
            await wire.follow("KV_hosts")
        await wire.unfollow(followed)


async def test_a_request_is_answered(lab: Lab) -> None:
    host, gateway = EngineWire(lab.member("host")), EngineWire(lab.member("gateway"))
    host.serve(f"hh1.call.{host.id}.*", echo(host, []))
    async with host, gateway:
        await host.ready(60)
        await gateway.ready(60)
        answer = await gateway.request(to_host("call", host.id, gateway.id), b"one", 60)
        assert answer.data == b"echo one"


async def test_nobody_there_and_no_answer_are_told_apart(lab: Lab) -> None:
    clock = ManualClock()
    host, gateway = EngineWire(lab.member("host")), EngineWire(lab.member("gateway"), clock)
    host.serve(f"hh1.call.{host.id}.*", lambda _: None)
    async with host, gateway:
        await host.ready(60)
        await gateway.ready(60)
        with pytest.raises(NobodyListens) as nobody:
            await gateway.request(to_host("call", "h000000000000", gateway.id), b"", 60)
        subject = to_host("call", host.id, gateway.id)
        asking = asyncio.create_task(gateway.request(subject, b"", 0.5))
        await clock.until_waits(0.5)
        await clock.advance(0.5)
        with pytest.raises(NoEngineAnswer) as silent:
            await asking
        assert (nobody.value.sent, silent.value.sent) == (False, True)


async def test_what_is_not_allowed_fails_at_once(lab: Lab) -> None:
    async with lab.wires(lab.member("gateway")) as [gateway]:
        with pytest.raises(NotAllowed):
            await gateway.request("hh1.ask.h000000000000", b"", 60)


async def test_without_a_server_it_says_so(lab: Lab) -> None:
    async with EngineWire(through(lab.member("gateway"), "localhost:1")) as wire:
        await until(lambda: "localhost:1" in wire.problem)
        with pytest.raises(EngineAway, match="localhost:1"):
            await wire.ready(0)
        with pytest.raises(EngineAway):
            await wire.publish("hh1.call.h.g", b"")


async def test_a_server_with_another_authority_is_not_trusted(lab: Lab) -> None:
    certificate, _ = make_authority(1_700_000_000)
    stranger = replace(lab.member("gateway"), authority=certificate.decode())
    async with EngineWire(stranger) as wire:
        await until(lambda: "certificate" in wire.problem)
        with pytest.raises(EngineAway, match=r"Its certificate is not of this engine: .+\.$"):
            await wire.ready(0)


async def test_a_server_without_encryption_is_told_nothing(lab: Lab) -> None:
    got: list[bytes] = []

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'INFO {"nonce":"abc","auth_required":true,"headers":true}\r\n')
        got.append(await reader.read(65536))
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        member = lab.member("gateway")
        port = server.sockets[0].getsockname()[1]
        async with EngineWire(through(member, f"localhost:{port}")):
            await until(lambda: len(got) > 1)
    assert not any(b"CONNECT" in one or member.credential.encode() in one for one in got)


async def test_a_lost_connection_fails_what_waits_and_is_made_again(lab: Lab) -> None:
    host = EngineWire(lab.member("host"))
    seen: list[bytes] = []
    host.serve(f"hh1.call.{host.id}.*", lambda message: seen.append(message.data))
    async with Relay(lab.plan.nodes[0]) as relay, host:  # noqa: SIM117
        async with EngineWire(through(lab.member("gateway"), relay.address)) as gateway:
            await host.ready(60)
            await gateway.ready(60)
            subject = to_host("call", host.id, gateway.id)
            asked = asyncio.create_task(gateway.request(subject, b"", 60))
            await until(lambda: seen)
            relay.cut()
            with pytest.raises(EngineLost):
                await asked
            await gateway.until(lambda: gateway.linked and gateway.links == 2)


async def test_nothing_is_sent_over_a_connection_that_has_just_ended(lab: Lab) -> None:
    async with lab.wires(lab.member("gateway")) as [wire]:
        followed = await wire.follow("x")
        connection = wire._connection
        assert connection is not None
        connection.drop()
        # The keeper was not told yet.
        assert wire._connection is connection
        assert not wire.linked
        for use in (wire.publish("x", b""), wire.request("x", b"", 60), wire.follow("x")):
            with pytest.raises(EngineAway, match="The engine is away"):
                await use
        await wire.unfollow(followed)
        await wire.ready(60)


async def test_nothing_written_to_a_silent_connection_is_sent_on_the_next(lab: Lab) -> None:
    """The fault of the library's reconnecting that this connection is made to avoid."""
    host = EngineWire(lab.member("host"))
    seen: list[bytes] = []
    host.serve(f"hh1.call.{host.id}.*", lambda message: seen.append(message.data))
    async with Relay(lab.plan.nodes[0]) as relay, host:  # noqa: SIM117
        async with EngineWire(through(lab.member("gateway"), relay.address)) as gateway:
            await host.ready(60)
            await gateway.ready(60)
            subject = to_host("call", host.id, gateway.id)
            relay.hold()
            for number in range(200):
                try:
                    await gateway.publish(subject, b"late %d" % number + bytes(20_000))
                except EngineAway:
                    break
            await gateway.until(lambda: not gateway.linked)
            # What the relay holds is what a network would: the rest was dropped by us.
            relay.cut()
            relay.release()
            await gateway.until(lambda: gateway.linked)
            await gateway.publish(subject, b"new")
            await until(lambda: b"new" in seen)
            assert seen == [b"new"]


async def test_a_silent_server_is_left_for_another(cluster: Lab) -> None:
    assert PING_EVERY + PONG_SLICES * PONG_SLICE <= 3
    async with cluster.wires(cluster.member("gateway")) as [wire]:
        stopped = cluster.plan.addresses.index(wire.server) + 1
        cluster.signal(stopped, signal.SIGSTOP)
        try:
            async with asyncio.timeout(HANG):
                await wire.until(lambda: wire.linked and wire.links == 2)
            assert wire.server != cluster.plan.addresses[stopped - 1]
        finally:
            cluster.signal(stopped, signal.SIGCONT)


async def test_calls_go_on_when_a_server_is_killed(cluster: Lab) -> None:
    host, gateway = EngineWire(cluster.member("host")), EngineWire(cluster.member("gateway"))
    host.serve(f"hh1.call.{host.id}.*", echo(host, []))
    async with host, gateway:
        await host.ready(60)
        await gateway.ready(60)
        subject = to_host("call", host.id, gateway.id)
        for _ in range(2):  # once the host's server, once whichever is left
            before = cluster.plan.addresses.index(host.server) + 1
            cluster.kill(before)
            async with asyncio.timeout(HANG):
                while True:
                    try:
                        await gateway.ready()
                        await gateway.request(subject, b"one", 10)
                        break
                    except (NobodyListens, EngineLost, NoEngineAnswer, EngineAway):
                        await asyncio.sleep(0)
            cluster.start(before)


async def test_too_much_unsent_is_refused_not_kept(lab: Lab) -> None:
    async with Relay(lab.plan.nodes[0]) as relay:  # noqa: SIM117
        async with EngineWire(through(lab.member("gateway"), relay.address)) as gateway:
            await gateway.ready(60)
            relay.hold()
            subject = to_host("call", "h000000000000", gateway.id)

            async def fill() -> None:
                for _ in range(1000):
                    await gateway.publish(subject, bytes(500_000))
                    await asyncio.sleep(0)

            with pytest.raises(EngineAway):
                await fill()


async def test_an_inbox_that_is_not_read_does_not_grow_for_ever(lab: Lab) -> None:
    host, gateway = EngineWire(lab.member("host")), EngineWire(lab.member("gateway"))
    heard: list[Msg] = []
    host.serve(f"hh1.call.{host.id}.*", heard.append)
    async with host, gateway:
        await host.ready(60)
        await gateway.ready(60)
        subject = to_host("call", host.id, gateway.id)
        answers = gateway.inbox(subject)
        await gateway.publish(subject, b"", reply=answers.subject)
        await until(lambda: heard)
        for _ in range(40):
            await host.publish(heard[0].reply, bytes(400_000))
            await until(lambda: not host._connection or not host._connection.is_full)
        await until(lambda: not gateway._inboxes)
        for _ in range(MOST_ANSWERED // 400_500):
            assert len((await answers.get()).data) == 400_000
        with pytest.raises(EngineLost, match="than is read"):
            await answers.get()


async def test_why_no_server_is_reached_is_told_in_a_sentence(lab: Lab) -> None:
    """What a caller reads goes on after it: nothing was done."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and does not listen
        address = f"127.0.0.1:{nobody.getsockname()[1]}"
        async with EngineWire(through(lab.member("gateway"), address)) as wire:
            await until(lambda: address in wire.problem)
            with pytest.raises(EngineAway) as told:
                await wire.publish("x", b"")
    assert str(told.value) == f"The engine is away: {address}: Connection refused."


async def test_a_server_that_is_silent_is_told_so(lab: Lab) -> None:
    async with Relay(lab.plan.nodes[0]) as relay:
        relay.hold()
        async with EngineWire(through(lab.member("gateway"), relay.address)) as wire:
            await until(lambda: relay.address in wire.problem)
            assert wire.problem == f"{relay.address}: It does not answer."
