"""Pending approvals of calls, and a person's answers."""

from collections.abc import Sequence
from typing import Any

from ...access.approval import ApprovalGate
from ...app_tools.trust import Trust, TrustError
from ...errors import ToolError
from ..context import ConsoleContext
from ..routes import Request, Route, bad_request, not_found, whole_number


class Approvals:
    def __init__(self, context: ConsoleContext) -> None:
        self._gate = context.gate
        self._clock = context.clock
        trust = context.settings.apps.trust
        self._trust = Trust(context.settings.folders.apps, first_use=trust == "first-use")

    async def pending(self, request: Request) -> dict[str, Any]:
        """`now` is the server's time, to compute when questions expire."""
        open = self._gate.pending() if self._gate else []
        return {"now": self._clock.time(), "questions": [pending.as_json() for pending in open]}

    async def answer(self, request: Request) -> dict[str, Any]:
        """`always` also approves the app that declares the tool, in its state when the question was
        asked."""
        allow, id = request.flag("allow"), whole_number(request.params["id"])
        always = request.flag("always", False)
        if self._gate is None or id is None:
            raise not_found("There is no such question.")
        if always and not allow:
            raise bad_request("`always` requires `allow`.")
        if always:
            self._approve_app(self._gate, id)
        counts = self._gate.answer(id, allow, request.session.name)
        return {"counts": counts}

    def _approve_app(self, gate: ApprovalGate, id: int) -> None:
        """Raises ToolError and leaves the question open. Approves nothing if the question is no
        longer open."""
        for pending in gate.pending():
            if pending.id != id:
                continue
            if (app := pending.remedy.app) is None:
                raise ToolError(
                    f"Approving an app would not allow {pending.call.tool}: the rule"
                    f" '{pending.rule}' asks about it."
                )
            try:
                self._trust.approve(app.package, app.phone, app.seen)
            except TrustError as problem:
                raise ToolError(str(problem)) from problem


def routes(context: ConsoleContext) -> Sequence[Route]:
    approvals = Approvals(context)
    return (
        Route("GET", "questions", approvals.pending),
        Route("POST", "questions/{id}/answer", approvals.answer),
    )
