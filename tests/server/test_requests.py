"""Requests as they come over the wire: what is understood, what is refused, what stays open.

The table of what is refused is what we rely on in the parser: two programs that understand one
request differently are how a request gets past a proxy in front of us.
"""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.server.exchange import Exchange
from handheld.server.limits import FREE_CHUNKS, HEAD_LIMIT

from .wire import Line

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
BODY = b"2\r\n{}\r\n0\r\n\r\n"
UPGRADE = b"Connection: Upgrade, HTTP2-Settings\r\nUPGRADE: h2c\r\nHTTP2-Settings: AA\r\n"


def get(*headers: bytes, target: bytes = b"/", version: bytes = b"HTTP/1.1") -> bytes:
    lines = (b"GET " + target + b" " + version, b"Host: x", *headers)
    return b"".join(line + b"\r\n" for line in lines) + b"\r\n"


def post(headers: bytes, body: bytes, target: bytes = b"/") -> bytes:
    return b"POST " + target + b" HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n" + body


LENGTH = post(b"Content-Length: 2\r\n", b"{}")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (get(target=b"/a?b?c"), {"path": "/a", "raw_path": "/a", "query": "b?c"}),
        (get(target=b"/a?"), {"path": "/a", "query": ""}),
        (get(target=b"/%C3%A9%2f%zz"), {"path": "/é/%zz", "raw_path": "/%C3%A9%2f%zz"}),
        (get(target=b"/a#b?c"), {"path": "/a#b", "query": "c"}),
        (get(target=b"//y/health"), {"path": "//y/health"}),
        # Not /health: Host names the server, and nothing else does.
        (get(target=b"http://y/health"), {"path": "http://y/health"}),
        (get(target=b"*"), {"path": "*"}),
        (get(b"X-Name: \t b\xe9 c \t"), {"headers": [["host", "x"], ["x-name", "bé c"]]}),
        (get(b"A:", b"a: b"), {"headers": [["host", "x"], ["a", ""], ["a", "b"]]}),
        (b"GET / HTTP/1.1\r\nHOST:x\r\n\r\n", {"headers": [["host", "x"]], "method": "GET"}),
        (LENGTH, {"body": "{}"}),
        (post(b"Content-Length: 002 \r\n", b"{}"), {"body": "{}"}),
        (post(CHUNKED, BODY), {"body": "{}"}),
        (post(CHUNKED, b"1;a=b\r\n{\r\n01\r\n}\r\n0\r\n\r\n"), {"body": "{}"}),
        # What comes after a body is no header: those were judged before it.
        (
            post(CHUNKED, b"2\r\n{}\r\n0\r\nAuthorization: b\r\nHost: y\r\n\r\n"),
            {"body": "{}", "headers": [["host", "x"], ["transfer-encoding", "chunked"]]},
        ),
        (post(UPGRADE + b"Content-Length: 2\r\n", b"{}"), {"body": "{}", "method": "POST"}),
        (post(UPGRADE + CHUNKED, BODY), {"body": "{}", "method": "POST"}),
        (get(b"Connection: Upgrade", b"Upgrade: websocket"), {"method": "GET", "path": "/"}),
        (b"DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", {"method": "DELETE"}),
    ],
)
@pytest.mark.parametrize("parts", [1, 1000])
async def test_a_request_is_understood_and_the_connection_stays_open(
    data: bytes, expected: dict[str, object], parts: int
) -> None:
    line = Line()
    await line.send(*cut(data, parts), GET)
    assert line.statuses == [200, 200]
    assert expected.items() <= line.seen[0].items()
    assert not line.transport.closed


