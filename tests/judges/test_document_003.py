"""The request that the SMS server's document prints, sent byte for byte."""

import http.client
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from judging import HANDHELD, ROOT, TOOLS, WHOLE, Served, environment, serving

HEAD = """\
POST /mcp HTTP/1.1
host: 192.168.0.11:9531
connection: keep-alive
mcp-protocol-version: 2025-11-25
content-type: application/json
accept: application/json, text/event-stream
accept-language: *
sec-fetch-mode: cors
user-agent: node
accept-encoding: gzip, deflate
content-length: 46
"""
# Printed over several lines, but counted as 46 bytes: so it goes out as its sender wrote it.
BODY = b'{"method":"tools/list","jsonrpc":"2.0","id":1}'


@pytest.fixture
def open_server(home: Path) -> Iterator[Served]:
    """No token, and the document's host allowed."""
    command = [*HANDHELD, "serve", "--phone", "virtual", "--no-token"]
    command += ["--allow-host", "192.168.0.11"]
    with serving(command, home, environment(home)) as server:
        yield server


def test_the_request_is_the_one_the_document_prints() -> None:
    folder = ROOT.parent / "shared" / "spec"
    documents = list(folder.glob("003_*.txt"))
    if not documents:
        pytest.skip(f"The document is not in {folder}.")
    text = documents[0].read_text(encoding="utf-8")
    head, _, rest = text[text.index("POST /mcp HTTP/1.1") :].partition("{")
    body, _, _ = rest.partition("}")
    assert head == HEAD
    assert json.dumps(json.loads("{" + body + "}"), separators=(",", ":")).encode() == BODY


def test_the_printed_request_is_answered_with_the_tools_as_json(open_server: Served) -> None:
    request = HEAD.replace("\n", "\r\n").encode() + b"\r\n" + BODY
    with socket.create_connection(("127.0.0.1", open_server.port), timeout=WHOLE) as stream:
        stream.sendall(request)
        response = http.client.HTTPResponse(stream, method="POST")
        response.begin()
        body = response.read()
    assert (response.status, response.getheader("content-type")) == (200, "application/json")
    assert response.getheader("content-length") == str(len(body))
    answer = json.loads(body)
    names = [tool["name"] for tool in answer["result"].pop("tools")]
    assert (answer, names) == ({"jsonrpc": "2.0", "id": 1, "result": {}}, TOOLS)
