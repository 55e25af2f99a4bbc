"""Finding and running programs for a shell."""

import contextlib
import os
import posixpath
from typing import TYPE_CHECKING

from .expansion import Problem
from .process import Process, Program
from .streams import Streams

if TYPE_CHECKING:
    from .shell import Shell

BIN = "/system/bin/"
CANNOT_RUN, NOT_FOUND, BROKEN_PIPE = 126, 127, 141
LEVEL = "sh level"
"""The variable with the nesting depth of an `sh`, whose name no script can use."""


async def run_program(
    shell: "Shell", words: list[str], environment: dict[str, str], streams: Streams
) -> int:
    """Run a program; return its exit code. Raises Problem for an unknown program."""
    name = words[0]
    program = _find(shell, name)
    if name.rpartition("/")[2] == "sh":
        environment[LEVEL] = str(shell.level + 1)
    process = Process(shell.phone, words, environment, *streams)

    async def run() -> int:
        try:
            return await program(process)
        except BrokenPipeError:
            return BROKEN_PIPE
        except OSError as problem:
            with contextlib.suppress(BrokenPipeError):
                await streams.stderr.write(f"{name}: {problem.strerror}\n".encode())
            return 1

    try:
        return await shell.phone.processes.run(_nice_name(words), run())
    except BlockingIOError:
        raise Problem("can't fork - try again") from None


def _find(shell: "Shell", name: str) -> Program:
    programs, files = shell.phone.programs, shell.phone.files
    if "/" not in name and name in programs:
        return programs[name]
    if "/" in name:
        whole = posixpath.normpath(posixpath.join(shell.variables["PWD"], name))
        short = whole.removeprefix(BIN)
        if whole.startswith(BIN) and short in programs:
            return programs[short]
        if files.is_folder(whole):
            raise Problem(f"{name}: can't execute: Is a directory", CANNOT_RUN)
        if files.exists(whole):
            if files.may(whole, 1):
                return _script(shell, whole)
            raise Problem(f"{name}: can't execute: Permission denied", CANNOT_RUN)
    why = (
        "inaccessible or not found"
        if shell.phone.world.android.shell_names_inaccessible
        else "not found"
    )
    raise Problem(f"{name}: {why}", NOT_FOUND)


def _script(shell: "Shell", path: str) -> Program:
    """The program of an executable file, which is always a script: there are no binaries."""
    if shell.at_last_level:
        raise Problem("can't fork - try again")

    async def run(process: Process) -> int:
        data = process.phone.files.read(path)
        first, _, _ = data.partition(b"\n")
        if b"\0" in data[:512] or (first.startswith(b"#!") and b"sh" not in first):
            raise OSError(8, "Exec format error")
        return await shell.inner(process).run(os.fsdecode(data) or ":")

    return run


def _nice_name(words: list[str]) -> str:
    for word in words[1:]:
        if words[0].endswith("app_process") and word.startswith("--nice-name="):
            return word.removeprefix("--nice-name=")
    return words[0].rpartition("/")[2]