def cut(data: bytes, parts: int) -> list[bytes]:
    size = max(1, len(data) // parts)
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize(
    "data",
    [
        b"broken\r\n\r\n",
        b"\x16\x03\x01\x02\x00",
        b"\r\n" + GET,
        b" " + GET,
        b"GET /\r\n\r\n",
        get(version=b"HTTP/0.9"),
        get(version=b"HTTP/1.2"),
        get(version=b"HTTP/1.10"),
        get(version=b"HTTP/2.0"),
        get(version=b"http/1.1"),
        get(version=b"HTTP/1.1 "),
        b"SOURCE / ICE/1.0\r\nHost: x\r\n\r\n",
        b"DESCRIBE / RTSP/1.0\r\nHost: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"PRI * HTTP/1.1\r\nHost: x\r\n\r\n",
        b"FOO / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"post / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT y:443 HTTP/1.1\r\nHost: y:443\r\n\r\n",
        b"CONNECT / HTTP/1.1\r\nHost: y:443\r\n" + UPGRADE + b"\r\n",
        b"GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET\t/ HTTP/1.1\r\nHost: x\r\n\r\n",
        get(target=b"/a b"),
        get(target=b"/a\tb"),
        get(target=b"/\xc3\xa9"),
        get(target=b"health"),
        b"GET / HTTP/1.1\r\n\r\n",
        get(b"Host: x"),
        get(b"A : b"),
        get(b"abc"),
        get(b": b"),
        get(b"A\xe9: b"),
        get(b"A(: b"),
        get(b"A: b\r\n c"),
        get(b"A: b\rc"),
        get(b"A: b\nc: d"),
        get(b"A: b\x00c"),
        get(b"A: b\x01c"),
        get(b"A: b\x7fc"),
        b"GET / HTTP/1.1\nHost: x\n\n",
        b"GET / HTTP/1.1\r\nHost: x\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n\n",
        b"GET / HTTP/1.1\nHost: x\n\nPOST / HTTP/1.1\r\n\r\n",
        post(b"Content-Length: 2\r\n" + CHUNKED, BODY),
        post(CHUNKED + b"Content-Length: 2\r\n", BODY),
        post(b"Content-Length: 2\r\nContent-Length: 3\r\n", b"{} "),
        post(b"Content-Length: 2\r\nContent-Length: 2\r\n", b"{}"),
        post(b"Content-Length: 2, 2\r\n", b"{}"),
        post(b"Content-Length: +2\r\n", b"{}"),
        post(b"Content-Length: -2\r\n", b"{}"),
        post(b"Content-Length: 0x2\r\n", b"{}"),
        post(b"Content-Length: 0_2\r\n", b"{}"),
        post(b"Content-Length: 1 2\r\n", b"{}"),
        post(b"Content-Length:\r\n", b"{}"),
        post(b"Content-Length: " + b"9" * 30 + b"\r\n", b"{}"),
        post(b"Content-Length : 2\r\n", b"{}"),
        post(CHUNKED * 2, BODY),
        post(b"Transfer-Encoding: gzip, chunked\r\n", BODY),
        post(b"Transfer-Encoding: chunked, gzip\r\n", BODY),
        post(b"Transfer-Encoding: xchunked\r\n", BODY),
        post(b"Transfer-Encoding: \x0bchunked\r\n", BODY),
        post(b"Transfer-Encoding: identity\r\n", b""),
        post(b"Transfer-Encoding:\r\n", b""),
        post(CHUNKED, b"zz\r\n{}\r\n0\r\n\r\n"),
        post(CHUNKED, b"0x2\r\n{}\r\n0\r\n\r\n"),
        post(CHUNKED, b"-2\r\n{}\r\n0\r\n\r\n"),
        post(CHUNKED, b"2 \r\n{}\r\n0\r\n\r\n"),
        post(CHUNKED, b"2\r\n{}0\r\n\r\n"),
        post(CHUNKED, b"2\n{}\n0\n\n"),
        post(CHUNKED, b"2;\n{}\r\n0\r\n\r\n"),
        post(CHUNKED, b"f" * 17 + b"\r\n{}"),
        post(CHUNKED, b"2\r\n{}\r\n0\r\nno trailer\r\n\r\n"),
    ],
)
@pytest.mark.parametrize("parts", [1, 1000])
async def test_what_could_be_understood_in_two_ways_is_refused(
    data: bytes, parts: int, caplog: pytest.LogCaptureFixture
) -> None:
    line = Line()
    await line.send(*cut(data, parts), GET)
    assert line.statuses == [400]
    assert line.text.endswith(b"Invalid HTTP request received.")
    assert line.transport.closed
    assert not line.tasks
    assert not caplog.records


A_VALUE = HEAD_LIMIT - len(get(b"A: "))


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ([get(b"A: " + b"a" * A_VALUE)], 200),
        ([get(b"A: " + b"a" * (A_VALUE + 1))], 400),
        ([get()[:-2], *[b"a: " + b"b" * 1000 + b"\r\n"] * 33], 400),
        ([b"GET /" + b"a" * HEAD_LIMIT], 400),
        # What is around the chunks of a body, too.
        ([post(CHUNKED, b"2;" + b"a" * HEAD_LIMIT * 2)], 400),
        ([post(CHUNKED, b"2;"), *[b"a" * 1000] * 33], 400),
        ([post(CHUNKED, b"2\r\n{}\r\n0\r\n"), *[b"a: " + b"b" * 1000 + b"\r\n"] * 34], 400),
        ([post(CHUNKED, b"2\r\n{}\r\n0\r\na: "), *[b"b" * 1000] * 34], 400),
        ([post(CHUNKED, b"0" * HEAD_LIMIT * 2)], 400),
        ([post(CHUNKED, b"1\r\nx\r\n" * FREE_CHUNKS + b"0\r\n\r\n")], 200),
        ([post(CHUNKED, (b"50\r\n" + b"x" * 80 + b"\r\n") * 3000 + b"0\r\n\r\n")], 200),
    ],
)
async def test_heads_and_what_is_around_chunks_have_a_limit(
    parts: list[bytes], status: int
) -> None:
    line = Line()
    await line.send(*parts)
    assert line.statuses == [status]
    assert line.transport.closed == (status == 400)


