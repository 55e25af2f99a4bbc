"""Our answers and the SDK's, beside each other.

`Pair` sends a request to both over HTTP's ASGI, `converse` a conversation over stdio. The SDK
is not asked about what is no message of the protocol. Of all else it gets what we use (`used`), and
has to answer the same (`agree`).
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.calls.local import Caller
from handheld.errors import ActionFailed, UnknownPhone, UnknownTool
from handheld.server.answers import Answers
from handheld.server.edge import Edge
from handheld.server.envelope import METHOD_NOT_FOUND, Message, Refused, parse
from handheld.server.options import HttpOptions
from handheld.server.stdio import serve_stdio
from handheld.server.subscriptions import LISTEN
from handheld.server.versions import (
    CLIENT_CAPABILITIES,
    CLIENT_INFO,
    PROGRESS_TOKEN,
    PROTOCOL_VERSION,
    UNSUPPORTED_PROTOCOL_VERSION,
)
from handheld.tools.call import TRANSPORT_META
from handheld.tools.tool import Image, Item, Listing
from harness.polling import HANG

from .sdk import Lines, open_app, run_session
from .wire import Line

LISTED = Path(__file__).parent / "tool_lists.json"

SERVED: Mapping[str, tuple[str, ...]] = {
    "initialize": ("protocolVersion", "capabilities", "clientInfo"),
    "ping": (),
    "server/discover": (),
    "subscriptions/listen": ("notifications",),
    "tools/list": ("cursor",),
    "tools/call": ("name", "arguments"),
    "notifications/cancelled": ("requestId",),
}
"""What we read of the params of each method."""
ROUTING = ("mcp-protocol-version", "mcp-method", "mcp-name")
META_USED = (PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, PROGRESS_TOKEN, TRANSPORT_META)

Header = tuple[str, str]


@dataclass(frozen=True)
class Post:
    """One request: its headers besides those that all have, and its body."""

    headers: tuple[Header, ...]
    body: bytes
    path: str = "/mcp"


@dataclass(frozen=True)
class Reply:
    status: int
    body: Any
    raw: bytes


class TellingSurface:
    """Its tools tell all that they are called with; their names begin with what they do."""

    def __init__(self, listings: Sequence[Listing]) -> None:
        self._listings = listings

    async def instructions(self, scope: RequestScope = EVERYTHING) -> str:
        return "" if scope.read_only else f"For \ud83d {scope}"

    async def tools(self, scope: RequestScope = EVERYTHING) -> Sequence[Listing]:
        if scope.phone == "nobody":
            raise UnknownPhone("There is no phone nobody.")
        if scope.phone == "broken":
            raise ValueError("secret internals")
        return self._listings

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        scope: RequestScope = EVERYTHING,
    ) -> Sequence[Item]:
        if name.startswith("picture"):
            return ["see", Image(b"\xff\xd8", "image/jpeg")]
        if name.startswith("fails"):
            raise ActionFailed("It did not work.", "but \ud800 this is known")
        if name.startswith("breaks"):
            raise ValueError("secret internals")
        if name.startswith("no"):
            raise UnknownTool(name)
        if scope.phone == "nobody":
            raise UnknownPhone("There is no phone nobody.")
        return [f"{name} {json.dumps(arguments)} {caller} {scope}", "half \ud83d"]

    async def aclose(self) -> None: ...


def listings() -> list[Listing]:
    """All tools of the product, as clients get them."""
    return [
        Listing(tool["name"], tool["title"], tool["description"], tool["inputSchema"])
        for surface in json.loads(LISTED.read_text(encoding="utf-8")).values()
        for tool in surface
        if "title" in tool
    ]


def agree(message: Message, ours: Any, theirs: Any) -> bool:
    """Whether two answers say the same. An error's sentence is our own. Which error comes first is
    decided differently for methods that we do not have, whose params we do not judge, and for
    versions that neither has."""
    ours_code, their_code = code_of(ours), code_of(theirs)
    if ours_code is None or their_code is None:
        return ours == theirs
    return ours["id"] == theirs["id"] and (
        ours_code in (their_code, UNSUPPORTED_PROTOCOL_VERSION)
        or (ours_code == METHOD_NOT_FOUND and message.method not in {*SERVED} - {LISTEN})
    )


def code_of(answer: Any) -> int | None:
    return answer.get("error", {}).get("code") if isinstance(answer, dict) else None


def used(body: dict[str, Any]) -> dict[str, Any]:
    """A message without what we neither use nor judge."""
    if "method" not in body:
        return {"jsonrpc": "2.0", "id": body["id"], "result": {}}
    body = {key: body[key] for key in ("jsonrpc", "id", "method", "params") if key in body}
    params: Any = body.get("params")
    if isinstance(params, dict):
        read = (*SERVED.get(body["method"], ()), "_meta")
        kept = {key: params[key] for key in read if key in params}
        if isinstance(kept.get("_meta"), dict):
            meta = {key: kept["_meta"][key] for key in META_USED if key in kept["_meta"]}
            kept["_meta"] = _client_used(meta, CLIENT_CAPABILITIES, CLIENT_INFO)
        body["params"] = _client_used(kept, "capabilities", "clientInfo")
    return body


def _client_used(fields: dict[str, Any], capabilities: str, info: str) -> dict[str, Any]:
    if isinstance(fields.get(capabilities), dict):
        fields[capabilities] = {}
    if isinstance(fields.get(info), dict):
        told: dict[str, Any] = fields[info]
        fields[info] = {key: told[key] for key in ("name", "version") if key in told}
    return fields


class Pair:
    """Our edge and the SDK's application, in front of one surface."""

    def __init__(self, ours: Edge, theirs: Any) -> None:
        self._ours, self._theirs = ours, theirs

    async def ask(self, post: Post) -> tuple[Reply, Reply | None]:
        """Our reply and, unless the request is none of the protocol, the SDK's."""
        narrowing = [name for name, _ in post.headers if name.startswith("x-mcp-")]
        headers = [(name, value) for name, value in post.headers if name not in narrowing]
        ours = await self._ask_ours(headers, post.body)
        try:
            body = used(parse(post.body).body)
        except Refused:
            return ours, None
        if isinstance(ours.body, dict) and isinstance(ours.body.get("error"), str):
            return ours, None
        kept = [(name, value) for name, value in headers if name not in ("accept", "content-type")]
        accept = ("accept", "application/json, text/event-stream")
        return ours, await _ask(self._theirs, [*kept, accept], json.dumps(body).encode())

    async def _ask_ours(self, headers: Sequence[Header], body: bytes) -> Reply:
        fixed = [("host", "127.0.0.1"), ("content-type", "application/json")]
        length = ("content-length", str(len(body)))
        fields = [f"{name}: {value}\r\n" for name, value in (*fixed, *headers, length)]
        line = Line(self._ours)
        await line.send(f"POST /mcp HTTP/1.1\r\n{''.join(fields)}\r\n".encode("latin-1") + body)
        await asyncio.gather(*line.tasks)
        head, _, raw = line.text.partition(b"\r\n\r\n")
        return Reply(int(head[9:12]), json.loads(raw) if raw else None, raw)

    async def differ(self, post: Post) -> tuple[Reply, Reply] | None:
        """The two replies if they say something else."""
        ours, theirs = await self.ask(post)
        if theirs is None:
            return None
        named = [name for name, _ in post.headers if name in ROUTING]
        if len(named) > len(set(named)) and (
            code_of(ours.body) is not None or "mcp-name" in named[:-1]
        ):
            # We refuse what is repeated with the error for another value, and read a name only
            # where the body has one.
            return None
        same = agree(parse(post.body), ours.body, theirs.body)
        if code_of(ours.body) == code_of(theirs.body):
            same &= ours.status == theirs.status
        return None if same else (ours, theirs)


