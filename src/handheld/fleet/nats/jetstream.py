"""The common part of tables and streams: requests to JetStream, and reading its messages."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ...clock import SYSTEM_CLOCK, Clock
from .wire import EngineAway, EngineLost, EngineWire, NobodyListens, NoEngineAnswer

if TYPE_CHECKING:
    from .client import Msg

ANSWER_WITHIN = 2.0
"""The time for one attempt; a cluster that elects a leader needs several."""
KEEP_TRYING = 15.0
RETRY_AFTER = 0.25
BATCH = 256
"""The most messages, and the most bytes, that one request reads."""
_BATCH_BYTES = 2 * 1024 * 1024
_WRONG_REVISION = (10071, 10164)
_NO_STREAM = 10059
_NO_MESSAGE = 10037

Answered = TypeVar("Answered")


class KvError(Exception):
    """The store refused a request, or its reply cannot be understood."""


class Conflict(KvError):
    """The key has a different revision than the caller expected."""


class NotFound(KvError):
    """There is no such stream."""


class NoMessage(KvError):
    """The stream has no such message."""


@dataclass(frozen=True, slots=True)
class StreamLook:
    messages: int
    consumers: int
    at: float
    """In seconds since 1970, by the clock of the server that replied."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A message of a stream."""

    subject: str
    sequence: int
    at: float
    """When it was stored, in seconds since 1970, by the clock of its server."""
    headers: Mapping[str, str]
    data: bytes


class JetStream:
    """Repeats requests until they are answered: a store without a leader does not answer, or
    reports that nobody listens. So it sends only requests that may be repeated. Raises WireError
    and KvError. `domain` is for a client behind a leaf node."""

    def __init__(self, wire: EngineWire, domain: str = "", clock: Clock = SYSTEM_CLOCK) -> None:
        self._wire = wire
        self._clock = clock
        self.api = f"$JS.{domain}.API" if domain else "$JS.API"

    async def ask(self, subject: str, question: Mapping[str, Any] | None) -> Mapping[str, Any]:
        """Send a request to JetStream itself."""
        data = json.dumps(question).encode() if question is not None else b""
        return read_answer(await self.request(f"{self.api}.{subject}", data))

    async def request(
        self, subject: str, data: bytes, headers: Mapping[str, str] | None = None
    ) -> "Msg":
        return await self._until_answered(
            lambda: self._wire.request(subject, data, ANSWER_WITHIN, headers)
        )

    async def _until_answered(self, ask: Callable[[], Awaitable[Answered]]) -> Answered:
        end = self._clock.now() + KEEP_TRYING
        while True:
            try:
                await self._wire.ready(max(0.0, end - self._clock.now()))
                return await ask()
            except (NoEngineAnswer, NobodyListens, EngineLost, EngineAway):
                if self._clock.now() >= end:
                    raise
                await self._clock.sleep(RETRY_AFTER)

    async def ensure(self, config: Mapping[str, Any]) -> None:
        """Create a stream, or change its configuration. For administrators."""
        name = config["name"]
        try:
            await self.ask(f"STREAM.CREATE.{name}", config)
        except KvError:
            await self.ask(f"STREAM.UPDATE.{name}", config)

    async def look(self, stream: str) -> "StreamLook | None":
        """None if there is no such stream."""
        try:
            told = await self.ask(f"STREAM.INFO.{stream}", None)
        except NotFound:
            return None
        try:
            state = told["state"]
            return StreamLook(
                int(state["messages"]), int(state["consumer_count"]), read_time(told["ts"])
            )
        except (KeyError, TypeError, ValueError):
            raise KvError("The store's answer cannot be read.") from None

    async def last(self, stream: str, subject: str) -> int:
        """The sequence of the last message there; 0 if there is none."""
        question = json.dumps({"last_by_subj": subject}).encode()
        message = await self.request(f"{self.api}.DIRECT.GET.{stream}", question)
        return 0 if _is_end(message) else _sequence(message)

    async def read(self, stream: str, subject: str, first: int) -> list[Stored]:
        """The next messages from a sequence on, without a consumer: some of them, and none only if
        there are none. Any replica may answer, and it may lag behind."""
        return await self._until_answered(lambda: self._read(stream, subject, first))

    async def _read(self, stream: str, subject: str, first: int) -> list[Stored]:
        question = {
            "seq": max(1, first),
            "next_by_subj": subject,
            "batch": BATCH,
            "max_bytes": _BATCH_BYTES,
        }
        asked = f"{self.api}.DIRECT.GET.{stream}"
        answers = self._wire.inbox(asked)
        found: list[Stored] = []
        try:
            await self._wire.publish(asked, json.dumps(question).encode(), reply=answers.subject)
            while True:
                async with self._clock.timeout(ANSWER_WITHIN):
                    message = await answers.get()
                if _is_end(message):
                    return found
                found.append(_stored(message))
        except TimeoutError:
            raise NoEngineAnswer(f"There was no answer within {ANSWER_WITHIN:g} seconds.") from None
        finally:
            answers.close()


def read_answer(message: "Msg") -> Mapping[str, Any]:
    """Raises Conflict and KvError."""
    try:
        read: Any = json.loads(message.data)
    except ValueError:
        raise KvError("The store's answer cannot be read.") from None
    if not isinstance(read, dict):
        raise KvError("The store's answer cannot be read.")
    answer = cast("dict[str, Any]", read)
    if error := answer.get("error"):
        if error.get("err_code") in _WRONG_REVISION:
            raise Conflict("The key has another revision.")
        if error.get("err_code") == _NO_STREAM:
            raise NotFound("There is no such stream.")
        if error.get("err_code") == _NO_MESSAGE:
            raise NoMessage("There is no such message.")
        raise KvError(f"The store refuses: {error.get('description')}")
    return answer


def _is_end(message: "Msg") -> bool:
    """Whether no message follows: all were sent, or there is none. Raises KvError."""
    headers = message.headers or {}
    status = headers.get("Status")
    if status is None:
        return False
    if status in ("204", "404"):
        return True
    raise KvError(f"The store answers {status} {headers.get('Description', '')}".strip())


def _stored(message: "Msg") -> Stored:
    headers = message.headers or {}
    try:
        at = read_time(headers["Nats-Time-Stamp"])
        return Stored(headers["Nats-Subject"], _sequence(message), at, headers, message.data)
    except (KeyError, ValueError) as problem:
        raise KvError("A message of the stream cannot be read.") from problem


def read_time(text: str) -> float:
    """Parse a time in NATS's format, with up to nine digits after the second. Raises ValueError."""
    whole, _, rest = text.removesuffix("Z").partition(".")
    return datetime.fromisoformat(f"{whole}+00:00").timestamp() + float(f"0.{rest or 0}")


def _sequence(message: "Msg") -> int:
    try:
        return int((message.headers or {})["Nats-Sequence"])
    except (KeyError, ValueError):
        raise KvError("A message of the stream has no number.") from None
