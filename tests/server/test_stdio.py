"""The protocol over stdio, for older and 2026 clients."""

import asyncio
import itertools
import json
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.calls.protocols import Surface
from handheld.server.stdio import read_lines, serve_stdio
from harness.polling import HANG

from .little import HELLO, META, SECRET, LittleSurface, call, request

eras = pytest.mark.parametrize("modern", [False, True], ids=["handshake", "2026"])


class Client:
    """The other end of the streams."""

    def __init__(self) -> None:
        self.stdin = asyncio.StreamReader()
        self.lines: asyncio.Queue[bytes] = asyncio.Queue()
        self.broken = False

    async def write(self, data: bytes, /) -> None:
        if self.broken:
            raise BrokenPipeError
        assert data.endswith(b"\n")
        assert data.count(b"\n") == 1
        self.lines.put_nowait(data)

    def send(self, message: Any) -> None:
        self.stdin.feed_data(json.dumps(message).encode() + b"\n")

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(HANG):
            message = json.loads(await self.lines.get())
        if "result" in message:
            message["result"].pop("_meta", None)
        return message

    async def ask(self, message: Any) -> dict[str, Any]:
        self.send(message)
        return await self.next()


@asynccontextmanager
async def serving(
    surface: Surface | None = None, *, modern: bool = True, **options: Any
) -> AsyncGenerator[Client]:
    client = Client()
    task = asyncio.create_task(
        serve_stdio(surface or LittleSurface(), client.stdin, client, **options)
    )
    if not modern:
        await client.ask(request("initialize", HELLO, id="hello"))
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    try:
        yield client
        if not client.stdin.at_eof():
            client.stdin.feed_eof()
        async with asyncio.timeout(HANG):
            await task
    finally:
        task.cancel()


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_initialize_agrees_on_the_clients_version(version: str) -> None:
    async with serving() as client:
        answer = await client.ask(request("initialize", {**HELLO, "protocolVersion": version}))
    assert answer["result"]["protocolVersion"] == version
    assert answer["result"]["instructions"] == "Hold the phone."


async def test_discover_answers_a_2026_client() -> None:
    async with serving() as client:
        answer = await client.ask(request("server/discover", {"_meta": META}))
    assert answer["result"]["supportedVersions"] == ["2026-07-28"]


@eras
async def test_calls_are_answered_and_know_their_caller(modern: bool) -> None:
    async with serving(modern=modern) as client:
        answer = await client.ask(call("who", id="a", modern=modern))
        tools = await client.ask(request("tools/list", {"_meta": META} if modern else None))
    name = "new client" if modern else "old client"
    plain: dict[str, Any] = {"content": [{"type": "text", "text": f"{name} by stdio on None"}]}
    assert answer == {
        "jsonrpc": "2.0",
        "id": "a",
        "result": {**plain, "resultType": "complete"} if modern else plain,
    }
    assert [tool["name"] for tool in tools["result"]["tools"]] == ["slow", "echo"]


@eras
async def test_failures_are_distinguished_and_leak_nothing(modern: bool) -> None:
    async with serving(modern=modern) as client:
        fails = await client.ask(call("fails", modern=modern))
        breaks = await client.ask(call("breaks", modern=modern))
        unknown = await client.ask(call("no", modern=modern))
        half = await client.ask(call("half", modern=modern))
        method = await client.ask(request("no/such", {"_meta": META} if modern else None))
    assert fails["result"]["content"][0]["text"] == "It did not work."
    assert fails["result"]["isError"] is True
    assert breaks["result"]["isError"] is True
    assert SECRET not in json.dumps(breaks)
    assert unknown["error"] == {"code": -32602, "message": "Unknown tool: no"}
    assert half["result"]["content"][0]["text"] == "half \ufffd of a smile, whole \U0001f600"
    assert method["error"] == {
        "code": -32601,
        "message": "This server has no such method: no/such",
    }


