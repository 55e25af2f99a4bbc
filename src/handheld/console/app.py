"""The console: authentication and routing."""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Sequence
from typing import Any, cast
from urllib.parse import parse_qsl

from ..errors import ToolError
from ..phone.leases.shares import OWNER
from ..screen.characters import replace_surrogates
from ..server.envelope import Refused, dump, load
from ..server.exchange import Exchange, Headers, HttpRefusal
from ..server.headers import require_json, require_method
from ..server.text import fix_json
from .events import Events
from .routes import PageResponse, Request, Stream, bad_request, not_found
from .sessions import SESSION_SECONDS, LoginSession, Sessions, same
from .site import Site
from .static_files import StaticFile, load_static

BODY_LIMIT = 1024 * 1024
LOGIN_LIMIT = 4096
"""Bytes of a login, which anybody may send."""
BODY_SECONDS = 10.0
PROOF_HEADER = "x-handheld-console"
KEY_HEADER = "x-handheld-owner"
LOGIN_PAGE = "login.html"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)
_SECURITY_HEADERS: Headers = [
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
    """Serves `/` and everything below `/console`. Bearer tokens are not accepted here: a person
    logs in with a one-time link, which only this user's own processes can request, with `key`.
    Processes at a terminal open a session directly."""

    def __init__(self, site: Site, key: str = "") -> None:
        self.key = key or secrets.token_urlsafe(32)
        """Stored in the owner's private entry, for `handheld console` and `handheld approve`."""
        self._sessions = Sessions(site.clock)
        self._static = load_static()
        self._stopping = asyncio.Event()
        self._events = Events(site.sources, self._stopping, site.clock)
        self._frame = site.frame
        self._routes = site.routes

    def make_link(self, url: str) -> str:
        """Return a one-time link; `url` is the server's, without a path. The secret is in the
        fragment, which reaches no server, log or Referer header."""
        return f"{url}/#login={self._sessions.make_link()}"

    def stop(self) -> None:
        """End waiting requests, which would otherwise delay the server's shutdown."""
        self._stopping.set()

    async def __call__(self, exchange: Exchange) -> None:
        try:
            await self._route(exchange)
        except HttpRefusal as refusal:
            body = {"error": refusal.word, "message": replace_surrogates(refusal.sentence)}
            headers = [
                (name.replace("_", "-").encode("ascii"), value.encode("latin-1"))
                for name, value in refusal.headers.items()
            ]
            await exchange.drain()
            await _send(exchange, refusal.status, dump(body), "application/json", headers)

    async def _route(self, exchange: Exchange) -> None:
        method = exchange.method
        match exchange.parts:
            case [""]:
                require_method(method, "GET")
                page = self._frame if self._session(exchange) is not None else LOGIN_PAGE
                await self._send_file(exchange, self._static[page])
            case ["console", "login"] if method == "GET":
                await self._send_file(exchange, self._static[LOGIN_PAGE])
            case ["console", "login"]:
                require_method(method, "POST")
                await self._log_in(exchange)
            case ["console", "link"]:
                require_method(method, "POST")
                await self._send_link(exchange)
            case ["console", "session"]:
                require_method(method, "POST")
                await self._send_session(exchange)
            case ["console", "static", name] if name in self._static:
                require_method(method, "GET")
                await self._send_file(exchange, self._static[name])
            case ["console", "logout"]:
                require_method(method, "POST")
                self._sessions.end(self._person(exchange))
                expired = _cookie(exchange, "", 0)
                await _send(exchange, 200, b"{}", "application/json", [expired])
            case ["console", "events"]:
                require_method(method, "GET")
                session = self._person(exchange)
                await _stream(exchange, self._events.stream(lambda: self._sessions.holds(session)))
            case ["console", "api", *parts]:
                await self._answer(exchange, parts, self._person(exchange))
            case _:
                raise not_found("The console has no such page.")

    async def _answer(self, exchange: Exchange, parts: Sequence[str], person: LoginSession) -> None:
        method = exchange.method
        found = [(route, route.match(parts)) for route in self._routes]
        matches = [(route, params) for route, params in found if params is not None]
        if not matches:
            raise not_found("The console has nothing at this path.")
        allowed = [(route, params) for route, params in matches if route.method == method]
        if not allowed:
            require_method(method, matches[0][0].method)
        route, params = allowed[0]
        if method == "GET":
            await exchange.read(0, BODY_SECONDS)
        body = await _body(exchange) if method != "GET" else {}
        query = dict(parse_qsl(exchange.query.decode("latin-1")))
        try:
            result = await self._while_connected(
                exchange, route.handler(Request(person, params, query, body))
            )
        except ToolError as failure:
            raise HttpRefusal(409, "failed", failure.message) from failure
        if isinstance(result, Stream):
            await _stream(exchange, result)
        elif isinstance(result, PageResponse):
            headers = [
                (key.encode("ascii"), value.encode("latin-1"))
                for key, value in result.headers.items()
            ]
            await _send(exchange, 200, result.body, result.kind, headers)
        else:
            await _send(exchange, 200, dump(fix_json(result)), "application/json")

    async def _while_connected(self, exchange: Exchange, work: Awaitable[Any]) -> Any:
        """Return the result of `work`; cancel it if the page disconnects or the server stops."""
        task = asyncio.ensure_future(work)
        watchers = {
            asyncio.ensure_future(exchange.gone()),
            asyncio.ensure_future(self._stopping.wait()),
        }
        try:
            await asyncio.wait({task, *watchers}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise HttpRefusal(503, "stopping", "The server is stopping.")
            return task.result()
        finally:
            for waiting in (task, *watchers):
                waiting.cancel()
            await asyncio.gather(task, *watchers, return_exceptions=True)

    async def _send_link(self, exchange: Exchange) -> None:
        """For this user's own processes: they read the key from a private file."""
        self._require_key(exchange)
        body = dump({"secret": self._sessions.make_link()})
        await _send(exchange, 200, body, "application/json")

    async def _log_in(self, exchange: Exchange) -> None:
        _check_origin(exchange)
        secret: object = (await _body(exchange, LOGIN_LIMIT)).get("secret")
        if not isinstance(secret, str):
            raise bad_request("The link's secret is missing.")
        opened = self._sessions.exchange(secret)
        if opened is None:
            raise HttpRefusal(
                403,
                "forbidden",
                "This link is no longer valid: a link works once, within 10 minutes."
                " Run `handheld console` for a new one.",
            )
        cookie, session = opened
        header = _cookie(exchange, cookie, round(SESSION_SECONDS))
        body = dump({"proof": session.proof, "name": session.name})
        await _send(exchange, 200, body, "application/json", [header])

    async def _send_session(self, exchange: Exchange) -> None:
        """For this user's own processes at a terminal, which keep no cookies."""
        self._require_key(exchange)
        cookie, session = self._sessions.open("terminal")
        whole = f"{_cookie_name(exchange)}={cookie}"
        body = dump({"cookie": whole, "proof": session.proof, "name": session.name})
        await _send(exchange, 200, body, "application/json")

    def _require_key(self, exchange: Exchange) -> None:
        given = exchange.header(KEY_HEADER)
        if given is None or not same(given, self.key) or exchange.header("origin") is not None:
            raise HttpRefusal(403, "forbidden", "Run `handheld console` for a link to the console.")

    def _session(self, exchange: Exchange) -> LoginSession | None:
        # Parsed here: malformed cookies of other servers on this host must not hide ours.
        wanted = _cookie_name(exchange)
        for part in (exchange.header("cookie") or "").replace(",", ";").split(";"):
            name, _, value = part.strip().partition("=")
            if name == wanted and (session := self._sessions.find(value)) is not None:
                return session
        return None

    def _person(self, exchange: Exchange) -> LoginSession:
        """Return the session of a request that has both its cookie and its proof, and for changes
        the page's own origin. Raises HttpRefusal."""
        session = self._session(exchange)
        if session is None or not same(exchange.header(PROOF_HEADER) or "", session.proof):
            raise HttpRefusal(
                401, "unauthorized", "You are not logged in. Run `handheld console` for a link."
            )
        if exchange.method != "GET":
            _check_origin(exchange)
        exchange.token = OWNER
        return session

    async def _send_file(self, exchange: Exchange, file: StaticFile) -> None:
        headers = [
            (b"etag", file.etag.encode("ascii")),
            (b"cache-control", b"no-cache"),
            (b"vary", b"Cookie"),
        ]
        if exchange.header("if-none-match") == file.etag:
            await exchange.send(304, b"", [*_SECURITY_HEADERS, *headers])
            return
        await _send(exchange, 200, file.body, file.kind, headers)


def _cookie_name(exchange: Exchange) -> str:
    """The name includes the port: all ports of a host share its cookies."""
    prefix = "__Host-" if exchange.wire.secure else ""
    return f"{prefix}handheld-{exchange.wire.port}"


def _cookie(exchange: Exchange, value: str, seconds: int) -> tuple[bytes, bytes]:
    secure = "; Secure" if exchange.wire.secure else ""
    text = (
        f"{_cookie_name(exchange)}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict"
        f"{secure}"
    )
    return b"set-cookie", text.encode("ascii")


def _check_origin(exchange: Exchange) -> None:
    """Require the page's own host and port. Stricter than the server's check, which accepts all of
    loopback."""
    origin = (exchange.header("origin") or "").lower()
    scheme, _, authority = origin.partition("://")
    host = (exchange.header("host") or "").lower()
    schemes = ("https",) if exchange.wire.secure else ("http", "https")
    if scheme not in schemes or authority != host:
        raise HttpRefusal(403, "forbidden", "Only the console's own page may request this.")


async def _body(exchange: Exchange, limit: int = BODY_LIMIT) -> dict[str, Any]:
    require_json(exchange)
    raw = await exchange.read(limit, BODY_SECONDS)
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
    await exchange.send(status, body, [*own, *_SECURITY_HEADERS, *further])


async def _stream(exchange: Exchange, stream: Stream) -> None:
    own = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
    await exchange.start(200, [*own, *_SECURITY_HEADERS])

    async def forward() -> None:
        async with contextlib.aclosing(stream.events) as events:
            async for event in events:
                await exchange.send_part(event)

    work = asyncio.ensure_future(forward())
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
