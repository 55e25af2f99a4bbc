"""The certificate of a package's signer. The signature itself is not verified."""

import hashlib
import struct
from typing import NamedTuple

from .binary import BadApk, Binary
from .zip_file import ZipFile

BLOCK_MAX = 16 * 1024 * 1024
PARTS_MAX = 100
PKCS7_MAX = 1024 * 1024
_MAGIC = b"APK Sig Block 42"
_PAIR = struct.Struct("<QI")
_SCHEMES = ((3, 0xF05368C0), (2, 0x7109871A))
_OLD = (".RSA", ".DSA", ".EC")

_INTEGER, _SEQUENCE, _SET, _FIRST = 0x02, 0x30, 0x31, 0xA0


class Signer(NamedTuple):
    digest: str
    """SHA-256 of the certificate, in hexadecimal."""
    scheme: int
    """1 for a signature in META-INF, 2 or 3 for one over the whole file."""


def find_signer(archive: ZipFile, name: str) -> Signer | None:
    """Find the signer by the newest scheme that has a signature; None when there is none."""
    block = _signing_block(archive, name)
    for scheme, id in _SCHEMES:
        if id in block:
            return Signer(_digest(_first_certificate(Binary(block[id], name))), scheme)
    for entry in archive.names:
        folder, _, file = entry.upper().partition("/")
        if folder == "META-INF" and file.endswith(_OLD):
            signed = Binary(archive.read(entry, PKCS7_MAX), f"{name}: {entry}")
            return Signer(_digest(_old_certificate(signed)), 1)
    return None


def _digest(certificate: bytes) -> str:
    return hashlib.sha256(certificate).hexdigest()


# Schemes 2 and 3: a block before the archive's directory, of length-prefixed parts.


def _signing_block(archive: ZipFile, name: str) -> dict[int, bytes]:
    end = archive.directory
    if end < 32 or archive.range(end - 16, 16) != _MAGIC:
        return {}
    (size,) = struct.unpack("<Q", archive.range(end - 24, 8))
    if not 24 <= size <= min(BLOCK_MAX, end - 8):
        raise BadApk(f"{name}: its signing block has {size} bytes")
    block = Binary(archive.range(end - size, size - 24), name)
    found: dict[int, bytes] = {}
    at = 0
    while at < len(block.data):
        if len(found) == PARTS_MAX:
            raise BadApk(f"{name}: its signing block has more than {PARTS_MAX} parts")
        length, id = block.unpack(_PAIR, at)
        if not 4 <= length <= len(block.data) - at - 8:
            raise BadApk(f"{name}: a part of its signing block has {length} bytes")
        if id in found:
            raise BadApk(f"{name}: its signing block has two parts 0x{id:08x}")
        found[id] = block.take(at + _PAIR.size, at + 8 + length)
        at += 8 + length
    return found


def _first_certificate(block: Binary) -> bytes:
    """Return the first signer's certificate: signers > signer > signed data > (digests,
    certificates)."""
    signed = _part(_part(_part(block, 0), 0), 0)
    digests = _part(signed, 0)
    certificates = _part(signed, 4 + len(digests.data))
    return _part(certificates, 0).data


def _part(binary: Binary, at: int) -> Binary:
    return Binary(binary.take(at + 4, at + 4 + binary.u32(at)), binary.name)


# Scheme 1: PKCS #7 in DER.


class _Der(NamedTuple):
    tag: int
    whole: bytes
    content: Binary

    def children(self, most: int = 1000) -> "list[_Der]":
        found: list[_Der] = []
        at = 0
        while at < len(self.content.data):
            child = _der(self.content, at)
            found.append(child)
            at += len(child.whole)
            if len(found) > most:
                raise self.content.bad("it has too many parts")
        return found


def _der(binary: Binary, at: int = 0) -> _Der:
    tag, length, start = binary.u8(at), binary.u8(at + 1), at + 2
    if length & 0x80:
        count = length & 0x7F
        if not 1 <= count <= 4:
            raise binary.bad(f"the length at {at + 1} is not that of DER")
        length = int.from_bytes(binary.take(start, start + count), "big")
        start += count
    content = Binary(binary.take(start, start + length), binary.name)
    return _Der(tag, binary.take(at, start + length), content)


def _old_certificate(signed: Binary) -> bytes:
    """Return the first signer's certificate, by its issuer and serial number."""
    try:
        _, wrapped = _der(signed).children()
        (data,) = wrapped.children()
        parts = data.children()
        certificates = next(part for part in parts if part.tag == _FIRST).children()
        signers = next(part for part in reversed(parts) if part.tag == _SET).children()
        issuer, number = signers[0].children()[1].children()
        for certificate in certificates:
            fields = certificate.children()[0].children()
            if fields[0].tag == _FIRST:  # the version, missing in the oldest certificates
                del fields[0]
            if (fields[0].whole, fields[2].whole) == (number.whole, issuer.whole):
                return certificate.whole
    except (ValueError, IndexError, StopIteration):
        raise signed.bad("it is not a signature") from None
    raise signed.bad("it lacks the certificate of its signer")
