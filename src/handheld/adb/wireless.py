"""Phones over Wi-Fi: parse the adb server's replies to connecting, pairing and disconnecting."""

import re

from .link import AdbError
from .smartsocket import one_line
from .state import PhoneState, PhoneUnavailable

DEFAULT_PHONE_PORT = 5555
_WHERE = (
    "“Developer options > Wireless debugging” shows its address and port, which changes each time "
    "it is switched on; over a cable, `adb tcpip 5555` opens port 5555 until the phone restarts"
)


def read_connect(address: str, reply: str) -> bool:
    """Return whether the phone was already connected. Raises AdbError with how to fix it."""
    if reply.startswith("connected to"):
        return False
    if reply.startswith("already connected to"):
        return True
    lowered = reply.lower()
    if "authenticate" in lowered:
        raise PhoneUnavailable(address, PhoneState.UNAUTHORIZED)
    if "resolve host" in lowered:
        raise AdbError(
            f"No computer is called {address.rpartition(':')[0]}: check the name, or use the "
            "phone's IP address."
        )
    if "refused" in lowered:
        raise AdbError(
            f"The machine at {address} is there, but no phone listens on that port. {_WHERE}."
        )
    if re.search("timed out|timeout|no route|unreachable", lowered):
        raise AdbError(
            f"Nothing answers at {address}. Is the phone on, and in the same Wi-Fi as this "
            f"computer? Some networks isolate their devices from each other. {_WHERE}."
        )
    if lowered.startswith("failed to connect"):
        # Newer servers also report this when the phone does not know this computer's key.
        raise AdbError(
            f"The adb server cannot connect to {address}: {one_line(reply)}. A phone with wireless "
            "debugging must be paired once: handheld pair HOST:PORT, with the port and the code "
            "that it shows under “Pair device with pairing code”."
        )
    raise AdbError(f"The adb server cannot connect to {address}: {one_line(reply)}.")


def read_pairing(address: str, reply: str) -> str:
    """Return the phone's name for discovery, or "". Raises AdbError."""
    if reply.lower().startswith("successfully paired"):
        guid, end, _ = reply.partition("[guid=")[2].partition("]")
        return guid if end and len(guid) <= 200 else ""
    if "wrong password" in reply.lower() or "dropped" in reply.lower():
        raise AdbError(
            f"{address} did not accept the code. The phone shows a new code each time: open “Pair "
            "device with pairing code” again and use the port and the code that it shows then."
        )
    raise AdbError(
        f"Pairing with {address} failed: {one_line(reply)}. Keep “Pair device with pairing code” "
        "open on the phone until it succeeds; the port for pairing is not the port for connecting."
    )


PAIRING_UNKNOWN = (
    "The adb server that runs here cannot pair: pairing needs adb 30. Install newer platform "
    "tools, run `adb kill-server` and try again. Or do without pairing: plug the phone in once, "
    "run `adb tcpip 5555`, unplug it, then: handheld connect HOST"
)
