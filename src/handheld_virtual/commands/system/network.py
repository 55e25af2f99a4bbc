"""`ip`, and the kernel's connection tables, which show how adb reaches this phone."""

from typing import TYPE_CHECKING

from ..call import CommandCall, Usage

if TYPE_CHECKING:
    from ...phone import VirtualPhone

LOOPBACK = ("lo", "127.0.0.1", 8)
WIFI = ("wlan0", "192.168.232.2", 24)
CABLE = ("eth0", "10.0.2.15", 24)
PORT = 5555
PEER = ("192.168.232.9", 51544)
_HEADER = (
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout"
    " inode\n"
)
ESTABLISHED, LISTEN = "01", "0A"


def addresses(phone: "VirtualPhone") -> list[tuple[str, str, int]]:
    """The interfaces with their addresses. `eth0` connects an emulator to its host."""
    found: list[tuple[str, str, int]] = [LOOPBACK, CABLE]
    if phone.world.switches["wifi"]:
        found.append(WIFI)
    return found


async def ip(call: CommandCall) -> None:
    words = [word for word in call.arguments if not word.startswith("-")]
    if not words or words[0] not in ("a", "addr", "address"):
        raise Usage("only `ip addr` is supported by this phone")
    one_line = any("o" in word for word in call.arguments if word.startswith("-"))
    for number, (name, address, length) in enumerate(addresses(call.phone), 1):
        scope = "host" if name == "lo" else "global"
        inet = f"inet {address}/{length} scope {scope} {name}"
        if one_line:
            await call.write(f"{number}: {name}    {inet}\\       valid_lft forever\n")
        else:
            await call.write(f"{number}: {name}: <UP,LOWER_UP> mtu 1500 state UP\n    {inet}\n")


def _word(address: str, port: int) -> str:
    """An address and a port as /proc/net/tcp shows them on a little-endian machine."""
    parts = [int(part) for part in address.split(".")]
    return "".join(f"{part:02X}" for part in reversed(parts)) + f":{port:04X}"


def connections(phone: "VirtualPhone") -> str:
    """adbd's sockets: the listening socket, and the client's if `phone.adb_over` names its
    interface. Otherwise the client uses a cable or the emulator's pipe."""
    rows = [("0.0.0.0", PORT, "0.0.0.0", 0, LISTEN)]  # noqa: S104
    own = {name: address for name, address, _ in addresses(phone)}
    if phone.adb_over in own:
        rows.append((own[phone.adb_over], PORT, *PEER, ESTABLISHED))
    lines = [
        f"{number:>4}: {_word(local, port)} {_word(remote, remote_port)} {state}"
        f" 00000000:00000000 00:00000000 00000000  2000        0 {1000 + number} 1 0 100 0 0 10 0\n"
        for number, (local, port, remote, remote_port, state) in enumerate(rows)
    ]
    return (_HEADER + "".join(lines)).rstrip("\n")
