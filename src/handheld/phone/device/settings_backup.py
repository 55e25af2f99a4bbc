"""The original values of changed settings: stored in the state folder until they are restored."""

import fcntl
import json
import logging
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast

from ...settings.private_file import private_folder, write_private

MOST_PHONES = 100
MOST_VALUES = 64
"""The maximum of values per phone: its settings, and the languages of apps."""
_LONGEST = 1_000_000
"""The maximum size of the file in bytes."""

log = logging.getLogger("handheld")


class OriginalSettings(NamedTuple):
    """The original values of one phone, by the names of the settings."""

    phone: str
    """The phone's hardware serial number, or its address if it has none."""
    address: str
    """The phone's last address."""
    values: Mapping[str, str]


class NotKept(Exception):
    """The values cannot be stored. The message is a clause that says why."""


class SettingsBackup:
    """The original values of all phones of this user. Without a file they last as long as this
    process."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._memory: list[OriginalSettings] = []
        self.noted: set[tuple[str, str]] = set()
        """The phones and settings that have a note on the phone itself."""

    def all(self) -> list[OriginalSettings]:
        """Return the stored values, the oldest first; none if the file cannot be read, which is
        logged."""
        if self._file is None:
            return list(self._memory)
        try:
            return _read(self._file)
        except NotKept as problem:
            log.warning("%s: %s.", self._file, problem)
            return []

    def of(self, phone: str) -> Mapping[str, str]:
        found = [kept.values for kept in self.all() if kept.phone == phone]
        return found[0] if found else dict[str, str]()

    def remember(self, phone: str, address: str, name: str, value: str) -> None:
        """Store the value unless an earlier one is stored. Raises NotKept."""
        with self._changing() as every:
            kept = next((each for each in every if each.phone == phone), None)
            values = {} if kept is None else dict(kept.values)
            if name in values:
                return
            if len(values) >= MOST_VALUES:
                raise NotKept(f"{MOST_VALUES} settings of this phone are changed already")
            values[name] = value
            every[:] = [each for each in every if each.phone != phone]
            every.append(OriginalSettings(phone, address, values))
            del every[:-MOST_PHONES]

    def forget(self, phone: str, name: str) -> None:
        """Raises NotKept."""
        if name not in self.of(phone):
            return
        with self._changing() as every:
            for number, kept in enumerate(every):
                if kept.phone == phone:
                    values = {key: value for key, value in kept.values.items() if key != name}
                    every[number] = kept._replace(values=values)
            every[:] = [kept for kept in every if kept.values]

    @contextmanager
    def _changing(self) -> Generator[list[OriginalSettings]]:
        """Provide the list for changes, and store it afterwards. One process at a time."""
        if self._file is None:
            yield self._memory
            return
        try:
            private_folder(self._file.parent)
            lock = self._file.with_suffix(".lock")
            handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                every = _read(self._file)
                before = list(every)
                yield every
                if every != before:
                    data = _encode(every)
                    if len(data) > _LONGEST:
                        raise NotKept("too much is stored already")
                    write_private(self._file, data, durable=True)
            finally:
                os.close(handle)
        except OSError as problem:
            raise NotKept(problem.strerror or str(problem)) from problem


def _encode(every: list[OriginalSettings]) -> bytes:
    rows = [kept._asdict() for kept in every]
    return json.dumps({"phones": rows}, ensure_ascii=False, indent=1).encode()


def _read(file: Path) -> list[OriginalSettings]:
    try:
        with file.open("rb") as stream:
            data = stream.read(_LONGEST + 1)
    except FileNotFoundError:
        return []
    except OSError as problem:
        raise NotKept(problem.strerror or str(problem)) from problem
    try:
        if len(data) > _LONGEST:
            raise ValueError("too long")
        return [_kept(row) for row in json.loads(data)["phones"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise NotKept("the file is damaged; remove it") from None


def _kept(row: Any) -> OriginalSettings:
    """Raises KeyError, TypeError, ValueError."""
    phone, address, values = row["phone"], row["address"], row["values"]
    if not isinstance(phone, str) or not isinstance(address, str) or not isinstance(values, dict):
        raise TypeError("not a phone")
    texts = cast("dict[Any, Any]", values)
    if not all(isinstance(part, str) for pair in texts.items() for part in pair):
        raise TypeError("not texts")
    return OriginalSettings(phone, address, cast("dict[str, str]", texts))
