"""HTTP requests, which anybody may send before any token is looked at."""

from server.wire import Line

from .streams import complete, pieces
from .trial import Target

HOST = b"Host: localhost\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
UPGRADE = b"Connection: Upgrade\r\nUpgrade: h2c\r\n"
LENGTH = b"Content-Length: 2\r\n"
SEEDS = (
    b"GET /health?a=b HTTP/1.1\r\n" + HOST + b"Accept: */*\r\n\r\n",
    b"POST /early HTTP/1.1\r\n" + HOST + LENGTH + b"\r\n{}GET / HTTP/1.1\r\n" + HOST + b"\r\n",
    b"POST /mcp HTTP/1.1\r\n" + HOST + UPGRADE + LENGTH + b"\r\n{}",
    b"POST /mcp HTTP/1.1\r\n" + HOST + CHUNKED + b"\r\n1;a=b\r\n{\r\n1\r\n}\r\n0\r\nA: b\r\n\r\n",
    b"POST /mcp HTTP/1.0\r\nExpect: 100-continue\r\nConnection: keep-alive\r\n"
    + LENGTH
    + b"\r\n{}",
)


def send(data: bytes) -> None:
    complete(_send(data))


async def _send(data: bytes) -> None:
    for parts in (pieces(data), (data,)):
        line = Line()
        await line.send(*parts)
        await line.hang_up()
        for status in line.statuses:
            if status not in (100, 200, 400, 413):
                raise AssertionError(f"answered with {status}")


TARGETS = (
    Target(
        "http-requests",
        send,
        lambda: SEEDS,
        (),
        (
            HOST,
            CHUNKED,
            UPGRADE,
            LENGTH,
            b"\r\n",
            b"\n",
            b" ",
            b":",
            b"0\r\n\r\n",
            b"HTTP/1.1",
            b"CONNECT",
        ),
    ),
)
