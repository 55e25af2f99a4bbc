"""`DirectLink` against a peer that speaks the real protocol."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress

import pytest
from adb_peer import PeerStream, SmallPhone, echo, running
from bench.ports import keep_port
from hypothesis import given
from hypothesis import strategies as st

from handheld.adb import wire
from handheld.adb.direct import STREAMS, DirectLink, read_banner
from handheld.adb.direct_stream import OKAY_TURNS, WINDOW
from handheld.adb.keys import AdbKey, generate_key
from handheld.adb.link import AdbError, LinkLost, NoAnswer, ServiceRefused
from handheld.adb.state import PhoneState, PhoneUnavailable
from handheld.adb.wire import AdbMessage, encode_message
from harness.manual_clock import ManualClock
from harness.patient_clock import PatientClock
from harness.phones import link_to
from harness.polling import HANG

KEYS = [generate_key("one@test"), generate_key("two@test")]


@asynccontextmanager
async def linked(
    phone: SmallPhone, keys: Sequence[AdbKey] = ()
) -> AsyncGenerator[DirectLink, None]:
    async with running(phone):
        link = await DirectLink.connect("127.0.0.1", phone.port, lambda: keys, clock=PatientClock())
        try:
            yield link
        finally:
            await link.aclose()


async def read_all(stream: object, size: int) -> bytes:
    data = b""
    while len(data) < size:
        chunk = await stream.read()  # pyright: ignore
        assert chunk
        data += chunk
    return data


def sends(phone: SmallPhone, *commands: int) -> list[AdbMessage]:
    return [message for message in phone.received if message.command in commands]


async def test_banner_has_properties_and_features() -> None:
    async with linked(SmallPhone({"echo:": echo})) as link:
        assert await link.features() == {"shell_v2", "stat_v2", "ls_v2", "sendrecv_v2"}
        assert link.properties == {"ro.product.name": "small", "ro.product.model": "Small One"}
        assert not link.lost


@pytest.mark.parametrize(
    ("banner", "properties", "features"),
    [
        (b"device::a=1;b=x=y;features=f,g", {"a": "1", "b": "x=y"}, {"f", "g"}),
        (b"device::a=1;\0", {"a": "1"}, set[str]()),
        (b"device::", {}, set[str]()),
        (b"", {}, set[str]()),
        (b"\xff\xff;=;features=,", {"": ""}, set[str]()),
    ],
)
def test_any_banner_is_parsed(
    banner: bytes, properties: dict[str, str], features: set[str]
) -> None:
    assert read_banner(banner) == (properties, features)


async def test_bytes_of_any_length_are_echoed() -> None:
    async with linked(SmallPhone({"echo:": echo}, max_payload=4096)) as link:
        stream = await link.open("echo:")
        for size in (1, 4095, 4096, 4097, 50_000):
            data = bytes(range(251)) * (size // 251 + 1)
            async with asyncio.TaskGroup() as group:
                group.create_task(stream.write(data[:size]))
                back = await read_all(stream, size)
            assert back == data[:size]
        await stream.aclose()


async def test_read_returns_at_most_its_limit() -> None:
    async with linked(SmallPhone({"echo:": echo})) as link:
        stream = await link.open("echo:")
        await stream.write(b"abcdefg")
        assert [await stream.read(3), await stream.read(3), await stream.read(3)] == [
            b"abc",
            b"def",
            b"g",
        ]


async def test_many_streams_share_a_link() -> None:
    async with linked(SmallPhone({"echo:": echo})) as link:

        async def talk(number: int) -> bytes:
            stream = await link.open("echo:")
            data = b""
            for turn in range(5):
                await stream.write(b"%d.%d " % (number, turn))
                data += await stream.read()
            await stream.aclose()
            return data

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(talk(number)) for number in range(200)]
        assert [task.result() for task in tasks] == [
            b"".join(b"%d.%d " % (number, turn) for turn in range(5)) for number in range(200)
        ]


async def test_unread_stream_blocks_only_itself() -> None:
    sent = 0

    async def flood(stream: PeerStream, _: str) -> None:
        nonlocal sent
        for _turn in range(100):
            await stream.write(bytes(65536))
            sent += 65536

    async with linked(SmallPhone({"flood:": flood, "echo:": echo})) as link:
        flooded = await link.open("flood:")
        quick = await link.open("echo:")
        for _ in range(100):
            await quick.write(b"still here")
            assert await quick.read() == b"still here"
        assert sent <= WINDOW + 65536
        assert len(await read_all(flooded, 100 * 65536)) == 100 * 65536
        assert await flooded.read() == b""


async def test_write_waits_only_for_earlier_writes() -> None:
    released = asyncio.Event()

    async def slow(stream: PeerStream, _: str) -> None:
        await released.wait()
        first, second = await stream.read(), await stream.read()
        await stream.write(first + b"," + second)

    async with linked(SmallPhone({"slow:": slow, "echo:": echo})) as link:
        stream, beside = await link.open("slow:"), await link.open("echo:")
        await stream.write(b"one")
        second = asyncio.create_task(stream.write(b"two"))
        # This answer proves that the phone has received and answered everything before.
        await beside.write(b"x")
        assert await beside.read() == b"x"
        assert not second.done()
        released.set()
        await second
        assert await stream.read() == b"one,two"


async def test_write_cancelled_while_waiting_sends_nothing() -> None:
    released = asyncio.Event()

    async def slow(stream: PeerStream, _: str) -> None:
        await released.wait()
        data = b""
        while not data.endswith(b"end"):
            data += await stream.read()
        await stream.write(data)

    async with linked(SmallPhone({"slow:": slow, "echo:": echo})) as link:
        stream, beside = await link.open("slow:"), await link.open("echo:")
        await stream.write(b"one ")
        second = asyncio.create_task(stream.write(b"two "))
        await beside.write(b"x")
        assert await beside.read() == b"x"
        second.cancel()
        assert await asyncio.gather(second, return_exceptions=True) != [None]
        released.set()
        await stream.write(b"end")
        assert await stream.read() == b"one end"


async def test_concurrent_writes_are_not_interleaved() -> None:
    async with linked(SmallPhone({"echo:": echo}, max_payload=4096)) as link:
        stream = await link.open("echo:")
        async with asyncio.TaskGroup() as group:
            for letter in b"abcd":
                group.create_task(stream.write(bytes([letter]) * 10_000))
            data = await read_all(stream, 40_000)
        assert data == b"".join(bytes([letter]) * 10_000 for letter in b"abcd")


async def test_data_sent_before_closing_is_read() -> None:
    async def last_words(stream: PeerStream, _: str) -> None:
        await stream.write(b"good")
        await stream.write(b"bye")

    async with linked(SmallPhone({"words:": last_words})) as link:
        stream = await link.open("words:")
        assert await read_all(stream, 7) == b"goodbye"
        assert await stream.read() == b""
        assert await stream.read() == b""
        with pytest.raises(LinkLost, match="closed the stream"):
            await stream.write(b"anyone?")
        await stream.aclose()
        await stream.aclose()


async def test_follower_is_given_everything_until_the_phone_closes() -> None:
    async def words(stream: PeerStream, _: str) -> None:
        await stream.write(b"good")
        await stream.read()
        await stream.write(b"bye")

    async with linked(SmallPhone({"words:": words})) as link:
        stream = await link.open("words:")
        told: list[bytes] = []

        def take(data: bytes) -> None:
            told.append(data)
            answered.set()

        answered = asyncio.Event()
        following = asyncio.create_task(stream.follow(take))
        await answered.wait()
        await stream.write(b"?")
        await following
        assert b"".join(told) == b"goodbye"


@pytest.mark.parametrize(("turns", "together"), [(0, True), (OKAY_TURNS, False), (20, False)])
async def test_okay_goes_out_with_what_is_written_soon_after_else_alone(
    turns: int, together: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one system call where the next caller waits for the answer; the phone always gets it."""
    writes: list[list[int]] = []
    async with linked(SmallPhone({"echo:": echo})) as link:
        send = link.send

        def note(data: bytes) -> None:
            writes.append([each.command for each in wire.MessageDecoder().feed(data)])
            send(data)

        monkeypatch.setattr(link, "send", note)
        stream = await link.open("echo:")
        told: asyncio.Queue[bytes] = asyncio.Queue()
        following = asyncio.create_task(stream.follow(told.put_nowait))
        await asyncio.sleep(0)
        await stream.write(b"one")
        await told.get()
        for _ in range(turns):
            await asyncio.sleep(0)
        await stream.write(b"two")
        assert await told.get() == b"two"
        following.cancel()
    rest = [[wire.OKAY, wire.WRTE]] if together else [[wire.OKAY], [wire.WRTE]]
    assert writes[: 2 + len(rest)] == [[wire.OPEN], [wire.WRTE], *rest]


