"""The record of calls, for the timeline page."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from ...audit import AuditEntry, AuditError, AuditLog
from ...audit.entry import STATES
from ...audit.export import jsonl, pytest_script
from ...audit.reading import MOST_ENTRIES
from ...errors import ToolError
from ...tools.agent.catalog import AGENT_CATALOG
from ...tools.main import CATALOG
from ..context import ConsoleContext
from ..routes import PageResponse, Request, Route, bad_request, not_found, whole_number

MOST_ROWS = 1000
_RESULT_LIMIT = 300
"""Characters of a reply in a row; the page fetches the rest with the call."""
_LATEST = 2**53

Value = TypeVar("Value")


def row(entry: AuditEntry) -> dict[str, Any]:
    """A call in the list."""
    # Notes come first and are the same on every screen.
    lines = (line for text in entry.result for line in text.split("\n"))
    summary = " ".join(line for line in lines if not line.startswith("note:"))
    return {**entry.as_json(), "result": [summary[:_RESULT_LIMIT]] if summary else []}


class Timeline:
    def __init__(self, context: ConsoleContext) -> None:
        self._audit = context.audit

    async def calls(self, request: Request) -> dict[str, Any]:
        """Return the latest matching calls, oldest first, and how many are no longer kept."""
        limit = request.query_number("limit", 200, 1, MOST_ROWS)
        entries = await self._entries(request, limit)
        dropped = sum(each.calls for each in await _read(self._log().dropped))
        return {"calls": [row(entry) for entry in entries], "dropped": dropped}

    async def call(self, request: Request) -> dict[str, Any]:
        audit, id = self._log(), _id(request)
        entry = await _read(partial(audit.entry, id))
        if entry is None:
            raise not_found("This call is no longer in the record.")
        before, after = await _read(partial(audit.pictures, id))
        return {**entry.as_json(), "before": before is not None, "after": after is not None}

    async def picture(self, request: Request) -> PageResponse:
        pictures = await _read(partial(self._log().pictures, _id(request)))
        which = request.params["which"]
        jpeg = pictures[which == "after"] if which in ("before", "after") else None
        if jpeg is None:
            raise not_found("There is no such picture.")
        return PageResponse(jpeg, "image/jpeg")

    async def export(self, request: Request) -> PageResponse:
        """Export all matching calls, as JSON lines or as a test that replays them."""
        entries = await self._entries(request, MOST_ENTRIES)
        match request.params["form"]:
            case "jsonl":
                text = "".join(f"{line}\n" for line in jsonl(entries))
                return PageResponse(text.encode(), "application/jsonl")
            case "pytest":
                script = pytest_script(entries, (*CATALOG, *AGENT_CATALOG))
                return PageResponse(script.encode(), "text/x-python; charset=utf-8")
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
                after=request.query_number("after", 0, 0, _LATEST),
                before=request.query_number("before", _LATEST, 1, _LATEST),
                limit=limit,
                text=query.get("text", ""),
                tool=query.get("tool", ""),
                phone=query.get("phone", ""),
                state=state,
            )
        )

    def _log(self) -> AuditLog:
        if self._audit is None:
            raise not_found("Calls are not recorded: the setting audit.off is set.")
        return self._audit


def _id(request: Request) -> int:
    id = whole_number(request.params["id"])
    if id is None:
        raise not_found("A call is given by its number.")
    return id


async def _read(read: Callable[[], Value]) -> Value:
    """Read in a thread: a search through the whole record takes a while."""
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
