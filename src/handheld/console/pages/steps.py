"""Kept steps: list, edit, accept proposals, remove."""

from collections.abc import Sequence
from typing import Any

from ...errors import ToolError
from ...tools.steps import SavedSteps, StepSequence, StepsError, StepsFile
from ...tools.steps.model import describe_parameter, describe_step
from ...tools.steps.sharing import read_edited, write_edited, write_script, write_shared
from ..context import ConsoleContext
from ..routes import PageResponse, Request, Route


class StepsPage:
    def __init__(self, context: ConsoleContext) -> None:
        self._context = context
        self._file = StepsFile(context.settings.folders.steps, context.clock)

    async def all(self, request: Request) -> dict[str, Any]:
        try:
            kept, problem = self._file.all(), ""
        except StepsError as failure:
            kept, problem = (), str(failure)
        return {
            "now": self._context.clock.time(),
            "off": self._context.settings.steps.off,
            "problem": problem,
            "steps": [_steps_json(each) for each in kept],
        }

    async def edit(self, request: Request) -> dict[str, Any]:
        """`seen` is the text that was edited; a later change is not overwritten."""
        try:
            old = self._get(request)
            if request.text("seen") != write_edited(old):
                raise StepsError(f"{old.name} was changed meanwhile: read it again.")
            self._file.put(read_edited(request.text("text"), old), old)
        except StepsError as problem:
            raise ToolError(str(problem)) from problem
        return {}

    async def accept(self, request: Request) -> dict[str, Any]:
        try:
            old = self._get(request)
            self._file.accept(old, request.text("seen"))
        except StepsError as problem:
            raise ToolError(str(problem)) from problem
        return {}

    async def remove(self, request: Request) -> dict[str, Any]:
        try:
            self._file.remove(self._get(request))
        except StepsError as problem:
            raise ToolError(str(problem)) from problem
        return {}

    async def export(self, request: Request) -> PageResponse:
        """`as` is json or pytest."""
        try:
            kept = self._file.get(request.params["name"], request.query.get("phone", ""))
        except StepsError as problem:
            raise ToolError(str(problem)) from problem
        test = request.query.get("as") == "pytest"
        text = write_script(kept) if test else write_shared(kept)
        name = f"test_{kept.name}.py" if test else f"{kept.name}.json"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return PageResponse(text.encode("utf-8"), "text/plain; charset=utf-8", headers)

    def _get(self, request: Request) -> SavedSteps:
        return self._file.get(request.params["name"], request.text("phone", ""))


def _lines(sequence: StepSequence) -> list[str]:
    return [describe_step(step) for step in sequence.steps]


def _steps_json(kept: SavedSteps) -> dict[str, Any]:
    return {
        "name": kept.name,
        "usage": f"my_{kept.usage}",
        "phone": kept.phone,
        "by": kept.by,
        "origin": kept.origin,
        "made": kept.made,
        "owned": kept.owned,
        "parameters": [describe_parameter(each) for each in kept.sequence.parameters],
        "steps": _lines(kept.sequence),
        "proposal": None if kept.proposal is None else _lines(kept.proposal),
        "proposed_by": kept.proposed_by,
        "seen": kept.digest,
        "text": write_edited(kept),
    }


def routes(context: ConsoleContext) -> Sequence[Route]:
    page = StepsPage(context)
    return (
        Route("GET", "steps", page.all),
        Route("GET", "steps/{name}/export", page.export),
        Route("POST", "steps/{name}/edit", page.edit),
        Route("POST", "steps/{name}/accept", page.accept),
        Route("POST", "steps/{name}/remove", page.remove),
    )