async def _ask(app: Any, sent: Sequence[Header], body: bytes) -> Reply:
    content = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    headers = [(name.encode("latin-1"), value.strip().encode("latin-1")) for name, value in sent]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "query_string": b"",
        "headers": [*content, *headers],
    }
    pending = [{"type": "http.request", "body": body, "more_body": False}]
    events: list[Any] = []

    async def receive() -> Any:
        return pending.pop() if pending else await asyncio.Event().wait()

    async def send(event: Any) -> None:
        events.append(event)

    await app(scope, receive, send)
    start, *parts = events
    raw = b"".join(part.get("body", b"") for part in parts)
    return Reply(start["status"], json.loads(raw) if raw else None, raw)


@asynccontextmanager
async def open_pair() -> AsyncGenerator[Pair]:
    answers = Answers(TellingSurface(listings()[:6]), transport="http", name="both")
    async with open_app(answers) as app:
        yield Pair(Edge(answers, HttpOptions(token="", name="both")), app)


async def converse(lines: Sequence[bytes], *, ours: bool) -> list[Any]:
    """What a stdio client reads when it sends these lines, and waits for the answer to each that
    demands one."""
    stdin = asyncio.StreamReader(limit=1 << 20)
    read: list[Any] = []
    answered = asyncio.Condition()

    class Stdout:
        async def write(self, data: bytes, /) -> None:
            async with answered:
                read.append(json.loads(data))
                answered.notify_all()

    surface = TellingSurface(listings()[:2])
    serve = serve_stdio if ours else _serve_by_sdk
    serving = asyncio.create_task(serve(surface, stdin, Stdout(), changed=_never()))
    due = 0
    for line in lines:
        stdin.feed_data(line + b"\n")
        due += demands_answer(line)
        async with asyncio.timeout(HANG), answered:
            while len(read) < due:
                await answered.wait()
    stdin.feed_eof()
    async with asyncio.timeout(HANG):
        await serving
    return read


