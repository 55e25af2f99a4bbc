"""The connection to a phone: a link opens adb services, and everything in adb is a service."""

from collections.abc import Callable
from typing import Protocol

from ..clock import Clock


class AdbError(Exception):
    """adb or its connection failed. The message is a sentence."""

    begun = False
    """Whether the phone may have begun what it was asked for: the request was on its way."""


class LinkLost(AdbError):
    """The phone or the connection was lost: the stream ended unexpectedly."""


class ServiceRefused(AdbError):
    """The phone is connected but refuses to open this service."""


class NoAnswer(AdbError):
    """Nothing was received in time. The operation may still be running."""


class ByteStream(Protocol):
    """Bytes both ways. One reader and one writer at a time."""

    async def read(self, limit: int = 65536) -> bytes:
        """Return at least one byte, at most `limit`; b"" once the other side has closed."""
        ...

    async def follow(self, take: Callable[[bytes], object]) -> None:
        """Pass on all that is read, as soon as it is received, until the other side closes. Raises
        what `take` raises; it is not called after that."""
        ...

    async def write(self, data: bytes) -> None:
        """Send `data`; waits only while the other side does not accept bytes."""
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
        """The clock for timeouts."""
        ...

    async def features(self) -> frozenset[str]:
        """Return the features of the phone's adbd, such as `shell_v2` or `sendrecv_v2`. Raises
        AdbError."""
        ...

    async def open(self, service: str) -> ByteStream:
        """Open `service`, such as `shell,v2,raw:ls` or `sync:`. Raises AdbError."""
        ...

    async def aclose(self) -> None: ...


def encode_service(service: str) -> bytes:
    """Encode a service's name. File names that are not valid Unicode round-trip."""
    try:
        return service.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        raise AdbError("The command holds half a character, which no phone can take.") from None
