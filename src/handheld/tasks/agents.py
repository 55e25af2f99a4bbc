"""Lets any program play a task: an MCP client whose environment says where the phone is and what to
do."""

import asyncio
import os
import shlex
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress

from ..clock import SYSTEM_CLOCK
from ..settings.environment import environment_with
from ..settings.programs import find_program
from .played_phone import PlayedPhone
from .players import Stuck
from .playing import Play
from .serving import serving

URL, TOKEN, SENTENCE = "PHONE_TASK_URL", "PHONE_TASK_TOKEN", "PHONE_TASK"
"""The variables that the program receives. The task's name is not among them: it may reveal a
trap."""
MOST_OUTPUT = 1_000_000
"""The most characters of its output that are kept. They are the last ones, because the answer is at
the end."""
_EXIT_SECONDS = 5.0


def by_program(command: str, seconds: float, surface: str = "agent") -> Play:
    """Start the command for each task. The last line of its output is its answer."""
    words = shlex.split(command)

    async def play(phone: PlayedPhone) -> str:
        assert phone.plan is not None
        async with serving(phone, surface) as (url, token):
            variables = {URL: url, TOKEN: token, SENTENCE: phone.plan.sentence}
            program = find_program(words[0])
            if not program:
                raise Stuck(f"{words[0]} does not start: it was not found.")
            try:
                process = await asyncio.create_subprocess_exec(
                    program,
                    *words[1:],
                    stdin=DEVNULL,
                    stdout=PIPE,
                    env=environment_with(variables),
                    start_new_session=True,
                )
            except OSError as problem:
                raise Stuck(f"{words[0]} does not start: {problem.strerror}.") from problem
            try:
                async with SYSTEM_CLOCK.timeout(seconds):
                    printed = await _output(process)
                    code = await process.wait()
            except TimeoutError:
                raise Stuck(f"The agent had not ended after {seconds:g} s.") from None
            finally:
                await _end(process)
        if code:
            raise Stuck(f"The agent ended with exit code {code}.")
        lines = [line for line in printed.splitlines() if line.strip()]
        return lines[-1].strip() if lines else ""

    return play


async def _output(process: Process) -> str:
    assert process.stdout is not None
    kept = b""
    while chunk := await process.stdout.read(65_536):
        kept = (kept + chunk)[-MOST_OUTPUT:]
    return kept.decode(errors="replace")


async def _end(process: Process) -> None:
    """End the program and the processes in its process group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(TimeoutError):
            async with SYSTEM_CLOCK.timeout(_EXIT_SECONDS):
                await process.wait()
