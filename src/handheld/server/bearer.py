"""Whose token a request shows."""

import hmac
from collections.abc import Callable
from hashlib import sha256

from ..access.tokens import OWNERS_TOKEN, AccessToken
from .exchange import Exchange, HttpRefusal

Recognise = Callable[[str], AccessToken | None]
"""The named token with this secret, where there is one that counts."""


def recognise_none(_: str) -> None:
    """Where the owner's token is the only one."""


class Bearer:
    """Without a secret nobody is asked for a token, and all that come are the owner's."""

    def __init__(self, secret: str, recognise: Recognise = recognise_none) -> None:
        self._digest = sha256(secret.encode()).digest() if secret else None
        self._recognise = recognise

    def holds(self, exchange: Exchange) -> bool:
        """Whether the token that a request shows still counts."""
        try:
            self.check(exchange)
        except HttpRefusal:
            return False
        return True

    def check(self, exchange: Exchange) -> AccessToken | None:
        """None where no token is asked for. Raises HttpRefusal, which says the same of a token that
        has ended, was revoked or never was."""
        if self._digest is None:
            return None
        given = exchange.header("authorization")
        if given is None:
            raise _unauthorized("Missing Authorization header. Expected: Bearer <token>")
        if given[:7].lower() != "bearer ":
            raise _unauthorized("Malformed Authorization header. Expected: Bearer <token>")
        shown = given[7:].strip()
        # Digests are of one length, so the comparison tells nothing about the token's.
        if hmac.compare_digest(sha256(shown.encode("latin-1")).digest(), self._digest):
            return OWNERS_TOKEN
        if token := self._recognise(shown):
            return token
        raise _unauthorized("Invalid bearer token")


def _unauthorized(sentence: str) -> HttpRefusal:
    return HttpRefusal(401, "unauthorized", sentence, www_authenticate="Bearer")
