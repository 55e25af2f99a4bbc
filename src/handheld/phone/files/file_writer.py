"""Writes a file to the phone atomically.

The content is written under a temporary name, and the helper renames the file after another check
of the file to replace. So an interrupted write leaves the old file intact.
"""

import re
import secrets
from pathlib import Path

import anyio

from ...clock import Clock
from ...driver.files import (
    AdbError,
    Content,
    FileChanged,
    FileDriver,
    InDoubt,
    LeadsOutside,
    Place,
    SyncError,
)
from ...errors import ActionFailed, PermissionDenied, ToolError
from .storage import Location

TIDY_SECONDS = 5.0
"""The time limit for removing the temporary file of a failed write."""
_PART = re.compile(r"\.handheld-[0-9a-f]{16}\.part")


class FileWriter:
    """The only writer of files in storage locations. The caller holds the phone's turn."""

    def __init__(self, driver: FileDriver, clock: Clock) -> None:
        self._driver = driver
        self._clock = clock
        self._tidied: set[str] = set()
        """Roots without leftover temporary files."""

    async def put(self, location: Location, path: str, source: bytes | Path) -> None:
        """Raises ToolError that states what happened to the file."""
        where = name_place(location, path)
        place = await locate(self._driver, location, path, f"Failed to write file: {where}")
        if place.kind is not None and place.kind != "file":
            raise ActionFailed(f"Path is not a file: {where}")
        await self.put_in(place.root, location, path, source, None)

    async def put_in(
        self,
        root: str,
        location: Location,
        path: str,
        source: bytes | Path,
        expect: Content | None,
    ) -> None:
        """Write a file that was already located: `root` is the location's real folder. Raises
        ToolError."""
        where = name_place(location, path)
        await self._tidy(location, root)
        temp = f".handheld-{secrets.token_hex(8)}.part"
        try:
            await self._driver.push(source, f"{root}/{temp}")
            await self._driver.commit(location.root, temp, path, expect)
        except InDoubt as doubt:
            await self._settle(location, temp, where, doubt)
        except BaseException as problem:
            await self._discard(location, temp)
            if isinstance(problem, FileChanged):
                raise ActionFailed(
                    f"The file was changed on the phone in the meantime: {where}. Nothing was "
                    "written."
                    " Read it again and repeat the change."
                ) from problem
            if isinstance(problem, LeadsOutside):
                raise leads_outside(where) from problem
            if isinstance(problem, AdbError):
                raise ActionFailed(
                    f"Failed to write file: {where}: {reason_of(problem)} It is as it was."
                ) from problem
            if isinstance(problem, ToolError):
                raise type(problem)(f"Failed to write file: {problem.message}") from problem
            raise

    async def _settle(self, location: Location, temp: str, where: str, doubt: InDoubt) -> None:
        """Find out whether a rename was done during which the connection was lost. It was if the
        temporary file is gone: a helper that answers now is the only one on the phone."""
        try:
            async with self._clock.timeout(TIDY_SECONDS):
                undone = await self._driver.remove(location.root, temp)
        except (ToolError, AdbError, InDoubt, LeadsOutside, TimeoutError):
            self._tidied.discard(location.root)
            raise ActionFailed(
                f"Failed to write file: {where}: {doubt.message} It may or may not be written;"
                " read it before going on."
            ) from doubt
        if undone:
            raise ActionFailed(
                f"Failed to write file: {where}: {doubt.message} It is as it was."
            ) from doubt

    async def _discard(self, location: Location, temp: str) -> None:
        """Remove a temporary file; if that fails, the next write looks for leftovers."""
        self._tidied.discard(location.root)
        with anyio.CancelScope(shield=True):
            try:
                async with self._clock.timeout(TIDY_SECONDS):
                    await self._driver.remove(location.root, temp)
                self._tidied.add(location.root)
            except (ToolError, AdbError, InDoubt, LeadsOutside, TimeoutError):
                return

    async def _tidy(self, location: Location, root: str) -> None:
        """Remove the leftovers of interrupted writes. The caller holds the turn for writes, so no
        temporary file is in use."""
        if location.root in self._tidied:
            return
        try:
            entries = await self._driver.list_folder(root)
            for name in (entry.name for entry in entries):
                if _PART.fullmatch(name):
                    await self._driver.remove(location.root, name)
        except (AdbError, InDoubt, LeadsOutside):
            return
        self._tidied.add(location.root)


async def locate(driver: FileDriver, location: Location, path: str, missing: str) -> Place:
    """Resolve the path; `missing` begins the error message."""
    try:
        return await driver.locate(location.root, path)
    except LeadsOutside as problem:
        raise leads_outside(name_place(location, path)) from problem
    except SyncError as problem:
        raise ActionFailed(f"{missing}: {reason_of(problem)}") from problem


def name_place(location: Location, path: str) -> str:
    return f"{path or '/'} in location '{location.id}'"


def reason_of(problem: AdbError) -> str:
    """Return the reason without the path, which the message already has."""
    text = str(problem)
    return text.removeprefix(f"{problem.path}: ") if isinstance(problem, SyncError) else text


def leads_outside(where: str) -> PermissionDenied:
    return PermissionDenied(f"A link leads out of the storage location: {where}")
