"""MCP over standard input and output: the SDK's server behind a relay.

The SDK does not answer lines that are not valid messages; their client would wait forever. The
relay answers them.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any, Protocol

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import NotificationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.message import SessionMessage

from ..surface.local import Surface
from .envelope import (
    INTERNAL_ERROR,
    INTERNAL_SENTENCE,
    INVALID_REQUEST,
    Message,
    Refused,
    dump,
    error_answer,
    parse,
    tidy,
)
from .limits import LINE_LIMIT
from .mcp import build_server
from .pipes import standard_streams

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
    if stdin is not None and stdout is not None:
        await _serve(surface, stdin, stdout, changed, line_limit, name)
        return
    with standard_streams() as (own_stdin, own_stdout):
        await _serve(surface, stdin or own_stdin, stdout or own_stdout, changed, line_limit, name)


async def _serve(
    surface: Surface,
    stdin: Source,
    stdout: Sink,
    changed: AsyncIterator[Any] | None,
    line_limit: int,
    name: str,
) -> None:
    bus = InMemorySubscriptionBus()
    server = build_server(
        surface,
        transport="stdio",
        instructions=await surface.instructions(),
        name=name,
        listen=None if changed is None else ListenHandler(bus),
    )
    options = server.create_initialization_options(
        NotificationOptions(tools_changed=changed is not None)
    )
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    relay = _Relay(stdout, to_server)
    async with asyncio.TaskGroup() as tasks:
        reading = tasks.create_task(relay.read(stdin, line_limit))
        tasks.create_task(relay.write(from_server, reading))
        notifying = tasks.create_task(_notify_changes(changed, bus, relay))
        try:
            await server.run(from_client, to_client, options)
        finally:
            reading.cancel()
            notifying.cancel()


class _Relay:
    """Passes lines to the SDK and writes its messages, with our own answers in between."""

    def __init__(
        self, stdout: Sink, to_server: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        self._stdout = stdout
        self._to_server = to_server
        self._writing = asyncio.Lock()
        self._broken = False
        self._initialized = False
        """A client with a handshake is ready: it may be notified of changes."""

    async def read(self, stdin: Source, limit: int) -> None:
        async with self._to_server:
            async for line in read_lines(stdin, limit):
                if line is None:
                    sentence = f"The line is longer than {limit} bytes."
                    await self._put(error_answer(None, INVALID_REQUEST, sentence))
                elif line.strip() and not await self._take(line):
                    return

    async def _take(self, line: bytes) -> bool:
        """Handle one line. False: the SDK's side is closed."""
        try:
            message = parse(line)
            if message.method is None:
                return True  # we never send requests, so no response is awaited
            session_message = SessionMessage(_model(message))
        except Refused as refused:
            await self._put(refused.answer())
            return True
        if message.method == "notifications/initialized":
            self._initialized = True
        try:
            await self._to_server.send(session_message)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            return False
        return True

    async def write(
        self, from_server: MemoryObjectReceiveStream[SessionMessage], reading: asyncio.Task[None]
    ) -> None:
        async with from_server:
            async for item in from_server:
                await self._put(_wire_form(item.message))
                if self._broken:
                    # The client is gone: stop as at the end of the input.
                    reading.cancel()

    async def notify_change(self) -> None:
        if self._initialized:
            await self._put({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})

    async def _put(self, message: dict[str, Any]) -> None:
        async with self._writing:
            if self._broken:
                return
            try:
                await self._stdout.write(dump(message) + b"\n")
            except OSError:
                log.info("the client closed the connection")
                self._broken = True


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


async def _notify_changes(
    changed: AsyncIterator[Any] | None, bus: InMemorySubscriptionBus, relay: _Relay
) -> None:
    if changed is None:
        return
    try:
        async for _ in changed:
            await bus.publish(ToolsListChanged())
            await relay.notify_change()
    except Exception:
        # The tools still work; only notifications of changes stop.
        log.exception("the client is no longer notified when the tools change")


def _model(message: Message) -> types.JSONRPCRequest | types.JSONRPCNotification:
    params = message.body.get("params")
    extra: dict[str, Any] = {} if params is None else {"params": params}
    method = message.method or ""
    if message.id is None:
        return types.JSONRPCNotification(jsonrpc="2.0", method=method, **extra)
    return types.JSONRPCRequest(jsonrpc="2.0", id=message.id, method=method, **extra)


def _wire_form(message: types.JSONRPCMessage) -> dict[str, Any]:
    try:
        form = message.model_dump(mode="json", by_alias=True, exclude_unset=True)
        dump(form)
    except ValueError:
        # Half a surrogate pair that got this far would break the whole connection.
        log.exception("a message could not be written")
        id = getattr(message, "id", None)
        return error_answer(id, INTERNAL_ERROR, INTERNAL_SENTENCE)
    if "error" in form:
        form["error"] = tidy(form["error"])
    return form
