"""Patterns with `*`, `?` and `[…]`, and their matches in files and texts."""

import contextlib
import fnmatch
import posixpath
import re

from ..files.tree import FileTree

LONGEST = 4096
"""The limit of a text from which a pattern is removed."""
LONGEST_SEARCHED = 512
LARGEST = 1024 * 1024
"""The limit of a replacement's result."""


def has_pattern(text: str) -> bool:
    return any(char in text for char in "*?[")


def quote_pattern(text: str) -> str:
    """A pattern that matches the text literally."""
    return re.sub(r"([*?\[])", r"[\1]", text)


def fits(pattern: str, text: str) -> bool:
    return re.compile(fnmatch.translate(pattern)).match(text) is not None


def cut(text: str, operator: str, pattern: str) -> str:
    """Remove a prefix or suffix, as `${text%pattern}` does. Raises OverflowError for a text that is
    too long."""
    if len(text) > LONGEST:
        raise OverflowError
    match = re.compile(fnmatch.translate(pattern)).match
    ends = range(len(text) + 1)
    if operator[0] == "#":
        found = [end for end in ends if match(text[:end])]
        return text[(found[-1] if operator == "##" else found[0]) :] if found else text
    found = [start for start in ends if match(text[start:])]
    return text[: found[0] if operator == "%%" else found[-1]] if found else text


def replace(text: str, pattern: str, other: str, *, every: bool) -> str:
    """Replace the first longest match, or every one. Raises OverflowError."""
    if not pattern:
        return text
    plain = re.sub(r"\[([*?\[])\]", r"\1", pattern)
    if not has_pattern(re.sub(r"\[[*?\[]\]", "", pattern)):
        if text.count(plain) * len(other) > LARGEST:
            raise OverflowError
        return text.replace(plain, other, -1 if every else 1)
    if len(text) > LONGEST_SEARCHED:
        raise OverflowError
    match = re.compile(fnmatch.translate(pattern)).match
    result, at = "", 0
    while at < len(text):
        ends = range(len(text), at, -1)
        end = next((end for end in ends if match(text[at:end])), at)
        if end == at:
            result += text[at]
            at += 1
            continue
        result, at = result + other, end
        if not every:
            break
    return result + text[at:]


def match_paths(files: FileTree, folder: str, pattern: str) -> list[str]:
    """The matching paths, sorted. Relative patterns start from `folder`."""
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
            fit = re.compile(fnmatch.translate(name)).match
            for base in found:
                with contextlib.suppress(OSError):
                    following += [
                        f"{base}{entry}/"
                        for entry in files.list(posixpath.join(folder, base or "."))
                        if fit(entry) and (name.startswith(".") or not entry.startswith("."))
                    ]
        found = following
    return [path.rstrip("/") for path in found]
