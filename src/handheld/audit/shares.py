"""Decides whose calls are dropped first when the record is too large.

The token with the largest share loses calls first, so no token loses a call while another has more.
Of its calls, the reads go before the acts until only a quarter of its space is left to reads:
otherwise the reads of the last minute would make way for acts of last month.
"""

import sqlite3
from dataclasses import dataclass

_READS = 0.25
"""The share of a token's space that its acts leave to its reads."""


@dataclass(slots=True)
class _Part:
    """The reads, or the acts, of a token."""

    group: int
    bytes: int
    last: int = 0
    """The last call selected for dropping."""


class AuditShares:
    """The size of each group of calls when this was created, less what was dropped since."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        asked = "SELECT of FROM links WHERE kind = 'start'"
        self._old: int = (connection.execute(asked).fetchone() or (0,))[0]
        """The last call from before the chain."""
        asked = (
            "SELECT token, act, grp, sum(links.bytes) FROM links JOIN groups ON groups.id = grp"
            " WHERE of > 0 GROUP BY grp"
        )
        self._bytes: dict[str, dict[bool, _Part]] = {}
        for token, act, group, size in connection.execute(asked):
            self._bytes.setdefault(token, {})[bool(act)] = _Part(group, size)

    def next(self, count: int) -> list[int]:
        """Select up to `count` calls to drop next, and count them as dropped; empty if no call is
        left."""
        asked = "SELECT id FROM calls WHERE id <= ? ORDER BY id LIMIT ?"
        if ids := [id for (id,) in self._connection.execute(asked, (self._old, count))]:
            return ids
        while self._bytes:
            token, kinds = max(self._bytes.items(), key=_total)
            act = self._goes(kinds)
            part = kinds[act]
            asked = (
                "SELECT of, sum(bytes) FROM links WHERE grp = ? AND of > ? GROUP BY of"
                " ORDER BY of LIMIT ?"
            )
            rows = self._connection.execute(asked, (part.group, part.last, count)).fetchall()
            if not rows:
                del kinds[act]
                if not kinds:
                    del self._bytes[token]
                continue
            part.bytes -= sum(size for _, size in rows)
            part.last = rows[-1][0]
            return [id for id, _ in rows]
        return []

    def _goes(self, kinds: dict[bool, _Part]) -> bool:
        """Whether an act is dropped next, rather than a read."""
        if len(kinds) == 1:
            return next(iter(kinds))
        reads, acts = kinds[False].bytes, kinds[True].bytes
        return reads < (reads + acts) * _READS


def _total(token: tuple[str, dict[bool, _Part]]) -> int:
    return sum(part.bytes for part in token[1].values())
