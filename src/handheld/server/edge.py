"""What stands between the network and the SDK: who may speak, to what, and in what form."""

import asyncio
import json
import logging
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol, cast
from urllib.parse import unquote

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from ..access.tokens import AccessToken
from ..access.tool_filter import EVERYTHING, ToolFilter
from ..clock import SYSTEM_CLOCK, Clock
from ..errors import ToolError
from .bearer import Bearer, Recognise, recognise_none
from .calls import Calls, Key, OpenRequest, Outcome, Session, Stop
from .envelope import (
    CANCELLED,
    INTERNAL_SENTENCE,
    INVALID_PARAMS,
    HalfPair,
    Id,
    Message,
    Refused,
    dump,
    error_answer,
    parse,
    tidy,
)
from .exchange import App, Disconnected, Event, Exchange, Headers, HttpRefusal, Receive, Scope, Send
from .hosts import HostCheck
from .mcp import CLIENT, NARROWING, OUTCOME, WHOSE
from .sms_form import order, reorder
from .text import cut

BODY_LIMIT = 16 * 1024 * 1024
BODY_SECONDS = 60.0
MOST_CALLS = 1000
MOST_SESSIONS = 1000
LOOK_SECONDS = 1.0
"""How often it is looked whether the token of a call that runs still holds."""
OUTCOME_SECONDS = 3.0
"""How long a cancelled call may take to say how far it had come."""

Phones = Callable[[], Awaitable[Sequence[Mapping[str, Any]]]]
Release = Callable[[str], Awaitable[str]]
Opening = Callable[[ToolFilter], Awaitable[str | None]]
"""The instructions for a client who is left so much; None where they are everyone's."""
First = Callable[[], App]
"""Makes the first surface, whose paths begin below /mcp/v1."""


