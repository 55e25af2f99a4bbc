"""The phones of all hosts as rows of a gateway's grid, with the changes between reads."""

from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from ...fleet.nats.directory import Directory, DirectoryPhone, LeaseRow, PhoneRow
from ...fleet.nats.wire import EngineWire


class _Seen(NamedTuple):
    of: PhoneRow
    fresh: bool
    host: str
    change: int
    shown: dict[str, Any]


class FleetRows:
    """Every row has the number of its last change. Phones that are no longer known are simply
    missing."""

    def __init__(self, directory: Directory, wire: EngineWire) -> None:
        self._directory = directory
        self._wire = wire
        self._seen: dict[str, _Seen] = {}
        self.change = 0

    def look(self) -> None:
        """Compare with the directory. Time alone can also mark a host as away."""
        now: dict[str, _Seen] = {}
        changed = False
        for phone in self._directory.phones():
            id, host = f"{phone.host}.{phone.phone}", self._directory.name(phone.host)
            seen = self._seen.get(id)
            # Rows are replaced, never changed in place. Only some of a row's fields are shown.
            if seen is None or seen.of is not phone.row or seen[1:3] != (phone.fresh, host):
                shown = _show(id, phone, host)
                if seen is not None and seen.shown == shown:
                    change = seen.change
                else:
                    change, changed = self.change + 1, True
                seen = _Seen(phone.row, phone.fresh, host, change, shown)
            now[id] = seen
        if changed or len(now) < len(self._seen):
            self.change += 1
        self._seen = now

    @property
    def ids(self) -> AbstractSet[str]:
        return self._seen.keys()

    @property
    def engine(self) -> str:
        """Why the rows may be outdated; empty if they are current."""
        if not self._wire.linked:
            return f"The engine is away: {self._wire.problem} These are the last known phones."
        if not self._directory.complete.is_set():
            return "The directory of phones is still being read."
        return ""

    def since(self, change: int) -> list[dict[str, Any]]:
        """The rows that changed after `change`."""
        return [
            {**seen.shown, "change": seen.change}
            for seen in self._seen.values()
            if seen.change > change
        ]


def _show(id: str, phone: DirectoryPhone, host: str) -> dict[str, Any]:
    row = phone.row
    return {
        "id": id,
        "name": phone.name,
        "serial": row.serial,
        "host": host,
        "model": row.model,
        "api": row.api,
        "tags": row.tags,
        "state": phone.state,
        "lease": None if row.lease is None else _show_lease(row.lease),
    }


def _show_lease(lease: LeaseRow) -> dict[str, Any]:
    return {
        "who": lease.holder,
        "state": "held" if lease.ends else "ending" if lease.since else "pending",
        "since": lease.since or None,
        "until": lease.ends or None,
    }
