"""Ended leases: their former holders are told the reason once, and whenever they use an old
handle."""

from collections.abc import Callable, Collection, Hashable

from .lease import Lease

MOST_OF_ONE, MOST = 20, 500
"""The maximum of remembered leases per token, and of all."""


class PastLeases:
    def __init__(self, stamp: Callable[[str], Hashable]) -> None:
        self._stamp = stamp
        self._past: dict[str, Lease] = {}
        """By handle, the oldest first."""
        self._untold: dict[str, Lease] = {}

    def __bool__(self) -> bool:
        """Whether there are untold ends."""
        return bool(self._untold)

    def add(self, lease: Lease, *, told: bool) -> None:
        """`told`: whether its holder knows that it ended."""
        # The oldest of the same token makes room first.
        own = [handle for handle, each in self._past.items() if each.token == lease.token]
        for handle in (*own[: 1 - MOST_OF_ONE], *list(self._past)[: 1 - MOST]):
            self._past.pop(handle, None)
            self._untold.pop(handle, None)
        self._past[lease.handle] = lease
        if not told:
            self._untold[lease.handle] = lease

    def find(self, handle: str, token: str) -> Lease | None:
        """Return this token's lease with this handle, and mark it as told."""
        lease = self._past.get(handle)
        if lease is None or lease.token != token or not self._same(lease):
            return None
        self._untold.pop(handle, None)
        return lease

    def take_untold(self, token: str, names: Collection[str] | None = None) -> Lease | None:
        """Return an untold lease of this token, of this phone or of any, and mark it as told."""
        for handle, lease in list(self._untold.items()):
            if not self._same(lease):
                del self._untold[handle]
            elif lease.token == token and (names is None or not lease.names.isdisjoint(names)):
                return self._untold.pop(handle)
        return None

    def _same(self, lease: Lease) -> bool:
        """Whether this token held the lease: another token may have its name now."""
        return self._stamp(lease.token) == lease.stamp
