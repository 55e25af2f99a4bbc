"""`dumpsys notification --proto`, as Android's ProtoOutputStream writes it."""

from collections.abc import Iterable
from typing import NamedTuple

ENQUEUED, POSTED, SNOOZED = range(3)


class RecordProto(NamedTuple):
    key: str
    flags: int = 0
    group: str = ""
    state: int = POSTED


def encode(records: Iterable[RecordProto], *, one_message: bool = False) -> bytes:
    """`one_message`: as until Android 8.1."""
    messages = [_record(record) for record in records]
    if one_message:
        messages = [b"".join(messages)]
    # What follows is of no interest: a zen mode, a hint, a number of eight bytes.
    return b"".join(_bytes(1, each) for each in messages) + _bytes(2, b"\x08\x01") + b"\x20\x05"


def _record(record: RecordProto) -> bytes:
    return (
        _bytes(1, record.key.encode())
        + (_number(2, record.state) if record.state else b"")
        + _bytes(4, b"channel")
        + (_number(3, record.flags) if record.flags else b"")
        + _bytes(9, (record.group or record.key).encode())
        + _number(10, 6)
    )


def _bytes(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


def _number(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def varint(value: int) -> bytes:
    parts: list[int] = []
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])