class Console(Protocol):
    """The pages for a person, at / and below /console. They check for themselves who asks."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...

    def stop(self) -> None:
        """End what would not end by itself."""
        ...


_ACCEPT = (b"accept", b"application/json, text/event-stream")
_NO = frozenset({"", "0", "false", "no", "off"})
_REPLACED = frozenset({b"accept", b"content-length", b"transfer-encoding"})

log = logging.getLogger(__name__)


class Edge:
    """A pure ASGI application around the SDK's.

    `opening` runs before a client is greeted, `phones` and `release` serve the command line, and
    `v1` is asked at the first request for it. An empty token switches the bearer check off;
    `recognise` knows further ones.
    """

    def __init__(
        self,
        app: App,
        *,
        version: str,
        token: str,
        recognise: Recognise = recognise_none,
        gate: HostCheck,
        body_limit: int = BODY_LIMIT,
        body_seconds: float = BODY_SECONDS,
        opening: Opening | None = None,
        phones: Phones | None = None,
        release: Release | None = None,
        v1: First | None = None,
        console: Console | None = None,
        sms_form: bool = False,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._app = app
        self._version = version
        self._clock = clock
        self._bearer = Bearer(token, recognise)
        self._gate = gate
        self._body_limit = body_limit
        self._body_seconds = body_seconds
        self._opening = opening
        self._phones = phones
        self._release = release
        self._v1 = None if v1 is None else cache(v1)
        self._console = console
        self._sms_form = sms_form
        """The sms surface's: keys in its order for older clients, and no session ids."""
        self._calls = Calls()
        self._clients: OrderedDict[Session, str] = OrderedDict()
        """Sessions and what their clients call themselves; the oldest are forgotten."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        exchange = Exchange(scope, receive, send, self._clock)
        try:
            await self._route(exchange)
        except HttpRefusal as refusal:
            await exchange.refuse(refusal)
        except Disconnected:
            log.debug("a client left before its request was read")
        except Exception:
            log.exception("a request failed")
            if not exchange.begun:
                await exchange.refuse(HttpRefusal(500, "internal", INTERNAL_SENTENCE))

    def stop_streams(self) -> None:
        """End what would go on for as long as there is somebody to hear it."""
        if self._console is not None:
            self._console.stop()

    def stop_running(self) -> None:
        """Stop every call that has no answer yet; each client is told."""
        self._calls.stop_all()

    async def _route(self, exchange: Exchange) -> None:
        self._check_names(exchange)
        raw: bytes = exchange.scope.get("raw_path") or exchange.scope["path"].encode()
        path = [unquote(part) for part in raw.decode("latin-1").partition("?")[0].split("/")[1:]]
        method: str = exchange.scope["method"]
        if path[0] == ".well-known":
            # OAuth-capable clients look here after a 401; there is nothing to discover.
            raise HttpRefusal(404, "not_found", "There is no OAuth here; send the token as bearer.")
        if path == ["health"] and method == "GET":
            await exchange.send_json(200, {"status": "healthy", "version": self._version})
            return
        page = path[0] == "console" or (path == [""] and method == "GET")
        if self._console is not None and page:
            await self._console(exchange.scope, exchange.receive, exchange.pass_on)
            return
        token = self._bearer.check(exchange)
        match path:
            case ["mcp"]:
                _want(method, "POST")
                await self._serve(exchange, token, _tool_filter(exchange, None, token))
            case ["phones", phone, "mcp"] if phone:
                _want(method, "POST")
                await self._serve(exchange, token, _tool_filter(exchange, phone, token))
            case ["mcp", "v1", *route] if self._v1 is not None:
                tool_filter = _tool_filter(exchange, None, token)
                await self._serve_v1(exchange, token, tool_filter, route, self._v1())
            case ["phones", phone, "mcp", "v1", *route] if phone and self._v1 is not None:
                tool_filter = _tool_filter(exchange, phone, token)
                await self._serve_v1(exchange, token, tool_filter, route, self._v1())
            case ["phones"] if self._phones is not None:
                _want(method, "GET")
                _want_no_limits(token)
                await exchange.send_json(200, [dict(phone) for phone in await self._phones()])
            case ["phones", phone, "release"] if phone and self._release is not None:
                _want(method, "POST")
                _want_no_limits(token)
                try:
                    await exchange.send_json(200, {"message": await self._release(phone)})
                except ToolError as error:
                    raise HttpRefusal(409, "failed", error.message) from error
            case ["health"]:
                _want(method, "GET")
            case _:
                raise HttpRefusal(
                    404, "not_found", "There is nothing at this path; MCP is served at POST /mcp."
                )

    def _check_names(self, exchange: Exchange) -> None:
        host = exchange.header("host") or ""
        if not self._gate.admits_host(host):
            raise HttpRefusal(
                421,
                "misdirected",
                f"The host {cut(host)!r} is not served here; name it with --allow-host.",
            )
        origin = exchange.header("origin")
        if origin is not None and not self._gate.admits_origin(origin, host):
            raise HttpRefusal(
                403,
                "forbidden",
                f"Pages from {cut(origin)!r} may not call this server; name it with --allow-host.",
            )

    async def _serve(
        self, exchange: Exchange, token: AccessToken | None, tool_filter: ToolFilter
    ) -> None:
        _check_form(exchange)
        body = await exchange.read(self._body_limit, self._body_seconds)
        modern = _is_modern(exchange)
        try:
            message = parse(body)
        except HalfPair as refused:
            await exchange.send_json(200, self._formed(refused.answer(), modern))
            return
        except Refused as refused:
            # Bad params are an ordinary answer to older clients; all else is a bad request.
            fine = refused.code == INVALID_PARAMS and refused.id is not None and not modern
            await exchange.send_json(200 if fine else 400, self._formed(refused.answer(), modern))
            return
        sessions = not modern and not self._sms_form
        named = exchange.header("mcp-session-id") if sessions else None
        session = (_whose(token), named) if named else None
        if message.method == "notifications/cancelled" and session:
            target = message.params.get("requestId")
            if isinstance(target, int | str) and not isinstance(target, bool):
                self._calls.take_back(session, target)
        instructions: str | None = None
        if message.method in ("initialize", "server/discover") and self._opening is not None:
            instructions = await self._opening(tool_filter)
        self._check_room()
        scope = self._scope_for_sdk(exchange, token, tool_filter, session, len(body))
        key = (session, message.id) if session and message.id is not None else None
        reply = await self._run(self._app, exchange, scope, body, key, message.id)
        if reply is None:
            return
        reply.tidy()
        if instructions is not None:
            reply.instruct(instructions)
        if self._sms_form and not modern:
            reply.body = reorder(reply.body)
        if message.method == "initialize" and b'"result"' in reply.body and sessions:
            opened = self._open_session(message, token)
            reply.headers.append((b"mcp-session-id", opened.encode("ascii")))
        await reply.send(exchange)

    async def _serve_v1(
        self,
        exchange: Exchange,
        token: AccessToken | None,
        tool_filter: ToolFilter,
        route: Sequence[str],
        app: App,
    ) -> None:
        if exchange.scope["method"] == "POST":
            _check_form(exchange)
        body = await exchange.read(self._body_limit, self._body_seconds)
        self._check_room()
        scope = {
            **exchange.scope,
            "path": f"/{'/'.join(route)}",
            NARROWING: tool_filter,
            WHOSE: _whose(token),
        }
        reply = await self._run(app, exchange, scope, body, None, None)
        if reply is not None:
            await reply.send(exchange)

    def _formed(self, answer: dict[str, Any], modern: bool) -> dict[str, Any]:
        return order(answer) if self._sms_form and not modern else answer

    def _check_room(self) -> None:
        if len(self._calls) >= MOST_CALLS:
            raise HttpRefusal(503, "busy", f"{MOST_CALLS} requests are running; try again later.")

    def _open_session(self, hello: Message, token: AccessToken | None) -> str:
        session = secrets.token_urlsafe(24)
        self._clients[_whose(token), session] = cut(hello.params["clientInfo"]["name"])
        while len(self._clients) > MOST_SESSIONS:
            self._clients.popitem(last=False)
        return session

    def _scope_for_sdk(
        self,
        exchange: Exchange,
        token: AccessToken | None,
        tool_filter: ToolFilter,
        session: Session | None,
        length: int,
    ) -> Scope:
        kept = [(name, value) for name, value in exchange.headers if name not in _REPLACED]
        return {
            **exchange.scope,
            "path": "/mcp",
            "raw_path": b"/mcp",
            "headers": [*kept, _ACCEPT, (b"content-length", str(length).encode("ascii"))],
            NARROWING: tool_filter,
            WHOSE: _whose(token),
            CLIENT: self._clients.get(session, "") if session else "",
            OUTCOME: Outcome(),
        }

    async def _run(
        self, app: App, exchange: Exchange, scope: Scope, body: bytes, key: Key, id: Id | None
    ) -> "_Reply | None":
        """The application's answer; None if the request was stopped and is dealt with."""
        reply = _Reply()
        left = asyncio.Event()
        pending = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Event:
            if pending:
                return pending.pop()
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(event: Event) -> None:
            call.answering = True
            reply.take(event)

        def look() -> None:
            nonlocal looking
            if self._bearer.holds(exchange):
                looking = self._clock.call_later(LOOK_SECONDS, look)
            else:
                left.set()
                call.stop(Stop.REVOKED)

        work = asyncio.ensure_future(app(scope, receive, send))
        watch = asyncio.ensure_future(exchange.gone())
        call = OpenRequest(work)
        looking = self._clock.call_later(LOOK_SECONDS, look)
        try:
            with self._calls.holding(key, call):
                await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
                if not work.done():
                    left.set()
                    call.stop(Stop.GONE)
                    await asyncio.wait({work})
        finally:
            looking.cancel()
            work.cancel()
            watch.cancel()
            await asyncio.gather(work, watch, return_exceptions=True)
        if call.stopped is Stop.BY_CLIENT:
            said = await self._said_of_stop("The client cancelled this request.", scope)
            answer = error_answer(id, CANCELLED, said)
            await exchange.send_json(200, answer)
            return None
        if call.stopped is Stop.REVOKED:
            said = "The token of this request does not hold any more, so that it was stopped."
            raise HttpRefusal(
                401,
                "unauthorized",
                await self._said_of_stop(said, scope),
                www_authenticate="Bearer",
            )
        if call.stopped is Stop.SHUTDOWN:
            raise HttpRefusal(503, "stopping", "The server is stopping; this request was stopped.")
        if call.stopped is Stop.GONE:
            return None
        if not work.cancelled() and (error := work.exception()) is not None:
            raise error
        return reply

    async def _said_of_stop(self, sentence: str, scope: Scope) -> str:
        """With how far the call had come."""
        outcome: Outcome = scope.get(OUTCOME) or Outcome()
        await outcome.ended(OUTCOME_SECONDS, self._clock)
        return " ".join([sentence, *outcome.notes])


