"""One run of a command: options and operands, and shortcuts for output and files."""

import os
import posixpath
from collections.abc import Awaitable, Callable

from ..files.tree import FileTree
from ..sh.process import Process, Program


class Usage(Exception):
    """The arguments are wrong. The command prints the message after its name."""


class CommandCall:
    def __init__(self, process: Process) -> None:
        self.process = process
        self.phone = process.phone
        self.name = process.arguments[0].rpartition("/")[2]
        self.arguments = list(process.arguments[1:])
        self.code = 0

    @property
    def files(self) -> FileTree:
        return self.phone.files

    def path(self, name: str) -> str:
        """The absolute path of a name relative to the command's working directory."""
        return posixpath.join(self.process.environment.get("PWD", "/"), name) if name else ""

    def options(self, known: str) -> str:
        """Remove flags from the arguments and return their letters. Raises Usage for an unknown
        flag."""
        found = ""
        operands: list[str] = []
        rest = iter(self.arguments)
        for word in rest:
            if word == "--":
                operands += rest
            elif word.startswith("-") and len(word) > 1:
                for letter in word[1:]:
                    if letter not in known:
                        raise Usage(f"Unknown option '{word[1:]}' (see \"{self.name} --help\")")
                    found += letter
            else:
                operands.append(word)
        self.arguments = operands
        return found

    def need(self, least: int) -> None:
        if len(self.arguments) < least:
            raise Usage(
                f'Needs {least} argument{"s" if least > 1 else ""} (see "{self.name} --help")'
            )

    async def write(self, text: str) -> None:
        await self.process.stdout.write(os.fsencode(text))

    async def report(self, text: str) -> None:
        """Print an error after the command's name."""
        await self.process.stderr.write(os.fsencode(f"{self.name}: {text}\n"))

    async def fail(self, text: str, code: int = 1) -> None:
        self.code = code
        await self.report(text)


WRONG = 255
"""The exit code of Android's own commands for wrong arguments."""


async def refuse(call: CommandCall, text: str, code: int = WRONG) -> None:
    """Print an error of one of Android's own commands, without its name, and set the exit code."""
    call.code = code
    await call.process.stderr.write(f"{text}\n".encode("utf-8", "surrogateescape"))


Body = Callable[[CommandCall], Awaitable[None]]


def program(body: Body) -> Program:
    """Turn a command's body into a program that handles usage errors and the exit code."""

    async def run(process: Process) -> int:
        call = CommandCall(process)
        try:
            await body(call)
        except Usage as problem:
            await call.fail(str(problem))
        return call.code

    return run


def timed(run: Program) -> Program:
    """A program that first waits for its start-up time in the phone's latency profile."""

    async def late(process: Process) -> int:
        phone = process.phone
        if ms := phone.world.latency.of_command(process.arguments):
            await phone.clock.sleep(ms)
        return await run(process)

    return late


def clean(problem: OSError) -> str:
    return problem.strerror or str(problem)