async def conversation_differs(lines: Sequence[bytes]) -> tuple[list[Any], list[Any]] | None:
    """What both say over stdio, if it is something else."""
    ours, theirs = await converse(lines, ours=True), await converse(lines, ours=False)
    asked = [line for line in lines if demands_answer(line)]
    same = len(ours) == len(theirs) and all(
        our == their or agree(parse(line), our, their)
        for line, our, their in zip(asked, ours, theirs, strict=False)
    )
    return None if same else (ours, theirs)


async def _never() -> AsyncIterator[Any]:
    await asyncio.Event().wait()
    yield


async def _serve_by_sdk(
    surface: TellingSurface,
    stdin: asyncio.StreamReader,
    stdout: Any,
    *,
    changed: AsyncIterator[Any],
) -> None:
    """What cannot be parsed is refused as we do it: the SDK does not answer it."""
    answers = Answers(surface, transport="stdio", notifies=True)
    lines: Lines = asyncio.Queue()

    async def put(message: dict[str, Any]) -> None:
        await stdout.write(json.dumps(message).encode())

    serving = asyncio.create_task(run_session(answers, lines, put))
    async for line in stdin:
        try:
            message = parse(line)
        except Refused as refused:
            if line.strip():
                await put(refused.answer())
            continue
        if message.method is not None:
            lines.put_nowait(used(message.body))
    lines.put_nowait(None)
    await serving


def demands_answer(line: bytes) -> bool:
    """Whether a line is neither empty, nor a notification, nor a response."""
    try:
        message = json.loads(line.decode())
        json.dumps(message, ensure_ascii=False).encode()  # no half of a surrogate pair
    except ValueError:
        return bool(line.strip())
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return True
    if isinstance(message.get("method"), str):
        return "id" in message or not isinstance(message.get("params"), dict | None)
    return "id" not in message or not ("result" in message or "error" in message)
