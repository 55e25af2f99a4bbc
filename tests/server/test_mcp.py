"""The protocol over HTTP, for older and 2026 clients."""

from typing import Any

import httpx
import pytest

from handheld import __version__
from handheld.access.request_scope import RequestScope

from .conftest import Served
from .little import HELLO, LEGACY, META, MODERN, SECRET, TOKEN, call, headers_for, request

eras = pytest.mark.parametrize("modern", [False, True], ids=["handshake", "2026"])


def result(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    value = answer.json()["result"]
    value.pop("_meta", None)
    return value


@pytest.mark.parametrize("version", [*LEGACY, MODERN, "1999-01-01"])
async def test_initialize_agrees_on_the_clients_version_or_offers_the_newest_with_a_handshake(
    served: Served, version: str
) -> None:
    answer = await served.http.post(
        "/mcp", json=request("initialize", {**HELLO, "protocolVersion": version})
    )
    assert result(answer) == {
        "protocolVersion": version if version in LEGACY else "2025-11-25",
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "handheld", "version": __version__},
        "instructions": "Hold the phone.",
    }
    assert len(answer.headers["mcp-session-id"]) >= 20


async def test_instructions_are_refreshed_for_each_client(served: Served) -> None:
    served.surface.message = "Now with \ud83d a phone."
    try:
        old = await served.http.post("/mcp", json=request("initialize", HELLO))
        new = await served.post(request("server/discover", {"_meta": META}), modern=True)
    finally:
        served.surface.message = "Hold the phone."
    assert result(old)["instructions"] == "Now with \ufffd a phone."
    assert result(new)["instructions"] == "Now with \ufffd a phone."


async def test_discover_describes_the_server_and_opens_no_session(served: Served) -> None:
    answer = await served.post(request("server/discover", {"_meta": META}), modern=True)
    found = result(answer)
    assert found["supportedVersions"] == [MODERN]
    assert found["capabilities"] == {"tools": {"listChanged": False}}
    assert found["resultType"] == "complete"
    assert "mcp-session-id" not in answer.headers


def listed(phone: str | None) -> list[dict[str, Any]]:
    schema = {"type": "object", "properties": {}, "required": []}

    def hints(*values: bool) -> dict[str, bool]:
        names = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
        return dict(zip(names, values, strict=True))

    return [
        {
            "name": "slow",
            "title": "Slow",
            "description": "Waits.",
            "inputSchema": schema,
            "annotations": hints(False, False, False, False),
        },
        {
            "name": "echo",
            "title": "Echo",
            "description": f"Says it back on {phone}.",
            "inputSchema": schema,
            "annotations": hints(True, False, True, False),
        },
    ]


async def test_the_list_keeps_its_order_and_may_be_cached_30_seconds(
    served: Served,
) -> None:
    old = await served.post(request("tools/list"))
    new = await served.post(request("tools/list", {"_meta": META}), modern=True)
    assert result(old) == {"tools": listed(None)}
    assert result(new) == {
        "tools": listed(None),
        "ttlMs": 30_000,
        "cacheScope": "private",
        "resultType": "complete",
    }


@eras
async def test_the_path_of_a_phone_restricts_list_and_calls_to_it(
    served: Served, modern: bool
) -> None:
    params = {"_meta": META} if modern else None
    path = "/phones/192.168.0.5%3A5555/mcp"
    tools = await served.post(request("tools/list", params), modern=modern, path=path)
    who = await served.post(call("who", modern=modern), modern=modern, path=path)
    nobody = await served.post(
        request("tools/list", params), modern=modern, path="/phones/nobody/mcp"
    )
    assert result(tools)["tools"] == listed("192.168.0.5:5555")
    name = "new client" if modern else ""
    message = f"{name} by http on 192.168.0.5:5555"
    assert result(who)["content"] == [{"type": "text", "text": message}]
    assert nobody.json()["error"] == {"code": -32602, "message": "There is no phone nobody."}


@eras
@pytest.mark.parametrize(
    ("headers", "scope"),
    [
        ({}, RequestScope()),
        ({"x_mcp_readonly": "true"}, RequestScope(read_only=True)),
        ({"x_mcp_readonly": "TRUE"}, RequestScope(read_only=True)),
        ({"x_mcp_readonly": "yes, please"}, RequestScope(read_only=True)),
        ({"x_mcp_readonly": "false"}, RequestScope()),
        ({"x_mcp_readonly": ""}, RequestScope()),
        (
            {"x_mcp_tools": "tap, android_swipe,,"},
            RequestScope(only=frozenset({"tap", "android_swipe"})),
        ),
        ({"x_mcp_tools": ","}, RequestScope()),
        ({"x_mcp_exclude_tools": "tap"}, RequestScope(off=frozenset({"tap"}))),
    ],
)
async def test_headers_restrict_lists_and_calls(
    served: Served, modern: bool, headers: dict[str, str], scope: RequestScope
) -> None:
    params = {"_meta": META} if modern else None
    await served.post(request("tools/list", params), modern=modern, **headers)
    assert served.surface.scope == scope
    served.surface.scope = None
    await served.post(call("echo", modern=modern), modern=modern, **headers)
    assert served.surface.scope == scope


@eras
async def test_a_call_to_an_unknown_phone_is_a_protocol_error(served: Served, modern: bool) -> None:
    answer = await served.post(call("who", modern=modern), modern=modern, path="/phones/nobody/mcp")
    assert answer.json()["error"] == {"code": -32602, "message": "There is no phone nobody."}


