"""A response in which messages come before the answer, as server-sent events."""

import asyncio
from typing import TYPE_CHECKING, Any

from .envelope import CANCELLED, Id, dump, error_answer

if TYPE_CHECKING:
    from .exchange import Exchange, Headers

MEDIA_TYPE = "text/event-stream"
_HEADERS: "Headers" = [
    (b"content-type", MEDIA_TYPE.encode("ascii")),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # else a proxy may keep them until the end
]


class EventStream:
    """It begins with the first message. A request that sends none is answered as any other."""

    def __init__(self, exchange: "Exchange", id: Id) -> None:
        self._exchange = exchange
        self._id = id
        self._sending = asyncio.Lock()
        self.begun = False
        self._ending = False

    async def put(self, message: dict[str, Any]) -> None:
        """Send a message, unless the answer has been sent or is on its way."""
        async with self._sending:
            if self._ending or (self._exchange.begun and not self.begun):
                return
            if not self.begun:
                self.begun = True
                await self._exchange.start(200, _HEADERS)
            await self._exchange.send_part(_event(dump(message)))

    async def end(self, answer: bytes) -> None:
        if self._ending:
            return
        self._ending = True
        async with self._sending:
            await self._exchange.send_part(_event(answer), last=True)

    async def refuse(self, sentence: str) -> None:
        """End it with an error: its HTTP status was sent before."""
        await self.end(dump(error_answer(self._id, CANCELLED, sentence)))


def _event(message: bytes) -> bytes:
    """The JSON of a message has no line breaks."""
    return b"event: message\ndata: " + message + b"\n\n"
