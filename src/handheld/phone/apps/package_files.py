"""Private copies of the files that an app is installed from.

Handheld must send exactly the files that it has examined, but files in the owner's folders or on
the phone may be replaced at any time. So each is opened once and copied.
"""

import errno
import os
import stat
from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ...driver.files import AdbError, FileDriver
from ...errors import ActionFailed, PermissionDenied
from ...screen.text import brief
from ..files.download import MEGABYTE
from ..files.files import Files
from ..files.reported_file import ReportedFile

MOST_FILES = 300
"""The maximum of files of one app: its base, and splits for languages, screens and features."""
ENDING = ".apk"
_CHUNK = 1024 * 1024
_SHOWN = 300
_COPYING = "Copying the package from the phone"


class PackageRules(NamedTuple):
    """The owner's rules for packages."""

    folders: tuple[str, ...] = ()
    """Folders on this computer."""
    size_limit_mb: int = 500

    @property
    def limit(self) -> int:
        return self.size_limit_mb * MEGABYTE


class Copied(NamedTuple):
    """A private copy."""

    name: str
    """The original file's name, for sentences."""
    path: Path
    size: int


class Copies:
    """A private folder, and the space that is left for copies."""

    def __init__(self, folder: Path, rules: PackageRules) -> None:
        self.folder = folder
        self._rules = rules
        self.left = rules.limit
        self._count = 0
        self._closed = False

    def close(self) -> None:
        """Refuse further copies: the call has ended, though one of its threads may still run."""
        self._closed = True

    def check_open(self) -> None:
        """Raises ActionFailed after `close`."""
        if self._closed:
            raise ActionFailed("The call has ended.")

    def next(self) -> Path:
        """Return the path for a new copy. Raises ActionFailed."""
        self.check_open()
        if self._count == MOST_FILES:
            raise ActionFailed(f"An app may have at most {MOST_FILES} parts.")
        self._count += 1
        return self.folder / str(self._count)

    def check(self, name: str, size: int) -> None:
        """Raises ActionFailed for a file that is too large."""
        if size > self.left:
            raise self.too_large(name)

    def too_large(self, name: str) -> ActionFailed:
        return ActionFailed(
            f"{name} is too large: packages may have {self._rules.size_limit_mb} MB in all, packed"
            " and unpacked. The owner changes that with `packages.size_limit_mb`."
        )

    def made(self, name: str, path: Path, size: int) -> Copied:
        self.left -= size
        return Copied(name, path, size)


def copy_host_files(copies: Copies, folders: Sequence[str], path: str) -> list[Copied]:
    """Copy a file in the owner's folders, or all packages in a folder there. Blocks. Raises
    ToolError."""
    shown = brief(path, _SHOWN)
    try:
        with ExitStack() as opened:
            found = opened.enter_context(closing(_open_within(folders, path, opened)))
            return [_copy(copies, name, file) for name, file in found]
    except OSError as problem:
        if problem.errno in (errno.ENOENT, errno.ENOTDIR):
            raise ActionFailed(f"File not found on the computer: {shown}") from problem
        if problem.errno == errno.ENOSPC:
            raise ActionFailed("The computer has no room for a copy of the package.") from problem
        reason = "its links changed" if problem.errno == errno.ELOOP else problem.strerror
        raise ActionFailed(f"{shown} cannot be read on the computer: {reason}.") from problem


