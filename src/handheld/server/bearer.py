"""The check of bearer tokens."""

import hmac
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING

from ..access.request_scope import EVERYTHING
from ..access.tokens import (
    OWNERS_TOKEN,
    AccessToken,
    ScopeMissing,
    TokenRefused,
    TokensUnknown,
)
from .exchange import Exchange, HttpRefusal

if TYPE_CHECKING:
    from ..access.resource_server import ResourceServer

Recognise = Callable[[str], AccessToken | None]
"""Returns the valid named token with this secret, if there is one. Raises TokensUnknown."""


_NO_SCOPE = "insufficient_scope"


def recognise_none(_: str) -> None:
    """For servers on which the owner's token is the only one."""


class Bearer:
    """Without a secret no token is required, and every request counts as the owner's. `oauth`
    judges access tokens."""

    def __init__(
        self,
        secret: str,
        recognise: Recognise = recognise_none,
        oauth: "ResourceServer | None" = None,
    ) -> None:
        self._digest = sha256(secret.encode()).digest() if secret else None
        self._recognise = recognise
        self._oauth = oauth

    def holds(self, exchange: Exchange) -> bool:
        """Whether the token of a request is still valid."""
        try:
            self.check(exchange)
        except HttpRefusal:
            return False
        return True

    async def prepare(self, exchange: Exchange) -> None:
        """Fetch what `check` needs to know of an access token."""
        shown = (exchange.header("authorization") or "")[7:].strip()
        if self._oauth is not None and self._digest is not None and _is_access_token(shown):
            with suppress(TokenRefused):  # `check` says so
                await self._oauth.prepare(shown)

    def check(self, exchange: Exchange) -> AccessToken | None:
        """Return the token of a request; None where none is required. Raises HttpRefusal, with the
        same message for a named token that expired, was revoked or never existed."""
        if self._digest is None:
            return None
        given = exchange.header("authorization")
        if given is None:
            sentence = "Missing Authorization header. Expected: Bearer <token>"
            raise self.refuse(exchange, sentence)
        if given[:7].lower() != "bearer ":
            sentence = "Malformed Authorization header. Expected: Bearer <token>"
            raise self.refuse(exchange, sentence)
        shown = given[7:].strip()
        # Digests have one length, so the comparison reveals nothing about the token's.
        if hmac.compare_digest(sha256(shown.encode("latin-1")).digest(), self._digest):
            return OWNERS_TOKEN
        try:
            if self._oauth is not None and _is_access_token(shown):
                return self._oauth.recognise(shown)
            token = self._recognise(shown)
        except TokenRefused as problem:
            sentence = f"The access token is refused: {problem}."
            raise self.refuse(exchange, sentence, "invalid_token") from problem
        except ScopeMissing as problem:
            sentence = f"The access token is refused: {problem}."
            scope = " ".join(problem.scopes)
            raise self.refuse(exchange, sentence, _NO_SCOPE, scope) from problem
        except TokensUnknown as problem:
            raise HttpRefusal(503, "unavailable", str(problem)) from problem
        if token is not None:
            return token
        raise self.refuse(exchange, "Invalid bearer token", "invalid_token")

    def refuse(
        self, exchange: Exchange, sentence: str, error: str = "", scope: str = ""
    ) -> HttpRefusal:
        """401, or 403 if a scope is missing; with where to get an access token, if they are
        accepted here."""
        challenge = "Bearer"
        if self._oauth is not None:
            parts = {
                "error": error,
                "scope": scope,
                "resource_metadata": self._oauth.link(exchange.path),
            }
            challenge += " " + ", ".join(f'{name}="{text}"' for name, text in parts.items() if text)
        status, word = (401, "unauthorized")
        if error == _NO_SCOPE:
            status, word = (403, "forbidden")
        return HttpRefusal(status, word, sentence, www_authenticate=challenge)


def _is_access_token(shown: str) -> bool:
    """Named tokens have no dots."""
    return shown.count(".") == 2


def require_unlimited(token: AccessToken | None) -> None:
    """Raises HttpRefusal for a token with limits."""
    if token is not None and token.scope != EVERYTHING:
        raise HttpRefusal(403, "forbidden", "Only a token without limits may do this.")
