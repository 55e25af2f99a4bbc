"""What clients are answered, in both protocol eras."""

import asyncio
import base64
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

from .. import __version__
from ..access.attendance import attended
from ..access.names import shown_caller
from ..access.request_scope import EVERYTHING, RequestScope
from ..access.tokens import OWNER
from ..calls.local import Caller, Surface
from ..clock import SYSTEM_CLOCK, Clock
from ..errors import ToolError, UnknownPhone, UnknownTool
from ..screen.characters import replace_surrogates
from ..tools.call import CODE_META, FORWARDED_TRANSPORTS, QUESTION_NOTE, TRANSPORT_META
from ..tools.tool import Image, Item, Listing
from .envelope import (
    INTERNAL_ERROR,
    INTERNAL_SENTENCE,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Message,
    Refused,
    check_client,
    check_hello,
    check_version,
    no_method,
    no_tool,
)
from .subscriptions import LISTEN, Notify, Subscriptions
from .text import cut, fix_json
from .versions import (
    CLIENT_INFO,
    HANDSHAKE,
    HEADER_MISMATCH,
    MISSING_CLIENT_CAPABILITY,
    MODERN,
    PROGRESS_TOKEN,
    SERVER_INFO,
    UNSUPPORTED_PROTOCOL_VERSION,
)

LIST_TTL_MS = 30_000
"""How long a client may cache the tool list."""

_METHODS = {
    False: frozenset(("initialize", "ping", "tools/list", "tools/call")),
    True: frozenset(("server/discover", "tools/list", "tools/call")),
}
"""Of each era, the 2026 one under True."""
_STATUS = {METHOD_NOT_FOUND: 404} | dict.fromkeys(
    (
        INVALID_REQUEST,
        INVALID_PARAMS,
        HEADER_MISMATCH,
        MISSING_CLIENT_CAPABILITY,
        UNSUPPORTED_PROTOCOL_VERSION,
    ),
    400,
)

Render = Callable[[Any], dict[str, Any]]
Describe = Callable[[Listing], dict[str, Any]]

log = logging.getLogger(__name__)


