"""Requests as clients send them, and changes to them that clients may make by mistake."""

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from .both_ways import Post
from .little import HELLO, LEGACY, META, MODERN, call, headers_for, request

RECORDED = Path(__file__).parent / "requests.jsonl"
"""Requests that the tests, the MCP conformance suite, the Inspector and the TypeScript clients
sent, as the edge got them: each a list of headers and a body."""

METHODS = (
    *("initialize", "ping", "server/discover", "tools/list", "tools/call"),
    *("notifications/initialized", "notifications/cancelled", "notifications/progress"),
    *("prompts/list", "resources/list", "resources/read", "logging/setLevel"),
    *("completion/complete", "subscriptions/listen", "tasks/get", "no/such", "Ping", ""),
)
TOOLS = ("echo", "picture", "fails", "breaks", "no", "äöü", "=?base64?ZWNobw==?=", "")
KEYS = (
    *("jsonrpc", "id", "method", "params", "result", "error", "_meta", "name", "arguments"),
    *("cursor", "progressToken", "task", "inputResponses", "requestState", *META),
    *("io.modelcontextprotocol/logLevel", "dev.handheld/door", "io.example/other"),
    *("protocolVersion", "capabilities", "clientInfo", "version", "title", "description"),
    *("icons", "websiteUrl", "roots", "sampling", "elicitation", "experimental", "extensions"),
    *("tasks", "requests", "list", "cancel", "form", "url", "context", "tools", "create"),
    *("createMessage", "listChanged", "requestId", "src", "sizes", "ttl", "x", ""),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 1.5, 10**30, "", "x", "7", "true", "info", "stdio", "äöü"),
    *(MODERN, *LEGACY, "1999-01-01", *TOOLS, [], [1], ["x"], [{}], {}, {"x": 1}, {"x": {}}),
    *({"listChanged": True}, {"listChanged": "yes"}, {"listChanged": {}}, {"form": None}),
    *({"requests": {"sampling": []}}, {"name": "c", "version": "1"}, {"name": "c"}, META, HELLO),
    *({"src": "data:,"}, [{"src": "data:,"}], {"ttl": 1}, {"a": {"action": "accept"}}),
)
HEADERS = (
    *("mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id", "mcp-param-x"),
    *("x-mcp-readonly", "x-mcp-tools", "accept", "content-type", "x-other"),
)
HEADER_VALUES = (
    *("", "x", MODERN, *LEGACY, "1999-01-01", "true", "application/json", "*/*", "text/html"),
    *(*TOOLS[:-1], "=?base64?w6TDtsO8?=", "=?base64?%?="),
    *METHODS,
)
PATHS = ("/mcp", "/mcp", "/mcp", "/mcp/agent", "/phones/x/mcp", "/phones/nobody/mcp")
CAPABILITIES = {
    "roots": {"listChanged": True},
    "sampling": {"tools": {}, "context": {}},
    "elicitation": {"form": {"applyDefaults": True}, "url": {}},
    "experimental": {"io.example/x": {"y": 1}},
    "tasks": {"list": {}, "requests": {"sampling": {"createMessage": {}}}},
}
LISTENED = {"toolsListChanged": True}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_CANCELLED = {**READY, "method": "notifications/cancelled", "params": {"requestId": 1}}


def usual() -> list[Post]:
    """Requests of both eras in their usual form."""
    rich = {**HELLO, "capabilities": CAPABILITIES}
    old: list[Any] = [
        *(request("initialize", {**rich, "protocolVersion": one}) for one in (*LEGACY, "x")),
        *(request(method) for method in ("ping", "tools/list", "prompts/list")),
        *(call(tool, {"x": 1, "y": "ä"}) for tool in TOOLS),
        *(READY, _CANCELLED),
    ]
    meta = {**META, "io.modelcontextprotocol/clientCapabilities": CAPABILITIES}
    new: list[Any] = [
        *(request(one, {"_meta": meta}) for one in ("server/discover", "tools/list", "ping")),
        *(call(tool, {"x": 1, "y": "ä"}, modern=True) for tool in TOOLS),
        request("subscriptions/listen", {"_meta": meta, "notifications": LISTENED}, id="l"),
        *(READY, _CANCELLED),
    ]
    return [
        Post(tuple(_plain(headers_for(body, modern=body in new)).items()), encode(body), path)
        for body in (*old, *new)
        for path in dict.fromkeys(PATHS)
    ]