class _Reply:
    """An application's answer, held until it is whole."""

    def __init__(self) -> None:
        self.status = 500
        self.headers: Headers = []
        self.body = b""

    def take(self, event: Event) -> None:
        if event["type"] == "http.response.start":
            self.status = event["status"]
            self.headers = [
                (name, value) for name, value in event["headers"] if name != b"content-length"
            ]
        elif event["type"] == "http.response.body":
            self.body += event.get("body", b"")

    async def send(self, exchange: Exchange) -> None:
        length = str(len(self.body)).encode("ascii")
        await exchange.send(self.status, self.body, [*self.headers, (b"content-length", length)])

    def instruct(self, instructions: str) -> None:
        """Greet with these instructions instead of everyone's."""
        answer: Any = json.loads(self.body)
        if isinstance(answer.get("result"), dict):
            answer["result"].pop("instructions", None)
            if instructions:
                answer["result"]["instructions"] = instructions
            self.body = dump(answer)

    def tidy(self) -> None:
        """An error of the SDK in our words."""
        if self.status < 400 and (len(self.body) >= 100_000 or b'"error":' not in self.body):
            return
        try:
            answer: Any = json.loads(self.body)
        except ValueError:
            answer = {}
        error: Any = answer.get("error")
        if isinstance(error, dict):
            self.body = dump({**answer, "error": tidy(cast("dict[str, Any]", error))})
        elif self.status >= 400:
            raise HttpRefusal(self.status, "refused", "The request cannot be served in this form.")


