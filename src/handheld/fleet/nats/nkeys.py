"""NATS keys: Ed25519 pairs in NATS's own notation. The signatures come from `cryptography`, which
is installed anyway, rather than from another library."""

import base64
import binascii
import hmac
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_SEED = 18 << 3
OPERATOR, ACCOUNT, USER = 14 << 3, 0, 20 << 3
"""The first byte of a public key, which determines its first letter: O, A or U."""


class BadKey(ValueError):
    """A text is not the expected key. The message never contains the text."""


@dataclass(frozen=True, repr=False)
class KeyPair:
    """A key that can sign."""

    kind: int
    secret: bytes

    @classmethod
    def make(cls, kind: int) -> "KeyPair":
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(kind, Ed25519PrivateKey.generate().private_bytes_raw())

    @classmethod
    def from_seed(cls, seed: str) -> "KeyPair":
        """Raises BadKey."""
        raw = _decode(seed.strip())
        if len(raw) != 34 or raw[0] & 0xF8 != _SEED:
            raise BadKey("This is not the seed of a NATS key.")
        return cls((raw[0] & 7) << 5 | raw[1] >> 3, raw[2:])

    def derive(self, word: str) -> "KeyPair":
        """Another key of this kind, which can be derived by anybody who has this one."""
        return KeyPair(self.kind, hmac.digest(self.secret, word.encode(), "sha256"))

    @property
    def seed(self) -> str:
        head = bytes((_SEED | self.kind >> 5, (self.kind & 31) << 3))
        return _encode(head + self.secret)

    @cached_property
    def public(self) -> str:
        return _encode(bytes((self.kind,)) + self._private.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        return self._private.sign(message)

    @cached_property
    def _private(self) -> "Ed25519PrivateKey":
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self.secret)


def check_public(text: str, kind: int) -> bytes:
    """The 32 bytes of a public key of this kind. Raises BadKey."""
    raw = _decode(text)
    if len(raw) != 33 or raw[0] != kind:
        raise BadKey("This is not a public NATS key of that kind.")
    return raw[1:]


def verify(public: str, kind: int, message: bytes, signature: bytes) -> bool:
    """Whether the signature was made with that key. Raises BadKey."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(check_public(public, kind)).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def _encode(raw: bytes) -> str:
    whole = raw + binascii.crc_hqx(raw, 0).to_bytes(2, "little")
    return base64.b32encode(whole).decode().rstrip("=")


def _decode(text: str) -> bytes:
    if not text.isascii() or len(text) > 64:
        raise BadKey("This is not a NATS key.")
    try:
        whole = base64.b32decode(text + "=" * (-len(text) % 8))
    except binascii.Error:
        raise BadKey("This is not a NATS key.") from None
    raw, check = whole[:-2], whole[-2:]
    if len(whole) < 3 or binascii.crc_hqx(raw, 0).to_bytes(2, "little") != check:
        raise BadKey("This NATS key has a typing error.")
    return raw
