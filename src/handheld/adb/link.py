"""The one seam to a phone: a link opens adb services, and everything in adb is a service."""

from typing import Protocol

from ..clock import Clock


class AdbError(Exception):
    """adb or the wire under it failed. The message is a sentence."""


class LinkLost(AdbError):
    """The phone, or the way to it, went away: the stream ended where it should not have."""


class ServiceRefused(AdbError):
    """The phone is there but will not open this service."""


class NoAnswer(AdbError):
    """Nothing came in time. What was asked for may still be going on."""


class ByteStream(Protocol):
    """Bytes both ways. One reader and one writer at a time."""

    async def read(self, limit: int = 65536) -> bytes:
        """At least one byte, at most `limit`; b"" once the other side has closed."""
        ...

    async def write(self, data: bytes) -> None:
        """Hand over `data`; waits only while the other side is not taking bytes."""
        ...

    async def aclose(self) -> None:
        """Close both directions. Safe to call twice."""
        ...


class Link(Protocol):
    """A phone reachable over adb. Everything else is a service opened on it."""

    @property
    def serial(self) -> str: ...

    @property
    def clock(self) -> Clock:
        """By which waits on it are timed."""
        ...

    async def features(self) -> frozenset[str]:
        """What the phone's adbd can do, such as `shell_v2` or `sendrecv_v2`. Raises AdbError."""
        ...

    async def open(self, service: str) -> ByteStream:
        """Open `service`, such as `shell,v2,raw:ls` or `sync:`. Raises AdbError."""
        ...

    async def aclose(self) -> None: ...


def encode_service(service: str) -> bytes:
    """A service's name as bytes. File names from the phone that are no Unicode come back whole."""
    try:
        return service.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        raise AdbError("The command holds half a character, which no phone can take.") from None
