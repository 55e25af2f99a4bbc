"""Questions of all hosts that wait at a gateway, and people's answers."""

from collections.abc import Sequence
from typing import Any

from ...clock import Clock
from ...fleet.fleet_questions import FleetQuestions
from ..routes import Request, Route, bad_request


class FleetApprovals:
    def __init__(self, questions: FleetQuestions, name: str, clock: Clock) -> None:
        self._questions = questions
        self._name = name
        self._clock = clock

    async def pending(self, request: Request) -> dict[str, Any]:
        """`now` is the server's time, to compute when questions expire."""
        return {"now": self._clock.time(), "questions": self._questions.pending()}

    async def answer(self, request: Request) -> dict[str, Any]:
        allow, id = request.flag("allow"), request.params["id"]
        if request.flag("always", False):
            raise bad_request("Apps are approved on the host that has the phone.")
        who = request.session.name
        return {"counts": await self._questions.answer(id, allow, who, self._name)}


def routes(questions: FleetQuestions, name: str, clock: Clock) -> Sequence[Route]:
    approvals = FleetApprovals(questions, name, clock)
    return (
        Route("GET", "questions", approvals.pending),
        Route("POST", "questions/{id}/answer", approvals.answer),
    )
