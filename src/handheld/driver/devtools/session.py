"""A DevTools session with one page."""

import json
from typing import Any, NamedTuple, cast

from ..web import PageFailed, PageProblem
from .answers import MOST_TEXT, number, read_json, table
from .wire import BadAnswer, TooLarge, WebSocket

READ_SECONDS = 15.0
MOST_MESSAGES = 5000
"""The maximum number of other messages before the awaited one: events of the page."""
_LONGEST_ID = 100
_UNKNOWN_METHOD, _INTERNAL = -32601, -32603


class Evaluated(NamedTuple):
    type: str
    value: str
    """JSON or a description."""


class DevToolsSession:
    """Calls to DevTools, one at a time."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._number = 0
        self._messages = 0
        self._contexts: dict[str, int] = {}
        """The pages' main worlds by frame, from the events of Runtime.enable."""
        self.sent = False
        """Whether a call that may change the page was sent."""

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Raises PageFailed, BadAnswer, Ended, AdbError."""
        self._number += 1
        awaited = self._number
        await self._socket.send(json.dumps({"id": awaited, "method": method, "params": params}))
        while True:
            message = read_json(await self._socket.receive())
            if not isinstance(message, dict):
                raise BadAnswer
            message = cast(dict[str, Any], message)
            if message.get("id") == awaited:
                break
            self._messages += 1
            if self._messages > MOST_MESSAGES:
                raise TooLarge
            if message.get("method") == "Runtime.executionContextCreated":
                self._keep(table(table(message, "params"), "context"))
        if "error" in message:
            error = table(message, "error")
            raise _Refused(error.get("code"), str(error.get("message"))[:MOST_TEXT])
        return table(message, "result")

    async def own_world(self) -> int:
        """Create an isolated world in the page. An engine too old for that has only the main
        world."""
        try:
            made = await self.call(
                "Page.createIsolatedWorld", frameId=await self._frame(), worldName="handheld"
            )
        except _Refused as refused:
            if refused.code != _UNKNOWN_METHOD:
                raise PageFailed(PageProblem.GONE) from None
            return await self.main_world()
        return number(made.get("executionContextId"))

    async def main_world(self) -> int:
        """Return the page's main world."""
        try:
            frame = await self._frame()
            await self.call("Runtime.enable")
        except _Refused:
            raise PageFailed(PageProblem.UNUSUAL) from None
        if frame not in self._contexts:
            raise PageFailed(PageProblem.GONE)
        return self._contexts[frame]

    def _keep(self, context: dict[str, Any]) -> None:
        """Keep only the numbers of a few frames: any event may be as large as a message."""
        told = table(context, "auxData")
        frame = told.get("frameId")
        if told.get("isDefault") is True and isinstance(frame, str) and len(frame) <= _LONGEST_ID:
            self._contexts[frame] = number(context.get("id"))

    async def _frame(self) -> str:
        tree = await self.call("Page.getFrameTree")
        frame = table(table(tree, "frameTree"), "frame").get("id")
        if not isinstance(frame, str):
            raise BadAnswer
        return frame

    async def evaluate(
        self, expression: str, context: int, *, timeout_ms: int = int(READ_SECONDS * 1000)
    ) -> Evaluated:
        try:
            answer = await self.call(
                "Runtime.evaluate",
                expression=expression,
                contextId=context,
                returnByValue=True,
                awaitPromise=True,
                timeout=timeout_ms,
                silent=True,
            )
        except _Refused as refused:
            raise _explain(refused) from None
        if "exceptionDetails" in answer:
            raise PageFailed(PageProblem.THREW, _thrown(table(answer, "exceptionDetails")))
        result = table(answer, "result")
        kind = str(result.get("type"))[:40]
        if "value" in result:
            value = json.dumps(result["value"], ensure_ascii=False, separators=(",", ":"))
            return Evaluated(kind, value)
        described = result.get("unserializableValue") or result.get("description") or kind
        return Evaluated(kind, str(described)[:MOST_TEXT])


class _Refused(Exception):
    def __init__(self, code: object, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def _explain(refused: _Refused) -> PageFailed:
    """Interpret a refusal: the page was left, took too long, or its result cannot be serialized."""
    words = refused.message.lower()
    if "context" in words or "navigated" in words:
        return PageFailed(PageProblem.LEFT)
    # V8 reports a script that exceeded its time limit as an internal error.
    if refused.code == _INTERNAL or "terminated" in words:
        return PageFailed(PageProblem.SILENT)
    return PageFailed(PageProblem.REFUSED, refused.message)


def _thrown(details: dict[str, Any]) -> str:
    thrown = details.get("exception")
    told = cast(dict[str, Any], thrown) if isinstance(thrown, dict) else {}
    words = told.get("description") or told.get("value") or details.get("text") or "an error"
    return str(words).partition("\n")[0][:MOST_TEXT]
