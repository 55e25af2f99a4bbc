"""The virtual phone's adbd, message by message."""

import asyncio
import gc
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wire_client import WireClient, connect, until

from handheld.adb import wire
from handheld.adb.keys import AdbKey, AdbPublicKey, encode_public_key, generate_key
from handheld.adb.wire import AdbMessage
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.process import Process
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.wire import adbd, stream
from harness.polling import HANG

BANNER = (
    b"device::ro.product.name=handheld_virtual;ro.product.model=Handheld Virtual;"
    b"ro.product.device=virtual;features=shell_v2,cmd,abb,abb_exec,stat_v2,fixed_push_mkdir,ls_v2,"
    b"fixed_push_symlink_timestamp,sendrecv_v2,track_app,delayed_ack"
)


@pytest.fixture(scope="module")
def key() -> AdbKey:
    return generate_key("me@here")


async def test_client_is_greeted_with_the_device_banner(phone: VirtualPhone):
    async with connect(phone.port, greet=False) as client:
        assert await client.greet() == AdbMessage(wire.CNXN, wire.VERSION, wire.MAX_PAYLOAD, BANNER)


async def test_a_model_name_cannot_add_to_the_banner():
    phone = VirtualPhone(model="a;features=x:y\n")
    assert b"ro.product.model=a_features_x_y_;" in phone.banner("f")


async def test_an_old_client_gets_checksums(phone: VirtualPhone):
    async with connect(phone.port, greet=False) as client:
        client.send(wire.CNXN, wire.VERSION_WITH_CHECKSUM, 4096, b"host::\0")
        async with asyncio.timeout(HANG):
            header = await client._reader.readexactly(24)
        assert int.from_bytes(header[16:20], "little") == sum(BANNER)


async def test_output_is_split_at_the_clients_maximum_payload(phone: VirtualPhone):
    phone.files.write("/data/local/tmp/f", b"x" * 10000)
    async with connect(phone.port, greet=False) as client:
        client.send(wire.CNXN, wire.VERSION, 4096, b"host::\0")
        await client.receive()
        theirs = await client.open("exec:cat /data/local/tmp/f")
        sizes: list[int] = []
        while (message := await client.receive()) is not None and message.command == wire.WRTE:
            sizes.append(len(message.data))
            client.send(wire.OKAY, 1, theirs)
        assert sizes == [4096, 4096, 10000 - 8192]


async def test_nothing_more_is_sent_before_the_acknowledgement(
    phone: VirtualPhone, client: WireClient
):
    phone.files.write("/data/local/tmp/f", b"x" * (2 * wire.MAX_PAYLOAD))
    theirs = await client.open("exec:cat /data/local/tmp/f")
    first = await client.receive()
    assert first is not None
    # Another stream answers while this one waits, which proves that the silence is intended.
    other = await client.open("exec:echo hi", id=2)
    assert await client.collect(other, id=2) == b"hi\n"
    client.send(wire.OKAY, 1, theirs)
    rest = await client.collect(theirs)
    assert len(first.data) + len(rest) == 2 * wire.MAX_PAYLOAD


async def test_the_stream_is_closed_only_after_the_last_acknowledgement(client: WireClient):
    theirs = await client.open("exec:echo hi")
    assert await client.receive() == AdbMessage(wire.WRTE, theirs, 1, b"hi\n")
    other = await client.open("exec:true", id=2)
    assert await client.receive() == AdbMessage(wire.CLSE, other, 2)
    client.send(wire.OKAY, 1, theirs)
    assert await client.receive() == AdbMessage(wire.CLSE, theirs, 1)


async def test_a_close_is_answered_with_a_close(client: WireClient):
    theirs = await client.open("exec:cat")
    client.send(wire.CLSE, 1, theirs)
    assert await client.receive() == AdbMessage(wire.CLSE, theirs, 1)


@pytest.mark.parametrize("command", [wire.WRTE, wire.OKAY])
async def test_a_message_for_an_unknown_stream_is_answered_with_a_close(
    client: WireClient, command: int
):
    client.send(command, 5, 99)
    assert await client.receive() == AdbMessage(wire.CLSE, 99, 5)