class ToolOutcome:
    """What a tool reports when its call is stopped, which may end a little later than the
    request."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._ended = asyncio.Event()
        self._ended.set()

    # Around the tool's work.

    def __enter__(self) -> None:
        self._ended.clear()

    def __exit__(self, _: object, stop: BaseException | None, __: object) -> None:
        if isinstance(stop, asyncio.CancelledError):
            self.notes += getattr(stop, "__notes__", [])
        self._ended.set()

    async def ended(self, seconds: float, clock: Clock) -> None:
        with suppress(TimeoutError):
            async with clock.timeout(seconds):
                await self._ended.wait()


class Answers:
    """`notifies`: whether clients are told when the tools change. `render` is only set by the
    conformance fixture; `describe` formats a tool for the list; `token_names` are those of all
    tokens, which no client may take."""

    def __init__(
        self,
        surface: Surface,
        *,
        transport: str,
        name: str = "handheld",
        notifies: bool = False,
        render: Render | None = None,
        describe: Describe = Listing.as_json,
        token_names: Callable[[], Iterable[str]] = tuple,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._surface = surface
        self._transport = transport
        self.server = {"name": name, "version": __version__}
        self.subscriptions = Subscriptions() if notifies else None
        self._render = render or render_item
        self._describe = describe
        self._token_names = token_names
        self._clock = clock
        self._general = ""

    def serves(self, method: str | None, *, modern: bool) -> bool:
        listens = modern and method == LISTEN and self.subscriptions is not None
        return listens or method in _METHODS[modern]

    async def answer(self, message: Message) -> dict[str, Any]:
        """The answer to a request."""
        modern = message.modern
        try:
            if modern:
                check_version(message)
            if not self.serves(message.method, modern=modern):
                raise no_method(message.method or "")
            if modern:
                check_client(message)
            result = await self._result(message)
        except Refused as refused:
            refused.id = message.id
            return refused.answer()
        if modern:
            result |= {"resultType": "complete", "_meta": {SERVER_INFO: self.server}}
        return {"jsonrpc": "2.0", "id": message.id, "result": result}

    async def _result(self, message: Message) -> dict[str, Any]:
        params = message.params
        match message.method:
            case "tools/call":
                return await self.call_tool(message)
            case "tools/list":
                listed = await self.list_tools(message)
                cached = {"ttlMs": LIST_TTL_MS, "cacheScope": "private"}
                return {**cached, **listed} if message.modern else listed
            case "initialize":
                check_hello(message)
                wanted: str = params["protocolVersion"]
                version = wanted if wanted in HANDSHAKE else HANDSHAKE[-1]
                about = {"protocolVersion": version, "serverInfo": self.server}
                return about | await self._introduction(message.scope)
            case "server/discover":
                about = {"supportedVersions": [MODERN], "ttlMs": 0, "cacheScope": "private"}
                return about | await self._introduction(message.scope)
            case "ping":
                return {}
            case _:
                assert self.subscriptions is not None
                assert message.notify is not None
                return await self.subscriptions.listen(message, message.notify)

    async def _introduction(self, scope: RequestScope) -> dict[str, Any]:
        capabilities = {"tools": {"listChanged": self.subscriptions is not None}}
        instructions = await self.instructions(scope)
        named = {"instructions": instructions} if instructions else {}
        return {"capabilities": capabilities, **named}

    async def instructions(self, scope: RequestScope) -> str:
        """A client that may not use all phones gets its own."""
        general = scope.phones is None and not scope.surface
        try:
            made = await self._surface.instructions(EVERYTHING if general else scope)
        except Exception:
            log.exception("the instructions could not be made; the previous ones stay")
            return self._general if general else ""
        made = replace_surrogates(made)
        if general:
            self._general = made
        return made

    async def list_tools(self, message: Message) -> dict[str, Any]:
        """Raises Refused."""
        try:
            scope = replace(message.scope, token=message.token)
            listings = await self._surface.tools(scope)
        except ToolError as error:
            raise Refused(INVALID_PARAMS, replace_surrogates(error.message)) from error
        except Exception as error:
            log.exception("listing the tools failed")
            raise Refused(INTERNAL_ERROR, INTERNAL_SENTENCE) from error
        return {"tools": [fix_json(self._describe(each)) for each in listings]}

    async def call_tool(self, message: Message) -> dict[str, Any]:
        """Raises Refused."""
        params, notify = message.params, message.notify
        name: str = params["name"]
        arguments: Mapping[str, Any] = params.get("arguments") or {}
        meta: Mapping[str, Any] = params.get("_meta") or {}
        client = _client(meta) or message.client
        caller = Caller(self._transport_of(meta, message.token), client, message.token)
        if client:
            caller = shown_caller(caller, self._token_names())
        try:
            with message.outcome or ToolOutcome():
                call = self._surface.call(name, arguments, caller, message.scope)
                if notify is None or PROGRESS_TOKEN not in meta:
                    items = await call
                else:
                    told = self._told(call, meta[PROGRESS_TOKEN], notify)
                    items = await (_attended(told, notify) if message.attended else told)
            return {"content": [self._render(item) for item in items]}
        except UnknownTool as error:
            raise no_tool(error.name) from error
        except UnknownPhone as error:
            raise Refused(INVALID_PARAMS, replace_surrogates(error.message)) from error
        except ToolError as error:
            failure = _failure((error.message, *error.details))
            if TRANSPORT_META in meta:
                failure["_meta"] = {CODE_META: error.code}
            return failure
        except Refused:
            raise
        except Exception:
            log.exception("tool %r failed", name)
            return _failure((INTERNAL_SENTENCE,))

    async def _told(
        self, call: Awaitable[Sequence[Item]], token: int | str, notify: Notify
    ) -> Sequence[Item]:
        """Run a call whose client is told how far it has come."""
        from ..calls.course import telling

        async def tell(progress: float, total: float | None, message: str) -> None:
            params: dict[str, Any] = {"progressToken": token, "progress": progress}
            if total is not None:
                params["total"] = total
            params["message"] = message
            await notify({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})

        async with telling(tell, self._clock):
            return await call

    def _transport_of(self, meta: Mapping[str, Any], token: str) -> str:
        """The transport by which the client reached the process that forwards the call; ours if
        the call is not forwarded. Only the owner's own programs may state another one."""
        stated: Any = meta.get(TRANSPORT_META)
        trusted = token in ("", OWNER) and stated in FORWARDED_TRANSPORTS
        return stated if trusted else self._transport


async def _attended(call: Awaitable[Sequence[Item]], notify: Notify) -> Sequence[Item]:
    """Run a call about which the person at the client's terminal is asked."""
    telling: list[asyncio.Future[None]] = []

    def tell(question: Mapping[str, Any]) -> None:
        params = fix_json(dict(question))
        message = {"jsonrpc": "2.0", "method": QUESTION_NOTE, "params": params}
        telling.append(asyncio.ensure_future(notify(message)))

    try:
        with attended(tell):
            return await call
    finally:
        await asyncio.gather(*telling, return_exceptions=True)


def render_item(item: Item) -> dict[str, Any]:
    if isinstance(item, Image):
        data = base64.b64encode(item.data).decode("ascii")
        return {"type": "image", "data": data, "mimeType": item.mime_type}
    return {"type": "text", "text": replace_surrogates(item)}


def _failure(texts: Sequence[str]) -> dict[str, Any]:
    content = [{"type": "text", "text": replace_surrogates(text)} for text in texts]
    return {"content": content, "isError": True}


def _client(meta: Mapping[str, Any]) -> str:
    """The name that a client gives itself in each request, as those of 2026 do."""
    info: Any = meta.get(CLIENT_INFO)
    name: Any = cast("dict[str, Any]", info).get("name") if isinstance(info, dict) else None
    return cut(name) if isinstance(name, str) else ""


def http_status(answer: Mapping[str, Any]) -> int:
    """The HTTP status of an answer in the 2026 protocol, which has one for most errors."""
    return _STATUS.get(answer.get("error", {}).get("code"), 200)
