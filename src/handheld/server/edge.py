"""The edge between the network and the answers: every HTTP request passes it.

In this order a request is checked for its Host and Origin (`hosts`), its path, its token
(`bearer`), its method and headers (`headers`), its size (`exchange`) and its JSON-RPC envelope
(`envelope`). Then it runs (`running`), and its answer (`answers`) is sent.
"""

import logging
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, cast

from .. import __version__
from ..access.request_scope import AGENT, SMS, V1, RequestScope
from ..access.tokens import AccessToken
from ..errors import ToolError
from .answers import Answers, ToolOutcome, http_status
from .bearer import Bearer, require_unlimited
from .envelope import (
    INTERNAL_SENTENCE,
    INVALID_PARAMS,
    INVALID_REQUEST,
    HalfPair,
    Message,
    Refused,
    dump,
    load,
    parse,
    read_beside,
)
from .events import EventStream
from .exchange import Bodies, BodyBudget, Disconnected, Exchange, HttpRefusal
from .headers import (
    check_media_types,
    is_modern,
    requested_scope,
    require_method,
    require_version,
    wants_progress,
)
from .hosts import HostCheck
from .limits import BODY_SECONDS, MAX_SESSIONS
from .options import AnswerV1, HttpOptions, StopAgents
from .running import Reply, Runner, Session
from .sms_form import order
from .text import cut

KEY_HEADER = "x-handheld-owner"
_STOP_BYTES = 4096

log = logging.getLogger(__name__)


