"""The shell's builtins, most of which change the shell itself."""

import asyncio
import errno
import os
import posixpath
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from .arithmetic import BadSum, evaluate
from .escapes import unescape
from .expansion import get, split_value
from .programs import BIN, NOT_FOUND
from .streams import LineInput, Streams
from .syntax import RESERVED

if TYPE_CHECKING:
    from .shell import Shell

SPECIAL = frozenset(
    (".", ":", "break", "continue", "eval", "exit", "export", "return", "set", "shift")
)
"""Builtins whose assignments persist."""


class Exit(Exception):
    """Leave the shell."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Return(Exception):
    """Return from a function."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Jump(Exception):
    """`break` or `continue`, with the number of loops."""

    def __init__(self, ends: bool, loops: int) -> None:
        super().__init__(ends, loops)
        self.ends = ends
        self.loops = loops

    def leaves(self) -> bool:
        """Called by each loop that it reaches. Return whether that is the target; otherwise it
        continues outwards."""
        if self.loops > 1:
            self.loops -= 1
            raise self
        return self.ends


async def cd(shell: "Shell", words: list[str], out: Streams) -> int:
    words = [word for word in words if word not in ("-P", "-L")]
    target = words[1] if len(words) > 1 else shell.variables["HOME"]
    if target == "-":
        target = shell.variables.get("OLDPWD", "")
        if not target:
            await out.report("cd: no OLDPWD")
            return 2
        await out.write(f"{target}\n")
    path = posixpath.normpath(posixpath.join(shell.variables["PWD"], target))
    path = "/" + path.lstrip("/")
    files = shell.phone.files
    try:
        if not files.is_folder(path):
            files.stat(path)
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not files.may(path, 1):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as problem:
        await out.report(f"cd: {target}: {problem.strerror}")
        return 2
    shell.variables["OLDPWD"], shell.variables["PWD"] = shell.variables["PWD"], path
    shell.exported.add("OLDPWD")
    return 0


async def exit_shell(shell: "Shell", words: list[str], out: Streams) -> int:
    if len(words) > 1 and not re.fullmatch(r"\d{1,9}", words[1]):
        await out.report(f"exit: {words[1]}: bad number")
        raise Exit(1)
    raise Exit(int(words[1]) & 0xFF if len(words) > 1 else shell.code)


async def return_from(shell: "Shell", words: list[str], out: Streams) -> int:
    if len(words) > 1 and not re.fullmatch(r"\d{1,9}", words[1]):
        await out.report(f"return: {words[1]}: bad number")
        raise Return(1)
    raise Return(int(words[1]) & 0xFF if len(words) > 1 else shell.code)


async def jump(shell: "Shell", words: list[str], out: Streams) -> int:
    loops = words[1] if len(words) > 1 else "1"
    if not re.fullmatch(r"[1-9]\d{0,3}", loops):
        await out.report(f"{words[0]}: {loops}: bad number")
        return 1
    raise Jump(words[0] == "break", int(loops))


async def export(shell: "Shell", words: list[str], out: Streams) -> int:
    if len(words) == 1 or words[1:] == ["-p"]:
        for name in sorted(shell.exported):
            await out.write(f"{name}={shell.variables[name]}\n")
        return 0
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            await out.report(f"export: {name}: is not an identifier")
            return 1
        if equals or name not in shell.variables:
            shell.set(name, value)
        shell.exported.add(name)
    return 0


async def local(shell: "Shell", words: list[str], out: Streams) -> int:
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            await out.report(f"{words[0]}: {name}: is not an identifier")
            return 1
        shell.declare_local(name)
        if equals or shell.in_function:
            shell.set(name, value)
    return 0


async def unset(shell: "Shell", words: list[str], out: Streams) -> int:
    names = words[1:]
    if names[:1] == ["-f"]:
        for name in names[1:]:
            shell.functions.pop(name, None)
        return 0
    for name in names[1:] if names[:1] == ["-v"] else names:
        # The shell requires these two variables.
        if name not in ("PWD", "HOME"):
            shell.variables.pop(name, None)
            shell.exported.discard(name)
    return 0


