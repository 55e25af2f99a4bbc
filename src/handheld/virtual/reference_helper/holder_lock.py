"""The lock file that keeps a second helper off the phone."""

from collections.abc import Mapping
from typing import Any

from ...helper.protocol import LOCK_FILE, ProtocolError, decode_json, dump_json
from ..files.tree import FileTree


class HolderLock:
    """The lock file: one holder at a time, released when the holder's process ends. Its content
    describes the holder, and may be left over from a holder that is gone."""

    def __init__(self, files: FileTree) -> None:
        self.files = files

    def take(self, holder: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Take the lock and return None, or return its current holder."""
        if LOCK_FILE in self.files.locked:
            try:
                return decode_json(self.files.read(LOCK_FILE))
            except (OSError, ProtocolError):
                return {}
        self.files.write(LOCK_FILE, dump_json(holder), 0o600)
        self.files.locked.add(LOCK_FILE)
        return None

    def free(self) -> None:
        self.files.locked.discard(LOCK_FILE)
