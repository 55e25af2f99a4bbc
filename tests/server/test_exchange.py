"""The edge where a request never comes to its end, or something inside breaks."""

import json
from typing import Any

import pytest

from handheld.server.answers import Answers
from handheld.server.edge import Edge
from handheld.server.options import HttpOptions
from harness.manual_clock import ManualClock

from .little import SECRET, LittleSurface, call, raw_request
from .wire import Line


def line(**options: Any) -> Line:
    clock = ManualClock()
    answers = Answers(LittleSurface(), transport="http")
    return Line(Edge(answers, HttpOptions(token="", clock=clock, **options)), clock)


def answer(wire: Line) -> tuple[int, Any]:
    head, _, body = wire.text.partition(b"\r\n\r\n")
    return int(head[9:12]), json.loads(body)


async def test_a_stalled_body_is_refused_in_time() -> None:
    wire = line(body_seconds=30)
    request = raw_request(call("echo"), modern=False)
    await wire.send(request[:-1])
    await wire.clock.advance(29.9)
    assert wire.text == b""
    await wire.clock.advance(0.1)
    # The client gets time to read the refusal.
    await wire.clock.advance(2)
    await wire.send()
    message = "The request's body did not arrive within 30 seconds."
    assert answer(wire) == (408, {"error": "timeout", "message": message})
    await wire.hang_up()


async def test_an_exception_is_logged_and_not_sent(caplog: pytest.LogCaptureFixture) -> None:
    async def phones() -> Any:
        raise ValueError(SECRET)

    wire = line(phones=phones)
    await wire.send(b"GET /phones HTTP/1.1\r\nHost: localhost\r\n\r\n")
    message = "Handheld had an internal fault; its log has the details."
    assert answer(wire) == (500, {"error": "internal", "message": message})
    assert SECRET in caplog.text
