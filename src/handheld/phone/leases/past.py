"""Leases that have ended: their former holders are told how, each once, and whenever an old handle
is used."""

from collections.abc import Callable, Collection, Hashable

from .lease import Lease

MOST_OF_ONE, MOST = 20, 500
"""So many are remembered: of one token, and of all."""


class PastLeases:
    def __init__(self, stamp: Callable[[str], Hashable]) -> None:
        self._stamp = stamp
        self._past: dict[str, Lease] = {}
        """By handle, the oldest first."""
        self._untold: dict[str, Lease] = {}

    def __bool__(self) -> bool:
        """Whether somebody is still to be told."""
        return bool(self._untold)

    def add(self, lease: Lease, *, told: bool) -> None:
        """`told`: its holder knows that it ended."""
        # Those of one token push out its own first.
        own = [handle for handle, each in self._past.items() if each.token == lease.token]
        for handle in (*own[: 1 - MOST_OF_ONE], *list(self._past)[: 1 - MOST]):
            self._past.pop(handle, None)
            self._untold.pop(handle, None)
        self._past[lease.handle] = lease
        if not told:
            self._untold[lease.handle] = lease

    def find(self, handle: str, token: str) -> Lease | None:
        """That of this token with this handle; its holder is told by that."""
        lease = self._past.get(handle)
        if lease is None or lease.token != token or not self._same(lease):
            return None
        self._untold.pop(handle, None)
        return lease

    def take_untold(self, token: str, names: Collection[str] | None = None) -> Lease | None:
        """One that this token was not told of, of a phone or of any."""
        for handle, lease in list(self._untold.items()):
            if not self._same(lease):
                del self._untold[handle]
            elif lease.token == token and (names is None or not lease.names.isdisjoint(names)):
                return self._untold.pop(handle)
        return None

    def _same(self, lease: Lease) -> bool:
        """Whether the token is the one that held it: another may have its name by now."""
        return self._stamp(lease.token) == lease.stamp
