"""One connection to a NATS server, made once and never again: the only module that imports nats.

The library's client is used for the protocol alone. Its own reconnecting sends what was written to
the former connection on the next one, long after its caller gave up, and can hang for minutes on
a link that is half open. So its reconnecting is off, a lost connection is aborted with all that was
buffered, and `wire` makes a new one. It passes what it sends and what it hears from task to task:
here all of it is done at once. The methods that are replaced are private to it: the dependency is
pinned to a minor version.
"""

import asyncio
import base64
import errno
import os
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import ParseResult

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.transport import TcpTransport
from nats.errors import NoServersError

from .nkeys import KeyPair

__all__ = ["SILENT", "CannotDial", "Credentials", "Heard", "Msg", "NatsConnection"]

_STEP = 2
"""The longest step of dialling, in seconds: TCP, greeting, TLS, login."""
_NEVER = 10**9
MOST_UNSENT = 4 * 1024 * 1024
"""The most bytes that may wait for the socket."""


Heard = Callable[[Msg], None]
"""Called for each message of a subscription, in order. It must not wait or raise. A long call
becomes a task; otherwise the message that stops it would queue behind it."""


SILENT = "It does not answer."


class CannotDial(Exception):
    """A server cannot be reached, or does not let us in; `refused` tells which. Its message ends as
    a sentence, because callers append to it."""

    def __init__(self, message: str, *, refused: bool = False) -> None:
        super().__init__(message)
        self.refused = refused


def _explain(problem: BaseException) -> str:
    """The message of the system or the library, as a sentence."""
    if isinstance(problem, NoServersError) and problem.__cause__ is not None:
        problem = problem.__cause__  # the library would not show the cause
    if isinstance(problem, TimeoutError):
        return SILENT
    if isinstance(problem, ssl.SSLCertVerificationError):
        text = f"Its certificate is not of this engine: {problem.verify_message}"
    elif isinstance(problem, OSError) and not isinstance(problem, ssl.SSLError) and problem.errno:
        # asyncio's own message repeats the address.
        known = problem.errno in errno.errorcode
        text = os.strerror(problem.errno) if known else problem.strerror or str(problem)
    else:
        text = str(problem) or type(problem).__name__
    return f"{text.rstrip('.')}."


@dataclass(frozen=True, repr=False)
class Credentials:
    """A client's credentials, and the certificate that the server must show."""

    key: KeyPair
    credential: str
    tls: ssl.SSLContext

    def sign(self, nonce: str) -> bytes:
        return base64.b64encode(self.key.sign(nonce.encode()))


class _Transport(TcpTransport):
    """Closing it drops unsent data and never waits for the other side."""

    async def connect_tls(
        self,
        uri: str | ParseResult,
        ssl_context: ssl.SSLContext,
        buffer_size: int,
        connect_timeout: int,
    ) -> None:
        await super().connect_tls(uri, ssl_context, buffer_size, connect_timeout)
        # The library does not tell asyncio, which warns at the end of each connection.
        protocol = self._io_writer.transport.get_protocol() if self._io_writer else None
        setattr(protocol, "_over_ssl", True)  # noqa: B010

    def close(self) -> None:
        if self._io_writer is not None:
            self._io_writer.transport.abort()
        # TLS replaces the first transport, which a failed handshake leaves open.
        if self._bare_io_writer is not None:
            self._bare_io_writer.transport.abort()

    def hear(self, protocol: asyncio.Protocol) -> None:
        """Pass all data from now on to the protocol, and data that has arrived unread."""
        assert self._io_writer is not None
        self._io_writer.transport.set_protocol(protocol)
        # There is no other way to read buffered data without waiting for more.
        if unread := bytes(getattr(self._io_reader, "_buffer")):  # noqa: B009
            protocol.data_received(unread)

    async def wait_closed(self) -> None:
        return  # the library would wait here as long as the other side likes

    @property
    def unsent(self) -> int:
        """Bytes that wait for the socket."""
        return self._io_writer.transport.get_write_buffer_size() if self._io_writer else 0

    def __bool__(self) -> bool:
        return True  # else the library makes its own