async def test_a_close_for_an_unknown_stream_is_not_answered(client: WireClient):
    client.send(wire.CLSE, 5, 99)
    assert await client.open("exec:true")


@pytest.mark.parametrize(
    "service",
    [
        "nonsense:",
        "",
        "shell",
        "shellx:ls",
        "tcp:80",
        "tcp:",
        "tcp:99999",
        "localabstract:nobody",
        "local:/dev/socket/none",
        "localreserved:none",
        "localfilesystem:/none",
        "dev:/dev/null",
        "framebuffer:",
        "jdwp:1",
        "tcpip:",
        "tcpip:0",
        "tcpip:65536",
        "host:version",
        "x" * 100_000,
    ],
)
async def test_unknown_service_is_refused(client: WireClient, service: str):
    client.send(wire.OPEN, 7, 0, service.encode() + b"\0")
    assert await client.receive() == AdbMessage(wire.CLSE, 0, 7)


async def test_delayed_acknowledgements_are_refused_without_the_feature(client: WireClient):
    client.send(wire.OPEN, 7, 1 << 25, b"exec:true\0")
    assert await client.receive() == AdbMessage(wire.CLSE, 0, 7)


@pytest.mark.matrix
async def test_streams_beyond_the_limit_are_refused(client: WireClient):
    for id in range(1, adbd.STREAMS + 1):
        assert await client.open("exec:cat", id=id)
    assert not await client.open("exec:cat", id=adbd.STREAMS + 1)
    client.send(wire.CLSE, 1, 1)
    assert await client.receive() == AdbMessage(wire.CLSE, 1, 1)
    assert await client.open("exec:cat", id=adbd.STREAMS + 2)


async def test_connections_beyond_the_limit_are_closed(phone: VirtualPhone, monkeypatch: Any):
    monkeypatch.setattr(adbd, "CONNECTIONS", 1)
    async with connect(phone.port), connect(phone.port, greet=False) as second:
        assert await second.greet() is None


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        wire.encode_message(AdbMessage(wire.OPEN, 1, 0, b"exec:true\0")),
        wire.encode_message(AdbMessage(wire.CNXN, 5, 4096, b"host::\0")),
        wire.encode_message(AdbMessage(wire.CNXN, wire.VERSION, 4096, bytes(5000))),
        wire.encode_message(AdbMessage(wire.CNXN, wire.VERSION, 4096)) * 2,
    ],
    ids=["http", "open before connecting", "version", "long banner", "connects twice"],
)
async def test_client_that_does_not_speak_adb_is_disconnected(phone: VirtualPhone, data: bytes):
    async with connect(phone.port, greet=False) as client:
        client.writer.write(data)
        while await client.receive() is not None:
            pass
    await until(lambda: phone.adbd.connections == 0)


async def test_silent_client_is_disconnected():
    clock = ManualClock()
    async with VirtualPhone(clock=clock) as phone, connect(phone.port, greet=False) as client:
        await until(lambda: clock.sleepers)
        await clock.advance(adbd.HANDSHAKE_MS)
        assert await client.receive() is None


async def test_client_that_writes_without_waiting_is_disconnected(
    phone: VirtualPhone, client: WireClient
):
    theirs = await client.open("shell,v2,raw:sleep 1000")
    for _ in range(4):
        client.send(wire.WRTE, 1, theirs, bytes(wire.MAX_PAYLOAD))
    while await client.receive() is not None:
        pass
    await until(lambda: not phone.processes.all())


async def test_unread_input_is_not_acknowledged(client: WireClient):
    theirs = await client.open("shell,v2,raw:sleep 1000")
    client.send(wire.WRTE, 1, theirs, bytes(wire.MAX_PAYLOAD))
    other = await client.open("exec:true", id=2)
    assert await client.receive() == AdbMessage(wire.CLSE, other, 2)


