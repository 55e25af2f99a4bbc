"""Execution of a syntax tree in a shell."""

import asyncio
import contextlib
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from .builtins import BUILTINS, SPECIAL, Exit, Jump, Return
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
    Sequence,
    Simple,
    Subshell,
)
from .expansion import Problem, expand_all, expand_one, expand_pattern, get
from .patterns import fits
from .process import Input
from .programs import BROKEN_PIPE, run_program
from .redirection import redirect
from .streams import Nothing, Pipe, Streams

if TYPE_CHECKING:
    from .shell import Shell

FUNCTIONS = 1000
TURNS = 10_000_000
"""The limit of iterations in a loop."""


async def run_to_end(running: Awaitable[int]) -> int:
    """Run the last commands of a shell; return its exit code, also after `exit` or an error."""
    try:
        return await running
    except (Exit, Return) as end:
        return end.code
    except Jump:
        return 0


async def run_sequence(shell: "Shell", body: Sequence) -> int:
    for number, (operator, pipeline) in enumerate(body.steps):
        if (operator == "&&" and shell.code) or (operator == "||" and not shell.code):
            continue
        last = number + 1 == len(body.steps) or body.steps[number + 1][0] == ";"
        with contextlib.nullcontext() if last else shell.condition():
            shell.code = await _run_pipeline(shell, pipeline)
        decides = not last or pipeline.negated or shell.in_condition
        if shell.code and "e" in shell.options and not decides:
            raise Exit(shell.code)
    return shell.code


async def _run_pipeline(shell: "Shell", pipeline: Pipeline) -> int:
    commands = pipeline.commands
    started = shell.phone.clock.now()
    if len(commands) == 1:
        code = await _run_command(shell, commands[0])
    else:
        code = await _run_stages(shell, commands)
    if pipeline.timed:
        minutes, seconds = divmod((shell.phone.clock.now() - started) / 1000, 60)
        await shell.print(
            f"{int(minutes):5d}m{seconds:05.2f}s real     0m00.00s user     0m00.00s system\n"
        )
    return int(not code) if pipeline.negated else code


async def _run_stages(shell: "Shell", commands: tuple[Command, ...]) -> int:
    """Run the stages of a pipeline concurrently; return the last exit code."""
    source: Input = shell.streams.stdin
    tasks: list[asyncio.Task[int]] = []
    async with asyncio.TaskGroup() as group:
        for number, command in enumerate(commands, 1):
            sink = Pipe() if number < len(commands) else None
            streams = shell.streams._replace(stdin=source, stdout=sink or shell.streams.stdout)
            stage = _run_stage(shell.child(streams), command, source, sink)
            tasks.append(group.create_task(stage))
            source = sink or source
    return tasks[-1].result()


async def _run_stage(shell: "Shell", command: Command, source: Input, sink: Pipe | None) -> int:
    try:
        return await run_to_end(_run_command(shell, command))
    except BrokenPipeError:
        return BROKEN_PIPE
    finally:
        if sink is not None:
            sink.end()
        if isinstance(source, Pipe):
            source.stop()


async def _run_command(shell: "Shell", command: Command) -> int:
    streams = shell.streams
    with contextlib.ExitStack() as opened:
        try:
            streams = await redirect(shell, command.redirections, opened)
            if isinstance(command, Simple):
                return await _run_simple(shell, command, streams, opened)
            if isinstance(command, Subshell):
                return await run_to_end(run_sequence(shell.child(streams), command.body))
            return await _run_within(shell, command, streams)
        except Problem as problem:
            await streams.report(str(problem))
            if problem.fatal:
                raise Exit(problem.code) from None
            return problem.code


# Compound commands


async def _run_within(shell: "Shell", command: Command, streams: Streams) -> int:
    """Run a compound command with redirected streams."""
    before, shell.streams = shell.streams, streams
    try:
        with shell.deeper():
            return await _run_compound(shell, command)
    finally:
        shell.streams = before


async def _run_compound(shell: "Shell", command: Command) -> int:
    match command:
        case Group(body):
            return await run_sequence(shell, body)
        case If(branches, otherwise):
            for condition, body in branches:
                if not await _check(shell, condition):
                    return await _run_body(shell, body)
            return 0 if otherwise is None else await _run_body(shell, otherwise)
        case Loop():
            return await _run_loop(shell, command)
        case For():
            return await _run_for(shell, command)
        case Case(word, branches):
            value = await expand_one(shell, word)
            for patterns, body in branches:
                for pattern in patterns:
                    if fits(await expand_pattern(shell, pattern), value):
                        return await _run_body(shell, body)
            return 0
        case Function(name, body):
            if len(shell.functions) >= FUNCTIONS:
                raise Problem("out of memory")
            shell.functions[name] = body
            return 0
        case Background(body):
            return _start_job(shell, body)
        case _:
            raise AssertionError(command)


