"""The surface of another process of this user, over its HTTP listener."""

import base64
import binascii
import itertools
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

from ...access.attendance import is_attended, tell_person
from ...access.request_scope import EVERYTHING, RequestScope
from ...clock import SYSTEM_CLOCK, Clock
from ...devices.ownership import OwnerError, OwnerGone, OwnershipEntry
from ...errors import (
    KINDS,
    ActionFailed,
    PermissionDenied,
    TimedOut,
    ToolError,
    UnknownPhone,
    UnknownTool,
)
from ...progress import is_watched, relay
from ...settings import VIRTUAL
from ...tools.call import CODE_META, QUESTION_NOTE, TRANSPORT_META, Caller
from ...tools.duration import BEYOND, LONGEST_ASKED
from ...tools.listing import EXTRA_TOOLSETS, Image, Item, Listing
from .http_message import CONNECT_SECONDS, ConnectionLost, NotConnected, Note

if TYPE_CHECKING:
    import ssl

_READY = "device"
"""The state of a phone that can be used, as adb calls it."""
_ANSWER_SECONDS = 60.0
_CALL_SECONDS = LONGEST_ASKED + BEYOND + 60
"""Longer than any call may last."""
_UNAUTHORIZED = 401
_KINDS: Mapping[Any, type[ToolError]] = {kind.code: kind for kind in KINDS}
_NOTICE = b'{"jsonrpc":"2.0","method":'
"""How messages begin that are no answers."""
_INVALID_PARAMS = -32602
_CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
"""The client's name in 2026 requests; our server reads it with older protocol versions too."""


def _verify(entry: OwnershipEntry) -> "ssl.SSLContext | None":
    if not entry.url.startswith("https:"):
        return None
    import ssl

    if not entry.cert:
        return ssl.create_default_context()
    # Exactly the certificate it serves is expected, whatever its issuer and name. Those after the
    # first in its file are of issuers, who have signed others, too.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        context.load_verify_locations(cadata=first_certificate(entry.cert))
    except (OSError, ValueError):
        raise OwnerError(
            f"The certificate of {entry} cannot be read from {entry.cert}. Start it again."
        ) from None
    # One that names no host is that of an issuer: what it signed is for the hosts that this names.
    issuers = context.get_ca_certs()
    context.check_hostname = any("subjectAltName" not in issuer for issuer in issuers)
    return context


def first_certificate(file: str) -> str:
    """The first in a PEM file. Raises OSError and ValueError."""
    with open(file, encoding="utf-8") as stream:
        head, end, _ = stream.read().partition("-----END CERTIFICATE-----")
    if not end:
        raise ValueError(f"{file} has no certificate.")
    return head + end


