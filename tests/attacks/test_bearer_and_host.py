"""Tokens and hosts that are almost right, as bytes on a connection: none gets an answer of MCP."""

import asyncio
import hmac
import logging
from collections.abc import AsyncGenerator, Callable
from hashlib import sha256
from typing import cast

import pytest

from handheld.access.tokens import AccessToken
from handheld.server import bearer
from handheld.server.exchange import Exchange, HttpRefusal, HttpWire
from handheld.server.http import open_http
from handheld.server.listener import Address
from handheld.server.options import HttpOptions
from harness.polling import HANG
from server.little import LittleSurface

ATTACK = "bearer and Host forms"

TOKEN = "QmVhcmVyIHRva2Vu-of_the.owner~42+/="
NAMED = "dG9rZW4gb2YgYSBndWVzdA"
BODY = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}'

AUTHORIZATIONS = (
    "", " ", "Bearer", "Bearer ", "Bearer  ", "Bearer\t", "bearer", "Basic TOKEN", "Digest TOKEN",
    "Token TOKEN", "TOKEN", "BearerTOKEN", "Bearer:TOKEN", "Bearer=TOKEN", "Bearer,TOKEN",
    "Bearer\tTOKEN", "Bearer\x0bTOKEN", "Bearer\x0cTOKEN", "Bearer\xa0TOKEN", "Bearer \xa0TOKENx",
    "Bearer TOKENx", "Bearer xTOKEN", "Bearer TOKEN TOKEN", "Bearer TOKEN,TOKEN", "Bearer TOKEN;",
    "Bearer 'TOKEN'", 'Bearer "TOKEN"', "Bearer <TOKEN>", "Bearer token=TOKEN",
    "Bearer Bearer TOKEN", "Bearer LOWER", "Bearer UPPER", "Bearer SHORTER", "Bearer FIRST",
    "Bearer TWICE", "Bearer PERCENT", "Bearer BASE64", "Bearer REVERSED", "Bearer HASH",
    "Bearer null", "Bearer undefined", "Bearer 0", "Bearer true", "Bearer *", "Bearer %",
    "Bearer \xff\xfe", "Bearer \xc3\xa9", "Bearer TOKEN\xad", "Bearer TOKEN\x7f",
    "Bearer \xefTOKEN", "Bearer ' or '1'='1", "Bearer ../TOKEN", "Bearer owner", "Bearer LONG",
    "Bearer LONGTOKEN", "Basic Bearer TOKEN", "Bearer TOKEN, Basic x", "Bearer\xa0 TOKEN",
    "B\xe9arer TOKEN", "Bearer; TOKEN", "(Bearer) TOKEN", "Bearer TOKEN=", "Bearer TOKENA",
    "Bearer -",
)  # fmt: skip
"""Values of the header; words in capitals are made from the token."""
FURTHER = (
    ("Authorization: Basic x", "Authorization: Bearer TOKEN"),
    ("Authorization: Bearer x", "Authorization: Bearer TOKEN"),
    ("Authorization: Bearer TOKEN", "Authorization: Bearer x"),
    ("Authorization: Bearer TOKEN", "Authorization: Bearer TOKEN"),
    ("Authorization:", "Authorization: Bearer TOKEN"),
    ("X-Authorization: Bearer TOKEN",),
    ("Proxy-Authorization: Bearer TOKEN",),
    ("Cookie: authorization=Bearer TOKEN",),
    ("Cookie: token=TOKEN",),
    ("X-Api-Key: TOKEN",),
    ("X-Handheld-Owner: TOKEN",),
    ("Access-Token: TOKEN",),
    ("Mcp-Session-Id: TOKEN",),
    ("X-Forwarded-For: 127.0.0.1",),
    ("X-Original-URL: /health",),
    ("X-Rewrite-Url: /health",),
    ("X-Http-Method-Override: GET",),
    ("Authorization : Bearer TOKEN",),
    (" Authorization: Bearer TOKEN",),
    ("Authorization\t: Bearer TOKEN",),
    ("X: y\r\n Authorization: Bearer TOKEN",),
    ("Authorization: Bearer\r\nTOKEN",),
    ("Authoriz\xe0tion: Bearer TOKEN",),
    ("Authorization\x00: Bearer TOKEN",),
    ("Authorization_: Bearer TOKEN",),
)
"""Whole headers, in the place of the right one."""
PATHS = (
    "/mcp?token=TOKEN", "/mcp?access_token=TOKEN", "/mcp?authorization=Bearer%20TOKEN",
    "/mcp;token=TOKEN", "/mcp/TOKEN", "/TOKEN/mcp", "/health/../mcp", "/.well-known/../mcp",
    "/health/mcp", "//mcp", "/mcp/", "/MCP", "/%6dcp", "/mcp%00", "/mcp%2f", "/console/../mcp",
    "/health%2f..%2fmcp", "http://user:TOKEN@127.0.0.1/mcp", "/mcp/v1/../../health/../mcp", "*",
)  # fmt: skip
"""Paths without any token."""
HOSTS = (
    "evil.example", "evil.example:PORT", "127.0.0.1.evil.example", "localhost.evil.example",
    "evil.example#127.0.0.1", "evil.example?127.0.0.1", "evil.example/127.0.0.1",
    "evil.example\\127.0.0.1", "127.0.0.1@evil.example", "evil.example@127.0.0.1",
    "localhost@evil.example", "user:pw@localhost", "localhost:PORT:80", "localhost:99999",
    "localhost:-1", "localhost:x", "localhost:+80", "localhost,evil.example",
    "127.0.0.1, 127.0.0.1", "localhost evil.example", "localhost\tevil.example", "127.0.0.1evil",
    "1270.0.0.1", "127.0.0.256", "0", "2130706433", "0x7f000001", "0177.0.0.1",
    "127.1", "127.0.1", "0.0.0.0", "[::]", "[::1", "::1]", "[::1]x", "[::1]:x", "[evil.example]",
    "[127.0.0.1]x", "[fe80::1%25lo]", "[::ffff:10.0.0.1]", "192.168.0.1", "10.0.0.1",
    "169.254.169.254", "169.254.169.254:PORT", "", " ", ".", "..", "-", "%6cocalhost",
    "localhost%00", "localhost%2eevil.example", "l\xf6calhost", "\xff", "LOCALHOST.EVIL.EXAMPLE",
    "xn--localhost-1a", "localhost.localdomain.evil", "local host", "localhost/",
    "http://localhost", "http://127.0.0.1", "//localhost", "localhost?", "localhost#",
    "localhost;", "(localhost)", "'localhost'", '"localhost"', "handheld.local", "phone",
    "router", "a" * 255, "a" * 8000, "127.0.0.1" * 100, "evil.localhost.example", "127.0.0.1\xa0",
    "localhost\x7f",
)  # fmt: skip
ORIGINS = (
    "http://evil.example", "https://evil.example", "null", "", "file://", "http://",
    "://localhost", "localhost", "127.0.0.1", "http:localhost", "http:/localhost",
    "http://localhost.evil.example", "http://127.0.0.1.evil.example",
    "http://evil.example@localhost.evil", "http://localhost@evil.example",
    "http://localhost:80:80", "http://localhost/..", "http://localhost/", "http://localhost?x",
    "ftp://localhost", "javascript://localhost", "chrome-extension://localhost", "ws://localhost",
    "data://localhost", "http://192.168.0.1", "http://0.0.0.0", "http://2130706433",
    "http://[::]", "http://localhost, http://evil", "http://evil.example http://localhost",
    "http://l\xf6calhost", "http://localhost%2f@evil", "http://.", "x",
)  # fmt: skip
SMUGGLED = (
    ("POST /mcp", "Content-Length: 0|Transfer-Encoding: chunked", ""),
    ("POST /health", "Content-Length: 5|Content-Length: 0", ""),
    ("GET /health", "Transfer-Encoding: chunked|Transfer-Encoding: x", "0|||"),
    ("GET /health", "Transfer-Encoding: xchunked", "0|||"),
    ("GET /health", "Transfer-Encoding:\x0bchunked", "0|||"),
    ("GET /health", "Content-Length: +4", ""),
    ("GET /health", "Content-Length: 0x4", ""),
    ("GET /health", "Content-Length: -1", ""),
    ("GET /health", "Host: evil.example", ""),
    ("GET /health", "Upgrade: h2c|Connection: Upgrade, HTTP2-Settings", ""),
    ("GET /health", "Upgrade: websocket|Connection: Upgrade|Sec-WebSocket-Version: 13", ""),
    ("POST /mcp", "Transfer-Encoding: chunked", '5;x="|GET /|0|||'),
    ("POST /mcp", "Expect: 100-continue|Content-Length: 4", ""),
    ("POST /mcp", "Transfer-Encoding: chunked", "ffffffffffffffff1|"),
    ("PRI *", "", "SM||"),
)
"""Beginnings that two readers could take differently, with a request that has no token behind."""


