"""A client's configuration file: read as it is, replaced as a whole, and kept as it was before."""

import hashlib
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ...settings.private_file import private_folder, write_private

MOST_BYTES = 32 * 1024 * 1024
"""Claude Code keeps more than settings in its file, and that grows."""
MOST_IN_PROJECT = 1024 * 1024
"""Of a project's file, which somebody else may have written to keep us busy."""
_BOM = "\ufeff"


class FileError(Exception):
    """The file cannot be used. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class ClientFile:
    """A file as it was read."""

    path: Path
    """What it is called."""
    target: Path
    """The same without symbolic links."""
    data: bytes | None
    """None where it does not exist."""
    mode: int = 0o600

    @property
    def text(self) -> str:
        """Raises FileError."""
        try:
            return (self.data or b"").decode().removeprefix(_BOM)
        except UnicodeDecodeError:
            raise FileError(f"{self.path} is not UTF-8. Nothing was written.") from None

    def encoded(self, text: str) -> bytes:
        """The text as bytes, with the mark at the beginning that the file had."""
        return (_BOM + text if (self.data or b"").startswith(_BOM.encode()) else text).encode()

    def kept_in(self, folder: Path) -> Path:
        """Where the copy of this file is, in the folder of copies."""
        return folder / f"{hashlib.sha256(bytes(self.target)).hexdigest()[:12]}-{self.target.name}"

    def noted_address(self, folder: Path) -> str:
        """The address of the server that was installed in this file; empty if none is noted."""
        try:
            return self._note_in(folder).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return ""

    def note_address(self, address: str, folder: Path) -> None:
        """Without the note, which may fail, an address is known by its path alone."""
        note = self._note_in(folder)
        with suppress(OSError):
            if address:
                private_folder(folder)
                write_private(note, address.encode())
            else:
                note.unlink(missing_ok=True)

    def _note_in(self, folder: Path) -> Path:
        copy = self.kept_in(folder)
        return copy.with_name(f"{copy.name}.address")


def read_file(path: Path, project: Path | None = None) -> ClientFile:
    """With `project`, a file below that folder, to which no symbolic link may lead elsewhere: who
    wrote the project is not always who runs this. Raises FileError."""
    try:
        target = path.resolve()
        if project is not None and not target.is_relative_to(project.resolve()):
            raise FileError(f"{path} leads to {target}, outside of the project. Nothing was done.")
        if not target.exists():
            if path.is_symlink():
                raise FileError(f"{path} is a link to {target}, which does not exist.")
            return ClientFile(path, target, None)
        about = target.stat()
        if not stat.S_ISREG(about.st_mode):
            raise FileError(f"{path} is not a file.")
        most = MOST_BYTES if project is None else MOST_IN_PROJECT
        if about.st_size > most:
            raise FileError(f"{path} is larger than {most} bytes.")
        return ClientFile(path, target, target.read_bytes(), stat.S_IMODE(about.st_mode))
    except (OSError, RuntimeError) as problem:  # a loop of links is a RuntimeError up to 3.12
        raise FileError(f"{path} cannot be read: {_reason(problem)}.") from None


def keep_copy(file: ClientFile, folder: Path) -> Path:
    """Raises FileError."""
    copy = file.kept_in(folder)
    try:
        private_folder(folder)
        write_private(copy, file.data or b"", durable=True)
    except OSError as problem:
        raise FileError(
            f"{file.path} was not changed, since its copy cannot be kept in {copy}:"
            f" {_reason(problem)}."
        ) from None
    return copy


def replace_file(file: ClientFile, data: bytes, mode: int) -> None:
    """Write the whole file, unless it has changed since it was read. Raises FileError."""
    target = file.target
    try:
        if file.data is not None:
            if target.stat().st_uid != os.geteuid():
                raise FileError(f"{file.path} belongs to another user. Nothing was written.")
            if not os.access(target, os.W_OK):
                raise FileError(f"{file.path} is read-only. Nothing was written.")
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.with_name(f".{target.name}.{os.getpid()}")
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                if file.data is not None:
                    try:
                        os.fchown(handle, -1, target.stat().st_gid)
                    except PermissionError:  # the user has left it, and no other group may read it
                        mode &= ~0o070
                os.fchmod(handle, mode)
                os.fsync(handle)
            if (target.read_bytes() if target.exists() else None) != file.data:
                raise FileError(f"{file.path} was changed meanwhile. Nothing was written.")
            os.replace(fresh, target)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as problem:
        raise FileError(f"{file.path} cannot be written: {_reason(problem)}.") from None


def remove_file(file: ClientFile) -> None:
    """Raises FileError."""
    try:
        if file.target.read_bytes() != file.data:
            raise FileError(f"{file.path} was changed meanwhile. Nothing was removed.")
        file.path.unlink()
    except OSError as problem:
        raise FileError(f"{file.path} cannot be removed: {_reason(problem)}.") from None


def _reason(problem: Exception) -> str:
    return (problem.strerror if isinstance(problem, OSError) else None) or str(problem)
