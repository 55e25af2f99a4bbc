"""A hostile host has the store answer where it must not write, and sends headers that only a server
should send."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from handheld.clock import SYSTEM_CLOCK
from handheld.fleet.nats.audit_stream import AuditStream
from handheld.fleet.nats.jetstream import JetStream
from handheld.fleet.nats.kv import Kv, UpToDate
from handheld.fleet.nats.names import CLAIMS, HOSTS, PHONES, STREAMS, TABLES, TOKENS, audit_subject
from handheld.fleet.nats.wire import EngineWire, NoEngineAnswer

from .lab import Lab, through

pytestmark = pytest.mark.needs_nats

Way = Callable[[EngineWire, str, bytes], Coroutine[Any, Any, None]]
"""Has the store say this, as far as the way allows, there."""


def own(evil: EngineWire) -> str:
    return f"{evil.id}.00"


async def acknowledge(evil: EngineWire, to: str, said: bytes) -> None:
    await evil.publish(f"$KV.phones.{own(evil)}", said, reply=to)


async def read_row(evil: EngineWire, to: str, said: bytes) -> None:
    await evil.request(f"$KV.phones.{own(evil)}", said, 60)
    await read_own(evil, to)


async def read_own(evil: EngineWire, to: str) -> None:
    await evil.publish(f"$JS.API.DIRECT.GET.KV_phones.$KV.phones.{own(evil)}", b"", reply=to)


async def read_claim(evil: EngineWire, to: str, said: bytes) -> None:
    await evil.request(f"$KV.claims.{evil.id}", said, 60)
    question = json.dumps({"last_by_subj": f"$KV.claims.{evil.id}"}).encode()
    await evil.publish("$JS.API.STREAM.MSG.GET.KV_claims", question, reply=to)


async def follow(evil: EngineWire, to: str, said: bytes, table: str, keys: str) -> None:
    """Rows, heartbeats and questions of flow control; the answer to this as well."""
    await evil.request(f"$KV.phones.{own(evil)}", said, 60)
    await evil.request(f"$JS.API.CONSUMER.DELETE.KV_{table}.{evil.id}", b"", 60)
    asked = f"$JS.API.CONSUMER.CREATE.KV_{table}.{evil.id}.$KV.{table}.{keys}>"
    question = follower(evil, to, table, keys)
    await evil.publish(asked, question, reply=to)
    await evil.request(asked, question, 60)
    await evil.request(f"$KV.phones.{own(evil)}", said, 60)


def follower(evil: EngineWire, to: str, table: str, keys: str) -> bytes:
    config = {
        "name": evil.id,
        "deliver_subject": to,
        "deliver_policy": "last_per_subject",
        "filter_subject": f"$KV.{table}.{keys}>",
        "flow_control": True,
        "idle_heartbeat": 100_000_000,
        "mem_storage": True,
        "num_replicas": 1,
    }
    return json.dumps({"stream_name": f"KV_{table}", "config": config, "action": "create"}).encode()


async def follow_own(evil: EngineWire, to: str, said: bytes) -> None:
    await follow(evil, to, said, "phones", f"{evil.id}.")


async def follow_tokens(evil: EngineWire, to: str, said: bytes) -> None:
    await follow(evil, to, said, "tokens", "")


async def let_beat(right: EngineWire) -> None:
    """Until followers from before have said twice that they have nothing new."""
    heard = await right.follow("")
    question = follower(right, heard.subject, "tokens", "")
    asked = f"$JS.API.CONSUMER.CREATE.KV_tokens.{right.id}.$KV.tokens.>"
    await right.request(asked, question, 60)
    for _ in range(4):
        await heard.get()
    await right.unfollow(heard)
    await right.request(f"$JS.API.CONSUMER.DELETE.KV_tokens.{right.id}", b"", 60)


ROW = b"0" * 16 + b' ["theirs"]'


def targets(right: EngineWire) -> dict[str, bytes]:
    """Where a hostile host wants what to be said."""
    changed = json.dumps({"name": "KV_tokens", "subjects": ["$KV.tokens.*.*"], "storage": "file"})
    whole = {
        f"$KV.{HOSTS.name}.{right.id}": ROW,
        f"$KV.{PHONES.name}.{right.id}.00": ROW,
        f"$KV.{CLAIMS.name}.{right.id}": ROW,
        f"$KV.{TOKENS.name}.ci": ROW,
        f"$KV.{TOKENS.name}.mallory": ROW,
        audit_subject(right.id): ROW,
    }
    for prefix in ("", TABLES):
        whole |= {
            f"{prefix}$JS.API.STREAM.PURGE.KV_tokens": b"",
            f"{prefix}$JS.API.STREAM.DELETE.AUDIT": b"",
            f"{prefix}$JS.API.STREAM.UPDATE.KV_tokens": changed.encode(),
            f"{prefix}$JS.API.CONSUMER.DELETE.KV_phones.{right.id}": b"",
        }
    return whole


async def look(admin: EngineWire, besides: list[EngineWire]) -> Mapping[str, Any]:
    """All that is stored, besides what these hosts may write themselves."""
    store = JetStream(admin)
    found: dict[str, Any] = {}
    for name in STREAMS:
        told = await store.ask(f"STREAM.INFO.{name}", None)
        found[name] = told["config"]
        first = 1
        while batch := await store.read(name, ">", first):
            for each in batch:
                if not any(wire.id in each.subject for wire in besides):
                    found[f"{each.subject} {each.sequence}"] = each.data
            first = batch[-1].sequence + 1
    return found


@pytest.mark.parametrize("nodes", [1, 3], ids=["one node", "three nodes"])
async def test_it_writes_and_destroys_nothing(server: None, tmp_path: Path, nodes: int) -> None:
    lab = Lab(tmp_path, nodes)
    try:
        await lab.set_up()
        # One at each node, of which each may lead a table.
        evil = [through(lab.member("host"), address) for address in lab.plan.addresses]
        async with lab.wires(lab.member("host"), lab.admin(), *evil) as [right, admin, *evils]:
            for name in ("ci", "other"):
                await Kv(admin, TOKENS).put(name, b"{}")
            for bucket, key in ((PHONES, f"{right.id}.00"), (CLAIMS, right.id)):
                await Kv(right, bucket).put(key, b'["mine"]')
            await AuditStream(right).append(b"one", f"{right.id} 1")
            before = await look(admin, evils)
            for way in (acknowledge, read_row, read_claim, follow_own, follow_tokens):
                for to, said in targets(right).items():
                    for each in evils:
                        await way(each, to, said)
                    if way in (follow_own, follow_tokens):
                        await let_beat(right)
                # What is stored now comes after what was asked before.
                for each in evils:
                    await each.request(f"$KV.claims.{each.id}", ROW, 60)
                    await each.request(f"$KV.phones.{own(each)}", ROW, 60)
                    await AuditStream(each).append(b"x", f"{each.id} {way.__name__}")
                assert await look(admin, evils) == before, way.__name__
    finally:
        lab.close()


async def test_it_writes_nothing_while_accounts_change(lab: Lab) -> None:
    """A server that is told anew of an account knows answers that are on their way by what was."""
    system = lab.admin_of(lab.folder.key("system"))
    hosts = lab.member("host"), lab.member("host")
    async with lab.wires(*hosts, lab.admin(), system) as [evil, right, admin, servers]:
        await evil.request(f"$KV.phones.{own(evil)}", ROW, 60)
        before = await look(admin, [evil])

        async def flood() -> None:
            while True:
                for to in (*targets(right),) * 20:
                    await evil.publish(f"$KV.phones.{own(evil)}", ROW, reply=to)
                    await read_own(evil, to)
                # No more than is answered, which a change may lose.
                with suppress(NoEngineAnswer):
                    await evil.request(f"$KV.phones.{own(evil)}", ROW, 0.01)

        flooding = asyncio.create_task(flood())
        for number in range(100):
            for told in (
                lab.folder.tables_credential("main", SYSTEM_CLOCK.time() + number),
                lab.folder.tenant_credential(lab.plan, "main", SYSTEM_CLOCK.time() + number),
            ):
                await servers.request("$SYS.REQ.CLAIMS.UPDATE", told.encode(), 60)
        flooding.cancel()
        await asyncio.wait([flooding])
        assert await look(admin, [evil]) == before


@pytest.fixture
async def members(lab: Lab) -> AsyncGenerator[tuple[EngineWire, EngineWire, EngineWire]]:
    """A hostile host, its neighbour and a gateway."""
    hosts = lab.member("host"), lab.member("host")
    async with lab.wires(*hosts, lab.member("gateway")) as [evil, right, gateway]:
        yield evil, right, gateway


Send = Callable[[EngineWire, str], Coroutine[Any, Any, None]]


async def send_status(evil: EngineWire, subject: str) -> None:
    await evil.request(subject, b"0" * 16 + b" x", 60, {"Status": "100"})


async def send_end(evil: EngineWire, subject: str) -> None:
    await evil.request(subject, b"0" * 16 + b" x", 60, {"Status": "404"})


async def send_stalled(evil: EngineWire, subject: str) -> None:
    headers = {"Status": "100", "Nats-Consumer-Stalled": "$KV.tokens.ci"}
    await evil.request(subject, b"0" * 16 + b" x", 60, headers)


async def send_no_text(evil: EngineWire, subject: str) -> None:
    head = b"NATS/1.0\r\n\xff\xfe: \xff\r\n\r\n"
    data = b"0" * 16 + b" x"
    answers = evil.inbox(subject)
    command = f"HPUB {subject} {answers.subject} {len(head)} {len(head) + len(data)}\r\n"
    connection: Any = evil._open()
    await connection._send_command(command.encode() + head + data + b"\r\n")
    await connection._flush_pending()
    await answers.get()
    answers.close()


@pytest.mark.parametrize("send", [send_status, send_end, send_stalled, send_no_text])
async def test_its_headers_stop_no_reader(
    members: tuple[EngineWire, EngineWire, EngineWire], send: Send
) -> None:
    evil, right, gateway = members
    copies = AuditStream(right)
    await copies.append(b"one", f"{right.id} 1")
    await send(evil, f"$KV.phones.{evil.id}.00")
    await send(evil, audit_subject(evil.id))
    await copies.append(b"two", f"{right.id} 2")
    await Kv(right, PHONES).put(f"{right.id}.00", b"mine")
    told: list[str] = []
    async for change in Kv(gateway, PHONES).watch():
        told.append(type(change).__name__ if isinstance(change, UpToDate) else change.key)
        if isinstance(change, UpToDate):
            break
    assert told.count("UpToDate") == 1
    assert f"{right.id}.00" in told
    read = AuditStream(gateway)
    end = await read.last() + 1
    mine = [
        each.data async for each in read.read(1, end) if each.subject == audit_subject(right.id)
    ]
    assert mine == [b"one", b"two"]
