"""Authorization of adb clients: allowed keys, and keys that wait for the user's decision."""

import base64
import hashlib
import os
from collections.abc import Callable
from dataclasses import replace

from handheld.adb import wire
from handheld.adb.keys import TOKEN_SIZE, AdbPublicKey, decode_public_key, encode_public_key, verify
from handheld.adb.wire import WireError

ATTEMPTS = 32
"""The limit of signatures and keys that a connection may try."""


def fingerprint(key: AdbPublicKey) -> str:
    """A key's fingerprint as Android's dialog shows it."""
    packed = base64.b64decode(encode_public_key(replace(key, name=""))[:-1])
    return hashlib.md5(packed, usedforsecurity=False).digest().hex(":").upper()


class Authority:
    """The phone's allowed keys, and the connections that wait for a decision about other keys."""

    def __init__(self, required: bool) -> None:
        self.required = required
        self.closed = False
        """Whether the phone does not ask about new keys, and accepts only allowed ones."""
        self.asked: Callable[[AdbPublicKey], None] = lambda _: None
        """Called with each key that waits for a decision."""
        self.changed: Callable[[], None] = lambda: None
        """Called when the waiting connections change."""
        self._allowed: set[AdbPublicKey] = set()
        self._waiting: dict[AdbAuthorization, AdbPublicKey] = {}

    @property
    def allowed(self) -> frozenset[AdbPublicKey]:
        return frozenset(self._allowed)

    @property
    def waiting(self) -> tuple[AdbPublicKey, ...]:
        return tuple(self._waiting.values())

    @property
    def next(self) -> "tuple[AdbAuthorization, AdbPublicKey] | None":
        """The connection that has waited longest, with its key."""
        return next(iter(self._waiting.items()), None)

    def allow(self, key: AdbPublicKey) -> None:
        """Allow a key permanently."""
        plain = replace(key, name="")
        self._allowed.add(plain)
        for authorization, waiting in list(self._waiting.items()):
            if replace(waiting, name="") == plain:
                self.admit(authorization)

    def admit(self, authorization: "AdbAuthorization") -> None:
        """Allow a waiting connection without remembering its key."""
        if self._waiting.pop(authorization, None) is not None:
            authorization.admit()
            self.changed()

    def refuse(self, authorization: "AdbAuthorization") -> None:
        """Refuse a waiting connection. As on Android, no answer is sent, so the computer stays
        unauthorized."""
        if self._waiting.pop(authorization, None) is not None:
            self.changed()

    def refuse_key(self, key: AdbPublicKey) -> None:
        for authorization, waiting in list(self._waiting.items()):
            if waiting == key:
                self.refuse(authorization)

    def recognises(self, signature: bytes, token: bytes) -> bool:
        return any(verify(signature, token, key) for key in self._allowed)

    def ask(self, authorization: "AdbAuthorization", key: AdbPublicKey) -> None:
        if self.closed:
            return
        self._waiting[authorization] = key
        self.changed()
        self.asked(key)


class AdbAuthorization:
    """The authorization of one connection."""

    def __init__(
        self, authority: Authority, challenge: Callable[[bytes], None], admit: Callable[[], None]
    ) -> None:
        self.admit = admit
        self._authority = authority
        self._challenge = challenge
        self._token = b""
        self._tried: list[tuple[bytes, bytes]] = []
        self._keys_sent = 0

    def challenge(self) -> None:
        self._token = os.urandom(TOKEN_SIZE)
        self._challenge(self._token)

    def answer(self, kind: int, data: bytes) -> None:
        if len(self._tried) + self._keys_sent >= ATTEMPTS:
            raise WireError("It tried too many keys.")
        if kind == wire.AUTH_SIGNATURE:
            if self._authority.recognises(data, self._token):
                self.admit()
                return
            self._tried.append((data, self._token))
            self.challenge()
        elif kind == wire.AUTH_PUBLIC_KEY:
            self._keys_sent += 1
            try:
                key = decode_public_key(data)
            except ValueError as problem:
                raise WireError(str(problem)) from problem
            # An allowed key is public; only its owner can sign with it.
            signed = any(verify(signature, token, key) for signature, token in self._tried)
            if signed and replace(key, name="") in self._authority.allowed:
                self.admit()
            else:
                self._authority.ask(self, key)

    def close(self) -> None:
        self._authority.refuse(self)
