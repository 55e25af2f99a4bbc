"""The commands about files: `locate`, `commit`, `remove`.

adb's sync service transfers the content, to and from the paths that `locate` returns.
"""

import asyncio
import errno
import hashlib
import re
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from handheld.helper.protocol import Code, HelperFailure

from ...files.media import Refused
from ...files.tree import FileTree
from ..protocol.command import WRITER, Answer, bad, check_keys

if TYPE_CHECKING:
    from ..helper import Helper
    from ..protocol.job import Job

_VOLUME = re.compile(r"primary|[0-9A-Fa-f-]{4,36}")
_TEMPORARY = re.compile(r"\.handheld-[0-9a-f]{16}\.part")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_USER = 0
SCAN_MS = 2000
"""The time limit for the media index to scan a file."""


def check_locate(arguments: dict[str, Any]) -> None:
    _check_place(arguments, "root", "path")


async def locate(helper: "Helper", job: "Job") -> Answer:
    files, arguments = helper.files, job.arguments
    try:
        root, path = _place(files, arguments)
        kind, size = _kind(files, path)
        if kind is None and arguments["path"]:
            _parents(files, root, path)
    except OSError as problem:
        raise _failed(problem) from problem
    available = max(0, files.capacity - files.used)
    return Answer({"root": root, "path": path, "kind": kind, "size": size, "available": available})


def check_commit(arguments: dict[str, Any]) -> None:
    _check_place(arguments, "root", "path", "temp", "expect")
    if not arguments["path"]:
        raise bad("`path` is empty.")
    temp, expect = arguments["temp"], arguments["expect"]
    if not isinstance(temp, str) or not _TEMPORARY.fullmatch(temp):
        raise bad("`temp` is not .handheld-<16 hex digits>.part.")
    if expect is None:
        return
    if not isinstance(expect, dict):
        raise bad("`expect` is not null or an object.")
    wanted = cast("dict[str, Any]", expect)
    if wanted.keys() != {"size", "sha256"}:
        raise bad("`expect` does not have exactly these keys: sha256, size.")
    size, digest = wanted["size"], wanted["sha256"]
    if type(size) is not int or size < 0:
        raise bad("`expect.size` is not a number from 0.")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise bad("`expect.sha256` is not 64 hex digits.")


async def commit(helper: "Helper", job: "Job") -> Answer:
    files, arguments = helper.files, job.arguments
    expect: dict[str, Any] | None = arguments["expect"]
    try:
        root, path = _place(files, arguments)
        temp = f"{root}/{arguments['temp']}"
        files.stat(temp, follow=False)
        kind, size = _kind(files, path)
        if kind == "folder":
            raise OSError(errno.EISDIR, "Is a directory", path)
        if expect is not None:
            if kind != "file" or size != expect["size"]:
                raise _changed()
            if hashlib.sha256(files.read(path)).hexdigest() != expect["sha256"]:
                raise _changed()
        for folder in _parents(files, root, path):
            files.make_folder(folder)
        files.rename(temp, path)
        # Sync has set the host's time, but files on the phone have the phone's time.
        with suppress(OSError):
            files.set_time(path, files.now())
    except OSError as problem:
        raise _failed(problem) from problem
    await _scan(helper, job, path)
    return Answer()


def check_remove(arguments: dict[str, Any]) -> None:
    _check_place(arguments, "root", "path")
    if not arguments["path"]:
        raise bad("`path` is empty.")


async def remove(helper: "Helper", job: "Job") -> Answer:
    files, arguments = helper.files, job.arguments
    try:
        _, path = _place(files, arguments)
        if _kind(files, path)[0] == "folder":
            raise OSError(errno.EISDIR, "Is a directory", path)
        # The link is removed, not its target.
        above, _, name = str(arguments["path"]).rpartition("/")
        _, folder = _place(files, {**arguments, "path": above})
        try:
            files.remove(f"{folder}/{name}")
        except FileNotFoundError:
            return Answer({"removed": False})
    except OSError as problem:
        raise _failed(problem) from problem
    await _scan(helper, job, f"{folder}/{name}")
    return Answer({"removed": True})


async def _scan(helper: "Helper", job: "Job", path: str) -> None:
    """Notify the media index, which galleries read. The file operation has already succeeded, so a
    failure here is only logged."""
    if path.rpartition("/")[2].startswith("."):
        return  # hidden from galleries, as are temporary files
    world = helper.world
    try:
        if world.media.hangs and helper.scan_hangs:
            reason = "it has not answered for another one"
        elif world.media.hangs:
            helper.scan_hangs = True
            await job.wait(world.clock.sleep(SCAN_MS))
            reason = "it did not answer in time"
        elif world.media.scan(path) is None and _kind(helper.files, path)[0] is not None:
            reason = "the media provider did not take it"
        else:
            return
    except Refused as refusal:
        reason = str(refusal)
    except asyncio.CancelledError:
        if job.stopped is None:
            raise
        return  # the file is in place, so the call succeeds
    message = f"The media index does not know of a file yet: {reason}."
    world.logs.write(WRITER, "W", "Handheld", message)


def _check_place(arguments: dict[str, Any], *keys: str) -> None:
    check_keys(arguments, *keys)
    root, path = arguments["root"], arguments["path"]
    if not isinstance(root, str) or not isinstance(path, str):
        raise bad("`root` or `path` is not a string.")
    volume, colon, folder = root.partition(":")
    if not colon or not _VOLUME.fullmatch(volume):
        raise bad("`root` is not <volume>:<folder>.")
    for name, value in (("root", folder), ("path", path)):
        if value and any(part in ("", ".", "..") for part in value.split("/")):
            raise bad(f"`{name}` has empty parts, `.` or `..`.")
        if "\0" in value:
            raise bad(f"`{name}` holds a NUL.")


def _place(files: FileTree, arguments: dict[str, Any]) -> tuple[str, str]:
    """Resolve the folder, which must exist, and the path in it."""
    volume, _, folder = str(arguments["root"]).partition(":")
    mount = f"/storage/emulated/{_USER}" if volume == "primary" else f"/storage/{volume}"
    root = files.real_path(f"{mount}/{folder}")
    if not stat.S_ISDIR(files.stat(root).mode):
        raise OSError(errno.ENOTDIR, "Not a directory", root)
    path = files.real_path(f"{root}/{arguments['path']}")
    if path != root and not path.startswith(f"{root}/"):
        raise HelperFailure(Code.OUTSIDE, "A link leads out of the folder.")
    return root, path


def _kind(files: FileTree, path: str) -> tuple[str | None, int]:
    try:
        found = files.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None, 0
    if stat.S_ISDIR(found.mode):
        return "folder", 0
    return ("file", found.size) if stat.S_ISREG(found.mode) else ("other", 0)


def _parents(files: FileTree, root: str, path: str) -> list[str]:
    """Return the missing folders above `path`, outermost first."""
    missing: list[str] = []
    folder = path.rpartition("/")[0]
    while folder != root:
        kind, _ = _kind(files, folder)
        if kind == "folder":
            break
        if kind is not None:
            raise OSError(errno.ENOTDIR, "Not a directory", folder)
        missing.insert(0, folder)
        folder = folder.rpartition("/")[0]
    return missing


def _changed() -> HelperFailure:
    return HelperFailure(Code.CHANGED, "The file is not what it was.")


def _failed(problem: OSError) -> HelperFailure:
    data = {"errno": problem.errno or errno.EIO}
    return HelperFailure(Code.FILE_FAILED, problem.strerror or "The file failed.", data=data)
