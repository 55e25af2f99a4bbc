"""The values in which a driver reports files. Their content goes by adb's sync."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A path in a storage location as it really is."""

    root: str
    """The location's own folder, absolute."""
    path: str
    """Absolute, with every link followed."""
    kind: str | None
    """file, folder, other; None for nothing."""
    size: int
    available: int | None
    """Free bytes on that volume, where they are known."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a file must hold to be replaced."""

    size: int
    sha256: str


class LeadsOutside(Exception):
    """A link on the way leads out of the location. Nothing was done."""


class FileChanged(Exception):
    """The file is not what it was when it was read. Nothing was done."""


class InDoubt(Exception):
    """The way to the phone ended with the call on it: it may or may not have happened."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
