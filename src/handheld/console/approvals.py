"""Pending approvals of calls, and a person's answers."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..access.approval import Pending
from ..toolkit.call import Beside
from .context import ConsoleContext
from .routes import Request, Route, not_found, whole_number

LONGEST = 20_000
MOST_ARGUMENTS = 100


def question(pending: Pending) -> dict[str, Any]:
    """The question as JSON: the arguments are unmasked, and shortened, which they then say, only
    if nobody could read them all."""
    call = pending.call
    return {
        "id": pending.id,
        "call": call.id,
        "tool": call.tool,
        "title": call.listing.title,
        "arguments": _shown(call.arguments),
        "phone": call.phone,
        "app": ", ".join(app for app in call.apps if not isinstance(app, Beside)),
        "screen": call.screen,
        "client": call.caller.client,
        "door": call.caller.transport,
        "token": call.caller.token,
        "asked_at": pending.asked_at,
        "until": pending.until,
        "rule": pending.rule,
    }


def _shown(arguments: Mapping[str, Any]) -> dict[str, Any]:
    shown = {name: _cut(value) for name, value in list(arguments.items())[:MOST_ARGUMENTS]}
    if more := len(arguments) - len(shown):
        shown["…"] = f"{more} more arguments are not shown"
    return shown


def _cut(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= LONGEST:
        return value
    return f"{text[:LONGEST]}… ({len(text) - LONGEST} more characters are not shown)"


class Approvals:
    def __init__(self, context: ConsoleContext) -> None:
        self._gate = context.gate
        self._clock = context.clock

    async def pending(self, request: Request) -> dict[str, Any]:
        """`now` is the server's time, to compute when questions expire."""
        open = self._gate.pending() if self._gate else []
        return {"now": self._clock.time(), "questions": [question(pending) for pending in open]}

    async def answer(self, request: Request) -> dict[str, Any]:
        allow, id = request.flag("allow"), whole_number(request.params["id"])
        if self._gate is None or id is None:
            raise not_found("There is no such question.")
        counts = self._gate.answer(id, allow, request.session.name)
        return {"counts": counts}


def routes(context: ConsoleContext) -> Sequence[Route]:
    approvals = Approvals(context)
    return (
        Route("GET", "questions", approvals.pending),
        Route("POST", "questions/{id}/answer", approvals.answer),
    )
