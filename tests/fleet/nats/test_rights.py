"""Who may what in the engine, as its servers see it."""

import asyncio
import secrets

import pytest

from handheld.fleet.nats.calls import CallAnswer, Responder, calling
from handheld.fleet.nats.client import Msg
from handheld.fleet.nats.frames import NatsFrame
from handheld.fleet.nats.kv import Kv
from handheld.fleet.nats.names import CLAIMS, HOSTS, PHONES, TOKENS, inbox, to_host
from handheld.fleet.nats.wire import EngineWire, NobodyListens, NotAllowed, WireFault

from .lab import Lab, until

pytestmark = pytest.mark.needs_nats


async def refused(wire: EngineWire, subject: str, data: bytes = b"") -> bool:
    """Whether the engine does not pass on what this member publishes."""
    try:
        await wire.request(subject, data, 60)
    except NotAllowed:
        return True
    except WireFault:
        return False
    return False


async def test_a_gateway_cannot_speak_as_another(lab: Lab) -> None:
    async with lab.wires(lab.member("gateway"), lab.member("gateway")) as [one, other]:
        for word in ("call", "stop", "lease", "eyes", "answer"):
            assert await refused(one, to_host(word, "h000000000000", other.id))
            assert not await refused(one, to_host(word, "h000000000000", one.id))