class RemoteSurface:
    """Calls go to the owner's /mcp as plain JSON-RPC. A cancelled call closes its connection, which
    makes the owner stop the tool."""

    def __init__(
        self,
        entry: OwnershipEntry,
        policy: RequestScope = EVERYTHING,
        clock: Clock = SYSTEM_CLOCK,
        *,
        blocking: bool = False,
        refusal: str = "",
    ) -> None:
        """`policy`: what this process may use of the owner's tools and phones, in all requests.
        `blocking`: no event loop runs, and none is needed. `refusal`: what it means that the token
        is refused, where it is not the owner's."""
        self.entry = entry
        self.policy = policy
        self._refusal = refusal or (f"{entry} no longer accepts its own token. Start it again.")
        headers = {"Authorization": f"Bearer {entry.token}"} if entry.token else {}
        if blocking:
            from .blocking_client import BlockingClient as Client
        else:
            from .http_client import HttpClient as Client
        self._client = Client(entry.url, headers, _verify(entry), clock)
        self._ids = itertools.count(1)

    @property
    def surface(self) -> "RemoteSurface":
        """What is reached through it, as of a process that has the phone itself."""
        return self

    async def instructions(self, scope: RequestScope = EVERYTHING) -> str:
        client = {"name": "handheld", "version": "1"}
        asked = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        result = await self._ask("initialize", asked, scope)
        return str(result.get("instructions", ""))

    async def tools(self, scope: RequestScope = EVERYTHING) -> Sequence[Listing]:
        listings: list[Listing] = []
        cursor: str | None = None
        while True:
            asked = {"cursor": cursor} if cursor else {}
            result = await self._ask("tools/list", asked, scope)
            listings += [Listing.from_json(tool) for tool in result.get("tools", ())]
            cursor = result.get("nextCursor")
            if not cursor:
                return listings

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        scope: RequestScope = EVERYTHING,
    ) -> Sequence[Item]:
        who = {"name": caller.client or caller.transport, "version": ""}
        meta: dict[str, Any] = {_CLIENT_INFO: who, TRANSPORT_META: caller.transport}
        if is_watched() or is_attended():
            meta["progressToken"] = 1
        asked = {"name": name, "arguments": dict(arguments), "_meta": meta}
        result = await self._ask("tools/call", asked, scope)
        items = [_item(part) for part in result.get("content", ())]
        if result.get("isError"):
            texts = [item for item in items if isinstance(item, str)]
            kind = _kind_of(result.get("_meta"))
            raise kind(*(texts or ["The tool failed without saying why."]))
        return items

    async def phones(self, seconds: float = _ANSWER_SECONDS) -> list[dict[str, Any]]:
        """Return the owner's phones: serial, state and further details of each."""
        answer = await self.send("GET", "/phones", seconds=seconds)
        if not isinstance(answer, list):
            raise ToolError(f"{self.entry} does not say which phones it has.")
        return cast("list[dict[str, Any]]", answer)

    async def demand_phone(self) -> None:
        """Raises ToolError if the owner has no phone that can be used now."""
        if not any(phone.get("state") == _READY for phone in await self.phones()):
            raise ToolError(
                f"{self.entry} has no phone that can be used now. `handheld phones` says why."
            )

    async def release(self, phone: str) -> str:
        """Make the owner release UiAutomation on a phone. Returns its message."""
        return await self._told(f"/phones/{quote(phone, safe='')}/release")

    async def restore(self, phone: str) -> str:
        """Make the owner put back what was changed on a phone. Returns its message."""
        return await self._told(f"/phones/{quote(phone, safe='')}/restore")

    async def stop(self, phone: str, *, release: bool) -> str:
        """Make the owner stop agents on a phone, or on all for "", or resume them. Returns its
        message."""
        return await self._told("/stop", {"phone": phone, "release": release})

    async def end_lease(self, phone: str) -> str:
        """Make the owner end the lease of a phone. Returns its message."""
        return await self._told("/lease/end", {"phone": phone})

    async def _told(self, path: str, body: Mapping[str, Any] | None = None) -> str:
        """Make the owner do something for this user. Returns its message."""
        headers = {} if body is None else {"X-Handheld-Owner": self.entry.stop}
        answer = await self.send("POST", path, body, headers)
        return str(answer.get("message", "")) if isinstance(answer, dict) else ""

    async def console_link(self) -> str:
        """Return a one-time link to the owner's console."""
        headers = {"X-Handheld-Owner": self.entry.console}
        answer = await self.send("POST", "/console/link", headers=headers)
        secret = answer.get("secret") if isinstance(answer, dict) else None
        if not isinstance(secret, str):
            raise ToolError(f"{self.entry} gives no link to its console.")
        return f"{self.entry.url}/#login={secret}"

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _ask(self, method: str, asked: Mapping[str, Any], scope: RequestScope) -> Any:
        scope = scope.within(self.policy)
        phone = scope.phone
        path = f"/phones/{quote(phone, safe='')}/mcp" if phone else "/mcp"
        if scope.surface:
            path += f"/{scope.surface}"
        request = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": asked}
        seconds = _CALL_SECONDS if method == "tools/call" else _ANSWER_SECONDS
        headers = _headers(scope)
        if method == "tools/call" and (is_watched() or is_attended()):
            headers["Accept"] = "application/json, text/event-stream"
        if method == "tools/call" and is_attended() and self.entry.console:
            headers["X-Handheld-Owner"] = self.entry.console
        answer = await self.send("POST", path, request, headers, seconds)
        if not isinstance(answer, dict):
            raise ToolError(f"{self.entry} answered with something that is not MCP.")
        if "result" in answer:
            return answer["result"]
        error: dict[str, Any] = answer.get("error", {})
        message = str(error.get("message", "The owner gave no answer."))
        if method == "tools/call" and message.startswith("Unknown tool"):
            raise UnknownTool(str(asked["name"]))
        if phone and error.get("code") == _INVALID_PARAMS:
            raise UnknownPhone(message)
        raise ToolError(message)

    async def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        seconds: float = _ANSWER_SECONDS,
        note: Note | None = None,
    ) -> dict[str, Any] | list[Any]:
        """Return the answer to a request that is not MCP. `note` is given the messages before it,
        which else are passed on. Raises OwnerGone, ToolError."""
        content = b"" if body is None else json.dumps(body).encode()
        typed = {"Content-Type": "application/json"} if content else {}
        named = {**typed, **(headers or {})}
        try:
            status, received = await self._client.send(
                method, path, content, named, seconds, note or _pass_on
            )
        except NotConnected as problem:
            raise OwnerGone(self.entry, sent=False) from problem
        except TimeoutError as problem:
            raise TimedOut(
                f"{self.entry} has the phone and does not answer. What was asked for may or may "
                "not have happened. Stop it and start it again."
            ) from problem
        except ConnectionLost as problem:
            raise OwnerGone(self.entry, sent=True) from problem
        try:
            answer = json.loads(received)
        except ValueError:
            answer = None
        if 200 <= status < 300 and isinstance(answer, dict | list):
            return cast("dict[str, Any] | list[Any]", answer)
        if status == _UNAUTHORIZED:
            raise PermissionDenied(self._refusal)
        if isinstance(answer, dict):
            refusal = cast("dict[str, Any]", answer)
            if isinstance(refusal.get("error"), dict):
                return refusal  # a JSON-RPC error
            if message := refusal.get("message"):
                raise ToolError(str(message))
        raise ToolError(f"{self.entry} answered with HTTP {status}.")


