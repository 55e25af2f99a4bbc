"""The letters that refs begin with. One phone uses a letter in one run of the program."""

import fcntl
import logging
import os
import random
from pathlib import Path

from ...settings.private_file import private_folder

LETTERS = "abcdefghjkmnqrtuvwxyz"
"""i, l and o look like digits; p and s begin the ids of pictures and screens."""

log = logging.getLogger("handheld")


class RefLetters:
    """Gives each phone a new letter at each start: a ref from before a restart is then invalid. All
    phones and processes of a user share one sequence: a ref of one phone is invalid on another.

    The file contains the used letters, the last one at the end. There are 21: after 21 further
    letters, an old ref is mistaken for a new one.
    """

    def __init__(self, file: Path | None = None) -> None:
        """Without a file the sequence begins with `a`."""
        self._file = file
        self._taken = ""
        """The letters taken by this process, in order."""
        self._earlier = ""
        """The letters taken by others when this process took its first one."""

    def take(self) -> str:
        if self._file is None:
            used = self._taken
            return self._keep(used, _next(used))
        try:
            return self._take_from(self._file)
        except (OSError, ValueError) as problem:
            log.warning("%s cannot be used: %s. Refs begin with any letter.", self._file, problem)
            return self._keep("", _any_but(self._taken))

    def was_taken_earlier(self, letter: str) -> bool:
        """Whether another phone or an earlier run is known to have had it."""
        return letter in self._earlier

    def _take_from(self, file: Path) -> str:
        private_folder(file.parent)
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "r+b") as stream:
            # Another process may start at the same time.
            fcntl.flock(stream, fcntl.LOCK_EX)
            text = stream.read(100).decode("ascii", "replace").strip()
            known = bool(text) and len(text) <= len(LETTERS) and set(text) <= set(LETTERS)
            if text and not known:
                log.warning("%s does not contain letters. Refs begin with any letter.", file)
            letter = _next(text) if known or not text else _any_but(self._taken)
            used = (text if known else self._taken).replace(letter, "") + letter
            stream.seek(0)
            stream.write(used.encode())
            stream.truncate()
        return self._keep(text if known else "", letter)

    def _keep(self, used: str, letter: str) -> str:
        if not self._taken:
            self._earlier = used
        self._taken = self._taken.replace(letter, "") + letter
        return letter


def _next(used: str) -> str:
    return LETTERS[(LETTERS.find(used[-1:]) + 1) % len(LETTERS)] if used else LETTERS[0]


def _any_but(taken: str) -> str:
    # A weak random choice is enough: the letter is not a secret.
    return random.choice([each for each in LETTERS if each not in taken] or LETTERS)  # noqa: S311
