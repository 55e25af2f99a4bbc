"""An Android package: what it declares, its XML resources and who signed it.

with Archive("app.apk", locale="de") as apk:
    print(apk.manifest().label)
"""

import io
from os import PathLike, fspath
from types import TracebackType
from typing import BinaryIO

from .binary_xml import XmlElement, read_xml
from .manifest import Manifest
from .reading import read_manifest
from .resources import SDK, Resources
from .signer import Signer, find_signer
from .zip_file import ZipFile

MANIFEST = "AndroidManifest.xml"
TABLE = "resources.arsc"
XML_MAX = 16 * 1024 * 1024
TABLE_MAX = 128 * 1024 * 1024


class Archive:
    """An APK, read lazily: only the parts that are needed.

    Raises BadApk, here and in every method, when it is invalid.
    """

    def __init__(
        self,
        source: str | PathLike[str] | bytes | BinaryIO,
        *,
        name: str | None = None,
        locale: str | None = None,
        sdk: int = SDK,
    ) -> None:
        """`source` is a path, bytes or an open file; `name` is for error messages.

        Strings of `locale` are preferred; resources for versions above `sdk` are ignored."""
        self._locale, self._sdk = locale, sdk
        self._owned: BinaryIO | None = None
        if isinstance(source, bytes):
            file: BinaryIO = io.BytesIO(source)
        elif isinstance(source, (str, PathLike)):
            name = name or fspath(source)
            file = self._owned = open(source, "rb")  # noqa: SIM115 - closed with the archive
        else:
            file = source
        self.name = name or "the package"
        try:
            self._zip = ZipFile(file, self.name)
        except BaseException:
            self.close()
            raise
        self._resources: Resources | None = None

    def close(self) -> None:
        """Close the file, where it was opened here."""
        if self._owned is not None:
            self._owned.close()

    def __enter__(self) -> "Archive":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def names(self) -> list[str]:
        """Return the names of all files."""
        return self._zip.names

    def read(self, name: str, most: int = XML_MAX) -> bytes:
        """Return a file of at most `most` bytes."""
        return self._zip.read(name, most)

    def copy(self, name: str, target: BinaryIO, most: int) -> int:
        """Write a file of at most `most` bytes to `target`; return its size."""
        return self._zip.copy(name, target, most)

    @property
    def resources(self) -> Resources | None:
        """Return the resource table; None where it has none."""
        if self._resources is None and TABLE in self._zip:
            data = self._zip.read(TABLE, TABLE_MAX)
            self._resources = Resources(data, f"{self.name}: {TABLE}", self._locale, self._sdk)
        return self._resources

    def manifest(self, *, resolved: bool = True) -> Manifest:
        """`resolved`: values that refer to resources are looked up, which reads the whole table;
        otherwise they are `@` and a number."""
        name = f"{self.name}: {MANIFEST}"
        root = read_xml(self._zip.read(MANIFEST, XML_MAX), name)
        return read_manifest(root, self.resources if resolved else None, name)

    def xml(self, resource: int) -> XmlElement | None:
        """Return the XML file of a resource id; None where the resource is not a file."""
        resources = self.resources
        path = None if resources is None else resources.path(resource)
        if path is None or path not in self._zip:
            return None
        return read_xml(self._zip.read(path, XML_MAX), f"{self.name}: {path}")

    def signer(self) -> Signer | None:
        """Return its signer's certificate; None when it is not signed."""
        return find_signer(self._zip, self.name)
