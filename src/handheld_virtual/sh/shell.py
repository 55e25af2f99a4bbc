"""The phone's sh: a shell's state, and the reading of its commands.

Unsupported syntax is reported, never guessed.
"""

import asyncio
import contextlib
import os
import posixpath
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING

from ..system.processes import Running
from .command_tree import Command, Sequence
from .execution import run_sequence, run_to_end
from .expansion import WORDS_SIZE, Problem
from .process import Input, Output, Process
from .programs import LEVEL, NOT_FOUND
from .streams import LINE_SIZE, NAME, Collector, LineInput, Streams
from .syntax import parse
from .words import Incomplete, SyntaxProblem, Unsupported

if TYPE_CHECKING:
    from ..phone import VirtualPhone

INTERRUPTED = 130
VARIABLES_SIZE = 256 * 1024
LEVELS = 16
"""The limit of nested shells and substitutions."""
DEPTH = 60
"""The limit of nested loops, conditions and functions at run time."""

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


class Shell:
    """A shell: its variables, its working directory, and the streams of its commands."""

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
        self.streams = Streams(stdin, stdout, stderr)
        self.name = NAME
        self.pid = 0
        """The shell's pid while it runs, also in its subshells."""
        self.variables = {**ENVIRONMENT, "HOSTNAME": phone.device, **environment}
        self.exported = set(self.variables)
        self.arguments: list[str] = []
        self.functions: dict[str, Command] = {}
        self.options: set[str] = set()
        """The options of `set`: e, u and x."""
        self.code = 0
        self.substituted = 0
        """The exit code of the last `$(…)`."""
        self.last_words = ""
        """The commands of `trap … EXIT`."""
        self.last_job = 0
        self.jobs: dict[int, Running] = {}
        self.prompting = False
        self.level = level
        """The number of enclosing shells and substitutions."""
        self.kept = contextlib.ExitStack()
        """Files that `exec` opened permanently."""
        self._depth = 0
        self._locals: list[dict[str, str | None]] = []
        """For each running function, the previous values of its local variables."""
        self._conditions = 0
        self._running: asyncio.Task[int] | None = None

    async def run(self, command: str) -> int:
        """Run `command`, or the commands from stdin. Return the exit code."""
        if self.level > LEVELS:
            await self.streams.report("can't fork - try again")
            return 1
        self.pid = self.phone.processes.enter_shell()
        try:
            with self.kept:
                code = await run_to_end(self.run_text(command) if command else self._run_lines())
                if self.last_words:
                    self.code = code
                    await run_to_end(self.run_text(self.last_words))
                await self._let_go()
                return code
        finally:
            self.phone.processes.leave_shell(self.pid)
            for job in self.jobs.values():
                job.task.cancel()

    async def _let_go(self) -> None:
        """Wait for jobs that write to this shell's output, as adbd waits for all its writers. Other
        jobs outlive the shell."""
        for pid, job in list(self.jobs.items()):
            if job.writes_elsewhere:
                del self.jobs[pid]
            else:
                await asyncio.wait([job.task])

    def interrupt(self) -> bool:
        """Terminate the running command, as Ctrl-C does. Return whether there was one."""
        if self._running is None or self._running.done():
            return False
        self._running.cancel()
        return True

    # Reading commands

    async def _run_lines(self) -> int:
        lines = LineInput(self.streams.stdin)
        self.streams = self.streams._replace(stdin=lines)
        text = ""
        while True:
            if self.prompting:
                where = self.variables["PWD"]
                await self.print("> " if text else f"{self.phone.device}:{where} $ ")
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
            self._running = asyncio.ensure_future(self.run_text(text))
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

    async def run_text(self, text: str) -> int:
        """Parse and run a text; return the exit code. Raises Exit for `exit` in the text."""
        try:
            body = parse(text)
        except SyntaxProblem as problem:
            await self.streams.report(str(problem))
            return NOT_FOUND if isinstance(problem, Unsupported) else 1
        return await run_sequence(self, body)

    async def print(self, text: str) -> None:
        """Print a prompt, a trace or times to stderr."""
        await self.streams.stderr.write(os.fsencode(text))

    # Nested shells

    def child(self, streams: Streams) -> "Shell":
        """A subshell: it starts with a copy of this shell's state."""
        child = Shell(self.phone, *streams, self.variables, self.level)
        child.variables = dict(self.variables)
        child.exported = set(self.exported)
        child.arguments = list(self.arguments)
        child.functions = dict(self.functions)
        child.options = set(self.options)
        child.name, child.pid, child.last_job = self.name, self.pid, self.last_job
        child.code = self.code
        child._depth = self._depth
        child._conditions = self._conditions
        return child

    def inner(self, process: Process) -> "Shell":
        """A shell that inherits only the environment, for a script."""
        streams = (process.stdin, process.stdout, process.stderr)
        inner = Shell(process.phone, *streams, process.environment, self.level + 1)
        inner.name, inner.arguments = process.arguments[0], list(process.arguments[1:])
        return inner

    @property
    def at_last_level(self) -> bool:
        return self.level >= LEVELS

    async def substitute(self, body: Sequence) -> str:
        """Run a command for `$(…)` and return its output. Raises Problem."""
        if self.at_last_level or self._depth >= DEPTH:
            raise Problem("can't fork - try again")
        collector = Collector(WORDS_SIZE)
        child = self.child(self.streams._replace(stdout=collector))
        child.level += 1
        child._depth += 1
        try:
            self.substituted = await run_to_end(run_sequence(child, body))
        finally:
            for job in child.jobs.values():
                if not job.writes_elsewhere:
                    job.task.cancel()
        return os.fsdecode(bytes(collector.data)).rstrip("\n").replace("\0", "")

    # Position in a script

    @contextlib.contextmanager
    def deeper(self) -> Generator[None]:
        """Enter a compound command. Raises Problem."""
        if self._depth >= DEPTH:
            raise Problem("recursion too deep", fatal=True)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    @contextlib.contextmanager
    def condition(self) -> Generator[None]:
        """Evaluate a condition: within the block, a failure does not end the script."""
        self._conditions += 1
        try:
            yield
        finally:
            self._conditions -= 1

    @property
    def in_condition(self) -> bool:
        return self._conditions > 0

    @contextlib.contextmanager
    def function(self, arguments: list[str]) -> Generator[None]:
        """Run a function with its arguments and local variables."""
        before, self.arguments = self.arguments, arguments
        self._locals.append({})
        try:
            yield
        finally:
            self.arguments = before
            self.put_back(self._locals.pop())

    @property
    def in_function(self) -> bool:
        return bool(self._locals)

    # Variables

    def set(self, name: str, value: str) -> None:
        size = sum(len(n) + len(v) for n, v in self.variables.items() if n != name)
        if size + len(value) > VARIABLES_SIZE:
            raise Problem("out of memory")
        self.variables[name] = value

    def declare_local(self, name: str) -> None:
        """Make a variable local to the running function."""
        if self._locals and name not in self._locals[-1] and name not in ("PWD", "HOME"):
            self._locals[-1][name] = self.variables.get(name)

    def put_back(self, values: Mapping[str, str | None]) -> None:
        """Restore the previous values of variables; None unsets one."""
        for name, value in values.items():
            if value is None:
                self.variables.pop(name, None)
                self.exported.discard(name)
            else:
                self.variables[name] = value


