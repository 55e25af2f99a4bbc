"""What installing in a client, or removing it there, makes of the client's file."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .client import McpClient
from .config_file import ClientFile, FileError, keep_copy, remove_file, replace_file
from .entry import NAME, EntryError, address_in, is_ours, put_entry, read_entry, remove_entry


@dataclass(frozen=True, slots=True)
class Change:
    file: ClientFile
    data: bytes | None
    """What the file is to hold; None if it is to be removed."""
    mode: int
    keeps: bool = False
    """Whether the copy that is there stays: it is the file without any entry of ours."""
    address: str = ""
    """That of the server in the entry, by which it is known as ours later."""

    def carry_out(self, copies: Path) -> Path | None:
        """Returns where the file as it was before is kept; None if there was none. Raises
        FileError."""
        copy = None
        if self.file.data is None:
            self.file.kept_in(copies).unlink(missing_ok=True)  # of a file that is gone
        elif self.keeps:
            copy = self.file.kept_in(copies)
        else:
            copy = keep_copy(self.file, copies)
        if self.data is None:
            remove_file(self.file)
        else:
            replace_file(self.file, self.data, self.mode)
        self.file.note_address(self.address, copies)
        return copy


def installed_entry(client: McpClient, file: ClientFile) -> Mapping[str, Any] | None:
    """Raises FileError."""
    try:
        return read_entry(client, file.text)
    except EntryError as problem:
        raise _broken(file, problem) from None


def is_known(client: McpClient, file: ClientFile, entry: Mapping[str, Any], copies: Path) -> bool:
    """Whether the entry of the file is Handheld's."""
    address = address_in(client, entry)
    return is_ours(client, entry) or (address != "" and address == file.noted_address(copies))


def plan_install(
    client: McpClient, file: ClientFile, entry: Mapping[str, Any], copies: Path, *, private: bool
) -> Change | None:
    """None if nothing is to be done. `private`: the file must not be read by others. Raises
    FileError."""
    old = installed_entry(client, file)
    keeps = _without_entry(client, file, copies) is not None
    if old is not None and not keeps:
        _check_ours(client, file, old, copies)
    try:
        data = file.encoded(put_entry(client, file.text, entry))
    except EntryError as problem:
        raise _broken(file, problem) from None
    mode = file.mode & 0o700 if private else file.mode
    if data == file.data and mode == file.mode:
        return None
    return Change(file, data, mode, keeps, address_in(client, entry))


def plan_removal(client: McpClient, file: ClientFile, copies: Path) -> Change | None:
    """None if nothing is to be done. Raises FileError."""
    entry = installed_entry(client, file)
    if entry is None:
        return None
    before = _without_entry(client, file, copies)
    if before is not None:
        return Change(file, before, file.mode)
    _check_ours(client, file, entry, copies)
    copy = _kept(file, copies)
    if _is_made(client, file) and (copy is None or _is_made(client, copy)):
        return Change(file, None, file.mode)
    try:
        return Change(file, file.encoded(remove_entry(client, file.text)), file.mode)
    except EntryError as problem:
        raise _broken(file, problem) from None


def _without_entry(client: McpClient, file: ClientFile, copies: Path) -> bytes | None:
    """What the file held before its entry was put there, if nothing else has changed since."""
    before = _kept(file, copies)
    try:
        entry = read_entry(client, file.text)
        if before is not None and entry is not None and read_entry(client, before.text) is None:
            return before.data if _with(client, before, entry) == file else None
    except (EntryError, FileError):
        pass  # then it is not known
    return None


def _kept(file: ClientFile, copies: Path) -> ClientFile | None:
    """The file as it was before it was changed last."""
    try:
        return replace(file, data=file.kept_in(copies).read_bytes())
    except OSError:
        return None


def _is_made(client: McpClient, file: ClientFile) -> bool:
    """Whether it holds the entry and nothing else, as a file that installing made."""
    try:
        entry = read_entry(client, file.text)
    except (EntryError, FileError):
        return False
    if entry is None or file.path.is_symlink():
        return False
    return _with(client, replace(file, data=None), entry) == file


def _with(client: McpClient, file: ClientFile, entry: Mapping[str, Any]) -> ClientFile:
    return replace(file, data=file.encoded(put_entry(client, file.text, entry)))


def _check_ours(
    client: McpClient, file: ClientFile, entry: Mapping[str, Any], copies: Path
) -> None:
    if not is_known(client, file, entry, copies):
        raise FileError(
            f"{file.path} has a server named {NAME} that is not Handheld. Nothing was written."
            " Give that one another name first."
        )


def _broken(file: ClientFile, problem: EntryError) -> FileError:
    return FileError(f"{file.path} cannot be changed: {problem}. Nothing was written.")