@pytest.mark.matrix
async def test_a_client_that_never_reads_is_not_read_from(phone: VirtualPhone, monkeypatch: Any):
    monkeypatch.setattr(adbd, "TRANSPORT_AHEAD", 64 * 1024)
    async with connect(phone.port) as other, connect(phone.port) as client:
        # Each of these messages causes an answer, which this client does not read.
        question = wire.encode_message(AdbMessage(wire.OKAY, 5, 99)) * 10000

        async def go_on_asking() -> None:
            for _ in range(1000):
                client.writer.write(question)
                await client.writer.drain()

        asking = asyncio.create_task(go_on_asking())
        transports = [each._transport for each in phone.adbd._connections if each._transport]
        await until(lambda: asking.done() or not all(one.is_reading() for one in transports))
        assert not asking.done(), "The phone took 240 MB of questions and kept the answers."
        assert await other.shell("echo hi") == (b"hi\n", b"", 0)
        assert not asking.done()
        asking.cancel()
        client.writer.transport.abort()


# Programs and their streams


async def test_a_program_ends_with_its_stream(phone: VirtualPhone, client: WireClient):
    theirs = await client.open("shell,v2,raw:sleep 1000")
    await until(lambda: phone.processes.find("sleep"))
    client.send(wire.CLSE, 1, theirs)
    await until(lambda: not phone.processes.find("sleep"))


async def test_programs_end_when_the_connection_is_cut(phone: VirtualPhone, client: WireClient):
    await client.open("shell,v2,raw:sleep 1000 | cat")
    await until(lambda: len(phone.processes.all()) == 2)
    phone.drop_connections()
    await until(lambda: not phone.processes.all())
    assert await client.receive() is None
    async with connect(phone.port) as again:
        assert await again.shell("echo back") == (b"back\n", b"", 0)


async def test_stopping_the_phone_leaves_no_tasks():
    before = asyncio.all_tasks()
    async with VirtualPhone() as phone, connect(phone.port) as client:
        await client.open("shell,v2,raw:sleep 1000 | cat | cat")
        await until(lambda: len(phone.processes.all()) == 3)
        await phone.aclose()
        assert await client.receive() is None
        assert phone.processes.all() == []
    assert asyncio.all_tasks() == before


async def test_exec_keeps_input_sent_before_its_client_disconnected(
    phone: VirtualPhone, client: WireClient
):
    theirs = await client.open("exec:cat > /data/local/tmp/in")
    client.send(wire.WRTE, 1, theirs, b"x" * 100000)
    client.send(wire.CLSE, 1, theirs)
    await until(lambda: not phone.processes.all() and phone.files.exists("/data/local/tmp/in"))
    assert phone.files.read("/data/local/tmp/in") == b"x" * 100000


async def test_exec_that_continues_without_its_client_is_stopped(
    phone: VirtualPhone, client: WireClient, monkeypatch: Any
):
    monkeypatch.setattr(stream, "CLOSING_SECONDS", 0)
    theirs = await client.open("exec:sleep 1000")
    await until(lambda: phone.processes.find("sleep"))
    client.send(wire.CLSE, 1, theirs)
    await until(lambda: not phone.processes.all())


async def test_exit_code_shows_that_a_program_was_killed(phone: VirtualPhone, client: WireClient):
    theirs = await client.open("shell,v2,raw:sleep 1000")
    await until(lambda: phone.processes.find("sleep"))
    assert phone.kill("sleep") == 1
    assert await client.collect(theirs) == wire.encode_shell(wire.SHELL_EXIT, bytes([137]))
    assert phone.kill("sleep") == 0


async def test_failing_program_closes_only_its_stream(phone: VirtualPhone, client: WireClient):
    async def broken(process: Process) -> int:
        raise RuntimeError("a fault of ours")

    phone.programs["broken"] = broken
    theirs = await client.open("shell,v2,raw:broken")
    assert await client.collect(theirs) == b""
    assert await client.shell("echo hi") == (b"hi\n", b"", 0)


# Shell services


async def test_shell_keeps_output_errors_and_exit_code_apart(client: WireClient):
    assert await client.shell("echo out; nope; exit 3") == (
        b"out\n",
        b"/system/bin/sh: nope: inaccessible or not found\n",
        3,
    )


async def test_the_first_shell_has_output_and_errors_together(client: WireClient):
    theirs = await client.open("shell:echo out; nope")
    output = await client.collect(theirs)
    assert output == b"out\n/system/bin/sh: nope: inaccessible or not found\n"


