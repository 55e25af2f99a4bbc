"""The phone's sh: runs what `syntax` understands. What it lacks, it says; it never guesses."""

import asyncio
import contextlib
import os
import posixpath
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from .builtins import BIN, BUILTINS, NAME, NOT_FOUND, Exit, Outputs
from .patterns import has_pattern, match_paths, quote_pattern
from .process import Input, Output, Process
from .streams import LINE_SIZE, Collector, Discard, FileInput, FileOutput, LineInput, Nothing, Pipe
from .syntax import (
    Incomplete,
    Literal,
    NotOffered,
    Pipeline,
    Redirection,
    Sequence,
    Simple,
    Subshell,
    Substitution,
    SyntaxProblem,
    Variable,
    Word,
    parse,
)

if TYPE_CHECKING:
    from .phone import VirtualPhone

CANNOT_RUN = 126
BROKEN_PIPE = 141
INTERRUPTED = 130
SIGINT = 2
WORDS_SIZE = 128 * 1024
"""Of one command's words together, and of a substitution's output."""
VARIABLES_SIZE = 256 * 1024
LEVELS = 16
LEVEL = "sh level"
"""Tells an `sh` how deep it stands. No variable of a script can have this name."""

ENVIRONMENT = {
    "ANDROID_DATA": "/data",
    "ANDROID_ROOT": "/system",
    "EXTERNAL_STORAGE": "/sdcard",
    "HOME": "/",
    "LOGNAME": "shell",
    "PATH": "/product/bin:/apex/com.android.runtime/bin:/system/bin:/vendor/bin",
    "PWD": "/",
    "SHELL": "/bin/sh",
    "TERM": "dumb",
    "TMPDIR": "/data/local/tmp",
    "USER": "shell",
}


