"""The tools that the official MCP conformance suite calls by name, on our HTTP stack.

`python tests/conformance_tools.py --port N` serves them on loopback without a token, because the
suite cannot send one.
"""

import argparse
import asyncio
import base64
import struct
import zlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.calls.local import Caller
from handheld.clock import SYSTEM_CLOCK
from handheld.errors import ActionFailed, UnknownTool
from handheld.progress import relay
from handheld.server.answers import render_item
from handheld.server.envelope import Refused
from handheld.server.http import serve_http
from handheld.server.listener import Address
from handheld.server.options import HttpOptions
from handheld.server.versions import MISSING_CLIENT_CAPABILITY
from handheld.tools.tool import Image, Listing

_NO_ARGUMENTS: Mapping[str, Any] = {"type": "object", "properties": {}}
_RICH_SCHEMA: Mapping[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def _red_pixel() -> Image:
    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\x00\xff\x00\x00"))
    return Image(b"\x89PNG\r\n\x1a\n" + head + pixels + chunk(b"IEND", b""), "image/png")


def _silence() -> dict[str, Any]:
    samples = bytes(16)
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8)
    body = b"WAVE" + form + struct.pack("<4sI", b"data", len(samples)) + samples
    wave = struct.pack("<4sI", b"RIFF", len(body)) + body
    return {"type": "audio", "data": base64.b64encode(wave).decode(), "mimeType": "audio/wav"}


def _resource() -> dict[str, Any]:
    text = "An embedded resource."
    content = {"uri": "test://embedded-resource", "mimeType": "text/plain", "text": text}
    return {"type": "resource", "resource": content}


async def _fail() -> Sequence[Any]:
    raise ActionFailed("This tool always fails.")


async def _want_sampling() -> Sequence[Any]:
    raise Refused(
        MISSING_CLIENT_CAPABILITY,
        "This tool needs the client to offer sampling.",
        data={"requiredCapabilities": {"sampling": {}}},
    )


def _always(*items: Any) -> Callable[[], Awaitable[Sequence[Any]]]:
    async def reply() -> Sequence[Any]:
        return items

    return reply


async def _report() -> Sequence[Any]:
    for done, stage in enumerate(("begun", "half done", "done")):
        relay(done * 50, 100, stage)
        await SYSTEM_CLOCK.sleep(0.05)
    return ["It was reported."]


_TOOLS: Mapping[str, Callable[[], Awaitable[Sequence[Any]]]] = {
    "test_simple_text": _always("A simple text."),
    "test_image_content": _always(_red_pixel()),
    "test_audio_content": _always(_silence()),
    "test_embedded_resource": _always(_resource()),
    "test_multiple_content_types": _always("Three kinds.", _red_pixel(), _resource()),
    "test_error_handling": _fail,
    "test_tool_with_progress": _report,
    "test_missing_capability": _want_sampling,
    "test_logging_tool": _always("Nothing was logged to the client."),
    "test_streaming_elicitation": _always("Nothing was asked."),
    "test_trigger_tool_change": _always("The list of tools stays as it is."),
    "json_schema_2020_12_tool": _always("The schema is what counts."),
}


class Fixture:
    """A surface whose replies may be ready-made content, for kinds the product never sends."""

    async def instructions(self, scope: RequestScope = EVERYTHING) -> str:
        return "Tools for the conformance suite."

    async def tools(self, scope: RequestScope = EVERYTHING) -> Sequence[Listing]:
        return [
            Listing(
                name=name,
                title=name,
                description=f"Conformance fixture {name}.",
                input_schema=_RICH_SCHEMA if name.startswith("json_schema") else _NO_ARGUMENTS,
                read_only=True,
                idempotent=True,
            )
            for name in _TOOLS
        ]

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        scope: RequestScope = EVERYTHING,
    ) -> Sequence[Any]:
        if name not in _TOOLS:
            raise UnknownTool(name)
        return await _TOOLS[name]()

    async def aclose(self) -> None: ...


def render_any(item: Any) -> dict[str, Any]:
    return item if isinstance(item, dict) else render_item(item)  # pyright: ignore[reportUnknownVariableType]


def main() -> None:
    options = argparse.ArgumentParser(description="Serve the conformance suite's tools.")
    options.add_argument("--port", type=int, default=0)
    port: int = options.parse_args().port

    def print_url(address: Address) -> None:
        print(address.url, flush=True)

    with suppress(KeyboardInterrupt):
        asyncio.run(
            serve_http(
                Fixture(), HttpOptions(port=port, token="", render=render_any), ready=print_url
            )
        )


if __name__ == "__main__":
    main()
