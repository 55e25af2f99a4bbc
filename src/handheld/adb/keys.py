"""adb's RSA keys: creating, storing, encoding in Android's format, and verifying.

`cryptography` is imported where it is needed: it is slow to load, and most runs need no key.
"""

import base64
import getpass
import socket
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..settings.private_file import write_private
from .link import AdbError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

TOKEN_SIZE = 20
"""adb signs a token of this size as if it were a SHA-1 digest."""

_BYTES = 256
_WORDS = _BYTES // 4
_STRUCT = struct.Struct("<II256s256sI")
_TEXT_LIMIT = 4096
_DIGEST_INFO = bytes.fromhex("3021300906052b0e03021a05000414")
"""The PKCS#1 prefix of a SHA-1 digest."""


@dataclass(frozen=True, slots=True)
class AdbPublicKey:
    """An RSA-2048 key that a phone may accept, and its owner's name (`user@host`)."""

    modulus: int
    exponent: int = 65537
    name: str = ""


def encode_public_key(key: AdbPublicKey) -> bytes:
    """Encode for the wire: base64 of Android's struct, the name, a zero byte."""
    n = key.modulus
    if n.bit_length() != _BYTES * 8 or not n & 1:
        raise ValueError("Android takes RSA keys of 2048 bits only.")
    packed = _STRUCT.pack(
        _WORDS,
        -pow(n, -1, 1 << 32) % (1 << 32),
        n.to_bytes(_BYTES, "little"),
        pow(2, _BYTES * 8 * 2, n).to_bytes(_BYTES, "little"),
        key.exponent,
    )
    name = f" {key.name}" if key.name else ""
    return base64.b64encode(packed) + name.encode() + b"\0"


def decode_public_key(data: bytes) -> AdbPublicKey:
    """Decode the wire format or a line of an `adbkey.pub` file. Raises ValueError."""
    text, _, name = data[:_TEXT_LIMIT].split(b"\0")[0].strip().partition(b" ")
    try:
        packed = base64.b64decode(text, validate=True)
        words, n0inv, modulus, _rr, exponent = _STRUCT.unpack(packed)
    except (ValueError, struct.error) as problem:
        raise ValueError("That is not an adb public key.") from problem
    n = int.from_bytes(modulus, "little")
    if (
        words != _WORDS
        or n.bit_length() != _BYTES * 8
        or not n & 1
        or n0inv != -pow(n, -1, 1 << 32) % (1 << 32)
        or exponent not in (3, 65537)
    ):
        raise ValueError("That is not an adb public key of 2048 bits.")
    return AdbPublicKey(n, exponent, name.decode(errors="replace").strip())


def verify(signature: bytes, token: bytes, key: AdbPublicKey) -> bool:
    """Return whether the key's owner signed this token with `signature`."""
    if len(signature) != _BYTES or len(token) != TOKEN_SIZE:
        return False
    number = int.from_bytes(signature, "big")
    if number >= key.modulus:
        return False
    padding = _BYTES - 3 - len(_DIGEST_INFO) - TOKEN_SIZE
    expected = b"\x00\x01" + b"\xff" * padding + b"\x00" + _DIGEST_INFO + token
    return pow(number, key.exponent, key.modulus).to_bytes(_BYTES, "big") == expected


class AdbKey:
    """A private key that authenticates us to a phone."""

    def __init__(self, private: "RSAPrivateKey", name: str = "") -> None:
        if private.key_size != _BYTES * 8:
            raise ValueError("Android takes RSA keys of 2048 bits only.")
        self._private = private
        numbers = private.public_key().public_numbers()
        self.public = AdbPublicKey(numbers.n, numbers.e, name)

    def sign(self, token: bytes) -> bytes:
        from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
        from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
        from cryptography.hazmat.primitives.hashes import SHA1

        # The token takes the place of a digest; nothing here relies on SHA-1 being strong.
        return self._private.sign(token, PKCS1v15(), Prehashed(SHA1()))  # noqa: S303

    def to_pem(self) -> bytes:
        from cryptography.hazmat.primitives import serialization

        return self._private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )


def generate_key(name: str = "") -> AdbKey:
    from cryptography.hazmat.primitives.asymmetric import rsa

    return AdbKey(rsa.generate_private_key(public_exponent=65537, key_size=_BYTES * 8), name)


def read_key(path: Path) -> AdbKey:
    """Load a key from a PEM file like adb's. Raises AdbError, FileNotFoundError."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    remedy = "Make it readable, or move it away to have a new one made."
    try:
        private = load_pem_private_key(path.read_bytes(), password=None)
        if not isinstance(private, RSAPrivateKey):
            raise ValueError("it is not an RSA key")
        return AdbKey(private, _own_name())
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise AdbError(f"The adb key {path} cannot be read: {problem.strerror}. {remedy}") from None
    except (ValueError, TypeError, UnsupportedAlgorithm) as problem:
        raise AdbError(f"The adb key {path} is not usable. {remedy}") from problem


def load_keys(folder: Path, home: Path | None = None) -> tuple[AdbKey, ...]:
    """Return this user's adb key, which phones may know already. Without one, return the key in
    `folder`, which is created if missing.

    Blocks while a key is created (a tenth of a second).
    """
    try:
        return (read_key((home or Path.home()) / ".android" / "adbkey"),)
    except FileNotFoundError:
        pass
    path = folder / "adbkey"
    try:
        return (read_key(path),)
    except FileNotFoundError:
        return (_make_key(path),)


def _make_key(path: Path) -> AdbKey:
    key = generate_key(_own_name())
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not write_private(path, key.to_pem(), replace=False):
            return read_key(path)
    except OSError as problem:
        raise AdbError(f"The adb key {path} cannot be written: {problem.strerror}.") from problem
    return key


def _own_name() -> str:
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = "handheld"
    return f"{user}@{socket.gethostname() or 'localhost'}".replace(" ", "-")
