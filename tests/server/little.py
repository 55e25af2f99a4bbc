"""A small surface to serve in tests, and requests of older and 2026 clients."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.calls.local import Caller, Surface
from handheld.errors import ActionFailed, UnknownPhone, UnknownTool
from handheld.tools.tool import Image, Item, Listing

TOKEN = "correct horse"
SECRET = "secret internals"
MODERN = "2026-07-28"
LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "new client", "version": "1"},
}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "old client", "version": "1"},
}


@dataclass
class Here:
    """A surface that is reached in this process, and stays."""

    surface: Surface

    async def aclose(self) -> None: ...


class LittleSurface:
    """`echo` returns its arguments, `who` its caller; each of the others fails in one way."""

    def __init__(self) -> None:
        self.listed = 0
        self.message = "Hold the phone."
        self.slow_started = asyncio.Event()
        self.slow_stopped = asyncio.Event()
        self.let_slow_end = asyncio.Event()
        self.finished = 0
        self.scope: RequestScope | None = None
        """The filter of the last request."""

    async def instructions(self, scope: RequestScope = EVERYTHING) -> str:
        return self.message

    async def tools(self, scope: RequestScope = EVERYTHING) -> Sequence[Listing]:
        self.listed += 1
        self.scope = scope
        phone = _phone(scope)
        schema = {"type": "object", "properties": {}, "required": []}
        return [
            Listing("slow", "Slow", "Waits.", schema),
            Listing("echo", "Echo", f"Says it back on {phone}.", schema, True, False, True, False),
        ]

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        scope: RequestScope = EVERYTHING,
    ) -> Sequence[Item]:
        self.scope = scope
        phone = _phone(scope)
        match name:
            case "echo":
                return [f"{dict(arguments)}"]
            case "who":
                return [f"{caller.client} by {caller.transport} on {phone}"]
            case "picture":
                return ["see", Image(b"\xff\xd8", "image/jpeg")]
            case "half":
                return ["half \ud83d of a smile, whole \ud83d\ude00"]
            case "fails":
                raise ActionFailed("It did not work.", "but \ud800 this is known")
            case "breaks":
                raise ValueError(SECRET)
            case "slow":
                self.slow_started.set()
                try:
                    await self.let_slow_end.wait()
                except asyncio.CancelledError:
                    self.slow_stopped.set()
                    raise
                self.finished += 1
                return ["done"]
            case _:
                raise UnknownTool(name)

    async def aclose(self) -> None: ...


def _phone(scope: RequestScope) -> str | None:
    if scope.phone == "nobody":
        raise UnknownPhone("There is no phone nobody.")
    return scope.phone


def request(method: str, params: Any = None, id: Any = 1) -> dict[str, Any]:
    body: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method}
    return body if params is None else {**body, "params": params}


def call(name: str, arguments: Any = None, id: Any = 1, *, modern: bool = False) -> dict[str, Any]:
    params: dict[str, Any] = {"name": name, "arguments": arguments or {}}
    if modern:
        params["_meta"] = META
    return request("tools/call", params, id)


def raw_request(body: object, *, modern: bool, **changed: str) -> bytes:
    """The bytes of a POST that an HTTP client library would not send."""
    content = json.dumps(body).encode()
    headers = {
        "host": "127.0.0.1",
        "authorization": f"Bearer {TOKEN}",
        "content-type": "application/json",
        "content-length": str(len(content)),
        **headers_for(body, modern=modern),
        **changed,
    }
    lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
    return f"POST /mcp HTTP/1.1\r\n{''.join(lines)}\r\n".encode() + content


def headers_for(body: Any, *, modern: bool) -> dict[str, str]:
    """The headers that a client of that protocol version sends."""
    if not modern:
        return {"mcp-protocol-version": "2025-11-25"}
    headers = {"mcp-protocol-version": MODERN, "mcp-method": body["method"]}
    params = body.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    return {**headers, "mcp-name": name} if isinstance(name, str) else headers
