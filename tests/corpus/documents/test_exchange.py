"""The request in the document on messages, sent as documented."""

import asyncio
import json
from typing import NamedTuple

from handheld.calls.sms import sms_surface
from handheld.phone.phone import Phone
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from harness.polling import HANG
from phone.world import World
from server.test_sms_surface import OnePhone

from .extraction import find_document


class Exchange(NamedTuple):
    """A request and its reply: the first line, headers and body of each."""

    asked: list[str]
    request: str
    answered: list[str]
    reply: str


def documented() -> Exchange:
    text = find_document("003").read_text(encoding="utf-8")
    asked, request = _message(text, "POST /mcp HTTP/1.1\n", "\nRequest fields")
    answered, reply = _message(text, "HTTP/1.1 200 OK\n", "\nAvailable tools")
    return Exchange(asked, request, answered, reply)


def _message(text: str, start: str, end: str) -> tuple[list[str], str]:
    """The body is documented over several lines, but its length counts none: so it is sent."""
    head, brace, body = text[text.index(start) :].partition("{")
    body = json.dumps(json.loads(brace + body[: body.index(end)]), separators=(",", ":"))
    lines = head.splitlines()
    length = next(line.partition(": ")[2] for line in lines if line.lower().startswith("content-l"))
    assert len(body.encode()) == int(length)
    return lines, body


async def test_the_documented_request_has_the_documented_reply() -> None:
    document = documented()
    surface = sms_surface(OnePhone(Phone("none", World())))
    async with open_http(
        surface, HttpOptions(port=0, token="", allow_hosts=["192.168.0.11"], sms=True)
    ) as address:
        reader, writer = await asyncio.open_connection("127.0.0.1", address.port)
        async with asyncio.timeout(HANG):
            # Twice on one connection: it is kept alive, as documented.
            for _ in range(2):
                head = "".join(f"{line}\r\n" for line in document.asked)
                writer.write(f"{head}\r\n{document.request}".encode())
                answered = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
                body = await reader.readexactly(len(document.reply.encode()))
                assert body.decode() == document.reply
                received = {line.lower() for line in answered}
                assert answered[0] == document.answered[0]
                assert {line.lower() for line in document.answered[1:]} <= received
        writer.close()
        await writer.wait_closed()