class Edge:
    """Serves every request."""

    def __init__(self, answers: Answers, options: HttpOptions) -> None:
        self._answers = answers
        self._clock = options.clock
        self._bearer = Bearer(options.token, options.recognise, options.oauth)
        self._oauth = options.oauth
        self._hosts = HostCheck.of(options.host, options.allow_hosts)
        self._body_limit = options.body_limit
        self._bodies = Bodies(options.body_limit)
        self._body_seconds = options.body_seconds
        self._phones = options.phones
        self._release = options.release
        self._restore = options.restore
        self._stop = options.stop
        self._v1 = None if options.v1 is None else cache(options.v1)
        self._console = options.console
        self._sms = options.sms
        self._agent = options.agent
        self._runner = Runner(self._bearer, self._clock)
        self._clients: OrderedDict[Session, str] = OrderedDict()
        """The names that clients gave themselves, by session."""

    async def __call__(self, exchange: Exchange) -> None:
        exchange.held = held = BodyBudget(self._bodies, exchange)
        exchange.tells_kept = self._sms
        try:
            await self._route(exchange)
        except HttpRefusal as refusal:
            await exchange.refuse(refusal)
        except Disconnected:
            log.debug("a client disconnected before its request was read")
        except Exception:
            log.exception("a request failed")
            if not exchange.begun or exchange.streams:
                await exchange.refuse(HttpRefusal(500, "internal", INTERNAL_SENTENCE))
        finally:
            held.close()

    def stop_streams(self) -> None:
        """End streams that would otherwise stay open."""
        if self._console is not None:
            self._console.stop()

    def stop_running(self) -> None:
        """Stop every request that has no answer yet; each client gets a 503."""
        self._runner.stop_all()

    async def _route(self, exchange: Exchange) -> None:
        self._hosts.check(exchange)
        path, method = exchange.parts, exchange.method
        if path[0] == ".well-known":
            await self._serve_metadata(exchange, path[1:])
            return
        if path == ["health"] and method == "GET":
            await exchange.send_json(200, {"status": "healthy", "version": __version__})
            return
        page = path[0] == "console" or (path == [""] and method == "GET")
        if self._console is not None and page:
            await self._console(exchange)
            return
        if self._oauth is not None:
            await self._bearer.prepare(exchange)
        token = self._bearer.check(exchange)
        exchange.token = _token_name(token)
        phone: str | None = None
        if path[0] == "phones" and len(path) > 2 and path[1]:
            phone, path = path[1], path[2:]
        match path:
            case ["mcp"]:
                await self._serve(exchange, token, phone, "")
            case ["mcp", "agent"] if self._agent:
                await self._serve(exchange, token, phone, AGENT)
            case ["mcp", "v1", *route] if self._v1 is not None:
                scope = requested_scope(exchange, phone, token)
                await self._serve_v1(exchange, token, scope, route, self._v1())
            case ["release"] if phone is not None and self._release is not None:
                require_method(method, "POST")
                require_unlimited(token)
                await _tell(exchange, self._release(phone))
            case ["restore"] if phone is not None and self._restore is not None:
                require_method(method, "POST")
                require_unlimited(token)
                await _tell(exchange, self._restore(phone))
            case ["phones"] if phone is None and self._phones is not None:
                require_method(method, "GET")
                require_unlimited(token)
                await exchange.send_json(200, [dict(each) for each in await self._phones()])
            case ["stop"] if phone is None and self._stop is not None:
                require_method(method, "POST")
                await _stop_agents(exchange, self._stop)
            case ["lease", "end"] if phone is None and self._stop is not None:
                require_method(method, "POST")
                await _end_lease(exchange, self._stop)
            case ["health"] if phone is None:
                require_method(method, "GET")
            case _:
                raise HttpRefusal(
                    404, "not_found", "There is nothing at this path; MCP is served at POST /mcp."
                )

    async def _serve_metadata(self, exchange: Exchange, path: Sequence[str]) -> None:
        """Clients that know OAuth look here after a 401."""
        if self._oauth is None:
            raise HttpRefusal(404, "not_found", "There is no OAuth here; send the token as bearer.")
        metadata = None
        if path[:1] == ["oauth-protected-resource"]:
            metadata = self._oauth.metadata("".join(f"/{part}" for part in path[1:]))
        if metadata is None:
            raise HttpRefusal(404, "not_found", "There is no metadata at this path.")
        require_method(exchange.method, "GET")
        await exchange.send_json(200, metadata)

    async def _serve(
        self, exchange: Exchange, token: AccessToken | None, phone: str | None, surface: str
    ) -> None:
        require_method(exchange.method, "POST")
        scope = requested_scope(exchange, phone, token)
        check_media_types(exchange)
        if surface := SMS if self._sms else surface:
            scope = replace(scope, surface=surface)
        body = await exchange.read(self._body_limit, self._body_seconds)
        modern = is_modern(exchange)
        try:
            message = await read_beside(parse, body)
            if modern and message.method is None:
                raise Refused(INVALID_REQUEST, "The message is a response; no request was sent.")
            require_version(exchange, message)
        except HalfPair as refused:
            await exchange.send_json(200, self._in_order(refused.answer(), modern))
            return
        except Refused as refused:
            # Older clients get bad params as an ordinary answer; all else is a bad request.
            fine = refused.code == INVALID_PARAMS and refused.id is not None and not modern
            await exchange.send_json(200 if fine else 400, self._in_order(refused.answer(), modern))
            return
        sessions = not modern and not self._sms
        session_id = exchange.header("mcp-session-id") if sessions else None
        session = (_token_name(token), session_id) if session_id else None
        if message.method == "notifications/cancelled" and session:
            target = message.params.get("requestId")
            if isinstance(target, int | str) and not isinstance(target, bool):
                self._runner.cancel(session, target)
        self._runner.check_capacity(_token_name(token))
        outcome = ToolOutcome()
        client = self._clients.get(session, "") if session else ""
        message.modern, message.stated = modern, exchange.header
        message.scope, message.token = scope, _token_name(token)
        message.client, message.outcome = client, outcome
        message.attended = self._is_attended(exchange)
        if message.id is not None and wants_progress(exchange, message):
            exchange.events = EventStream(exchange, message.id)
            message.notify = exchange.events.put

        async def work() -> Reply:
            if not message.is_request:
                return Reply(202, typed=not modern)
            given = await self._answers.answer(message)
            return Reply(http_status(given) if modern else 200, dump(self._in_order(given, modern)))

        key = (session, message.id) if session and message.id is not None else None
        reply = await self._runner.run(work, exchange, key, message.id, outcome)
        if reply is None:
            return
        if message.method == "initialize" and b'"result"' in reply.body and sessions:
            opened = self._open_session(message, token)
            reply.headers.append((b"mcp-session-id", opened.encode("ascii")))
        await reply.send(exchange)

    async def _serve_v1(
        self,
        exchange: Exchange,
        token: AccessToken | None,
        scope: RequestScope,
        route: Sequence[str],
        v1: AnswerV1,
    ) -> None:
        if exchange.method == "POST":
            check_media_types(exchange)
        body = await exchange.read(self._body_limit, self._body_seconds)
        self._runner.check_capacity(_token_name(token))
        outcome = ToolOutcome()
        scope = replace(scope, surface=V1)

        async def work() -> Reply:
            return Reply(200, dump(await v1(exchange, route, body, scope)))

        reply = await self._runner.run(work, exchange, None, None, outcome)
        if reply is not None:
            await reply.send(exchange)

    def _is_attended(self, exchange: Exchange) -> bool:
        """Whether the caller is at a terminal of the owner's: it has the key."""
        given = exchange.header(KEY_HEADER)
        return (
            given is not None
            and self._console is not None
            and secrets.compare_digest(given.encode(), self._console.key.encode())
        )

    def _in_order(self, answer: dict[str, Any], modern: bool) -> dict[str, Any]:
        """An answer of ours, with its keys in the order of the sms surface where that is served."""
        return order(answer) if self._sms and not modern else answer

    def _open_session(self, hello: Message, token: AccessToken | None) -> str:
        session = secrets.token_urlsafe(24)
        self._clients[_token_name(token), session] = cut(hello.params["clientInfo"]["name"])
        while len(self._clients) > MAX_SESSIONS:
            self._clients.popitem(last=False)
        return session


