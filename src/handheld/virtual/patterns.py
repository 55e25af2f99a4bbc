"""Names with `*`, `?` and `[…]` in them, and the files that fit."""

import contextlib
import fnmatch
import posixpath
import re

from .files import FileTree


def has_pattern(text: str) -> bool:
    return any(sign in text for sign in "*?[")


def quote_pattern(text: str) -> str:
    """Text whose signs stand for themselves."""
    return re.sub(r"([*?\[])", r"[\1]", text)


def match_paths(files: FileTree, folder: str, pattern: str) -> list[str]:
    """Paths that exist and fit, sorted; relative ones as seen from `folder`."""
    found = ["/"] if pattern.startswith("/") else [""]
    for name in filter(None, pattern.split("/")):
        following: list[str] = []
        if not has_pattern(re.sub(r"\[[*?\[]\]", "", name)):
            plain = re.sub(r"\[([*?\[])\]", r"\1", name)
            following = [
                f"{base}{plain}/"
                for base in found
                if files.exists(posixpath.join(folder, base + plain))
            ]
        else:
            fits = re.compile(fnmatch.translate(name)).match
            for base in found:
                with contextlib.suppress(OSError):
                    following += [
                        f"{base}{entry}/"
                        for entry in files.list(posixpath.join(folder, base or "."))
                        if fits(entry) and (name.startswith(".") or not entry.startswith("."))
                    ]
        found = following
    return [path.rstrip("/") for path in found]
