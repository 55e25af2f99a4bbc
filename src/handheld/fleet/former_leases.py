"""The phones that tokens had lately, as seen by this gateway.

An ended lease is no longer in the directory: only its host can tell its former holder why. Hosts
write the directory's leases, so a call that names no phone only goes to a lease that this gateway
has seen being taken or reported.
"""

from collections import OrderedDict
from typing import TypeVar

from ..phone.leases.lease import holder
from .known_phones import KnownPhone

_MOST = 1000
Value = TypeVar("Value")


class FormerLeases:
    def __init__(self) -> None:
        self._last: OrderedDict[str, KnownPhone] = OrderedDict()
        """The leased phone that each token used last."""
        self._hosts: OrderedDict[str, set[str]] = OrderedDict()
        """The hosts at which each token knows that it has a lease."""

    def note(self, token: str, phone: KnownPhone) -> None:
        _put(self._last, holder(token), phone)
        self.note_host(token, phone.host)

    def take(self, token: str) -> KnownPhone | None:
        """Return it once."""
        return self._last.pop(holder(token), None)

    def note_host(self, token: str, host: str) -> None:
        _put(self._hosts, holder(token), {*self._hosts.get(holder(token), ()), host})

    def knows(self, token: str, host: str) -> bool:
        return host in self._hosts.get(holder(token), ())


def _put(them: OrderedDict[str, Value], token: str, value: Value) -> None:
    them[token] = value
    them.move_to_end(token)
    if len(them) > _MOST:
        them.popitem(last=False)
