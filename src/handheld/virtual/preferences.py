"""What the phone's owner has chosen: the three tables behind `settings` and the settings app."""

from collections.abc import Callable, Mapping

TABLES = ("system", "secure", "global")

Watcher = Callable[[str | None], object]


class Preferences:
    """Values are strings, as Android stores them; a watcher is told of every change at once."""

    def __init__(self, values: Mapping[str, Mapping[str, str]] | None = None) -> None:
        self._values = {table: dict((values or {}).get(table, {})) for table in TABLES}
        self._watchers: dict[tuple[str, str], list[Watcher]] = {}

    def get(self, table: str, name: str) -> str | None:
        return self._values[table].get(name)

    def all(self, table: str) -> dict[str, str]:
        return dict(sorted(self._values[table].items()))

    def put(self, table: str, name: str, value: str) -> None:
        if self._values[table].get(name) != value:
            self._values[table][name] = value
            self._tell(table, name, value)

    def delete(self, table: str, name: str) -> bool:
        """Whether there was one."""
        if self._values[table].pop(name, None) is None:
            return False
        self._tell(table, name, None)
        return True

    def watch(self, table: str, name: str, watcher: Watcher) -> None:
        self._watchers.setdefault((table, name), []).append(watcher)

    def _tell(self, table: str, name: str, value: str | None) -> None:
        for watcher in self._watchers.get((table, name), []):
            watcher(value)