class Problem(Exception):
    """A command cannot be run. The message is what the shell prints."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


class Shell:
    """One shell: variables, a folder, and where its commands read and write."""

    def __init__(
        self,
        phone: "VirtualPhone",
        stdin: Input,
        stdout: Output,
        stderr: Output,
        environment: Mapping[str, str],
        level: int = 0,
    ) -> None:
        self.phone = phone
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.variables = {**ENVIRONMENT, "HOSTNAME": phone.device, **environment}
        self.exported = set(self.variables)
        self.code = 0
        self.prompting = False
        self._level = level
        """How many shells and substitutions this one stands in."""
        self._running: asyncio.Task[int] | None = None

    async def run(self, command: str) -> int:
        """Run `command`, or without one what comes in on stdin. The exit code."""
        if self._level > LEVELS:
            await self._say(f"{NAME}: can't fork - try again\n")
            return 1
        try:
            if command:
                return await self._run_text(command)
            return await self._run_lines()
        except Exit as end:
            return end.code

    def interrupt(self) -> bool:
        """Ctrl-C: end the command that runs. Whether there was one."""
        if self._running is None or self._running.done():
            return False
        self._running.cancel()
        return True

    # Reading commands

    async def _run_lines(self) -> int:
        lines = LineInput(self.stdin)
        self.stdin = lines
        text = ""
        while True:
            if self.prompting:
                where = self.variables["PWD"]
                await self._say("> " if text else f"{self.phone.device}:{where} $ ")
            line = await lines.read_line()
            if not line and not text:
                return self.code
            text += os.fsdecode(line)
            try:
                parse(text)
            except Incomplete:
                if line and len(text) < LINE_SIZE:
                    continue
            except SyntaxProblem:
                pass
            self._running = asyncio.ensure_future(self._run_text(text))
            text = ""
            try:
                self.code = await self._running
            except asyncio.CancelledError:
                own = asyncio.current_task()
                if own is not None and own.cancelling():
                    raise
                self.code = INTERRUPTED
            finally:
                self._running = None

    async def _run_text(self, text: str) -> int:
        try:
            body = parse(text)
        except NotOffered as problem:
            await self._say(f"{NAME}: {problem}\n")
            return NOT_FOUND
        except SyntaxProblem as problem:
            await self._say(f"{NAME}: {problem}\n")
            return 1
        return await self._run_sequence(body)

    async def _run_sequence(self, body: Sequence) -> int:
        for operator, pipeline in body.steps:
            if (operator == "&&" and self.code) or (operator == "||" and not self.code):
                continue
            self.code = await self._run_pipeline(pipeline)
        return self.code

    async def _run_pipeline(self, pipeline: Pipeline) -> int:
        commands = pipeline.commands
        if len(commands) == 1:
            code = await self._run_command(commands[0])
        else:
            async with asyncio.TaskGroup() as group:
                source: Input = self.stdin
                tasks: list[asyncio.Task[int]] = []
                for command in commands[:-1]:
                    pipe = Pipe()
                    stage = self._child(source, pipe)
                    tasks.append(group.create_task(stage._run_stage(command, source, pipe)))
                    source = pipe
                last = self._child(source, self.stdout)
                tasks.append(group.create_task(last._run_stage(commands[-1], source, None)))
            code = tasks[-1].result()
        return int(not code) if pipeline.negated else code

    async def _run_stage(self, command: Simple | Subshell, source: Input, sink: Pipe | None) -> int:
        try:
            return await self._run_command(command)
        except Exit as end:
            return end.code
        except BrokenPipeError:
            return BROKEN_PIPE
        finally:
            if sink is not None:
                sink.end()
            if isinstance(source, Pipe):
                source.stop()

    def _child(self, stdin: Input, stdout: Output) -> "Shell":
        """A shell that starts with what this one knows, and keeps what it learns to itself."""
        child = Shell(self.phone, stdin, stdout, self.stderr, self.variables, self._level)
        child.exported = set(self.exported)
        child.code = self.code
        return child

    # Running one command

    async def _run_command(self, command: Simple | Subshell) -> int:
        stderr = self.stderr
        with contextlib.ExitStack() as opened:
            try:
                stdin, stdout, stderr = await self._redirect(command.redirections, opened)
                if isinstance(command, Simple):
                    return await self._run_simple(command, stdin, stdout, stderr)
                child = self._child(stdin, stdout)
                child.stderr = stderr
                try:
                    return await child._run_sequence(command.body)
                except Exit as end:
                    return end.code
            except Problem as problem:
                await stderr.write(os.fsencode(f"{NAME}: {problem}\n"))
                return problem.code

    async def _run_simple(
        self, command: Simple, stdin: Input, stdout: Output, stderr: Output
    ) -> int:
        self.code, before = 0, self.code
        words = await self._expand_all(command.words, before)
        given: dict[str, str] = {}
        for name, word in command.assignments:
            given[name] = "".join(await self._expand(word, before, split=False))
        if not words:
            for name, value in given.items():
                self.set(name, value)
            return self.code
        replaces = False
        if words[0] == "exec":
            words, replaces = words[1:], True
            if not words:
                raise Problem("exec: redirections alone are not offered by this phone's shell")
        builtin = BUILTINS.get(words[0])
        if builtin is not None and not replaces:
            for name, value in given.items():
                self.set(name, value)
            self.code = before
            try:
                return await builtin(self, words, Outputs(stdout, stderr))
            except BrokenPipeError:
                return BROKEN_PIPE
            except OSError as problem:
                raise Problem(f"{words[0]}: {problem.strerror}") from None
        environment = {name: self.variables[name] for name in self.exported} | given
        code = await self._run_program(words, environment, stdin, stdout, stderr)
        if replaces:
            raise Exit(code)
        return code

    async def _run_program(
        self,
        words: list[str],
        environment: dict[str, str],
        stdin: Input,
        stdout: Output,
        stderr: Output,
    ) -> int:
        name = words[0]
        program = self._program(name)
        process = Process(self.phone, words, environment, stdin, stdout, stderr)
        if name.rpartition("/")[2] == "sh":
            environment[LEVEL] = str(self._level + 1)

        async def run() -> int:
            if late := self.phone.world.latency.of_command(words):
                await self.phone.clock.sleep(late)
            try:
                return await program(process)
            except BrokenPipeError:
                return BROKEN_PIPE
            except OSError as problem:
                with contextlib.suppress(BrokenPipeError):
                    await stderr.write(f"{name}: {problem.strerror}\n".encode())
                return 1

        try:
            return await self.phone.processes.run(_nice_name(words), run())
        except BlockingIOError:
            raise Problem("can't fork - try again") from None

    def _program(self, name: str) -> Callable[[Process], Awaitable[int]]:
        programs = self.phone.programs
        if "/" not in name and name in programs:
            return programs[name]
        if "/" in name:
            whole = posixpath.normpath(posixpath.join(self.variables["PWD"], name))
            short = whole.removeprefix(BIN)
            if whole.startswith(BIN) and short in programs:
                return programs[short]
            if self.phone.files.is_folder(whole):
                raise Problem(f"{name}: can't execute: Is a directory", CANNOT_RUN)
            if self.phone.files.exists(whole):
                raise Problem(f"{name}: can't execute: Permission denied", CANNOT_RUN)
        raise Problem(f"{name}: inaccessible or not found", NOT_FOUND)

    async def _redirect(
        self, redirections: tuple[Redirection, ...], opened: contextlib.ExitStack
    ) -> tuple[Input, Output, Output]:
        stdin, outputs = self.stdin, {1: self.stdout, 2: self.stderr}
        for redirection in redirections:
            target = "".join(await self._expand(redirection.target, self.code, split=False))
            if redirection.operator == ">&":
                if redirection.fd not in outputs or target not in ("1", "2"):
                    raise Problem(f"{target}: bad file descriptor")
                outputs[redirection.fd] = outputs[int(target)]
                continue
            path = posixpath.join(self.variables["PWD"], target)
            try:
                if redirection.operator == "<":
                    if redirection.fd != 0:
                        raise Problem(f"{redirection.fd}: bad file descriptor")
                    file = opened.enter_context(self.phone.files.open(path))
                    stdin = Nothing() if path == "/dev/null" else FileInput(file)
                elif redirection.fd not in outputs:
                    raise Problem(f"{redirection.fd}: bad file descriptor")
                elif path == "/dev/null":
                    outputs[redirection.fd] = Discard()
                else:
                    append = redirection.operator == ">>"
                    file = opened.enter_context(self.phone.files.create(path, append=append))
                    outputs[redirection.fd] = FileOutput(file)
            except OSError as problem:
                verb = "open" if redirection.operator == "<" else "create"
                raise Problem(f"can't {verb} {target}: {problem.strerror}") from None
        return stdin, outputs[1], outputs[2]

    # Expanding words

    async def _expand_all(self, words: tuple[Word, ...], before: int) -> list[str]:
        result: list[str] = []
        size = 0
        for word in words:
            for text in await self._expand(word, before, split=True):
                size += len(text) + 1
                if size > WORDS_SIZE:
                    raise Problem("argument list too long")
                result.append(text)
        return result

    async def _expand(self, word: Word, before: int, *, split: bool) -> list[str]:
        """The words that `word` becomes: one, or where it is split or matched any number."""
        fields: list[list[tuple[str, bool]]] = [[]]
        for part in word:
            if isinstance(part, Literal):
                fields[-1].append((part.text, part.quoted))
                continue
            if isinstance(part, Variable):
                value = self._value(part, before)
            else:
                value = await self._substitute(part)
            if part.quoted or not split:
                fields[-1].append((value, part.quoted))
                continue
            pieces = re.split("[ \t\n]+", value)
            fields[-1].append((pieces[0], False))
            fields += [[(piece, False)] for piece in pieces[1:]]
        result: list[str] = []
        for field in fields:
            text = "".join(piece for piece, _ in field)
            if split and any(not quoted and has_pattern(piece) for piece, quoted in field):
                pattern = "".join(quote_pattern(one) if quoted else one for one, quoted in field)
                found = match_paths(self.phone.files, self.variables["PWD"], pattern)
                result += found or [text]
            elif text or not split or any(quoted for _, quoted in field):
                result.append(text)
        return result

    def _value(self, variable: Variable, before: int) -> str:
        match variable.name:
            case "?":
                return str(before)
            case "$":
                return "2000"
            case "0":
                return NAME
            case "#":
                return "0"
            case name:
                return self.variables.get(name) or variable.default

    async def _substitute(self, part: Substitution) -> str:
        collector = Collector(WORDS_SIZE)
        child = self._child(self.stdin, collector)
        child._level += 1
        if child._level > LEVELS:
            raise Problem("can't fork - try again")
        try:
            self.code = await child._run_sequence(part.body)
        except Exit as end:
            self.code = end.code
        return os.fsdecode(bytes(collector.data)).rstrip("\n").replace("\0", "")

    def set(self, name: str, value: str) -> None:
        size = sum(len(n) + len(v) for n, v in self.variables.items() if n != name)
        if size + len(value) > VARIABLES_SIZE:
            raise Problem("out of memory")
        self.variables[name] = value

    async def _say(self, text: str) -> None:
        await self.stderr.write(os.fsencode(text))


async def run_sh(process: Process) -> int:
    """The `sh` program."""
    environment = dict(process.environment)
    level = int(environment.pop(LEVEL, "0"))
    shell = Shell(process.phone, process.stdin, process.stdout, process.stderr, environment, level)
    words = process.arguments[1:]
    if not words:
        return await shell.run("")
    if words[0] == "-c" and len(words) == 2:
        return await shell.run(words[1])
    if not words[0].startswith("-") and len(words) == 1:
        path = posixpath.join(shell.variables["PWD"], words[0])
        try:
            script = process.phone.files.read(path)
        except OSError as problem:
            await process.stderr.write(
                os.fsencode(f"{NAME}: can't open '{words[0]}': {problem.strerror}\n")
            )
            return NOT_FOUND
        return await shell.run(os.fsdecode(script) or ":")
    await process.stderr.write(b"/system/bin/sh: only sh, sh FILE and sh -c COMMAND are offered\n")
    return NOT_FOUND


def _nice_name(words: list[str]) -> str:
    for word in words[1:]:
        if words[0].endswith("app_process") and word.startswith("--nice-name="):
            return word.removeprefix("--nice-name=")
    return words[0].rpartition("/")[2]
