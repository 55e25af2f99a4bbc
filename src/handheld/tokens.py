"""The named tokens: what each may use, until when, and how its secret is recognised.

A secret has 256 random bits, so a salted SHA-256 of it is as good as a slow hash, and it is cheap
enough to be made for every request. Secrets are shown once and kept nowhere.
"""

import contextlib
import fcntl
import hmac
import json
import re
import secrets
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from .narrowing import EVERYTHING, Narrowing
from .private_file import private_folder, write_private

OWNER = "owner"
"""The name of the token that the server is started with: it has no limits and is not in the file.
"""
MOST_TOKENS = 100
MOST_NAMES = 50
"""Toolsets or phones of one token."""
NEAR_SECONDS = 7 * 24 * 3600.0
"""How long before its end a token is said to be near it."""

_FILE_LIMIT = 1024 * 1024
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,31}", re.ASCII)
_NEVER = bytes(32)

Clock = Callable[[], float]


class TokensError(Exception):
    """The tokens cannot be read or kept, or there is none of that name. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class Token:
    """What a token may, without its secret."""

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
        return (
            self.expires is not None and not self.ended(now) and (self.expires - now < NEAR_SECONDS)
        )

    @property
    def narrowing(self) -> Narrowing:
        """What it leaves of tools and phones."""
        if self == Token(OWNER):
            return EVERYTHING
        return Narrowing(read_only=self.read_only)


class Tokens:
    """The tokens in a file, which is read again when another process has changed it."""

    def __init__(self, file: Path, *, clock: Clock = time.time) -> None:
        self._file = file
        self._clock = clock

    def all(self) -> list[Token]:
        """In the order in which they were made, ended ones too. Raises TokensError."""
        raise NotImplementedError

    def make(
        self,
        name: str,
        toolsets: Sequence[str] = (),
        phones: Sequence[str] = (),
        read_only: bool = False,
        expires: float | None = None,
    ) -> str:
        """The secret of a new token, which nobody can show again. Raises TokensError."""
        raise NotImplementedError

    def revoke(self, name: str) -> None:
        """Raises TokensError where there is none of that name."""
        raise NotImplementedError

    def recognise(self, secret: str) -> Token | None:
        """The token that this is the secret of; None for an unknown, revoked or ended one."""
        raise NotImplementedError
