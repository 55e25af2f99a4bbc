"""The commands that a shell does itself, because they change it."""

import errno
import os
import posixpath
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from .process import Output

if TYPE_CHECKING:
    from .shell import Shell

NAME = "/system/bin/sh"
BIN = "/system/bin/"
NOT_FOUND = 127


class Exit(Exception):
    """The shell ends."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Outputs:
    """Where a built-in command writes."""

    def __init__(self, stdout: Output, stderr: Output) -> None:
        self._stdout = stdout
        self._stderr = stderr

    async def write(self, text: str) -> None:
        await self._stdout.write(os.fsencode(text))

    async def say(self, text: str) -> None:
        await self._stderr.write(os.fsencode(f"{NAME}: {text}\n"))


async def cd(shell: "Shell", words: list[str], out: Outputs) -> int:
    target = words[1] if len(words) > 1 else shell.variables["HOME"]
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
        await out.say(f"cd: {target}: {problem.strerror}")
        return 2
    shell.variables["OLDPWD"], shell.variables["PWD"] = shell.variables["PWD"], path
    shell.exported.add("OLDPWD")
    return 0


async def exit_shell(shell: "Shell", words: list[str], out: Outputs) -> int:
    if len(words) > 1 and not re.fullmatch(r"\d{1,9}", words[1]):
        await out.say(f"exit: {words[1]}: bad number")
        raise Exit(1)
    raise Exit(int(words[1]) & 0xFF if len(words) > 1 else shell.code)


async def export(shell: "Shell", words: list[str], out: Outputs) -> int:
    if len(words) == 1:
        for name in sorted(shell.exported):
            await out.write(f"{name}={shell.variables[name]}\n")
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            await out.say(f"export: {name}: is not an identifier")
            return 1
        if equals or name not in shell.variables:
            shell.set(name, value)
        shell.exported.add(name)
    return 0


async def unset(shell: "Shell", words: list[str], out: Outputs) -> int:
    for name in words[1:]:
        # The shell itself stands on these two.
        if name not in ("PWD", "HOME"):
            shell.variables.pop(name, None)
            shell.exported.discard(name)
    return 0


async def command(shell: "Shell", words: list[str], out: Outputs) -> int:
    if len(words) != 3 or words[1] != "-v":
        await out.say("command: only 'command -v NAME' is offered by this phone")
        return NOT_FOUND
    name = words[2].removeprefix(BIN)
    if name in BUILTINS:
        await out.write(f"{name}\n")
    elif name in shell.phone.programs:
        await out.write(f"{BIN}{name}\n")
    else:
        return 1
    return 0


async def nothing(shell: "Shell", words: list[str], out: Outputs) -> int:
    return 0


BUILTINS: dict[str, Callable[["Shell", list[str], Outputs], Awaitable[int]]] = {
    ":": nothing,
    "cd": cd,
    "command": command,
    "exit": exit_shell,
    "export": export,
    "unset": unset,
}
