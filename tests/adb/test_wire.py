"""adb's codecs: round trips however split, and early rejection of invalid bytes."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.adb import wire
from handheld.adb.wire import AdbMessage, MessageDecoder, ShellDecoder, ShellPacket, Stat, WireError

U32 = st.integers(0, 0xFFFFFFFF)
U64 = st.integers(0, (1 << 64) - 1)
S64 = st.integers(-(1 << 63), (1 << 63) - 1)
COMMANDS = st.sampled_from([wire.CNXN, wire.AUTH, wire.OPEN, wire.OKAY, wire.CLSE, wire.WRTE])
MESSAGES = st.builds(AdbMessage, COMMANDS, U32, U32, st.binary(max_size=200))
PACKETS = st.builds(ShellPacket, st.integers(0, 255), st.binary(max_size=200))


def feed_in_pieces(
    feed: Callable[[bytes], Iterator[object]], data: bytes, cuts: Sequence[int]
) -> list[object]:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    values: list[object] = []
    for start, end in pairwise(edges):
        values.extend(feed(data[start:end]))
    return values


@given(st.lists(MESSAGES, max_size=5), st.lists(st.integers(0, 10_000), max_size=6), st.booleans())
def test_messages_round_trip_however_split(
    messages: list[AdbMessage], cuts: list[int], checksum: bool
) -> None:
    data = b"".join(wire.encode_message(message, checksum=checksum) for message in messages)
    assert feed_in_pieces(MessageDecoder().feed, data, cuts) == messages


def test_messages_round_trip_split_at_every_byte() -> None:
    messages = [
        AdbMessage(wire.WRTE, 1, 2, b"hello"),
        AdbMessage(wire.OKAY, 2, 1),
        AdbMessage(wire.CLSE, 1, 2),
    ]
    data = b"".join(map(wire.encode_message, messages))
    for cut in range(len(data) + 1):
        assert feed_in_pieces(MessageDecoder().feed, data, [cut]) == messages
    decoder = MessageDecoder()
    assert [m for byte in data for m in decoder.feed(bytes([byte]))] == messages


def test_message_has_adbs_bytes() -> None:
    assert wire.encode_message(AdbMessage(wire.OPEN, 1, 0, b"shell:\0"), checksum=True).hex() == (
        "4f50454e01000000000000000700000052020000b0afbab17368656c6c3a00"
    )


@pytest.mark.parametrize(
    "header",
    [
        wire._HEADER.pack(wire.WRTE, 1, 1, wire.MAX_PAYLOAD + 1, 0, wire.WRTE ^ 0xFFFFFFFF),
        wire._HEADER.pack(wire.WRTE, 1, 1, 0, 0, wire.WRTE),
        wire._HEADER.pack(0x31323334, 1, 1, 0, 0, 0x31323334 ^ 0xFFFFFFFF),
    ],
    ids=["too long", "false magic", "unknown command"],
)
def test_invalid_header_is_rejected_before_its_data(header: bytes) -> None:
    with pytest.raises(WireError):
        list(MessageDecoder().feed(header))


@given(st.lists(MESSAGES, min_size=1, max_size=4), st.integers(0, 10_000), st.integers(1, 255))
def test_damaged_stream_fails_or_stays_small(
    messages: list[AdbMessage], place: int, change: int
) -> None:
    data = bytearray(b"".join(map(wire.encode_message, messages)))
    data[place % len(data)] ^= change
    decoder = MessageDecoder(max_payload=1000)
    try:
        count = len(list(decoder.feed(bytes(data))))
    except WireError:
        return
    assert count <= len(messages)
    assert len(decoder._buffer) <= len(data)


@given(st.binary(max_size=300))
def test_random_bytes_are_no_message_and_use_no_memory(noise: bytes) -> None:
    decoder = MessageDecoder()
    try:
        assert list(decoder.feed(noise)) == []
        assert len(noise) < 24
    except WireError:
        pass
    assert len(decoder._buffer) <= len(noise)


@given(st.lists(PACKETS, max_size=5), st.lists(st.integers(0, 10_000), max_size=6))
def test_shell_packets_round_trip_however_split(
    packets: list[ShellPacket], cuts: list[int]
) -> None:
    data = b"".join(wire.encode_shell(packet.id, packet.data) for packet in packets)
    assert feed_in_pieces(ShellDecoder().feed, data, cuts) == packets


def test_oversized_shell_packet_is_rejected_before_its_data() -> None:
    with pytest.raises(WireError):
        list(ShellDecoder().feed(b"\x01\x01\x00\x10\x00"))
    assert list(ShellDecoder().feed(b"\x01\x00\x00\x10\x00")) == []


STATS = st.builds(Stat, U32, U64, S64, U32, U64, U64, U32, U32, U32, S64, S64)


@given(STATS, st.sampled_from([b"STA2", b"LST2"]))
def test_stats_round_trip(stat: Stat, id: bytes) -> None:
    data = wire.encode_stat_v2(stat, id)
    assert len(data) == wire.STAT_V2_SIZE == 72
    assert wire.decode_stat_v2(data) == stat


@given(st.integers(1, 0xFFFFFFFF), U32, U32)
def test_old_stats_round_trip(mode: int, size: int, mtime: int) -> None:
    stat = Stat(mode, size, mtime)
    assert wire.decode_stat_v1(wire.encode_stat_v1(stat)) == stat


def test_an_old_stat_of_zeros_is_an_absent_file() -> None:
    assert wire.decode_stat_v1(wire.encode_stat_v1(Stat(0, 0, 0))) == Stat(0, 0, 0, error=2)


@pytest.mark.parametrize("decode", [wire.decode_stat_v1, wire.decode_stat_v2])
def test_other_record_is_no_stat(decode: Callable[[bytes], Stat]) -> None:
    size = wire.STAT_V1_SIZE if decode is wire.decode_stat_v1 else wire.STAT_V2_SIZE
    with pytest.raises(WireError):
        decode(b"DATA" + bytes(size - 4))


@given(STATS, st.binary(max_size=50))
def test_entries_round_trip(stat: Stat, name: bytes) -> None:
    data = wire.encode_entry_v2(stat, name)
    assert wire.decode_entry_v2(data[: wire.DENT_V2_SIZE]) == (stat, len(name))
    assert data[wire.DENT_V2_SIZE :] == name


@given(U32, U32, U32, st.binary(max_size=50))
def test_old_entries_round_trip(mode: int, size: int, mtime: int, name: bytes) -> None:
    data = wire.encode_entry_v1(Stat(mode, size, mtime), name)
    assert wire.decode_entry_v1(data[: wire.DENT_V1_SIZE]) == (Stat(mode, size, mtime), len(name))
    assert data[wire.DENT_V1_SIZE :] == name


def test_end_of_a_listing_has_the_size_of_an_entry() -> None:
    assert len(wire.encode_list_done(v2=True)) == 76
    assert len(wire.encode_list_done(v2=False)) == 20


@given(st.sampled_from([b"DATA", b"DONE"]), st.binary(max_size=100) | U32)
def test_sync_records_round_trip(id: bytes, value: bytes | int) -> None:
    data = wire.encode_sync(id, value)
    number = value if isinstance(value, int) else len(value)
    assert wire.decode_sync(data[:8]) == (id, number)
    assert data[8:] == (b"" if isinstance(value, int) else value)
