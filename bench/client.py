"""A thin HTTP client, so that measurements show the server."""

import asyncio
import json
from typing import Any, Self

HELLO = (
    json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"},
            },
        }
    ).encode()
    + b"\n"
)
"""The first line of a stdio client."""


class Client:
    """One keep-alive connection that posts JSON-RPC on the initialize-era wire."""

    def __init__(self, host: str, port: int, token: str, path: str = "/mcp") -> None:
        self._address = (host, port)
        self._head = (
            f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            "MCP-Protocol-Version: 2025-11-25\r\nContent-Length: "
        ).encode()
        self._id = 0

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection(*self._address)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._id += 1
        envelope = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}
        body = json.dumps(envelope).encode()
        self._writer.write(self._head + str(len(body)).encode() + b"\r\n\r\n" + body)
        head = await self._reader.readuntil(b"\r\n\r\n")
        status = head.split(b" ", 2)[1]
        length = next(
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        )
        answer = json.loads(await self._reader.readexactly(length))
        if status != b"200" or "result" not in answer:
            raise RuntimeError(f"The server answered {status.decode()}: {answer}")
        return answer["result"]

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = await self.request("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise RuntimeError(f"{tool} failed: {result['content'][0]['text']}")
        return result
