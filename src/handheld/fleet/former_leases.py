"""Where tokens had phones lately, as a gateway has seen. A lease that ended is not in the directory
any more: only its host can tell its former holder why."""

from collections import OrderedDict

from ..phone.lease import holder
from .known_phones import KnownPhone

_MOST = 1000


class FormerLeases:
    def __init__(self) -> None:
        self._last: OrderedDict[str, KnownPhone] = OrderedDict()
        """The leased phone that each token used last."""

    def note(self, token: str, phone: KnownPhone) -> None:
        self._last[holder(token)] = phone
        self._last.move_to_end(holder(token))
        if len(self._last) > _MOST:
            self._last.popitem(last=False)

    def take(self, token: str) -> KnownPhone | None:
        """It is told once."""
        return self._last.pop(holder(token), None)
