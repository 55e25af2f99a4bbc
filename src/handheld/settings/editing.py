"""Reads and edits the configuration file, and preserves what a person wrote there."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from .declaration import Option
from .options import Settings, options
from .reading import SettingsError, config_file, load_text
from .toml_parsing import parse_toml
from .toml_text import change

SIZE_LIMIT = 256 * 1024
Check = Callable[[Settings], object]


class SettingsFileChanged(SettingsError):
    """The file has changed since it was read."""


class CommentsLost(SettingsError):
    """The change is only possible by rewriting the file without its comments."""


@dataclass(frozen=True, slots=True)
class FileContents:
    """The file's current contents."""

    text: str
    version: str
    """Differs whenever the text differs."""
    values: Mapping[str, Any]
    """The options set in it, by key."""
    slugs: Mapping[str, str]
    problem: str
    """Why a server would not start with it; empty if it would."""


class ConfigFile:
    def __init__(self, settings: Settings, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        self._where = settings.folders
        self.path = config_file(self._environment.get("HANDHELD_CONFIG"), self._where)

    def read(self) -> FileContents:
        """Read the file. Raises SettingsError if it cannot be read at all."""
        text = self._read()
        version = sha256(text.encode()).hexdigest()[:20]
        try:
            settings, values = load_text(text, self.path, self._where, self._environment)
        except SettingsError as problem:
            return FileContents(text, version, {}, {}, str(problem))
        return FileContents(text, version, values, settings.slugs, "")

    def put(
        self,
        path: tuple[str, ...],
        value: Any,
        version: str,
        check: Check,
        *,
        lose_comments: bool = False,
    ) -> None:
        """Write a value, or remove it if it is None. `version` is the version of the file that the
        change is based on; `check` raises SettingsError for settings that cannot be used. Raises
        SettingsError."""
        text = self._read()
        if sha256(text.encode()).hexdigest()[:20] != version:
            raise SettingsFileChanged(f"{self.path} has been changed meanwhile. Reload it.")
        try:
            changed = change(text, path, value)
        except ValueError as problem:
            raise SettingsError(f"{self.path} cannot be changed: {problem}.") from None
        settings, _ = load_text(changed.text, self.path, self._where, self._environment)
        check(settings)
        if not changed.keeps and not lose_comments:
            raise CommentsLost(
                f"{'.'.join(path)} is written in {self.path} in a form that can only be changed"
                " by losing the comments there."
            )
        self._write(changed.text, private=bool(settings.token))

    def add_phone(self, phone: str) -> bool:
        """Add a phone to the served ones. Returns False if it is already there. Raises
        SettingsError."""
        # A quoted TOML key has the form of a JSON string.
        line = f"[phones.{json.dumps(phone)}]"
        try:
            text = self._read()
            if phone in _phones(text):
                return False
            gap = "\n" * (1 if text.endswith("\n") else 2) if text else ""
            more = f"{text}{gap}{line}\n"
            if phone not in _phones(more):
                raise SettingsError("phones is not a table for each phone.")
            self._write(more, private=False)
        except (SettingsError, ValueError) as problem:
            raise SettingsError(
                f"{phone} cannot be added to {self.path}: {str(problem).removesuffix('.')}. Add"
                f" this line to it yourself: {line}"
            ) from None
        return True

    def _read(self) -> str:
        try:
            with self.path.open("rb") as stream:
                data = stream.read(SIZE_LIMIT + 1)
            if len(data) > SIZE_LIMIT:
                raise SettingsError(f"{self.path} is larger than {SIZE_LIMIT} bytes.")
            return data.decode()
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as problem:
            reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8"
            raise SettingsError(f"{self.path} cannot be read: {reason}.") from None

    def _write(self, text: str, *, private: bool) -> None:
        # A symbolic link is kept, and so is the mode of the file unless it holds a secret.
        target = self.path.resolve()
        fresh = target.with_name(f".{target.name}.new")
        try:
            data = text.encode()
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            mode = target.stat().st_mode & 0o777 if target.exists() and not private else 0o600
            fresh.unlink(missing_ok=True)
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as to:
                to.write(data)
            fresh.chmod(mode)
            os.replace(fresh, target)
        except UnicodeEncodeError:
            raise SettingsError("Half of a surrogate pair cannot be written.") from None
        except OSError as problem:
            raise SettingsError(f"{self.path} cannot be written: {problem.strerror}.") from None


def _phones(text: str) -> Mapping[str, Any]:
    phones: Any = parse_toml(text).get("phones", {})
    return phones if isinstance(phones, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def find_option(key: str) -> Option | None:
    return next((option for option in options() if option.key == key), None)


def find_editor() -> str:
    """The command of this user's text editor; empty if none is set."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
