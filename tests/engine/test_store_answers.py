"""A hostile host has the store answer into the rows of others, and sends headers that only a server
should send."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AsyncExitStack
from typing import Any

import pytest

from handheld.access.tokens import AccessToken, StoredToken
from handheld.engine.audit_stream import AuditStream
from handheld.engine.directory import HostRow, PhoneRow, Registrar
from handheld.engine.kv import Entry, Kv, Overwritten, UpToDate
from handheld.engine.names import (
    CLAIMS,
    HOSTS,
    PHONES,
    RULES,
    TOKENS,
    Bucket,
    audit_subject,
    phone_id,
    slot_of,
)
from handheld.engine.wire import Wire
from handheld.fleet.tokens import FleetTokens, add_token, list_tokens
from polling import until, until_true

from .lab import Lab

pytestmark = pytest.mark.needs_nats


@pytest.fixture
async def members(lab: Lab) -> AsyncGenerator[tuple[Wire, Wire, Wire, Wire]]:
    """A hostile host, its neighbour, a gateway and an administrator."""
    hosts = lab.member("host"), lab.member("host")
    async with lab.wires(*hosts, lab.member("gateway"), lab.admin()) as wires:
        evil, right, gateway, admin = wires
        yield evil, right, gateway, admin


async def speak(evil: Wire, to: str, said: bytes, admin: Wire, *, bare: bool = False) -> None:
    """Have the store say this there. It is stored when this returns. `bare`: an acknowledgement,
    which has no headers."""
    own = f"$KV.phones.{evil.id}.00"
    name, key = to.removeprefix("$KV.").split(".", 1)
    bucket = Bucket(name)

    async def revision() -> int:
        try:
            found = await Kv(admin, bucket).get_latest(key)
        except Overwritten as problem:
            return problem.revision
        return 0 if found is None else found.revision

    before = await revision()
    if bare:
        await evil.publish(own, said, reply=to)
    else:
        await evil.request(own, said, 60)
        await evil.publish(f"$JS.API.DIRECT.GET.KV_phones.{own}", b"", reply=to)

    async def is_stored() -> bool:
        return await revision() != before

    await until_true(is_stored)


def made_row(name: str) -> tuple[bytes, str]:
    stored, secret = StoredToken.make(AccessToken(name))
    return b"0" * 16 + b" " + json.dumps(stored.encode()).encode(), secret


async def run_tokens(stack: AsyncExitStack, wire: Wire) -> FleetTokens:
    tokens = FleetTokens()
    running = asyncio.create_task(tokens.run(wire))
    stack.callback(running.cancel)
    return tokens


async def test_it_makes_no_token_for_itself(members: tuple[Wire, Wire, Wire, Wire]) -> None:
    evil, _, gateway, admin = members
    row, secret = made_row("mallory")
    async with AsyncExitStack() as stack:
        following = await run_tokens(stack, gateway)
        honest = await add_token(Kv(admin, TOKENS), AccessToken("ci"))
        await until(lambda: following.has("ci"))
        await speak(evil, "$KV.tokens.mallory", row, admin)
        later = await run_tokens(stack, admin)
        # What comes after it was read after it.
        after = await add_token(Kv(admin, TOKENS), AccessToken("later"))
        for tokens in (following, later):
            await until(lambda tokens=tokens: tokens.has("later"))
            assert tokens.recognise(secret) is None
            assert tokens.recognise(honest) is not None
            assert tokens.recognise(after) is not None
            assert not tokens.has("mallory")
    assert "mallory" not in [each.name for each in await list_tokens(Kv(admin, TOKENS))]


@pytest.mark.parametrize("bare", [False, True], ids=["a row", "an acknowledgement"])
async def test_a_token_that_it_writes_over_holds_where_it_is_known(
    members: tuple[Wire, Wire, Wire, Wire], *, bare: bool
) -> None:
    evil, _, gateway, admin = members
    table = Kv(admin, TOKENS)
    name, later = f"ci-{evil.id}", f"later-{evil.id}"
    row, stolen = made_row(name)
    async with AsyncExitStack() as stack:
        tokens = await run_tokens(stack, gateway)
        secret = await add_token(table, AccessToken(name))
        await until(lambda: tokens.has(name))
        await speak(evil, f"$KV.tokens.{name}", row, admin, bare=bare)
        await add_token(table, AccessToken(later))
        await until(lambda: tokens.has(later))
        assert tokens.recognise(secret) is not None
        assert tokens.recognise(stolen) is None
        # The administrator makes it again.
        await table.delete(name)
        await until(lambda: not tokens.has(name))
        again = await add_token(table, AccessToken(name))
        await until(lambda: tokens.has(name))
        assert tokens.recognise(secret) is None
        assert tokens.recognise(again) is not None


@pytest.mark.parametrize("bare", [False, True], ids=["a row", "an acknowledgement"])
@pytest.mark.parametrize("bucket", [HOSTS, PHONES, CLAIMS], ids=lambda bucket: bucket.name)
async def test_it_says_nothing_in_the_rows_of_its_neighbour(
    members: tuple[Wire, Wire, Wire, Wire], bucket: Bucket, *, bare: bool
) -> None:
    evil, right, _, admin = members
    key = f"{right.id}.00" if bucket is PHONES else right.id
    rows, own = Kv(admin, bucket), Kv(right, bucket)
    known: dict[str, bytes] = {}

    async def follow() -> None:
        async for change in rows.watch():
            if isinstance(change, Entry):
                known[change.key] = change.value

    following = asyncio.create_task(follow())
    try:
        await own.put(key, b'["mine"]')
        await until(lambda: key in known)
        await speak(evil, f"$KV.{bucket.name}.{key}", b"0" * 16 + b' ["theirs"]', admin, bare=bare)
        for read in (rows.get, rows.get_latest):
            with pytest.raises(Overwritten):
                await read(key)
        assert [each for each in await rows.look() if each.key == key] == []
        assert key not in await rows.read_all()
        await Kv(evil, PHONES).put(f"{evil.id}.01", b"later")
        if bucket is PHONES:
            await until(lambda: f"{evil.id}.01" in known)
        assert known[key] == b'["mine"]'
        # Its neighbour writes its row again, as after every row that is another than it wrote.
        with pytest.raises(Overwritten) as found:
            await own.get(key)
        await own.swap(key, b'["again"]', found.value.revision)
        await until(lambda: known[key] == b'["again"]')
    finally:
        following.cancel()


async def test_its_neighbour_writes_again_what_was_lost(
    members: tuple[Wire, Wire, Wire, Wire],
) -> None:
    evil, right, gateway, admin = members
    registrar = Registrar(right, HostRow("right", "1", rules=RULES))
    row = PhoneRow("V-right", slug="mine")
    registrar.set(row)
    running = asyncio.create_task(registrar.run())
    try:
        key = f"{right.id}.{slot_of(phone_id(row.serial))}"

        async def is_known() -> bool:
            return key in await Kv(gateway, PHONES).read_all()

        await until_true(is_known)
        before = await Kv(admin, PHONES).get(key)
        await speak(evil, f"$KV.phones.{key}", b"0" * 16 + b" []", admin)
        assert not await is_known()
        await registrar.compare_rows()
        await until_true(is_known)
        again = await Kv(admin, PHONES).get(key)
        assert before is not None
        assert again is not None
        assert again.value == before.value
    finally:
        running.cancel()


Send = Callable[[Wire, str], Coroutine[Any, Any, None]]


async def send_status(evil: Wire, subject: str) -> None:
    await evil.request(subject, b"0" * 16 + b" x", 60, {"Status": "100"})


async def send_end(evil: Wire, subject: str) -> None:
    await evil.request(subject, b"0" * 16 + b" x", 60, {"Status": "404"})


async def send_stalled(evil: Wire, subject: str) -> None:
    headers = {"Status": "100", "Nats-Consumer-Stalled": "$KV.tokens.ci"}
    await evil.request(subject, b"0" * 16 + b" x", 60, headers)


async def send_no_text(evil: Wire, subject: str) -> None:
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
    members: tuple[Wire, Wire, Wire, Wire], send: Send
) -> None:
    evil, right, gateway, _ = members
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


@pytest.mark.parametrize("bare", [False, True], ids=["a row", "an acknowledgement"])
async def test_it_records_nothing_in_place_of_its_neighbour(
    members: tuple[Wire, Wire, Wire, Wire], *, bare: bool
) -> None:
    evil, right, gateway, _ = members
    await AuditStream(right).append(b"one", f"{right.id} 1")
    own, to = f"$KV.phones.{evil.id}.00", audit_subject(right.id)
    read = AuditStream(gateway)
    before = await read.last()
    if bare:
        await evil.publish(own, b"forged", reply=to)
    else:
        await evil.request(own, b"forged", 60, {"Nats-Msg-Id": f"{right.id} 2"})
        await evil.publish(f"$JS.API.DIRECT.GET.KV_phones.{own}", b"", reply=to)

    async def is_stored() -> bool:
        return await read.last() > before

    await until_true(is_stored)
    await AuditStream(right).append(b"two", f"{right.id} 3")
    end = await read.last() + 1
    assert [each.data async for each in read.read(1, end, right.id)] == [b"one", b"two"]
