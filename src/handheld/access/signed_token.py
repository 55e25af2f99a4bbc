"""Access tokens that an authorization server has signed: JSON Web Tokens (RFC 7519, RFC 9068).

Reading is strict: a token that two readers could understand differently is refused. The algorithm
belongs to the key, so a token cannot choose how it is checked.
"""

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from .tokens import TokenRefused

LARGEST = 8 * 1024
"""Characters of a token."""
MOST_KEYS = 100
_LONGEST_ID = 256
_TYPES = ("jwt", "at+jwt", "application/at+jwt")
"""Tokens of other types are not access tokens."""
_WORD = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_MODULUS = (2048, 8192)
"""Bits. Shorter keys can be broken, and longer ones take long to check."""

_Key = rsa.RSAPublicKey | ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey


@dataclass(frozen=True, slots=True)
class PublicKey:
    algorithm: str
    """RS256, ES256 or EdDSA."""
    id: str | None
    key: _Key

    def verify(self, data: bytes, signature: bytes) -> bool:
        try:
            if isinstance(self.key, rsa.RSAPublicKey):
                self.key.verify(signature, data, padding.PKCS1v15(), SHA256())
            elif isinstance(self.key, ec.EllipticCurvePublicKey):
                if len(signature) != 64:
                    return False
                r, s = (int.from_bytes(half) for half in (signature[:32], signature[32:]))
                self.key.verify(encode_dss_signature(r, s), data, ec.ECDSA(SHA256()))
            else:
                self.key.verify(signature, data)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True)
class SignedToken:
    """The contents of a token whose signature is not checked yet."""

    algorithm: str
    key_id: str | None
    claims: Mapping[str, Any]
    signed: bytes
    signature: bytes

    @classmethod
    def read(cls, text: str) -> "SignedToken":
        """Raises TokenRefused."""
        if len(text) > LARGEST:
            raise TokenRefused(f"it has more than {LARGEST} characters")
        parts = text.split(".")
        if len(parts) != 3:
            raise TokenRefused("it is not a signed JSON Web Token")
        head, claims, signature = (_unpack(part) for part in parts)
        header = _read_object(head)
        kind = header.get("typ", "JWT")
        if not isinstance(kind, str) or kind.lower() not in _TYPES:
            raise TokenRefused("it is not an access token")
        if "crit" in header:
            raise TokenRefused("it demands an unknown extension")
        algorithm, key_id = header.get("alg"), header.get("kid")
        if algorithm not in ("RS256", "ES256", "EdDSA"):
            raise TokenRefused("it is not signed with RS256, ES256 or EdDSA")
        if key_id is not None and (not isinstance(key_id, str) or len(key_id) > _LONGEST_ID):
            raise TokenRefused("its key id cannot be read")
        signed = f"{parts[0]}.{parts[1]}".encode("ascii")
        return cls(algorithm, key_id, _read_object(claims), signed, signature)


def read_keys(document: Mapping[str, Any]) -> tuple[PublicKey, ...]:
    """The keys of a JSON Web Key Set (RFC 7517) that sign access tokens; other keys are skipped.
    Raises ValueError."""
    listed = document.get("keys")
    if not isinstance(listed, list) or len(cast("list[Any]", listed)) > MOST_KEYS:
        raise ValueError("it is no set of keys")
    return tuple(key for each in cast("list[Any]", listed) if (key := _read_key(each)) is not None)


def _read_key(read: Any) -> PublicKey | None:
    if not isinstance(read, dict):
        return None
    fields = cast("dict[str, Any]", read)
    id, uses = fields.get("kid"), fields.get("key_ops", ["verify"])
    if not isinstance(id, str | None) or fields.get("use", "sig") != "sig":
        return None
    if not isinstance(uses, list) or "verify" not in uses:
        return None
    try:
        algorithm, key = _make_key(fields)
    except (KeyError, ValueError, TypeError, TokenRefused):
        return None
    return PublicKey(algorithm, id, key) if fields.get("alg", algorithm) == algorithm else None


def _make_key(fields: Mapping[str, Any]) -> tuple[str, _Key]:
    """Raises KeyError, ValueError, TypeError, TokenRefused."""
    match fields["kty"], fields.get("crv"):
        case "RSA", _:
            modulus, exponent = _number(fields["n"]), _number(fields["e"])
            if not _MODULUS[0] <= modulus.bit_length() <= _MODULUS[1] or exponent >= 2**32:
                raise ValueError
            return "RS256", rsa.RSAPublicNumbers(exponent, modulus).public_key()
        case "EC", "P-256":
            x, y = _number(fields["x"]), _number(fields["y"])
            return "ES256", ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
        case "OKP", "Ed25519":
            return "EdDSA", ed25519.Ed25519PublicKey.from_public_bytes(_unpack(fields["x"]))
        case _:
            raise ValueError


def _number(text: str) -> int:
    return int.from_bytes(_unpack(text))


def _unpack(text: str) -> bytes:
    """Decode base64 as RFC 7515 defines it, only in canonical form. Raises TokenRefused."""
    if _WORD.fullmatch(text) and len(text) % 4 != 1:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        if base64.urlsafe_b64encode(data).decode().rstrip("=") == text:
            return data
    raise TokenRefused("it is not a signed JSON Web Token")


def _read_object(data: bytes) -> Mapping[str, Any]:
    """Raises TokenRefused."""
    try:
        read: Any = json.loads(
            data.decode(), object_pairs_hook=_once, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError):
        raise TokenRefused("it is not a signed JSON Web Token") from None
    if not isinstance(read, dict):
        raise TokenRefused("it is not a signed JSON Web Token")
    return cast("dict[str, Any]", read)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        raise TokenRefused("it says the same thing twice")
    return read


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("no JSON")
