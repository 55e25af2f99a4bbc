"""A file on this computer that receives data from the phone."""

from io import BufferedWriter, FileIO
from pathlib import Path
from typing import TYPE_CHECKING

from ...progress import report

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class ReportedFile(BufferedWriter):
    """A new file that reports its progress."""

    def __init__(self, path: Path, size: int, message: str) -> None:
        """Raises OSError."""
        super().__init__(FileIO(path, "xb"))
        self._size = size
        self._message = message
        self._written = 0

    def write(self, data: "ReadableBuffer", /) -> int:
        report(self._written, max(self._size, self._written), self._message)
        written = super().write(data)
        self._written += written
        return written
