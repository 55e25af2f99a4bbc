"""Storage locations: the folders on phones that tools may read, and write to if allowed.

They are stored in `storage.toml`, which is written as a whole and reread after changes. An id is
`authority/tree document id`, the form in which Android's document providers name folders.
"""

import json
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, cast

from ...screen.text import units
from ...settings.private_file import write_private
from ...settings.toml_parsing import parse_toml

EXTERNAL = "com.android.externalstorage.documents"
DOWNLOADS = "com.android.providers.downloads.documents"
EXAMPLE = f"{EXTERNAL}/primary:Download"

DESCRIPTION_LIMIT = 500
NAME_LIMIT = 100
ID_LIMIT = 1000
LOCATIONS_LIMIT = 200
FILE_LIMIT = 1024 * 1024

_VOLUME = re.compile(r"primary|home|[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]+){4}")
_AUTHORITY = re.compile(r"[A-Za-z]\w*(\.\w+)+", re.ASCII)
"""The authority of a content provider, such as `com.example.cloud.documents`."""
_ADVICE = f"Write it as in {EXAMPLE}"


class StorageError(Exception):
    """A location or the file of locations is invalid. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class Location:
    """A folder on a phone, with its permissions."""

    id: str
    phone: str = ""
    """The serial of its phone; empty for all phones."""
    name: str = ""
    description: str = ""
    allow_write: bool = False
    allow_delete: bool = False

    @property
    def root(self) -> str:
        """`<volume>:<folder>`, with the folder relative to the volume."""
        authority, _, document = self.id.partition("/")
        if authority == DOWNLOADS:
            return "primary:Download"
        volume, _, folder = document.partition(":")
        if volume == "home":
            return f"primary:Documents/{folder}".rstrip("/")
        return f"{volume}:{folder}"

    @property
    def path(self) -> str:
        """The folder's path for users."""
        return "/" + self.root.partition(":")[2]

    @property
    def title(self) -> str:
        volume, _, folder = self.root.partition(":")
        own = folder.rpartition("/")[2]
        return self.name or own or ("Internal Storage" if volume == "primary" else volume)


class StorageFile:
    """`storage.toml`."""

    def __init__(self, file: Path, offered: Sequence[Location] = ()) -> None:
        """`offered` locations exist unless the file has its own entries for them."""
        self.file = file
        self._offered = offered
        self._seen: tuple[int, int, int] | None = None
        self._locations: tuple[Location, ...] = ()

    def all(self) -> tuple[Location, ...]:
        """Return the locations in order of addition. Raises StorageError."""
        stored = self._stored()
        known = {(location.id, location.phone) for location in stored}
        return (*(one for one in self._offered if (one.id, one.phone) not in known), *stored)

    def _stored(self) -> tuple[Location, ...]:
        try:
            stat = self.file.stat()
        except FileNotFoundError:
            self._seen, self._locations = None, ()
            return ()
        except OSError as problem:
            raise StorageError(f"{self.file} cannot be read: {problem.strerror}.") from None
        seen = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        if seen != self._seen:
            self._locations = self._read()
            self._seen = seen
        return self._locations

    def of(self, names: Collection[str]) -> list[Location]:
        """Return the locations of the phone with these names. Entries for the phone itself win."""
        found: dict[str, Location] = {}
        for location in self.all():
            if location.phone in names or (not location.phone and location.id not in found):
                found[location.id] = location
        return list(found.values())

    def put(self, id: str, phone: str = "", **changes: Any) -> tuple[Location, bool]:
        """Add or change the location; also return whether it is new. Raises StorageError."""
        known = {(location.id, location.phone): location for location in self.all()}
        old = known.get((id, phone))
        fresh = Location(id, phone, **changes) if old is None else replace(old, **changes)
        check(fresh)
        stored = {(location.id, location.phone): location for location in self._stored()}
        stored[id, phone] = fresh
        self._write([*stored.values()])
        return fresh, old is None

    def remove(self, id: str, phone: str = "") -> Location:
        locations = list(self._stored())
        for location in locations:
            if (location.id, location.phone) == (id, phone):
                locations.remove(location)
                self._write(locations)
                return location
        if any((location.id, location.phone) == (id, phone) for location in self._offered):
            raise StorageError(
                f"{id} is offered by the running Handheld, not by the file, and ends when that is"
                " stopped."
            )
        others = [location for location in locations if location.id == id]
        if others:
            places = " or ".join(
                f"--for {other.phone}" if other.phone else "no --for" for other in others
            )
            raise StorageError(f"{id} belongs to another phone: use {places}.")
        raise StorageError(f"There is no location {id!r}. `handheld storage list` shows them.")

    def _read(self) -> tuple[Location, ...]:
        try:
            with self.file.open("rb") as stream:
                data = stream.read(FILE_LIMIT + 1)
        except OSError as problem:
            raise StorageError(f"{self.file} cannot be read: {problem.strerror}.") from None
        if len(data) > FILE_LIMIT:
            raise StorageError(f"{self.file} is larger than {FILE_LIMIT} bytes.")
        try:
            tree = parse_toml(data.decode())
        except ValueError as problem:
            raise StorageError(f"{self.file} is not valid TOML: {problem}.") from None
        return tuple(_locations(tree, self.file))

    def _write(self, locations: Sequence[Location]) -> None:
        if len(locations) > LOCATIONS_LIMIT:
            raise StorageError(f"There can be {LOCATIONS_LIMIT} locations at most.")
        text = "".join(_entry(location) for location in locations)
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(self.file, text.encode())
        except OSError as problem:
            raise StorageError(f"{self.file} cannot be written: {problem.strerror}.") from None