async def test_stdin_reaches_the_program_up_to_its_end(client: WireClient):
    assert await client.shell("wc -c", b"x" * 200000) == (b"200000\n", b"", 0)


async def test_shell_without_a_command_runs_lines_from_stdin(client: WireClient):
    lines = b"echo one\necho 'two\nlines'\ncat\nthis goes to cat\n"
    assert await client.shell("", lines) == (b"one\ntwo\nlines\nthis goes to cat\n", b"", 0)


async def test_a_shell_without_a_command_ends_with_exit(client: WireClient):
    assert await client.shell("", b"echo one\nexit 4\necho two\n") == (b"one\n", b"", 4)


async def test_invalid_shell_packets_close_the_stream(client: WireClient):
    theirs = await client.open("shell,v2,raw:cat")
    client.send(wire.WRTE, 1, theirs, b"\0\xff\xff\xff\xff")
    assert await client.receive() == AdbMessage(wire.OKAY, theirs, 1)
    assert await client.receive() == AdbMessage(wire.CLSE, theirs, 1)


async def test_a_terminal_shows_what_is_typed_and_can_be_interrupted():
    clock = ManualClock()
    async with VirtualPhone(clock=clock) as phone, connect(phone.port) as client:
        theirs = await client.open("shell,v2,TERM=xterm,pty:")

        async def type(keys: bytes) -> None:
            client.send(wire.WRTE, 1, theirs, wire.encode_shell(wire.SHELL_STDIN, keys))

        await type(b"sleep 1000\r")
        await until(lambda: phone.processes.find("sleep"))
        await type(b"\x03echX\x7fo hi; exit 5\r")
        data = await client.collect(theirs)
    packets = list(wire.ShellDecoder().feed(data))
    assert packets[-1] == (wire.SHELL_EXIT, b"\x05")
    shown = b"".join(content for _, content in packets[:-1]).decode()
    assert shown.replace("virtual:/ $ ", "") == (
        "sleep 1000\r\n^C\r\nechX\b \bo hi; exit 5\r\nhi\r\n"
    )


# Sockets


async def test_the_echo_socket_echoes(client: WireClient):
    theirs = await client.open("localabstract:handheld-echo")
    await client.write(theirs, b"hello")
    assert await client.exactly(theirs, 5) == b"hello"


async def test_a_reversed_socket_leads_back_to_the_client(client: WireClient):
    assert (
        await client.collect(await client.open("reverse:forward:localabstract:x;tcp:9")) == b"OKAY"
    )
    listing = await client.collect(await client.open("reverse:list-forward"))
    assert listing == b"001dhost-1 localabstract:x tcp:9\n"
    theirs = await client.open("localabstract:x")
    opened = await client.receive()
    assert opened is not None
    assert opened == AdbMessage(wire.OPEN, opened.arg0, 0, b"tcp:9\0")
    client.send(wire.OKAY, 50, opened.arg0)
    client.send(wire.WRTE, 1, theirs, b"ping")
    assert await client.receive() == AdbMessage(wire.OKAY, theirs, 1)
    assert await client.receive() == AdbMessage(wire.WRTE, opened.arg0, 50, b"ping")
    client.send(wire.OKAY, 50, opened.arg0)
    client.send(wire.WRTE, 50, opened.arg0, b"pong")
    assert await client.exactly(theirs, 4) == b"pong"
    client.send(wire.CLSE, 50, opened.arg0)
    assert await client.receive() == AdbMessage(wire.CLSE, opened.arg0, 50)
    assert await client.receive() == AdbMessage(wire.CLSE, theirs, 1)


async def test_client_that_refuses_a_reverse_stream_closes_the_socket(client: WireClient):
    await client.collect(await client.open("reverse:forward:tcp:7;tcp:9"))
    theirs = await client.open("tcp:7")
    opened = await client.receive()
    assert opened is not None
    client.send(wire.CLSE, 0, opened.arg0)
    assert await client.receive() == AdbMessage(wire.CLSE, theirs, 1)


