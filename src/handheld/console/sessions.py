"""One-time links, and the sessions that people open with them. Kept only in memory."""

import hmac
import itertools
import secrets
from dataclasses import dataclass
from hashlib import sha256

from ..clock import Clock

LINK_SECONDS = 600.0
SESSION_SECONDS = 12 * 3600.0
MOST_LINKS = 20
MOST_SESSIONS = 50


@dataclass(frozen=True, slots=True)
class LoginSession:
    name: str
    """The author of an answer, as others see it: `console 2`, `terminal 3`."""
    proof: str
    """Its pages send it as a header with every request, in addition to the cookie. Browsers send a
    cookie to every port of a host; the proof stays with the page's origin."""
    ends: float


class Sessions:
    """Stores secrets as hashes: a lookup then takes the same time for any input. Secrets have 256
    random bits, so wrong guesses are not limited: a limit would only lock out the owner."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._links: dict[bytes, float] = {}
        self._sessions: dict[bytes, LoginSession] = {}
        self._numbers = itertools.count(1)

    def make_link(self) -> str:
        """Return a secret that opens a session once, within ten minutes."""
        secret = secrets.token_urlsafe(32)
        now = self._clock.now()
        self._links = {key: until for key, until in self._links.items() if until > now}
        while len(self._links) >= MOST_LINKS:
            del self._links[next(iter(self._links))]
        self._links[_hash(secret)] = now + LINK_SECONDS
        return secret

    def exchange(self, secret: str) -> tuple[str, LoginSession] | None:
        """Return the cookie and its session; None if the secret is not valid."""
        until = self._links.pop(_hash(secret), None)
        if until is None or until <= self._clock.now():
            return None
        return self.open("console")

    def open(self, kind: str) -> tuple[str, LoginSession]:
        """Return the cookie and its session. The session's name is `kind` and a number."""
        now = self._clock.now()
        self._drop_expired(now)
        while len(self._sessions) >= MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        cookie = secrets.token_urlsafe(32)
        name = f"{kind} {next(self._numbers)}"
        session = LoginSession(name, secrets.token_urlsafe(32), now + SESSION_SECONDS)
        self._sessions[_hash(cookie)] = session
        return cookie, session

    def find(self, cookie: str) -> LoginSession | None:
        session = self._sessions.get(_hash(cookie))
        return session if session is not None and session.ends > self._clock.now() else None

    def holds(self, session: LoginSession) -> bool:
        """Whether the session is still open: neither expired nor logged out."""
        return session.ends > self._clock.now() and session in self._sessions.values()

    def end(self, session: LoginSession) -> None:
        self._sessions = {key: kept for key, kept in self._sessions.items() if kept is not session}

    def _drop_expired(self, now: float) -> None:
        self._sessions = {
            key: session for key, session in self._sessions.items() if session.ends > now
        }


def same(left: str, right: str) -> bool:
    """Whether two secrets are equal, compared in constant time."""
    return hmac.compare_digest(_hash(left), _hash(right))


def _hash(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()
