"""DevTools of an app that answers as a test wants it."""

import base64
import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import Any

from handheld.driver.devtools.wire import apply_mask
from handheld_virtual.sh.streams import Duplex
from harness.web_apps import URL

PAGE = {"id": "A1", "type": "page", "title": "Cart", "url": URL, "description": ""}
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

Serve = Callable[[Duplex], Awaitable[None]]


async def read_request(peer: Duplex) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        got = await peer.read()
        if not got:
            break
        data += got
    return data


def http(body: bytes, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)


class Page:
    """DevTools of one page, as a test wants it: `answers` gets each call."""

    def __init__(self, answers: Callable[[dict[str, Any]], list[bytes] | None]) -> None:
        self._answers = answers
        self.calls: list[str] = []

    async def __call__(self, peer: Duplex) -> None:
        head = await read_request(peer)
        if b"/json" in head.split(b"\r\n")[0]:
            await peer.write(http(json.dumps([PAGE]).encode()))
            return
        assert b"origin:" not in head.lower()
        [key] = [
            line.partition(b":")[2].strip()
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"sec-websocket-key:")
        ]
        accept = base64.b64encode(hashlib.sha1(key + GUID).digest())
        await peer.write(b"HTTP/1.1 101 Switching\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")
        data = b""
        while got := await peer.read():
            data += got
            while len(data) > 6:
                size, at = data[1] & 0x7F, 2
                if size == 126:
                    size, at = int.from_bytes(data[2:4], "big"), 4
                if len(data) < at + 4 + size:
                    break
                text = apply_mask(data[at + 4 : at + 4 + size], data[at : at + 4])
                data = data[at + 4 + size :]
                if text[:1] != b"{":
                    continue  # a pong
                call = json.loads(text)
                self.calls.append(call["method"])
                answers = self._answers(call)
                if answers is None:
                    return
                for each in answers:
                    await peer.write(each)


def frame(text: str | bytes, kind: int = 1, *, last: bool = True) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    size = len(data)
    first = (0x80 if last else 0) | kind
    if size < 126:
        return bytes((first, size)) + data
    if size < 1 << 16:
        return bytes((first, 126)) + size.to_bytes(2, "big") + data
    return bytes((first, 127)) + size.to_bytes(8, "big") + data


def result(call: dict[str, Any], value: dict[str, Any]) -> bytes:
    return frame(json.dumps({"id": call["id"], "result": value}))


def usual(call: dict[str, Any], evaluated: dict[str, Any] | None = None) -> list[bytes]:
    """As Chromium answers."""
    match call["method"]:
        case "Page.getFrameTree":
            return [result(call, {"frameTree": {"frame": {"id": "F"}}})]
        case "Page.createIsolatedWorld":
            return [result(call, {"executionContextId": 3})]
        case "Runtime.enable":
            context = {"id": 2, "auxData": {"isDefault": True, "frameId": "F"}}
            event = {"method": "Runtime.executionContextCreated", "params": {"context": context}}
            return [frame(json.dumps(event)), result(call, {})]
        case _:
            told = {"url": URL, "title": "Cart", "parts": ["x"], "matches": 1, "frames": 0}
            text: Any = json.dumps(told)
            if call["params"]["expression"] == "location.href":
                text = URL
            return [result(call, {"result": evaluated or {"type": "string", "value": text}})]
