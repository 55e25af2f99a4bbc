"""What the method and headers of a request must be, and what they ask for."""

from ..access.request_scope import EVERYTHING, RequestScope
from ..access.tokens import AccessToken
from ..settings.slug import find_prefix_fault
from ..tools.listing import EXTRA_TOOLSETS
from .envelope import Message, unsupported_version
from .events import MEDIA_TYPE
from .exchange import Exchange, HttpRefusal
from .text import cut
from .versions import HANDSHAKE, KNOWN, PROGRESS_TOKEN

_NARROWING = (
    b"x-mcp-readonly",
    b"x-mcp-tools",
    b"x-mcp-exclude-tools",
    b"x-mcp-toolsets",
    b"x-handheld-tool-prefix",
    b"x-handheld-strict",
)
_NO = frozenset({"", "0", "false", "no", "off"})
_DEFAULT, _ALL = "default", "all"
"""In X-MCP-Toolsets: what is there without it; and all that a client may switch on."""


def require_method(method: str, wanted: str) -> None:
    """Raises HttpRefusal."""
    if method != wanted:
        sentence = f"{cut(method)} is not served at this path; use {wanted}."
        raise HttpRefusal(405, "method_not_allowed", sentence, allow=wanted)


def require_json(exchange: Exchange) -> None:
    """Raises HttpRefusal."""
    kind = (exchange.header("content-type") or "").partition(";")[0].strip().lower()
    if kind != "application/json":
        sentence = "Send JSON with the header Content-Type: application/json."
        raise HttpRefusal(415, "unsupported_media_type", sentence)


def check_media_types(exchange: Exchange) -> None:
    """Raises HttpRefusal unless the request is plain JSON and accepts JSON."""
    require_json(exchange)
    if (exchange.header("content-encoding") or "identity").lower() != "identity":
        raise HttpRefusal(415, "unsupported_media_type", "Send the body without compression.")
    accept = exchange.header("accept")
    kinds = [part.partition(";")[0].strip().lower() for part in (accept or "").split(",")]
    if accept and not {"*/*", "application/*", "application/json"} & set(kinds):
        raise HttpRefusal(
            406, "not_acceptable", "Answers are JSON; send the header Accept: application/json."
        )


def wants_progress(exchange: Exchange, message: Message) -> bool:
    """Whether the client wants to be told how far a call has come, and takes a stream."""
    return (
        message.method == "tools/call"
        and PROGRESS_TOKEN in message.params.get("_meta", ())
        and MEDIA_TYPE in (exchange.header("accept") or "").lower()
    )


def requested_scope(
    exchange: Exchange, phone: str | None, token: AccessToken | None
) -> RequestScope:
    """The tools that the client restricts itself to, within those its token allows. An unclear
    value of X-MCP-Readonly or X-Handheld-Strict counts as true."""
    if phone is None and not exchange.has(*_NARROWING):
        return token.scope if token else EVERYTHING
    read_only, strict = (
        (exchange.header(name) or "").strip().lower() not in _NO
        for name in ("x-mcp-readonly", "x-handheld-strict")
    )
    only = _names(exchange, "x-mcp-tools")
    off = _names(exchange, "x-mcp-exclude-tools")
    prefix = exchange.header("x-handheld-tool-prefix")
    if prefix is not None and find_prefix_fault(prefix):
        prefix = None
    toolsets = _names(exchange, "x-mcp-toolsets")
    asked = RequestScope(
        phone,
        read_only,
        only or None,
        off,
        None if not toolsets or toolsets & {_DEFAULT, _ALL} else toolsets,
        prefix=prefix,
        on=EXTRA_TOOLSETS if _ALL in toolsets else EXTRA_TOOLSETS & toolsets,
        strict=strict,
    )
    return asked.within(token.scope) if token else asked


def _names(exchange: Exchange, header: str) -> frozenset[str]:
    names = (name.strip() for name in (exchange.header(header) or "").split(","))
    return frozenset(name for name in names if name)


def is_modern(exchange: Exchange) -> bool:
    """Whether the protocol version has no handshake."""
    version = exchange.header("mcp-protocol-version")
    return version is not None and version not in HANDSHAKE


def require_version(exchange: Exchange, message: Message) -> None:
    """Raises Refused for a protocol version that is not served. A request that carries its version
    in its body is judged by both (`envelope.check_version`)."""
    version = exchange.header("mcp-protocol-version")
    judged_later = message.is_request and message.states_version
    if version is not None and version not in KNOWN and not judged_later:
        raise unsupported_version(version, KNOWN, message.id)