@pytest.mark.parametrize(
    ("request_text", "answer"),
    [
        ("forward:tcp:0;tcp:9", b"OKAY000540000"),
        ("forward:tcp:7;tcp:10", b"OKAY"),
        ("forward:norebind:tcp:7;tcp:10", b"FAIL001dcannot rebind existing socket"),
        ("forward:tcp:99999;tcp:9", b"FAIL002dcannot bind listener: bad port number '99999'"),
        ("forward:tcp:7", b"FAIL0012bad forward: tcp:7"),
        ("forward:tcp:7;", b"FAIL0013bad forward: tcp:7;"),
        ("forward:;tcp:7", b"FAIL0013bad forward: ;tcp:7"),
        (
            "forward:tcp:x;tcp:9",
            b"FAIL004bcannot bind listener: listening on specified hostname currently unsupported",
        ),
        (
            "forward:foo:a;tcp:9",
            b"FAIL0038cannot bind listener: unknown socket specification:foo:a",
        ),
        (
            "forward:localabstract:handheld-echo;tcp:9",
            b"FAIL002ccannot bind listener: Address already in use",
        ),
        ("killforward:tcp:7", b"OKAY"),
        ("killforward:tcp:8", b"FAIL001alistener 'tcp:8' not found"),
        ("killforward-all", b"OKAY"),
        ("nonsense", b"FAIL0020not a reverse forwarding command"),
    ],
)
async def test_reverse_requests_are_answered_as_adbd_does(
    client: WireClient, request_text: str, answer: bytes
):
    await client.collect(await client.open("reverse:forward:tcp:7;tcp:9"))
    reply = await client.collect(await client.open(f"reverse:{request_text}"))
    assert reply == answer


async def test_reverse_sockets_are_removed_with_their_client(phone: VirtualPhone):
    async with connect(phone.port) as client:
        await client.collect(await client.open("reverse:forward:tcp:7;tcp:9"))
        assert phone.sockets.find("tcp:7") is not None
    await until(lambda: phone.sockets.find("tcp:7") is None)


# Authentication


@pytest.fixture
async def guarded() -> AsyncIterator[VirtualPhone]:
    async with VirtualPhone(authorize=True) as phone:
        yield phone


async def test_allowed_key_is_authorized_by_its_signature(guarded: VirtualPhone, key: AdbKey):
    guarded.allow(key.public)
    async with connect(guarded.port, greet=False) as client:
        asked = await client.greet()
        assert asked is not None
        assert (asked.command, asked.arg0, len(asked.data)) == (wire.AUTH, wire.AUTH_TOKEN, 20)
        client.send(wire.AUTH, wire.AUTH_SIGNATURE, 0, key.sign(asked.data))
        answer = await client.receive()
        assert answer is not None
        assert answer.command == wire.CNXN
        assert await client.shell("echo hi") == (b"hi\n", b"", 0)


async def test_a_new_key_waits_until_it_is_allowed(guarded: VirtualPhone, key: AdbKey):
    asked: asyncio.Future[AdbPublicKey] = asyncio.get_running_loop().create_future()
    guarded.authority.asked = asked.set_result
    async with connect(guarded.port, greet=False) as client:
        first = await client.greet()
        assert first is not None
        client.send(wire.AUTH, wire.AUTH_SIGNATURE, 0, key.sign(first.data))
        second = await client.receive()
        assert second is not None
        assert second.command == wire.AUTH
        assert second.data != first.data
        client.send(wire.AUTH, wire.AUTH_PUBLIC_KEY, 0, encode_public_key(key.public))
        async with asyncio.timeout(HANG):
            assert await asked == key.public
        assert guarded.allowed_keys == frozenset()
        guarded.allow(key.public)
        answer = await client.receive()
        assert answer is not None
        assert answer.command == wire.CNXN
    await until(lambda: guarded.authority.waiting == ())


async def test_knowing_an_allowed_public_key_is_not_enough(guarded: VirtualPhone, key: AdbKey):
    guarded.allow(key.public)
    async with connect(guarded.port, greet=False) as client:
        await client.greet()
        client.send(wire.AUTH, wire.AUTH_PUBLIC_KEY, 0, encode_public_key(key.public))
        await until(lambda: guarded.authority.waiting == (key.public,))
        assert not next(iter(guarded.adbd._connections)).open


