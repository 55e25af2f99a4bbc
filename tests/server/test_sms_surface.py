"""The sms surface, byte for byte: its exchanges over a raw socket."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from fleet.nats.lab import Lab
from handheld.access.request_scope import SMS
from handheld.adb.state import PhoneState
from handheld.calls.sms import sms_surface
from handheld.devices import DeviceInfo
from handheld.errors import UnknownPhone
from handheld.phone.phone import Phone
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld_virtual.phone import VirtualPhone
from harness.phones import reached
from harness.polling import HANG
from tools.main.conftest import Counter, open_counter

HEAD = """POST {path} HTTP/1.1\r
host: 192.168.0.11:9531\r
connection: {connection}\r
{version}content-type: application/json\r
accept: application/json, text/event-stream\r
accept-language: *\r
sec-fetch-mode: cors\r
user-agent: node\r
accept-encoding: gzip, deflate\r
content-length: {length}\r
\r
"""
"""A request as a Node client sends it to a gateway in the same network."""

TOOLS = (
    '{"id":1,"result":{"tools":[{"name":"send_sms","description":"Sends an SMS message to a'
    ' specified phone number.","inputSchema":{"type":"object","required":["to_phone_number",'
    '"sms_text"],"properties":{"to_phone_number":{"type":"string","description":"The phone number'
    " the SMS should be sent to in international format starting with a plus sign followed by the"
    ' country code. For example +36201234567"},"sms_text":{"type":"string","description":"The text'
    ' of the sms messages to be sent. The maximum length is 160 characters"},"subscription_id":'
    '{"type":"integer","description":"SMS subscription ID to use for sending. Required when sending'
    ' is allowed on more than one active subscription."}}}},{"name":"get_sms_subscriptions",'
    '"description":"Returns the list of active SMS subscriptions available on the device.",'
    '"inputSchema":{"type":"object","required":[],"properties":{}}}]},"jsonrpc":"2.0"}'
)
SUBSCRIPTIONS = (
    r'{"id":17,"result":{"content":[{"type":"text","text":"{\"count\":2,\"subscriptions\":['
    r"{\"subscription_id\":14,\"sim_slot_index\":0,\"carrier_name\":\"vodafone UK\","
    r"\"display_name\":\"Orange F\"},{\"subscription_id\":17,\"sim_slot_index\":1,"
    r'\"carrier_name\":\"EE | Yettel HU\",\"display_name\":\"Yettel HU\"}]}"}]},"jsonrpc":"2.0"}'
)


class OnePhone:
    """One phone, or several for requests without a phone in the URL."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.count = 1

    async def pick(self, ref: str | None) -> Phone:
        assert ref in (None, "desk")
        return self.phone

    async def slug_of(self, ref: str) -> str:
        if ref != "desk":
            raise UnknownPhone(f"No phone here is called {ref!r}.")
        return ref

    async def present(self, ref: str | None) -> list[Phone]:
        return [self.phone]

    def connected(self) -> list[DeviceInfo]:
        return [DeviceInfo(str(one), PhoneState.DEVICE) for one in range(self.count)]

    def describe(self) -> str:
        return ""

    def knows(self, ref: str) -> bool:
        return ref == "desk"

    async def settle(self) -> None: ...

    def absent(self) -> list[str]:
        return []

    async def known(self) -> list[DeviceInfo]:
        return self.connected()

    async def release(self, ref: str | None) -> str:
        return ""

    async def aclose(self) -> None: ...


