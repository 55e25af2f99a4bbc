"""adbd's services for the whole device."""

from typing import TYPE_CHECKING

from ..sh.shell import Shell
from .stream import AdbStream

if TYPE_CHECKING:
    from ..phone import VirtualPhone
    from .adbd import Handler


def find_device_service(phone: "VirtualPhone", kind: str, rest: str) -> "Handler | None":
    """Return the handler of `kind:rest`, or None for an unknown service."""
    match kind:
        case "root":
            return _say("adbd cannot run as root in production builds\n")
        case "unroot":
            return _say("adbd not running as root\n")
        case "remount" if not phone.world.android.adb_remount_program:
            return _say('Not running as root. Try "adb root" first.\n')
        case "remount":
            return _run(phone, "/system/bin/remount")
        case "reboot" if rest:
            return _say(f"reboot (reboot,{rest}) failed\n")
        case "reboot":
            return _reboot(phone)
        case "tcpip" if rest.isascii() and rest.isdigit() and 0 < int(rest[:6]) < 65536:
            return _listen(phone, int(rest))
        case "usb":
            return _listen(phone, None)
        case _:
            return None


def find_debugging_service(name: str) -> "Handler | None":
    """Return the handler of a service that lists debuggable processes, of which a user build has
    none."""
    match name:
        case "jdwp":
            return _hold(b"")
        case "track-jdwp" | "track-app":
            return _hold(b"0000")
        case _:
            return None


def _say(words: str) -> "Handler":
    async def serve(stream: AdbStream) -> None:
        await stream.write(words.encode("utf-8", "surrogateescape"))

    return serve


def _run(phone: "VirtualPhone", command: str) -> "Handler":
    async def serve(stream: AdbStream) -> None:
        await Shell(phone, stream, stream, stream, {}).run(command)

    return serve


def _hold(data: bytes) -> "Handler":
    """Report a state once and keep the stream open, because the state does not change."""

    async def serve(stream: AdbStream) -> None:
        if data:
            await stream.write(data)
        while await stream.read():
            pass

    return serve


def _reboot(phone: "VirtualPhone") -> "Handler":
    async def serve(stream: AdbStream) -> None:
        phone.reboot()
        # There is no answer: the computer notices when the connection closes.
        while await stream.read():
            pass

    return serve


def _listen(phone: "VirtualPhone", port: int | None) -> "Handler":
    """Listen on a TCP port in addition to the one that represents USB, or close it."""

    async def serve(stream: AdbStream) -> None:
        try:
            await phone.adbd.listen_also(port)
        except OSError as problem:
            await stream.write(f"adbd cannot listen on port {port}: {problem.strerror}\n".encode())
            return
        mode = "USB mode" if port is None else f"TCP mode port: {port}"
        await stream.write(f"restarting in {mode}\n".encode())
        await stream.aclose()
        phone.drop_connections()

    return serve