async def test_an_old_signature_does_not_open_a_new_connection(guarded: VirtualPhone, key: AdbKey):
    guarded.allow(key.public)
    async with connect(guarded.port, greet=False) as client:
        first = await client.greet()
        assert first is not None
        signature = key.sign(first.data)
    async with connect(guarded.port, greet=False) as client:
        await client.greet()
        client.send(wire.AUTH, wire.AUTH_SIGNATURE, 0, signature)
        answer = await client.receive()
        assert answer is not None
        assert answer.command == wire.AUTH


async def test_nothing_can_be_opened_before_authentication(guarded: VirtualPhone):
    async with connect(guarded.port, greet=False) as client:
        await client.greet()
        client.send(wire.OPEN, 1, 0, b"exec:true\0")
        assert await client.receive() is None


@pytest.mark.parametrize("answer", [b"", b"nonsense\0", bytes(4096)])
async def test_invalid_public_key_ends_the_connection(guarded: VirtualPhone, answer: bytes):
    async with connect(guarded.port, greet=False) as client:
        await client.greet()
        client.send(wire.AUTH, wire.AUTH_PUBLIC_KEY, 0, answer)
        assert await client.receive() is None


async def test_signature_attempts_are_limited(guarded: VirtualPhone):
    async with connect(guarded.port, greet=False) as client:
        await client.greet()
        tries = 0
        while True:
            client.send(wire.AUTH, wire.AUTH_SIGNATURE, 0, bytes(256))
            if await client.receive() is None:
                break
            tries += 1
        assert tries == 32


# Hostile bytes


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


messages = st.builds(
    AdbMessage,
    st.sampled_from([wire.CNXN, wire.AUTH, wire.OPEN, wire.OKAY, wire.CLSE, wire.WRTE, wire.STLS]),
    st.sampled_from([0, 1, 2, 3, 0xFFFFFFFF]),
    st.sampled_from([0, 1, 2, 3, 0xFFFFFFFF]),
    st.one_of(
        st.binary(max_size=60),
        st.sampled_from(
            (
                b"sync:\0",
                b"shell,v2,raw:cat\0",
                b"shell:\0",
                b"exec:cat\0",
                b"localabstract:handheld-echo\0",
                b"reverse:forward:tcp:0;tcp:1\0",
                b"tcp:40000\0",
                b"SEND\x05\0\0\0/x,33",
                b"STAT\x01\0\0\0/",
                b"QUIT\0\0\0\0",
                b"\0\x02\0\0\0hi\x04\0\0\0\0",
            )
        ),
    ),
)


@given(
    st.lists(messages, max_size=30),
    st.booleans(),
    st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), max_size=3),
)
def test_no_stream_of_messages_hangs_or_breaks_the_phone(
    runner: asyncio.Runner,
    sent: list[AdbMessage],
    greet: bool,
    mutations: list[tuple[int, int]],
):
    async def play() -> None:
        async with VirtualPhone() as phone:
            async with connect(phone.port, greet=greet) as client:
                data = bytearray(b"".join(map(wire.encode_message, sent)))
                for place, value in mutations:
                    if place < len(data):
                        data[place] = value
                client.writer.write(bytes(data))
                await client.writer.drain()
            async with connect(phone.port) as judge:
                assert await judge.shell("echo fine") == (b"fine\n", b"", 0)

    runner.run(asyncio.wait_for(play(), HANG))


@pytest.mark.slow
async def test_stream_closed_in_the_same_write_never_starts(
    phone: VirtualPhone, client: WireClient
):
    opened = wire.encode_message(AdbMessage(wire.OPEN, 1, 0, b"shell,v2,raw:touch /sdcard/x\0"))
    # The phone numbers its streams from 1, so the client need not wait for this stream's id.
    client.writer.write(opened + wire.encode_message(AdbMessage(wire.CLSE, 1, 1)))
    assert await client.receive() == AdbMessage(wire.OKAY, 1, 1)
    assert await client.receive() == AdbMessage(wire.CLSE, 1, 1)
    # A coroutine that never starts causes a warning when it is freed, and warnings are errors here.
    gc.collect()
    assert (await client.shell("ls /sdcard/x")).code == 1