async def test_follower_that_fails_is_given_no_more_and_the_link_stays_usable() -> None:
    async with linked(SmallPhone({"echo:": echo})) as link:
        stream = await link.open("echo:")
        told: list[bytes] = []

        def take(data: bytes) -> None:
            told.append(data)
            raise ValueError("enough")

        following = asyncio.create_task(stream.follow(take))
        await asyncio.sleep(0)
        await stream.write(b"one")
        with pytest.raises(ValueError, match="enough"):
            await following
        await stream.write(b"two")
        assert await stream.read() == b"two"
        assert told == [b"one"]


async def test_unknown_service_is_refused_and_the_link_stays_usable() -> None:
    async with linked(SmallPhone({"echo:": echo})) as link:
        with pytest.raises(ServiceRefused, match="will not open the service 'nonsense:'"):
            await link.open("nonsense:")
        stream = await link.open("echo:")
        await stream.write(b"x")
        assert await stream.read() == b"x"


async def test_service_names_reject_lone_surrogates() -> None:
    seen: list[str] = []

    async def note(_stream: PeerStream, name: str) -> None:
        seen.append(name)

    async with linked(SmallPhone({"note:": note})) as link:
        for name in ("ключ 🔑", "not utf-8: \udcff", "a\0b"):
            assert await (await link.open(f"note:{name}")).read() == b""
        with pytest.raises(AdbError, match="half a character"):
            await link.open("note:\ud800")
        with pytest.raises(ServiceRefused, match="longer than the phone takes"):
            await link.open("note:" + "x" * wire.MAX_PAYLOAD)
    assert seen == ["ключ 🔑", "not utf-8: \udcff", "a\0b"]


