"""The check of bearer tokens."""

import hmac
from collections.abc import Callable
from hashlib import sha256

from ..access.tokens import OWNERS_TOKEN, AccessToken, TokensUnknown
from ..access.tool_filter import EVERYTHING
from .exchange import Exchange, HttpRefusal

Recognise = Callable[[str], AccessToken | None]
"""Returns the valid named token with this secret, if there is one. Raises TokensUnknown."""


def recognise_none(_: str) -> None:
    """For servers on which the owner's token is the only one."""


class Bearer:
    """Without a secret no token is required, and every request counts as the owner's."""

    def __init__(self, secret: str, recognise: Recognise = recognise_none) -> None:
        self._digest = sha256(secret.encode()).digest() if secret else None
        self._recognise = recognise

    def holds(self, exchange: Exchange) -> bool:
        """Whether the token of a request is still valid."""
        try:
            self.check(exchange)
        except HttpRefusal:
            return False
        return True

    def check(self, exchange: Exchange) -> AccessToken | None:
        """Return the token of a request; None where none is required. Raises HttpRefusal, with the
        same message for a token that expired, was revoked or never existed."""
        if self._digest is None:
            return None
        given = exchange.header("authorization")
        if given is None:
            raise _unauthorized("Missing Authorization header. Expected: Bearer <token>")
        if given[:7].lower() != "bearer ":
            raise _unauthorized("Malformed Authorization header. Expected: Bearer <token>")
        shown = given[7:].strip()
        # Digests have one length, so the comparison reveals nothing about the token's.
        if hmac.compare_digest(sha256(shown.encode("latin-1")).digest(), self._digest):
            return OWNERS_TOKEN
        try:
            token = self._recognise(shown)
        except TokensUnknown as problem:
            raise HttpRefusal(503, "unavailable", str(problem)) from problem
        if token is not None:
            return token
        raise _unauthorized("Invalid bearer token")


def require_unlimited(token: AccessToken | None) -> None:
    """Raises HttpRefusal for a token with limits."""
    if token is not None and token.tool_filter != EVERYTHING:
        raise HttpRefusal(403, "forbidden", "Only a token without limits may do this.")


def _unauthorized(sentence: str) -> HttpRefusal:
    return HttpRefusal(401, "unauthorized", sentence, www_authenticate="Bearer")
