"""The two ways of an answer, beside each other: ours, and the SDK's for every request.

`Pair` sends a request to both over HTTP's ASGI, `Lines` a conversation over stdio. Each difference
in what a client can see is a defect, except for those that `Reply` and `docs/decisions.md` name.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from handheld.access.tool_filter import EVERYTHING, ToolFilter
from handheld.errors import ActionFailed, UnknownPhone, UnknownTool
from handheld.server.answers import Answers
from handheld.server.edge import Edge
from handheld.server.late_sdk import LateSdk
from handheld.server.options import HttpOptions
from handheld.server.recognition import is_common
from handheld.server.sms_form import describe
from handheld.server.stdio import serve_stdio
from handheld.surface.local import Caller
from handheld.toolkit.tool import Image, Item, Listing

LISTED = Path(__file__).parent / "tool_lists.json"

Header = tuple[str, str]


@dataclass(frozen=True)
class Post:
    """One request: its headers besides those that all have, and its body."""

    headers: tuple[Header, ...]
    body: bytes
    path: str = "/mcp"


@dataclass(frozen=True)
class Reply:
    """What a client sees. Not compared: the order of keys and the escapes in JSON (and with them
    its length), and which session id is drawn."""

    status: int
    headers: tuple[Header, ...]
    body: Any
    raw: bytes = field(compare=False)

    @classmethod
    def of(cls, status: int, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> "Reply":
        named = [(name.decode(), value.decode()) for name, value in headers]
        assert ("content-length", str(len(body))) in named
        fixed = {"content-length": "", "mcp-session-id": "any"}
        shown = sorted((name, fixed.get(name, value)) for name, value in named)
        return cls(status, tuple(shown), json.loads(body) if body else None, body)


class TellingSurface:
    """Its tools tell all that they are called with; their names begin with what they do."""

    def __init__(self, listings: Sequence[Listing]) -> None:
        self._listings = listings

    async def instructions(self, tool_filter: ToolFilter = EVERYTHING) -> str:
        return "" if tool_filter.read_only else f"For \ud83d {tool_filter}"

    async def tools(self, tool_filter: ToolFilter = EVERYTHING) -> Sequence[Listing]:
        if tool_filter.phone == "nobody":
            raise UnknownPhone("There is no phone nobody.")
        if tool_filter.phone == "broken":
            raise ValueError("secret internals")
        return self._listings

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        tool_filter: ToolFilter = EVERYTHING,
    ) -> Sequence[Item]:
        if name.startswith("picture"):
            return ["see", Image(b"\xff\xd8", "image/jpeg")]
        if name.startswith("fails"):
            raise ActionFailed("It did not work.", "but \ud800 this is known")
        if name.startswith("breaks"):
            raise ValueError("secret internals")
        if name.startswith("no"):
            raise UnknownTool(name)
        if tool_filter.phone == "nobody":
            raise UnknownPhone("There is no phone nobody.")
        return [f"{name} {json.dumps(arguments)} {caller} {tool_filter}", "half \ud83d"]

    async def aclose(self) -> None: ...


def listings() -> list[Listing]:
    """All tools of the product, as clients get them."""
    return [
        Listing(tool["name"], tool["title"], tool["description"], tool["inputSchema"])
        for surface in json.loads(LISTED.read_text(encoding="utf-8")).values()
        for tool in surface
        if "title" in tool
    ]


def recognise_nothing(*_: object) -> bool:
    return False


class Pair:
    """Two edges in front of one surface."""

    def __init__(self, ours: Edge, theirs: Edge) -> None:
        self._edges = (ours, theirs)

    async def ask(self, post: Post) -> tuple[Reply, Reply]:
        """The replies of our way and of the SDK's."""
        ours, theirs = self._edges
        return await _ask(ours, post), await _ask(theirs, post)


async def _ask(edge: Edge, post: Post) -> Reply:
    content = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in post.headers]
    scope = {
        "type": "http",
        "method": "POST",
        "path": post.path,
        "raw_path": post.path.encode(),
        "query_string": b"",
        "headers": [*content, *headers],
    }
    pending = [{"type": "http.request", "body": post.body, "more_body": False}]
    sent: list[Any] = []

    async def receive() -> Any:
        return pending.pop() if pending else await asyncio.Event().wait()

    async def send(event: Any) -> None:
        sent.append(event)

    await edge(scope, receive, send)
    start, *parts = sent
    body = b"".join(part["body"] for part in parts)
    return Reply.of(start["status"], start["headers"], body)


@asynccontextmanager
async def open_pair(*, sms: bool = False) -> AsyncGenerator[Pair]:
    surface = TellingSurface(listings()[:6])
    options = HttpOptions(token="", name="both", sms=sms, agent=True)
    form = describe if sms else Listing.as_json
    answers = Answers(surface, transport="http", name="both", describe=form)
    sdks = LateSdk(answers, options.body_limit), LateSdk(answers, options.body_limit)
    edges = Edge(sdks[0], options, answers), Edge(sdks[1], options, answers, recognise_nothing)
    stopping = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        for edge in edges:
            tasks.create_task(_live(edge, stopping))
        try:
            yield Pair(*edges)
        finally:
            stopping.set()


async def _live(edge: Edge, stopping: asyncio.Event) -> None:
    events = iter(("lifespan.startup", "lifespan.shutdown"))

    async def receive() -> Any:
        kind = next(events)
        if kind == "lifespan.shutdown":
            await stopping.wait()
        return {"type": kind}

    async def send(_: Any) -> None: ...

    await edge({"type": "lifespan"}, receive, send)


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

    recognise = is_common if ours else recognise_nothing
    surface = TellingSurface(listings()[:2])
    serving = asyncio.create_task(serve_stdio(surface, stdin, Stdout(), recognise=recognise))
    due = 0
    for line in lines:
        stdin.feed_data(line + b"\n")
        due += demands_answer(line)
        async with asyncio.timeout(60), answered:
            while len(read) < due:
                await answered.wait()
    stdin.feed_eof()
    async with asyncio.timeout(60):
        await serving
    return read


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
