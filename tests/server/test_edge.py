"""Access to the server, and the format of requests."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from handheld import __version__
from harness.polling import HANG

from .conftest import Served
from .little import META, TOKEN, call, raw_request, request

eras = pytest.mark.parametrize("modern", [False, True], ids=["handshake", "2026"])
JSON = {"content-type": "application/json"}


async def bare(served: Served, method: str, path: str, **headers: str) -> httpx.Response:
    """A request without the token, unless it is in the headers."""
    async with httpx.AsyncClient(trust_env=False, timeout=HANG) as http:
        return await http.request(
            method, f"http://127.0.0.1:{served.address.port}{path}", headers=headers
        )


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (None, "Missing Authorization header. Expected: Bearer <token>"),
        ("Basic abc", "Malformed Authorization header. Expected: Bearer <token>"),
        ("Bearer", "Malformed Authorization header. Expected: Bearer <token>"),
        ("Bearer wrong", "Invalid bearer token"),
        (f"Bearer {TOKEN}x", "Invalid bearer token"),
        ("Bearer \xfc\xdf", "Invalid bearer token"),
    ],
)
@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/mcp"), ("GET", "/mcp"), ("GET", "/no/such"), ("GET", "/phones")],
)
async def test_without_the_token_everything_is_401(
    served: Served, given: str | None, sentence: str, method: str, path: str
) -> None:
    headers = {} if given is None else {"authorization": given}
    url = f"http://127.0.0.1:{served.address.port}{path}"
    async with httpx.AsyncClient(trust_env=False, timeout=HANG) as http:
        raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        answer = await http.request(method, url, headers=raw, content=b"x" * 200_000)
    assert answer.status_code == 401
    assert answer.json() == {"error": "unauthorized", "message": sentence}
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    "changed",
    [
        {"authorization": f"bEARER   {TOKEN} \t"},
        {"content-type": "application/json; charset=utf-8"},
        {"mcp-protocol-version": "  2026-07-28 \t", "mcp-name": " echo "},
    ],
)
async def test_case_and_spaces_in_headers_are_ignored(
    served: Served, changed: dict[str, str]
) -> None:
    async with asyncio.timeout(HANG):
        reader, writer = await asyncio.open_connection("127.0.0.1", served.address.port)
        writer.write(raw_request(call("echo", modern=True), modern=True, **changed))
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        writer.close()
        await writer.wait_closed()


async def test_health_needs_no_token(served: Served) -> None:
    health = await bare(served, "GET", "/health")
    assert (health.status_code, health.json()) == (
        200,
        {"status": "healthy", "version": __version__},
    )


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("token", ["", "Bearer wrong"])
@pytest.mark.parametrize("name", ["oauth-protected-resource/mcp", "openid-configuration", ""])
async def test_the_absence_of_oauth_needs_no_token(
    served: Served, method: str, token: str, name: str
) -> None:
    headers = {"authorization": token} if token else {}
    oauth = await bare(served, method, f"/.well-known/{name}", **headers)
    assert (oauth.status_code, oauth.json()["error"]) == (404, "not_found")
    assert "www-authenticate" not in oauth.headers


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
@pytest.mark.parametrize("path", ["/mcp", "/phones/x/mcp"])
async def test_mcp_accepts_only_post(served: Served, method: str, path: str) -> None:
    answer = await served.http.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    if method != "HEAD":
        message = f"{method} is not served at this path; use POST."
        assert answer.json() == {"error": "method_not_allowed", "message": message}


@pytest.mark.parametrize("path", ["/", "/mcp/", "/mcp/x", "/phones//mcp", "/phones/x/y"])
async def test_another_path_is_404_and_suggests_the_right_one(served: Served, path: str) -> None:
    answer = await served.post(call("echo"), path=path)
    assert answer.status_code == 404
    assert "POST /mcp" in answer.json()["message"]


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "192.168.0.11:9531", "", "a b", "x@localhost"],
)
@pytest.mark.parametrize("path", ["/mcp", "/health"])
async def test_a_foreign_host_is_421(served: Served, host: str, path: str) -> None:
    answer = await served.http.request("GET", path, headers={"host": host})
    assert answer.status_code == 421
    assert answer.json()["error"] == "misdirected"


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://localhost.evil.example", "file://", "x"]
)
@eras
async def test_a_foreign_origin_is_403(served: Served, origin: str, modern: bool) -> None:
    answer = await served.post(call("echo", modern=modern), modern=modern, origin=origin)
    assert answer.status_code == 403
    assert answer.json()["error"] == "forbidden"


@pytest.mark.parametrize("origin", ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:5"])
@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1", "[::1]:8080"])
async def test_loopback_names_are_accepted(served: Served, origin: str, host: str) -> None:
    assert (await served.post(call("echo"), origin=origin, host=host)).status_code == 200


@pytest.mark.parametrize("announced", [True, False], ids=["announced", "chunked"])
async def test_a_large_body_is_413_with_advice(served: Served, announced: bool) -> None:
    async def chunks() -> Any:
        for _ in range(20):
            yield b" " * 10_000

    content: Any = b" " * 200_000 if announced else chunks()
    answer = await served.http.post("/mcp", content=content, headers=JSON)
    assert answer.status_code == 413
    assert "append_file" in answer.json()["message"]
    assert "download_from_url" in answer.json()["message"]
    assert (await served.post(call("echo"))).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
async def test_another_content_type_is_415(served: Served, kind: str) -> None:
    body = json.dumps(call("echo"))
    answer = await served.http.post("/mcp", content=body, headers={"content-type": kind})
    assert (answer.status_code, answer.json()["error"]) == (415, "unsupported_media_type")


async def test_a_client_that_does_not_accept_json_is_406(served: Served) -> None:
    answer = await served.post(call("echo"), accept="text/html")
    assert (answer.status_code, answer.json()["error"]) == (406, "not_acceptable")


HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}}
BAD = [
    (b"{", -32700, None),
    (b"", -32700, None),
    (b"\xff\xfe", -32700, None),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', -32700, None),
    (b"[" * 200_0, -32700, None),
    (b'{"a":' * 150 + b"1" + b"}" * 150, -32700, None),
    (b"1" * 5000, -32700, None),
    (b"3", -32600, None),
    (b"[]", -32600, None),
    (json.dumps([call("echo"), call("echo", id=2)]).encode(), -32600, None),
    *(
        (json.dumps({**call("echo"), "id": bad}).encode(), -32600, None)
        for bad in ({}, [], 1.5, 1.0, True, None)
    ),
    (b'{"jsonrpc":"2.0","id":7}', -32600, 7),
    (b'{"jsonrpc":"2.0","id":7,"method":5}', -32600, 7),
    (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7),
    (b'{"id":7,"method":"ping"}', -32600, 7),
    (rb'{"jsonrpc":"2.0","id":"\ud800","method":"ping"}', -32600, None),
    (rb'{"jsonrpc":"2.0","id":7,"method":"\udc00"}', -32600, 7),
    (rb'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\udc00"}}', -32600, 7),
]


@pytest.mark.parametrize(("raw", "code", "id"), BAD)
@eras
async def test_a_malformed_message_gets_400_and_one_sentence(
    served: Served, raw: bytes, code: int, id: Any, modern: bool
) -> None:
    version = "2026-07-28" if modern else "2025-11-25"
    answer = await served.http.post(
        "/mcp", content=raw, headers={**JSON, "mcp-protocol-version": version}
    )
    assert answer.status_code == 400
    message = answer.json()
    assert message == {
        "jsonrpc": "2.0",
        "id": id,
        "error": {"code": code, "message": message["error"]["message"]},
    }
    assert is_one_sentence(message["error"]["message"])


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", []),
        ("tools/call", "x"),
        ("tools/call", {}),
        ("tools/call", {"name": 5}),
        ("tools/call", {"name": "echo", "arguments": [1]}),
        ("tools/call", {"name": "echo", "arguments": "x"}),
        ("tools/call", {"name": "echo", "_meta": {"progressToken": {}}}),
        ("tools/list", {"cursor": 5}),
        ("tools/list", {"_meta": 5}),
    ],
)
@eras
async def test_bad_params_get_one_sentence_without_validator_output(
    served: Served, method: str, params: Any, modern: bool
) -> None:
    if modern and isinstance(params, dict):
        fields: dict[str, Any] = params
        extra = fields.get("_meta", {})
        params = {**fields, "_meta": {**META, **extra} if isinstance(extra, dict) else extra}
    answer = await served.post(request(method, params), modern=modern)
    assert answer.status_code == (400 if modern else 200)
    message = answer.json()
    assert (message["id"], message["error"]["code"]) == (1, -32602)
    assert set(message["error"]) == {"code", "message"}
    assert is_one_sentence(message["error"]["message"])


@pytest.mark.parametrize(
    "params",
    [
        {},
        {**HELLO, "clientInfo": {"name": 5, "version": "1"}},
        {**HELLO, "clientInfo": {"name": "x", "version": "1"}, "capabilities": []},
    ],
)
async def test_a_bad_initialize_gets_one_sentence_and_no_session(
    served: Served, params: dict[str, Any]
) -> None:
    answer = await served.http.post("/mcp", json=request("initialize", params))
    assert answer.status_code == 200
    assert answer.json()["error"]["code"] == -32602
    assert is_one_sentence(answer.json()["error"]["message"])
    assert "mcp-session-id" not in answer.headers


def is_one_sentence(text: str) -> bool:
    foreign = ("pydantic", "input_value", "Validation error", "Traceback", "type=", "\n")
    return text.endswith(".") and len(text) < 160 and not any(word in text for word in foreign)


async def test_the_handshake_is_no_method_of_2026(served: Served) -> None:
    answer = await served.post(request("initialize", {"_meta": META}), modern=True)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, -32601)


async def test_a_posted_response_is_accepted_and_dropped(served: Served) -> None:
    answer = await served.post({"jsonrpc": "2.0", "id": 1, "result": {}})
    assert (answer.status_code, answer.content) == (202, b"")


async def test_the_phones_are_listed_and_released_for_the_command_line(served: Served) -> None:
    phones = await served.http.get("/phones")
    released = await served.http.post("/phones/X%201%2F2/release")
    unknown = await served.http.post("/phones/other/release")
    assert phones.json() == [{"serial": "X1", "state": "device"}]
    assert released.json() == {"message": "Released X 1/2."}
    assert (unknown.status_code, unknown.json()) == (
        409,
        {"error": "failed", "message": "There is no phone other."},
    )
    assert (await served.http.post("/phones")).headers["allow"] == "GET"


@pytest.mark.parametrize("version", ["1999-01-01", "2025-11-26", "x" * 300])
@pytest.mark.parametrize("body", [request("tools/list"), request("ping")])
async def test_an_unsupported_protocol_version_is_named_with_the_supported_ones(
    served: Served, version: str, body: dict[str, Any]
) -> None:
    headers = {**JSON, "mcp-protocol-version": version}
    answer = await served.http.post("/mcp", json=body, headers=headers)
    known = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
    shown = version if len(version) <= 100 else "x" * 99 + "…"
    assert (answer.status_code, answer.json()) == (
        400,
        {
            "jsonrpc": "2.0",
            "id": body["id"],
            "error": {
                "code": -32022,
                "message": f"Version {shown} of the protocol is not served here:"
                f" {', '.join(known)}.",
                "data": {"supported": known, "requested": shown},
            },
        },
    )
