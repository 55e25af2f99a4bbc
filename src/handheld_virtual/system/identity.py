"""The hexadecimal identity hashes of objects in Android's dumps."""

from zlib import crc32


def identity(*parts: object) -> str:
    """A hash that is stable for an object on a phone, and practically unique."""
    return f"{crc32(repr(parts).encode('utf-8', 'surrogatepass')) & 0xFFFFFFF:x}"
