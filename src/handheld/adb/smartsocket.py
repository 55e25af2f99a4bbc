"""The adb server's smart socket protocol: requests, answers, and their meaning."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from ..clock import Clock
from .link import AdbError, LinkLost, NoAnswer, ServiceRefused
from .state import PhoneState, PhoneUnavailable

DEFAULT_PORT = 5037
_MESSAGE_LIMIT = 0xFFFF
"""The length of a request or answer is given in four hexadecimal digits."""
_LENGTH = re.compile(rb"[0-9a-fA-F]{4}")


class AdbDevice(NamedTuple):
    """A line of `adb devices -l`."""

    serial: str
    state: PhoneState
    details: dict[str, str]
    """Such as model, product, device, usb, transport_id."""


_DETAIL = re.compile(r"[a-z_]+:\S+")
_NO_PERMISSIONS = re.compile(r"(?<!\s)\s+no permissions\b")
_STATE = re.compile(r"[a-z]+")


def parse_devices(text: str) -> list[AdbDevice]:
    devices: list[AdbDevice] = []
    for line in text.splitlines():
        rest, details = line[:1000].rstrip(), dict[str, str]()
        while len(words := rest.rsplit(None, 1)) == 2 and _DETAIL.fullmatch(words[1]):
            rest = words[0]
            name, _, value = words[1].partition(":")
            details = {name: value, **details}
        # A serial may contain spaces: Wi-Fi phones are named `adb-X (2)._adb-tls-connect._tcp`.
        if found := _NO_PERMISSIONS.search(rest):
            words = [rest[: found.start()], "no permissions"]
        elif len(words) < 2 or not _STATE.fullmatch(words[1]):
            continue
        if words[0] and not rest[0].isspace():
            devices.append(AdbDevice(words[0], PhoneState.read(words[1]), details))
    return devices


_FAILURES = (
    # Parts of the adb server's messages, and their meaning.
    ("unauthorized", PhoneState.UNAUTHORIZED),
    ("still authorizing", PhoneState.AUTHORIZING),
    ("still connecting", PhoneState.CONNECTING),
    ("offline", PhoneState.OFFLINE),
    ("insufficient permissions", PhoneState.NO_PERMISSIONS),
    ("no permissions", PhoneState.NO_PERMISSIONS),
    ("not found", PhoneState.ABSENT),
    ("no devices", PhoneState.ABSENT),
)


def phone_failure(serial: str, message: str) -> AdbError:
    """Return the error for a FAIL in answer to the selection of a phone."""
    lowered = message.lower()
    for words, state in _FAILURES:
        if words in lowered:
            return PhoneUnavailable(serial, state)
    return AdbError(f"The adb server will not reach the phone {serial}: {one_line(message)}.")


def one_line(message: str) -> str:
    return " ".join(message.split())[:300].rstrip(".") or "it gave no reason"


class Failed(Exception):
    """The server answered FAIL; the caller knows the request."""


class SocketStream:
    """A socket to the adb server, first for its own requests, then for a phone's service."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, clock: Clock
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._clock = clock

    async def read(self, limit: int = 65536) -> bytes:
        try:
            return await self._reader.read(limit)
        except OSError as problem:
            raise LinkLost("The adb server went away.") from problem

    async def follow(self, take: Callable[[bytes], object]) -> None:
        while data := await self.read():
            take(data)

    async def write(self, data: bytes) -> None:
        if self._writer.is_closing():
            raise LinkLost("The stream to the phone is closed.")
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError as problem:
            raise LinkLost("The phone, or the adb server, went away.") from problem

    async def aclose(self) -> None:
        self._writer.close()
        try:
            async with self._clock.timeout(1.0):
                await self._writer.wait_closed()
        except TimeoutError:
            # Discard unsent data: the server does not read.
            self._writer.transport.abort()
        except OSError:
            pass

    async def ask(self, request: bytes) -> None:
        """Send a request and read its OKAY. Raises Failed with the server's message."""
        if len(request) > _MESSAGE_LIMIT:
            raise ServiceRefused(f"A command of {len(request)} bytes is longer than adb takes.")
        await self.write(b"%04x" % len(request) + request)
        status = await self._exactly(4)
        if status == b"FAIL":
            raise Failed(await self.text())
        if status != b"OKAY":
            raise AdbError("What answers at the adb server's port is not an adb server.")

    async def text(self) -> str:
        """Read four digits of length, and the text."""
        digits = await self._exactly(4)
        # Checked first: `int` also reads signs, spaces and underscores.
        if not _LENGTH.fullmatch(digits):
            raise AdbError("The adb server sent something that is not its protocol.")
        return (await self._exactly(int(digits, 16))).decode(errors="replace")

    async def _exactly(self, size: int) -> bytes:
        try:
            return await self._reader.readexactly(size)
        except (asyncio.IncompleteReadError, OSError) as problem:
            raise LinkLost("The adb server closed the connection.") from problem


@asynccontextmanager
async def bounded(clock: Clock, seconds: float, request: str) -> AsyncGenerator[None, None]:
    """Bound the block by a timeout, which is raised as NoAnswer with a sentence."""
    try:
        async with clock.timeout(seconds):
            yield
    except TimeoutError:
        raise NoAnswer(
            f"The adb server did not answer within {seconds:g} s ({request[:80]})."
        ) from None