class _Incoming(asyncio.Protocol):
    """Parses data on arrival. The library's own way, through a reader and a task that waits for it,
    takes a tenth of the time of a call."""

    def __init__(self, connection: "NatsConnection") -> None:
        self._connection = connection

    def data_received(self, data: bytes) -> None:
        self._connection.parse(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connection.drop()


class NatsConnection(Client):
    """`problem` is called with errors from the server, such as a forbidden publish; `closed` is set
    when the connection is over."""

    def __init__(self, name: str, problem: Callable[[str], None]) -> None:
        super().__init__()
        self._transport = self._socket = _Transport()
        self._heard: dict[int, Heard] = {}
        self.closed = asyncio.Event()
        self._name = name
        self._problem = problem

    async def dial(self, address: str, credentials: Credentials) -> None:
        """Raises CannotDial."""
        try:
            await self.connect(
                f"tls://{address}",
                name=self._name,
                error_cb=self._on_error,
                closed_cb=self._on_closed,
                allow_reconnect=False,
                connect_timeout=_STEP,
                ping_interval=_NEVER,  # `wire` pings, by our clock
                tls=credentials.tls,
                # Otherwise anybody who answers could deny encryption and would receive the
                # credential.
                tls_handshake_first=True,
                user_jwt_cb=credentials.credential.encode,
                signature_cb=credentials.sign,
                pending_size=-1,  # nothing is kept for later
            )
        except Exception as problem:  # the library also raises the exceptions of its parts
            self.drop()
            text = _explain(problem)
            refused = "authorization" in text.lower() or "authentication" in text.lower()
            raise CannotDial(f"{address}: {text}", refused=refused) from problem
        except BaseException:
            self.drop()
            raise

    async def _select_next_server(self) -> None:
        # The library's own method retries for ever.
        server = self._server_pool[0]
        self._current_server = server
        try:
            await self._connect_to_server(server)
        except OSError as problem:
            raise NoServersError from problem

    async def ping(self) -> "asyncio.Future[bool]":
        """Send a ping. The future is done when the reply arrives."""
        answered: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        await self._send_ping(answered)
        return answered

    @property
    def is_full(self) -> bool:
        """Whether too much unsent data waits for the socket."""
        return self._socket.unsent > MOST_UNSENT

    async def listen(self, subject: str, heard: Heard) -> Callable[[], Awaitable[None]]:
        """Subscribe. The returned function ends the subscription."""
        listening = await self.subscribe(subject)
        number = listening._id  # pyright: ignore[reportPrivateUsage]
        self._heard[number] = heard

        async def end() -> None:
            self._heard.pop(number, None)
            await listening.unsubscribe()

        return end

    async def _read_loop(self) -> None:
        self._socket.hear(_Incoming(self))
        await self.closed.wait()

    def parse(self, data: bytes) -> None:
        """Process data from the server."""
        parsing = self._ps.parse(data)
        try:
            # This never waits, because nothing that it calls does; see below.
            parsing.send(None)
        except StopIteration:
            return
        except Exception as problem:  # nothing after it can be understood
            self._problem(str(problem) or type(problem).__name__)
        else:
            self._problem("The server's message could not be handled at once.")
        self.drop()

    async def _process_op_err(self, e: Exception) -> None:
        self.drop()

    async def _process_msg(
        self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes | None
    ) -> None:
        if (heard := self._heard.get(sid)) is not None:
            told = await self._read_headers(headers)
            heard(self._build_message(sid, subject, reply, data, told))

    async def _read_headers(self, headers: bytes | None) -> dict[str, str] | None:
        """The headers come from the server, or from the sender of the message, who may be
        malicious."""
        if not headers:
            return None
        plain = headers.decode("ascii", "replace").replace("\ufffd", "?").encode()
        try:
            told = await self._process_headers(plain)
        except Exception:  # the library trusts headers
            return {"Unreadable": ""}
        if told is not None and not headers.startswith(b"NATS/1.0 "):
            told.pop("Status", None)  # only the server's own status is in the first line
        return told

    async def _flush_pending(self, force_flush: bool = False) -> None:
        if self._pending_data_size and self.is_connected:
            self._socket.writelines(self._pending)
            self._pending, self._pending_data_size = [], 0

    def drop(self) -> None:
        """End the connection at once, and drop everything unsent."""
        self._pending.clear()
        self._pending_data_size = 0
        self._status = Client.CLOSED
        self._socket.close()
        tasks: list[asyncio.Task[Any] | None] = [
            self._reading_task,
            self._ping_interval_task,
            self._flusher_task,
        ]
        for task in tasks:
            if task is not None and task is not asyncio.current_task():
                task.cancel()
        self._subs.clear()
        self.closed.set()

    async def _on_error(self, problem: Exception) -> None:
        self._problem(str(problem) or type(problem).__name__)

    async def _on_closed(self) -> None:
        self.closed.set()
