"""Files in a phone's storage locations: permissions and operations.

The caller holds the phone's turn during changes.
"""

import asyncio
import hashlib
import shlex
import tempfile
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import Any, NamedTuple, TypeVar

from ...clock import Clock
from ...driver.files import (
    AdbError,
    Content,
    FileDriver,
    InDoubt,
    LeadsOutside,
    Place,
    RemoteEntry,
    SyncError,
)
from ...errors import ActionFailed, InvalidParams, PermissionDenied, ToolError
from ...screen.text import brief
from .download import MEGABYTE, DownloadRules, Resolve, fetch
from .file_writer import FileWriter, leads_outside, locate, name_place, reason_of
from .name_lookup import NameLookup
from .paths import clean_file_path, clean_path, mime_type
from .storage import Location, StorageError, StorageFile
from .text_file import LARGE, TextFile, is_text

_IS_FOLDER = 21
"""Linux's EISDIR."""

Fetched = TypeVar("Fetched")


class FileRow(NamedTuple):
    """A file or folder in a listing."""

    name: str
    path: str
    """Relative to the location."""
    is_directory: bool
    size: int
    last_modified: int | None
    """Milliseconds since 1970."""
    mime_type: str | None


class Files:
    """The files of one phone."""

    def __init__(
        self,
        driver: FileDriver,
        clock: Clock,
        storage: StorageFile,
        names: Collection[str] = (),
        rules: DownloadRules | None = None,
        *,
        resolve: Resolve | None = None,
    ) -> None:
        """`names` are the names that locations may use for the phone."""
        self._driver = driver
        self._clock = clock
        self._storage = storage
        self._names = frozenset(names)
        self._rules = rules or DownloadRules()
        self._resolve = resolve or NameLookup()
        self._writer = FileWriter(driver, clock)
        self._roots: dict[str, str] = {}
        """The last known real folders of locations: guesses, which are always verified."""

    @property
    def size_limit(self) -> int:
        return self._rules.size_limit_mb * MEGABYTE

    async def locations(self) -> list[tuple[Location, int | None]]:
        """Return every location with its free bytes, None if unknown."""
        found: list[tuple[Location, int | None]] = []
        try:
            for location in self._storage.of(self._names):
                available = None
                # A missing SD card must not hide the other locations.
                with suppress(SyncError, LeadsOutside):
                    available = (await self._driver.locate(location.root, "")).available
                found.append((location, available))
        except StorageError as problem:
            raise ActionFailed(f"Failed to list storage locations: {problem}") from problem
        except ToolError as problem:
            raise type(problem)(f"Failed to list storage locations: {problem.message}") from problem
        return found

    # Reading.

    async def list(self, location_id: str, path: str) -> list[FileRow]:
        """Return folders first, then sorted by name, ignoring case."""
        path = clean_path(path)
        location = self._location(location_id)
        where = name_place(location, path)

        def check(place: Place) -> None:
            if place.kind is None:
                raise ActionFailed(f"Directory not found: {where}")
            if place.kind != "folder":
                raise ActionFailed(f"Path is not a directory: {where}")

        missing = f"Directory not found: {where}"
        try:
            entries, _ = await self._fetch(location, path, missing, check, self._driver.list_folder)
        except AdbError as problem:
            raise ActionFailed(f"Failed to list files: {problem}") from problem
        rows = [await self._row(location, path, entry) for entry in entries]
        return sorted(rows, key=lambda row: (not row.is_directory, row.name.casefold(), row.name))

    async def _row(self, location: Location, folder: str, entry: RemoteEntry) -> FileRow:
        name, stat = entry
        path = f"{folder}/{name}" if folder else name
        is_folder, size = S_ISDIR(stat.mode), stat.size if S_ISREG(stat.mode) else 0
        if S_ISLNK(stat.mode):
            # A broken link, or one that leads out of the location, is listed as an empty file.
            with suppress(SyncError, LeadsOutside):
                place = await self._driver.locate(location.root, path)
                is_folder, size = place.kind == "folder", place.size
        return FileRow(
            name,
            path,
            is_folder,
            0 if is_folder else size,
            stat.mtime * 1000 if stat.mtime else None,
            None if is_folder else mime_type(name),
        )

    async def place(self, location_id: str, path: str) -> Place:
        """Resolve a path in a location. Raises ToolError."""
        location, path = self._location(location_id), clean_path(path)
        missing = f"File not found: {name_place(location, path)}"
        place = await locate(self._driver, location, path, missing)
        if place.kind is None:
            raise ActionFailed(missing)
        return place

    async def exists(self, location_id: str, path: str) -> bool:
        """Return whether something exists at the path; True if unknown."""
        try:
            location, path = self._location(location_id), clean_file_path(path)
        except ToolError:
            return False  # actions there fail anyway
        try:
            return (await self._driver.locate(location.root, path)).kind is not None
        except (ToolError, AdbError, LeadsOutside):
            return True

    async def read(
        self, location_id: str, path: str, show: Callable[[TextFile], Fetched]
    ) -> Fetched:
        """Return the result of `show` for a text file."""
        path = clean_file_path(path)
        location = self._location(location_id)
        data, _ = await self._pull(location, path)

        def examine() -> Fetched:
            _require_text(data, path)
            return show(TextFile(data))

        return await _beside(examine, len(data))

    async def _pull(self, location: Location, path: str) -> tuple[bytes, Place]:
        where = name_place(location, path)

        def check(place: Place) -> None:
            if place.kind is None:
                raise ActionFailed(f"File not found: {where}")
            if place.kind != "file":
                raise ActionFailed(f"Path is not a file: {where}")
            if place.size > self.size_limit:
                raise ActionFailed(
                    f"File size ({place.size} bytes) exceeds the configured limit of"
                    f" {self._rules.size_limit_mb} MB."
                )

        async def fetch(path: str) -> bytes:
            return await self._driver.pull(path, limit=self.size_limit)

        try:
            return await self._fetch(location, path, f"File not found: {where}", check, fetch)
        except AdbError as problem:
            raise ActionFailed(f"Failed to read file: {problem}") from problem

    async def _fetch(
        self,
        location: Location,
        path: str,
        missing: str,
        check: Callable[[Place], None],
        fetch: Callable[[str], Coroutine[Any, Any, Fetched]],
    ) -> tuple[Fetched, Place]:
        """Locate and fetch at the same time, from the expected path. The data is used only if that
        is the real path; if `check` raises, it is discarded. Raises AdbError."""
        root = self._roots.get(location.root)
        guess = None if root is None else f"{root}/{path}".removesuffix("/")
        early = None if guess is None else asyncio.create_task(fetch(guess))
        try:
            place = await locate(self._driver, location, path, missing)
            check(place)
            self._roots[location.root] = place.root
            if early is not None and place.path == guess:
                with suppress(AdbError):  # the phone reconnected after the early fetch failed
                    return await early, place
            return await fetch(place.path), place
        finally:
            if early is not None:
                early.cancel()
                await asyncio.gather(early, return_exceptions=True)

    # Changing.

    async def write(self, location_id: str, path: str, content: str) -> str:
        """Write the content; return the cleaned path."""
        return await self.put(location_id, path, _encode("content", content))

    async def append(self, location_id: str, path: str, content: str) -> str:
        path = clean_file_path(path)
        data = _encode("content", content)
        location = self._writable(location_id)
        old, place = await self._pull(location, path)
        if place.size + len(data) > self.size_limit:
            raise ActionFailed(
                "Appending this content would exceed the configured file size limit of"
                f" {self._rules.size_limit_mb} MB. Current file size: {place.size} bytes,"
                f" content to append: {len(data)} bytes."
            )
        expected = await _beside(lambda: _content(old), len(old))
        await self._writer.put_in(place.root, location, path, old + data, expected)
        return path

    async def replace(
        self, location_id: str, path: str, old: str, new: str, every: bool
    ) -> tuple[str, int]:
        """Replace text; return the cleaned path and the number of replacements."""
        path = clean_file_path(path)
        sought, given = _encode("old_string", old), _encode("new_string", new)
        location = self._writable(location_id)
        data, place = await self._pull(location, path)

        def edit() -> tuple[bytes, int, Content]:
            _require_text(data, path)
            count = data.count(sought)
            if not count:
                raise ActionFailed(f"old_string not found in file: {path}. {_advice(data, sought)}")
            count = count if every else 1
            # Checked in advance: the result may be as large as the product of both.
            self._check_size(len(data) + count * (len(given) - len(sought)))
            return data.replace(sought, given, count), count, _content(data)

        changed, count, content = await _beside(edit, len(data))
        await self._writer.put_in(place.root, location, path, changed, content)
        return path, count

    async def delete(self, location_id: str, path: str) -> str:
        path = clean_path(path)
        location = self._location(location_id)
        if not location.allow_delete:
            raise PermissionDenied(_forbidden("Delete", location))
        where = name_place(location, path)
        folder = ActionFailed(
            f"Cannot delete a directory. Only single files can be deleted. Path: {where}"
        )
        if not path:
            raise folder
        try:
            if not await self._driver.remove(location.root, path):
                raise ActionFailed(f"File not found: {where}")
        except LeadsOutside as problem:
            raise leads_outside(where) from problem
        except SyncError as problem:
            if problem.errno == _IS_FOLDER:
                raise folder from problem
            raise ActionFailed(f"Failed to delete file: {where}: {reason_of(problem)}") from problem
        except InDoubt as doubt:
            raise ActionFailed(
                f"Failed to delete file: {where}: {doubt.message} It may or may not be deleted;"
                " list the folder before going on."
            ) from doubt
        return path

    async def download(
        self,
        location_id: str,
        path: str,
        url: str,
        acting: Callable[[], AbstractAsyncContextManager[None]],
    ) -> str:
        """Download to this computer, then write to the phone, whose turn is held only for the
        write."""
        path = clean_file_path(path)
        location = self._writable(location_id)
        with tempfile.TemporaryDirectory(prefix="handheld-") as folder:
            file = Path(folder, "download")
            await fetch(url, file, self._rules, self._clock, resolve=self._resolve)
            async with acting():
                await self._writer.put(location, path, file)
        return path

    def check_writable(self, location_id: str, path: str) -> tuple[Location, str]:
        """Return the location and path of a write. Raises ToolError if `put` is already known to
        fail."""
        path = clean_file_path(path)
        return self._writable(location_id), path

    async def put(self, location_id: str, path: str, source: bytes | Path) -> str:
        """Write these bytes, or a file on this computer; return the cleaned path."""
        location, path = self.check_writable(location_id, path)
        self._check_size(_measure(source))
        await self._writer.put(location, path, source)
        return path

    # Shared by reading and writing.

    def split(self, path: str) -> tuple[str, str]:
        """Split a path into a location's id and the path in it. Ids contain slashes, and one may
        be a prefix of another. If no id matches, the first part counts as the id."""
        for id in sorted((location.id for location in self._known()), key=len, reverse=True):
            if path == id or path.startswith(f"{id}/"):
                return id, path[len(id) + 1 :]
        location, _, rest = path.partition("/")
        return location, rest

    def _known(self) -> Sequence[Location]:
        try:
            return self._storage.of(self._names)
        except StorageError as problem:
            raise ActionFailed(str(problem)) from problem

    def _location(self, id: str) -> Location:
        for location in self._known():
            if location.id == id:
                return location
        raise ActionFailed(
            f"Storage location '{brief(id, 300)}' not found. list_storage_locations has the"
            " ids; the phone's owner adds one with `handheld storage add`."
        )

    def _writable(self, id: str) -> Location:
        location = self._location(id)
        if not location.allow_write:
            raise PermissionDenied(_forbidden("Write", location))
        return location

    def _check_size(self, size: int) -> None:
        if size > self.size_limit:
            raise ActionFailed(
                "Content size exceeds the configured file size limit of"
                f" {self._rules.size_limit_mb} MB."
            )