@pytest.mark.parametrize(
    "parts",
    [
        [post(CHUNKED, b"1\r\nx\r\n" * (FREE_CHUNKS + 1))],
        [post(b"Content-Length: 9999\r\n", b""), *[b"x"] * (FREE_CHUNKS + 1)],
    ],
)
async def test_a_body_in_many_small_pieces_ends_the_connection(parts: list[bytes]) -> None:
    line = Line()
    await line.send(*parts)
    assert line.text == b""
    assert line.transport.closed
    await line.hang_up()


@pytest.mark.parametrize(
    ("data", "statuses", "stays_open"),
    [
        (GET * 5, [200] * 5, True),
        (LENGTH + post(CHUNKED, BODY), [200, 200], True),
        (post(b"Content-Length: 8\r\n", b"\r\n" * 4) + GET, [200, 200], True),
        (post(b"Content-Length: 300000\r\n", b"x" * 300_000) + GET, [200, 200], True),
        (post(UPGRADE + b"Content-Length: 2\r\n", b"{}") + GET, [200, 200], True),
        (GET + b"broken\r\n\r\n" + GET, [200, 400], False),
        (LENGTH + b"\r\n" + GET, [200, 400], False),
        (get(b"A: b") + get(b"A: " + b"a" * HEAD_LIMIT), [200, 400], False),
        (get(b"Connection: close") + GET, [200], False),
        (get(b"Connection: a, Close") + b"\x00\x01", [200], False),
        (get(b"Connection: keep-alive", b"Connection: close") + GET, [200], False),
        (get(version=b"HTTP/1.0") + GET, [200], False),
        (get(b"Connection: keep-alive", version=b"HTTP/1.0") + GET, [200], False),
        # Where a chunked body ended the parser does not tell: what follows has to come again.
        (post(CHUNKED, BODY) + GET, [200], False),
        (post(CHUNKED, BODY, b"/early") + GET, [200], False),
    ],
)
async def test_requests_that_come_together_are_answered_one_after_the_other(
    data: bytes, statuses: list[int], stays_open: bool
) -> None:
    line = Line()
    await line.send(data)
    assert line.statuses == statuses
    assert line.transport.closed != stays_open


