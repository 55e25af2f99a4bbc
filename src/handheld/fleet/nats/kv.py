"""Tables in the engine: a JetStream stream that keeps the last message of each subject.

This is a small part of what NATS calls a key-value store, in the same format, so NATS's tools can
read it. The library's implementation is not used: it returns expired entries, cannot create a key
again until a marker of its expiry has gone, lets a renewed entry live for ever, and loses its
prefix behind a leaf node. Here, only the bucket sets the expiry, and the id at the beginning of
each value identifies a write that was not acknowledged.
"""

import base64
import math
import secrets
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...clock import SYSTEM_CLOCK, Clock
from .jetstream import RETRY_AFTER, Conflict, JetStream, KvError, NoMessage, read_answer, read_time
from .names import ROOM, Bucket, stream
from .wire import EngineLost, EngineWire, WireFault

if TYPE_CHECKING:
    from .client import Msg

SELDOM = 4.0
TOMBSTONE = "1h"
"""How long the marker of a deleted key is kept."""
HEARTBEAT = 2.0
"""A followed stream reports this often that it has nothing new. After two missed reports, it is
followed again from the start."""
_ID = 17
"""The length of a write's id and a space."""


@dataclass(frozen=True, slots=True)
class Entry:
    key: str
    value: bytes
    revision: int


@dataclass(frozen=True, slots=True)
class Gone:
    """A key was deleted or has expired."""

    key: str


@dataclass(frozen=True, slots=True)
class UpToDate:
    """All entries from before the watch have been reported."""


Change = Entry | Gone | UpToDate


@dataclass(frozen=True, slots=True)
class _Last:
    """The last message of a key: a value, or a deletion marker."""

    revision: int
    id: bytes = b""
    value: bytes | None = None


