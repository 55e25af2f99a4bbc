"""The check of Host and Origin headers, against DNS rebinding.

A web page can reach a local server by pointing a host name of its own at it. So names are checked,
not ports: loopback, the bound address and the names that the owner allows are accepted.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from ..settings import is_loopback
from .exchange import Exchange, HttpRefusal
from .text import cut

_AUTHORITY = re.compile(r"(\[[^]]*]|[^]\[/?#@\\:\s]+)(:[0-9]*)?", re.ASCII)
"""`urlsplit` alone takes more, and drops what it does not need."""


@lru_cache(maxsize=64)
def host_name(authority: str) -> str | None:
    """The name or address in `name`, `name:port`, `[v6]:port` or a bare v6; None if malformed."""
    text = authority.strip(" \t").lower()
    if _address(text) is not None:
        return str(_address(text))
    if not _AUTHORITY.fullmatch(text):
        return None
    try:
        parts = urlsplit(f"//{text}")
        name, _ = parts.hostname, parts.port
    except ValueError:
        return None
    name = (name or "").rstrip(".")
    address = _address(name)
    return str(address) if address is not None else name or None


@dataclass(frozen=True, slots=True)
class HostCheck:
    """The accepted hosts."""

    names: frozenset[str]
    any_address: bool
    """Bound to all addresses: any IP address is accepted, since rebinding needs a name."""

    @classmethod
    def of(cls, bind: str, allowed: Iterable[str] = ()) -> "HostCheck":
        address = _address(bind)
        any_address = bind == "" or (address is not None and address.is_unspecified)
        named = (host_name(host) for host in (bind, *allowed))
        return cls(frozenset(name for name in named if name is not None), any_address)

    def check(self, exchange: Exchange) -> None:
        """Raises HttpRefusal."""
        host = exchange.header("host") or ""
        if not self.admits_host(host):
            raise HttpRefusal(
                421,
                "misdirected",
                f"The host {cut(host)!r} is not served here; name it with --allow-host.",
            )
        origin = exchange.header("origin")
        if origin is not None and not self.admits_origin(origin, host):
            raise HttpRefusal(
                403,
                "forbidden",
                f"Pages from {cut(origin)!r} may not call this server; name it with --allow-host.",
            )

    def admits_host(self, host: str) -> bool:
        name = host_name(host)
        if name is None:
            return False
        return self._listed(name) or (self.any_address and _address(name) is not None)

    def admits_origin(self, origin: str, host: str) -> bool:
        """An IP address is accepted only if it is the host's own: a page may be served from any."""
        scheme, separator, authority = origin.strip().partition("://")
        name = host_name(authority)
        if not separator or scheme.lower() not in ("http", "https") or name is None:
            return False
        return self._listed(name) or (self.any_address and name == host_name(host))

    def _listed(self, name: str) -> bool:
        return name in self.names or is_loopback(name)


def _address(text: str):
    try:
        return ip_address(text)
    except ValueError:
        return None
