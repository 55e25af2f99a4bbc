"""The edge around applications that misbehave in ways the SDK seldom does."""

import asyncio
import json
from typing import Any

import pytest

from handheld.server.edge import Edge
from handheld.server.exchange import App, Event, Receive, Scope, Send
from handheld.server.options import HttpOptions
from manual_clock import ManualClock

from .little import SECRET, call

SCOPE: Scope = {
    "type": "http",
    "method": "POST",
    "path": "/mcp",
    "raw_path": b"/mcp",
    "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
    "client": ("127.0.0.1", 1),
}


class Wire:
    """A client that sends its body (or never does) and disconnects on request."""

    def __init__(self, *, sends: bool = True) -> None:
        self._body = [{"type": "http.request", "body": json.dumps(call("x")).encode()}]
        self._sends = sends
        self.leave = asyncio.Event()
        self.sent: list[Event] = []

    async def receive(self) -> Event:
        if self._sends and self._body:
            return self._body.pop()
        await self.leave.wait()
        return {"type": "http.disconnect"}

    async def send(self, event: Event) -> None:
        self.sent.append(event)

    def answer(self) -> tuple[int, Any]:
        start, body = self.sent
        return start["status"], json.loads(body["body"])


async def run(app: App, wire: Wire, **options: Any) -> None:
    edge = Edge(app, HttpOptions(token="", **options))
    async with asyncio.timeout(60):
        await edge(SCOPE, wire.receive, wire.send)


async def test_a_disconnect_after_the_answer_began_stops_nothing() -> None:
    wire = Wire()
    result = b'{"jsonrpc":"2.0","id":1,"result":{}}'

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        wire.leave.set()
        assert (await receive())["type"] == "http.request"
        assert (await receive())["type"] == "http.disconnect"
        await send({"type": "http.response.body", "body": result})

    await run(app, wire)
    assert wire.answer() == (200, json.loads(result))


async def test_a_disconnect_before_the_answer_stops_the_work() -> None:
    wire = Wire()
    ended: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        wire.leave.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("stopped")

    await run(app, wire)
    assert (ended, wire.sent) == (["stopped"], [])


async def test_a_stalled_body_is_refused_in_time() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("the body never came")

    wire, clock = Wire(sends=False), ManualClock()
    running = asyncio.create_task(run(app, wire, body_seconds=30, clock=clock))
    await clock.until_waits_only(30)
    await clock.advance(29.9)
    assert wire.sent == []
    await clock.advance(0.1)
    # The client gets time to read the refusal.
    await clock.until_waits_only(2)
    await clock.advance(2)
    await running
    message = "The request's body did not arrive within 30 seconds."
    assert wire.answer() == (408, {"error": "timeout", "message": message})


async def test_an_exception_is_logged_and_not_sent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise ValueError(SECRET)

    wire = Wire()
    await run(app, wire)
    message = "Something inside Handheld broke; its log has the details."
    assert wire.answer() == (500, {"error": "internal", "message": message})
    assert SECRET in caplog.text


@pytest.mark.parametrize("status", [406, 500])
async def test_a_refusal_without_a_message_gets_one(status: int) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b"Internal Server Error"})

    wire = Wire()
    await run(app, wire)
    message = "The request cannot be served in this form."
    assert wire.answer() == (status, {"error": "refused", "message": message})


async def test_an_sdk_error_that_quotes_an_exception_is_reworded() -> None:
    leak = {"jsonrpc": "2.0", "id": 1, "error": {"code": 0, "message": SECRET}}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(leak).encode()})

    wire = Wire()
    await run(app, wire)
    message = "Something inside Handheld broke; its log has the details."
    assert wire.answer() == (
        200,
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": message}},
    )
