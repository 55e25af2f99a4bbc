"""The surface as the official SDK's low-level server, for older and 2026 protocol versions."""

import base64
import logging
from collections.abc import Callable, Sequence
from typing import Any, cast

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError

from .. import __version__
from ..access.tokens import OWNER
from ..access.tool_filter import EVERYTHING, ToolFilter
from ..errors import ToolError, UnknownPhone, UnknownTool
from ..surface.local import Caller, Surface
from ..toolkit.call import FORWARDED_TRANSPORTS, TRANSPORT_META
from ..toolkit.tool import Image, Item, Listing
from ..ui.characters import replace_surrogates
from .calls import Outcome
from .envelope import INTERNAL_ERROR, INTERNAL_SENTENCE, INVALID_PARAMS
from .text import cut, mend_json

LIST_TTL_MS = 30_000
"""How long a client may cache the tool list."""

SCOPE_TOOL_FILTER = "handheld.tool_filter"
"""Key of the ASGI scope: the tools and phones that the request may use."""
SCOPE_CLIENT = "handheld.client"
"""Key of the ASGI scope: what the client called itself in its session."""
SCOPE_TOKEN_NAME = "handheld.token"  # noqa: S105
"""Key of the ASGI scope: the name of the request's token."""
SCOPE_OUTCOME = "handheld.outcome"
"""Key of the ASGI scope: where a cancelled call reports how far it got."""

Render = Callable[[Any], dict[str, Any]]
Describe = Callable[[Listing], dict[str, Any]]

log = logging.getLogger(__name__)


def build_server(
    surface: Surface,
    *,
    transport: str,
    instructions: str = "",
    name: str = "handheld",
    version: str = __version__,
    listen: ListenHandler | None = None,
    render: Render | None = None,
    describe: Describe = Listing.as_json,
) -> Server[Any]:
    """Build the server. `listen` serves list changes to 2026 clients; `render` is only set by the
    conformance fixture; `describe` formats a tool for the list."""
    content = render or render_item

    async def list_tools(ctx: ServerRequestContext[Any], _: types.PaginatedRequestParams):
        try:
            listings = await surface.tools(_tool_filter(ctx))
        except ToolError as error:
            raise MCPError(INVALID_PARAMS, replace_surrogates(error.message)) from error
        except Exception as error:
            log.exception("listing the tools failed")
            raise MCPError(INTERNAL_ERROR, INTERNAL_SENTENCE) from error
        return {"resultType": "complete", "tools": [mend_json(describe(each)) for each in listings]}

    async def call_tool(ctx: ServerRequestContext[Any], params: types.CallToolRequestParams):
        caller = Caller(
            _transport(ctx, transport), _client(ctx), _scope(ctx).get(SCOPE_TOKEN_NAME, "")
        )
        try:
            with _scope(ctx).get(SCOPE_OUTCOME, Outcome()).working():
                items = await surface.call(
                    params.name, params.arguments or {}, caller, _tool_filter(ctx)
                )
            # A plain dict: the SDK's model would add `isError: false`.
            return {"resultType": "complete", "content": [content(item) for item in items]}
        except UnknownTool as error:
            sentence = f"Unknown tool: {replace_surrogates(cut(error.name))}"
            raise MCPError(INVALID_PARAMS, sentence) from error
        except UnknownPhone as error:
            raise MCPError(INVALID_PARAMS, replace_surrogates(error.message)) from error
        except ToolError as error:
            return _failure((error.message, *error.details))
        except MCPError:
            raise
        except Exception:
            # With the older protocol the SDK would send the exception's own text.
            log.exception("tool %r failed", params.name)
            return _failure((INTERNAL_SENTENCE,))

    server: Server[Any] = Server(
        name,
        version=version,
        instructions=replace_surrogates(instructions) or None,
        cache_hints={"tools/list": CacheHint(ttl_ms=LIST_TTL_MS, scope="private")},
        # Used only for `x-mcp-header` marks, which no tool of ours has. Without it, the SDK would
        # list all tools before every call.
        get_tool_input_schema=_no_header_marks,
        on_subscriptions_listen=listen,
    )
    # Not through the constructor, because its handlers may not return a plain dict.
    server.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    return server


def render_item(item: Item) -> dict[str, Any]:
    if isinstance(item, Image):
        data = base64.b64encode(item.data).decode("ascii")
        return {"type": "image", "data": data, "mimeType": item.mime_type}
    return {"type": "text", "text": replace_surrogates(item)}


def _no_header_marks(_: str) -> None:
    return None


def _failure(texts: Sequence[str]) -> dict[str, Any]:
    content = [{"type": "text", "text": replace_surrogates(text)} for text in texts]
    return {"resultType": "complete", "content": content, "isError": True}


def _scope(ctx: ServerRequestContext[Any]) -> dict[str, Any]:
    """The HTTP request's scope; empty over stdio."""
    return getattr(ctx.request, "scope", {})


def _tool_filter(ctx: ServerRequestContext[Any]) -> ToolFilter:
    return _scope(ctx).get(SCOPE_TOOL_FILTER, EVERYTHING)


def _transport(ctx: ServerRequestContext[Any], own: str) -> str:
    """The transport by which the client reached the process that forwards the call; ours if the
    call is not forwarded. Only the owner's own programs may state another one."""
    if _scope(ctx).get(SCOPE_TOKEN_NAME, "") not in ("", OWNER):
        return own
    meta: Any = (ctx.params or {}).get("_meta")
    stated: Any = (
        cast("dict[str, Any]", meta).get(TRANSPORT_META) if isinstance(meta, dict) else None
    )
    return stated if stated in FORWARDED_TRANSPORTS else own


def _client(ctx: ServerRequestContext[Any]) -> str:
    """The name the client gave itself: in the request (2026 protocol) or at initialization."""
    meta: Any = (ctx.params or {}).get("_meta")
    if isinstance(meta, dict):
        info: Any = cast("dict[str, Any]", meta).get(types.CLIENT_INFO_META_KEY)
        if isinstance(info, dict) and isinstance(info.get("name"), str):  # pyright: ignore[reportUnknownMemberType]
            return cut(cast("dict[str, str]", info)["name"])
    hello = ctx.session.client_params
    if hello is not None:
        return cut(hello.client_info.name)
    return _scope(ctx).get(SCOPE_CLIENT, "")