async def test_nothing_more_is_read_while_a_request_runs_and_another_waits() -> None:
    running = 0

    async def app(exchange: Exchange) -> None:
        nonlocal running
        running += 1
        await exchange.gone()

    line = Line(app)
    await line.send(GET)
    assert line.transport.reading
    await line.send(GET * 1000)
    assert not line.transport.reading
    assert running == 1
    await line.hang_up()


@pytest.mark.parametrize(
    ("parts", "statuses", "stays_open"),
    [
        ([post(b"Content-Length: 2\r\n", b"", b"/early"), b"{", b"}" + GET], [200, 200], True),
        ([post(CHUNKED, b"", b"/early"), b"2\r\n{}\r\n", b"0\r\n\r\n", GET], [200, 200], True),
        ([post(CHUNKED, b"", b"/early"), b"zz\r\n"], [200], False),
        ([post(b"Expect: 100-Continue\r\nContent-Length: 2\r\n", b""), b"{}"], [100, 200], True),
        ([post(b"Expect: other\r\nContent-Length: 2\r\n", b""), b"{}"], [200], True),
        (
            [b"POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", b"{}"],
            [200],
            False,
        ),
    ],
)
async def test_a_body_may_come_after_its_answer_or_its_invitation(
    parts: list[bytes], statuses: list[int], stays_open: bool
) -> None:
    line = Line()
    await line.send(*parts)
    assert line.statuses == statuses
    assert line.transport.closed != stays_open


@pytest.mark.parametrize(
    ("request_line", "framing", "body"),
    [
        (b"GET / HTTP/1.1", b"transfer-encoding: chunked", b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"),
        (b"GET / HTTP/1.0", b"connection: close", b"onetwo"),
    ],
)
async def test_a_response_of_unknown_length_is_one_that_its_client_can_read(
    request_line: bytes, framing: bytes, body: bytes
) -> None:
    async def app(exchange: Exchange) -> None:
        await exchange.start(200, [(b"content-type", b"text/event-stream")])
        await exchange.send_part(b"one")
        await exchange.send_part(b"two", last=True)

    line = Line(app)
    await line.send(request_line + b"\r\nHost: x\r\n\r\n")
    head, _, rest = line.text.partition(b"\r\n\r\n")
    framed = {b"transfer-encoding", b"connection", b"content-length"}
    fields = [each.lower() for each in head.split(b"\r\n")]
    assert [each for each in fields if each.split(b":")[0] in framed] == [framing]
    assert rest == body
    assert line.transport.closed == (framing == b"connection: close")


async def test_the_head_of_a_response_has_no_body() -> None:
    line = Line()
    await line.send(b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
    head, _, rest = line.text.partition(b"\r\n\r\n")
    assert b"content-length: " in head.lower()
    assert rest == b""
    assert not line.transport.closed


STREAM = (
    LENGTH
    + post(UPGRADE + b"Content-Length: 3\r\n", b"\r\n\r")
    + get(b"A: b")
    + post(b"Content-Length: 0\r\n", b"")
    + post(CHUNKED, b"4\r\n\r\n\r\n\r\n1;a=b\r\n}\r\n0\r\nA: b\r\n\r\n")
)


@given(st.sets(st.integers(1, len(STREAM) - 1)))
async def test_requests_are_the_same_wherever_the_network_cuts_them(cuts: set[int]) -> None:
    line = Line()
    at = [0, *sorted(cuts), len(STREAM)]
    await line.send(*(STREAM[start:end] for start, end in pairwise(at)))
    assert [each["body"] for each in line.seen] == ["{}", "\r\n\r", "", "", "\r\n\r\n}"]
    assert not line.transport.closed
