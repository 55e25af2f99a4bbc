"""Who may use the phone over adb: keys that are allowed, and keys that wait for a person's word."""

import base64
import hashlib
import os
from collections.abc import Callable
from dataclasses import replace

from ...adb import wire
from ...adb.keys import TOKEN_SIZE, PublicKey, decode_public_key, encode_public_key, verify
from ...adb.wire import WireError

ATTEMPTS = 32
"""Signatures and keys that one connection may try."""


def fingerprint(key: PublicKey) -> str:
    """As Android's own dialog shows it."""
    packed = base64.b64decode(encode_public_key(replace(key, name=""))[:-1])
    return hashlib.md5(packed, usedforsecurity=False).digest().hex(":").upper()


class Authority:
    """The phone's list of keys, and the connections whose keys are not on it."""

    def __init__(self, required: bool) -> None:
        self.required = required
        self.asked: Callable[[PublicKey], None] = lambda _: None
        """Hears of each key that waits."""
        self.changed: Callable[[], None] = lambda: None
        """Hears of whoever comes to wait, and of whoever waits no longer."""
        self._allowed: set[PublicKey] = set()
        self._waiting: dict[AdbAuthorization, PublicKey] = {}

    @property
    def allowed(self) -> frozenset[PublicKey]:
        return frozenset(self._allowed)

    @property
    def waiting(self) -> tuple[PublicKey, ...]:
        return tuple(self._waiting.values())

    @property
    def next(self) -> "tuple[AdbAuthorization, PublicKey] | None":
        """Who has waited longest."""
        return next(iter(self._waiting.items()), None)

    def allow(self, key: PublicKey) -> None:
        """Let this key in, now and later."""
        plain = replace(key, name="")
        self._allowed.add(plain)
        for gate, offered in list(self._waiting.items()):
            if replace(offered, name="") == plain:
                self.admit(gate)

    def admit(self, gate: "AdbAuthorization") -> None:
        """Let in one connection that waits, and keep nothing."""
        if self._waiting.pop(gate, None) is not None:
            gate.admit()
            self.changed()

    def refuse(self, gate: "AdbAuthorization") -> None:
        """No answer is sent: the computer stays unauthorized, as with Android."""
        if self._waiting.pop(gate, None) is not None:
            self.changed()

    def refuse_key(self, key: PublicKey) -> None:
        for gate, offered in list(self._waiting.items()):
            if offered == key:
                self.refuse(gate)

    def recognises(self, signature: bytes, token: bytes) -> bool:
        return any(verify(signature, token, key) for key in self._allowed)

    def ask(self, gate: "AdbAuthorization", key: PublicKey) -> None:
        self._waiting[gate] = key
        self.changed()
        self.asked(key)


class AdbAuthorization:
    """One connection's way in."""

    def __init__(
        self, authority: Authority, challenge: Callable[[bytes], None], admit: Callable[[], None]
    ) -> None:
        self.admit = admit
        self._authority = authority
        self._challenge = challenge
        self._token = b""
        self._tried: list[tuple[bytes, bytes]] = []
        self._offers = 0

    def challenge(self) -> None:
        self._token = os.urandom(TOKEN_SIZE)
        self._challenge(self._token)

    def answer(self, kind: int, data: bytes) -> None:
        if len(self._tried) + self._offers >= ATTEMPTS:
            raise WireError("It tried too many keys.")
        if kind == wire.AUTH_SIGNATURE:
            if self._authority.recognises(data, self._token):
                self.admit()
                return
            self._tried.append((data, self._token))
            self.challenge()
        elif kind == wire.AUTH_PUBLIC_KEY:
            self._offers += 1
            try:
                key = decode_public_key(data)
            except ValueError as problem:
                raise WireError(str(problem)) from problem
            # Anybody can know an allowed public key; only its owner can have signed with it.
            signed = any(verify(signature, token, key) for signature, token in self._tried)
            if signed and replace(key, name="") in self._authority.allowed:
                self.admit()
            else:
                self._authority.ask(self, key)

    def close(self) -> None:
        self._authority.refuse(self)