async def command(shell: "Shell", words: list[str], out: Streams) -> int:
    """`command -v` and `command -V`: print the program, builtin or function of each name."""
    code = 0
    for name in words[2:]:
        found = _where(shell, name)
        if found is None:
            code = 1
            if words[1:2] == ["-V"]:
                await out.report(f"{name}: not found")
        elif words[1:2] == ["-v"]:
            await out.write(f"{name if found in _KINDS else found}\n")
        else:
            await out.write(f"{name} is {found}\n")
    return code


async def type_command(shell: "Shell", words: list[str], out: Streams) -> int:
    code = 0
    for name in words[1:]:
        found = _where(shell, name)
        code |= found is None
        await out.write(f"{name} not found\n" if found is None else f"{name} is {found}\n")
    return int(code)


_KINDS = ("a reserved word", "a function", "a shell builtin")


def _where(shell: "Shell", name: str) -> str | None:
    if name in RESERVED:
        return "a reserved word"
    if name in shell.functions:
        return "a function"
    if name in BUILTINS:
        return "a shell builtin"
    short = name.removeprefix(BIN)
    return f"{BIN}{short}" if short in shell.phone.programs else None


async def nothing(shell: "Shell", words: list[str], out: Streams) -> int:
    return 0


async def echo(shell: "Shell", words: list[str], out: Streams) -> int:
    r"""`echo`. Unlike the program of this name, it interprets backslashes, unless `-E` is given. A
    `\c` only suppresses the newline: the text after it is printed."""
    words = words[1:]
    newline, escapes = True, True
    while words and re.fullmatch("-[neE]+", words[0]):
        newline = newline and "n" not in words[0]
        escapes = "E" not in words[0] if set("eE") & set(words[0]) else escapes
        words = words[1:]
    text = " ".join(words)
    if escapes and "\\" in text:
        text, newline = _unescape(text, newline)
    await out.write(text + ("\n" if newline else ""))
    return 0


async def print_words(shell: "Shell", words: list[str], out: Streams) -> int:
    """`print`, the Korn shell's `echo`: options end at `--` or `-`, and backslashes are interpreted
    unless `-r` is given."""
    words = words[1:]
    options = ""
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word in ("-", "--"):
            break
        if unknown := set(word[1:]) - set("nr"):
            await out.report(f"print: -{min(unknown)}: unknown option")
            return 1
        options += word[1:]
    text, newline = " ".join(words), "n" not in options
    if "r" not in options and "\\" in text:
        text, newline = _unescape(text, newline)
    await out.write(text + ("\n" if newline else ""))
    return 0


def _unescape(text: str, newline: bool) -> tuple[str, bool]:
    """Interpret backslashes; return the text, and whether a newline follows."""
    text, no_break = unescape(text, cut=False)
    return text, newline and not no_break


async def shift(shell: "Shell", words: list[str], out: Streams) -> int:
    count = words[1] if len(words) > 1 else "1"
    if not re.fullmatch(r"\d{1,6}", count) or int(count) > len(shell.arguments):
        await out.report("shift: nothing to shift")
        raise Exit(1)
    del shell.arguments[: int(count)]
    return 0


async def set_options(shell: "Shell", words: list[str], out: Streams) -> int:
    if len(words) == 1:
        for name in sorted(shell.variables):
            value = shell.variables[name]
            shown = value if re.fullmatch(r"[\w/.:,+-]*", value) else _quote(value)
            await out.write(f"{name}={shown}\n")
        return 0
    rest = words[1:]
    while rest and rest[0][:1] in ("-", "+") and len(rest[0]) > 1:
        word = rest.pop(0)
        if word == "--":
            shell.arguments = rest
            return 0
        names = word[1:]
        if names == "o" and rest:
            names = {"errexit": "e", "nounset": "u", "xtrace": "x"}.get(rest.pop(0), "?")
        if set(names) - set("eux"):
            await out.report(f"set: {word}: unknown option")
            raise Exit(1)
        shell.options = shell.options | set(names) if word[0] == "-" else shell.options - set(names)
    if rest:
        shell.arguments = rest
    return 0


def _quote(value: str) -> str:
    return "'" + value.replace("'", "'\\''") + "'"


