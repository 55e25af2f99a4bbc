"""Where tokens had phones lately, as a gateway has seen. A lease that ended is not in the directory
any more: only its host can tell its former holder why. And what the directory says of a lease its
host has written: only one that we have seen being taken, or told, leads calls there that name no
phone."""

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
        """Those of which each token knows that it has a lease there."""

    def note(self, token: str, phone: KnownPhone) -> None:
        _put(self._last, holder(token), phone)
        self.note_host(token, phone.host)

    def take(self, token: str) -> KnownPhone | None:
        """It is told once."""
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
