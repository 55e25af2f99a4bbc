"""JSON: requests of clients, answers of apps, and our own files as somebody may change them."""

import contextlib
import json
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from access.authorization_server import EC, EDWARDS, RSA, describe_key, make_token
from cli.clients.machine import CONFIGS
from cli.test_steps import WAY
from handheld.access.issuer import Issuer
from handheld.access.resource_server import ResourceServer
from handheld.access.signed_token import read_keys
from handheld.access.tokens import ScopeMissing, TokenRefused, Tokens, TokensError
from handheld.app_formats.mobile_mcp.message import BadMessage, read_request, read_response
from handheld.app_formats.tool_provider.host import BadTool, read_result, read_tools
from handheld.app_tools.trust import Trust, TrustError
from handheld.cli.clients import jsonc
from handheld.cli.clients.catalog import BY_ID
from handheld.cli.clients.entry import EntryError, put_entry, remove_entry
from handheld.server import envelope
from handheld.tools.steps import SavedSteps, StepsError
from handheld.tools.steps.sharing import read_edited, read_shared, write_shared
from server.mutations import KEYS, METHODS, recorded, usual

from .trial import Target

JSON = (b"null", b"true", b"false", b"{}", b"[]", b"{", b"}", b"[", b"]", b":", b",", b'""')
HALF = (b'"\\ud800"', b'"\\udc00\\ud800"', b"1e999", b"-0.0", b"\\u0000", b"\\u2028")


def parse_request(data: bytes, *, answers_all: bool = False) -> None:
    """What is refused has an answer that can be sent; the rest is judged further."""
    try:
        message = envelope.parse(data, answers_all=answers_all)
    except envelope.Refused as refused:
        envelope.dump(refused.answer())
        raise
    if message.is_request and not answers_all:
        envelope.check_version(message)
        envelope.check_client(message)


def parse_v1_request(data: bytes) -> None:
    parse_request(data, answers_all=True)


def read_access_token(data: bytes) -> None:
    """A header and claims, signed as they are: whoever runs an issuer may write any."""
    head, _, claims = data.partition(b"\n")
    _resource_server().recognise(make_token(head, claims, EDWARDS))


@cache
def _resource_server() -> ResourceServer:
    issuer = Issuer("https://login.example.com")
    issuer._keys = read_keys({"keys": [describe_key("d", EDWARDS)]})
    issuer._fetched = math.inf
    return ResourceServer("https://phones.example.com", [issuer])


def read_key_set(data: bytes) -> None:
    with contextlib.suppress(ValueError, RecursionError):
        if isinstance(document := json.loads(data), dict):
            read_keys(document)


def _requests() -> list[bytes]:
    return list(dict.fromkeys(post.body for post in (*usual(), *recorded()) if post.body))


