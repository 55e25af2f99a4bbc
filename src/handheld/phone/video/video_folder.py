"""The videos stored on this computer."""

import re
import secrets
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from ...errors import ActionFailed, InvalidParams
from ...screen.text import brief
from ...settings.private_file import private_folder
from ..leases.shares import is_owner

ENDINGS = (".mp4", ".gif", ".webp")
_NAME = re.compile(r"[\w][\w .+-]{0,119}", re.ASCII)
_PART = ".part"
_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_SHARE = 4
"""The share of the space for a named token, in addition to the owner's."""


class VideoFolder:
    def __init__(self, folder: Path | None, most_mb: int = 1000) -> None:
        """Without a folder no videos are stored."""
        self._folder = folder
        self._most = most_mb * 1_000_000

    def _of(self, token: str) -> Path | None:
        """Return the folder of a token: only its own videos make room for its new ones."""
        if self._folder is None or is_owner(token):
            return self._folder
        plain = _PLAIN.fullmatch(token) is not None
        return self._folder / (token if plain else sha256(token.encode()).hexdigest()[:32])

    def check_name(self, name: str, token: str = "") -> None:
        """Raises InvalidParams for an invalid name of a new video."""
        if _NAME.fullmatch(name) is None or Path(name).suffix.lower() not in ENDINGS:
            raise InvalidParams(
                f"'{brief(name, 200)}' is not a name for a video: without location_id, path is a"
                " file name of ASCII letters, digits, spaces and . _ + - that ends in .mp4, .gif or"
                " .webp."
            )
        folder = self._of(token)
        if folder is not None and (folder / name).exists():
            raise InvalidParams(f"A video with the name {name} exists already. Nothing was done.")

    def new(self, name: str, token: str = "") -> Path:
        """Return a path for writing a token's new video. Raises ActionFailed."""
        wanted = self._of(token)
        if wanted is None:
            raise ActionFailed("Videos are not stored on this computer.")
        try:
            private_folder(self._folder or wanted)
            folder = private_folder(wanted)
        except OSError as problem:
            raise ActionFailed(f"{wanted} cannot be written: {problem.strerror}.") from problem
        return folder / f"{name}.{secrets.token_hex(4)}{_PART}"

    def keep(self, written: Path) -> Path:
        """Give a complete video its final name; the oldest others make room. Raises
        ActionFailed."""
        path = self._free_path(written.with_name(written.name[: -len(_PART) - 9]))
        try:
            written.rename(path)
        except OSError as problem:
            raise ActionFailed(f"{path} cannot be written: {problem.strerror}.") from problem
        with suppress(OSError):
            self._make_room(path)
        return path

    @staticmethod
    def _free_path(path: Path) -> Path:
        number = 2
        free = path
        while free.exists():
            free = path.with_stem(f"{path.stem}-{number}")
            number += 1
        return free

    def _make_room(self, newest: Path) -> None:
        # Includes partial videos of killed processes.
        kept = (*ENDINGS, _PART)
        files = [each for each in newest.parent.iterdir() if each.suffix.lower() in kept]
        files.sort(key=lambda each: each.stat().st_mtime)
        total = sum(each.stat().st_size for each in files)
        most = self._most if newest.parent == self._folder else self._most // _SHARE
        for each in files:
            if total <= most:
                return
            if each != newest:
                total -= each.stat().st_size
                each.unlink()
