"""Lookup of paths."""

import errno
import os
from functools import lru_cache
from typing import NamedTuple

from .entry import TreeEntry, User, failure

PATH_MAX = 4096
LINKS_MAX = 40


class Place(NamedTuple):
    """The place of a path: a folder, a name in it, and the entry."""

    folder: TreeEntry
    name: str
    """The name in the folder; "" for a folder given by `/`, `.` or `..`."""
    entry: TreeEntry | None
    """The entry, if it exists."""


def find_place(root: TreeEntry, path: str, user: User, follow: bool) -> Place:
    """Look a path up. Follows links in it, and a link at its end if `follow` or a trailing slash
    says so. Raises OSError if the way is blocked, but not if the last entry is missing."""
    names = list(_names_of(path))
    must_be_folder = path.endswith(("/", "/."))
    folder = root
    links = 0
    while names:
        name = names.pop()
        folder.demand(user, 1, path)
        if name == "..":
            folder = folder.parent or root
            continue
        entry = folder.children.get(name)
        if entry is not None and entry.is_link and (names or follow or must_be_folder):
            links += 1
            if links > LINKS_MAX:
                raise failure(errno.ELOOP, path)
            names += split_path(entry.target)
            if len(names) > PATH_MAX:
                raise failure(errno.ENAMETOOLONG, path)
            if entry.target.startswith("/"):
                folder = root
            continue
        if not names:
            if entry is not None and must_be_folder and not entry.is_folder:
                raise failure(errno.ENOTDIR, path)
            return Place(folder, name, entry)
        if entry is None:
            raise failure(errno.ENOENT, path)
        if not entry.is_folder:
            raise failure(errno.ENOTDIR, path)
        folder = entry
    return Place(folder, "", folder)


@lru_cache(1024)  # every phone is created with the same hundred paths
def _names_of(path: str) -> tuple[str, ...]:
    """The names in a valid path, as in `split_path`."""
    if not path:
        raise failure(errno.ENOENT, path)
    if "\0" in path:
        raise failure(errno.EINVAL, path)
    if len(os.fsencode(path)) >= PATH_MAX:
        raise failure(errno.ENAMETOOLONG, path)
    return tuple(split_path(path))


def split_path(path: str) -> list[str]:
    """The names in a path, in reverse order."""
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]