def check(location: Location) -> None:
    """Raises StorageError that states what is wrong."""
    _check_id(location.id)
    for field, value, limit in (
        ("name", location.name, NAME_LIMIT),
        ("description", location.description, DESCRIPTION_LIMIT),
        ("phone", location.phone, 256),
    ):
        if not _is_plain(value):
            raise StorageError(f"The {field} of {location.id} contains control characters.")
        length = units(value)
        if length > limit:
            raise StorageError(
                f"The {field} of {location.id} has {length} characters; the maximum is {limit}."
            )


def _check_id(id: str) -> None:
    if not _is_plain(id) or len(id) > ID_LIMIT:
        raise StorageError(
            f"A location's id contains control characters or more than {ID_LIMIT} characters."
            f" {_ADVICE}."
        )
    authority, _, document = id.partition("/")
    if authority == DOWNLOADS:
        if document != "downloads":
            raise StorageError(
                f"{id!r} is not a storage location: adb can reach only {DOWNLOADS}/downloads"
                " of that provider."
            )
        return
    if document and authority != EXTERNAL and _AUTHORITY.fullmatch(authority):
        raise StorageError(
            f"{id!r} cannot be offered: Android opens the files of {authority} only to apps for"
            " which the phone's owner has chosen a folder. Every release refuses adb's shell user,"
            " whose permissions Handheld has. Copy the files to a folder of the phone's own"
            f" storage and offer that, such as {EXAMPLE}."
        )
    volume, colon, folder = document.partition(":")
    if authority != EXTERNAL or not colon or not _VOLUME.fullmatch(volume):
        raise StorageError(
            f"{id!r} is not a storage location. {_ADVICE}; a card has its UUID instead of primary."
        )
    if folder and any(part in ("", ".", "..") for part in folder.split("/")):
        raise StorageError(
            f"{id!r} must name its folder without empty parts, `.` or `..`. {_ADVICE}."
        )


def _is_plain(text: str) -> bool:
    return not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in text)


def _locations(tree: dict[str, Any], file: Path) -> Sequence[Location]:
    for key in tree:
        if key != "location":
            raise StorageError(
                f"{file} has an unknown key {key!r}. It contains [[location]] tables."
            )
    tables = tree.get("location", [])
    if not isinstance(tables, list):
        raise StorageError(f"{file}: `location` must be [[location]] tables.")
    if len(cast("list[Any]", tables)) > LOCATIONS_LIMIT:
        raise StorageError(f"{file} has more than {LOCATIONS_LIMIT} locations.")
    found: list[Location] = []
    kinds = {item.name: bool if item.name.startswith("allow") else str for item in fields(Location)}
    for number, table in enumerate(cast("list[Any]", tables), 1):
        where = f"Location {number} in {file}"
        if not isinstance(table, dict):
            raise StorageError(f"{where} must be a table.")
        values = cast("dict[str, Any]", table)
        for key, value in values.items():
            if key not in kinds:
                raise StorageError(f"{where} has an unknown key {key!r}.")
            if type(value) is not kinds[key]:
                wanted = "true or false" if kinds[key] is bool else "a text"
                raise StorageError(f"{where}: {key} must be {wanted}, not {value!r}.")
        if "id" not in values:
            raise StorageError(f"{where} has no id. {_ADVICE}.")
        location = Location(**values)
        try:
            check(location)
        except StorageError as problem:
            raise StorageError(f"{where}: {problem}") from None
        if any((other.id, other.phone) == (location.id, location.phone) for other in found):
            raise StorageError(f"{where}: {location.id} is there twice for the same phone.")
        found.append(location)
    return found


def _entry(location: Location) -> str:
    lines = ["[[location]]"]
    for item in fields(Location):
        value = getattr(location, item.name)
        # Locations have no control characters, so JSON strings are valid TOML.
        if value != "":
            lines.append(f"{item.name} = {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines) + "\n\n"
