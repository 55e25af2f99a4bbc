"""What this process has changed on a phone and not put back, in a file on the phone itself: if the
process is killed, the next one that uses the phone puts it back, whoever starts it.

A line is `RUN NAME VALUE`: the process, a setting, and what it was at first.
"""

import re
import secrets
import shlex
from typing import NamedTuple

from ...helper.protocol import LEFT_FILE, LEFT_LIMIT

RUN = secrets.token_hex(4)
"""This process: its number may be another's later."""
READ = f"head -c {LEFT_LIMIT} {LEFT_FILE} 2>/dev/null"
LONGEST = 312
"""Characters of a line with its end."""
_LINE = re.compile(r"([0-9a-f]{8}) ([\w.:-]{1,200}) ([ -~]{0,100})", re.ASCII)
_NEW = f"{LEFT_FILE}.{RUN}"


class Left(NamedTuple):
    run: str
    name: str
    value: str


def read_left(text: str) -> list[Left]:
    """Lines that are not of this form are left alone."""
    return [Left(*found.groups()) for found in map(_LINE.fullmatch, text.splitlines()) if found]


def note(name: str, value: str, run: str = RUN) -> str:
    """The command line that adds one, unless one of that name is there or the file is full: the
    computer keeps them, too."""
    line = f"{run} {name} {value}"
    if not _LINE.fullmatch(line):
        return "true"
    return (
        f"[ $(stat -c %s {LEFT_FILE} 2>/dev/null || echo 0) -lt {LEFT_LIMIT - LONGEST} ] &&"
        f" ! grep -q '^[0-9a-f]* {_quoted(name)} ' {LEFT_FILE} 2>/dev/null &&"
        f" echo {shlex.quote(line)} >>{LEFT_FILE} && chmod 600 {LEFT_FILE}"
    )


def drop(name: str) -> str:
    """The command line that takes one out."""
    return _without(f"^[0-9a-f]* {_quoted(name)} ")


def drop_run(run: str = RUN) -> str:
    """The command line that takes those of a process out."""
    return _without(f"^{run} ")


def _without(pattern: str) -> str:
    return (
        f"if [ -e {LEFT_FILE} ]; then grep -v '{pattern}' {LEFT_FILE} >{_NEW}; chmod 600 {_NEW};"
        f" if [ -s {_NEW} ]; then mv -f {_NEW} {LEFT_FILE}; else rm -f {_NEW} {LEFT_FILE}; fi; fi"
    )


def _quoted(name: str) -> str:
    return name.replace(".", "[.]")
