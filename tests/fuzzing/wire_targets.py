"""adb's protocols and the helper's, each from the side that does not trust the other."""

import asyncio
import contextlib
import json
from functools import cache
from typing import Any

from handheld.adb import keys, shell, smartsocket, sync, wire, wireless
from handheld.adb.direct import DirectLink, read_banner
from handheld.adb.link import AdbError
from handheld.adb.wire import AdbMessage, Stat, WireError, encode_message, encode_shell, encode_sync
from handheld.clock import SYSTEM_CLOCK
from handheld.helper import protocol
from handheld.helper.protocol import GREETING, CallRequest, FrameDecoder, FrameKind, HelperFailure
from handheld.helper.session import HelperLost, HelperSession, Timing
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.reference_helper.commands.commands import COMMANDS
from handheld_virtual.wire.adbd import AdbConnection
from helper.contract.vectors import VECTORS

from .streams import FedLink, FedStream, Sink, complete, pieces, turns
from .trial import Target

FEATURES = "shell_v2 stat_v2 ls_v2 sendrecv_v2"
BANNER = (
    b"device::ro.product.name=panther;ro.product.model=Pixel 7;ro.product.device=panther;"
    b"features=shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,apex,abb,sendrecv_v2"
)


def _message(command: int, arg0: int, arg1: int, data: bytes = b"") -> bytes:
    return encode_message(AdbMessage(command, arg0, arg1, data))


CNXN = _message(wire.CNXN, wire.VERSION, wire.MAX_PAYLOAD, BANNER)
CONVERSATIONS = (
    CNXN
    + _message(wire.OKAY, 10, 1)
    + _message(wire.WRTE, 10, 1, encode_shell(1, b"a\nb\n") + encode_shell(3, b"\0"))
    + _message(wire.OKAY, 11, 2)
    + _message(wire.CLSE, 10, 1)
    + _message(wire.WRTE, 11, 2, encode_sync(b"DATA", b"content") + encode_sync(b"DONE"))
    + _message(wire.CLSE, 11, 2),
    CNXN + _message(wire.CLSE, 0, 1) + _message(wire.OPEN, 5, 0, b"tcp:1\0"),
    _message(wire.AUTH, wire.AUTH_TOKEN, 0, bytes(range(20))),
    _message(wire.STLS, 0x01000000, 0),
)
COMMANDS_OF_ADB = (b"CNXN", b"AUTH", b"OPEN", b"OKAY", b"CLSE", b"WRTE", b"STLS")


def read_messages(data: bytes) -> None:
    decoder = wire.MessageDecoder()
    for piece in pieces(data):
        list(decoder.feed(piece))


def read_packets(data: bytes) -> None:
    decoder = wire.ShellDecoder()
    for piece in pieces(data):
        list(decoder.feed(piece))


def converse(data: bytes) -> None:
    """Play the phone that `DirectLink` is connected to, from its first byte on."""
    complete(_converse(data))


async def _converse(data: bytes) -> None:
    link = DirectLink("phone:5555")
    link.connection_made(Sink())
    tasks: list[asyncio.Future[Any]] = [
        asyncio.ensure_future(link._introduce(tuple, 10.0, 60.0, None))
    ]
    await turns()
    # The first message alone, so that streams are open when the others come.
    first = 24 + int.from_bytes(data[12:16], "little")
    link.data_received(data[:first])
    await turns()
    opening = [asyncio.ensure_future(link.open(name)) for name in ("shell,v2,raw:ls", "sync:")]
    await turns()
    for piece in pieces(data[first:]):
        link.data_received(piece)
        await turns(2)
    link.connection_lost(None)
    results = await asyncio.gather(*tasks, *opening, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException) and not isinstance(result, AdbError):
            raise result
    for stream in results[1:]:
        if not isinstance(stream, BaseException):
            try:
                while await stream.read(100):
                    await stream.write(b"x")
            except AdbError:
                pass


STAT = Stat(0o100644, 7, 1_700_000_000, 0, 1, 2, 1, 2000, 1015, 1_700_000_000, 1_700_000_000)
FOLDER = STAT._replace(mode=0o40755)
LISTING = b"".join(wire.encode_entry_v2(STAT, name) for name in (b".", b"..", b"a.txt", b"\xff"))
OLD_LISTING = b"".join(wire.encode_entry_v1(STAT, name) for name in (b".", b"..", b"a.txt"))


def answer_sync(data: bytes) -> None:
    """Play the phone whose files are listed and read, with the newer and the older records."""
    complete(_answer_sync(data))


async def _answer_sync(data: bytes) -> None:
    for features in (FEATURES, ""):
        for ask in (sync.stat, sync.list_folder, sync.pull):
            with contextlib.suppress(AdbError):
                await ask(FedLink(data, features), "/sdcard/a")
    with contextlib.suppress(AdbError):
        await sync.push(FedLink(data, FEATURES), b"content", "/sdcard/a")


