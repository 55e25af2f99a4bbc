"""The record of calls, as the page of the timeline asks for it."""

import asyncio
from collections.abc import Sequence
from typing import Any

from ..audit import AuditError, AuditLog, Entry
from ..errors import ToolError
from .desk import Desk
from .routes import Answer, Request, Route, not_found

MOST_ROWS = 1000
_RESULT_LIMIT = 300
"""Characters of a reply in a row; the whole is asked for with the call."""


def row(entry: Entry) -> dict[str, Any]:
    """A call in the list."""
    said = " ".join(entry.result)
    return {
        **entry.as_json(),
        "result": [said[:_RESULT_LIMIT]] if said else [],
        "whole": len(said) <= _RESULT_LIMIT,
    }


class Timeline:
    def __init__(self, desk: Desk) -> None:
        self._audit = desk.audit

    async def calls(self, request: Request) -> dict[str, Any]:
        """The latest that fit, oldest first."""
        limit = request.asked("limit", 200, 1, MOST_ROWS)
        query = request.query
        before = request.asked("before", 0, 1, 2**53) if "before" in query else None
        audit = self._log()
        entries = await _read(
            lambda: audit.entries(
                after=request.asked("after", 0, 0, 2**53),
                before=before,
                limit=limit,
                text=query.get("text", ""),
                tool=query.get("tool", ""),
                phone=query.get("phone", ""),
                state=query.get("state", ""),
            )
        )
        return {"calls": [row(entry) for entry in entries]}

    async def call(self, request: Request) -> dict[str, Any]:
        audit, id = self._log(), _id(request)
        entry = await _read(lambda: audit.entry(id))
        if entry is None:
            raise not_found("This call is not in the record any more.")
        before, after = await _read(lambda: audit.pictures(id))
        return {**entry.as_json(), "before": before is not None, "after": after is not None}

    async def picture(self, request: Request) -> Answer:
        audit, id = self._log(), _id(request)
        pictures = await _read(lambda: audit.pictures(id))
        which = request.params["which"]
        jpeg = pictures[which == "after"] if which in ("before", "after") else None
        if jpeg is None:
            raise not_found("There is no such picture.")
        return Answer(jpeg, "image/jpeg")

    def _log(self) -> AuditLog:
        if self._audit is None:
            raise not_found("Calls are not recorded: the setting audit.off says so.")
        return self._audit


def _id(request: Request) -> int:
    given = request.params["id"]
    if not given.isascii() or not given.isdigit() or len(given) > 15:
        raise not_found("Calls have numbers.")
    return int(given)


async def _read(read: Any) -> Any:
    """In a thread: a search through the whole record takes a while."""
    try:
        return await asyncio.to_thread(read)
    except AuditError as problem:
        raise ToolError(str(problem)) from problem


def routes(desk: Desk) -> Sequence[Route]:
    timeline = Timeline(desk)
    return (
        Route("GET", "calls", timeline.calls),
        Route("GET", "calls/{id}", timeline.call),
        Route("GET", "calls/{id}/{which}", timeline.picture),
    )
