"""The named tokens: what each may use, until when, and how its secret is verified.

A secret has 256 random bits. A salted SHA-256 is therefore as good as a slow hash, and cheap enough
to compute for every request. Secrets are shown once and never stored.
"""

import contextlib
import fcntl
import hmac
import json
import logging
import math
import os
import re
import secrets
from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from ..clock import SYSTEM_CLOCK, Clock
from ..phone.leases.shares import OWNER, is_owner
from ..settings.private_file import private_folder, write_private
from ..tools.listing import APP_TOOLSET, OPTIONAL_TOOLSETS
from .names import is_reserved
from .owner_token import TokenError
from .request_scope import EVERYTHING, RequestScope

MOST_TOKENS = 100
MOST_NAMES = 50
"""Toolsets or phones of one token."""
LONGEST_SECRET = 4096
NEAR_SECONDS = 7 * 24 * 3600.0
"""A token that expires sooner is reported as about to expire."""
NAME_FAULT = "a name has 1 to 32 of a-z, 0-9, . _ and -, and begins with a letter or a digit"

_FILE_LIMIT = 1024 * 1024
_LAST = 253_402_300_800.0
"""The end of the year 9999, the last year that calendars support."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,31}", re.ASCII)
_SPAN = re.compile(r"([1-9][0-9]{0,4})([hdw])", re.ASCII)
_UNITS = {"h": 3600.0, "d": 24 * 3600.0, "w": 7 * 24 * 3600.0}

log = logging.getLogger(__name__)


class TokensError(TokenError):
    """The tokens cannot be read or stored, or a token cannot be created as requested."""


class TokensUnknown(TokenError):
    """The valid tokens cannot be determined now."""


class TokenRefused(TokenError):
    """An access token is not accepted. The message gives the reason and quotes nothing from the
    token."""


class ScopeMissing(TokenError):
    """An access token is valid, but allows nothing here."""

    def __init__(self, message: str, scopes: Sequence[str] = ()) -> None:
        """With one of the scopes, it would."""
        super().__init__(message)
        self.scopes = scopes


@dataclass(frozen=True, slots=True)
class AccessToken:
    """What a token allows, without its secret."""

    name: str
    toolsets: tuple[str, ...] = ()
    """Empty is all."""
    phones: tuple[str, ...] = ()
    """By slug or serial; empty is all."""
    read_only: bool = False
    made: float = 0.0
    """In seconds since 1970, as is `expires`."""
    expires: float | None = None

    def ended(self, now: float) -> bool:
        return self.expires is not None and now >= self.expires

    def near_end(self, now: float) -> bool:
        left = math.inf if self.expires is None else self.expires - now
        return 0 < left < NEAR_SECONDS

    @property
    def scope(self) -> RequestScope:
        """The tools and phones that it may use."""
        return RequestScope(
            # A token for one phone needs no parameter to choose it.
            phone=self.phones[0] if len(self.phones) == 1 else None,
            read_only=self.read_only,
            toolsets=frozenset(self.toolsets) or None,
            phones=frozenset(self.phones) or None,
            on=OPTIONAL_TOOLSETS.intersection(self.toolsets),
        )


OWNERS_TOKEN = AccessToken(OWNER)
"""The token without limits."""
assert OWNERS_TOKEN.scope == EVERYTHING


def toolset_names() -> tuple[str, ...]:
    """The toolsets to which a token may be limited."""
    from ..tools.main import EVERY_TOOLSET  # slow to import, and not needed to recognise a token

    return (*(toolset.name for toolset in EVERY_TOOLSET), APP_TOOLSET)


def read_expiry(text: str, now: float) -> float:
    """`30d`, `12h`, `4w`, or a last day such as 2026-12-31. Raises TokensError."""
    text = text.strip()
    if span := _SPAN.fullmatch(text):
        return now + int(span[1]) * _UNITS[span[2]]
    try:
        # Only the long form: people read other ISO 8601 forms differently.
        day = date.fromisoformat(text) if len(text) == 10 else None
        if day is not None:
            return datetime.combine(day + timedelta(days=1), datetime.min.time()).timestamp()
    except (ValueError, OverflowError, OSError):
        pass
    raise TokensError(
        f"{text[:40]!r} is not an end time: give 12h, 30d or 4w from now, or a day such as"
        " 2030-12-31."
    )


@dataclass(frozen=True, slots=True)
class StoredToken:
    """A token as it is stored. Nothing here reveals its secret."""

    token: AccessToken
    salt: bytes
    digest: bytes

    @classmethod
    def make(cls, token: AccessToken) -> "tuple[StoredToken, str]":
        """Create the stored form and the secret, which cannot be shown again. Raises TokensError
        for an invalid token."""
        _check(token)
        secret = f"hh_{secrets.token_urlsafe(32)}"
        salt = secrets.token_bytes(16)
        return cls(token, salt, _digest(salt, secret.encode())), secret

    def fits(self, shown: bytes) -> bool:
        """Compare in constant time."""
        return hmac.compare_digest(_digest(self.salt, shown), self.digest)

    def encode(self) -> dict[str, Any]:
        return {**asdict(self.token), "salt": self.salt.hex(), "sha256": self.digest.hex()}

    @classmethod
    def decode(cls, stored: dict[str, Any]) -> "StoredToken":
        """Reject every other form as damage: misreading a limit would remove it. Raises ValueError,
        KeyError, TypeError."""
        name, read_only, made, expires = (
            stored["name"],
            stored["read_only"],
            stored["made"],
            stored["expires"],
        )
        if not isinstance(name, str) or not isinstance(read_only, bool):
            raise ValueError
        for moment in (made, 0.0 if expires is None else expires):
            if not isinstance(moment, int | float) or not math.isfinite(moment):
                raise ValueError
        salt, digest = bytes.fromhex(stored["salt"]), bytes.fromhex(stored["sha256"])
        if len(salt) < 16 or len(digest) != sha256().digest_size:
            raise ValueError
        token = AccessToken(
            name, _texts(stored["toolsets"]), _texts(stored["phones"]), read_only, made, expires
        )
        return cls(token, salt, digest)


def shown_bytes(secret: str) -> bytes:
    """A secret in the form that is compared."""
    return secret.encode("utf-8", "surrogateescape")[:LONGEST_SECRET]


class Tokens:
    """The tokens in a file. It is read again after another process changes it."""

    def __init__(self, file: Path, *, clock: Clock = SYSTEM_CLOCK) -> None:
        self._file = file
        self._name = str(file)  # for every call, where pathlib is slow
        self._clock = clock
        self._seen: tuple[int, int, int] | None = None
        self._kept: tuple[StoredToken, ...] = ()
        self._problem = ""

    def all(self) -> list[AccessToken]:
        """All tokens in the order of their creation, including expired ones. Raises TokensError."""
        return [kept.token for kept in self._read()]

    def names(self) -> list[str]:
        """The names of all tokens; empty if they cannot be read."""
        try:
            return [kept.token.name for kept in self._read()]
        except TokensError:
            return []  # logged when it was found

    def stamp(self, name: str) -> float | None:
        """Distinguishes a token from an earlier one of the same name; None if it is not valid."""
        # Callers with access tokens get a new one every hour, so their expiry is not known here.
        if is_owner(name) or not _NAME.fullmatch(name):
            return 0.0
        with contextlib.suppress(TokensError):
            for kept in self._read():
                if kept.token.name == name and not kept.token.ended(self._clock.time()):
                    return kept.token.made
        return None

    def make(
        self,
        name: str,
        toolsets: Sequence[str] = (),
        phones: Sequence[str] = (),
        read_only: bool = False,
        expires: float | None = None,
    ) -> str:
        """Create a token and return its secret, which cannot be shown again. Raises TokensError."""
        stored, secret = StoredToken.make(
            AccessToken(
                name,
                tuple(dict.fromkeys(toolsets)),
                tuple(dict.fromkeys(phones)),
                read_only,
                self._clock.time(),
                expires,
            )
        )
        with self._editing() as kept:
            if any(one.token.name == name for one in kept):
                raise TokensError(
                    f"There is a token called {name} already. Take another name, or revoke it"
                    f" first: handheld token revoke {name}"
                )
            if len(kept) >= MOST_TOKENS:
                raise TokensError(f"There are {MOST_TOKENS} tokens already: revoke one first.")
            kept.append(stored)
        return secret

    def revoke(self, name: str) -> None:
        """Delete the token; running servers reject it from now on. Raises TokensError for an
        unknown name."""
        with self._editing() as kept:
            left = [one for one in kept if one.token.name != name]
            if len(left) == len(kept):
                known = ", ".join(one.token.name for one in kept)
                raise TokensError(
                    f"There is no token called {name[:40]!r}. "
                    + (f"There are: {known}." if known else "There is only the owner's.")
                )
            kept[:] = left

    def recognise(self, secret: str) -> AccessToken | None:
        """Return the token with this secret; None if it is unknown, revoked or expired. The
        duration depends only on the number of tokens, not on how similar the secret is."""
        try:
            every = self._read()
        except TokensError:
            return None  # logged when it was found
        shown = shown_bytes(secret)
        found: AccessToken | None = None
        for kept in every:
            if kept.fits(shown):
                found = kept.token
        return None if found is None or found.ended(self._clock.time()) else found

    # The file

    @contextlib.contextmanager
    def _editing(self) -> Generator[list[StoredToken]]:
        """Read, change and write in one step, while other processes wait."""
        try:
            private_folder(self._file.parent)
            with self._file.with_suffix(".lock").open("a", encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                kept = list(self._read())
                yield kept
                self._seen = None
                write_private(self._file, _encode(kept))
        except OSError as problem:
            raise TokensError(
                f"Tokens cannot be kept in {self._file}: {problem.strerror}."
            ) from None

    def _read(self) -> tuple[StoredToken, ...]:
        try:
            stat = os.stat(self._name)
        except FileNotFoundError:
            self._seen, self._kept, self._problem = None, (), ""
            return ()
        except OSError as problem:
            raise TokensError(f"{self._file} cannot be read: {problem.strerror}.") from None
        seen = (stat.st_ctime_ns, stat.st_size, stat.st_ino)
        if seen != self._seen:
            self._seen, self._kept, self._problem = seen, (), ""
            try:
                self._kept = _decode(self._file)
            except TokensError as problem:
                log.error("No named token is recognised: %s", problem)
                self._problem = str(problem)
        if self._problem:
            raise TokensError(self._problem)
        return self._kept


def _digest(salt: bytes, secret: bytes) -> bytes:
    return sha256(salt + secret).digest()


def _check(token: AccessToken) -> None:
    """Raises TokensError for an invalid token."""
    if not _NAME.fullmatch(token.name):
        raise TokensError(f"{token.name[:40]!r} cannot be the name of a token: {NAME_FAULT}.")
    if token.name == OWNER:
        raise TokensError(f"{OWNER} is the token that the server starts with: choose another name.")
    if is_reserved(token.name):
        raise TokensError(
            f"{token.name} reads like the name of a person, or of the owner's token, in the"
            " record of calls: choose another name."
        )
    known = toolset_names()
    for toolset in token.toolsets:
        if toolset not in known:
            raise TokensError(
                f"There is no toolset {toolset[:40]!r}. There are: {', '.join(known)}."
            )
    if len(token.phones) > MOST_NAMES:
        raise TokensError(f"A token names at most {MOST_NAMES} phones.")
    for phone in token.phones:
        if not phone or len(phone) > 256 or not phone.isprintable() or "," in phone:
            raise TokensError(f"{phone[:40]!r} is not a phone: give its slug or its serial.")
    if token.expires is not None and not token.made < token.expires < _LAST:
        raise TokensError("A token cannot expire before it is created: give a time in the future.")


def _encode(every: Sequence[StoredToken]) -> bytes:
    return json.dumps({"tokens": [kept.encode() for kept in every]}, indent=1).encode()


def _decode(file: Path) -> tuple[StoredToken, ...]:
    try:
        with file.open("rb") as stream:
            data = stream.read(_FILE_LIMIT + 1)
        if len(data) > _FILE_LIMIT:
            raise TokensError(f"{file} is larger than {_FILE_LIMIT} bytes.")
        value = cast("dict[str, Any]", json.loads(data))
        return tuple(StoredToken.decode(stored) for stored in value["tokens"])
    except OSError as problem:
        raise TokensError(f"{file} cannot be read: {problem.strerror}.") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise TokensError(
            f"{file} is damaged, so no named token is known. Delete it and make the tokens anew."
        ) from None


def _texts(stored: Any) -> tuple[str, ...]:
    if not isinstance(stored, list):
        raise ValueError
    texts = cast("list[object]", stored)
    if not all(isinstance(text, str) for text in texts):
        raise ValueError
    return tuple(cast("list[str]", texts))