def answer_shell(data: bytes) -> None:
    """Play the phone on which a command runs."""
    complete(shell.run(FedLink(data), ["ls"], limit=100_000))


class _Writer:
    def __init__(self) -> None:
        self.transport = self

    def write(self, data: bytes) -> None:
        pass

    def is_closing(self) -> bool:
        return False

    async def drain(self) -> None:
        pass


def answer_as_server(data: bytes) -> None:
    """Play the adb server."""
    complete(_answer_as_server(data))


async def _answer_as_server(data: bytes) -> None:
    reader = asyncio.StreamReader()
    for piece in pieces(data):
        reader.feed_data(piece)
    reader.feed_eof()
    stream = smartsocket.SocketStream(reader, _Writer(), SYSTEM_CLOCK)  # type: ignore[arg-type]
    await stream.ask(b"host:devices-l")
    text = await stream.text()
    smartsocket.parse_devices(text)


DEVICES = """\
R58M123ABC             device usb:1-4 product:panther model:Pixel_7 device:panther transport_id:3
adb-X (2)._adb-tls-connect._tcp offline
emulator-5554          unauthorized transport_id:1
0123456789             no permissions (user in plugdev group; are your udev rules wrong?)
"""
REPLIES = (
    *("connected to 10.0.0.2:5555", "already connected to 10.0.0.2:5555"),
    *("failed to authenticate to 10.0.0.2:5555", "failed to resolve host: 'x': Name or service"),
    *("failed to connect to '10.0.0.2:5555': Connection refused", "Successfully paired to 1:2"),
    *("Successfully paired to 10.0.0.2:37099 [guid=adb-R58M-abc]", "device 'x' not found"),
    *("device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set", "device offline"),
)


def read_servers_words(data: bytes) -> None:
    text = data.decode(errors="replace")
    smartsocket.parse_devices(text)
    smartsocket.phone_failure("R58M", text)
    for read in (wireless.read_connect, wireless.read_pairing):
        with contextlib.suppress(AdbError):
            read("10.0.0.2:5555", text)


# Fixed, so that cases are the same everywhere. Nobody has its other half.
KEY = keys.AdbPublicKey(int.from_bytes(bytes(range(255, -1, -1))) | 1, name="anna@desk")
SIGNATURE = bytes(range(256))


def read_introduction(data: bytes) -> None:
    read_banner(data)
    keys.verify(data, data[:20], KEY)
    keys.decode_public_key(data)


@cache
def guarded_phone() -> VirtualPhone:
    return VirtualPhone(authorize=True)


def knock(data: bytes) -> None:
    """Play the computer that connects to a virtual phone's adbd and is not known there."""
    complete(_knock(data))


async def _knock(data: bytes) -> None:
    connection = AdbConnection(guarded_phone().adbd)
    connection.connection_made(Sink())
    try:
        for piece in pieces(data):
            while piece:
                into = connection.get_buffer(len(piece))
                size = min(len(piece), len(into))
                into[:size] = piece[:size]
                connection.buffer_updated(size)
                piece = piece[size:]
        if connection.open:
            raise AssertionError("an unknown key was let in")
    finally:
        connection.connection_lost(None)
        await turns()


def _knocks() -> list[bytes]:
    hello = _message(wire.CNXN, wire.VERSION, wire.MAX_PAYLOAD, b"host::features=shell_v2,cmd")
    signed = _message(wire.AUTH, wire.AUTH_SIGNATURE, 0, SIGNATURE)
    public = _message(wire.AUTH, wire.AUTH_PUBLIC_KEY, 0, keys.encode_public_key(KEY))
    return [hello, hello + signed + public, hello + public, hello + _message(wire.OPEN, 1, 0)]


# The helper


HELLO = {
    "build": "0123456789abcdef",
    "api": 34,
    "features": list(COMMANDS),
    "boot_id": "7a0c",
    "user": 0,
    "display": {"width": 1080, "height": 2400, "density": 420, "rotation": 0},
}


def _answers() -> list[bytes]:
    hello = GREETING + protocol.encode_json(FrameKind.HELLO, 0, HELLO)
    data = protocol.encode_frame(protocol.Frame(FrameKind.DATA, 1, b'{"windows":[]}'))
    reply = protocol.encode_json(FrameKind.REPLY, 1, {"seq": 7, "display": HELLO["display"]})
    error = protocol.encode_failure(
        2, HelperFailure(protocol.Code.GONE, "No view.", protocol.Happened.NO, {"typed": 3})
    )
    pong = protocol.encode_frame(protocol.Frame(FrameKind.PONG, 0))
    other = protocol.encode_json(FrameKind.REPLY, 2, {"seq": 8})
    return [
        hello + data + reply + pong + other,
        hello + data + reply + error,
        b"WARNING: linker\n" + hello + error + reply,
    ]


