"""Names of apps' tools: once assigned, a name stays with its tool."""

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping

from ..tools.tool import APP_PREFIX

LONGEST = 43
"""With the prefix `android_` 51 characters, which leaves room for a client's own prefix."""
MOST = 10_000
"""Stored names. Beyond this number, the oldest unused names are forgotten."""
_TAIL = 4

Key = tuple[str, str, str]
"""Package, kind (service, provider or function) and id."""
FUNCTION = "function"


class ToolNames:
    """The tool that has or had each name, oldest first."""

    def __init__(self, owners: Mapping[str, Key]) -> None:
        self._owners = dict(owners)
        self._names = {key: name for name, key in owners.items()}

    @property
    def owners(self) -> Mapping[str, Key]:
        return self._owners

    def has(self, key: Key) -> bool:
        return key in self._names

    def assign(self, key: Key) -> str:
        """The tool's existing name, or a new one that no other tool has."""
        name = self._names.get(key)
        if name is None:
            name = next(one for one in _candidates(key) if one not in self._owners)
            self._owners[name], self._names[key] = key, name
        return name

    def forget(self, kept: Collection[str], most: int = MOST) -> None:
        """Drop the oldest names over the limit, except names in use."""
        over = len(self._owners) - most
        if over > 0:
            for name in [name for name in self._owners if name not in kept][:over]:
                del self._names[self._owners.pop(name)]


def _candidates(key: Key) -> Iterator[str]:
    package, kind, id = key
    # A function's id begins with its class.
    called = id.rpartition("#")[2] or id if kind == FUNCTION else id
    plain = _plain(APP_PREFIX + called)
    last = package.rpartition(".")[2]
    whole = "/".join((package, kind, id))
    yield _cut(plain, called)
    yield _cut(_plain(f"{plain}_{last}"), whole)
    # A service and a provider of one app may use the same id, and an app can choose an id whose
    # digits collide with another's.
    for tail in (_TAIL, 8, 16, 32):
        yield _tailed(plain, whole, tail)


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def _cut(name: str, whole: str) -> str:
    return name if len(name) <= LONGEST else _tailed(name, whole)


def _tailed(name: str, whole: str, tail: int = _TAIL) -> str:
    digits = hashlib.sha256(whole.encode()).hexdigest()[:tail]
    return f"{name[: LONGEST - tail - 1]}_{digits}"