class Line:
    """A keep-alive connection, as Node clients use it."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, devices: OnePhone
    ) -> None:
        self._reader, self._writer = reader, writer
        self.devices = devices
        self.headers = ""

    async def ask(
        self,
        body: str,
        *,
        version: str = "2025-11-25",
        path: str = "/mcp",
        more: str = "",
        connection: str = "keep-alive",
    ) -> tuple[int, str]:
        """Return status and body of the answer."""
        named = (f"mcp-protocol-version: {version}\r\n" if version else "") + more
        length = len(body.encode())
        head = HEAD.format(path=path, version=named, length=length, connection=connection)
        self._writer.write((head + body).encode())
        async with asyncio.timeout(HANG):
            self.headers = (await self._reader.readuntil(b"\r\n\r\n")).decode()
            length = re.search(r"(?i)content-length: (\d+)", self.headers)
            answer = await self._reader.readexactly(int(length[1]) if length else 0)
        return int(self.headers.split()[1]), answer.decode()

    async def call(self, name: str, arguments: dict[str, Any], **more: Any) -> tuple[int, str]:
        params = {"name": name, "arguments": arguments}
        return await self.ask(message("tools/call", 5, params), **more)


def message(method: str, id: int, params: dict[str, Any]) -> str:
    body = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    return json.dumps(body, separators=(",", ":"))


@pytest.fixture
async def line(engine: Lab | None) -> AsyncGenerator[Line]:
    served = Counter()
    options = HttpOptions(port=0, token="", allow_hosts=["192.168.0.11"], sms=True)
    async with reached(VirtualPhone()) as used:
        devices = OnePhone(used.phone)
        served.kind = SMS
        served.surface = served.others[SMS] = sms_surface(devices)  # type: ignore[assignment]
        async with open_counter(engine, served, "desk"), open_http(served, options) as address:
            reader, writer = await asyncio.open_connection("127.0.0.1", address.port)
            yield Line(reader, writer, devices)
            writer.close()
            await writer.wait_closed()


@pytest.mark.slow
async def test_every_request_is_answered_to_the_byte(line: Line) -> None:
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "gateway client", "version": "3.1"},
    }
    status, greeting = await line.ask(message("initialize", 0, hello), version="")
    assert status == 200
    assert re.fullmatch(
        r'\{"id":0,"result":\{"protocolVersion":"2025-11-25","capabilities":\{"tools":'
        r'\{"listChanged":false\}\},"serverInfo":\{"name":"handheld","version":"[0-9.a-z]+"\}\},'
        r'"jsonrpc":"2.0"\}',
        greeting,
    ), greeting
    assert "mcp-session-id" not in line.headers.lower()
    assert "content-type: application/json" in line.headers.lower()

    assert await line.ask('{"method":"tools/list","jsonrpc":"2.0","id":1}') == (200, TOOLS)
    assert len(TOOLS) == 888
    assert "content-length: 888\r\nconnection: keep-alive\r\n" in line.headers.lower()

    asked = message("tools/call", 17, {"name": "get_sms_subscriptions", "arguments": {}})
    assert await line.ask(asked) == (200, SUBSCRIPTIONS)

    sent = {"to_phone_number": "+4915112345678", "sms_text": "On my way", "subscription_id": 14}
    asked = message("tools/call", 16, {"name": "send_sms", "arguments": sent})
    assert await line.ask(asked) == (
        200,
        '{"id":16,"result":{"content":[{"type":"text","text":"SMS sent to +4915112345678"}]},'
        '"jsonrpc":"2.0"}',
    )


@pytest.mark.parametrize("connection", ["keep-alive", "close"])
async def test_the_answer_tells_whether_the_connection_is_kept(line: Line, connection: str) -> None:
    await line.ask("[]", connection=connection)
    assert re.findall(r"(?i)connection: (.*)\r\n", line.headers) == [connection]


async def test_errors_have_the_same_order(line: Line) -> None:
    assert await line.call("get_sms_subscriptions", {"x": 1}) == (
        200,
        '{"id":5,"result":{"content":[{"type":"text","text":"Unknown parameter \'x\'. This tool'
        ' takes none."}],"isError":true},"jsonrpc":"2.0"}',
    )
    assert await line.call("android_send_sms", {}) == (
        200,
        '{"id":5,"error":{"code":-32602,"message":"Unknown tool: android_send_sms"},'
        '"jsonrpc":"2.0"}',
    )
    assert await line.ask(message("no/such", 6, {})) == (
        200,
        '{"id":6,"error":{"code":-32601,"message":"This server has no such method: no/such"},'
        '"jsonrpc":"2.0"}',
    )
    assert await line.ask("[]") == (
        400,
        '{"id":null,"error":{"code":-32600,"message":"JSON-RPC batches are not accepted; send one'
        ' request at a time."},"jsonrpc":"2.0"}',
    )
    half = r'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"send_sms",'
    half += r'"arguments":{"sms_text":"\ud83d"}}}'
    status, answer = await line.ask(half)
    assert (status, list(json.loads(answer))) == (200, ["id", "result", "jsonrpc"])
    assert json.loads(answer)["result"]["isError"] is True


async def test_a_notification_gets_no_body(line: Line) -> None:
    text = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    assert await line.ask(text) == (202, "")
    assert await line.ask('{"method":"tools/list","jsonrpc":"2.0","id":1}') == (200, TOOLS)


async def test_newer_clients_get_the_sdks_form_without_annotations(line: Line) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "new", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    status, answer = await line.ask(
        message("tools/list", 1, {"_meta": meta}),
        version="2026-07-28",
        more="mcp-method: tools/list\r\n",
    )
    assert status == 200, answer
    value = json.loads(answer)
    assert next(iter(value)) == "jsonrpc"
    assert value["result"]["resultType"] == "complete"
    listed = json.loads(TOOLS)["result"]["tools"]
    assert value["result"]["tools"] == listed


@pytest.mark.at_host("a gateway has one of its phones")
async def test_the_phone_in_the_url_is_used(line: Line) -> None:
    asked = message("tools/list", 1, {})
    assert await line.ask(asked, path="/phones/desk/mcp") == (200, TOOLS)
    call = '{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":'
    call += '"get_sms_subscriptions"}}'
    line.devices.count = 2
    assert await line.ask(call, path="/phones/desk/mcp") == (200, SUBSCRIPTIONS)
    assert await line.ask(call) == (
        200,
        '{"id":17,"result":{"content":[{"type":"text","text":"Several phones are connected: 0, 1.'
        ' Say which one in the address: /phones/<slug or serial>/mcp"}],"isError":true},'
        '"jsonrpc":"2.0"}',
    )
    status, answer = await line.ask(call, path="/phones/none/mcp")
    assert (status, json.loads(answer)["error"]["code"]) == (200, -32602)


async def test_only_messages_are_served(line: Line) -> None:
    for path in ("/mcp/v1/tools/call", "/phones", "/phones/desk/release"):
        status, _ = await line.ask("{}", path=path)
        assert status == 404