def _open_within(
    folders: Sequence[str], path: str, opened: ExitStack
) -> Generator[tuple[str, BinaryIO]]:
    """Open the file component by component from the owner's folder, without following links: the
    real path has none, unless somebody replaces a component right now."""
    root, parts = _find_folder(folders, path)
    number = _open(root, os.O_DIRECTORY, opened)
    for part in parts[:-1]:
        number = _open(part, os.O_DIRECTORY | os.O_NOFOLLOW, opened, number)
    if parts:
        # A pipe would block until somebody writes to it.
        number = _open(parts[-1], os.O_NOFOLLOW | os.O_NONBLOCK, opened, number)
    name = brief(parts[-1] if parts else os.path.basename(root), _SHOWN)
    if not stat.S_ISDIR(os.fstat(number).st_mode):
        yield name, _as_file(number, name)
        return
    inside = sorted(each for each in os.listdir(number) if each.lower().endswith(ENDING))
    if not inside:
        raise ActionFailed(f"The folder {name} contains no packages (*{ENDING}).")
    if len(inside) > MOST_FILES:
        raise ActionFailed(f"The folder {name} contains more than {MOST_FILES} packages.")
    for each in inside:
        # One at a time: the whole server shares a limited number of open files.
        with ExitStack() as now:
            file = _open(each, os.O_NOFOLLOW | os.O_NONBLOCK, now, number)
            yield brief(each, _SHOWN), _as_file(file, brief(each, _SHOWN))


def _find_folder(folders: Sequence[str], path: str) -> tuple[str, list[str]]:
    """Return the real path of the owner's folder that contains the path, and the components below
    it. Raises PermissionDenied, with the same message for missing files as for files elsewhere."""
    if not folders:
        raise PermissionDenied(
            "Files on the computer cannot be installed: its owner has not named a folder for that "
            "in"
            " the setting `packages.folders`. A package in a storage location of the phone can be"
            " installed."
        )
    if path.startswith("/"):
        # Not a valid path: it contains NUL, or half a character.
        with suppress(ValueError):
            real = os.path.realpath(path)
            for folder in folders:
                root = os.path.realpath(os.path.expanduser(folder))
                below = os.path.relpath(real, root)
                if below != ".." and not below.startswith("../"):
                    return root, [part for part in below.split("/") if part not in ("", ".")]
    names = ", ".join(brief(folder, _SHOWN) for folder in folders)
    raise PermissionDenied(
        f"'{brief(path, _SHOWN)}' is in none of the folders of the computer that its owner has"
        f" named for packages: {names}."
    )


def _open(path: str, flags: int, opened: ExitStack, folder: int | None = None) -> int:
    number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | flags, dir_fd=folder)
    opened.callback(os.close, number)
    return number


def _as_file(number: int, name: str) -> BinaryIO:
    if not stat.S_ISREG(os.fstat(number).st_mode):
        raise ActionFailed(f"{name} is not a file.")
    return open(number, "rb", closefd=False)


def _copy(copies: Copies, name: str, file: BinaryIO) -> Copied:
    copies.check(name, os.fstat(file.fileno()).st_size)
    path, size = copies.next(), 0
    with path.open("xb") as target:
        while data := file.read(min(_CHUNK, copies.left - size + 1)):
            copies.check_open()
            size += len(data)
            if size > copies.left:
                raise copies.too_large(name)
            target.write(data)
    return copies.made(name, path, size)


async def copy_phone_files(
    files: Files, driver: FileDriver, location_id: str, path: str, copies: Copies
) -> list[Copied]:
    """Copy a file, or all packages in a folder. Raises ToolError."""
    place = await files.place(location_id, path)
    shown = brief(path.rstrip("/").rpartition("/")[2] or location_id, _SHOWN)
    if place.kind == "file":
        return [await _copy_from_phone(driver, place.path, shown, place.size, copies)]
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
        if entry.name.lower().endswith(ENDING) and stat.S_ISREG(entry.stat.mode)
    )
    if not inside:
        raise ActionFailed(f"The folder {shown} contains no packages (*{ENDING}).")
    if len(inside) > MOST_FILES:
        raise ActionFailed(f"The folder {shown} contains more than {MOST_FILES} packages.")
    return [
        await _copy_from_phone(driver, f"{place.path}/{name}", brief(name, _SHOWN), size, copies)
        for name, size in inside
    ]


async def _copy_from_phone(
    driver: FileDriver, path: str, name: str, size: int, copies: Copies
) -> Copied:
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
