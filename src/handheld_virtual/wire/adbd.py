"""adbd on TCP: connections, and the streams that adb clients open on them.

Memory is bounded for any input: message lengths, streams, buffers and connections are limited, and
nothing is read from a client that does not read.
"""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, cast

from handheld.adb import wire
from handheld.adb.wire import AdbMessage, MessageDecoder, WireError

from .air import Air
from .authority import AdbAuthorization
from .features import features
from .stream import WINDOW, AdbStream

if TYPE_CHECKING:
    from ..phone import VirtualPhone

CONNECTIONS = 64
STREAMS = 256
"""The limit of simultaneous streams per connection."""
HANDSHAKE_PAYLOAD = 4096
HANDSHAKE_MS = 60_000
"""The time limit for a client to authenticate, by the phone's clock."""
TRANSPORT_AHEAD = 4 * 1024 * 1024
RECEIVED = 256 * 1024
"""The maximum size of a read."""
RECEIVED_IDLE = 8 * 1024
"""The size of reads on a quiet connection, because most of the phones in a process are idle."""
LEAST_MAXDATA = 4096
NAME = 1024
"""How many characters of a service's name are kept."""
UNREAD = 16 * 1024 * 1024
"""How many bytes the programs of a connection may leave unread before it is closed."""
DELAYED_ACK = "delayed_ack"

log = logging.getLogger(__name__)


Handler = Callable[[AdbStream], Awaitable[None]]


