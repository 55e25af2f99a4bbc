"""A connection to the engine that survives its servers.

One task dials, pings, and dials again. Each connection is a new object (see `client`). A request
over a lost connection fails at once: whether it arrived is unknown, and it is never sent again.
"""

import asyncio
import logging
import re
import secrets
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

from ...clock import SYSTEM_CLOCK, Clock
from .names import TABLES, inbox
from .nkeys import KeyPair

if TYPE_CHECKING:
    from .client import Credentials, Heard, Msg, NatsConnection

log = logging.getLogger(__name__)

PING_EVERY = 1.0
PONG_SLICES, PONG_SLICE = 3, 0.5
"""How long a server may take to answer a ping, counted in slices: if our own process was paused
during one of them, the answer that waits in its socket is still read in the next."""
SOONEST, LATEST = 0.1, 2.0
"""The shortest and the longest pause between two rounds of dialling all servers, in seconds; each
round doubles it."""
MOST_ANSWERED, MOST_FOLLOWED = 8 * 1024 * 1024, 64 * 1024 * 1024
"""Bytes that may wait in an inbox, and in a stream's inbox, to which the stream sends without a
request."""
_OVERHEAD = 500
_REFUSED = re.compile(r'permissions violation for publish to "([^"]+)"', re.IGNORECASE)


class WireFault(Exception):
    """A message could not be sent, or was not answered. `sent` is False if it certainly reached
    nobody."""

    sent = True


class EngineAway(WireFault):
    """There is no connection to the engine."""

    sent = False


class NobodyListens(WireFault):
    """The engine reported that nobody is subscribed."""

    sent = False


class NotAllowed(WireFault):
    """The engine refused to forward the message."""

    sent = False


class NoEngineAnswer(WireFault):
    """No reply arrived in time."""


class EngineLost(WireFault):
    """The connection was lost while a reply was expected."""


@dataclass(frozen=True, repr=False)
class Membership:
    """How a member reaches the engine, and its identity there."""

    id: str
    servers: tuple[str, ...]
    authority: str
    """The certificate of the engine's authority, in PEM."""
    key: KeyPair
    credential: str


async def _nothing() -> None: ...


class Inbox:
    """Our own subject for the replies to one request."""

    def __init__(self, subject: str, asked: str, close: Callable[[], None]) -> None:
        self.most_bytes = MOST_ANSWERED
        self.subject = subject
        self.asked = asked
        self._close = close
        self.end: Callable[[], Awaitable[None]] = _nothing
        self._size = 0
        self._messages: asyncio.Queue[Msg | WireFault] = asyncio.Queue()

    def put(self, message: "Msg | WireFault") -> None:
        if not isinstance(message, WireFault):
            self._size += len(message.data) + _OVERHEAD
            if self._size > self.most_bytes:
                # A sender that floods an unread inbox gets no further.
                self.close()
                message = EngineLost("More was answered than is read.")
        self._messages.put_nowait(message)

    @property
    def ready(self) -> bool:
        """Whether `get` returns without waiting."""
        return not self._messages.empty()

    async def get(self) -> "Msg":
        """Raises NobodyListens, NotAllowed and LinkLost."""
        found = await self._messages.get()
        if isinstance(found, WireFault):
            raise found
        self._size -= len(found.data) + _OVERHEAD
        if not found.data and (found.headers or {}).get("Status") == "503":
            raise NobodyListens("Nobody listens there.")
        return found

    def close(self) -> None:
        self._close()