async def test_nobody_reads_or_writes_in_anothers_inbox(lab: Lab) -> None:
    heard: list[Msg] = []
    spy = EngineWire(lab.member("gateway"))
    other = EngineWire(lab.member("gateway"))
    spy.serve(f"{inbox(other.id)}.>", heard.append)
    host = EngineWire(lab.member("host"))
    done = asyncio.Event()

    async def answer(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        await answer.taken()
        await answer.end({})
        done.set()

    Responder(host, answer)
    async with spy, other, host:
        for wire in (spy, other, host):
            await wire.ready(60)
        async with calling(other, host.id, {}) as call:
            await call.end(60)
        await done.wait()
        assert heard == []
        for wire in (spy, host):
            assert await refused(wire, f"{inbox(other.id)}.x.y")


async def test_a_host_cannot_listen_for_another(lab: Lab) -> None:
    heard: list[Msg] = []
    victim, thief = lab.member("host"), EngineWire(lab.member("host"))
    thief.serve(f"hh1.call.{victim.id}.*", heard.append)
    thief.serve("hh1.call.*.*", heard.append)
    thief.serve(">", heard.append)
    async with thief, lab.wires(lab.member("gateway")) as [gateway]:
        await thief.ready(60)
        with pytest.raises(NobodyListens):
            await gateway.request(to_host("call", victim.id, gateway.id), b"", 60)
        assert heard == []


async def test_a_host_writes_its_own_rows_alone(lab: Lab) -> None:
    async with lab.wires(lab.member("host"), lab.member("host")) as [one, other]:
        await Kv(one, HOSTS).put(one.id, b"x")
        await Kv(one, PHONES).put(f"{one.id}.01", b"x")
        await Kv(one, CLAIMS).put(one.id, b"x")
        others = (
            (HOSTS, other.id),
            (PHONES, f"{other.id}.01"),
            (CLAIMS, other.id),
            (CLAIMS, f"{one.id}.more"),
            (CLAIMS, "p" + secrets.token_hex(8)),
            (TOKENS, "ci"),
        )
        for bucket, key in others:
            with pytest.raises(NotAllowed):
                await Kv(one, bucket).put(key, b"x")
            with pytest.raises(NotAllowed):
                await Kv(one, bucket).delete(key)
        # Whether another is there it may know, to claim the phones of one that is gone.
        await Kv(other, HOSTS).put(other.id, b"y")
        assert await Kv(one, HOSTS).get(other.id) is not None
        with pytest.raises(NotAllowed):
            await Kv(one, PHONES).read_all()
        with pytest.raises(NotAllowed):
            await Kv(one, PHONES).read_all(f"{other.id}.")


async def test_a_gateway_writes_no_table_and_changes_no_stream(lab: Lab) -> None:
    async with lab.wires(lab.member("gateway"), lab.member("host")) as [gateway, host]:
        for wire in (gateway, host):
            for subject in (
                "$KV.tokens.ci",
                "$JS.API.STREAM.DELETE.KV_phones",
                "$JS.API.STREAM.PURGE.KV_phones",
                "$JS.API.STREAM.CREATE.mine",
                "$JS.API.STREAM.UPDATE.KV_phones",
                "$JS.API.STREAM.MSG.DELETE.KV_phones",
                "$JS.API.CONSUMER.DELETE.KV_phones.other",
                "$JS.API.CONSUMER.CREATE.KV_phones",
                "$JS.API.CONSUMER.CREATE.KV_tokens.other.$KV.tokens.>",
                "$SYS.REQ.CLAIMS.UPDATE",
            ):
                assert await refused(wire, subject, b"{}"), subject


async def test_no_row_can_empty_a_table(lab: Lab) -> None:
    async with lab.wires(lab.member("host"), lab.member("host")) as [one, other]:
        await Kv(other, PHONES).put(f"{other.id}.01", b"x")
        headers = {"Nats-Rollup": "all"}
        answer = await one.request(f"$KV.phones.{one.id}.01", b"x", 10, headers)
        assert b"error" in answer.data
        assert await Kv(other, PHONES).get(f"{other.id}.01") is not None


async def test_a_tenant_sees_nothing_of_others(lab: Lab) -> None:
    heard: list[Msg] = []
    host, stranger = EngineWire(lab.member("host")), EngineWire(lab.admin("other"))
    host.serve(f"hh1.lease.{host.id}.*", heard.append)
    stranger.serve("$KV.>", heard.append)
    async with host, stranger, lab.wires(lab.member("gateway", "other")) as [gateway]:
        await host.ready(60)
        await stranger.ready(60)
        with pytest.raises(NobodyListens):
            await gateway.request(to_host("lease", host.id, gateway.id), b"", 60)
        await Kv(host, PHONES).put(f"{host.id}.01", b"secret")
        assert await Kv(gateway, PHONES).read_all() == {}
        assert not [one for one in heard if host.id in one.subject and b"secret" in one.data]


async def test_a_host_cannot_make_the_store_speak_as_a_gateway(lab: Lab) -> None:
    """The store answers to whatever subject a question names, without asking who may."""
    taken: list[NatsFrame] = []
    raw: list[Msg] = []
    victim, thief = EngineWire(lab.member("host")), EngineWire(lab.member("host"))

    async def handler(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        taken.append(frame)
        await answer.taken()
        await answer.end({})

    responder = Responder(victim, handler)
    heard = victim._served[f"hh1.call.{victim.id}.*"]

    def both(message: Msg) -> None:
        raw.append(message)
        heard(message)

    victim.serve(f"hh1.call.{victim.id}.*", both)
    async with victim, thief, lab.wires(lab.member("gateway")) as [gateway]:
        await victim.ready(60)
        await thief.ready(60)
        forged = NatsFrame({"call": "x", "name": "tap"}).encode()
        key = f"{thief.id}.01"
        await thief.request(f"$KV.phones.{key}", forged, 60)
        await thief.publish(
            f"$JS.API.DIRECT.GET.KV_phones.$KV.phones.{key}",
            b"",
            reply=to_host("call", victim.id, gateway.id),
        )
        await until(lambda: raw)
        # It did arrive, which only we can tell.
        assert raw[0].data == forged
        async with calling(gateway, victim.id, {"name": "look"}) as call:
            await call.end(60)
        assert [frame.head["name"] for frame in taken] == ["look"]
    await responder.close()


async def test_a_call_cannot_have_its_answer_sent_to_another(lab: Lab) -> None:
    taken: list[NatsFrame] = []
    host = EngineWire(lab.member("host"))

    async def handler(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        taken.append(frame)
        await answer.end({})

    Responder(host, handler)
    async with host, lab.wires(lab.member("gateway"), lab.member("gateway")) as [one, other]:
        await host.ready(60)
        subject = to_host("call", host.id, one.id)
        frame = NatsFrame({"call": "a", "name": "to another"}).encode()
        await one.publish(subject, frame, reply=f"{inbox(other.id)}.x.y")
        async with calling(one, host.id, {"name": "to itself"}) as call:
            await call.end(60)
        assert [frame.head["name"] for frame in taken] == ["to itself"]
