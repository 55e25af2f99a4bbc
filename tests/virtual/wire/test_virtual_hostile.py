"""Hostile clients: no input makes the phone grow, hang or violate the protocol."""

import asyncio
import struct
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wire_client import WireClient, connect, until

from handheld.adb import wire
from handheld.adb.keys import AdbKey, encode_public_key, generate_key
from handheld.adb.wire import AdbMessage, encode_shell, encode_sync
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.wire import adbd, forward
from handheld_virtual.wire.stream import OUTPUT_AHEAD

TMP = "/data/local/tmp"


class Field:
    """A phone for all examples of a property, and the invariants after each example."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self.phone = VirtualPhone()
        self.guarded = VirtualPhone(authorize=True)
        self._runner.run(self.phone.start())
        self._runner.run(self.guarded.start())

    def play(self, attack: Callable[[WireClient], Awaitable[None]], *, guarded: bool = False):
        async def run() -> None:
            phone = self.guarded if guarded else self.phone
            async with connect(phone.port, greet=False) as client:
                await attack(client)
            async with connect(phone.port, greet=not guarded) as judge:
                if guarded:
                    asked = await judge.greet()
                    assert asked is not None
                    assert asked.command == wire.AUTH
                else:
                    assert await judge.shell("echo fine") == (b"fine\n", b"", 0)
            await until(lambda: phone.adbd.connections == 0)
            await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})
            assert phone.processes.all() == []
            assert (phone.authority.waiting, phone.allowed_keys) == ((), frozenset())
            assert phone.files.used <= phone.files.capacity
            assert phone.sockets.reversed == ()

        self._runner.run(run())

    def close(self) -> None:
        self._runner.run(self.phone.aclose())
        self._runner.run(self.guarded.aclose())
        self._runner.close()


@pytest.fixture(scope="module")
def field() -> Iterator[Field]:
    field = Field()
    yield field
    field.close()


async def drain(client: WireClient) -> None:
    """Read the available messages without acknowledging any."""
    client.writer.write_eof()
    while await client.receive() is not None:
        pass


def session() -> bytes:
    """The messages of a valid client, sent without waiting for answers."""
    greeting = b"host::features=shell_v2,stat_v2,sendrecv_v2"
    pushed = encode_sync(b"SEND", f"{TMP}/x,33188".encode()) + encode_sync(b"DATA", b"hello")
    pushed += encode_sync(b"DONE", 5) + encode_sync(b"LIST", TMP.encode())
    typed = encode_shell(5, b"24x80,0x0") + encode_shell(0, b"echo hi; cat\nto cat\n")
    messages = [
        AdbMessage(wire.CNXN, wire.VERSION, wire.MAX_PAYLOAD, greeting),
        AdbMessage(wire.OPEN, 1, 0, b"sync:\0"),
        AdbMessage(wire.WRTE, 1, 1, pushed),
        AdbMessage(wire.OPEN, 2, 0, b"shell,v2,TERM=xterm,pty:\0"),
        AdbMessage(wire.WRTE, 2, 2, typed),
        AdbMessage(wire.OPEN, 3, 0, b"reverse:forward:tcp:0;tcp:9\0"),
        AdbMessage(wire.OPEN, 4, 0, b"tcp:40000\0"),
        AdbMessage(wire.WRTE, 4, 4, b"ping"),
        AdbMessage(wire.OPEN, 5, 0, b"shell,v2,raw:cat /sdcard/* | wc\0"),
        AdbMessage(wire.OKAY, 1, 1),
        AdbMessage(wire.CLSE, 2, 2),
    ]
    return b"".join(map(wire.encode_message, messages))


HONEST = session()
flips = st.lists(st.tuples(st.integers(0, len(HONEST) - 1), st.integers(0, 255)), max_size=6)


@given(flips, st.integers(0, len(HONEST)), st.booleans())
def test_no_mutation_of_a_valid_session_does_harm(
    field: Field, changed: list[tuple[int, int]], cut: int, abort: bool
):
    async def attack(client: WireClient) -> None:
        data = bytearray(HONEST)
        for place, value in changed:
            data[place] = value
        client.writer.write(bytes(data[:cut] if abort else data))
        await client.writer.drain()
        if abort:
            client.writer.transport.abort()
        else:
            await drain(client)

    field.play(attack)


lengths = st.sampled_from([0, 1, 5, 1024, 1025, 65536, 65537, 0x7FFFFFFF, 0xFFFFFFFF])
sync_ids = st.sampled_from(
    (
        *(b"STAT", b"STA2", b"LST2", b"LIST", b"LIS2", b"SEND", b"SND2", b"RECV", b"RCV2"),
        *(b"DATA", b"DONE", b"QUIT", b"OKAY", b"FAIL", b"\0\0\0\0", b"\xff\xff\xff\xff"),
    )
)
names = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(
        (b"/", b"", b"/..", TMP.encode(), b"/proc/self", b"/system/x,33188", b"/dev/null,8630")
    ),
    st.sampled_from((f"{TMP}/y,33188", f"{TMP}/y,41471", f"{TMP}/../tmp/./y,0")).map(str.encode),
)
records = st.one_of(
    st.builds(encode_sync, sync_ids, names),
    st.builds(encode_sync, sync_ids, lengths),
    st.builds(lambda id, n, rest: struct.pack("<4sI", id, n) + rest, sync_ids, lengths, names),
    st.binary(max_size=30),
)


@given(st.lists(records, max_size=20), st.integers(1, 50))
def test_no_sync_records_do_harm(field: Field, sent: list[bytes], size: int):
    async def attack(client: WireClient) -> None:
        await client.greet()
        theirs = await client.open("sync:")
        data = b"".join(sent)
        for start in range(0, len(data), size):
            client.send(wire.WRTE, 1, theirs, data[start : start + size])
        await drain(client)

    field.play(attack)


packets = st.one_of(
    st.builds(encode_shell, st.integers(0, 255), st.binary(max_size=40)),
    st.builds(lambda id, n: struct.pack("<BI", id, n), st.integers(0, 255), lengths),
    st.sampled_from([b"9" * 400 + b"x1,1x1", b"24x80,0x0", b"x", b"-1x-1,0x0"]).map(
        lambda size: encode_shell(5, size)
    ),
    st.sampled_from([b"\x03", b"\x04", b"\x7f" * 9, b"\x15", b"exit 3\r", "ü\r".encode()]).map(
        lambda keys: encode_shell(0, keys)
    ),
)


@given(st.lists(packets, max_size=20), st.sampled_from(["raw:cat", "pty:", "pty:cat", "raw:"]))
def test_no_shell_packets_do_harm(field: Field, sent: list[bytes], service: str):
    async def attack(client: WireClient) -> None:
        await client.greet()
        theirs = await client.open(f"shell,v2,TERM=xterm,{service}")
        client.send(wire.WRTE, 1, theirs, b"".join(sent))
        await drain(client)

    field.play(attack)


sockets = st.one_of(
    st.sampled_from(["tcp:0", "tcp:7", "tcp:-1", "tcp:99999", "tcp:", "tcp:٣", "localabstract:a"]),
    st.sampled_from(["local:/x", "foo:a", "", ";", "norebind:", "norebind:tcp:7", "*", "x" * 5000]),
    st.text(max_size=20),
)
requests = st.one_of(
    st.builds("forward:{};{}".format, sockets, sockets),
    st.builds("forward:norebind:{};{}".format, sockets, sockets),
    st.builds("killforward:{}".format, sockets),
    st.sampled_from(["list-forward", "killforward-all", "killforward", "forward:", "", ":"]),
    st.text(max_size=20),
)


@given(st.lists(requests, max_size=12))
def test_every_reverse_request_is_answered_in_the_protocols_form(field: Field, sent: list[str]):
    async def attack(client: WireClient) -> None:
        await client.greet()
        for request in sent:
            data = await client.collect(await client.open(f"reverse:{request}"))
            assert data[:4] in (b"OKAY", b"FAIL") or request.split("\0")[0] == "list-forward"
            rest = data if data[:4] not in (b"OKAY", b"FAIL") else data[4:]
            if rest:
                assert int(rest[:4], 16) == len(rest) - 4

    field.play(attack)


@pytest.fixture(scope="module")
def key() -> AdbKey:
    return generate_key("me@here")


@given(
    st.lists(
        st.tuples(
            st.sampled_from([wire.AUTH, wire.AUTH, wire.AUTH, wire.CNXN, wire.OPEN, wire.STLS]),
            st.integers(0, 5),
            st.one_of(st.binary(max_size=300), st.just(bytes(256)), st.none()),
        ),
        max_size=40,
    )
)
def test_invalid_authentication_is_never_accepted(
    field: Field, key: AdbKey, sent: list[tuple[int, int, bytes | None]]
):
    async def attack(client: WireClient) -> None:
        await client.greet()
        for command, kind, data in sent:
            given = encode_public_key(key.public) if data is None else data
            client.send(command, kind, 0, given)
        client.writer.write_eof()
        while (answer := await client.receive()) is not None:
            assert answer.command == wire.AUTH

    field.play(attack, guarded=True)


@pytest.mark.slow
async def test_unacknowledged_streams_buffer_a_bounded_amount(
    phone: VirtualPhone, client: WireClient
):
    phone.files.write(f"{TMP}/big", bytes(4 * 1024 * 1024))
    before = len(asyncio.all_tasks())
    for id in range(1, adbd.STREAMS + 1):
        client.send(wire.OPEN, id, 0, f"exec:cat {TMP}/big\0".encode())
    await until(lambda: len(phone.adbd.streams()) == adbd.STREAMS)
    async with connect(phone.port) as judge:
        assert await judge.shell("echo fine") == (b"fine\n", b"", 0)
    held = [len(stream._output) for stream in phone.adbd.streams()]
    assert max(held) <= OUTPUT_AHEAD + 65536
    client.writer.transport.abort()
    await until(lambda: phone.processes.all() == [] and phone.adbd.connections == 0)
    await until(lambda: len(asyncio.all_tasks()) <= before)


async def test_unread_input_is_bounded_per_connection(phone: VirtualPhone, client: WireClient):
    for id in range(1, 33):
        client.send(wire.OPEN, id, 0, b"shell,v2,raw:sleep 1000\0")
        client.send(wire.WRTE, id, id, bytes(wire.MAX_PAYLOAD))
    most = 0
    while await client.receive() is not None:
        most = max(most, *(c.unread for c in phone.adbd._connections), 0)
    assert most <= adbd.UNREAD + wire.MAX_PAYLOAD
    await until(lambda: phone.processes.all() == [])
    async with connect(phone.port) as judge:
        assert await judge.shell("echo fine") == (b"fine\n", b"", 0)


async def test_partial_message_is_awaited_without_harm(phone: VirtualPhone):
    whole = wire.encode_message(AdbMessage(wire.OPEN, 1, 0, b"exec:true\0"))
    async with connect(phone.port) as client:
        client.writer.write(whole[:30])
        async with connect(phone.port) as judge:
            assert await judge.shell("echo fine") == (b"fine\n", b"", 0)
        client.writer.write(whole[30:])
        assert await client.receive() == AdbMessage(wire.OKAY, 1, 1)


@asynccontextmanager
async def asked_for_a_key() -> AsyncGenerator[tuple[VirtualPhone, ManualClock, WireClient]]:
    clock = ManualClock()
    async with (
        VirtualPhone(authorize=True, clock=clock) as phone,
        connect(phone.port, greet=False) as client,
    ):
        asked = await client.greet()
        assert asked is not None
        assert asked.command == wire.AUTH
        yield phone, clock, client


async def test_client_that_does_not_authenticate_is_disconnected():
    async with asked_for_a_key() as (_, clock, client):
        await clock.advance(adbd.HANDSHAKE_MS)
        assert await client.receive() is None


async def test_authorization_prompt_has_no_timeout(key: AdbKey):
    async with asked_for_a_key() as (phone, clock, client):
        client.send(wire.AUTH, wire.AUTH_PUBLIC_KEY, 0, encode_public_key(key.public))
        await until(lambda: phone.authority.waiting)
        await clock.advance(10 * adbd.HANDSHAKE_MS)
        phone.allow(key.public)
        answer = await client.receive()
        assert answer is not None
        assert answer.command == wire.CNXN


@pytest.mark.parametrize(
    ("service", "answer"),
    [
        ("exec:", b"error: exec '/system/bin/sh' failed: Argument list too long\n"),
        ("shell:", b"error: exec '/system/bin/sh' failed: Argument list too long\n"),
        (
            "shell,v2,raw:",
            encode_shell(1, b"error: exec '/system/bin/sh' failed: Argument list too long\n"),
        ),
    ],
)
async def test_a_command_that_is_too_long_is_not_run(
    client: WireClient, service: str, answer: bytes
):
    theirs = await client.open(service + "echo " + "x" * 200_000)
    assert await client.collect(theirs) == answer


async def test_reverse_forwards_are_bounded_in_number_and_size(client: WireClient):
    long = await client.collect(await client.open("reverse:forward:tcp:7;" + "x" * 10_000))
    assert long[:4] == b"FAIL"
    for port in range(1, forward.REVERSES + 1):
        theirs = await client.open(f"reverse:forward:tcp:{port};tcp:9")
        assert await client.collect(theirs) == b"OKAY"
    beyond = await client.collect(await client.open("reverse:forward:tcp:9999;tcp:9"))
    assert beyond == b"FAIL0029cannot bind listener: Too many open files"
