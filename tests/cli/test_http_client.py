"""Requests to another process of this user: which connection they use, and how they fail."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.clock import SYSTEM_CLOCK, Clock
from handheld.server.sharing.blocking_client import BlockingClient, finish
from handheld.server.sharing.http_client import HttpClient
from handheld.server.sharing.http_message import ConnectionLost, NotConnected, ReplyEvents
from harness.manual_clock import ManualClock
from harness.polling import HANG

Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Client = HttpClient | BlockingClient
either = pytest.mark.parametrize("kind", [HttpClient, BlockingClient])
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


@asynccontextmanager
async def listening(
    handle: Handle, clock: Clock = SYSTEM_CLOCK, kind: type[Client] = HttpClient
) -> AsyncGenerator[Client]:
    serving: list[asyncio.Task[None] | None] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.append(asyncio.current_task())
        try:
            await handle(reader, writer)
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    client = kind(url, {"X-Who": "me"}, clock=clock)
    try:
        async with asyncio.timeout(HANG):
            yield client
    finally:
        await client.aclose()
        server.close()
        await asyncio.gather(*filter(None, serving))


async def ask(client: Client, body: bytes = b"", seconds: float = 30) -> tuple[int, bytes]:
    asked = client.send("POST", "/mcp", body, {"X-Which": "1"}, seconds)
    return await (asked if isinstance(client, HttpClient) else asyncio.to_thread(finish, asked))


class Answering:
    """Answers every request on a connection with the same bytes."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.connections = 0
        self.heads: list[bytes] = []

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while True:
            self.heads.append(await reader.readuntil(b"\r\n\r\n"))
            await reader.readexactly(2 if b"Content-Length: 2" in self.heads[-1] else 0)
            writer.write(self.answer)
            if not self.answer.startswith(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"):
                return


@either
async def test_requests_share_a_connection_and_carry_all_headers(kind: type[Client]) -> None:
    owner = Answering(OK)
    async with listening(owner, kind=kind) as client:
        assert [await ask(client), await ask(client, b"{}")] == [(200, b"{}")] * 2
    assert owner.connections == 1
    assert owner.heads[1].startswith(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:")
    assert b"\r\nX-Who: me\r\nX-Which: 1\r\nContent-Length: 2\r\n" in owner.heads[1]


async def test_a_connection_that_was_unused_for_long_is_not_used_again() -> None:
    """The server closes it at some time, perhaps just as the request arrives."""
    owner, clock = Answering(OK), ManualClock()
    async with listening(owner, clock) as client:
        await ask(client)
        await clock.advance(61)
        await ask(client)
    assert owner.connections == 2


@either
@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\n\r\n{}",
    ],
)
async def test_a_connection_that_the_server_ends_is_not_used_again(
    answer: bytes, kind: type[Client]
) -> None:
    owner = Answering(answer)
    async with listening(owner, kind=kind) as client:
        assert [await ask(client), await ask(client)] == [(200, b"{}")] * 2
    assert owner.connections == 2


@either
@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
        b"x",
    ],
)
async def test_a_response_that_breaks_off_is_a_lost_connection(
    answer: bytes, kind: type[Client]
) -> None:
    async with listening(Answering(answer), kind=kind) as client:
        with pytest.raises(ConnectionLost):
            await ask(client)


@either
async def test_a_server_that_is_gone_was_sent_nothing(kind: type[Client]) -> None:
    async with listening(Answering(OK), kind=kind) as client:
        pass
    with pytest.raises(NotConnected):
        await ask(client)


async def test_a_cancelled_request_closes_its_connection() -> None:
    """By which the owner of the phone knows that it must stop the tool."""
    asked, closed = asyncio.Event(), asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        assert await reader.read() == b""
        closed.set()

    async with listening(handle) as client:
        running = asyncio.create_task(ask(client))
        await asked.wait()
        running.cancel()
        await closed.wait()


async def test_a_response_that_does_not_come_times_out() -> None:
    clock, asked = ManualClock(), asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        await reader.read()

    async with listening(handle, clock) as client:
        running = asyncio.create_task(ask(client))
        await asked.wait()
        await clock.advance(30)
        with pytest.raises(TimeoutError):
            await running


async def test_a_blocking_request_without_a_response_times_out() -> None:
    connected = asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.set()
        await reader.read()

    async with listening(handle, kind=BlockingClient) as client:
        with pytest.raises(TimeoutError):
            await ask(client, seconds=0)
        await connected.wait()  # else nobody would close the server's side


async def test_what_waits_for_an_event_loop_is_not_run_without_one() -> None:
    with pytest.raises(RuntimeError, match="event loop"):
        finish(asyncio.sleep(0))


EVENTS = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    b'1c\r\nevent: message\ndata: {"a":1}\r\n2\r\n\n\n\r\n'
    b'f\r\ndata: {"b":2}\n\n\r\n0\r\n\r\n'
)


@either
async def test_messages_before_an_answer_are_told_as_they_come(kind: type[Client]) -> None:
    async with listening(Answering(EVENTS), kind=kind) as client:
        seen: list[bytes] = []
        asked = client.send("POST", "/mcp", b"", {}, 30, seen.append)
        answer = await (
            asked if isinstance(client, HttpClient) else asyncio.to_thread(finish, asked)
        )
        assert answer == (200, b'{"b":2}')
        assert seen == [b'{"a":1}', b'{"b":2}']


@given(st.lists(st.integers(1, len(EVENTS))))
def test_messages_may_come_in_any_pieces(cuts: list[int]) -> None:
    body = EVENTS.partition(b"\r\n\r\n")[2]
    seen: list[bytes] = []
    events = ReplyEvents(seen.append)
    for begin, end in itertools.pairwise([0, *sorted(cuts), len(EVENTS)]):
        events.take(body[begin:end])
    assert (events.ended, seen) == (True, [b'{"a":1}', b'{"b":2}'])


@either
@pytest.mark.parametrize("end", [b"", b"x" * 100, b"zz\r\n", b"-5\r\nabc\r\n"])
async def test_messages_that_break_off_lose_the_answer(kind: type[Client], end: bytes) -> None:
    broken = EVENTS.partition(b"f\r\n")[0] + end
    async with listening(Answering(broken), kind=kind) as client:
        with pytest.raises(ConnectionLost):
            await ask(client)
