"""An authorization server, and its current keys.

Every fetch is bounded: it uses HTTPS, follows no redirects, has limits of size and time, and
happens at most once in several seconds, whatever clients send.
"""

import asyncio
import json
import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from ..clock import SYSTEM_CLOCK, Clock
from ..screen.text import brief
from ..settings import is_loopback
from .signed_token import PublicKey, read_keys
from .tokens import TokensUnknown

if TYPE_CHECKING:
    import httpx

FETCH_SECONDS = 5.0
"""For the metadata and the keys together."""
LARGEST = 256 * 1024
FRESH_SECONDS = 600.0
"""Older keys are fetched again in the background."""
KEPT_SECONDS = 3600.0
"""Keys count for this long while fetching new ones fails."""
RETRY_SECONDS = 10.0
"""Between two attempts to fetch, also when tokens name unknown keys."""

log = logging.getLogger(__name__)


class IssuerAway(TokensUnknown):
    """The issuer's keys cannot be fetched."""


@dataclass(frozen=True, slots=True)
class Fetched:
    keys: tuple[PublicKey, ...]
    clock_ahead: float | None
    """Seconds by which the issuer's clock is ahead of ours; None if its responses do not say."""


class Issuer:
    def __init__(self, url: str, clock: Clock = SYSTEM_CLOCK) -> None:
        self.url = url
        self.name = url.partition("://")[2].rstrip("/")
        """For names of callers; no two issuers share one."""
        self._clock = clock
        self._keys: tuple[PublicKey, ...] = ()
        self._fetched = self._tried = -math.inf
        self._fetching: asyncio.Task[None] | None = None

    def find(self, algorithm: str, key_id: str | None) -> PublicKey | None:
        """The key that a token names; without a key id, the only key for its algorithm. Raises
        IssuerAway while no keys are known."""
        if self._clock.now() - self._fetched > KEPT_SECONDS:
            raise IssuerAway(
                f"The keys of {self.url} cannot be fetched now, so this token cannot be"
                " checked. Try again later."
            )
        fitting = [
            key
            for key in self._keys
            if key.algorithm == algorithm and (key_id is None or key.id == key_id)
        ]
        return fitting[0] if len(fitting) == 1 else None

    async def prepare(self, algorithm: str, key_id: str | None) -> None:
        """Fetch the keys if `find` needs newer ones, unless the last attempt was just now."""
        age = self._clock.now() - self._fetched
        known = age <= KEPT_SECONDS and self.find(algorithm, key_id) is not None
        if known and age <= FRESH_SECONDS:
            return
        if self._fetching is None and self._clock.now() - self._tried >= RETRY_SECONDS:
            self._tried = self._clock.now()
            self._fetching = asyncio.create_task(self._renew())
        if self._fetching is not None and not known:
            # Other requests may wait for it after this request's client has gone.
            await asyncio.shield(self._fetching)

    async def _renew(self) -> None:
        try:
            self._keys = (await self.fetch()).keys
            self._fetched = self._clock.now()
        except IssuerAway as problem:
            log.warning("%s", problem)
        finally:
            self._fetching = None

    async def fetch(self) -> Fetched:
        """Fetch the current keys. Raises IssuerAway."""
        from ssl import create_default_context

        import httpx  # slow to import, and seldom needed

        client = httpx.AsyncClient(
            trust_env=False,
            verify=create_default_context(),
            timeout=FETCH_SECONDS,
            headers={"Accept": "application/json", "Accept-Encoding": "identity"},
        )
        try:
            async with self._clock.timeout(FETCH_SECONDS), client:
                metadata, ahead = await self._discover(client)
                keys, _ = await self._get(client, metadata["jwks_uri"])
                return Fetched(read_keys(keys), ahead)
        except TimeoutError:
            raise self._away(f"it does not answer within {FETCH_SECONDS:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL) as problem:
            raise self._away(brief(str(problem) or type(problem).__name__, 200)) from problem
        except (ValueError, KeyError, TypeError, RecursionError) as problem:
            raise self._away("its answer is not what RFC 8414 and RFC 7517 define") from problem

    async def _discover(
        self, client: "httpx.AsyncClient"
    ) -> tuple[Mapping[str, Any], float | None]:
        """The server's metadata (RFC 8414, OpenID Connect Discovery). Raises IssuerAway,
        ValueError, HTTPError."""
        missing: IssuerAway | None = None
        for place in metadata_places(self.url):
            try:
                metadata, ahead = await self._get(client, place)
            except IssuerAway as problem:
                missing = missing or problem
                continue
            if (other := metadata.get("issuer")) != self.url:
                raise self._away(f"its metadata belongs to {brief(str(other), 200)}")
            return metadata, ahead
        assert missing is not None
        raise missing

    async def _get(
        self, client: "httpx.AsyncClient", url: object
    ) -> tuple[Mapping[str, Any], float | None]:
        """A JSON object, and by how much the server's clock is ahead. Raises IssuerAway,
        ValueError, HTTPError."""
        if not isinstance(url, str) or not self._may_fetch(url):
            raise self._away("the address of its keys is not an https URL")
        async with client.stream("GET", url) as response:
            if response.status_code != 200:
                raise self._away(f"{brief(url, 200)} answers {response.status_code}")
            if response.headers.get("content-encoding", "identity") != "identity":
                raise self._away(
                    f"{brief(url, 200)} is compressed, although the request did not allow it"
                )
            data = bytearray()
            async for chunk in response.aiter_raw():
                data += chunk
                if len(data) > LARGEST:
                    raise self._away(f"{brief(url, 200)} has more than {LARGEST} bytes")
            read: Any = json.loads(data)
            if not isinstance(read, dict):
                raise ValueError("no object")
            return cast("dict[str, Any]", read), self._ahead(response.headers.get("date"))

    def _may_fetch(self, url: str) -> bool:
        """Plain HTTP is allowed only on this machine, for an issuer on this machine."""
        parts = urlsplit(url)
        if parts.scheme == "https":
            return True
        here = self.url.startswith("http://") and is_loopback(parts.hostname or "")
        return parts.scheme == "http" and here

    def _ahead(self, date: str | None) -> float | None:
        try:
            return parsedate_to_datetime(date or "").timestamp() - self._clock.time()
        except (ValueError, OverflowError):
            return None

    def _away(self, why: str) -> IssuerAway:
        return IssuerAway(f"The keys of {self.url} cannot be fetched: {why}.")


def metadata_places(issuer: str) -> list[str]:
    """Where an issuer's metadata may be, in the order that MCP specifies."""
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    places = (
        f"{origin}/.well-known/oauth-authorization-server{path}",
        f"{origin}/.well-known/openid-configuration{path}",
        f"{origin}{path}/.well-known/openid-configuration",
    )
    return list(dict.fromkeys(places))
