"""A command's run: its options and operands, and short ways to write and to find files."""

import os
import posixpath
from collections.abc import Awaitable, Callable

from ..files.tree import FileTree
from ..sh.process import Process, Program


class Usage(Exception):
    """The command was called wrongly. The message is what it prints after its name."""


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
        """Absolute, by the folder the command was started in."""
        return posixpath.join(self.process.environment.get("PWD", "/"), name) if name else ""

    def options(self, known: str) -> str:
        """Take flags off the arguments: the letters found. Raises Usage for one not in `known`."""
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

    async def say(self, text: str) -> None:
        """One line of complaint, under the command's name."""
        await self.process.stderr.write(os.fsencode(f"{self.name}: {text}\n"))

    async def fail(self, text: str, code: int = 1) -> None:
        self.code = code
        await self.say(text)


WRONG = 255
"""The exit code of Android's own commands when they are called wrongly."""


async def refuse(call: CommandCall, text: str, code: int = WRONG) -> None:
    """One of Android's own commands says why not, without its name before it."""
    call.code = code
    await call.process.stderr.write(f"{text}\n".encode("utf-8", "surrogateescape"))


Body = Callable[[CommandCall], Awaitable[None]]


def program(body: Body) -> Program:
    """Make a program of a command's body: usage errors and the exit code are seen to here."""

    async def run(process: Process) -> int:
        call = CommandCall(process)
        try:
            await body(call)
        except Usage as problem:
            await call.fail(str(problem))
        return call.code

    return run


def timed(run: Program) -> Program:
    """A program that takes as long as the phone's latency says, before it does anything."""

    async def late(process: Process) -> int:
        phone = process.phone
        if ms := phone.world.latency.of_command(process.arguments):
            await phone.clock.sleep(ms)
        return await run(process)

    return late


def clean(problem: OSError) -> str:
    return problem.strerror or str(problem)