class AdbConnection(asyncio.BufferedProtocol):
    """The connection of one adb client."""

    def __init__(self, adbd: "Adbd") -> None:
        self.adbd = adbd
        self.loop = asyncio.get_running_loop()
        self.name = adbd.next_name()
        """adbd's name for a client over TCP."""
        self.maxdata = LEAST_MAXDATA
        self.open = False
        """Whether the client is connected and authenticated."""
        self.paused = False
        self.delayed = False
        """Whether both sides acknowledge bytes instead of messages."""
        self.unread = 0
        """How many bytes from this client no program has read."""
        self._transport: asyncio.Transport | None = None
        self._decoder = MessageDecoder(HANDSHAKE_PAYLOAD)
        # A single receive buffer, because allocating one per message takes longer than handling it.
        self._received = memoryview(bytearray(RECEIVED_IDLE))
        self._air = Air(adbd, self._take, self._refuse)
        self._checksum = True
        self._streams: dict[int, AdbStream] = {}
        self._opening: dict[int, asyncio.Future[AdbStream | None]] = {}
        self._last_id = 0
        self._authorization: AdbAuthorization | None = None
        self._timer = adbd.spawn(self._cut_if_late())

    # asyncio.BufferedProtocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=TRANSPORT_AHEAD)
        plain = self._transport.get_extra_info("socket")
        if plain is not None:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not self.adbd.admit(self):
            log.warning("An adb client was rejected: %d are already connected.", CONNECTIONS)
            self._transport.abort()
        elif self.adbd.away or self.adbd.phone.faults.link_is_away:
            self._transport.abort()

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._received

    def buffer_updated(self, nbytes: int) -> None:
        try:
            for message in self._decoder.feed(self._received[:nbytes]):
                self._air.bring(message)
        except WireError as problem:
            self._refuse(problem)
        size = len(self._received)
        if nbytes == size < RECEIVED:
            self._received = memoryview(bytearray(RECEIVED))
        elif nbytes < RECEIVED_IDLE < size:
            self._received = memoryview(bytearray(RECEIVED_IDLE))

    def pause_writing(self) -> None:
        self.paused = True
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        self.paused = False
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()
        for stream in list(self._streams.values()):
            stream.flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        self.open = False
        self._transport = None
        self._air.clear()
        if self._authorization is not None:
            self._authorization.close()
        streams, self._streams = self._streams, {}
        for stream in streams.values():
            stream.abandoned()
        for waiter in self._opening.values():
            if not waiter.done():
                waiter.set_result(None)
        self._opening.clear()
        self.adbd.left(self)

    # Used by streams and services

    def send(self, command: int, arg0: int, arg1: int, data: bytes = b"") -> None:
        if self._transport is not None:
            message = AdbMessage(command, arg0, arg1, data)
            self._transport.write(wire.encode_message(message, checksum=self._checksum))

    def streams(self) -> list[AdbStream]:
        return list(self._streams.values())

    def forget(self, stream: AdbStream) -> None:
        if self._streams.get(stream.local) is stream:
            del self._streams[stream.local]

    def cut(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    async def _cut_if_late(self) -> None:
        await self.adbd.phone.clock.sleep(HANDSHAKE_MS)
        self.cut()

    async def dial(self, destination: str) -> AdbStream | None:
        """Open a stream to the client, only to a destination that it requested with `reverse:`,
        because any other makes an adb server abort."""
        if not self.open or len(self._streams) + len(self._opening) >= STREAMS:
            return None
        local = self._next_id()
        answer: asyncio.Future[AdbStream | None] = self.loop.create_future()
        self._opening[local] = answer
        window = WINDOW if self.delayed else 0
        name = destination.encode("utf-8", "surrogateescape")
        self.send(wire.OPEN, local, window, name + b"\0")
        try:
            return await answer
        finally:
            self._opening.pop(local, None)

    # Messages of the client

    def _refuse(self, problem: WireError) -> None:
        log.warning("An adb client was disconnected. %s", problem)
        self.cut()

    def _take(self, message: AdbMessage) -> None:
        command, arg0, arg1, data = message
        if self.open:
            if command == wire.WRTE:
                stream = self._streams.get(arg1)
                if stream is not None and stream.remote == arg0 and not stream.closed:
                    stream.wrote(data)
                    if self.unread > UNREAD:
                        raise WireError("Its programs do not read its data.")
                else:
                    self.send(wire.CLSE, arg1, arg0)
                return
            if command == wire.OKAY:
                self._okay(arg0, arg1, data)
                return
            if command == wire.OPEN:
                self._open(arg0, arg1, data)
                return
            if command == wire.CLSE:
                self._close(arg0, arg1)
                return
        if command == wire.CNXN:
            self._connect(arg0, arg1, data)
        elif command == wire.AUTH and self._authorization is not None:
            self._authorization.answer(arg0, data)
            if arg0 == wire.AUTH_PUBLIC_KEY:
                self._timer.cancel()  # a person may take longer to answer
        elif command not in (wire.AUTH, wire.STLS):
            raise WireError("It sent a message before it was authenticated.")

    def _connect(self, version: int, maxdata: int, banner: bytes) -> None:
        if self.open or self._authorization is not None:
            raise WireError("It connected twice.")
        if version < wire.VERSION_WITH_CHECKSUM:
            raise WireError(f"It speaks version {version:#x} of the protocol.")
        self._checksum = version < wire.VERSION
        self.maxdata = min(wire.MAX_PAYLOAD, max(LEAST_MAXDATA, maxdata))
        own = features(self.adbd.phone.world.android)
        self.delayed = DELAYED_ACK in own and DELAYED_ACK in _features(banner)
        authority = self.adbd.phone.authority
        if authority.required:
            self._authorization = AdbAuthorization(authority, self._ask, self._admit)
            self._authorization.challenge()
        else:
            self._admit()

    def _ask(self, token: bytes) -> None:
        self.send(wire.AUTH, wire.AUTH_TOKEN, 0, token)

    def _admit(self) -> None:
        if self._transport is None:
            return
        self.open = True
        self._timer.cancel()
        self._decoder.max_payload = wire.MAX_PAYLOAD
        names = features(self.adbd.phone.world.android)
        self.send(
            wire.CNXN, wire.VERSION, wire.MAX_PAYLOAD, self.adbd.phone.banner(",".join(names))
        )

    def _open(self, remote: int, window: int, data: bytes) -> None:
        if not remote:
            return
        # Only clients with delayed acknowledgements send a window, and they must send one.
        if bool(window) != self.delayed:
            self.send(wire.CLSE, 0, remote)
            return
        handler = None
        # Service names end at a NUL, except `abb` services, whose words it separates.
        name = data.rstrip(b"\0") if data.startswith(b"abb") else data.partition(b"\0")[0]
        service = name.decode("utf-8", "surrogateescape")
        if len(self._streams) < STREAMS:
            handler = self.adbd.phone.service(service, self)
        if handler is None:
            self.send(wire.CLSE, 0, remote)
            return
        credit = min(window, 0x7FFFFFFF) if self.delayed else None
        stream = AdbStream(self, self._next_id(), remote, service[:NAME], credit)
        self._streams[stream.local] = stream
        self.adbd.phone.faults.stall_matching(stream)
        granted = WINDOW.to_bytes(4, "little") if self.delayed else b""
        self.send(wire.OKAY, stream.local, remote, granted)
        stream.task = self.adbd.spawn(self._serve(stream, handler))

    async def _serve(self, stream: AdbStream, handler: Handler) -> None:
        try:
            with contextlib.suppress(BrokenPipeError):
                await handler(stream)
        except WireError as problem:
            log.warning("A stream was closed. %s", problem)
        except Exception:
            log.exception("A program on the phone failed.")
        finally:
            await stream.aclose()

    def _okay(self, remote: int, local: int, data: bytes) -> None:
        if len(data) not in (0, 4):
            raise WireError(f"It acknowledged with {len(data)} bytes.")
        credit = int.from_bytes(data, "little", signed=True) if data else None
        waiter = self._opening.pop(local, None)
        if waiter is not None:
            if waiter.done() or not remote or (credit is None) == self.delayed:
                self.send(wire.CLSE, local, remote)
                if not waiter.done():
                    waiter.set_result(None)
                return
            stream = AdbStream(self, local, remote, credit=credit)
            self._streams[local] = stream
            waiter.set_result(stream)
            return
        stream = self._streams.get(local)
        if stream is not None and stream.remote == remote and not stream.closed:
            stream.acknowledged(credit)
        else:
            self.send(wire.CLSE, local, remote)

    def _close(self, remote: int, local: int) -> None:
        waiter = self._opening.pop(local, None)
        if waiter is not None and not waiter.done():
            waiter.set_result(None)
            return
        stream = self._streams.get(local)
        if stream is None or remote not in (0, stream.remote):
            return
        if not stream.closed:
            self.send(wire.CLSE, stream.local, stream.remote)
        self.forget(stream)
        stream.abandoned()

    def _next_id(self) -> int:
        while True:
            self._last_id = self._last_id % 0xFFFFFFFF + 1
            if self._last_id not in self._streams and self._last_id not in self._opening:
                return self._last_id


def _features(banner: bytes) -> list[str]:
    """Parse the client's features: `host::features=a,b`."""
    parts = banner.decode("utf-8", "replace").split("features=", 1)
    return parts[1].split(";", 1)[0].split(",") if len(parts) == 2 else []


class Adbd:
    """Listens for clients, and owns their services."""

    def __init__(self, phone: "VirtualPhone") -> None:
        self.phone = phone
        self._connections: set[AdbConnection] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._also: asyncio.Server | None = None
        self._host = ""
        self._names = 0
        self.away = False
        """Whether new connections are cut, because the phone boots or USB debugging is off."""

    @property
    def connections(self) -> int:
        return len(self._connections)

    async def start(self, host: str, port: int) -> int:
        """Listen and return the port; 0 takes any free one. Raises OSError."""
        loop = asyncio.get_running_loop()
        self._host = host
        self._server = await loop.create_server(lambda: AdbConnection(self), host, port)
        return self._server.sockets[0].getsockname()[1]

    async def aclose(self) -> None:
        if self._server is not None:
            self._server.close()
        self.close_also()
        self.drop()
        for task in self._tasks:
            task.cancel()
        while self._tasks or self._connections:
            if self._tasks:
                await asyncio.wait(self._tasks)
            await asyncio.sleep(0)
        if self._server is not None:
            await self._server.wait_closed()

    async def listen_also(self, port: int | None) -> None:
        """Listen on an additional port, as `adb tcpip` requests; None closes it. Raises OSError."""
        if port is None:
            self.close_also()
            return
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: AdbConnection(self), self._host, port)
        self.close_also()
        self._also = server

    def close_also(self) -> None:
        if self._also is not None:
            self._also.close()
            self._also = None

    def next_name(self) -> str:
        self._names += 1
        return f"host-{self._names}"

    def streams(self) -> list[AdbStream]:
        """All open services."""
        return [stream for connection in self._connections for stream in connection.streams()]

    def drop(self) -> None:
        """Close every connection."""
        for connection in list(self._connections):
            connection.cut()

    def admit(self, connection: AdbConnection) -> bool:
        self._connections.add(connection)
        return len(self._connections) <= CONNECTIONS

    def left(self, connection: AdbConnection) -> None:
        self._connections.discard(connection)
        self.phone.sockets.leave(connection)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
