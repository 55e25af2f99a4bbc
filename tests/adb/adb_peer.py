"""A minimal phone and adb server for tests, with real bytes on real sockets.

Services are coroutines over a `PeerStream`; the same ones run behind the phone's transport protocol
and behind the server's smart socket.
"""

import asyncio
import os
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from handheld.adb import wire
from handheld.adb.keys import AdbPublicKey, decode_public_key, verify
from handheld.adb.link import Link
from handheld.adb.server import AdbServer
from handheld.adb.wire import AdbMessage, MessageDecoder, ShellDecoder, encode_message, encode_shell
from handheld.clock import Clock
from harness.patient_clock import PatientClock
from harness.phones import link_to

SERVER_VERSION = 0x29
FEATURES = ("shell_v2", "stat_v2", "ls_v2", "sendrecv_v2")


class PeerStream(Protocol):
    async def read(self) -> bytes: ...
    async def write(self, data: bytes) -> None: ...


Service = Callable[[PeerStream, str], Awaitable[None]]


async def echo(stream: PeerStream, _: str) -> None:
    while data := await stream.read():
        await stream.write(data)


async def shell(stream: PeerStream, command: str) -> None:
    """This computer's own sh, behind shell v2."""
    process = await asyncio.create_subprocess_exec(
        *("sh", "-c", os.fsencode(command)), stdin=-1, stdout=-1, stderr=-1
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    standard_input = process.stdin

    async def feed() -> None:
        decoder = ShellDecoder()
        while data := await stream.read():
            for packet in decoder.feed(data):
                # A command that stops reading still runs.
                with suppress(ConnectionError):
                    if packet.id == wire.SHELL_STDIN:
                        standard_input.write(packet.data)
                        await standard_input.drain()
                    else:
                        standard_input.close()
        # The stream is closed, and so is the command.
        if process.returncode is None:
            process.kill()

    async def drain(id: int, reader: asyncio.StreamReader) -> None:
        while data := await reader.read(65536):
            await stream.write(encode_shell(id, data))

    feeding = asyncio.create_task(feed())
    try:
        await asyncio.gather(
            drain(wire.SHELL_STDOUT, process.stdout), drain(wire.SHELL_STDERR, process.stderr)
        )
        code = await process.wait()
        await stream.write(encode_shell(wire.SHELL_EXIT, bytes([code & 0xFF])))
    finally:
        feeding.cancel()
        # Kill it: with an unread pipe it would never exit.
        process._transport.close()  # pyright: ignore
        await process.wait()
        await asyncio.gather(feeding, return_exceptions=True)


def sync(root: Path) -> Service:
    """Files under `root` as if it were the phone's."""

    async def serve(stream: PeerStream, _: str) -> None:
        buffer = bytearray()

        async def exactly(size: int) -> bytes:
            while len(buffer) < size:
                if not (data := await stream.read()):
                    raise EOFError
                buffer.extend(data)
            taken = bytes(buffer[:size])
            del buffer[:size]
            return taken

        def locate(name: bytes) -> Path:
            return root / os.fsdecode(name).strip("/")

        def look(path: Path, follow: bool) -> wire.Stat:
            try:
                s = path.stat() if follow else path.lstat()
            except OSError as problem:
                return wire.Stat(0, 0, 0, problem.errno or 5)
            return wire.Stat(s.st_mode, s.st_size, int(s.st_mtime), 0, 1, 2, 1, 0, 0, 5, 6)

        async def fail(problem: OSError) -> None:
            await stream.write(wire.encode_sync(b"FAIL", f"open: {problem.strerror}".encode()))

        with suppress(EOFError):
            while True:
                id, length = wire.decode_sync(await exactly(8))
                name = await exactly(length)
                if id in (b"STAT", b"STA2", b"LST2"):
                    stat = look(locate(name), id == b"STA2" or name.endswith(b"/"))
                    v1 = wire.encode_stat_v1(wire.Stat(*stat[:3]))
                    await stream.write(v1 if id == b"STAT" else wire.encode_stat_v2(stat, id))
                elif id in (b"LIST", b"LIS2"):
                    encode = wire.encode_entry_v2 if id == b"LIS2" else wire.encode_entry_v1
                    names: list[str] = []
                    with suppress(OSError):
                        names = [".", "..", *sorted(os.listdir(locate(name)))]
                    for inside in names:
                        stat = look(locate(name) / inside, False)
                        await stream.write(encode(stat, os.fsencode(inside)))
                    await stream.write(wire.encode_list_done(v2=id == b"LIS2"))
                elif id in (b"RECV", b"RCV2"):
                    if id == b"RCV2":
                        assert await exactly(8) == wire.encode_sync(b"RCV2", 0)
                    try:
                        content = locate(name).read_bytes()
                    except OSError as problem:
                        await fail(problem)
                        continue
                    for start in range(0, len(content), 65536):
                        part = content[start : start + 65536]
                        await stream.write(wire.encode_sync(b"DATA", part))
                    await stream.write(wire.encode_sync(b"DONE"))
                elif id in (b"SEND", b"SND2"):
                    if id == b"SND2":
                        mode = wire.decode_sync((await exactly(12))[:8])[1]
                    else:
                        name, digits = name.rsplit(b",", 1)
                        mode = int(digits)
                    path = locate(name)
                    try:
                        path.parent.mkdir(parents=True, exist_ok=True)
                        file = path.open("wb")
                    except OSError as problem:
                        await fail(problem)
                        return  # and stops reading, like old phones
                    with file:
                        while (record := wire.decode_sync(await exactly(8)))[0] == b"DATA":
                            file.write(await exactly(record[1]))
                    path.chmod(mode & 0o7777)
                    os.utime(path, (record[1], record[1]))
                    await stream.write(wire.encode_sync(b"OKAY"))
                else:
                    return

    return serve


class _Stream:
    """The phone's end of one stream, with classic flow control."""

    def __init__(self, peer: "_Connection", local: int, remote: int) -> None:
        self.peer, self.local, self.remote = peer, local, remote
        self.chunks: deque[bytes] = deque()
        self.more = asyncio.Event()
        self.leave = asyncio.Event()
        self.leave.set()
        self.ended = False

    async def read(self) -> bytes:
        while not self.chunks:
            if self.ended:
                return b""
            self.more.clear()
            await self.more.wait()
        data = self.chunks.popleft()
        self.peer.send(wire.OKAY, self.local, self.remote)
        return data

    async def write(self, data: bytes) -> None:
        for start in range(0, len(data), self.peer.max_payload):
            await self.leave.wait()
            if self.ended:
                raise EOFError
            self.leave.clear()
            part = data[start : start + self.peer.max_payload]
            self.peer.send(wire.WRTE, self.local, self.remote, part)

    def end(self) -> None:
        self.ended = True
        self.more.set()
        self.leave.set()


@dataclass
class SmallPhone:
    """What a test configures on its phone, and what the phone recorded."""

    services: Mapping[str, Service]
    features: Sequence[str] = FEATURES
    accepts: list[AdbPublicKey] | None = None
    """None: every key is accepted."""
    allow: asyncio.Event | None = None
    """Set when the prompt for an unknown key is accepted."""
    version: int = wire.VERSION
    max_payload: int = wire.MAX_PAYLOAD
    banner: str = "device::ro.product.name=small;ro.product.model=Small One;features="
    port: int = 0
    asked_keys: list[AdbPublicKey] = field(default_factory=list)
    received: list[AdbMessage] = field(default_factory=list)
    connections: list["_Connection"] = field(default_factory=list)

    def vanish(self) -> None:
        for connection in self.connections:
            connection.writer.transport.abort()


class _Connection:
    def __init__(self, phone: SmallPhone, writer: asyncio.StreamWriter) -> None:
        self.phone = phone
        self.writer = writer
        self.max_payload = phone.max_payload
        self.streams: dict[int, _Stream] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.token = b""
        self.next_id = 100

    def send(self, command: int, arg0: int, arg1: int, data: bytes = b"") -> None:
        checksum = self.phone.version < wire.VERSION
        self.writer.write(encode_message(AdbMessage(command, arg0, arg1, data), checksum=checksum))

    def ask(self) -> None:
        self.token = os.urandom(20)
        self.send(wire.AUTH, wire.AUTH_TOKEN, 0, self.token)

    def welcome(self) -> None:
        banner = self.phone.banner + ",".join(self.phone.features)
        self.send(wire.CNXN, self.phone.version, self.phone.max_payload, banner.encode())

    def run(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def wait_for_person(self) -> None:
        assert self.phone.allow is not None
        await self.phone.allow.wait()
        self.welcome()

    def take(self, message: AdbMessage) -> None:
        command, remote, local, data = message
        phone = self.phone
        phone.received.append(message)
        stream = self.streams.get(local)
        if command == wire.CNXN:
            self.max_payload = min(local, self.max_payload)
            self.welcome() if phone.accepts is None else self.ask()
        elif command == wire.AUTH and remote == wire.AUTH_SIGNATURE:
            if any(verify(data, self.token, key) for key in phone.accepts or ()):
                self.welcome()
            else:
                self.ask()
        elif command == wire.AUTH:
            phone.asked_keys.append(decode_public_key(data))
            if phone.allow is not None:
                self.run(self.wait_for_person())
            else:
                self.ask()
        elif command == wire.OPEN:
            self.open(remote, data.removesuffix(b"\0").decode(errors="surrogateescape"))
        elif stream is None:
            pass
        elif command == wire.OKAY:
            stream.leave.set()
        elif command == wire.WRTE:
            stream.chunks.append(data)
            stream.more.set()
        elif command == wire.CLSE:
            self.streams.pop(local)
            stream.end()

    def open(self, remote: int, service: str) -> None:
        for prefix, serve in self.phone.services.items():
            if service.startswith(prefix):
                self.next_id += 1
                stream = self.streams[self.next_id] = _Stream(self, self.next_id, remote)
                self.send(wire.OKAY, stream.local, remote)
                self.run(self.serve(stream, serve, service.removeprefix(prefix)))
                return
        self.send(wire.CLSE, 0, remote)

    async def serve(self, stream: _Stream, serve: Service, argument: str) -> None:
        with suppress(EOFError):
            await serve(stream, argument)
        await stream.leave.wait()
        if self.streams.pop(stream.local, None):
            self.send(wire.CLSE, stream.local, stream.remote)


@asynccontextmanager
async def running(phone: SmallPhone) -> AsyncGenerator[SmallPhone, None]:
    """The phone's adbd on its own port."""

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = _Connection(phone, writer)
        phone.connections.append(connection)
        decoder = MessageDecoder()
        try:
            with suppress(ConnectionError):
                while data := await reader.read(1 << 18):
                    for message in decoder.feed(data):
                        connection.take(message)
        finally:
            for stream in connection.streams.values():
                stream.end()
            for task in list(connection.tasks):
                task.cancel()
            await asyncio.gather(*connection.tasks, return_exceptions=True)
            writer.close()

    async with _listening(accept) as phone.port:
        yield phone


@dataclass
class SmallServer:
    """An adb server with phones by serial; a string instead of a phone is the server's error."""

    phones: Mapping[str, "Mapping[str, Service] | str"] = field(
        default_factory=dict[str, "Mapping[str, Service] | str"]
    )
    devices: str = ""
    connects: str = "connected to"
    """Empty for a server without support."""
    features: Sequence[str] = FEATURES
    requests: list[str] = field(default_factory=list)
    port: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    writers: list[asyncio.StreamWriter] = field(default_factory=list)

    def vanish(self) -> None:
        for writer in self.writers:
            writer.transport.abort()


@dataclass
class _Socket:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def read(self) -> bytes:
        return await self.reader.read(65536)

    async def write(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()


@asynccontextmanager
async def serving(server: SmallServer) -> AsyncGenerator[SmallServer, None]:
    def text(value: str) -> bytes:
        return b"%04x" % len(value.encode()) + value.encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def request() -> str:
            length = int(await reader.readexactly(4), 16)
            value = (await reader.readexactly(length)).decode(errors="surrogateescape")
            server.requests.append(value)
            return value

        first = await request()
        verb, _, rest = first.removeprefix("host:").partition(":")
        if first == "host:version":
            writer.write(b"OKAY" + text(f"{SERVER_VERSION:04x}"))
        elif first == "host:devices-l":
            writer.write(b"OKAY" + text(server.devices))
        elif first == "host:track-devices-l":
            writer.write(b"OKAY" + text(server.devices))
            while not writer.is_closing():
                await server.changed.wait()
                server.changed.clear()
                writer.write(text(server.devices))
        elif verb == "connect" and server.connects:
            writer.write(b"OKAY" + text(f"{server.connects} {rest}"))
        elif first.startswith("host-serial:") and first.endswith(":features"):
            phone = server.phones.get(first.split(":", 1)[1].removesuffix(":features"), "")
            features = text(",".join(server.features))
            writer.write(b"FAIL" + text(phone) if isinstance(phone, str) else b"OKAY" + features)
        elif verb == "transport":
            phone = server.phones.get(rest, f"device '{rest}' not found")
            if isinstance(phone, str):
                writer.write(b"FAIL" + text(phone))
                return
            writer.write(b"OKAY")
            service = await request()
            for prefix, serve in phone.items():
                if service.startswith(prefix):
                    writer.write(b"OKAY")
                    with suppress(EOFError):
                        await serve(_Socket(reader, writer), service.removeprefix(prefix))
                    return
            writer.write(b"FAIL" + text("closed"))
        else:
            writer.write(b"FAIL" + text("unknown host service"))

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.writers.append(writer)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                await answer(reader, writer)
        finally:
            writer.close()

    async with _listening(accept) as server.port:
        yield server


@asynccontextmanager
async def _listening(
    accept: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncGenerator[int, None]:
    """Serve; all connections are closed at the end of the block."""
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            with suppress(asyncio.CancelledError):
                await accept(reader, writer)
        finally:
            tasks.discard(task)
            writer.transport.abort()
            with suppress(OSError):
                await writer.wait_closed()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await listener.wait_closed()


@asynccontextmanager
async def reach(
    way: str,
    services: Mapping[str, Service],
    features: Sequence[str] = FEATURES,
    clock: Clock | None = None,
) -> AsyncGenerator[Link, None]:
    """A link of either kind to a phone with these services."""
    clock = clock or PatientClock()
    if way == "direct":
        async with (
            running(SmallPhone(services, features)) as phone,
            link_to(phone, clock=clock) as link,
        ):
            yield link
    else:
        async with serving(SmallServer({"small": services}, features=features)) as server:
            yield AdbServer("127.0.0.1", server.port, clock=clock).link("small")
