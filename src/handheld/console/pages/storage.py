"""Storage locations: the folders on phones that tools may access."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ...errors import ToolError
from ...phone.files.storage import EXAMPLE, StorageError, StorageFile
from ..context import ConsoleContext
from ..routes import Request, Route

_TEXTS = ("name", "description")
_FLAGS = ("allow_write", "allow_delete")


class StoragePage:
    def __init__(self, context: ConsoleContext) -> None:
        self._file = StorageFile(context.settings.folders.storage, context.offered)

    async def all(self, request: Request) -> dict[str, Any]:
        try:
            locations, problem = self._file.all(), ""
        except StorageError as failure:
            locations, problem = (), str(failure)
        return {
            "file": str(self._file.file),
            "example": EXAMPLE,
            "problem": problem,
            "locations": [
                {**asdict(location), "title": location.title, "path": location.path}
                for location in locations
            ],
        }

    async def put(self, request: Request) -> dict[str, Any]:
        """Add or change a location; fields that are not given stay as they are."""
        try:
            _, new = self._file.put(
                request.text("id").strip(),
                request.text("phone", "").strip(),
                **{name: request.text(name).strip() for name in _TEXTS if name in request.body},
                **{name: request.flag(name) for name in _FLAGS if name in request.body},
            )
        except StorageError as problem:
            raise ToolError(str(problem)) from problem
        return {"new": new}

    async def remove(self, request: Request) -> dict[str, Any]:
        try:
            self._file.remove(request.text("id"), request.text("phone", ""))
        except StorageError as problem:
            raise ToolError(str(problem)) from problem
        return {}


def routes(context: ConsoleContext) -> Sequence[Route]:
    page = StoragePage(context)
    return (
        Route("GET", "storage", page.all),
        Route("POST", "storage", page.put),
        Route("POST", "storage/remove", page.remove),
    )