async def test_closing_a_stream_closes_it_on_the_phone() -> None:
    ended = asyncio.Event()

    async def wait(stream: PeerStream, _: str) -> None:
        assert await stream.read() == b""
        ended.set()

    async with linked(SmallPhone({"wait:": wait})) as link:
        stream = await link.open("wait:")
        reading = asyncio.create_task(stream.read())
        await asyncio.sleep(0)
        await stream.aclose()
        assert await reading == b""
        async with asyncio.timeout(HANG):
            await ended.wait()


async def test_service_opened_after_cancellation_is_closed() -> None:
    ended = asyncio.Event()

    async def wait(stream: PeerStream, _: str) -> None:
        assert await stream.read() == b""
        ended.set()

    async with linked(SmallPhone({"wait:": wait})) as link:
        opening = asyncio.create_task(link.open("wait:"))
        await asyncio.sleep(0)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        async with asyncio.timeout(HANG):
            await ended.wait()


async def test_a_cancelled_reader_leaves_the_stream_usable() -> None:
    async with linked(SmallPhone({"echo:": echo})) as link:
        stream = await link.open("echo:")
        reading = asyncio.create_task(stream.read())
        await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await stream.write(b"x")
        assert await stream.read() == b"x"


async def test_two_concurrent_readers_are_rejected() -> None:
    async with linked(SmallPhone({"echo:": echo})) as link:
        stream = await link.open("echo:")
        reading = asyncio.create_task(stream.read())
        await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="Two tasks"):
            await stream.read()
        await stream.aclose()
        assert await reading == b""