async def _run_body(shell: "Shell", body: Sequence) -> int:
    shell.code = 0
    return await run_sequence(shell, body)


async def _check(shell: "Shell", condition: Sequence) -> int:
    with shell.condition():
        return await run_sequence(shell, condition)


async def _run_loop(shell: "Shell", loop: Loop) -> int:
    code = 0
    for _ in range(TURNS):
        await asyncio.sleep(0)  # let other tasks run during a busy script
        try:
            if bool(await _check(shell, loop.condition)) != loop.until:
                return code
            code = await _run_body(shell, loop.body)
        except Jump as jump:
            if jump.leaves():
                return 0
    raise Problem("loop too long")


async def _run_for(shell: "Shell", loop: For) -> int:
    code = 0
    values = shell.arguments if loop.words is None else await expand_all(shell, loop.words)
    for value in list(values):
        await asyncio.sleep(0)
        shell.set(loop.name, value)
        try:
            code = await _run_body(shell, loop.body)
        except Jump as jump:
            if jump.leaves():
                return 0
    return code


def _start_job(shell: "Shell", body: Sequence) -> int:
    child = shell.child(shell.streams._replace(stdin=Nothing()))
    try:
        job = shell.phone.processes.start("sh", run_to_end(run_sequence(child, body)))
    except BlockingIOError:
        raise Problem("can't fork - try again") from None
    job.writes_elsewhere = all(_leads_away(pipeline) for _, pipeline in body.steps)
    commands = [command for _, pipeline in body.steps for command in pipeline.commands]
    job.is_program = len(commands) == 1 and isinstance(commands[0], Simple)
    shell.jobs[job.pid] = job
    shell.last_job = job.pid
    return 0


def _leads_away(pipeline: Pipeline) -> bool:
    """Whether both of a job's outputs go to files."""
    redirections = pipeline.commands[-1].redirections
    files = {
        redirection.fd for redirection in redirections if redirection.operator in (">", ">>", ">&")
    }
    return {1, 2} <= files and any(
        redirection.operator in (">", ">>") for redirection in redirections
    )


# Simple commands


async def _run_simple(
    shell: "Shell", command: Simple, streams: Streams, opened: contextlib.ExitStack
) -> int:
    shell.substituted = 0
    words = await expand_all(shell, command.words)
    given: dict[str, str] = {}
    for target, word in command.assignments:
        name, value = target.removesuffix("+"), await expand_one(shell, word)
        if target.endswith("+"):
            value = given.get(name, get(shell, name) or "") + value
        given[name] = value
        if not command.words:
            shell.set(name, value)
    if "x" in shell.options and (words or given):
        shown = [f"{name}={value}" for name, value in given.items()] + words
        await shell.print(f"+ {' '.join(shown)}\n")
    if not words:
        return shell.substituted
    replaces = words[0] == "exec"
    if replaces:
        words = words[1:]
        if not words:
            shell.streams = streams
            shell.kept.push(opened.pop_all())
            return 0
    if words[0] == "builtin" or (words[0] == "command" and words[1:2] not in ([], ["-v"], ["-V"])):
        words = words[1:]
    elif words[0] in shell.functions and not replaces:
        return await _call(shell, words, given, streams)
    if words[0] in BUILTINS and not replaces:
        return await _run_builtin(shell, words, given, streams)
    environment = {name: shell.variables[name] for name in shell.exported} | given
    code = await run_program(shell, words, environment, streams)
    if replaces:
        raise Exit(code)
    return code


async def _run_builtin(
    shell: "Shell", words: list[str], given: dict[str, str], streams: Streams
) -> int:
    before = {name: shell.variables.get(name) for name in given}
    for name, value in given.items():
        shell.set(name, value)
    try:
        return await BUILTINS[words[0]](shell, words, streams)
    except BrokenPipeError:
        return BROKEN_PIPE
    except OSError as problem:
        raise Problem(f"{words[0]}: {problem.strerror}") from None
    finally:
        if words[0] not in SPECIAL:
            shell.put_back(before)


async def _call(shell: "Shell", words: list[str], given: dict[str, str], streams: Streams) -> int:
    """Call a function of the script."""
    body = shell.functions[words[0]]
    with shell.function(words[1:]):
        for name, value in given.items():
            shell.declare_local(name)
            shell.set(name, value)
        try:
            if isinstance(body, Simple | Subshell):
                return await _run_command(shell, body)
            within = Group(Sequence(((";", Pipeline((body,), False)),)), ())
            return await _run_within(shell, within, streams)
        except Return as end:
            return end.code
