"""`subscriptions/listen`, by which 2026 clients are told that the tools changed: a request that is
answered by notifications, for as long as it runs."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from .envelope import INTERNAL_ERROR, INVALID_PARAMS, Message, Refused
from .versions import SUBSCRIPTION_ID

LISTEN = "subscriptions/listen"
MOST = 100
"""Subscriptions of one client at a time."""
_CHANGED = "toolsListChanged"

Notify = Callable[[dict[str, Any]], Awaitable[None]]


class Subscriptions:
    def __init__(self) -> None:
        self._open: dict[Callable[[], Awaitable[None]], bool] = {}
        """What tells of a change, and whether it was asked to."""

    async def listen(self, message: Message, notify: Notify) -> dict[str, Any]:
        """Run until it is cancelled. Raises Refused."""
        wanted: Any = message.params.get("notifications")
        if not isinstance(wanted, dict) or not isinstance(wanted.get(_CHANGED), bool | None):
            sentence = "The field params.notifications must be an object of true and false."
            raise Refused(INVALID_PARAMS, sentence)
        if len(self._open) >= MOST:
            raise Refused(INTERNAL_ERROR, f"There are {MOST} subscriptions; cancel one of them.")
        meta = {"_meta": {SUBSCRIPTION_ID: message.id}}
        # Only what is ever sent is agreed to.
        agreed = {_CHANGED: True} if wanted.get(_CHANGED) else {}

        async def tell(what: str, **params: Any) -> None:
            method = f"notifications/{what}"
            await notify({"jsonrpc": "2.0", "method": method, "params": params | meta})

        async def tell_change() -> None:
            await tell("tools/list_changed")

        self._open[tell_change] = bool(agreed)
        try:
            await tell("subscriptions/acknowledged", notifications=agreed)
            await asyncio.Event().wait()
        finally:
            del self._open[tell_change]
        return {}

    async def tell_change(self) -> None:
        for tell, wanted in list(self._open.items()):
            if wanted:
                await tell()
