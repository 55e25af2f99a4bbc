"""Pending approvals of calls, and a person's answers."""

from collections.abc import Sequence
from typing import Any

from ..access.question import question
from .context import ConsoleContext
from .routes import Request, Route, not_found, whole_number


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
