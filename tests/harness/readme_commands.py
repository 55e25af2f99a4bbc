"""The commands that a page tells its reader to type: in its blocks of shell lines, and in the first
column of its tables of commands."""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SHELLS = ("sh", "bash", "shell", "console", "zsh")
_SPAN = re.compile(r"`([^`\n]+)`")


def find_commands(page: str) -> list[str]:
    """Each command once, in the order of the page."""
    return list(dict.fromkeys((*_in_blocks(page), *_in_tables(page))))


def find_mentions(page: str) -> list[str]:
    """The code in its sentences and in the further columns of its tables."""
    return list(dict.fromkeys(_SPAN.findall(_FENCE.sub("", page))))


def _in_blocks(page: str) -> Iterator[str]:
    for language, text in _FENCE.findall(page):
        if language in _SHELLS:
            for line in text.replace("\\\n", " ").splitlines():
                command = re.sub(r"(^|\s+)#\s.*$", "", line).strip().removeprefix("$ ")
                if command:
                    yield re.sub(r"\s+", " ", command)


def _in_tables(page: str) -> Iterator[str]:
    inside = False
    for line in _FENCE.sub("", page).splitlines():
        if not line.startswith("|"):
            inside = False
            continue
        first = line.split("|")[1].strip()
        if first.lower() in ("command", "commands"):
            inside = True
        elif inside:
            yield from _SPAN.findall(first)
