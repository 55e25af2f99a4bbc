"""DevTools as an app answers it: lists of pages, heads of HTTP, frames of WebSocket, calls."""

import json
from typing import Any

import fixtures
from handheld.driver.devtools.answers import read_json, read_package, read_pages, read_text
from handheld.driver.devtools.session import DevToolsSession
from handheld.driver.devtools.sockets import DevToolsSocket, read_processes, read_sockets
from handheld.driver.devtools.wire import BadAnswer, Buffered, Ended, WebSocket, get
from handheld.driver.web import PageFailed

from .streams import FedStream, complete
from .trial import Target

SOCKET = DevToolsSocket("webview_devtools_remote_7", 40_007, 7, ("org.example.shop",))
PAGE = {
    "description": '{"attached":true,"empty":false,"visible":true,"width":1080}',
    "id": "3F2A91C04B5D6E7F",
    "title": "Cart",
    "type": "page",
    "url": "https://shop.example/",
    "webSocketDebuggerUrl": "ws://localhost/devtools/page/3F2A91C04B5D6E7F",
}
TEXT = {"url": "https://a/", "title": "A", "parts": ["x", "y"], "matches": 2, "frames": 0}
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length:2\r\nContent-Type:application/json\r\n\r\n[]"


def _frame(message: dict[str, Any]) -> bytes:
    data = json.dumps(message).encode()
    if len(data) < 126:
        return bytes((0x81, len(data))) + data
    return bytes((0x81, 126)) + len(data).to_bytes(2, "big") + data


CONTEXT = {"id": 2, "auxData": {"isDefault": True, "frameId": "F"}}
ANSWERS = b"".join(
    map(
        _frame,
        (
            {"id": 1, "result": {"frameTree": {"frame": {"id": "F"}}}},
            {"method": "Runtime.executionContextCreated", "params": {"context": CONTEXT}},
            {"id": 2, "result": {}},
            {"id": 3, "result": {"result": {"type": "string", "value": json.dumps(TEXT)}}},
        ),
    )
)


def list_pages(data: bytes) -> None:
    read_pages(data, SOCKET)


def answer_http(data: bytes) -> None:
    complete(get(FedStream(data), "/json/list"))


def answer_calls(data: bytes) -> None:
    async def converse() -> None:
        session = DevToolsSession(WebSocket(Buffered(FedStream(data))))
        answer = await session.evaluate("1", await session.main_world())
        read_text(read_json(str(read_json(answer.value))), 10)

    complete(converse())


def print_tables(data: bytes) -> None:
    text = data.decode(errors="replace")
    list(read_sockets(text))
    list(read_processes(text))


TARGETS = (
    Target(
        "devtools-lists",
        list_pages,
        lambda: [json.dumps([PAGE, PAGE]).encode()],
        (BadAnswer,),
        (b'"id"', b'"page"', b'"url"', b"null", b"[", b"{", b"\\ud800"),
    ),
    Target(
        "devtools-versions",
        read_package,
        lambda: [b'{"Android-Package": "a.b", "Browser": "Chrome/120"}'],
        (BadAnswer,),
        (b"null", b"[", b"{"),
    ),
    Target("devtools-http", answer_http, lambda: [HEAD], (BadAnswer, Ended), (b"\r\n", b":")),
    Target(
        "devtools-calls",
        answer_calls,
        lambda: [ANSWERS],
        (BadAnswer, Ended, PageFailed),
        (b"\x89\x00", b"\x88\x00", b"\x01\x02{}", b"\x80\x00", b'"id": 1', b"null"),
    ),
    Target(
        "devtools-sockets",
        print_tables,
        lambda: [fixtures.text("device/sockets.txt").encode(), b"10123 4711 com.example.app\n"],
        (),
        (b"@", b"_devtools_remote", b"_4711", b"00010000 0001 01"),
    ),
)