async def has_phone(
    entry: OwnershipEntry, name: str, clock: Clock = SYSTEM_CLOCK, *, blocking: bool = False
) -> bool:
    """Whether the owner has this phone."""
    remote = RemoteSurface(entry, clock=clock, blocking=blocking)
    try:
        return any(
            name in (phone.get("serial"), phone.get("slug"))
            for phone in await remote.phones(CONNECT_SECONDS)
        )
    except (OwnerGone, ToolError):
        return False
    finally:
        await remote.aclose()


def explain_loss(gone: OwnerGone) -> ActionFailed | None:
    """What a call fails with whose owner is gone; None if it can be made elsewhere."""
    if gone.sent:
        return ActionFailed(
            f"{gone.entry}, which had the phone, ended during this call: it may or may not have"
            " happened. Look at the screen before you repeat it."
        )
    if VIRTUAL in gone.entry.phones:
        # The phone exited with its owner. On a new one this call would mean something else than
        # its caller thinks.
        return ActionFailed(
            f"{gone.entry}, which had the virtual phone, has ended. Nothing was done by this call."
            " The next one gets a new phone: read its screen first."
        )
    return None


def _pass_on(message: bytes) -> None:
    """Report what the owner reports of a call."""
    if not message.startswith(_NOTICE):
        return  # the answer
    with suppress(ValueError, KeyError, TypeError):
        notice = json.loads(message)
        told = notice["params"]
        if notice["method"] == QUESTION_NOTE:
            tell_person(told)
            return
        relay(told["progress"], told.get("total"), str(told["message"]))


def _kind_of(meta: Any) -> type[ToolError]:
    """The error with the code that an answer tells; older servers tell none."""
    code: Any = cast("dict[str, Any]", meta).get(CODE_META) if isinstance(meta, dict) else None
    return _KINDS.get(code, ToolError)


def _headers(scope: RequestScope) -> dict[str, str]:
    if scope.toolsets is not None or scope.phones is not None:
        # Only tokens restrict by these, and the owner's other processes have none.
        raise ToolError("Tools can be narrowed by toolset or phones only where the phone is.")
    headers: dict[str, str] = {}
    if on := EXTRA_TOOLSETS & scope.on:
        headers["X-MCP-Toolsets"] = ",".join(["default", *sorted(on)])
    if scope.read_only:
        headers["X-MCP-Readonly"] = "true"
    if scope.only is not None:
        # The server ignores an empty list; "none" matches no tool.
        headers["X-MCP-Tools"] = ",".join(sorted(scope.only)) or "none"
    if scope.surface and scope.prefix is not None:
        headers["X-Handheld-Tool-Prefix"] = scope.prefix
    if scope.strict:
        headers["X-Handheld-Strict"] = "true"
    if scope.off:
        headers["X-MCP-Exclude-Tools"] = ",".join(sorted(scope.off))
    return headers


def _item(part: Mapping[str, Any]) -> Item:
    if part.get("type") == "image":
        try:
            data = base64.b64decode(part["data"], validate=True)
        except (KeyError, TypeError, binascii.Error):
            raise ToolError("The owner's reply holds a picture that cannot be read.") from None
        return Image(data, part.get("mimeType", "image/jpeg"))
    return str(part.get("text", ""))
