"""Clients with delayed acknowledgements: windows and credit instead of one message at a time."""

from collections.abc import AsyncIterator

import pytest
from wire_client import WireClient, connect, until

from handheld.adb import wire
from handheld.adb.wire import AdbMessage
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.wire.stream import WINDOW

HELLO = b"host::features=shell_v2,stat_v2,delayed_ack"
LARGE = 1 << 25
GRANTED = WINDOW.to_bytes(4, "little")


@pytest.fixture
async def client(phone: VirtualPhone) -> AsyncIterator[WireClient]:
    async with connect(phone.port, greet=False) as client:
        client.send(wire.CNXN, wire.VERSION, wire.MAX_PAYLOAD, HELLO)
        answer = await client.receive()
        assert answer is not None
        assert b"delayed_ack" in answer.data
        yield client


def credit(amount: int) -> bytes:
    return amount.to_bytes(4, "little", signed=True)


async def test_opened_stream_has_a_window(client: WireClient):
    client.send(wire.OPEN, 7, LARGE, b"exec:cat\0")
    assert await client.receive() == AdbMessage(wire.OKAY, 1, 7, GRANTED)


async def test_a_stream_without_a_window_is_refused(client: WireClient):
    client.send(wire.OPEN, 7, 0, b"exec:true\0")
    assert await client.receive() == AdbMessage(wire.CLSE, 0, 7)


@pytest.mark.parametrize("api", [28, 33])
async def test_older_phone_does_not_support_delayed_ack(api: int):
    async with VirtualPhone(api=api) as phone, connect(phone.port, greet=False) as client:
        client.send(wire.CNXN, wire.VERSION, wire.MAX_PAYLOAD, HELLO)
        answer = await client.receive()
        assert answer is not None
        assert b"delayed_ack" not in answer.data
        client.send(wire.OPEN, 7, LARGE, b"exec:true\0")
        assert await client.receive() == AdbMessage(wire.CLSE, 0, 7)
        client.send(wire.OPEN, 8, 0, b"exec:true\0")
        assert await client.receive() == AdbMessage(wire.OKAY, 1, 8)


async def test_output_continues_while_there_is_credit(phone: VirtualPhone, client: WireClient):
    phone.files.write("/data/local/tmp/f", b"x" * 5_000_000)
    client.send(wire.OPEN, 7, 3_000_000, b"exec:cat /data/local/tmp/f\0")
    assert await client.receive() == AdbMessage(wire.OKAY, 1, 7, GRANTED)
    sent = 0
    while sent < 3_000_000:
        message = await client.receive()
        assert message is not None
        assert message.command == wire.WRTE
        sent += len(message.data)
    # A message may exceed the rest of the window, but no other may follow it.
    assert sent <= 3_000_000 + wire.MAX_PAYLOAD
    client.send(wire.OPEN, 8, LARGE, b"exec:true\0")
    assert await client.receive() == AdbMessage(wire.OKAY, 2, 8, GRANTED)
    assert await client.receive() == AdbMessage(wire.CLSE, 2, 8)
    client.send(wire.OKAY, 7, 1, credit(sent))
    while sent < 5_000_000:
        message = await client.receive()
        assert message is not None
        assert message.command == wire.WRTE
        sent += len(message.data)
        client.send(wire.OKAY, 7, 1, credit(len(message.data)))
    assert await client.receive() == AdbMessage(wire.CLSE, 1, 7)


async def test_a_stream_is_closed_once_every_byte_is_acknowledged(client: WireClient):
    client.send(wire.OPEN, 7, LARGE, b"exec:echo hello\0")
    assert await client.receive() == AdbMessage(wire.OKAY, 1, 7, GRANTED)
    assert await client.receive() == AdbMessage(wire.WRTE, 1, 7, b"hello\n")
    client.send(wire.OKAY, 7, 1, credit(2))
    client.send(wire.OPEN, 8, LARGE, b"exec:true\0")
    assert await client.receive() == AdbMessage(wire.OKAY, 2, 8, GRANTED)
    assert await client.receive() == AdbMessage(wire.CLSE, 2, 8)
    client.send(wire.OKAY, 7, 1, credit(4))
    assert await client.receive() == AdbMessage(wire.CLSE, 1, 7)


