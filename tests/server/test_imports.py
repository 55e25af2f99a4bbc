"""What a serving process does not load."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .little import HELLO, META, call, headers_for, request

TESTS = str(Path(__file__).resolve().parent.parent)
PROGRAM = """
import asyncio, json, sys
from conformance_tools import Fixture
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.server.stdio import serve_stdio

async def over_http(posts):
    async with open_http(Fixture(), HttpOptions(port=0, token="")) as address:
        reader, writer = await asyncio.open_connection("127.0.0.1", address.port)
        for headers, body in posts:
            head = "".join(f"{name}: {value}\\r\\n" for name, value in headers.items())
            content = json.dumps(body).encode()
            writer.write(
                f"POST /mcp HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Type: application/json\\r\\n"
                f"{head}Content-Length: {len(content)}\\r\\n\\r\\n".encode() + content
            )
            head = (await reader.readuntil(b"\\r\\n\\r\\n")).lower()
            await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\\r\\n")[0]))
            print(json.dumps(loaded()))
        writer.close()

async def over_stdio(posts):
    stdin, more = asyncio.StreamReader(), asyncio.Queue()
    class Stdout:
        async def write(self, data, /):
            more.put_nowait(data)
    serving = asyncio.create_task(serve_stdio(Fixture(), stdin, Stdout()))
    for _, body in posts:
        stdin.feed_data(json.dumps(body).encode() + b"\\n")
        if "id" in body:
            await more.get()
        print(json.dumps(loaded()))
    stdin.feed_eof()
    await serving

def loaded():
    heavy = {"mcp", "mcp_types", "httpx", "PIL", "cryptography"}
    return sorted(heavy & set(sys.modules))

transport, posts = sys.argv[1], json.loads(sys.argv[2])
asyncio.run({"http": over_http, "stdio": over_stdio}[transport](posts))
"""


REST = [("http", False), ("http", True), ("stdio", False)]


@pytest.mark.parametrize(
    ("transport", "modern"),
    [
        ("stdio", True),
        *(pytest.param(*each, marks=pytest.mark.matrix) for each in REST),
    ],
)
def test_no_request_loads_what_only_tools_need(transport: str, modern: bool) -> None:
    meta = {"_meta": META} if modern else {}
    bodies = [
        request("server/discover", meta) if modern else request("initialize", HELLO),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *([] if modern else [request("ping")]),
        request("tools/list", meta),
        call("test_simple_text", modern=modern),
        request("prompts/list", meta),
    ]
    posts = json.dumps([(headers_for(body, modern=modern), body) for body in bodies])
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, transport, posts],
        env={**os.environ, "PYTHONPATH": TESTS},
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert [json.loads(line) for line in run.stdout.splitlines()] == [[]] * len(bodies)