async def test_lost_phone_fails_every_stream_with_link_lost() -> None:
    async def mute(stream: PeerStream, _: str) -> None:
        await asyncio.Event().wait()

    phone = SmallPhone({"echo:": echo, "mute:": mute})
    async with linked(phone) as link:
        streams = [await link.open("echo:") for _ in range(3)]
        full = await link.open("mute:")
        await full.write(b"first")
        waiting = [asyncio.create_task(stream.read()) for stream in streams]
        waiting.append(asyncio.create_task(full.write(b"second")))  # pyright: ignore
        await asyncio.sleep(0)
        phone.vanish()
        async with asyncio.timeout(HANG):
            ends = await asyncio.gather(*waiting, return_exceptions=True)
        sentence = f"The connection to {link.serial} was lost: the phone or its adbd went away."
        assert [(type(end), str(end)) for end in ends] == [(LinkLost, sentence)] * 4
        assert link.lost
        for attempt in (link.open("echo:"), streams[0].read(), streams[0].write(b"x")):
            with pytest.raises(LinkLost):
                await attempt
        await streams[0].aclose()


async def test_closing_the_link_closes_its_streams_and_is_idempotent() -> None:
    async with linked(SmallPhone({"echo:": echo})) as link:
        stream = await link.open("echo:")
        reading = asyncio.create_task(stream.read())
        await asyncio.sleep(0)
        await link.aclose()
        await link.aclose()
        with pytest.raises(LinkLost, match="was closed"):
            await reading


async def test_open_streams_are_limited() -> None:
    async with linked(SmallPhone({"echo:": echo})) as link:
        streams = [await link.open("echo:") for _ in range(STREAMS)]
        with pytest.raises(AdbError, match="the maximum"):
            await link.open("echo:")
        await streams[0].aclose()
        await link.open("echo:")


async def test_old_phone_receives_checksums() -> None:
    phone = SmallPhone({"echo:": echo}, version=wire.VERSION_WITH_CHECKSUM, max_payload=4096)
    async with linked(phone) as link:
        stream = await link.open("echo:")
        await stream.write(b"abc")
        assert await stream.read() == b"abc"
        assert link._checksum


# Authentication


async def test_known_key_needs_no_prompt() -> None:
    phone = SmallPhone({"echo:": echo}, accepts=[KEYS[1].public])
    async with linked(phone, KEYS) as link:
        assert await link.features()
    assert [message.arg0 for message in sends(phone, wire.AUTH)] == [wire.AUTH_SIGNATURE] * 2
    assert phone.asked_keys == []


async def test_unknown_key_waits_for_the_prompt() -> None:
    phone = SmallPhone({"echo:": echo}, accepts=[], allow=asyncio.Event())
    async with running(phone):
        assert phone.allow is not None
        link = await DirectLink.connect(
            "127.0.0.1",
            phone.port,
            lambda: KEYS,
            on_waiting=phone.allow.set,
            clock=PatientClock(),
        )
        stream = await link.open("echo:")
        await stream.write(b"in")
        assert await stream.read() == b"in"
        await link.aclose()
    assert phone.asked_keys == [KEYS[0].public]


@pytest.mark.parametrize("allow", [None, asyncio.Event()], ids=["refused", "ignored"])
async def test_ignored_prompt_is_an_unauthorized_phone(
    allow: asyncio.Event | None,
) -> None:
    phone = SmallPhone({}, accepts=[], allow=allow)
    waits: list[bool] = []
    clock = ManualClock()
    async with running(phone):
        connecting = asyncio.create_task(
            DirectLink.connect(
                "127.0.0.1",
                phone.port,
                lambda: KEYS,
                on_waiting=lambda: waits.append(True),
                clock=clock,
            )
        )
        if allow is not None:
            await clock.until_waits(60)
            await clock.advance(60)
        with pytest.raises(PhoneUnavailable, match="accept the “Allow USB debugging") as caught:
            await connecting
    assert (caught.value.state, waits) == (PhoneState.UNAUTHORIZED, [True])


