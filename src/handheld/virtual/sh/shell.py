"""The phone's sh: runs what `syntax` understands. What it lacks, it says; it never guesses."""

import asyncio
import contextlib
import os
import posixpath
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from ..system.processes import Running
from .builtins import BIN, BUILTINS, NAME, NOT_FOUND, SPECIAL, Exit, Jump, Return, Streams
from .command_tree import (
    Background,
    Case,
    Command,
    For,
    Function,
    Group,
    If,
    Loop,
    Pipeline,
    Redirection,
    Sequence,
    Simple,
    Subshell,
)
from .expansion import WORDS_SIZE, Problem, expand_all, expand_one, expand_pattern, get
from .patterns import fits
from .process import Input, Output, Process
from .streams import (
    LINE_SIZE,
    Collector,
    Discard,
    FileInput,
    FileOutput,
    Given,
    LineInput,
    Nothing,
    Pipe,
)
from .syntax import Incomplete, NotOffered, SyntaxProblem, parse

if TYPE_CHECKING:
    from ..phone import VirtualPhone

CANNOT_RUN = 126
BROKEN_PIPE = 141
INTERRUPTED = 130
SIGINT = 2
VARIABLES_SIZE = 256 * 1024
FUNCTIONS = 1000
LEVELS = 16
"""Shells and substitutions within each other."""
DEPTH = 60
"""Loops, conditions and functions within each other, as they run."""
TURNS = 10_000_000
"""Of one loop."""
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
        self.stdin: Input = stdin
        self.stdout: Output = stdout
        self.stderr: Output = stderr
        self.name = NAME
        self.pid = 0
        """Its own number while it runs, also that of its subshells."""
        self.variables = {**ENVIRONMENT, "HOSTNAME": phone.device, **environment}
        self.exported = set(self.variables)
        self.arguments: list[str] = []
        self.functions: dict[str, Command] = {}
        self.options: set[str] = set()
        """Of `set`: e, u and x."""
        self.code = 0
        self.last_words = ""
        """What `trap` wants run at the end."""
        self.last_job = 0
        self.jobs: dict[int, Running] = {}
        self.prompting = False
        self._level = level
        """How many shells and substitutions this one stands in."""
        self._depth = 0
        self._locals: list[dict[str, str | None]] = []
        """What the variables of each function that runs were before it."""
        self._conditions = 0
        """Above 0 while a failure is an answer and ends nothing."""
        self._substituted: int | None = None
        self._kept = contextlib.ExitStack()
        """Files that `exec` opened for good."""
        self._running: asyncio.Task[int] | None = None

    async def run(self, command: str) -> int:
        """Run `command`, or without one what comes in on stdin. The exit code."""
        if self._level > LEVELS:
            await self._say(f"{NAME}: can't fork - try again\n")
            return 1
        self.pid = self.phone.processes.enter_shell()
        try:
            with self._kept:
                code = await self._run_whole(command)
                if self.last_words:
                    self.code = code
                    await self._run_whole(self.last_words)
                await self._let_go()
                return code
        finally:
            self.phone.processes.leave_shell(self.pid)
            for job in self.jobs.values():
                job.task.cancel()

    async def _run_whole(self, command: str) -> int:
        try:
            return await (self.run_text(command) if command else self._run_lines())
        except (Exit, Return) as end:
            return end.code
        except Jump:
            return 0

    async def _let_go(self) -> None:
        """Jobs that write here are waited for, as adbd waits while anyone can still write; what
        writes elsewhere goes on without this shell."""
        for pid, job in list(self.jobs.items()):
            if job.writes_elsewhere:
                del self.jobs[pid]
            else:
                await asyncio.wait([job.task])

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
        """Parse and run. The exit code; raises Exit where the text says so."""
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
        for number, (operator, pipeline) in enumerate(body.steps):
            if (operator == "&&" and self.code) or (operator == "||" and not self.code):
                continue
            last = number + 1 == len(body.steps) or body.steps[number + 1][0] == ";"
            self._conditions += not last
            try:
                self.code = await self._run_pipeline(pipeline)
            finally:
                self._conditions -= not last
            decides = not last or pipeline.negated or self._conditions
            if self.code and "e" in self.options and not decides:
                raise Exit(self.code)
        return self.code

    async def _run_pipeline(self, pipeline: Pipeline) -> int:
        commands = pipeline.commands
        started = self.phone.clock.now()
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
        if pipeline.timed:
            minutes, seconds = divmod((self.phone.clock.now() - started) / 1000, 60)
            await self._say(
                f"{int(minutes):5d}m{seconds:05.2f}s real     0m00.00s user     0m00.00s system\n"
            )
        return int(not code) if pipeline.negated else code

    async def _run_stage(self, command: Command, source: Input, sink: Pipe | None) -> int:
        try:
            return await self._run_command(command)
        except (Exit, Return) as end:
            return end.code
        except Jump:
            return 0
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

    # Running one command

    async def _run_command(self, command: Command) -> int:
        stderr = self.stderr
        with contextlib.ExitStack() as opened:
            try:
                stdin, stdout, stderr = await self._redirect(command.redirections, opened)
                if isinstance(command, Simple):
                    return await self._run_simple(command, stdin, stdout, stderr, opened)
                if isinstance(command, Subshell):
                    child = self._child(stdin, stdout)
                    child.stderr = stderr
                    return await child._run_alone(command.body)
                return await self._run_within(command, stdin, stdout, stderr)
            except Problem as problem:
                await stderr.write(os.fsencode(f"{NAME}: {problem}\n"))
                if problem.fatal:
                    raise Exit(problem.code) from None
                return problem.code

    async def _run_alone(self, body: Sequence) -> int:
        """In this shell, which ends with it."""
        try:
            return await self._run_sequence(body)
        except (Exit, Return) as end:
            return end.code
        except Jump:
            return 0

    async def _run_within(
        self, command: Command, stdin: Input, stdout: Output, stderr: Output
    ) -> int:
        """A command made of commands, with its streams for as long as it runs."""
        before = (self.stdin, self.stdout, self.stderr)
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        try:
            self.descend()
            try:
                return await self._run_compound(command)
            finally:
                self.ascend()
        finally:
            self.stdin, self.stdout, self.stderr = before

    def descend(self) -> None:
        """Into a command that is made of commands. Raises Problem."""
        if self._depth >= DEPTH:
            raise Problem("recursion too deep", fatal=True)
        self._depth += 1

    def ascend(self) -> None:
        self._depth -= 1

    async def _run_compound(self, command: Command) -> int:
        match command:
            case Group(body):
                return await self._run_sequence(body)
            case If(branches, otherwise):
                for condition, body in branches:
                    if not await self._check(condition):
                        return await self._run_body(body)
                return 0 if otherwise is None else await self._run_body(otherwise)
            case Loop():
                return await self._run_loop(command)
            case For(name, words):
                values = self.arguments if words is None else await expand_all(self, words)
                return await self._run_for(command, list(values), name)
            case Case(word, branches):
                value = await expand_one(self, word)
                for patterns, body in branches:
                    for pattern in patterns:
                        if fits(await expand_pattern(self, pattern), value):
                            return await self._run_body(body)
                return 0
            case Function(name, body):
                if len(self.functions) >= FUNCTIONS:
                    raise Problem("out of memory")
                self.functions[name] = body
                return 0
            case Background(body):
                return self._start_job(body)
            case _:
                raise AssertionError(command)

    async def _run_body(self, body: Sequence) -> int:
        self.code = 0
        return await self._run_sequence(body)

    async def _check(self, condition: Sequence) -> int:
        self._conditions += 1
        try:
            return await self._run_sequence(condition)
        finally:
            self._conditions -= 1

    async def _run_loop(self, loop: Loop) -> int:
        code = 0
        for _ in range(TURNS):
            await asyncio.sleep(0)  # a busy script is not the only thing going on
            try:
                if bool(await self._check(loop.condition)) != loop.until:
                    return code
                code = await self._run_body(loop.body)
            except Jump as jump:
                if jump.leaves():
                    return 0
        raise Problem("loop too long")

    async def _run_for(self, loop: For, values: list[str], name: str) -> int:
        code = 0
        for value in values:
            await asyncio.sleep(0)
            self.set(name, value)
            try:
                code = await self._run_body(loop.body)
            except Jump as jump:
                if jump.leaves():
                    return 0
        return code

    def _start_job(self, body: Sequence) -> int:
        child = self._child(Nothing(), self.stdout)
        child.stderr = self.stderr
        try:
            job = self.phone.processes.start("sh", child._run_alone(body))
        except BlockingIOError:
            raise Problem("can't fork - try again") from None
        job.writes_elsewhere = all(_leads_away(pipeline) for _, pipeline in body.steps)
        self.jobs[job.pid] = job
        self.last_job = job.pid
        return 0

    async def _run_simple(
        self,
        command: Simple,
        stdin: Input,
        stdout: Output,
        stderr: Output,
        opened: contextlib.ExitStack,
    ) -> int:
        self._substituted = None
        words = await expand_all(self, command.words)
        given: dict[str, str] = {}
        for target, word in command.assignments:
            name, value = target.removesuffix("+"), await expand_one(self, word)
            if target.endswith("+"):
                value = given.get(name, get(self, name) or "") + value
            given[name] = value
            if not command.words:
                self.set(name, value)
        if "x" in self.options and (words or given):
            shown = [f"{name}={value}" for name, value in given.items()] + words
            await self._say(f"+ {' '.join(shown)}\n")
        if not words:
            return self._substituted or 0
        replaces = words[0] == "exec"
        if replaces:
            words = words[1:]
            if not words:
                self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
                self._kept.push(opened.pop_all())
                return 0
        if words[0] == "builtin" or (
            words[0] == "command" and words[1:2] not in ([], ["-v"], ["-V"])
        ):
            words = words[1:]
        elif words[0] in self.functions and not replaces:
            return await self._call(words, given, stdin, stdout, stderr)
        builtin = BUILTINS.get(words[0])
        if builtin is not None and not replaces:
            before = {name: self.variables.get(name) for name in given}
            for name, value in given.items():
                self.set(name, value)
            try:
                return await builtin(self, words, Streams(stdin, stdout, stderr))
            except BrokenPipeError:
                return BROKEN_PIPE
            except OSError as problem:
                raise Problem(f"{words[0]}: {problem.strerror}") from None
            finally:
                if words[0] not in SPECIAL:
                    self._put_back(before)
        environment = {name: self.variables[name] for name in self.exported} | given
        code = await self._run_program(words, environment, stdin, stdout, stderr)
        if replaces:
            raise Exit(code)
        return code

    async def _call(
        self,
        words: list[str],
        given: dict[str, str],
        stdin: Input,
        stdout: Output,
        stderr: Output,
    ) -> int:
        before = self.arguments
        self.arguments = words[1:]
        self._locals.append({})
        for name, value in given.items():
            self.declare_local(name)
            self.set(name, value)
        try:
            body = self.functions[words[0]]
            if not isinstance(body, Simple | Subshell):
                return await self._run_within(
                    Group(Sequence(((";", Pipeline((body,), False)),)), ()), stdin, stdout, stderr
                )
            return await self._run_command(body)
        except Return as end:
            return end.code
        finally:
            self.arguments = before
            self._put_back(self._locals.pop())

    def _put_back(self, values: dict[str, str | None]) -> None:
        for name, value in values.items():
            if value is None:
                self.variables.pop(name, None)
                self.exported.discard(name)
            else:
                self.variables[name] = value

    def declare_local(self, name: str) -> None:
        """Let the function that runs have a variable of its own."""
        if self._locals and name not in self._locals[-1] and name not in ("PWD", "HOME"):
            self._locals[-1][name] = self.variables.get(name)

    @property
    def in_function(self) -> bool:
        return bool(self._locals)

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
        if name.rpartition("/")[2] == "sh":
            environment[LEVEL] = str(self._level + 1)
        process = Process(self.phone, words, environment, stdin, stdout, stderr)

        async def run() -> int:
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
                if self.phone.files.may(whole, 1):
                    return _script(self, whole)
                raise Problem(f"{name}: can't execute: Permission denied", CANNOT_RUN)
        why = "inaccessible or not found" if self.phone.world.api >= 29 else "not found"
        raise Problem(f"{name}: {why}", NOT_FOUND)

    async def _redirect(
        self, redirections: tuple[Redirection, ...], opened: contextlib.ExitStack
    ) -> tuple[Input, Output, Output]:
        stdin = self.stdin
        outputs: dict[int, Output] = {1: self.stdout, 2: self.stderr}
        for redirection in redirections:
            fd, operator = redirection.fd, redirection.operator
            if redirection.here is not None:
                text = await expand_one(self, redirection.here.body)
                stdin = Given(os.fsencode(text))
                continue
            target = await expand_one(self, redirection.target)
            if operator in (">&", "<&"):
                if target == "-":
                    stdin = Nothing() if not fd else stdin
                    outputs[fd] = Discard()
                elif operator == "<&" and (fd, target) == (0, "0"):
                    pass
                elif not target.isdigit() or int(target) not in outputs:
                    raise Problem(f"{target}: bad file descriptor")
                else:
                    outputs[fd] = outputs[int(target)]
                continue
            path = posixpath.join(self.variables["PWD"], target)
            try:
                if operator == "<":
                    if fd != 0:
                        raise Problem(f"{fd}: bad file descriptor")
                    file = opened.enter_context(self.phone.files.open(path))
                    stdin = Nothing() if path == "/dev/null" else FileInput(file)
                elif path == "/dev/null":
                    outputs[fd] = Discard()
                elif path in ("/dev/stdout", "/dev/stderr", "/dev/tty"):
                    outputs[fd] = outputs[2 if path == "/dev/stderr" else 1]
                else:
                    append = operator == ">>"
                    file = opened.enter_context(self.phone.files.create(path, append=append))
                    outputs[fd] = FileOutput(file)
            except OSError as problem:
                verb = "open" if operator == "<" else "create"
                raise Problem(f"can't {verb} {target}: {problem.strerror}") from None
        return stdin, outputs[1], outputs[2]

    async def substitute(self, body: Sequence) -> str:
        """What a command prints, for `$(…)`. Raises Problem."""
        collector = Collector(WORDS_SIZE)
        child = self._child(self.stdin, collector)
        child._level += 1
        child._depth += 1
        if child._level > LEVELS or child._depth > DEPTH:
            raise Problem("can't fork - try again")
        try:
            self._substituted = await child._run_alone(body)
        finally:
            for job in child.jobs.values():
                if not job.writes_elsewhere:
                    job.task.cancel()
        return os.fsdecode(bytes(collector.data)).rstrip("\n").replace("\0", "")

    def set(self, name: str, value: str) -> None:
        size = sum(len(n) + len(v) for n, v in self.variables.items() if n != name)
        if size + len(value) > VARIABLES_SIZE:
            raise Problem("out of memory")
        self.variables[name] = value

    async def _say(self, text: str) -> None:
        await self.stderr.write(os.fsencode(text))