class EngineWire:
    """Use it with `async with`, which dials in the background; `ready` waits for the connection."""

    def __init__(self, membership: Membership, clock: Clock = SYSTEM_CLOCK) -> None:
        self.id = membership.id
        self._membership = membership
        self._clock = clock
        self._servers = list(membership.servers)
        secrets.SystemRandom().shuffle(self._servers)
        self._connection: NatsConnection | None = None
        self._prefix = ""
        self._inboxes: dict[str, Inbox] = {}
        self._served: dict[str, Heard] = {}
        self._changed = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self.links = 0
        """The number of connections so far: a different number means that messages may have been
        missed."""
        self.problem = "It was not dialled yet."
        """Why there is no connection."""
        self.server = ""
        """The connected server."""

    async def __aenter__(self) -> "EngineWire":
        try:
            from .client import Credentials
        except ModuleNotFoundError:
            raise EngineAway("Install what it needs: pip install 'handheld[fleet]'") from None
        tls = ssl.create_default_context(cadata=self._membership.authority)
        tls.minimum_version = ssl.TLSVersion.TLSv1_3
        given = Credentials(self._membership.key, self._membership.credential, tls)
        self._keeper = asyncio.create_task(self._keep(given))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._keeper is not None
        self._keeper.cancel()
        await asyncio.gather(self._keeper, return_exceptions=True)

    @property
    def linked(self) -> bool:
        # The library learns of an end before the keeper does.
        return self._connection is not None and self._connection.is_connected

    def _open(self) -> "NatsConnection":
        """Raises EngineAway."""
        if self._connection is None or not self.linked:
            raise EngineAway(f"The engine is away: {self.problem or 'the connection ended.'}")
        return self._connection

    async def ready(self, limit: float | None = None) -> None:
        """Wait for a connection. Raises EngineAway."""
        try:
            async with self._clock.timeout(limit):
                await self.until(lambda: self.linked)
        except TimeoutError:
            raise EngineAway(f"The engine cannot be reached: {self.problem}") from None

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition holds. It is checked when a connection is made or lost."""
        while not condition():
            changed = self._changed
            await changed.wait()

    def serve(self, subject: str, heard: "Heard") -> None:
        """Subscribe on this connection and on each later one. Call this before the wire is
        ready."""
        self._served[subject] = heard

    async def publish(
        self,
        subject: str,
        data: bytes,
        *,
        reply: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Hand a message to the connection. Raises EngineAway."""
        connection = self._open()
        if connection.is_full:
            raise EngineAway("The engine does not accept the data that was already sent.")
        # This never waits: the client kicks its flusher only while the flusher's queue is empty, so
        # that queue is never full. A wait could also swallow a cancellation.
        await connection.publish(subject, data, reply, dict(headers) if headers else None)

    def inbox(self, asked: str) -> Inbox:
        """An inbox for the replies to requests on this subject. Raises EngineAway."""
        self._open()
        token = secrets.token_hex(16)
        opened = Inbox(f"{self._prefix}.{token}", asked, lambda: self._close(token))
        self._inboxes[token] = opened
        return opened

    async def follow(self, asked: str) -> Inbox:
        """An inbox for the messages of a stream. They keep their subjects, so they need a separate
        subscription, which ends with `unfollow`. Raises EngineAway."""
        connection = self._open()
        followed = self.inbox(asked)
        followed.most_bytes = MOST_FOLLOWED
        followed.subject = f"{self._prefix}.stream.{followed.subject.rpartition('.')[2]}"
        followed.end = await connection.listen(followed.subject, self._heard(followed.put))
        return followed

    async def unfollow(self, followed: Inbox) -> None:
        followed.close()
        if self.linked and followed.subject.startswith(self._prefix):
            await followed.end()

    def _close(self, token: str) -> None:
        self._inboxes.pop(token, None)

    async def request(
        self,
        subject: str,
        data: bytes,
        limit: float,
        headers: Mapping[str, str] | None = None,
    ) -> "Msg":
        """Send a request, and wait for one reply. Raises WireError."""
        answers = self.inbox(subject)
        try:
            await self.publish(subject, data, reply=answers.subject, headers=headers)
            async with self._clock.timeout(limit):
                return await answers.get()
        except TimeoutError:
            raise NoEngineAnswer(f"There was no answer within {limit:g} seconds.") from None
        finally:
            answers.close()

    # The keeper

    async def _keep(self, credentials: "Credentials") -> None:
        pause = SOONEST
        try:
            while True:
                for _ in range(len(self._servers)):
                    connection = await self._dial(self._servers[0], credentials)
                    # A server that failed, now or later, is tried last.
                    self._servers.append(self._servers.pop(0))
                    if connection is not None:
                        pause = SOONEST
                        await self._watch(connection)
                await self._clock.sleep(pause * (0.5 + secrets.randbelow(1000) / 1000))
                pause = min(LATEST, pause * 2)
        finally:
            self._lose("The connection was closed.")

    async def _dial(self, server: str, credentials: "Credentials") -> "NatsConnection | None":
        from .client import SILENT, CannotDial, NatsConnection

        connection = NatsConnection(f"handheld {self.id}", self._on_problem)
        prefix = f"{inbox(self.id)}.{secrets.token_hex(8)}"
        try:
            await connection.dial(server, credentials)
            await connection.listen(f"{prefix}.*", self._heard(self._answer))
            for subject, heard in self._served.items():
                await connection.listen(subject, self._heard(heard))
            # Once the server has answered, it has accepted the subscriptions.
            if not await self._answers(connection):
                raise CannotDial(f"{server}: {SILENT}")
        except CannotDial as problem:
            connection.drop()
            if str(problem) != self.problem:
                log.warning("The engine cannot be reached at %s", problem)
            self.problem = str(problem)
            return None
        except Exception:
            # Dialling continues, whatever the library does.
            connection.drop()
            if self.problem != (why := f"{server}: Internal error."):
                log.exception("No connection to the engine at %s", server)
            self.problem = why
            return None
        except BaseException:
            connection.drop()
            raise
        self._connection, self._prefix, self.server = connection, prefix, server
        self.links += 1
        self.problem = ""
        self._tell()
        return connection

    async def _watch(self, connection: "NatsConnection") -> None:
        """Return when the connection is lost."""
        try:
            while True:
                if await self._over(connection, PING_EVERY):
                    why = f"{self.server} closed the connection."
                    break
                if not await self._answers(connection):
                    why = f"{self.server} does not answer."
                    break
        finally:
            connection.drop()
        log.warning("The connection to the engine was lost: %s", why)
        self._lose(why)

    async def _over(self, connection: "NatsConnection", seconds: float) -> bool:
        try:
            async with self._clock.timeout(seconds):
                await connection.closed.wait()
        except TimeoutError:
            return False
        return True

    async def _answers(self, connection: "NatsConnection") -> bool:
        """Whether the server answers a ping."""
        pong = await connection.ping()
        try:
            for _ in range(PONG_SLICES):
                try:
                    async with self._clock.timeout(PONG_SLICE):
                        await asyncio.shield(pong)
                except TimeoutError:
                    continue
                return True
            return False
        finally:
            pong.cancel()

    def _lose(self, why: str) -> None:
        self._connection, self.server = None, ""
        self.problem = why
        lost, self._inboxes = self._inboxes, {}
        for each in lost.values():
            each.put(EngineLost(f"The connection to the engine was lost: {why}"))
        self._tell()

    def _tell(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _heard(self, heard: "Heard") -> "Heard":
        def hear(message: "Msg") -> None:
            try:
                heard(message)
            except Exception:
                log.exception("A message on %s could not be handled", message.subject)

        return hear

    def _answer(self, message: "Msg") -> None:
        """Pass it to its inbox. A message that nobody waits for is dropped."""
        if found := self._inboxes.get(message.subject.rpartition(".")[2]):
            found.put(message)

    def _on_problem(self, text: str) -> None:
        if refused := _REFUSED.search(text):
            subject = refused[1].removeprefix(TABLES)
            log.warning("The engine does not allow this member to publish to %s", subject)
            for each in list(self._inboxes.values()):
                # The library reports it in lower case.
                if each.asked.lower() == subject.lower():
                    each.put(NotAllowed(f"The engine does not allow publishing to {subject}."))
        else:
            log.debug("NATS: %s", text)