async def test_phone_is_unauthorized_without_a_key() -> None:
    phone = SmallPhone({}, accepts=[])
    async with running(phone):
        with pytest.raises(PhoneUnavailable) as caught:
            await DirectLink.connect("127.0.0.1", phone.port, clock=PatientClock())
    assert caught.value.state is PhoneState.UNAUTHORIZED


async def test_refused_port_is_an_absent_phone() -> None:
    with pytest.raises(PhoneUnavailable, match="No phone answers adb at") as caught:
        await DirectLink.connect("127.0.0.1", keep_port(), clock=PatientClock())
    assert caught.value.state is PhoneState.ABSENT


# Invalid peers


@asynccontextmanager
async def scripted_peer(
    *answers: bytes, received: asyncio.Event | None = None, ends: bool = False
) -> AsyncGenerator[int, None]:
    """Listen on a port, answer each message with the next of `answers`, then close, or send nothing
    more if it `ends`. `received` is set by the first message."""
    over: list[asyncio.Task[None]] = []

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        over.append(task)
        for answer in answers:
            if not await reader.read(65536):
                break
            if received is not None:
                received.set()
            writer.write(answer)
        if ends:
            writer.write_eof()
        await reader.read()
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()
        await asyncio.gather(*over, return_exceptions=True)


def message(command: int, arg0: int = 0, arg1: int = 0, data: bytes = b"") -> bytes:
    return encode_message(AdbMessage(command, arg0, arg1, data))


WELCOME = message(wire.CNXN, wire.VERSION, wire.MAX_PAYLOAD, b"device::features=shell_v2")


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "is not an adb message"),
        (message(wire.WRTE, 1, 1, b"x"), "first message does not belong to the handshake"),
        (message(wire.CNXN, wire.VERSION, 10, b"device::"), "messages of 10 bytes only"),
        (message(wire.AUTH, wire.AUTH_TOKEN, 0, b"short"), "authentication in an unknown way"),
        (message(wire.AUTH, 9, 0, bytes(20)), "authentication in an unknown way"),
        (message(wire.AUTH, 1, 0, bytes(20)) * 2, "first message does not belong to the handshake"),
        (wire._HEADER.pack(wire.CNXN, 0, 0, 1 << 31, 0, wire.CNXN ^ 0xFFFFFFFF), "over the limit"),
        (
            message(wire.STLS, 0x01000000),
            "only the adb server speaks: pair once with `handheld pair`",
        ),
    ],
    ids=["http", "write", "tiny", "short", "kind", "twice", "huge", "tls"],
)
async def test_invalid_handshake_is_one_clear_message(answer: bytes, sentence: str) -> None:
    async with scripted_peer(answer) as port:
        with pytest.raises(AdbError, match=sentence):
            await DirectLink.connect("127.0.0.1", port, lambda: KEYS, clock=PatientClock())


async def test_silence_during_the_handshake_times_out() -> None:
    clock, received = ManualClock(), asyncio.Event()
    async with scripted_peer(b"", received=received) as port:
        connecting = asyncio.create_task(DirectLink.connect("127.0.0.1", port, clock=clock))
        await received.wait()
        await clock.advance(9.9)
        assert not connecting.done()
        await clock.advance(0.1)
        with pytest.raises(NoAnswer, match=r"did not answer within 10 s"):
            await connecting


async def test_cancelled_handshake_closes_the_connection() -> None:
    received = asyncio.Event()
    async with scripted_peer(b"", received=received) as port:
        connecting = asyncio.create_task(
            DirectLink.connect("127.0.0.1", port, clock=PatientClock())
        )
        await received.wait()
        connecting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await connecting


