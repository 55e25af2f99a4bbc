"""Redirections of commands."""

import os
import posixpath
from contextlib import ExitStack
from typing import TYPE_CHECKING

from .command_tree import Redirection
from .expansion import Problem, expand_one
from .process import Input, Output
from .streams import Discard, FileInput, FileOutput, Given, Nothing, Streams

if TYPE_CHECKING:
    from .shell import Shell


async def redirect(
    shell: "Shell", redirections: tuple[Redirection, ...], opened: ExitStack
) -> Streams:
    """Apply redirections from left to right; `opened` closes the files. Raises Problem."""
    stdin = shell.streams.stdin
    outputs = {1: shell.streams.stdout, 2: shell.streams.stderr}
    for redirection in redirections:
        fd, operator = redirection.fd, redirection.operator
        if redirection.here is not None:
            stdin = Given(os.fsencode(await expand_one(shell, redirection.here.body)))
            continue
        target = await expand_one(shell, redirection.target)
        if operator not in (">&", "<&"):
            try:
                if operator == "<":
                    stdin = _read_from(shell, fd, target, opened)
                else:
                    outputs[fd] = _write_to(shell, target, operator == ">>", outputs, opened)
            except OSError as problem:
                verb = "open" if operator == "<" else "create"
                raise Problem(f"can't {verb} {target}: {problem.strerror}") from None
        elif target == "-":
            stdin = Nothing() if not fd else stdin
            outputs[fd] = Discard()
        elif operator == "<&" and (fd, target) == (0, "0"):
            pass
        elif target not in map(str, outputs):
            raise Problem(f"{target}: bad file descriptor")
        else:
            outputs[fd] = outputs[int(target)]
    return Streams(stdin, outputs[1], outputs[2])


def _read_from(shell: "Shell", fd: int, target: str, opened: ExitStack) -> Input:
    if fd != 0:
        raise Problem(f"{fd}: bad file descriptor")
    path = posixpath.join(shell.variables["PWD"], target)
    file = opened.enter_context(shell.phone.files.open(path))
    return Nothing() if path == "/dev/null" else FileInput(file)


def _write_to(
    shell: "Shell", target: str, append: bool, outputs: dict[int, Output], opened: ExitStack
) -> Output:
    path = posixpath.join(shell.variables["PWD"], target)
    if path == "/dev/null":
        return Discard()
    if path in ("/dev/stdout", "/dev/stderr", "/dev/tty"):
        return outputs[2 if path == "/dev/stderr" else 1]
    return FileOutput(opened.enter_context(shell.phone.files.create(path, append=append)))
