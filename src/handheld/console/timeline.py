"""The record of calls, as the page of the timeline asks for it."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from ..audit import AuditEntry, AuditError, AuditLog
from ..audit.entry import STATES
from ..audit.export import jsonl, pytest_script
from ..audit.reading import MOST_ENTRIES
from ..errors import ToolError
from .context import ConsoleContext
from .routes import Answer, Request, Route, bad_request, not_found, whole_number

MOST_ROWS = 1000
_RESULT_LIMIT = 300
"""Characters of a reply in a row; the whole is asked for with the call."""
_LATEST = 2**53

Value = TypeVar("Value")


def row(entry: AuditEntry) -> dict[str, Any]:
    """A call in the list."""
    # Notes stand before what there is to see, the same on every screen.
    lines = (line for text in entry.result for line in text.split("\n"))
    said = " ".join(line for line in lines if not line.startswith("note:"))
    return {**entry.as_json(), "result": [said[:_RESULT_LIMIT]] if said else []}


class Timeline:
    def __init__(self, context: ConsoleContext) -> None:
        self._audit = context.audit

    async def calls(self, request: Request) -> dict[str, Any]:
        """The latest that fit, oldest first."""
        limit = request.asked("limit", 200, 1, MOST_ROWS)
        return {"calls": [row(entry) for entry in await self._entries(request, limit)]}

    async def call(self, request: Request) -> dict[str, Any]:
        audit, id = self._log(), _id(request)
        entry = await _read(partial(audit.entry, id))
        if entry is None:
            raise not_found("This call is not in the record any more.")
        before, after = await _read(partial(audit.pictures, id))
        return {**entry.as_json(), "before": before is not None, "after": after is not None}

    async def picture(self, request: Request) -> Answer:
        pictures = await _read(partial(self._log().pictures, _id(request)))
        which = request.params["which"]
        jpeg = pictures[which == "after"] if which in ("before", "after") else None
        if jpeg is None:
            raise not_found("There is no such picture.")
        return Answer(jpeg, "image/jpeg")

    async def export(self, request: Request) -> Answer:
        """Of all that fit, as JSON lines or as a test that makes them again."""
        entries = await self._entries(request, MOST_ENTRIES)
        match request.params["form"]:
            case "jsonl":
                text = "".join(f"{line}\n" for line in jsonl(entries))
                return Answer(text.encode(), "application/jsonl")
            case "pytest":
                return Answer(pytest_script(entries).encode(), "text/x-python; charset=utf-8")
            case _:
                raise not_found("Calls are exported as jsonl or as pytest.")

    async def _entries(self, request: Request, limit: int) -> list[AuditEntry]:
        query = request.query
        state = query.get("state", "")
        if state and state not in STATES:
            raise bad_request(f"state must be one of {', '.join(STATES)}.")
        return await _read(
            partial(
                self._log().entries,
                after=request.asked("after", 0, 0, _LATEST),
                before=request.asked("before", _LATEST, 1, _LATEST),
                limit=limit,
                text=query.get("text", ""),
                tool=query.get("tool", ""),
                phone=query.get("phone", ""),
                state=state,
            )
        )

    def _log(self) -> AuditLog:
        if self._audit is None:
            raise not_found("Calls are not recorded: the setting audit.off says so.")
        return self._audit


def _id(request: Request) -> int:
    id = whole_number(request.params["id"])
    if id is None:
        raise not_found("Calls have numbers.")
    return id


async def _read(read: Callable[[], Value]) -> Value:
    """In a thread: a search through the whole record takes a while."""
    try:
        return await asyncio.to_thread(read)
    except AuditError as problem:
        raise ToolError(str(problem)) from problem


def routes(context: ConsoleContext) -> Sequence[Route]:
    timeline = Timeline(context)
    return (
        Route("GET", "calls", timeline.calls),
        Route("GET", "calls/{id}", timeline.call),
        Route("GET", "calls/{id}/{which}", timeline.picture),
        Route("GET", "export/{form}", timeline.export),
    )
