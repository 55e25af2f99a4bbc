"""Copies packages out of the phone's storage locations."""

from stat import S_ISREG

from ...driver.files import AdbError, FileDriver
from ...errors import ActionFailed
from ...screen.text import brief
from ..files.files import Files
from ..files.reported_file import ReportedFile
from .package_files import ENDING, MOST_FILES, Copied, Copies

_SHOWN = 300
_COPYING = "Copying the package from the phone"


async def copy_phone_files(
    files: Files, driver: FileDriver, location_id: str, path: str, copies: Copies
) -> list[Copied]:
    """Copy a file, or all packages in a folder. Raises ToolError."""
    place = await files.place(location_id, path)
    shown = brief(path.rstrip("/").rpartition("/")[2] or location_id, _SHOWN)
    if place.kind == "file":
        return [await _copy(driver, place.path, shown, place.size, copies)]
    if place.kind != "folder":
        raise ActionFailed(f"{shown} is not a file.")
    try:
        entries = await driver.list_folder(place.path)
    except AdbError as problem:
        raise ActionFailed(f"The folder {shown} cannot be listed: {problem}") from problem
    # Links are skipped: they may lead out of the location.
    inside = sorted(
        (entry.name, entry.stat.size)
        for entry in entries
        if entry.name.lower().endswith(ENDING) and S_ISREG(entry.stat.mode)
    )
    if not inside:
        raise ActionFailed(f"The folder {shown} contains no packages (*{ENDING}).")
    if len(inside) > MOST_FILES:
        raise ActionFailed(f"The folder {shown} contains more than {MOST_FILES} packages.")
    return [
        await _copy(driver, f"{place.path}/{name}", brief(name, _SHOWN), size, copies)
        for name, size in inside
    ]


async def _copy(driver: FileDriver, path: str, name: str, size: int, copies: Copies) -> Copied:
    copies.check(name, size)
    target = copies.next()
    try:
        with ReportedFile(target, size, _COPYING) as file:
            size = await driver.pull_to(path, file, limit=copies.left)
    except AdbError as problem:
        raise ActionFailed(f"{name} could not be read: {problem}") from problem
    except OSError as problem:
        raise ActionFailed(
            f"The computer cannot keep a copy of {name}: {problem.strerror}."
        ) from problem
    return copies.made(name, target, size)