async def test_connection_closed_during_the_handshake_is_lost() -> None:
    phone = SmallPhone({}, accepts=[], allow=asyncio.Event())
    async with running(phone):
        with pytest.raises(LinkLost, match="was lost"):
            await DirectLink.connect(
                "127.0.0.1", phone.port, lambda: KEYS, on_waiting=phone.vanish, clock=PatientClock()
            )


OKAY = message(wire.OKAY, 7, 1)


async def read_to_the_end(link: DirectLink) -> None:
    async with asyncio.timeout(HANG):
        stream = await link.open("any:")
        while await stream.read():
            pass


async def test_phone_that_violates_flow_control_is_disconnected() -> None:
    flood = message(wire.WRTE, 7, 1, bytes(WINDOW)) * 2
    async with scripted_peer(WELCOME, OKAY + flood) as port, link_to(port) as link:
        unread = await link.open("any:")
        with pytest.raises(LinkLost, match="it sent data before our OKAY"):
            await link.open("another:")
        assert len(await read_all(unread, WINDOW)) == WINDOW
        with pytest.raises(LinkLost, match="before our OKAY"):
            await unread.read()


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (OKAY + message(wire.CNXN, wire.VERSION, 4096, b"device::"), "started a second handshake"),
        (OKAY + b"garbage, more than a header of it", "is not an adb message"),
        (message(wire.OKAY, 0, 1), "has no id"),
    ],
    ids=["anew", "garbage", "zero"],
)
async def test_phone_that_violates_the_protocol_is_disconnected(
    answer: bytes, sentence: str
) -> None:
    async with scripted_peer(WELCOME, answer) as port, link_to(port) as link:
        with pytest.raises(LinkLost, match=f"does not speak adb's protocol.*{sentence}"):
            await read_to_the_end(link)


async def test_messages_for_unknown_streams_are_ignored() -> None:
    noise = (
        message(wire.WRTE, 7, 99, b"late")
        + message(wire.OKAY, 7, 99)
        + message(wire.CLSE, 7, 99)
        + message(wire.WRTE, 7, 1, b"too early")
        + OKAY
        + message(wire.WRTE, 8, 1, b"not its stream")
        + message(wire.OKAY, 8, 1)
        + message(wire.CLSE, 8, 1)
        + message(wire.OPEN, 5, 0, b"tcp:22\0")
        + message(wire.WRTE, 7, 1, b"")
        + message(wire.WRTE, 7, 1, b"this")
        + message(wire.CLSE, 7, 1)
    )
    async with scripted_peer(WELCOME, noise) as port, link_to(port) as link:
        stream = await link.open("any:")
        assert (await stream.read(), await stream.read()) == (b"this", b"")


async def test_unanswered_open_times_out() -> None:
    async with scripted_peer(WELCOME, b"") as port:
        clock = ManualClock()
        async with link_to(port, clock=clock) as link:
            opening = asyncio.create_task(link.open("any:"))
            await clock.until_waits_only(10)
            await clock.advance(10)
            with pytest.raises(NoAnswer, match=r"did not start a command within 10 s"):
                await opening


COMMANDS = st.sampled_from([wire.OPEN, wire.OKAY, wire.CLSE, wire.WRTE, wire.CNXN, wire.AUTH])
SMALL = st.integers(0, 3)
NOISE = st.lists(
    st.builds(message, COMMANDS, SMALL, SMALL, st.binary(max_size=40)) | st.binary(max_size=60),
    max_size=8,
)


@given(noise=NOISE)
def test_any_bytes_end_in_an_answer_or_an_adb_error(noise: list[bytes]) -> None:
    async def scene() -> None:
        async with (
            scripted_peer(WELCOME, b"".join(noise), ends=True) as port,
            link_to(port) as link,
        ):
            with suppress(AdbError):
                stream = await link.open("any:")
                while await stream.read():
                    pass
            assert len(link._streams) <= 1

    asyncio.run(asyncio.wait_for(scene(), HANG))
