"""Which Host and Origin a request may name.

A page on the web reaches a local server by pointing a name of its own at it. So names count, not
ports: loopback, the address bound, and what the owner lists.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from ..settings import is_loopback


def host_name(authority: str) -> str | None:
    """The name or address in `name`, `name:port`, `[v6]:port` or a bare v6; None if it is none."""
    text = authority.strip().lower()
    if _address(text) is not None:
        return str(_address(text))
    try:
        parts = urlsplit(f"//{text}")
        name, _ = parts.hostname, parts.port
    except ValueError:
        return None
    if not name or parts.path or parts.query or parts.fragment or parts.username is not None:
        return None
    name = name.rstrip(".")
    address = _address(name)
    return str(address) if address is not None else name or None


@dataclass(frozen=True, slots=True)
class HostCheck:
    """The hosts that may be named."""

    names: frozenset[str]
    any_address: bool
    """Bound to all addresses: any address may be named then, for rebinding needs a name."""

    @classmethod
    def of(cls, bind: str, allowed: Iterable[str] = ()) -> "HostCheck":
        address = _address(bind)
        any_address = bind == "" or (address is not None and address.is_unspecified)
        named = (host_name(host) for host in (bind, *allowed))
        return cls(frozenset(name for name in named if name is not None), any_address)

    def admits_host(self, host: str) -> bool:
        name = host_name(host)
        if name is None:
            return False
        return self._listed(name) or (self.any_address and _address(name) is not None)

    def admits_origin(self, origin: str, host: str) -> bool:
        """An address is no licence here: a page may live at any. It must be the host's own."""
        scheme, separator, authority = origin.strip().partition("://")
        name = host_name(authority)
        if not separator or scheme.lower() not in ("http", "https") or name is None:
            return False
        return self._listed(name) or (self.any_address and name == host_name(host))

    def _listed(self, name: str) -> bool:
        return is_loopback(name) or name in self.names


def _address(text: str):
    try:
        return ip_address(text)
    except ValueError:
        return None