def _require_key(exchange: Exchange, agents: StopAgents, command: str) -> None:
    """No token does: agents have them. The key is in a file of the owner's."""
    given = (exchange.header(KEY_HEADER) or "").encode()
    if not secrets.compare_digest(given, agents.key.encode()):
        raise HttpRefusal(403, "forbidden", f"Only `{command}` and the console may do this.")


async def _read_fields(exchange: Exchange, *names: str) -> list[Any]:
    """The fields of a body that must have these."""
    try:
        body = cast("dict[str, Any]", load(await exchange.read(_STOP_BYTES, BODY_SECONDS)))
        return [body[name] for name in names]
    except (Refused, KeyError, TypeError):
        raise HttpRefusal(400, "bad_request", f"Send {' and '.join(names)}.") from None


async def _tell(exchange: Exchange, doing: Awaitable[str]) -> None:
    """Answer with what is said of something that is done for this user."""
    try:
        message = await doing
    except ToolError as error:
        raise HttpRefusal(409, "failed", error.message) from error
    await exchange.send_json(200, {"message": message})


async def _end_lease(exchange: Exchange, agents: StopAgents) -> None:
    _require_key(exchange, agents, "handheld lease end")
    [phone] = await _read_fields(exchange, "phone")
    if not isinstance(phone, str):
        raise HttpRefusal(400, "bad_request", "phone is a text.")
    await _tell(exchange, agents.end_lease(phone))


async def _stop_agents(exchange: Exchange, agents: StopAgents) -> None:
    _require_key(exchange, agents, "handheld stop")
    phone, release = await _read_fields(exchange, "phone", "release")
    if not isinstance(phone, str) or not isinstance(release, bool):
        raise HttpRefusal(400, "bad_request", "phone is a text, release true or false.")
    await _tell(exchange, agents.resume(phone) if release else agents.stop(phone))


def _token_name(token: AccessToken | None) -> str:
    """The token's name; "" where no token is required."""
    return token.name if token else ""