def _forbidden(what: str, location: Location) -> str:
    words = ["handheld", "storage", "add", location.id, f"--allow-{what.lower()}"]
    words += ["--for", location.phone] if location.phone else []
    return (
        f"{what} not allowed in '{location.id}'. The phone's owner allows it with"
        f" `{shlex.join(words)}`."
    )


async def _beside(work: Callable[[], Fetched], size: int) -> Fetched:
    """Do the work in a thread if it concerns so many bytes that it would block others."""
    return work() if size <= LARGE else await asyncio.to_thread(work)


def _require_text(data: bytes, path: str) -> None:
    if not is_text(data):
        raise ActionFailed(f"File is not a text file: {path}")


def _measure(source: bytes | Path) -> int:
    return len(source) if isinstance(source, bytes) else source.stat().st_size


def _encode(name: str, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InvalidParams(
            f"Parameter '{name}' has a lone surrogate (half a character), which no text file can"
            " hold"
        ) from None


def _content(data: bytes) -> Content:
    return Content(len(data), hashlib.sha256(data).hexdigest())


def _advice(data: bytes, sought: bytes) -> str:
    if b"\n" in sought and sought.replace(b"\n", b"\r\n") in data:
        return "The file's lines end in CRLF: write \\r\\n in old_string."
    if b"\xe2\x9f\xa8U+" in sought:
        return "⟨U+2028⟩ stands for the character itself: send that character."
    return "Read it again and copy the string exactly."
