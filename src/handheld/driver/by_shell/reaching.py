"""Find the phone's network that carries a connection: an action must not switch off its own
network.

A cable and an emulator's pipe are not networks of the phone. A TCP connection is looked up in the
phone's own table: adbd's address there belongs to one of the phone's interfaces.
"""

import re

from ..device import Reach

LINE = "ip -o addr; cat /proc/net/tcp /proc/net/tcp6 2>/dev/null"
_ESTABLISHED, _LISTENING = "01", "0A"
_OF_ADBD = ("0", "2000")
"""The uids of adbd: shell, or root after `adb root`."""
_ADDRESS = re.compile(
    r"^\d{1,6}: +([\w.@-]{1,40}) +inet6? ([0-9a-fA-F.:]{2,45})(?:/\d{1,3})? ", re.MULTILINE
)
_SOCKET = re.compile(
    r"^ *\d{1,9}: ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) (?:[0-9A-F]{8}|[0-9A-F]{32}):[0-9A-F]{4}"
    r" ([0-9A-F]{2}) \S{1,40} \S{1,40} \S{1,20} +(\d{1,9}) ",
    re.MULTILINE,
)
_KINDS = (
    (re.compile(r"(s?wlan|wifi|ap|p2p|softap|mlan)[\w-]*"), Reach.WIFI),
    (re.compile(r"(rmnet|ccmni|pdp|rev_rmnet|seth|radio)[\w-]*"), Reach.MOBILE),
    (re.compile(r"(bt-pan|bnep)[\w-]*"), Reach.BLUETOOTH),
    (re.compile(r"(lo|eth|usb|rndis|ncm|dummy)[\w-]*"), Reach.OWN),
)
"""Interfaces by the names that Android and vendors give them."""
_MDNS = "._adb"
"""Part of the serial of a phone that the adb server discovered by mDNS."""
_EMULATOR = re.compile(r"emulator-\d{1,5}")


def goes_over_tcp(serial: str) -> bool:
    """Whether a connection with this serial may use a network at all."""
    if _EMULATOR.fullmatch(serial):
        return False
    return ":" in serial or _MDNS in serial


def find_reach(printed: str, serial: str) -> Reach:
    """Parse the output of LINE for a connection over TCP. If the phone's table cannot be read, the
    address in the serial decides; if that is not conclusive, Wi-Fi is assumed, the usual case."""
    interfaces: dict[str, str] = {}
    for found in _ADDRESS.finditer(printed):
        interfaces[found[2].lower()] = found[1].partition("@")[0]
    sockets = [found.groups() for found in _SOCKET.finditer(printed)]
    own = [(address, port, state) for address, port, state, uid in sockets if uid in _OF_ADBD]
    ports = {port for _, port, state in own if state == _LISTENING}
    reached = [
        _kind(interfaces.get(_address(address), ""))
        for address, port, state in own
        if state == _ESTABLISHED and port in ports
    ]
    if ports and reached:
        return max(reached, key=_CAUTION.index)
    host = serial.rpartition(":")[0].strip("[]").lower()
    if host in interfaces:
        return _kind(interfaces[host])
    if ports and _is_loopback(host):
        # adbd has no network client: the connection uses a cable or a pipe.
        return Reach.OWN
    return Reach.WIFI


_CAUTION = [Reach.OWN, Reach.BLUETOOTH, Reach.MOBILE, Reach.OTHER, Reach.WIFI]
"""Ours may be any of several clients: the last network in this order counts."""


def _kind(interface: str) -> Reach:
    for pattern, reach in _KINDS:
        if pattern.fullmatch(interface):
            return reach
    return Reach.OTHER


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


def _address(word: str) -> str:
    """Convert the kernel's little-endian words into an address in the form of `ip`."""
    from ipaddress import IPv4Address, IPv6Address  # slow to load

    data = bytes.fromhex(word)
    turned = b"".join(data[at : at + 4][::-1] for at in range(0, len(data), 4))
    if len(turned) == 4:
        return str(IPv4Address(turned))
    address = IPv6Address(turned)
    return str(address.ipv4_mapped or address)