def _leads_away(pipeline: Pipeline) -> bool:
    """Whether both of a job's outputs go to files."""
    redirections = pipeline.commands[-1].redirections
    files = {one.fd for one in redirections if one.operator in (">", ">>", ">&")}
    return {1, 2} <= files and any(one.operator in (">", ">>") for one in redirections)


def _script(shell: Shell, path: str) -> Callable[[Process], Awaitable[int]]:
    """A file with the right to be run: a script, since there are no other programs than ours."""
    if shell._level >= LEVELS:  # pyright: ignore[reportPrivateUsage]
        raise Problem("can't fork - try again")

    async def run(process: Process) -> int:
        data = process.phone.files.read(path)
        first, _, _ = data.partition(b"\n")
        if b"\0" in data[:512] or (first.startswith(b"#!") and b"sh" not in first):
            raise OSError(8, "Exec format error")
        level = shell._level + 1  # pyright: ignore[reportPrivateUsage]
        inner = Shell(
            process.phone,
            process.stdin,
            process.stdout,
            process.stderr,
            dict(process.environment),
            level,
        )
        inner.name, inner.arguments = process.arguments[0], list(process.arguments[1:])
        return await inner.run(os.fsdecode(data) or ":")

    return run


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
            await process.stderr.write(os.fsencode(f"{NAME}: {flags}: unknown option\n"))
            return 1
        command |= "c" in flags
        shell.options |= set(flags) & set("eux")
    if command:
        if not words:
            await process.stderr.write(os.fsencode(f"{NAME}: -c: requires an argument\n"))
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
        await process.stderr.write(
            os.fsencode(f"{NAME}: can't open '{words[0]}': {problem.strerror}\n")
        )
        return NOT_FOUND
    shell.name, shell.arguments = words[0], words[1:]
    return await shell.run(os.fsdecode(script) or ":")


def _nice_name(words: list[str]) -> str:
    for word in words[1:]:
        if words[0].endswith("app_process") and word.startswith("--nice-name="):
            return word.removeprefix("--nice-name=")
    return words[0].rpartition("/")[2]
