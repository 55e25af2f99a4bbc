"""Names of apps' tools: once given, a name stays with its tool."""

import hashlib
import re
from collections.abc import Mapping, MutableMapping

from ..tool import APP_PREFIX

LONGEST = 43
"""With `android_` before it 51, which leaves room for what clients put before that."""
_TAIL = 4

Key = tuple[str, str, str]
"""Package, kind (service or provider) and id."""


def assign(names: MutableMapping[str, Key], key: Key) -> str:
    """The tool's name: the one it has, or a new one that no other tool has."""
    for name, owner in names.items():
        if owner == key:
            return name
    for name in _candidates(key):
        if name not in names:
            names[name] = key
            return name
    raise AssertionError("the last candidate is of this key alone")


def find(names: Mapping[str, Key], name: str) -> Key | None:
    return names.get(name)


def _candidates(key: Key) -> list[str]:
    package, kind, id = key
    plain = _plain(APP_PREFIX + id)
    last = package.rpartition(".")[2]
    whole = "/".join((package, kind, id))
    # Of one app a service and a provider may use the same id.
    return [_cut(plain, id), _cut(_plain(f"{plain}_{last}"), whole), _tailed(plain, whole)]


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def _cut(name: str, whole: str) -> str:
    return name if len(name) <= LONGEST else _tailed(name, whole)


def _tailed(name: str, whole: str) -> str:
    tail = hashlib.sha256(whole.encode()).hexdigest()[:_TAIL]
    return f"{name[: LONGEST - _TAIL - 1]}_{tail}"
