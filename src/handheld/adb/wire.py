"""adb's codecs, both sides, without I/O: transport messages, shell v2 packets, sync records.

A decoder is fed bytes and yields values; it raises `WireError` on invalid input before memory is
allocated for it.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

VERSION = 0x01000001
"""Since this version both sides set the checksum to 0 and ignore it."""
VERSION_WITH_CHECKSUM = 0x01000000
MAX_PAYLOAD = 1024 * 1024

CNXN = 0x4E584E43
AUTH = 0x48545541
OPEN = 0x4E45504F
OKAY = 0x59414B4F
CLSE = 0x45534C43
WRTE = 0x45545257
STLS = 0x534C5453

AUTH_TOKEN = 1
AUTH_SIGNATURE = 2
AUTH_PUBLIC_KEY = 3

_HEADER = struct.Struct("<6I")
_COMMANDS = frozenset((CNXN, AUTH, OPEN, OKAY, CLSE, WRTE, STLS))


class WireError(Exception):
    """The other side sent bytes that are not the protocol."""


class AdbMessage(NamedTuple):
    """One transport message."""

    command: int
    arg0: int
    arg1: int
    data: bytes = b""


def encode_message(message: AdbMessage, *, checksum: bool = False) -> bytes:
    command, arg0, arg1, data = message
    check = sum(data) & 0xFFFFFFFF if checksum else 0
    return _HEADER.pack(command, arg0, arg1, len(data), check, command ^ 0xFFFFFFFF) + data


class MessageDecoder:
    """Bytes in, messages out."""

    def __init__(self, max_payload: int = MAX_PAYLOAD) -> None:
        self.max_payload = max_payload
        self._buffer = bytearray()

    def feed(self, data: bytes | memoryview) -> Iterator[AdbMessage]:
        buffer = self._buffer
        buffer += data
        start = 0
        try:
            while len(buffer) - start >= 24:
                command, arg0, arg1, length, _check, magic = _HEADER.unpack_from(buffer, start)
                if magic != command ^ 0xFFFFFFFF or command not in _COMMANDS:
                    raise WireError("That is not an adb message.")
                if length > self.max_payload:
                    raise WireError(f"An adb message of {length} bytes is over the limit.")
                end = start + 24 + length
                if len(buffer) < end:
                    return
                payload = bytes(buffer[start + 24 : end])
                start = end
                yield AdbMessage(command, arg0, arg1, payload)
        finally:
            del buffer[:start]


SHELL_STDIN = 0
SHELL_STDOUT = 1
SHELL_STDERR = 2
SHELL_EXIT = 3
SHELL_CLOSE_STDIN = 4

_SHELL = struct.Struct("<BI")


class ShellPacket(NamedTuple):
    """One packet of the shell v2 protocol."""

    id: int
    data: bytes


def encode_shell(id: int, data: bytes = b"") -> bytes:
    return _SHELL.pack(id, len(data)) + data


class ShellDecoder:
    """Bytes in, shell v2 packets out."""

    def __init__(self, max_packet: int = MAX_PAYLOAD) -> None:
        self.max_packet = max_packet
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[ShellPacket]:
        buffer = self._buffer
        buffer += data
        start = 0
        try:
            while len(buffer) - start >= 5:
                id, length = _SHELL.unpack_from(buffer, start)
                if length > self.max_packet:
                    raise WireError(f"A shell packet of {length} bytes is over the limit.")
                end = start + 5 + length
                if len(buffer) < end:
                    return
                packet = ShellPacket(id, bytes(buffer[start + 5 : end]))
                start = end
                yield packet
        finally:
            del buffer[:start]


SYNC_DATA_MAX = 64 * 1024
SYNC_PATH_MAX = 1024

_SYNC = struct.Struct("<4sI")
_STAT_V1 = struct.Struct("<4sIII")
_STAT_V2 = struct.Struct("<4sIQQIIIIQqqq")
_DENT_V1 = struct.Struct("<4sIIII")
_DENT_V2 = struct.Struct("<4sIQQIIIIQqqqI")


class Stat(NamedTuple):
    """A file's status. `error` is an errno; if set, the rest is zero."""

    mode: int
    size: int
    mtime: int
    error: int = 0
    dev: int = 0
    ino: int = 0
    nlink: int = 0
    uid: int = 0
    gid: int = 0
    atime: int = 0
    ctime: int = 0


def encode_sync(id: bytes, value: int | bytes = 0) -> bytes:
    """Encode a sync request or record: an id and a number, or an id and bytes with their length."""
    if isinstance(value, int):
        return _SYNC.pack(id, value)
    return _SYNC.pack(id, len(value)) + value


def decode_sync(header: bytes) -> tuple[bytes, int]:
    """Decode the 8 bytes at the start of every record."""
    id, value = _SYNC.unpack(header)
    return id, value


STAT_V1_SIZE = _STAT_V1.size
STAT_V2_SIZE = _STAT_V2.size
DENT_V1_SIZE = _DENT_V1.size
DENT_V2_SIZE = _DENT_V2.size


def encode_stat_v1(stat: Stat) -> bytes:
    return _STAT_V1.pack(b"STAT", stat.mode, min(stat.size, 0xFFFFFFFF), stat.mtime & 0xFFFFFFFF)


def decode_stat_v1(data: bytes) -> Stat:
    id, mode, size, mtime = _STAT_V1.unpack(data)
    if id != b"STAT":
        raise WireError("The phone answered a stat with something else.")
    return Stat(mode, size, mtime, 0 if mode else 2)


def _stat_v2_fields(stat: Stat) -> tuple[int, ...]:
    s = stat
    return s.error, s.dev, s.ino, s.mode, s.nlink, s.uid, s.gid, s.size, s.atime, s.mtime, s.ctime


def _stat_from_v2(fields: tuple[int, ...]) -> Stat:
    error, dev, ino, mode, nlink, uid, gid, size, atime, mtime, ctime = fields
    return Stat(mode, size, mtime, error, dev, ino, nlink, uid, gid, atime, ctime)


def encode_stat_v2(stat: Stat, id: bytes = b"STA2") -> bytes:
    return _STAT_V2.pack(id, *_stat_v2_fields(stat))


def decode_stat_v2(data: bytes) -> Stat:
    id, *fields = _STAT_V2.unpack(data)
    if id not in (b"STA2", b"LST2"):
        raise WireError("The phone answered a stat with something else.")
    return _stat_from_v2(tuple(fields))


def encode_entry_v1(stat: Stat, name: bytes) -> bytes:
    size, mtime = min(stat.size, 0xFFFFFFFF), stat.mtime & 0xFFFFFFFF
    return _DENT_V1.pack(b"DENT", stat.mode, size, mtime, len(name)) + name


def decode_entry_v1(data: bytes) -> tuple[Stat, int]:
    """Decode the record before the name, and the name's length."""
    _id, mode, size, mtime, length = _DENT_V1.unpack(data)
    return Stat(mode, size, mtime), length


def encode_entry_v2(stat: Stat, name: bytes) -> bytes:
    return _DENT_V2.pack(b"DNT2", *_stat_v2_fields(stat), len(name)) + name


def decode_entry_v2(data: bytes) -> tuple[Stat, int]:
    _id, *fields, length = _DENT_V2.unpack(data)
    return _stat_from_v2(tuple(fields)), length


def encode_list_done(*, v2: bool) -> bytes:
    """Encode the end of a listing: DONE, padded with zeros to the size of an entry."""
    return b"DONE" + bytes((DENT_V2_SIZE if v2 else DENT_V1_SIZE) - 4)
