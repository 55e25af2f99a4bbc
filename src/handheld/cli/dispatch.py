"""Running a command: its function, its logging, its exit code."""

import argparse
import gc
import logging
import os
import signal
import sys
from collections.abc import Coroutine
from typing import Any

from ..access.owner_token import TokenError
from ..devices.ownership import OwnerError
from ..errors import ToolError
from ..settings import Settings, SettingsError, unknown_variables
from .arguments import COMMANDS
from .exit_codes import INTERRUPTED, USAGE_ERROR
from .parsers import Command
from .terminal import print_error

LAST_SECONDS = 4.5
"""How long a command may take to stop."""


def run(given: argparse.Namespace, settings: Settings) -> int:
    """Run the command. Expected failures print their message and return 1."""
    logging.basicConfig(
        stream=sys.stderr,
        level=settings.log_level.upper(),
        format="%(asctime)s %(levelname)s %(message)s",
        datefmt="%H:%M:%S",
    )
    # These libraries log every step, download URLs with the secrets in them, too.
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)
    for warning in unknown_variables():
        print_error(warning)
    try:
        command = COMMANDS[given.command]
        done = command.function(given.command)(given, settings)
        if isinstance(done, int):
            return done
        import asyncio  # a third of a short command, which some do without

        return asyncio.run(_until_stopped(done, command, given))
    except SettingsError as problem:
        print_error(str(problem))
        return USAGE_ERROR
    except (OwnerError, TokenError, ToolError) as problem:
        print_error(str(problem))
        return 1


async def _until_stopped(
    work: Coroutine[Any, Any, int], command: Command, given: argparse.Namespace
) -> int:
    """SIGINT and SIGTERM cancel the command, so that it can close what it opened. The second one
    ends the process."""
    import asyncio

    if not command.serves:  # those look for garbage once they serve
        gc.enable()
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)

    def stop(*_: object) -> None:
        # Not by the event loop alone, which something may hold up. The kernel ends the process if
        # a call, or a thread that nothing can interrupt, still runs by then.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, LAST_SECONDS)
        for number in before:
            signal.signal(number, _end)
        loop.call_soon_threadsafe(task.cancel)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, stop)
    try:
        return await task
    except asyncio.CancelledError:
        serves = command.serves or (given.command == "tasks" and given.action == "start")
        return 0 if serves else INTERRUPTED
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is stop:  # else the process ends, which takes a while
                signal.signal(number, handler)


def _end(*_: object) -> None:
    # Cancelling what already stops would break off its clean-up, with a traceback of each part.
    os._exit(INTERRUPTED)
