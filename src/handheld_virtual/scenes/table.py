"""Tables of a scene's TOML. Each key is read once, its type is checked, and unknown keys are
rejected."""

import difflib
from collections.abc import Collection
from pathlib import Path
from typing import Any, cast

MOST_ROWS = 10_000


class SceneError(Exception):
    """A scene is invalid. The message is a sentence that names the file and the key."""


class SceneTable:
    """A table of a scene. `close` rejects unknown keys, which are those that were never read."""

    def __init__(self, values: dict[str, Any], name: str, file: Path) -> None:
        self._values = values
        self._name = name
        self.file = file
        self._known: list[str] = []

    def fail(self, key: str, message: str) -> SceneError:
        return SceneError(f"{self._called(key)} in {self.file} {message}.")

    def _called(self, key: str) -> str:
        return f"{self._name}.{key}" if self._name else key

    def has(self, key: str) -> bool:
        return key in self._values

    def _take(self, key: str) -> Any:
        self._known.append(key)
        return self._values.get(key)

    def text(self, key: str, default: str = "", most: int = 1_000_000) -> str:
        value = self._take(key)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self.fail(key, f"must be a text, not {value!r}")
        if len(value) > most:
            raise self.fail(key, f"must have at most {most} characters")
        return value

    def needed_text(self, key: str, most: int = 1_000_000) -> str:
        value = self.text(key, most=most)
        if not value:
            raise self.fail(key, "is missing")
        return value

    def number(self, key: str, default: int, least: int, most: int) -> int:
        value = self._take(key)
        if value is None:
            return default
        if type(value) is not int or not least <= value <= most:
            raise self.fail(key, f"must be a whole number from {least} to {most}, not {value!r}")
        return value

    def maybe_number(self, key: str, least: int, most: int) -> int | None:
        return self.number(key, 0, least, most) if self.has(key) else self._take(key)

    def flag(self, key: str, default: bool = False) -> bool:
        value = self._take(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.fail(key, f"must be true or false, not {value!r}")
        return value

    def choice(self, key: str, default: str, names: Collection[str]) -> str:
        value = self.text(key, default)
        if value not in names and value != default:
            raise self.fail(key, f"must be one of {', '.join(names)}, not {value!r}")
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        value = self._take(key)
        if value is None:
            return None
        parts: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [None]
        if not all(isinstance(part, str) and part for part in parts):
            raise self.fail(key, f"must be a list of texts, not {value!r}")
        return tuple(parts)

    def reals(self, key: str) -> tuple[float, ...] | None:
        value = self._take(key)
        if value is None:
            return None
        parts: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [None]
        if not all(type(part) in (int, float) and abs(part) < 1e9 for part in parts):
            raise self.fail(key, f"must be a list of numbers, not {value!r}")
        return tuple(map(float, parts))

    def strings(self, key: str) -> dict[str, str]:
        """Read a table of strings, such as Android's settings; numbers are accepted."""
        table = self._table(key)
        for name, value in table.items():
            if type(value) not in (str, int):
                raise self.fail(f"{key}.{name}", f"must be a text or a whole number, not {value!r}")
        return {name: str(value) for name, value in table.items()}

    def table(self, key: str) -> "SceneTable":
        return SceneTable(self._table(key), self._called(key), self.file)

    def _table(self, key: str) -> dict[str, Any]:
        value = self._take(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.fail(key, f"must be a table [{self._called(key)}], not {value!r}")
        return cast("dict[str, Any]", value)

    def tables(self, key: str) -> "list[SceneTable]":
        value = self._take(key)
        if value is None:
            return []
        rows: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [None]
        if not all(isinstance(row, dict) for row in rows):
            raise self.fail(key, f"must be tables [[{self._called(key)}]]")
        if len(rows) > MOST_ROWS:
            raise self.fail(key, f"has more than {MOST_ROWS} tables")
        return [
            SceneTable(row, f"{self._called(key)}[{number}]", self.file)
            for number, row in enumerate(rows)
        ]

    def path(self, key: str) -> Path | None:
        """Resolve a path on this computer, relative to the scene's folder."""
        value = self.text(key, most=4096)
        return self.file.parent / Path(value).expanduser() if value else None

    def close(self) -> None:
        for key in self._values:
            if key not in self._known:
                near = difflib.get_close_matches(key, self._known, n=1)
                hint = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(self._known)}."
                raise SceneError(f"{self.file} has an unknown key {self._called(key)!r}. {hint}")
