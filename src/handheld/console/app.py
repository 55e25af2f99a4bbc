"""The console as an ASGI application: who may see it, and which page answers what."""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Sequence
from typing import Any, cast
from urllib.parse import parse_qsl, unquote

from ..errors import ToolError
from ..server.envelope import Refused, dump, load
from ..server.exchange import Exchange, Headers, HttpRefusal, Receive, Scope, Send
from ..server.text import cut, mend_json
from ..ui.text import mend
from . import approvals, live, pages, timeline
from .context import ConsoleContext
from .events import Events
from .routes import Answer, Request, Route, Stream, bad_request, not_found
from .sessions import SESSION_SECONDS, Session, Sessions, same
from .static_files import StaticFile, load_static

BODY_LIMIT = 1024 * 1024
BODY_SECONDS = 10.0
LINGER_SECONDS = 5.0
PROOF_HEADER = "x-handheld-console"
KEY_HEADER = "x-handheld-owner"
LOGIN_PAGE, FRAME_PAGE = "login.html", "index.html"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)
_GUARDED: Headers = [
    (b"content-security-policy", POLICY.encode("ascii")),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"clipboard-read=(self), clipboard-write=(self)"),
]

log = logging.getLogger(__name__)


class Console:
    """Serves `/` and whatever is below `/console`. No bearer token opens anything here: a person
    comes in by a one-time link, which only this user's other processes can ask for, with `key`."""

    def __init__(self, context: ConsoleContext, *, linger: float = LINGER_SECONDS) -> None:
        self.key = secrets.token_urlsafe(32)
        """Kept in the owner's private entry, for `handheld console`."""
        self._clock = context.clock
        self._sessions = Sessions(context.clock)
        self._static = load_static()
        self._stopping = asyncio.Event()
        self._events = Events(context, self._stopping, linger)
        self._routes: Sequence[Route] = (
            *live.routes(context),
            *timeline.routes(context),
            *approvals.routes(context),
            *pages.routes(context),
        )

    def make_link(self, url: str) -> str:
        """A one-time link for a person; `url` is the server's, without a path. The secret stands
        in the fragment, which no server, log or Referer is told."""
        return f"{url}/#login={self._sessions.make_link()}"

    def stop(self) -> None:
        """End what waits for something to happen, and would hold up the server's end."""
        self._stopping.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, send, self._clock)
        try:
            await self._route(exchange)
        except HttpRefusal as refusal:
            body = {"error": refusal.word, "message": mend(refusal.sentence)}
            named = [
                (name.replace("_", "-").encode("ascii"), value.encode("latin-1"))
                for name, value in refusal.headers.items()
            ]
            await exchange.drain()
            await _send(exchange, refusal.status, dump(body), "application/json", named)

    async def _route(self, exchange: Exchange) -> None:
        method: str = exchange.scope["method"]
        match _path(exchange.scope):
            case [""]:
                _want(method, "GET")
                page = FRAME_PAGE if self._session(exchange) is not None else LOGIN_PAGE
                await self._send_file(exchange, self._static[page])
            case ["console", "login"] if method == "GET":
                await self._send_file(exchange, self._static[LOGIN_PAGE])
            case ["console", "login"]:
                _want(method, "POST")
                await self._log_in(exchange)
            case ["console", "link"]:
                _want(method, "POST")
                await self._give_link(exchange)
            case ["console", "static", name] if name in self._static:
                _want(method, "GET")
                await self._send_file(exchange, self._static[name])
            case ["console", "logout"]:
                _want(method, "POST")
                self._sessions.end(self._person(exchange))
                gone = _cookie(exchange.scope, "", 0)
                await _send(exchange, 200, b"{}", "application/json", [gone])
            case ["console", "events"]:
                _want(method, "GET")
                session = self._person(exchange)
                await _stream(exchange, self._events.stream(lambda: self._sessions.holds(session)))
            case ["console", "api", *parts]:
                await self._answer(exchange, parts, self._person(exchange))
            case _:
                raise not_found("There is no such page of the console.")

    async def _answer(self, exchange: Exchange, parts: Sequence[str], person: Session) -> None:
        method: str = exchange.scope["method"]
        found = [(one, one.match(parts)) for one in self._routes]
        matches = [(one, params) for one, params in found if params is not None]
        if not matches:
            raise not_found("There is nothing at this path of the console.")
        fitting = [(one, params) for one, params in matches if one.method == method]
        if not fitting:
            _want(method, matches[0][0].method)
        route, params = fitting[0]
        if method == "GET":
            await exchange.read(0, BODY_SECONDS)
        body = await _body(exchange) if method != "GET" else {}
        query = dict(parse_qsl(exchange.scope["query_string"].decode("latin-1")))
        try:
            said = await self._while_heard(
                exchange, route.handler(Request(person, params, query, body))
            )
        except ToolError as failure:
            raise HttpRefusal(409, "failed", failure.message) from failure
        if isinstance(said, Stream):
            await _stream(exchange, said)
        elif isinstance(said, Answer):
            named = [
                (key.encode("ascii"), one.encode("latin-1")) for key, one in said.headers.items()
            ]
            await _send(exchange, 200, said.body, said.kind, named)
        else:
            await _send(exchange, 200, dump(mend_json(said)), "application/json")

    async def _while_heard(self, exchange: Exchange, work: Awaitable[Any]) -> Any:
        """What comes of it, unless the page goes away or the server ends: then it is stopped."""
        task = asyncio.ensure_future(work)
        watches = {
            asyncio.ensure_future(exchange.gone()),
            asyncio.ensure_future(self._stopping.wait()),
        }
        try:
            await asyncio.wait({task, *watches}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise HttpRefusal(503, "stopping", "The server is stopping.")
            return task.result()
        finally:
            for one in (task, *watches):
                one.cancel()
            await asyncio.gather(task, *watches, return_exceptions=True)

    async def _give_link(self, exchange: Exchange) -> None:
        """For this user's other processes: they read the key in a file that is theirs alone."""
        given = exchange.header(KEY_HEADER)
        if given is None or not same(given, self.key) or exchange.header("origin") is not None:
            raise HttpRefusal(
                403, "forbidden", "A link to the console is printed by `handheld console`."
            )
        body = dump({"secret": self._sessions.make_link()})
        await _send(exchange, 200, body, "application/json")

    async def _log_in(self, exchange: Exchange) -> None:
        _check_origin(exchange)
        secret: object = (await _body(exchange)).get("secret")
        if not isinstance(secret, str):
            raise bad_request("The link's secret is missing.")
        opened = self._sessions.exchange(secret)
        if opened is None:
            raise HttpRefusal(
                403,
                "forbidden",
                "This link does not hold any more: each opens one console, once, within 10 minutes."
                " `handheld console` prints another.",
            )
        cookie, session = opened
        header = _cookie(exchange.scope, cookie, round(SESSION_SECONDS))
        body = dump({"proof": session.proof, "name": session.name})
        await _send(exchange, 200, body, "application/json", [header])

    def _session(self, exchange: Exchange) -> Session | None:
        # By hand: whatever else this host's other servers have left there must not hide ours.
        wanted = _cookie_name(exchange.scope)
        for part in (exchange.header("cookie") or "").replace(",", ";").split(";"):
            name, _, value = part.strip().partition("=")
            if name == wanted and (session := self._sessions.find(value)) is not None:
                return session
        return None

    def _person(self, exchange: Exchange) -> Session:
        """Whoever sends both halves of a session, from the console's own page. Raises
        HttpRefusal."""
        session = self._session(exchange)
        if session is None or not same(exchange.header(PROOF_HEADER) or "", session.proof):
            raise HttpRefusal(
                401, "unauthorized", "Nobody is logged in here. `handheld console` prints a link."
            )
        if exchange.scope["method"] != "GET":
            _check_origin(exchange)
        return session

    async def _send_file(self, exchange: Exchange, file: StaticFile) -> None:
        named = [
            (b"etag", file.etag.encode("ascii")),
            (b"cache-control", b"no-cache"),
            (b"vary", b"Cookie"),
        ]
        if exchange.header("if-none-match") == file.etag:
            await exchange.send(304, b"", [*_GUARDED, *named])
            return
        await _send(exchange, 200, file.body, file.kind, named)


def _path(scope: Scope) -> list[str]:
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    return [unquote(part) for part in raw.decode("latin-1").partition("?")[0].split("/")[1:]]


def _cookie_name(scope: Scope) -> str:
    """With the port: cookies of one host are shared by all its ports."""
    server: tuple[str, int] | None = scope.get("server")
    prefix = "__Host-" if scope["scheme"] == "https" else ""
    return f"{prefix}handheld-{server[1] if server else 0}"


def _cookie(scope: Scope, value: str, seconds: int) -> tuple[bytes, bytes]:
    secure = "; Secure" if scope["scheme"] == "https" else ""
    text = (
        f"{_cookie_name(scope)}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict"
        f"{secure}"
    )
    return b"set-cookie", text.encode("ascii")


def _check_origin(exchange: Exchange) -> None:
    """The page's own host and port: stricter than the edge, for whom all of loopback is one."""
    origin = (exchange.header("origin") or "").lower()
    scheme, _, authority = origin.partition("://")
    host = (exchange.header("host") or "").lower()
    schemes = ("https",) if exchange.scope["scheme"] == "https" else ("http", "https")
    if scheme not in schemes or authority != host:
        raise HttpRefusal(
            403, "forbidden", "This can be asked for by the console's own page alone."
        )


async def _body(exchange: Exchange) -> dict[str, Any]:
    kind = (exchange.header("content-type") or "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HttpRefusal(415, "unsupported_media_type", "Send a JSON object.")
    raw = await exchange.read(BODY_LIMIT, BODY_SECONDS)
    try:
        value = load(raw)
    except Refused:
        raise bad_request("The body is not JSON.") from None
    if not isinstance(value, dict):
        raise bad_request("The body must be a JSON object.")
    return cast("dict[str, Any]", value)


async def _send(
    exchange: Exchange, status: int, body: bytes, kind: str, further: Headers | None = None
) -> None:
    further = further or []
    if not any(name == b"cache-control" for name, _ in further):
        further = [*further, (b"cache-control", b"no-store")]
    length = str(len(body)).encode("ascii")
    own = [(b"content-type", kind.encode("ascii")), (b"content-length", length)]
    await exchange.send(status, body, [*own, *_GUARDED, *further])


async def _stream(exchange: Exchange, stream: Stream) -> None:
    own = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
    await exchange.start(200, [*own, *_GUARDED])

    async def pass_on() -> None:
        async with contextlib.aclosing(stream.events) as events:
            async for event in events:
                await exchange.send_part(event)

    work = asyncio.ensure_future(pass_on())
    watch = asyncio.ensure_future(exchange.gone())
    try:
        await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            work.result()
            await exchange.send_part(b"", last=True)
    finally:
        for task in (work, watch):
            task.cancel()
        await asyncio.gather(work, watch, return_exceptions=True)


def _want(method: str, wanted: str) -> None:
    if method != wanted:
        sentence = f"{cut(method)} is not served at this path; use {wanted}."
        raise HttpRefusal(405, "method_not_allowed", sentence, allow=wanted)