class Kv:
    """One bucket. `domain` is JetStream's, for a client behind a leaf node."""

    def __init__(
        self, wire: EngineWire, bucket: Bucket, *, domain: str = "", clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self._wire = wire
        self._bucket = bucket
        self._clock = clock
        self._stream = stream(bucket.name)
        self._store = JetStream(wire, domain, clock)
        self._keys = f"$KV.{bucket.name}."
        # Behind a leaf node, writes need the domain, too: otherwise nobody receives them.
        self._writes = f"{self._store.api}.{self._keys}" if domain else self._keys
        self.heard = -math.inf
        """The last time, by the clock, at which a watch was known to have missed nothing."""

    async def ensure(self, replicas: int, hosts: int) -> None:
        """Create the bucket, or change its configuration, with a share for each of `hosts` hosts.
        For administrators."""
        given: dict[str, Any] = {
            "name": self._stream,
            "subjects": [f"{self._keys}>"],
            "retention": "limits",
            "storage": "file",
            "num_replicas": replicas,
            "max_msgs_per_subject": 1,
            "max_age": int(self._bucket.seconds * 10**9),
            "max_bytes": self._bucket.most_bytes(hosts),
            "max_msg_size": self._bucket.largest + ROOM,
            "discard": "new",
            "duplicate_window": int(min(self._bucket.seconds or 120, 120) * 10**9),
            "allow_direct": True,
            "allow_msg_ttl": True,
            "deny_delete": True,
            # With the headers of a roll-up, a member could empty the whole bucket.
            "allow_rollup_hdrs": False,
        }
        await self._store.ensure(given)

    async def get(self, key: str) -> Entry | None:
        """Raises WireError and KvError. A replica that lags behind may answer; for a `swap`, the
        leader compares the revision."""
        last = await self._last(key)
        if last is None or last.value is None:
            return None
        return Entry(key, last.value, last.revision)

    async def get_latest(self, key: str) -> Entry | None:
        """Get the entry from the leader, which knows every acknowledged write. Raises WireError and
        KvError."""
        try:
            told = await self._store.ask(
                f"STREAM.MSG.GET.{self._stream}", {"last_by_subj": self._keys + _checked(key)}
            )
        except NoMessage:
            return None
        try:
            message = told["message"]
            headers = base64.b64decode(message.get("hdrs", ""), validate=True)
            if any(mark.encode() in headers for mark in _MARKS):
                return None
            value = base64.b64decode(message["data"], validate=True)[_ID:]
            return Entry(key, value, int(message["seq"]))
        except (KeyError, TypeError, ValueError) as problem:
            raise KvError("The store's answer cannot be read.") from problem

    async def stored_at(self, key: str) -> float | None:
        """When the key was written, by the engine's clock, in seconds since 1970."""
        message = await self._request_last(key)
        told = (message.headers or {}).get("Nats-Time-Stamp")
        return None if told is None else read_time(told)

    async def put(self, key: str, value: bytes) -> int:
        """Write unconditionally, and return the new revision. An attempt that was not acknowledged
        may arrive after the next one: use `swap` if that matters."""
        return await self._write(key, value, None)

    async def swap(self, key: str, value: bytes, revision: int) -> int:
        """Write if the key has this revision, 0 for a missing key, and return the new revision.
        Raises Conflict."""
        if revision:
            return await self._write(key, value, revision)
        try:
            return await self._write(key, value, 0)
        except Conflict:
            # A deletion marker is a message as well.
            last = await self._last(key)
            if last is None or last.value is not None:
                raise
            return await self._write(key, value, last.revision)

    async def delete(self, key: str, revision: int | None = None) -> None:
        """Delete the key; with a revision, only if the key has it. Raises Conflict."""
        headers = {"KV-Operation": "DEL", "Nats-TTL": TOMBSTONE}
        try:
            await self._publish(key, b"", revision, headers)
        except Conflict:
            # Perhaps by our own deletion, whose acknowledgement was lost.
            last = await self._last(key)
            if last is not None and last.value is not None:
                raise

    # Watching

    async def watch(self) -> AsyncGenerator[Change]:
        """Yield the entries of the bucket, then `UpToDate`, then each change, for ever. No change
        is lost, repeated or reordered: messages are numbered, and after a gap, a pause or a new
        connection the whole bucket is read again, and only differences are reported. This also
        reveals keys that expired meanwhile."""
        known: dict[str, int] = {}
        told = False
        pause = RETRY_AFTER
        while True:
            try:
                await self._wire.ready()
                async for change in self._follow(known):
                    pause = RETRY_AFTER
                    if isinstance(change, UpToDate):
                        if told:
                            continue
                        told = True
                    yield change
            except (WireFault, KvError, TimeoutError):
                # Spread gateways that lost the same server: they must not all return in the same
                # instant.
                await self._clock.sleep(pause * (1 + secrets.randbelow(1000) / 1000))
                pause = min(2 * pause, SELDOM)

    async def read_all(self, under: str = "") -> dict[str, Entry]:
        """All entries whose keys begin with this prefix, which ends with a dot. Raises WireError
        and KvError."""
        found: dict[str, Entry] = {}
        async with aclosing(self._follow({}, under)) as changes:
            async for change in changes:
                if isinstance(change, Entry):
                    found[change.key] = change
                elif isinstance(change, UpToDate):
                    break
        await self._unfollow()
        return found

    async def look(self) -> list[Entry]:
        """All current entries, without a follower, for members that may read the whole bucket.
        Raises WireError and KvError."""
        found: list[Entry] = []
        first = 1
        while batch := await self._store.read(self._stream, f"{self._keys}>", first):
            for each in batch:
                if not _is_mark(each.headers):
                    key = each.subject.removeprefix(self._keys)
                    found.append(Entry(key, each.data[_ID:], each.sequence))
            first = batch[-1].sequence + 1
        return found

    async def _unfollow(self) -> None:
        with suppress(KvError):  # there was none
            await self._store.ask(f"CONSUMER.DELETE.{self._stream}.{self._wire.id}", None)

    async def _follow(self, known: dict[str, int], under: str = "") -> AsyncGenerator[Change]:
        """Read the bucket once, and the changes after it. Raises when that cannot continue."""
        wire, name = self._wire, self._wire.id
        followed = await wire.follow(self._stream)
        try:
            await self._unfollow()
            subjects = f"{self._keys}{under}>"
            made = await self._store.ask(
                f"CONSUMER.CREATE.{self._stream}.{name}.{subjects}",
                self._consumer(name, followed.subject, subjects),
            )
            seen: set[str] | None = set()
            if not made.get("num_pending"):
                for change in _missing(known, seen):
                    yield change
                seen, self.heard = None, self._clock.now()
                yield UpToDate()
            expected = 1
            while True:
                async with self._clock.timeout(None if followed.ready else HEARTBEAT * 2.5):
                    message = await followed.get()
                if seen is None:
                    self.heard = self._clock.now()
                if message.headers and message.headers.get("Status") == "100":
                    idle = await self._control(message, expected)
                    # The last expected message may have expired before it was sent.
                    if idle and seen is not None:
                        for gone in _missing(known, seen):
                            yield gone
                        seen, self.heard = None, self._clock.now()
                        yield UpToDate()
                    continue
                at = _position(message.reply)
                if at.number != expected:
                    raise EngineLost("A message of the stream is missing.")
                expected += 1
                key = message.subject[len(self._keys) :]
                if seen is not None:
                    seen.add(key)
                if (change := _change(key, message, at.revision, known)) is not None:
                    yield change
                if seen is not None and at.pending == 0:
                    for gone in _missing(known, seen):
                        yield gone
                    seen, self.heard = None, self._clock.now()
                    yield UpToDate()
        finally:
            await wire.unfollow(followed)

    def _consumer(self, name: str, deliver: str, subjects: str) -> Mapping[str, Any]:
        config = {
            "name": name,
            "deliver_subject": deliver,
            "deliver_policy": "last_per_subject",
            "filter_subject": subjects,
            "ack_policy": "none",
            "max_deliver": 1,
            "mem_storage": True,
            "num_replicas": 1,
            "flow_control": True,
            "idle_heartbeat": int(HEARTBEAT * 10**9),
            # It ends by itself when its gateway does.
            "inactive_threshold": 30 * 10**9,
        }
        return {"stream_name": self._stream, "config": config, "action": "create"}

    async def _control(self, message: "Msg", expected: int) -> bool:
        """Handle a heartbeat or a flow-control request. Returns whether no message is
        outstanding."""
        if message.reply:
            await self._wire.publish(message.reply, b"")
            return False
        headers = message.headers or {}
        if (stalled := headers.get("Nats-Consumer-Stalled")) is not None:
            await self._wire.publish(stalled, b"")
        if int(headers.get("Nats-Last-Consumer", expected - 1)) != expected - 1:
            raise EngineLost("A message of the stream is missing.")
        return stalled is None

    # Reading and writing

    async def _last(self, key: str) -> _Last | None:
        message = await self._request_last(key)
        headers = message.headers or {}
        if (status := headers.get("Status")) == "404":
            return None
        if status is not None:
            raise KvError(f"The store answers {status} {headers.get('Description', '')}".strip())
        revision = int(headers.get("Nats-Sequence", 0))
        if _is_mark(headers):
            return _Last(revision)
        return _Last(revision, message.data[: _ID - 1], message.data[_ID:])

    async def _request_last(self, key: str) -> "Msg":
        subject = f"{self._store.api}.DIRECT.GET.{self._stream}.{self._keys}{_checked(key)}"
        return await self._store.request(subject, b"")

    async def _write(self, key: str, value: bytes, revision: int | None) -> int:
        if len(value) > self._bucket.largest:
            raise KvError(f"The value of {key} is too large.")
        identity = secrets.token_hex(8).encode()
        try:
            return await self._publish(key, identity + b" " + value, revision, {})
        except Conflict:
            # Perhaps by our own write, whose acknowledgement was lost.
            last = await self._last(key)
            if last is not None and last.id == identity:
                return last.revision
            raise

    async def _publish(
        self, key: str, data: bytes, revision: int | None, headers: Mapping[str, str]
    ) -> int:
        whole = dict(headers)
        if revision is not None:
            whole["Nats-Expected-Last-Subject-Sequence"] = str(revision)
        message = await self._store.request(self._writes + _checked(key), data, whole or None)
        answer = read_answer(message)
        if isinstance(answer.get("seq"), int):
            return answer["seq"]
        raise KvError("The store did not tell the revision.")


@dataclass(frozen=True, slots=True)
class _Position:
    revision: int
    number: int
    pending: int


def _position(reply: str) -> _Position:
    """The position of a message, from its acknowledgement subject; with a domain, that subject has
    two more words, and one at the end. Raises KvError."""
    words = reply.split(".")
    words = words[4:] if len(words) > 9 else words[2:]
    try:
        return _Position(int(words[3]), int(words[4]), int(words[6]))
    except (IndexError, ValueError):
        raise KvError("A message of the stream has no number.") from None


def _change(key: str, message: "Msg", revision: int, known: dict[str, int]) -> Entry | Gone | None:
    """The change that a message makes to a key; None if it makes none."""
    if message.headers and _is_mark(message.headers):
        return Gone(key) if known.pop(key, None) is not None else None
    if known.get(key) == revision:
        return None
    known[key] = revision
    return Entry(key, message.data[_ID:], revision)


def _missing(known: dict[str, int], seen: set[str]) -> list[Gone]:
    """The keys that were known before the bucket was read again and are no longer in it."""
    gone = [key for key in known if key not in seen]
    for key in gone:
        del known[key]
    return [Gone(key) for key in gone]


_MARKS = ("KV-Operation", "Nats-Marker-Reason")


def _is_mark(headers: Mapping[str, str]) -> bool:
    """Whether a message marks that a key was deleted or has expired."""
    return any(mark in headers for mark in _MARKS)


def _checked(key: str) -> str:
    """Raises KvError for a key that is not a valid subject: a star would match others' keys."""
    plain = key.isascii() and all(part.isalnum() for part in key.replace("-", "x").split("."))
    if not plain or len(key) > 200:
        raise KvError(f"{key[:60]!r} cannot be a key.")
    return key