@eras
async def test_a_successful_reply_has_no_is_error(served: Served, modern: bool) -> None:
    answer = await served.post(call("echo", {"x": 1}, modern=modern), modern=modern)
    plain: dict[str, Any] = {"content": [{"type": "text", "text": "{'x': 1}"}]}
    assert result(answer) == ({**plain, "resultType": "complete"} if modern else plain)


@eras
async def test_a_picture_is_sent_as_base64(served: Served, modern: bool) -> None:
    answer = await served.post(call("picture", modern=modern), modern=modern)
    assert result(answer)["content"] == [
        {"type": "text", "text": "see"},
        {"type": "image", "data": "/9g=", "mimeType": "image/jpeg"},
    ]


@eras
async def test_a_tool_failure_has_its_message_and_details(served: Served, modern: bool) -> None:
    answer = result(await served.post(call("fails", modern=modern), modern=modern))
    assert answer["isError"] is True
    assert answer["content"] == [
        {"type": "text", "text": "It did not work."},
        {"type": "text", "text": "but \ufffd this is known"},
    ]


@eras
async def test_an_unknown_tool_is_a_protocol_error(served: Served, modern: bool) -> None:
    answer = await served.post(call("no" * 100, modern=modern), modern=modern)
    assert answer.status_code == (400 if modern else 200)
    cut = ("no" * 100)[:99] + "…"
    assert answer.json()["error"] == {"code": -32602, "message": f"Unknown tool: {cut}"}


@eras
async def test_the_text_of_an_exception_is_never_sent(served: Served, modern: bool) -> None:
    answer = await served.post(call("breaks", modern=modern), modern=modern)
    assert SECRET not in answer.text
    assert result(answer)["isError"] is True
    assert "log has the details" in answer.text


@eras
async def test_a_lone_surrogate_in_a_reply_is_repaired(served: Served, modern: bool) -> None:
    answer = await served.post(call("half", modern=modern), modern=modern)
    text = "half \ufffd of a smile, whole \U0001f600"
    assert result(answer)["content"] == [{"type": "text", "text": text}]


@eras
async def test_a_lone_surrogate_in_an_argument_is_a_tool_failure(
    served: Served, modern: bool
) -> None:
    body = call("echo", {"text": "HALF"}, id="a", modern=modern)
    raw = httpx.Request("POST", "http://x", json=body).content.replace(b"HALF", rb"\ud83d")
    answer = await served.http.post(
        "/mcp",
        content=raw,
        headers={"content-type": "application/json", **headers_for(body, modern=modern)},
    )
    message = result(answer)
    assert message.pop("resultType", None) == ("complete" if modern else None)
    assert message == {
        "content": [
            {
                "type": "text",
                "text": "An argument holds half of a surrogate pair, which is no character; "
                "send it whole or leave it out.",
            }
        ],
        "isError": True,
    }
    assert answer.json()["id"] == "a"


async def test_an_escaped_surrogate_pair_is_accepted(served: Served) -> None:
    raw = rb'{"jsonrpc":"2.0","id":1,"method":"tools/call",'
    raw += rb'"params":{"name":"echo","arguments":{"t":"\ud83d\ude00"}}}'
    answer = await served.http.post(
        "/mcp", content=raw, headers={"content-type": "application/json"}
    )
    assert result(answer)["content"] == [{"type": "text", "text": "{'t': '\U0001f600'}"}]


@eras
async def test_no_call_lists_the_tools(served: Served, modern: bool) -> None:
    before = served.surface.listed
    for _ in range(3):
        await served.post(call("echo", {"x": 1}, modern=modern), modern=modern)
    assert served.surface.listed == before


async def test_a_session_remembers_its_clients_name(served: Served) -> None:
    hello = await served.http.post("/mcp", json=request("initialize", HELLO))
    session = hello.headers["mcp-session-id"]
    ready = await served.http.post(
        "/mcp",
        json={"jsonrpc": "2.0", "method": "notifications/initialized"},
        headers={"mcp-session-id": session},
    )
    assert (ready.status_code, ready.content) == (202, b"")
    answer = await served.post(call("who"), mcp_session_id=session)
    message = "old client by http on None"
    assert result(answer)["content"] == [{"type": "text", "text": message}]


async def test_an_unknown_session_is_served_like_no_session(served: Served) -> None:
    answer = await served.post(call("echo"), mcp_session_id="from before a restart")
    assert result(answer)["content"] == [{"type": "text", "text": "{}"}]


@eras
async def test_an_unknown_method_gets_one_sentence(served: Served, modern: bool) -> None:
    params = {"_meta": META} if modern else None
    answer = await served.post(request("no/such", params), modern=modern)
    assert answer.status_code == (404 if modern else 200)
    assert answer.json() == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {"code": -32601, "message": "This server has no such method: no/such"},
    }


async def test_a_request_as_curl_sends_it_works_without_a_handshake(served: Served) -> None:
    bare = httpx.Request(
        "POST",
        f"http://127.0.0.1:{served.address.port}/mcp",
        headers={
            "authorization": f"Bearer {TOKEN}",
            "content-type": "application/json",
            "accept": "*/*",
        },
        json=call("echo"),
    )
    assert result(await served.http.send(bare))["content"] == [{"type": "text", "text": "{}"}]
    del bare.headers["accept"]
    assert result(await served.http.send(bare))["content"] == [{"type": "text", "text": "{}"}]