def read_bundle(data: bytes) -> None:
    """Read what an app answers, as the helper passes it on."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    if not isinstance(value, dict):
        return
    bundle: dict[str, Any] = value
    for read in (read_tools, read_result, read_response, read_request):
        with contextlib.suppress(BadTool, BadMessage):
            read(bundle)


def _bundles() -> list[bytes]:
    schema = {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}}
    tool = {"description": "Weather.", "inputs": [{"name": "city", "type": "a.StringInput"}]}
    response = {"id": "1", "status": "success", "capability": {"id": "a", "output": {"x": 1}}}
    request = {"id": "1", "capability": {"id": "a", "input": {"x": 1}}}
    bundles: list[dict[str, Any]] = [
        {
            "success": True,
            "tool_name": "weather",
            "tool_description": "The weather.",
            "tool_input_schema": json.dumps(schema),
            "tool_input_required": ["city"],
        },
        {"success": True, "tool": json.dumps({"tools": {"weather": tool}})},
        {"success": True, "tool_result": "sunny"},
        {"success": False, "error_message": "no network"},
        {"mobile-mcp-response": json.dumps({"mobile-mcp-response": {"response": response}})},
        {"mobile-mcp-request": json.dumps({"mobile-mcp-request": {"request": request}})},
    ]
    return [json.dumps(bundle).encode() for bundle in bundles]


@cache
def folder() -> "TemporaryDirectory[str]":
    """Of this process; removed when it ends."""
    return TemporaryDirectory(prefix="handheld-fuzz-")


def through_file(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    """Read the data from a file, as our own files are."""

    def run(data: bytes) -> object:
        file = Path(folder().name) / name
        file.write_bytes(data)
        return read(file)

    return run


KEPT = SavedSteps("timer", WAY, "", "codex", "kept by codex", 1_700_000_000.0)


def read_steps_file(data: bytes) -> None:
    for read in (
        lambda: read_shared(data, "steps.json", "phone"),
        lambda: read_edited(data.decode(errors="replace"), KEPT),
    ):
        with contextlib.suppress(StepsError):
            read()


TOKENS = {
    "tokens": [
        {
            "name": name,
            "toolsets": toolsets,
            "phones": [],
            "read_only": bool(toolsets),
            "made": 1_700_000_000.0,
            "expires": expires,
            "salt": "0a" * 16,
            "sha256": "0b" * 32,
        }
        for name, toolsets, expires in (("guest", ["screen"], None), ("other", [], 4e9))
    ]
}
PIN = {"signer": "cd" * 32, "parts": {"org.example.counter.Tools": "ab" * 16}}
APPS = {
    "names": {"counter_count": ["org.example.counter", "service", "count"]},
    "phones": {
        "R58M": {
            "org.example.counter": {
                "package": "org.example.counter",
                "label": "Counter",
                "tools": ["count"],
                "seen": PIN,
                "approved": None,
                "revoked": False,
                "problems": [],
                "present": True,
            }
        }
    },
    "addresses": {"10.0.0.2:5555": "R58M"},
    "apart": [],
}

CLAIMS = b"""{"alg": "EdDSA", "typ": "at+jwt", "kid": "d"}
{"iss": "https://login.example.com", "aud": ["https://phones.example.com"], "sub": "alice",
"scope": "handheld:act handheld:phone:desk", "exp": 4000000000, "nbf": 0, "iat": 1.5}"""
WORDS = tuple(json.dumps(word).encode() for word in (*KEYS, *METHODS))


def install_in_client(data: bytes) -> None:
    """The entry is put into the file of a client, and removed: all else means the same then."""
    client = BY_ID["zed"]
    text = data.decode(errors="replace")
    before = {**jsonc.parse(text)}
    text = put_entry(client, text, client.local.entry(("handheld", "stdio")))
    after = jsonc.parse(remove_entry(client, text))
    for servers in (before, after):
        servers.pop("context_servers", None)
    assert before == after


TARGETS = (
    Target(
        "client-configuration",
        install_in_client,
        lambda: [file.read_bytes() for file in sorted(CONFIGS.glob("*.json"))],
        (EntryError, jsonc.JsonError),
        (*JSON, *HALF, b"//", b"/*", b"*/", b"\n", b'"context_servers"', b'"android"'),
        share=3,
    ),
    Target(
        "json-rpc", parse_request, _requests, (envelope.Refused,), (*JSON, *HALF, *WORDS), share=8
    ),
    Target(
        "json-rpc-v1", parse_v1_request, _requests, (envelope.Refused,), (*JSON, *HALF), share=4
    ),
    Target("app-answers", read_bundle, _bundles, (), (*JSON, *HALF, b'\\"', b"\\\\"), share=4),
    Target(
        "kept-steps",
        read_steps_file,
        lambda: [write_shared(KEPT).encode(), json.dumps(KEPT.as_json()).encode()],
        (),
        (*JSON, *HALF, b"{app}", b"{", b"}}", b'"tool"', b'"choices"', b'"type"'),
        share=3,
    ),
    Target(
        "tokens-file",
        through_file("tokens.json", lambda file: Tokens(file).all()),
        lambda: [json.dumps(TOKENS).encode()],
        (TokensError,),
        JSON,
        share=2,
    ),
    Target(
        "access-token",
        read_access_token,
        lambda: [CLAIMS],
        (TokenRefused, ScopeMissing),
        (
            *JSON,
            *HALF,
            b'"exp"',
            b'"scp"',
            b'"client_id"',
            b"handheld:toolset:x",
            b"1e308",
            b"9" * 400,
        ),
        share=3,
    ),
    Target(
        "key-set",
        read_key_set,
        lambda: [
            json.dumps({"keys": [describe_key("k", key) for key in (RSA, EC, EDWARDS)]}).encode()
        ],
        (),
        (*JSON, *HALF, b'"kty"', b'"RSA"', b'"EC"', b'"OKP"', b'"key_ops"', b'"AQAB"'),
        share=2,
    ),
    Target(
        "apps-file",
        through_file("apps.json", lambda file: Trust(file, first_use=False).records()),
        lambda: [json.dumps(APPS).encode()],
        (TrustError,),
        JSON,
        share=2,
    ),
)
