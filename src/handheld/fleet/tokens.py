"""The tokens of a fleet. An administrator writes them into the engine, and every gateway accepts
them. Hosts follow them as well, and end the leases of tokens that become invalid."""

import json
import logging
import math
from collections.abc import Callable, Hashable
from contextlib import suppress
from hashlib import sha256
from typing import Any

from ..access.tokens import AccessToken, StoredToken, TokensError, TokensUnknown, shown_bytes
from ..changes import Changes
from ..clock import SYSTEM_CLOCK, Clock
from .nats.kv import Conflict, Entry, Kv, UpToDate
from .nats.names import NAME, TOKENS
from .nats.wire import EngineWire

log = logging.getLogger(__name__)

MOST = 1000
KEPT_SECONDS = 60.0
"""Known tokens stay valid for this long while the table cannot be followed."""
_DAMAGE = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


class FleetTokens:
    """A member's knowledge of the table. `run` follows it."""

    def __init__(
        self, clock: Clock = SYSTEM_CLOCK, own: Callable[[str], Hashable] = lambda name: None
    ) -> None:
        """`own` is the `stamp` function of the member's own tokens."""
        self._clock = clock
        self._own = own
        self._kv: Kv | None = None
        self._rows: dict[str, StoredToken | None] = {}
        """None for a row that cannot be read: its name is still taken."""
        self._recent: dict[bytes, str] = {}
        """The names of recognised secrets, by their digests: comparing one with a thousand tokens
        takes a millisecond."""
        self._changes = Changes()

    async def run(self, wire: EngineWire) -> None:
        """Follow until cancelled."""
        kv = self._kv = Kv(wire, TOKENS, clock=self._clock)
        before = set(self._rows)  # a run that failed did not report later deletions
        async for change in kv.watch():
            if isinstance(change, UpToDate):
                for name in before:
                    self._rows.pop(name, None)
            elif isinstance(change, Entry):
                before.discard(change.key)
                self._rows[change.key] = _decode_or_none(change)
            else:
                self._rows.pop(change.key, None)
            self._changes.tell()

    def names(self) -> list[str]:
        return list(self._rows)

    def has(self, name: str) -> bool:
        """Whether the name belongs to one of the fleet's tokens, even an expired one."""
        return name in self._rows

    def made(self, name: str) -> float | None:
        """When the fleet's token of that name was created, which distinguishes it from an earlier
        one; None if there is none."""
        stored = self._rows.get(name)
        return None if stored is None else stored.token.made

    def stamp(self, name: str) -> Hashable:
        """For leases: the value changes once the token is invalid, or once another has its name."""
        if name not in self._rows:
            # An unknown name is a token of a gateway.
            own = self._own(name)
            return "of a gateway" if own is None else own
        stored = self._rows[name]
        if stored is None or stored.token.ended(self._clock.time()):
            return None
        return stored.token.made

    async def agree(self, name: str, made: float | None, seconds: float) -> bool:
        """Whether we know the token as another member does, within `seconds`: one may learn of a
        change earlier than the other."""
        if self.made(name) == made:
            return True
        with suppress(TimeoutError), self._changes.watch() as changed:
            async with self._clock.timeout(seconds):
                while self.made(name) != made:
                    await changed.wait()
                    changed.clear()
        return self.made(name) == made

    def recognise(self, secret: str) -> AccessToken | None:
        """The fleet's token with this secret; None if it is unknown, revoked or expired. Raises
        TokensUnknown."""
        heard = -math.inf if self._kv is None else self._kv.heard
        if self._clock.now() - heard > KEPT_SECONDS:
            raise TokensUnknown(
                "The engine's table of tokens cannot be read now, so this token cannot be"
                " checked. Try again later."
            )
        shown = shown_bytes(secret)
        known = self._rows.get(self._recent.get(digest := sha256(shown).digest(), ""))
        found = known if known is not None and known.fits(shown) else self._find(shown)
        if found is None:
            return None
        if len(self._recent) > 2 * MOST:
            self._recent.clear()
        self._recent[digest] = found.token.name
        return None if found.token.ended(self._clock.time()) else found.token

    def _find(self, shown: bytes) -> StoredToken | None:
        found: StoredToken | None = None
        for stored in self._rows.values():
            if stored is not None and stored.fits(shown):
                found = stored
        return found

    def beside(
        self, recognise: Callable[[str], AccessToken | None]
    ) -> Callable[[str], AccessToken | None]:
        """Recognise a member's own tokens, except those whose names are the fleet's."""

        def own(secret: str) -> AccessToken | None:
            token = recognise(secret)
            return None if token is None or self.has(token.name) else token

        return own


# For administrators


async def add_token(kv: Kv, token: AccessToken) -> str:
    """Store a token and return its secret, which cannot be shown again. Raises TokensError,
    WireError, KvError."""
    if not NAME.fullmatch(token.name):
        raise TokensError(
            f"{token.name[:40]!r} cannot be the name of a token of the fleet: use up to 32 small"
            " letters, digits and hyphens."
        )
    stored, secret = StoredToken.make(token)
    if len(await kv.read_all()) >= MOST:
        raise TokensError(f"The fleet has {MOST} tokens already: revoke one first.")
    try:
        await kv.swap(token.name, json.dumps(stored.encode()).encode(), 0)
    except Conflict:
        raise TokensError(
            f"The fleet has a token called {token.name} already. Take another name, or revoke it"
            f" first: handheld token revoke {token.name} --fleet"
        ) from None
    return secret


async def list_tokens(kv: Kv) -> list[AccessToken]:
    """The oldest first. Unreadable tokens are left out and logged. Raises WireError, KvError."""
    entries = await kv.read_all()
    decoded = [_decode_or_none(entry) for entry in entries.values()]
    tokens = [stored.token for stored in decoded if stored is not None]
    return sorted(tokens, key=lambda token: (token.made, token.name))


async def revoke_token(kv: Kv, name: str) -> None:
    """Raises TokensError, WireError, KvError."""
    entries = await kv.read_all()
    if name not in entries:
        known = ", ".join(sorted(entries))
        raise TokensError(
            f"The fleet has no token called {name[:40]!r}. "
            + (f"It has: {known}." if known else "It has none.")
        )
    await kv.delete(name)


def _decode_or_none(entry: Entry) -> StoredToken | None:
    try:
        read: Any = json.loads(entry.value)
        stored = StoredToken.decode(read)
        if stored.token.name != entry.key:
            raise ValueError("another token's")
        return stored
    except _DAMAGE:
        log.error("The fleet's token %s is damaged and not recognised.", entry.key)
        return None
