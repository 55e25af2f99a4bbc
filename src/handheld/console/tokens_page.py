"""Named tokens: what there is, a new one, and the end of one."""

import asyncio
from collections.abc import Sequence
from typing import Any

from ..audit import AuditError
from ..errors import ToolError
from ..tokens import OWNER, Token, Tokens, TokensError, read_expiry, toolset_names
from .desk import Desk
from .routes import Request, Route, not_found


class TokensPage:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def all(self, request: Request) -> dict[str, Any]:
        try:
            tokens, problem = (self._desk.tokens.all() if self._desk.tokens else []), ""
        except TokensError as failure:
            tokens, problem = [], str(failure)
        now = self._desk.clock.time()
        uses = await self._last_uses()
        return {
            "now": now,
            "kept": self._desk.tokens is not None,
            "owner": {
                "asked": not self._desk.settings.no_token,
                "last_use": uses.get(OWNER),
            },
            "tokens": [_told(one, now, uses.get(one.name)) for one in tokens],
            "toolsets": toolset_names(),
            "phones": [
                {"name": one.slug or one.serial, "model": one.model}
                for one in await self._desk.fleet.known()
            ],
            "problem": problem,
        }

    async def _last_uses(self) -> dict[str, float]:
        """When a token was last used, as far as the record goes."""
        if self._desk.audit is None:
            return {}
        try:
            return await asyncio.to_thread(self._desk.audit.last_uses)
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
                read_expiry(ends, self._desk.clock.time()) if ends else None,
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
        if self._desk.tokens is None:
            raise not_found("This server knows no named tokens.")
        return self._desk.tokens


def _told(token: Token, now: float, used: float | None) -> dict[str, Any]:
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


def routes(desk: Desk) -> Sequence[Route]:
    page = TokensPage(desk)
    return (
        Route("GET", "tokens", page.all),
        Route("POST", "tokens", page.make),
        Route("POST", "tokens/{name}/revoke", page.revoke),
    )