async def test_read_bytes_are_returned_as_credit(phone: VirtualPhone, client: WireClient):
    client.send(wire.OPEN, 7, LARGE, b"exec:cat > /data/local/tmp/f\0")
    assert await client.receive() == AdbMessage(wire.OKAY, 1, 7, GRANTED)
    parts = [bytes([number]) * 100_000 for number in range(30)]
    window, returned = WINDOW, 0
    for part in parts:
        while window <= 0:
            message = await client.receive()
            assert message is not None
            assert (message.command, len(message.data)) == (wire.OKAY, 4)
            returned += int.from_bytes(message.data, "little")
            window += int.from_bytes(message.data, "little")
        client.send(wire.WRTE, 7, 1, part)
        window -= len(part)
    client.send(wire.CLSE, 7, 1)
    await until(lambda: not phone.processes.all() and phone.files.exists("/data/local/tmp/f"))
    assert phone.files.read("/data/local/tmp/f") == b"".join(parts)
    assert returned > 0


async def test_client_that_exceeds_its_window_is_disconnected(
    phone: VirtualPhone, client: WireClient
):
    client.send(wire.OPEN, 7, LARGE, b"shell,v2,raw:sleep 1000\0")
    for _ in range(3):
        client.send(wire.WRTE, 7, 1, bytes(wire.MAX_PAYLOAD))
    while await client.receive() is not None:
        pass
    await until(lambda: not phone.processes.all())


async def test_reverse_stream_has_a_window(client: WireClient):
    client.send(wire.OPEN, 7, LARGE, b"reverse:forward:localabstract:x;tcp:9\0")
    assert await client.receive() == AdbMessage(wire.OKAY, 1, 7, GRANTED)
    assert await client.receive() == AdbMessage(wire.WRTE, 1, 7, b"OKAY")
    client.send(wire.OKAY, 7, 1, credit(4))
    assert await client.receive() == AdbMessage(wire.CLSE, 1, 7)
    client.send(wire.OPEN, 8, LARGE, b"localabstract:x\0")
    assert await client.receive() == AdbMessage(wire.OKAY, 2, 8, GRANTED)
    assert await client.receive() == AdbMessage(wire.OPEN, 3, WINDOW, b"tcp:9\0")
    client.send(wire.OKAY, 50, 3, credit(LARGE))
    client.send(wire.WRTE, 8, 2, b"ping")
    assert await client.receive() == AdbMessage(wire.OKAY, 2, 8, credit(4))
    assert await client.receive() == AdbMessage(wire.WRTE, 3, 50, b"ping")


@pytest.mark.parametrize(("remote", "data"), [(50, b""), (0, credit(5))])
async def test_reverse_stream_without_credit_is_closed(
    client: WireClient, remote: int, data: bytes
):
    client.send(wire.OPEN, 7, LARGE, b"reverse:forward:tcp:7;tcp:9\0")
    for _ in range(2):
        await client.receive()
    client.send(wire.OKAY, 7, 1, credit(4))
    assert await client.receive() == AdbMessage(wire.CLSE, 1, 7)
    client.send(wire.OPEN, 8, LARGE, b"tcp:7\0")
    for _ in range(2):
        await client.receive()
    client.send(wire.OKAY, remote, 3, data)
    assert await client.receive() == AdbMessage(wire.CLSE, 3, remote)
    assert await client.receive() == AdbMessage(wire.CLSE, 2, 8)


async def test_plain_acknowledgement_gives_no_credit(client: WireClient):
    client.send(wire.OPEN, 7, 3, b"exec:echo hello; echo again\0")
    assert await client.receive() == AdbMessage(wire.OKAY, 1, 7, GRANTED)
    first = await client.receive()
    assert first is not None
    client.send(wire.OKAY, 7, 1)
    client.send(wire.OPEN, 8, LARGE, b"exec:true\0")
    assert await client.receive() == AdbMessage(wire.OKAY, 2, 8, GRANTED)
    assert await client.receive() == AdbMessage(wire.CLSE, 2, 8)


async def test_acknowledgement_of_invalid_size_ends_the_connection(client: WireClient):
    client.send(wire.OPEN, 7, LARGE, b"exec:cat\0")
    assert await client.receive() == AdbMessage(wire.OKAY, 1, 7, GRANTED)
    client.send(wire.OKAY, 7, 1, b"abc")
    assert await client.receive() is None