def from_token(text: str) -> str:
    for word, value in {
        "LONGTOKEN": TOKEN * 200,
        "TOKEN": TOKEN,
        "LOWER": TOKEN.lower(),
        "UPPER": TOKEN.upper(),
        "SHORTER": TOKEN[:-1],
        "FIRST": TOKEN[0],
        "TWICE": TOKEN * 2,
        "PERCENT": "".join(f"%{ord(char):02x}" for char in TOKEN),
        "BASE64": "UW1WaGNtVnlJSFJ2YTJWdS1vZl90aGUub3duZXJ+NDIrLz0=",
        "REVERSED": TOKEN[::-1],
        "HASH": sha256(TOKEN.encode()).hexdigest(),
        "LONG": "x" * 60_000,
    }.items():
        text = text.replace(word, value)
    return text


def request(*headers: str, path: str = "/mcp", host: str = "127.0.0.1") -> bytes:
    lines = [f"POST {path} HTTP/1.1", f"Host: {host}", *headers]
    lines += ["Content-Type: application/json", f"Content-Length: {len(BODY)}", "Connection: close"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + BODY


class Served:
    def __init__(self, address: Address, surface: LittleSurface) -> None:
        self.address = address
        self.surface = surface

    async def status(self, data: bytes) -> int:
        """The status of the one answer, after which the server closes the connection."""
        [status] = await self.statuses(data)
        return status

    async def statuses(self, data: bytes, *, ends: bool = False) -> list[int]:
        """The status of every answer on one connection, until the server closes it. `ends`: the
        client sends no more, for what never becomes a request."""
        async with asyncio.timeout(HANG):
            reader, writer = await asyncio.open_connection("127.0.0.1", self.address.port)
            writer.write(data)
            if ends:
                writer.write_eof()
            answer = await reader.read()
            writer.close()
        return [int(part[:3]) for part in answer.split(b"HTTP/1.1 ")[1:]]


def recognise(secret: str) -> AccessToken | None:
    return AccessToken("guest") if secret == NAMED else None


@pytest.fixture
async def served() -> AsyncGenerator[Served]:
    surface = LittleSurface()
    options = HttpOptions(port=0, token=TOKEN, recognise=recognise)
    async with open_http(surface, options) as address:
        yield Served(address, surface)


@pytest.fixture(autouse=True)
async def nothing_was_done(
    served: Served, caplog: pytest.LogCaptureFixture
) -> AsyncGenerator[None]:
    """Nor can a stranger fill the log."""
    yield
    assert served.surface.scope is None  # of the last call
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


RIGHT = f"Authorization: Bearer {TOKEN}"


async def test_no_value_but_the_token_is_one(served: Served, tried: Callable[[], None]) -> None:
    for value in AUTHORIZATIONS:
        tried()
        header = f"Authorization: {from_token(value)}"
        assert await served.status(request(header)) in {400, 401, 431}, value


async def test_no_other_header_and_no_path_stands_for_the_token(
    served: Served, tried: Callable[[], None]
) -> None:
    for headers in FURTHER:
        tried()
        lines = [from_token(line) for line in headers]
        assert await served.status(request(*lines)) in {400, 401, 421}, headers
    for path in PATHS:
        tried()
        status = await served.status(request(path=path.replace("TOKEN", TOKEN)))
        assert status in {400, 401, 404}, path


async def test_no_other_host_is_served_even_with_the_token(
    served: Served, tried: Callable[[], None]
) -> None:
    for host in HOSTS:
        tried()
        named = host.replace("PORT", str(served.address.port))
        assert await served.status(request(RIGHT, host=named)) in {400, 421, 431}, host
    for headers in (("Host: evil.example",), ("Host: 127.0.0.1",), ("Host:",)):
        tried()
        assert await served.status(request(RIGHT, *headers)) in {400, 421}, headers


async def test_no_page_of_another_origin_is_served_even_with_the_token(
    served: Served, tried: Callable[[], None]
) -> None:
    for origin in ORIGINS:
        tried()
        status = await served.status(request(RIGHT, f"Origin: {origin}"))
        assert status in {400, 403}, origin


async def test_nothing_is_smuggled_behind_another_request(
    served: Served, tried: Callable[[], None]
) -> None:
    """The request behind has no token: where it is read as one, it is refused like any other."""
    for beginning in SMUGGLED:
        tried()
        line, headers, body = (part.replace("|", "\r\n") for part in beginning)
        head = f"{line} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}\r\n\r\n{body}"
        statuses = await served.statuses(head.encode("latin-1") + request(), ends=True)
        assert set(statuses) <= {200, 400, 401, 404, 405, 413, 421, 426}, beginning
        assert statuses.count(200) <= 1, beginning


async def test_tokens_are_compared_by_digest_in_constant_time(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[bytes, bytes]] = []
    real = hmac.compare_digest

    def compare(left: bytes, right: bytes) -> bool:
        compared.append((left, right))
        return real(left, right)

    monkeypatch.setattr(bearer.hmac, "compare_digest", compare)
    check = bearer.Bearer(TOKEN).check
    for shown in ("x", TOKEN[:-1], TOKEN, "x" * 10_000):
        headers = [(b"authorization", f"Bearer {shown}".encode())]
        try:
            check(Exchange(cast("HttpWire", None), "POST", b"/mcp", headers))
        except HttpRefusal:
            assert shown != TOKEN
    assert len(compared) == 4
    assert {len(each) for pair in compared for each in pair} == {32}
