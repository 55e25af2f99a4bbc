"""MCP over standard input and output."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any, Protocol

from ..calls.local import Surface
from .answers import Answers
from .envelope import (
    INTERNAL_ERROR,
    INTERNAL_SENTENCE,
    INVALID_PARAMS,
    INVALID_REQUEST,
    Id,
    Message,
    Refused,
    dump,
    error_answer,
    parse,
    too_large,
    unsupported_version,
)
from .limits import LINE_LIMIT
from .pipes import standard_streams
from .text import cut
from .versions import MODERN, PROTOCOL_VERSION

CONNECTION_CLOSED = -32000
_READY = "notifications/initialized"

log = logging.getLogger(__name__)


class Source(Protocol):
    async def read(self, n: int, /) -> bytes:
        """Return some bytes, at most about n; none at the end."""
        ...


class Sink(Protocol):
    async def write(self, data: bytes, /) -> None:
        """Write everything. Raises OSError."""
        ...


async def serve_stdio(
    surface: Surface,
    stdin: Source | None = None,
    stdout: Sink | None = None,
    *,
    changed: AsyncIterator[Any] | None = None,
    line_limit: int = LINE_LIMIT,
    name: str = "handheld",
) -> None:
    """Serve one client until its input ends. Each item of `changed` means that the tools changed.

    The caller closes the surface.
    """
    answers = Answers(surface, transport="stdio", name=name, notifies=changed is not None)
    if stdin is None or stdout is None:
        with standard_streams() as (own_stdin, own_stdout):
            client = Client(answers, stdout or own_stdout)
            await _serve(client, stdin or own_stdin, changed, line_limit)
    else:
        await _serve(Client(answers, stdout), stdin, changed, line_limit)


async def _serve(
    client: "Client", stdin: Source, changed: AsyncIterator[Any] | None, line_limit: int
) -> None:
    async with client.tasks as tasks:
        reading = tasks.create_task(client.read(stdin, line_limit))
        leaving = tasks.create_task(client.left.wait())
        notifying = tasks.create_task(_notify_changes(changed, client))
        await asyncio.wait({reading, leaving}, return_when=asyncio.FIRST_COMPLETED)
        for task in (reading, leaving, notifying):
            task.cancel()
        client.stop()


class Client:
    """The client at the other end: what is remembered of it, and its requests that run."""

    def __init__(self, answers: Answers, stdout: Sink) -> None:
        self._answers = answers
        self._stdout = stdout
        self.tasks = asyncio.TaskGroup()
        self._writing = asyncio.Lock()
        self.left = asyncio.Event()
        """It has closed its end of the output."""
        self._modern: bool | None = None
        """Its protocol era, which its first request decides."""
        self._hello: Message | None = None
        self._ready = False
        """It has said that it is initialized."""
        self._running: dict[asyncio.Task[None], Id] = {}
        """The requests that have no answer yet."""
        self._cancelled: set[asyncio.Task[None]] = set()

    async def read(self, stdin: Source, limit: int) -> None:
        async for line in read_lines(stdin, limit):
            if line is None:
                await self.put(error_answer(None, INVALID_REQUEST, too_large(limit)))
            elif line.strip():
                await self._take(line)

    async def _take(self, line: bytes) -> None:
        try:
            message = parse(line)
        except Refused as refused:
            await self.put(refused.answer())
            return
        if message.method is None:
            return  # we never send requests, so no response is awaited
        if message.id is None:
            self._notice(message)
            return
        if self._modern is None:
            self._modern = message.states_version and message.method != "initialize"
        try:
            self._check_era(message, self._modern)
        except Refused as refused:
            refused.id = message.id
            await self.put(refused.answer())
            return
        call = self.tasks.create_task(self._answer(message, self._modern))
        self._running[call] = _key(message.id)
        if message.method == "initialize":
            # What the client has sent after it may depend on it.
            await asyncio.wait({call})

    def _check_era(self, message: Message, modern: bool) -> None:
        """Raises Refused for a request of the other era, and for one before the handshake."""
        hello = message.method == "initialize"
        if modern and hello:
            raise unsupported_version(str(message.params.get("protocolVersion")), (MODERN,))
        if modern or hello:
            return
        if message.states_version:
            sentence = f"This connection had a handshake: {PROTOCOL_VERSION} is for those without."
            raise Refused(INVALID_REQUEST, sentence)
        early = self._hello is None and not self._ready and message.method != "ping"
        if early and self._answers.serves(message.method, modern=False):
            raise Refused(INVALID_PARAMS, "The connection is not initialized: send initialize.")

    def _notice(self, message: Message) -> None:
        if message.method == _READY:
            self._ready = True
        elif message.method == "notifications/cancelled":
            target = message.params.get("requestId")
            if isinstance(target, int | str) and not isinstance(target, bool):
                self._cancel(_key(target))

    def _cancel(self, id: Id) -> None:
        for call in [call for call, own in self._running.items() if own == id]:
            self._cancelled.add(call)
            call.cancel()

    async def _answer(self, message: Message, modern: bool) -> None:
        name = cut(self._hello.params["clientInfo"]["name"]) if self._hello else ""
        call = asyncio.current_task()
        assert call is not None
        try:
            message.client, message.notify, message.modern = name, self.put, modern
            answer = await self._answers.answer(message)
        except asyncio.CancelledError:
            # Who cancels a request wants no answer; at the end of the input, one is still due.
            if call in self._cancelled:
                return
            answer = error_answer(message.id, CONNECTION_CLOSED, "Connection closed")
        except Exception:
            log.exception("a request failed")
            answer = error_answer(message.id, INTERNAL_ERROR, INTERNAL_SENTENCE)
        finally:
            self._cancelled.discard(call)
            self._running.pop(call, None)
        if message.method == "initialize" and "result" in answer:
            self._hello = message
        await self.put(answer)

    async def put(self, message: dict[str, Any]) -> None:
        try:
            line = dump(message)
        except ValueError:
            # Half a surrogate pair that got this far.
            log.exception("a message could not be written")
            line = dump(error_answer(message.get("id"), INTERNAL_ERROR, INTERNAL_SENTENCE))
        async with self._writing:
            if self.left.is_set():
                return
            try:
                await self._stdout.write(line + b"\n")
            except OSError:
                log.info("the client closed the connection")
                self.left.set()

    async def notify_change(self) -> None:
        if self._answers.subscriptions is not None:
            await self._answers.subscriptions.tell_change()
        if self._ready and not self._modern:
            await self.put({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})

    def stop(self) -> None:
        """End what still runs."""
        for call in self._running:
            call.cancel()


def _key(id: Id) -> Id:
    """An id as it is compared: some clients cancel 7 as "7". "1_0" and "07" are numbers to Python
    alone."""
    try:
        return int(id) if str(int(id)) == id else id
    except ValueError:
        return id


async def read_lines(source: Source, limit: int) -> AsyncIterator[bytes | None]:
    """Yield lines without line breaks; None for a line that was too long and is dropped."""
    held = bytearray()
    too_long = False
    while chunk := await source.read(65536):
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            if too_long or len(held) + len(part) > limit:
                yield None
            else:
                yield bytes(held) + part
            held.clear()
            too_long = False
        if too_long or len(held) + len(rest) > limit:
            too_long = True
            held.clear()
        else:
            held += rest
    if too_long:
        yield None
    elif held:
        yield bytes(held)


async def _notify_changes(changed: AsyncIterator[Any] | None, client: Client) -> None:
    if changed is None:
        return
    try:
        async for _ in changed:
            await client.notify_change()
    except Exception:
        # The tools still work; only notifications of changes stop.
        log.exception("the client is no longer notified when the tools change")
