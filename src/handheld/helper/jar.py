"""The jar that is pushed to a phone, and the names that follow from its content."""

import hashlib
import io
import shlex
import zipfile
from dataclasses import dataclass
from functools import cached_property

from .. import __version__
from .protocol import JAR_FOLDER, MAIN_CLASS

CODE_ENTRY = "classes.dex"
_README = """\
This jar holds no code yet: real phones have nothing to run in it.
A virtual phone starts its own helper in its place.
"""


@dataclass(frozen=True)
class Jar:
    """The helper's program as bytes."""

    data: bytes

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def build(self) -> str:
        """What the helper says of itself in HELLO."""
        return self.sha256[:16]

    @property
    def path(self) -> str:
        return f"{JAR_FOLDER}/handheld-helper-{self.build}.jar"

    @cached_property
    def has_code(self) -> bool:
        """Whether a real phone can run it."""
        with zipfile.ZipFile(io.BytesIO(self.data)) as archive:
            return CODE_ENTRY in archive.namelist()

    def start_command(self, *, host: str, pid: int, client: str) -> str:
        """The shell command that runs it, naming who starts it."""
        words = [f"host={host}", f"pid={pid}", f"client={client}"]
        holder = " ".join(shlex.quote(word) for word in words)
        program = f"app_process / --nice-name=handheld {MAIN_CLASS}"
        return f"CLASSPATH={self.path} exec {program} {holder}"


def build_jar() -> Jar:
    """The same bytes every time, so that a phone that has them is not sent them again."""
    manifest = f"Manifest-Version: 1.0\r\nCreated-By: Handheld {__version__}\r\n\r\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, text in (("META-INF/MANIFEST.MF", manifest), ("README", _README)):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3
            archive.writestr(entry, text)
    return Jar(buffer.getvalue())