def answer_as_helper(data: bytes) -> None:
    """Play the helper on a phone, from its first byte on."""
    complete(_answer_as_helper(data))


async def _answer_as_helper(data: bytes) -> None:
    at = data.find(GREETING) + len(GREETING)
    first = at + 4 + int.from_bytes(data[at : at + 4])
    parts = (data[:first], data[first:])
    packets = (encode_shell(wire.SHELL_STDOUT, part) for part in parts if part)
    session = HelperSession(shell.ShellStream(FedStream(*packets)), Timing(), SYSTEM_CLOCK)
    try:
        await session.start()
        request = CallRequest("screen", {}, 1000, False)
        calls = (session.call(request), session.call(request._replace(act=True)))
        for result in await asyncio.gather(*calls, return_exceptions=True):
            if isinstance(result, BaseException):
                raise result
    finally:
        await session.aclose()


def call_helper(data: bytes) -> None:
    """Play the host: what the reference helper does with each frame before a command runs."""
    decoder = FrameDecoder()
    for piece in pieces(data):
        for frame in decoder.feed(piece):
            if frame.kind == FrameKind.CALL:
                request = protocol.decode_call(frame.payload)
                command = COMMANDS.get(request.do)
                if command is not None:
                    command.check(request.arguments)
            elif frame.kind == FrameKind.ERROR:
                raise protocol.decode_failure(frame.payload)
            elif frame.kind in (FrameKind.HELLO, FrameKind.REPLY):
                protocol.decode_json(frame.payload)


def _calls() -> list[bytes]:
    bad = [protocol.encode_json(FrameKind.CALL, 9, one["json"]) for one in VECTORS["bad_calls"]]
    return [*(bytes.fromhex(one["hex"]) for one in VECTORS["frames"]), *bad]


JSON = (
    b"null",
    b"true",
    b"false",
    b'"',
    b"[",
    b"]",
    b"{",
    b"}",
    b":",
    b",",
    b"\\u0000",
    b"-",
    b"e9",
)

TARGETS = (
    Target(
        "adb-messages",
        read_messages,
        lambda: CONVERSATIONS,
        (WireError,),
        COMMANDS_OF_ADB,
        share=6,
    ),
    Target(
        "adb-shell-packets",
        read_packets,
        lambda: [encode_shell(1, b"a\n") + encode_shell(2, b"b" * 99) + encode_shell(3, b"\0")],
        (WireError,),
        share=4,
    ),
    Target("adb-link", converse, lambda: CONVERSATIONS, (), COMMANDS_OF_ADB, share=4),
    Target(
        "adb-sync",
        answer_sync,
        lambda: [
            wire.encode_stat_v2(FOLDER) + LISTING + wire.encode_list_done(v2=True),
            wire.encode_stat_v1(FOLDER) + OLD_LISTING + wire.encode_list_done(v2=False),
            encode_sync(b"DATA", b"content") + encode_sync(b"DONE"),
            encode_sync(b"FAIL", b"open failed: Permission denied"),
            encode_sync(b"OKAY"),
        ],
        (),
        (b"DATA", b"DONE", b"FAIL", b"OKAY", b"DENT", b"DNT2", b"STAT", b"STA2"),
        share=2,
    ),
    Target(
        "adb-shell",
        answer_shell,
        lambda: [encode_shell(1, b"a\n") + encode_shell(2, b"b" * 99) + encode_shell(3, b"\0")],
        (AdbError,),
        share=3,
    ),
    Target(
        "adb-server",
        answer_as_server,
        lambda: [
            b"OKAY%04x%s" % (len(DEVICES), DEVICES.encode()),
            b"FAIL001adevice unauthorized. Why?\n",
        ],
        (AdbError, smartsocket.Failed),
        (b"OKAY", b"FAIL", b"-001", b"0x1f", b"+001", b" 12 "),
        share=4,
    ),
    Target(
        "adb-server-words",
        read_servers_words,
        lambda: [DEVICES.encode(), *map(str.encode, REPLIES)],
        (),
        (b"device", b"[guid=", b"no permissions", b"transport_id:", b" ", b"\t"),
        share=4,
    ),
    Target(
        "adb-introduction",
        read_introduction,
        lambda: [BANNER, keys.encode_public_key(KEY), SIGNATURE],
        (ValueError,),
        (b"features=", b";", b"::"),
        share=3,
    ),
    Target("adbd", knock, _knocks, (), COMMANDS_OF_ADB, share=2),
    Target(
        "helper-answers",
        answer_as_helper,
        _answers,
        (HelperFailure, HelperLost),
        (GREETING, *JSON),
        share=3,
    ),
    Target(
        "helper-calls",
        call_helper,
        _calls,
        (protocol.ProtocolError, HelperFailure),
        JSON + tuple(json.dumps(name).encode() for name in COMMANDS),
        share=8,
    ),
)
