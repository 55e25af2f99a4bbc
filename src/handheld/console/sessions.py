"""Who is at a console: one-time links, and the sessions they are exchanged for. In memory alone."""

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
class Session:
    name: str
    """What others are told who it was: `console 2`."""
    proof: str
    """What its pages send as a header with every request, beside the cookie. A cookie goes to every
    port of a host; this stays with the page's own origin."""
    ends: float


class Sessions:
    """Secrets are kept as hashes: looking one up takes as long whatever is asked for. They have 256
    random bits, so wrong ones are not counted: whoever tries many would only keep others out."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._links: dict[bytes, float] = {}
        self._sessions: dict[bytes, Session] = {}
        self._numbers = itertools.count(1)

    def make_link(self) -> str:
        """A secret that opens one session, once, within ten minutes."""
        secret = secrets.token_urlsafe(32)
        now = self._clock.now()
        self._links = {key: until for key, until in self._links.items() if until > now}
        while len(self._links) >= MOST_LINKS:
            del self._links[next(iter(self._links))]
        self._links[_hash(secret)] = now + LINK_SECONDS
        return secret

    def exchange(self, secret: str) -> tuple[str, Session] | None:
        """The cookie and its session, for a secret that holds."""
        now = self._clock.now()
        until = self._links.pop(_hash(secret), None)
        if until is None or until <= now:
            return None
        self._drop_ended(now)
        while len(self._sessions) >= MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        cookie = secrets.token_urlsafe(32)
        name = f"console {next(self._numbers)}"
        session = Session(name, secrets.token_urlsafe(32), now + SESSION_SECONDS)
        self._sessions[_hash(cookie)] = session
        return cookie, session

    def find(self, cookie: str) -> Session | None:
        session = self._sessions.get(_hash(cookie))
        return session if session is not None and session.ends > self._clock.now() else None

    def holds(self, session: Session) -> bool:
        """Whether it has neither ended nor been left."""
        return session.ends > self._clock.now() and session in self._sessions.values()

    def end(self, session: Session) -> None:
        self._sessions = {key: one for key, one in self._sessions.items() if one is not session}

    def _drop_ended(self, now: float) -> None:
        self._sessions = {key: one for key, one in self._sessions.items() if one.ends > now}


def same(one: str, other: str) -> bool:
    """Whether two secrets are equal, in a time that does not tell how far they are."""
    return hmac.compare_digest(_hash(one), _hash(other))


def _hash(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()
