"""The adb server: listing its phones, and a link to one of them.

The adb command is only run to start a server where none answers: with a server of another version
running, it would kill that server.
"""

import asyncio
import tempfile
from collections.abc import AsyncGenerator
from contextlib import suppress

from ..clock import SYSTEM_CLOCK, Clock
from ..settings.programs import find_program
from .link import AdbError, NoAnswer, ServiceRefused, encode_service
from .smartsocket import (
    DEFAULT_PORT,
    AdbDevice,
    Failed,
    SocketStream,
    bounded,
    one_line,
    parse_devices,
    phone_failure,
)
from .state import PhoneUnavailable
from .wireless import PAIRING_UNKNOWN, read_connect, read_pairing

_CLOSED = "closed"
"""The server's message when the phone does not open a service."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def find_adb() -> str:
    """Return the path of the adb command; "" if it is not installed."""
    return find_program("adb")


class AdbServer:
    """The adb server of this computer, or of another that shares its phones."""

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = DEFAULT_PORT,
        *,
        timeout: float = 10.0,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self.host = host
        self.clock = clock
        self.port = port
        self.timeout = timeout
        self._starting = asyncio.Lock()

    async def version(self) -> int:
        text = await self._request("host:version")
        try:
            return int(text, 16)
        except ValueError:
            raise AdbError(f"The adb server says its version is {text[:20]!r}.") from None

    async def devices(self, *, start: bool = True) -> list[AdbDevice]:
        """List the phones. `start` starts a server if none runs, which may take seconds."""
        return parse_devices(await self._request("host:devices-l", start=start))

    async def features(self, serial: str) -> frozenset[str]:
        try:
            text = await self._request(f"host-serial:{serial}:features", own_failures=False)
        except Failed as failure:
            raise phone_failure(serial, str(failure)) from None
        return frozenset(filter(None, text.strip().split(",")))

    async def connect(self, host_port: str) -> bool:
        """Have the server connect to a phone on TCP, with `host_port` as serial; return whether it
        was already connected."""
        text = await self._request(f"host:connect:{host_port}", timeout=max(30.0, self.timeout))
        return read_connect(host_port, text)

    async def pair(self, host_port: str, code: str) -> str:
        """Have the server pair with a phone that shows a pairing code; return the phone's name for
        discovery, or ""."""
        stream = await self.open()
        try:
            # The request is not part of any message: it contains the code.
            async with bounded(self.clock, max(30.0, self.timeout), f"pairing with {host_port}"):
                await stream.ask(encode_service(f"host:pair:{code}:{host_port}"))
                return read_pairing(host_port, await stream.text())
        except Failed as failure:
            if "unknown host service" in str(failure):
                raise AdbError(PAIRING_UNKNOWN) from None
            raise AdbError(f"The adb server refused to pair: {one_line(str(failure))}.") from None
        finally:
            await stream.aclose()

    async def disconnect(self, host_port: str) -> bool:
        """Have the server disconnect a phone on TCP; return False when it was not connected."""
        try:
            await self._request(f"host:disconnect:{host_port}", own_failures=False)
        except Failed as failure:
            if "no such device" in str(failure):
                return False
            raise AdbError(
                f"The adb server does not disconnect {host_port}: {one_line(str(failure))}."
            ) from None
        return True

    async def track(self) -> AsyncGenerator[list[AdbDevice], None]:
        """Yield the phones now and after every change. Raises LinkLost when the server stops.

        Use it within `contextlib.aclosing`, so that leaving the loop closes the socket.
        """
        stream = await self.open()
        try:
            async with bounded(self.clock, self.timeout, "host:track-devices-l"):
                await self._ask_server(stream, "host:track-devices-l")
            while True:
                yield parse_devices(await stream.text())
        finally:
            await stream.aclose()

    def link(self, serial: str) -> "ServerLink":
        return ServerLink(self, serial)

    async def open_service(self, serial: str, service: str) -> SocketStream:
        """Open a service of the phone with this serial, on a separate socket."""
        name = encode_service(service)
        stream = await self.open()
        begun = False
        try:
            async with bounded(self.clock, self.timeout, f"the phone {serial}"):
                try:
                    await stream.ask(encode_service(f"host:transport:{serial}"))
                except Failed as failure:
                    raise phone_failure(serial, str(failure)) from None
                begun = True
                try:
                    await stream.ask(name)
                except Failed as failure:
                    # The server also sends `_CLOSED` when it loses a phone that already has the
                    # request.
                    begun = str(failure).strip() == _CLOSED
                    raise self._service_failure(serial, service, str(failure)) from None
        except BaseException as problem:
            if isinstance(problem, AdbError):
                problem.begun = begun
            await stream.aclose()
            raise
        return stream

    def _service_failure(self, serial: str, service: str, message: str) -> AdbError:
        if message.strip() == _CLOSED:
            return ServiceRefused(f"The phone will not open the service {service[:80]!r}.")
        problem = phone_failure(serial, message)
        if isinstance(problem, PhoneUnavailable):
            return problem
        return ServiceRefused(
            f"The phone will not open the service {service[:80]!r}: {one_line(message)}."
        )

    async def open(self, *, start: bool = True) -> SocketStream:
        """Open a new socket to the server, which is started when its port refuses."""
        try:
            return await self._connect()
        except ConnectionRefusedError:
            if not start:
                raise AdbError(f"No adb server runs at {self.host}:{self.port}.") from None
        async with self._starting:
            with suppress(ConnectionRefusedError):
                # Another task may have started it while we waited for the lock.
                return await self._connect()
            await self._start()
            try:
                return await self._connect()
            except ConnectionRefusedError:
                raise AdbError(
                    f"`adb start-server` ran, but nothing answers on port {self.port}. "
                    "Run `adb devices` by hand to see why."
                ) from None

    async def _connect(self) -> SocketStream:
        try:
            async with self.clock.timeout(self.timeout):
                return SocketStream(
                    *await asyncio.open_connection(self.host, self.port), self.clock
                )
        except ConnectionRefusedError:
            raise
        except TimeoutError:
            raise NoAnswer(f"The adb server at {self.host}:{self.port} does not answer.") from None
        except OSError as problem:
            raise AdbError(
                f"The adb server at {self.host}:{self.port} cannot be reached: {problem}."
            ) from problem

    async def _start(self) -> None:
        if self.host not in _LOOPBACK:
            raise AdbError(
                f"No adb server answers at {self.host}:{self.port}. "
                "Start one there with `adb -a start-server`."
            )
        command = find_adb()
        if not command:
            raise AdbError(
                f"No adb server answers on port {self.port}, and adb is not installed. "
                "Install it (Debian and Ubuntu: `apt-get install adb`; macOS: "
                "`brew install android-platform-tools`; Termux: `pkg install android-tools`) "
                "and try again."
            )
        with tempfile.TemporaryFile() as output:
            # Into a file, not a pipe: the server keeps running and may hold what it inherits.
            process = await asyncio.create_subprocess_exec(
                command,
                *("-P", str(self.port), "start-server"),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                cwd="/",
            )
            try:
                async with self.clock.timeout(20.0):
                    code = await process.wait()
            except TimeoutError:
                raise NoAnswer("`adb start-server` did not end within 20 s.") from None
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
            if code:
                output.seek(0)
                printed = output.read(2000).decode(errors="replace")
                raise AdbError(f"`adb start-server` failed: {one_line(printed)}.")

    async def _request(
        self,
        request: str,
        *,
        timeout: float | None = None,
        own_failures: bool = True,
        start: bool = True,
    ) -> str:
        stream = await self.open(start=start)
        try:
            async with bounded(self.clock, timeout or self.timeout, request):
                if own_failures:
                    await self._ask_server(stream, request)
                else:
                    await stream.ask(encode_service(request))
                return await stream.text()
        finally:
            await stream.aclose()

    async def _ask_server(self, stream: SocketStream, request: str) -> None:
        try:
            await stream.ask(encode_service(request))
        except Failed as failure:
            raise AdbError(
                f"The adb server refused {request[:80]!r}: {one_line(str(failure))}."
            ) from None


class ServerLink:
    """A phone connected through the adb server: USB, Wi-Fi, emulator."""

    def __init__(self, server: AdbServer, serial: str) -> None:
        self.server = server
        self.serial = serial
        self.clock = server.clock
        self._features: frozenset[str] | None = None

    async def features(self) -> frozenset[str]:
        if self._features is None:
            self._features = await self.server.features(self.serial)
        return self._features

    async def open(self, service: str) -> SocketStream:
        return await self.server.open_service(self.serial, service)

    async def aclose(self) -> None:
        """Do nothing: each service has its own socket, and the server keeps the phone."""