def recorded() -> list[Post]:
    lines = RECORDED.read_text(encoding="utf-8").splitlines()
    read = [json.loads(line) for line in lines]
    return [
        Post(tuple((name, value) for name, value in headers), body.encode("latin-1"))
        for headers, body in read
    ]


def is_modern(post: Post) -> bool:
    return ("mcp-protocol-version", MODERN) in post.headers


def conversation(chance: random.Random, *, modern: bool | None = None) -> list[bytes]:
    """Lines of a stdio client: of one era, or now and then of both; some in unusual form."""
    era = chance.random() < 0.5 if modern is None else modern
    hello = encode(request("initialize", {**HELLO, "capabilities": CAPABILITIES}, id="h"))
    lines = [] if era or chance.random() < 0.2 else [hello, encode(READY)]
    base = usual()
    for _ in range(chance.randint(2, 8)):
        strange = chance.random() < 0.1
        post = chance.choice([one for one in base if is_modern(one) == (era != strange)])
        if chance.random() < 0.5:
            post = mutate(post, chance)
        lines.append(post.body.replace(b"\n", b" "))
    return lines


def mutate(post: Post, chance: random.Random) -> Post:
    """The same with one to three changes."""
    for _ in range(chance.randint(1, 3)):
        post = chance.choice(_CHANGES)(post, chance)
    return post


def encode(body: Any) -> bytes:
    return json.dumps(body).encode()


def _plain(headers: dict[str, str]) -> dict[str, str]:
    """Names that HTTP cannot carry are left out."""
    return {name: value for name, value in headers.items() if value.isascii()}


def _change_value(post: Post, chance: random.Random) -> Post:
    try:
        root: Any = [json.loads(post.body)]
    except ValueError:
        return post
    holder, key = chance.choice(_places(root))
    keyed = isinstance(key, str)
    match chance.randrange(5):
        case 0 if keyed:
            del holder[key]
        case 1 if keyed:
            holder[chance.choice(KEYS)] = holder.pop(key)
        case 2 if keyed:
            holder[chance.choice(KEYS)] = chance.choice(VALUES)
        case 3 if isinstance(holder[key], dict):
            holder[key] = {**holder[key], chance.choice(KEYS): chance.choice(VALUES)}
        case _:
            holder[key] = chance.choice(VALUES)
    return Post(post.headers, encode(root[0]), post.path)


def _places(value: Any) -> Sequence[tuple[Any, Any]]:
    """Every place in a JSON value: what holds it, and its key or index there."""
    found: list[tuple[Any, Any]] = []
    keys: Sequence[Any] = list(cast("Any", value)) if isinstance(value, dict) else range(len(value))
    for key in keys:
        item = value[key]
        found.append((value, key))
        if isinstance(item, dict | list):
            found += _places(item)
    return found


def _change_method(post: Post, chance: random.Random) -> Post:
    """A method of the protocol, in the headers too."""
    try:
        body = json.loads(post.body)
    except ValueError:
        return post
    if not isinstance(body, dict):
        return post
    body["method"] = method = chance.choice(METHODS)
    headers = [(name, method if name == "mcp-method" else value) for name, value in post.headers]
    return Post(tuple(headers), encode(body), post.path)


def _change_header(post: Post, chance: random.Random) -> Post:
    headers = list(post.headers)
    new = chance.choice(HEADERS), chance.choice(HEADER_VALUES).encode().decode("latin-1")
    match chance.randrange(4):
        case 0 if headers:
            headers.pop(chance.randrange(len(headers)))
        case 1 if headers:
            headers.append(chance.choice(headers))
        case 2 if headers:
            at = chance.randrange(len(headers))
            headers[at] = (headers[at][0], new[1])
        case _:
            headers.append(new)
    return Post(tuple(headers), post.body, post.path)


def _change_bytes(post: Post, chance: random.Random) -> Post:
    at = chance.randrange(len(post.body) + 1)
    middle = chance.choice((b"", b"\xff", b"{", b'"', b"\\ud800", b"1e999", b"NaN", b" ", b"]"))
    return Post(post.headers, post.body[:at] + middle + post.body[at + 1 :], post.path)


def _change_path(post: Post, chance: random.Random) -> Post:
    return Post(post.headers, post.body, chance.choice(PATHS))


_CHANGES: Sequence[Callable[[Post, random.Random], Post]] = (
    *(_change_value,) * 6,
    *(_change_method, _change_header, _change_header, _change_bytes, _change_path),
)