async def read(shell: "Shell", words: list[str], out: Streams) -> int:
    names = words[1:]
    raw = names[:1] == ["-r"]
    names = names[1:] if raw else names
    if any(not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) for name in names):
        await out.report(f"read: {names[0]}: is not an identifier")
        return 2
    source = out.stdin
    if not isinstance(source, LineInput):
        source = LineInput(out.stdin)
        if out.stdin is shell.streams.stdin:
            # Input that was read ahead belongs to the next command.
            shell.streams = shell.streams._replace(stdin=source)
    data = await source.read_line()
    while not raw and data.endswith(b"\\\n"):
        data = data[:-2] + await source.read_line()
    text = os.fsdecode(data.removesuffix(b"\n"))
    text = text if raw else re.sub(r"\\(.)", r"\1", text)
    names = names or ["REPLY"]
    separators = shell.variables.get("IFS")
    blanks = " \t\n" if separators is None else "".join(set(separators) & set(" \t\n"))
    rest = text.strip(blanks) if blanks else text
    for number, name in enumerate(names):
        if number + 1 == len(names):
            shell.set(name, rest)
            break
        first, *others = split_value(rest, separators)
        shell.set(name, first)
        left = rest[len(first) :]
        rest = left[len(left) - len(left.lstrip(blanks)) :] if blanks else left
        if others and separators is not None and rest[:1] in set(separators) - set(blanks):
            rest = rest[1:].lstrip(blanks)
    return 0 if data.endswith(b"\n") else 1


async def evaluate_words(shell: "Shell", words: list[str], out: Streams) -> int:
    text = " ".join(words[1:])
    if not text.strip():
        return 0
    return await _nested(shell, text)


async def _nested(shell: "Shell", text: str) -> int:
    with shell.deeper():
        return await shell.run_text(text)


async def source(shell: "Shell", words: list[str], out: Streams) -> int:
    if len(words) < 2:
        await out.report(f"{words[0]}: missing argument")
        return 1
    path = posixpath.join(shell.variables["PWD"], words[1])
    try:
        text = os.fsdecode(shell.phone.files.read(path))
    except OSError as problem:
        await out.report(f"{words[0]}: {words[1]}: {problem.strerror}")
        return 1
    try:
        return await _nested(shell, text)
    except Return as end:
        return end.code


async def wait(shell: "Shell", words: list[str], out: Streams) -> int:
    if len(words) > 1:
        pid = next((job for job in shell.jobs if str(job) == words[1]), 0)
        job = shell.jobs.pop(pid, None)
        if job is None:
            return NOT_FOUND
        await asyncio.wait([job.task])
        return job.code
    for pid in list(shell.jobs):
        job = shell.jobs.pop(pid)
        await asyncio.wait([job.task])
    return 0


async def let(shell: "Shell", words: list[str], out: Streams) -> int:
    value = 0
    try:
        for word in words[1:]:
            value = evaluate(word, lambda name: get(shell, name) or "", shell.set)
    except BadSum as problem:
        await out.report(str(problem))
        return 1
    return int(not value)


async def trap(shell: "Shell", words: list[str], out: Streams) -> int:
    match words[1:]:
        case []:
            if shell.last_words:
                await out.write(f"trap -- {_quote(shell.last_words)} EXIT\n")
            return 0
        case ["-" | "", "EXIT" | "0"]:
            shell.last_words = ""
        case [text, "EXIT" | "0"]:
            shell.last_words = text
        case _:
            await out.report("trap: only EXIT is supported by this phone's shell")
            return 1
    return 0


async def umask(shell: "Shell", words: list[str], out: Streams) -> int:
    if len(words) > 1:
        await out.report("umask: a mask cannot be set on this phone")
        return 1
    await out.write("0000\n")
    return 0


BUILTINS: dict[str, Callable[["Shell", list[str], Streams], Awaitable[int]]] = {
    ".": source,
    ":": nothing,
    "break": jump,
    "cd": cd,
    "command": command,
    "continue": jump,
    "echo": echo,
    "eval": evaluate_words,
    "exit": exit_shell,
    "export": export,
    "let": let,
    "local": local,
    "print": print_words,
    "read": read,
    "return": return_from,
    "set": set_options,
    "shift": shift,
    "source": source,
    "trap": trap,
    "type": type_command,
    "typeset": local,
    "unset": unset,
    "umask": umask,
    "wait": wait,
}
