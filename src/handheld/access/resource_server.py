"""This server as a resource server of OAuth 2.1: which access tokens it accepts, and for what.

An access token is checked here and never forwarded. Its subject becomes the name of the caller, in
a form that no named token can have.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import quote

from ..clock import SYSTEM_CLOCK, Clock
from .issuer import Issuer
from .signed_token import SignedToken
from .tokens import MOST_NAMES, AccessToken, ScopeMissing, TokenRefused

LEEWAY = 30.0
"""Tolerated difference between clocks, in seconds."""
READ, ACT = "handheld:read", "handheld:act"
TOOLSET, PHONE = "handheld:toolset:", "handheld:phone:"
LONGEST_NAME = 200
"""The limit in the directory of a fleet."""
_PATHS = ("", "/", "/mcp", "/mcp/agent")
"""The paths of this server that a token may be issued for."""
_SEEN = "._~|:/=-"
"""Characters other than letters and digits that stay as they are in a subject. Policy rules can
name them. @ is not among them, so the part of a rule after @ is the issuer."""


class ResourceServer:
    def __init__(
        self,
        url: str,
        issuers: Sequence[Issuer],
        *,
        phone_scopes: bool = False,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """`url` is the URL of this server, without a path. With `phone_scopes`, a token may only
        use the phones that its scopes name."""
        self._url = url
        self._issuers = {issuer.url: issuer for issuer in issuers}
        self._phone_scopes = phone_scopes
        self._clock = clock

    def link(self, path: str) -> str:
        """The URL of the metadata for a path."""
        return f"{self._url}/.well-known/oauth-protected-resource{path if path in _PATHS else ''}"

    def metadata(self, path: str) -> dict[str, Any] | None:
        """The metadata of RFC 9728; None if nothing is at this path."""
        if path not in _PATHS:
            return None
        return {
            "resource": f"{self._url}{path.rstrip('/')}",
            "authorization_servers": list(self._issuers),
            "scopes_supported": [READ, ACT],
            "bearer_methods_supported": ["header"],
            "resource_name": "Handheld",
        }

    async def prepare(self, shown: str) -> None:
        """Fetch the keys that `recognise` needs. Raises TokenRefused."""
        token = SignedToken.read(shown)
        await self._issuer(token).prepare(token.algorithm, token.key_id)

    def recognise(self, shown: str) -> AccessToken:
        """What an access token allows. Raises TokenRefused, ScopeMissing, TokensUnknown."""
        token = SignedToken.read(shown)
        issuer = self._issuer(token)
        key = issuer.find(token.algorithm, token.key_id)
        if key is None:
            raise TokenRefused("its issuer has no such key")
        if not key.verify(token.signed, token.signature):
            raise TokenRefused("its signature is wrong")
        claims = token.claims
        self._check_audience(claims.get("aud"))
        expires = self._check_times(claims)
        return self._limits(_name(claims, issuer), _scopes(claims), expires)

    def _issuer(self, token: SignedToken) -> Issuer:
        issuer = token.claims.get("iss")
        found = self._issuers.get(issuer) if isinstance(issuer, str) else None
        if found is None:
            raise TokenRefused("its issuer is not trusted here")
        return found

    def _check_audience(self, audience: Any) -> None:
        named = cast("list[Any]", audience) if isinstance(audience, list) else [audience]
        if not any(f"{self._url}{path}" in named for path in _PATHS):
            raise TokenRefused(f"it is not for {self._url}")

    def _check_times(self, claims: Mapping[str, Any]) -> float:
        now = self._clock.time()
        expires, begins = _moment(claims.get("exp")), _moment(claims.get("nbf", 0))
        if expires is None or begins is None:
            raise TokenRefused("it has no expiry time")
        if now >= expires + LEEWAY:
            raise TokenRefused("it has expired")
        if now < begins - LEEWAY:
            raise TokenRefused("it is not valid yet")
        return expires

    def _limits(self, name: str, scopes: frozenset[str], expires: float) -> AccessToken:
        """Each scope allows something; several never allow more than their union."""
        toolsets = () if ACT in scopes else _named(scopes, TOOLSET)
        phones = _named(scopes, PHONE)
        if not toolsets and scopes.isdisjoint((READ, ACT)):
            raise ScopeMissing("none of its scopes allows anything here", (READ, ACT))
        if self._phone_scopes and not phones:
            raise ScopeMissing(f"it names no phone, with a scope {PHONE}NAME")
        read_only = ACT not in scopes and not toolsets
        return AccessToken(name, toolsets, phones, read_only, expires=expires)


def _name(claims: Mapping[str, Any], issuer: Issuer) -> str:
    """The name of the caller. A client that acts on its own behalf may have no subject."""
    kind, id = "oauth", claims.get("sub")
    if id is None:
        kind, id = "oauth-client", claims.get("client_id")
    if not isinstance(id, str) or not id:
        raise TokenRefused("it does not name its subject")
    # In ASCII, and unique: no name resembles another.
    name = f"{kind}:{quote(id, safe=_SEEN, errors='surrogatepass')}@{issuer.name}"
    if len(name) > LONGEST_NAME:
        raise TokenRefused("its subject is too long")
    return name


def _scopes(claims: Mapping[str, Any]) -> frozenset[str]:
    """`scope` is from RFC 9068; some servers have `scp`, a string or a list."""
    given: Any = claims.get("scope", claims.get("scp", ""))
    words = given.split(" ") if isinstance(given, str) else given
    if not isinstance(words, list):
        raise TokenRefused("its scopes cannot be read")
    return frozenset(word for word in cast("list[Any]", words) if isinstance(word, str))


def _named(scopes: frozenset[str], prefix: str) -> tuple[str, ...]:
    found = sorted(scope.removeprefix(prefix) for scope in scopes if scope.startswith(prefix))
    if len(found) > MOST_NAMES:
        raise TokenRefused(f"it has more than {MOST_NAMES} scopes of one kind")
    return tuple(found)


def _moment(value: Any) -> float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and abs(value) < 2**53 else None
