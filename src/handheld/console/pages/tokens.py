"""Named tokens: list, create, revoke."""

import asyncio
from collections.abc import Sequence
from typing import Any

from ...access.tokens import OWNER, AccessToken, Tokens, TokensError, read_expiry, toolset_names
from ...audit import AuditError
from ...errors import ToolError
from ..context import ConsoleContext
from ..routes import Request, Route, not_found


class TokensPage:
    def __init__(self, context: ConsoleContext) -> None:
        self._context = context

    async def all(self, request: Request) -> dict[str, Any]:
        try:
            tokens, problem = (self._context.tokens.all() if self._context.tokens else []), ""
        except TokensError as failure:
            tokens, problem = [], str(failure)
        now = self._context.clock.time()
        uses = await self._last_uses()
        return {
            "now": now,
            "kept": self._context.tokens is not None,
            "owner": {
                "asked": not self._context.settings.no_token,
                "last_use": uses.get(OWNER),
            },
            "tokens": [_token_json(token, now, uses.get(token.name)) for token in tokens],
            "toolsets": toolset_names(),
            "phones": [
                {"name": phone.slug or phone.serial, "model": phone.model}
                for phone in await self._context.devices.known()
            ],
            "problem": problem,
        }

    async def _last_uses(self) -> dict[str, float]:
        """Return when each token was last used, according to the record."""
        if self._context.audit is None:
            return {}
        try:
            return await asyncio.to_thread(self._context.audit.last_uses)
        except AuditError:
            return {}

    async def make(self, request: Request) -> dict[str, Any]:
        ends = request.text("expires", "").strip()
        try:
            secret = self._tokens().make(
                request.text("name").strip(),
                request.texts("toolsets", ()),
                request.texts("phones", ()),
                request.flag("read_only", False),
                read_expiry(ends, self._context.clock.time()) if ends else None,
            )
        except TokensError as problem:
            raise ToolError(str(problem)) from problem
        return {"secret": secret}

    async def revoke(self, request: Request) -> dict[str, Any]:
        try:
            self._tokens().revoke(request.params["name"])
        except TokensError as problem:
            raise ToolError(str(problem)) from problem
        return {}

    def _tokens(self) -> Tokens:
        if self._context.tokens is None:
            raise not_found("This server does not use named tokens.")
        return self._context.tokens


def _token_json(token: AccessToken, now: float, used: float | None) -> dict[str, Any]:
    return {
        "name": token.name,
        "toolsets": token.toolsets,
        "phones": token.phones,
        "read_only": token.read_only,
        "made": token.made,
        "expires": token.expires,
        "ended": token.ended(now),
        "near_end": token.near_end(now),
        "last_use": used,
    }


def routes(context: ConsoleContext) -> Sequence[Route]:
    page = TokensPage(context)
    return (
        Route("GET", "tokens", page.all),
        Route("POST", "tokens", page.make),
        Route("POST", "tokens/{name}/revoke", page.revoke),
    )
