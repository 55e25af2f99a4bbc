"""A link without an adb server: adb's transport protocol to an adbd on TCP."""

import asyncio
import socket
from collections.abc import Callable, Sequence

from ..clock import SYSTEM_CLOCK, Clock
from . import wire
from .direct_stream import DirectStream
from .keys import AdbKey, encode_public_key
from .link import AdbError, LinkLost, NoAnswer, ServiceRefused, encode_service
from .state import PhoneState, PhoneUnavailable
from .wire import AdbMessage, MessageDecoder, WireError, encode_message

STREAMS = 1024
"""The maximum number of open streams per link."""

FEATURES = (
    "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,apex,abb,fixed_push_symlink_timestamp,abb_exec,"
    "remount_shell,sendrecv_v2"
)

Keys = Callable[[], Sequence[AdbKey]]
"""Called in a thread, only when the phone requests authentication: loading or creating a key takes
time."""


class DirectLink(asyncio.Protocol):
    """A phone whose adbd listens on TCP. Created by `connect`; all streams share one socket."""

    def __init__(self, serial: str, clock: Clock = SYSTEM_CLOCK) -> None:
        self.serial = serial
        self.clock = clock
        self.properties: dict[str, str] = {}
        """The properties in the phone's banner, such as `ro.product.model`."""
        self.max_payload = 4096
        self._features: frozenset[str] = frozenset()
        self._streams: dict[int, DirectStream] = {}
        self._last_id = 0
        self._decoder = MessageDecoder()
        self._checksum = True
        self._online = False
        self._lost = ""
        loop = asyncio.get_running_loop()
        self._greeting: asyncio.Future[AdbMessage] = loop.create_future()
        self._gone: asyncio.Future[None] = loop.create_future()
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def connect(
        cls,
        host: str,
        port: int,
        keys: Keys = tuple,
        *,
        timeout: float = 10.0,
        allow_within: float = 60.0,
        on_waiting: Callable[[], None] | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> "DirectLink":
        """Connect and authenticate.

        A phone that does not know our key shows a prompt: then `on_waiting` is called once and
        the person at the phone has `allow_within` seconds.
        """
        serial = serial_at(host, port)
        loop = asyncio.get_running_loop()
        try:
            async with clock.timeout(timeout):
                _, link = await loop.create_connection(lambda: cls(serial, clock), host, port)
        except (OSError, TimeoutError) as problem:
            raise PhoneUnavailable(
                serial,
                PhoneState.ABSENT,
                f"No phone answers adb at {serial}: check the address, and that the phone is on "
                "and takes adb over TCP (`adb tcpip 5555` while it is plugged in).",
            ) from problem
        try:
            await link._introduce(keys, timeout, allow_within, on_waiting)
        except BaseException:
            await link.aclose()
            raise
        return link

    async def _introduce(
        self,
        keys: Keys,
        timeout: float,
        allow_within: float,
        on_waiting: Callable[[], None] | None,
    ) -> None:
        hello = AdbMessage(
            wire.CNXN, wire.VERSION, wire.MAX_PAYLOAD, f"host::features={FEATURES}".encode()
        )
        answer = await self._ask(hello, timeout)
        signers: list[AdbKey] | None = None
        public = b""
        while answer.command == wire.AUTH:
            token = answer.data
            if answer.arg0 != wire.AUTH_TOKEN or len(token) != 20:
                raise LinkLost(f"{self.serial} asks for authentication in an unknown way.")
            if signers is None:
                signers = list(await asyncio.to_thread(keys))
                public = encode_public_key(signers[0].public) if signers else b""
                signers.reverse()
            if signers:
                signature = signers.pop().sign(token)
                answer = await self._ask(
                    AdbMessage(wire.AUTH, wire.AUTH_SIGNATURE, 0, signature), timeout
                )
                continue
            if not public:
                raise PhoneUnavailable(self.serial, PhoneState.UNAUTHORIZED)
            if on_waiting is not None:
                on_waiting()
            message = AdbMessage(wire.AUTH, wire.AUTH_PUBLIC_KEY, 0, public)
            public = b""
            try:
                answer = await self._ask(message, allow_within)
            except NoAnswer:
                raise PhoneUnavailable(self.serial, PhoneState.UNAUTHORIZED) from None
        if answer.command == wire.STLS:
            raise AdbError(
                f"{self.serial} wants TLS (wireless debugging), which only the adb server speaks: "
                "pair once with `handheld pair`, then run "
                f"`handheld connect {self.serial}` and start this again."
            )

    async def _ask(self, message: AdbMessage, timeout: float) -> AdbMessage:
        """Perform one step of the handshake: send a message and wait for the answer."""
        if self._lost:
            raise LinkLost(self._lost)
        self._greeting = asyncio.get_running_loop().create_future()
        self.send_message(message)
        try:
            async with self.clock.timeout(timeout):
                return await self._greeting
        except TimeoutError:
            raise NoAnswer(
                f"{self.serial} did not answer within {timeout:g} s: it may not be an adb port, "
                "or the phone is busy with another adb."
            ) from None

    async def features(self) -> frozenset[str]:
        return self._features

    @property
    def lost(self) -> bool:
        """Whether the connection is closed."""
        return bool(self._lost)

    async def wait_lost(self) -> None:
        """Wait until the connection is closed."""
        await asyncio.shield(self._gone)

    async def open(self, service: str, *, timeout: float = 10.0) -> DirectStream:
        name = encode_service(service)
        if self._lost:
            raise LinkLost(self._lost)
        if len(name) >= self.max_payload:
            raise ServiceRefused(f"A command of {len(name)} bytes is longer than the phone takes.")
        if len(self._streams) >= STREAMS:
            raise AdbError(f"{self.serial} has {STREAMS} open streams already, the maximum.")
        self._last_id = self._last_id % 0x7FFFFFFF + 1
        stream = DirectStream(self, self._last_id)
        self._streams[self._last_id] = stream
        self.send_message(AdbMessage(wire.OPEN, self._last_id, 0, name + b"\0"))
        try:
            async with self.clock.timeout(timeout):
                opened = await stream.opened
        except asyncio.CancelledError:
            if not stream.opened.cancelled():
                # The answer arrived at the same moment; nobody will receive this stream.
                await stream.aclose()
            raise
        except TimeoutError:
            late = NoAnswer(
                f"The phone {self.serial} did not start a command within {timeout:g} s."
            )
            late.begun = True
            raise late from None
        if not opened:
            if stream.lost:
                lost = LinkLost(stream.lost)
                lost.begun = True
                raise lost
            raise ServiceRefused(f"The phone will not open the service {service[:80]!r}.")
        return stream

    async def aclose(self) -> None:
        self._fail(f"The link to {self.serial} was closed.")
        transport = self._transport
        if transport is None:
            return
        transport.close()
        try:
            async with self.clock.timeout(1.0):
                await asyncio.shield(self._gone)
        except TimeoutError:
            # Discard unsent data: the phone does not read.
            transport.abort()
            await asyncio.shield(self._gone)

    # Sending. Nothing waits here: each stream has at most one message in flight.

    def send(self, data: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def send_message(self, message: AdbMessage, after: bytes = b"") -> None:
        self.send(after + encode_message(message, checksum=self._checksum))

    def forget(self, local: int) -> bool:
        """Return whether the stream was known."""
        return self._streams.pop(local, None) is not None

    # Receiving, called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        raw = transport.get_extra_info("socket")
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def data_received(self, data: bytes) -> None:
        try:
            for message in self._decoder.feed(data):
                self._take(message)
        except WireError as problem:
            self._fail(f"{self.serial} does not speak adb's protocol: {problem}")
            if self._transport is not None:
                self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail(f"The connection to {self.serial} was lost: the phone or its adbd went away.")
        if not self._gone.done():
            self._gone.set_result(None)

    def _take(self, message: AdbMessage) -> None:
        command, remote, local, data = message
        if not self._online:
            self._take_greeting(message)
            return
        stream = self._streams.get(local)
        if command == wire.OPEN:
            # This host provides no services, so the phone has nothing to open here.
            self.send_message(AdbMessage(wire.CLSE, 0, remote))
        elif command in (wire.CNXN, wire.AUTH, wire.STLS):
            raise WireError("it started a second handshake on an open connection.")
        elif stream is None:
            # Sent before the phone received our CLSE.
            return
        elif command == wire.WRTE:
            stream.take_data(remote, data)
        elif command == wire.OKAY:
            if not remote:
                raise WireError("a stream has no id.")
            stream.take_okay(remote)
        else:
            stream.take_close(remote)

    def _take_greeting(self, message: AdbMessage) -> None:
        command, version, max_payload, data = message
        if self._greeting.done() or command not in (wire.CNXN, wire.AUTH, wire.STLS):
            raise WireError("its first message does not belong to the handshake.")
        if command == wire.CNXN:
            if max_payload < 1024:
                raise WireError(f"it takes messages of {max_payload} bytes only.")
            self.max_payload = min(max_payload, wire.MAX_PAYLOAD)
            self._checksum = version < wire.VERSION
            self.properties, self._features = read_banner(data)
            self._online = True
        self._greeting.set_result(message)

    def _fail(self, why: str) -> None:
        if self._lost:
            return
        self._lost = why
        streams = list(self._streams.values())
        self._streams.clear()
        for stream in streams:
            stream.end(why)
        if not self._greeting.done():
            self._greeting.set_exception(LinkLost(why))
            # Nobody may be waiting for it; an unretrieved exception would be logged.
            self._greeting.exception()


def serial_at(host: str, port: int) -> str:
    """Return adb's serial for a phone at this address."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def read_banner(data: bytes) -> tuple[dict[str, str], frozenset[str]]:
    """Parse a phone's banner: `device::ro.product.model=…;features=a,b`."""
    text = data[:4096].decode(errors="replace").rstrip("\0")
    fields = text.split(":", 2)[-1].split(";")
    values = dict(field.split("=", 1) for field in fields if "=" in field)
    features = values.pop("features", "")
    return values, frozenset(filter(None, features.split(",")))