def _whose(token: AccessToken | None) -> str:
    """The token's name; "" where none is asked for."""
    return token.name if token else ""


def _want(method: str, wanted: str) -> None:
    if method != wanted:
        sentence = f"{cut(method)} is not served at this path; use {wanted}."
        raise HttpRefusal(405, "method_not_allowed", sentence, allow=wanted)


def _check_form(exchange: Exchange) -> None:
    kind = (exchange.header("content-type") or "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HttpRefusal(
            415,
            "unsupported_media_type",
            "Send JSON with the header Content-Type: application/json.",
        )
    if (exchange.header("content-encoding") or "identity").lower() != "identity":
        raise HttpRefusal(415, "unsupported_media_type", "Send the body without compression.")
    accept = exchange.header("accept")
    kinds = [part.partition(";")[0].strip().lower() for part in (accept or "").split(",")]
    if accept and not {"*/*", "application/*", "application/json"} & set(kinds):
        raise HttpRefusal(
            406, "not_acceptable", "Answers are JSON; send the header Accept: application/json."
        )


def _want_no_limits(token: AccessToken | None) -> None:
    if token is not None and token.tool_filter != EVERYTHING:
        raise HttpRefusal(403, "forbidden", "Only a token without limits may do this.")


def _tool_filter(exchange: Exchange, phone: str | None, token: AccessToken | None) -> ToolFilter:
    """What the client asks to be spared, within what its token leaves. A doubtful word for
    read-only counts as one for it."""
    read_only = (exchange.header("x-mcp-readonly") or "").strip().lower() not in _NO
    only = _names(exchange, "x-mcp-tools")
    off = _names(exchange, "x-mcp-exclude-tools")
    asked = ToolFilter(phone, read_only, only or None, off)
    return asked.within(token.tool_filter) if token else asked


def _names(exchange: Exchange, header: str) -> frozenset[str]:
    names = (name.strip() for name in (exchange.header(header) or "").split(","))
    return frozenset(name for name in names if name)


def _is_modern(exchange: Exchange) -> bool:
    """As the SDK decides it: every named version that has no handshake is its newer path's."""
    version = exchange.header("mcp-protocol-version")
    return version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS
