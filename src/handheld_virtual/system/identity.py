"""The hexadecimal identities of objects in Android's dumps."""

from zlib import crc32


def identity(*parts: object) -> str:
    """Constant for one object on one phone, and practically unique."""
    return f"{crc32(repr(parts).encode('utf-8', 'surrogatepass')) & 0xFFFFFFF:x}"