async def run_sh(process: Process) -> int:
    """The `sh` program."""
    environment = dict(process.environment)
    level = int(environment.pop(LEVEL, "0"))
    shell = Shell(process.phone, process.stdin, process.stdout, process.stderr, environment, level)
    words = list(process.arguments[1:])
    command = False
    while words and words[0][:1] in ("-", "+") and len(words[0]) > 1:
        flags = words.pop(0)
        if flags == "--":
            break
        known = set(flags[1:]) <= set("ceuxils") and flags[0] == "-"
        if not known:
            await shell.streams.report(f"{flags}: unknown option")
            return 1
        command |= "c" in flags
        shell.options |= set(flags) & set("eux")
    if command:
        if not words:
            await shell.streams.report("-c: requires an argument")
            return 1
        if len(words) > 1:
            shell.name, shell.arguments = words[1], words[2:]
        return await shell.run(words[0] or ":")
    if not words:
        return await shell.run("")
    path = posixpath.join(shell.variables["PWD"], words[0])
    try:
        script = process.phone.files.read(path)
    except OSError as problem:
        await shell.streams.report(f"can't open '{words[0]}': {problem.strerror}")
        return NOT_FOUND
    shell.name, shell.arguments = words[0], words[1:]
    return await shell.run(os.fsdecode(script) or ":")
