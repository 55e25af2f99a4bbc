"""A file on the phone that lists settings which this process has changed and not restored. If the
process is killed, the next process that uses the phone restores them, whoever starts it.

A line is `RUN NAME VALUE`: the process, a setting, and its original value.
"""

import re
import secrets
import shlex
from typing import NamedTuple

from ...helper.protocol import LEFT_FILE, LEFT_LIMIT

RUN = secrets.token_hex(4)
"""Identifies this process: its pid may be another process's later."""
READ = f"head -c {LEFT_LIMIT} {LEFT_FILE} 2>/dev/null"
LONGEST = 312
"""The maximum length of a line with its line break."""
_LINE = re.compile(r"([0-9a-f]{8}) ([\w.:-]{1,200}) ([ -~]{0,100})", re.ASCII)
_NEW = f"{LEFT_FILE}.{RUN}"


class Left(NamedTuple):
    run: str
    name: str
    value: str


def read_left(text: str) -> list[Left]:
    """Parse the file; lines in another form are skipped."""
    return [Left(*found.groups()) for found in map(_LINE.fullmatch, text.splitlines()) if found]


def note(name: str, value: str, run: str = RUN) -> str:
    """Return the command line that adds an entry, unless the file is full or has one of that name.
    The host keeps the entries, too."""
    line = f"{run} {name} {value}"
    if not _LINE.fullmatch(line):
        return "true"
    return (
        f"[ $(stat -c %s {LEFT_FILE} 2>/dev/null || echo 0) -lt {LEFT_LIMIT - LONGEST} ] &&"
        f" ! grep -q '^[0-9a-f]* {_quoted(name)} ' {LEFT_FILE} 2>/dev/null &&"
        f" echo {shlex.quote(line)} >>{LEFT_FILE} && chmod 600 {LEFT_FILE}"
    )


def drop(name: str) -> str:
    """Return the command line that removes an entry."""
    return _without(f"^[0-9a-f]* {_quoted(name)} ")


def drop_run(run: str = RUN) -> str:
    """Return the command line that removes the entries of a process."""
    return _without(f"^{run} ")


def _without(pattern: str) -> str:
    return (
        f"if [ -e {LEFT_FILE} ]; then grep -v '{pattern}' {LEFT_FILE} >{_NEW}; chmod 600 {_NEW};"
        f" if [ -s {_NEW} ]; then mv -f {_NEW} {LEFT_FILE}; else rm -f {_NEW} {LEFT_FILE}; fi; fi"
    )


def _quoted(name: str) -> str:
    return name.replace(".", "[.]")