@pytest.mark.parametrize(
    ("line", "code", "id"),
    [
        (b"{", -32700, None),
        (b"\xff", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"[]", -32600, None),
        (b'"x"', -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":4}', -32600, 4),
        (b'{"id":4,"method":"ping"}', -32600, 4),
        (rb'{"jsonrpc":"2.0","id":4,"method":"\ud800"}', -32600, 4),
        (b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[]}', -32602, 4),
        (b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{}}', -32602, 4),
        (b"x" * 5000, -32600, None),
    ],
)
@eras
async def test_a_malformed_line_is_answered_and_the_next_is_served(
    line: bytes, code: int, id: Any, modern: bool
) -> None:
    limit = 200_000 if line.startswith(b"[") else 4000
    async with serving(modern=modern, line_limit=limit) as client:
        client.stdin.feed_data(b"\n  \r\n" + line + b"\r\n")
        refused = await client.next()
        served = await client.ask(call("echo", modern=modern))
    assert refused == {
        "jsonrpc": "2.0",
        "id": id,
        "error": {"code": code, "message": refused["error"]["message"]},
    }
    assert refused["error"]["message"].endswith(".")
    assert served["result"]["content"] == [{"type": "text", "text": "{}"}]


@eras
async def test_a_lone_surrogate_in_an_argument_is_a_tool_failure(modern: bool) -> None:
    async with serving(modern=modern) as client:
        line = json.dumps(call("echo", {"t": "HALF"}, modern=modern)).replace("HALF", r"\udc00")
        client.stdin.feed_data(line.encode() + b"\n")
        answer = await client.next()
    assert answer["result"]["isError"] is True
    assert "half of a surrogate pair" in answer["result"]["content"][0]["text"]
    assert answer["result"].get("resultType") == ("complete" if modern else None)


async def test_a_call_before_initialize_gets_one_sentence() -> None:
    async with serving() as client:
        answer = await client.ask(call("echo"))
    assert answer["error"] == {
        "code": -32602,
        "message": "The connection is not initialized: send initialize.",
    }


@eras
async def test_a_cancellation_stops_the_tool_and_other_calls_go_on(modern: bool) -> None:
    surface = LittleSurface()
    async with serving(surface, modern=modern) as client, asyncio.timeout(HANG):
        client.send(call("slow", id=7, modern=modern))
        await surface.slow_started.wait()
        assert (await client.ask(call("echo", id=8, modern=modern)))["id"] == 8
        assert not surface.slow_stopped.is_set()
        client.send(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        )
        await surface.slow_stopped.wait()
        assert (await client.ask(call("echo", id=9, modern=modern)))["id"] == 9
    assert surface.finished == 0


@eras
@pytest.mark.parametrize(
    ("id", "others", "same"), [(7, [70], "7"), ("10", ["1_0", "010", " 10"], 10), (3, ["٣"], 3)]
)
async def test_a_number_is_cancelled_as_its_digits_too_and_by_no_other_id(
    modern: bool, id: Any, others: list[Any], same: Any
) -> None:
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
    surface = LittleSurface()
    async with serving(surface, modern=modern) as client, asyncio.timeout(HANG):
        client.send(call("slow", id=id, modern=modern))
        await surface.slow_started.wait()
        for other in others:
            client.send({**cancel, "params": {"requestId": other}})
        await client.ask(call("echo", id=99, modern=modern))
        assert not surface.slow_stopped.is_set()
        client.send({**cancel, "params": {"requestId": same}})
        await surface.slow_stopped.wait()


@eras
async def test_the_end_of_input_stops_running_tools(modern: bool) -> None:
    surface = LittleSurface()
    async with serving(surface, modern=modern) as client, asyncio.timeout(HANG):
        client.send(call("slow", modern=modern))
        await surface.slow_started.wait()
    assert surface.slow_stopped.is_set()


@eras
async def test_a_client_that_closes_stdout_ends_the_server(modern: bool) -> None:
    surface = LittleSurface()
    client = Client()
    async with asyncio.timeout(HANG):
        serving = asyncio.create_task(serve_stdio(surface, client.stdin, client))
        if not modern:
            await client.ask(request("initialize", HELLO))
        client.send(call("slow", id=1, modern=modern))
        await surface.slow_started.wait()
        client.broken = True
        client.send(call("echo", id=2, modern=modern))
        await serving
    assert surface.slow_stopped.is_set()


async def changes(queue: "asyncio.Queue[int]") -> AsyncIterator[int]:
    while True:
        yield await queue.get()


async def test_an_initialized_client_is_notified_of_changed_tools() -> None:
    queue: asyncio.Queue[int] = asyncio.Queue()
    async with serving(changed=changes(queue)) as client:
        hello = await client.ask(request("initialize", HELLO))
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        await client.ask(call("echo"))
        queue.put_nowait(1)
        notification = await client.next()
    assert hello["result"]["capabilities"] == {"tools": {"listChanged": True}}
    assert notification == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


async def test_a_listening_2026_client_is_notified_of_changed_tools() -> None:
    queue: asyncio.Queue[int] = asyncio.Queue()
    listen = {"_meta": META, "notifications": {"toolsListChanged": True}}
    async with serving(changed=changes(queue)) as client:
        acknowledged = await client.ask(request("subscriptions/listen", listen, id="l"))
        queue.put_nowait(1)
        notification = await client.next()
    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert notification["method"] == "notifications/tools/list_changed"


async def failing_changes() -> AsyncIterator[int]:
    raise ValueError(SECRET)
    yield 1


async def test_tools_keep_working_when_notifications_fail() -> None:
    async with serving(changed=failing_changes()) as client:
        answer = await client.ask(call("echo", modern=True))
    assert answer["result"]["content"] == [{"type": "text", "text": "{}"}]


@given(st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b""))), st.data())
def test_lines_survive_any_chunking_and_long_ones_are_reported(
    lines: list[bytes], data: st.DataObject
) -> None:
    whole = b"".join(line + b"\n" for line in lines)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)))) | {0, len(whole)})
    chunks = [whole[a:b] for a, b in itertools.pairwise(cuts)]

    class Chunks:
        async def read(self, n: int, /) -> bytes:
            return chunks.pop(0) if chunks else b""

    async def collect() -> list[bytes | None]:
        return [line async for line in read_lines(Chunks(), 8)]

    assert asyncio.run(collect()) == [line if len(line) <= 8 else None for line in lines]


TESTS = str(Path(__file__).resolve().parent.parent)
PROGRAM = """
import asyncio
from handheld.server.stdio import serve_stdio
from conformance_tools import Fixture
class Noisy(Fixture):
    async def call(self, *a, **k):
        print("stray")
        return await super().call(*a, **k)
asyncio.run(serve_stdio(Noisy()))
"""


@pytest.mark.slow
async def test_a_process_keeps_its_output_clean_and_exits_with_its_input() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PROGRAM,
        env={**os.environ, "PYTHONPATH": TESTS},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    async with asyncio.timeout(HANG):
        answers: list[Any] = []
        for line in (
            b"nonsense",
            json.dumps(request("initialize", HELLO)).encode(),
            json.dumps(call("test_simple_text", id=2)).encode(),
        ):
            process.stdin.write(line + b"\n")
            answers.append(json.loads(await process.stdout.readline()))
        process.stdin.close()
        assert await process.stdout.read() == b""
        assert await process.wait() == 0
        assert await process.stderr.read() == b"stray\n"
    assert [answer["id"] for answer in answers] == [None, 1, 2]
    assert answers[2]["result"]["content"] == [{"type": "text", "text": "A simple text."}]
