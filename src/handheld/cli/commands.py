"""Running a command: its function, its logging, its exit code."""

import argparse
import asyncio
import contextlib
import gc
import logging
import signal
import sys
from collections.abc import Awaitable, Callable

from ..access.owner_token import TokenError
from ..devices.ownership import OwnerError
from ..errors import ToolError
from ..settings import Settings, SettingsError, unknown_variables
from .exit_codes import INTERRUPTED, USAGE_ERROR
from .terminal import print_error

_SERVERS = ("serve", "demo", "stdio")
"""They import most when they run, and look for garbage once they serve."""

Command = Callable[[argparse.Namespace, Settings], Awaitable[int]]


def run(given: argparse.Namespace, settings: Settings) -> int:
    """Run the command. Expected failures print their message and return 1."""
    logging.basicConfig(
        stream=sys.stderr,
        level=settings.log_level.upper(),
        format="%(asctime)s %(levelname)s %(message)s",
        datefmt="%H:%M:%S",
    )
    # These libraries log every step. httpx and httpcore would also log download URLs, with the
    # secrets in them.
    chatty = ("uvicorn", "mcp") if settings.log_level != "debug" else ()
    for name in ("httpx", "httpcore", *chatty):
        logging.getLogger(name).setLevel(logging.WARNING)
    for warning in unknown_variables():
        print_error(warning)
    try:
        if given.command == "token":
            from .tokens import token

            return token(given, settings)
        return asyncio.run(_until_stopped(_command(given.command), given, settings))
    except SettingsError as problem:
        print_error(str(problem))
        return USAGE_ERROR
    except (OwnerError, TokenError, ToolError) as problem:
        print_error(str(problem))
        return 1


def _command(name: str) -> Command:
    if name == "serve":
        from .serve import serve

        return serve
    if name == "demo":
        from .serve import demo

        return demo
    if name == "stdio":
        from .stdio import stdio

        return stdio
    if name == "doctor":
        from .doctor import doctor

        return doctor
    if name == "console":
        from .console import console

        return console
    if name == "phones":
        from .phones import phones

        return phones
    if name in ("connect", "pair", "disconnect"):
        from .wireless import connect, disconnect, pair

        return {"connect": connect, "pair": pair, "disconnect": disconnect}[name]
    if name == "storage":
        from .storage import storage

        return storage
    if name == "steps":
        from .steps import steps

        return steps
    if name == "log":
        from .log import log

        return log
    if name == "apps":
        from .apps import apps

        return apps
    if name == "tasks":
        from .tasks import tasks

        return tasks
    from .call import call, tools

    return {"tools": tools, "call": call}[name]


async def _until_stopped(command: Command, given: argparse.Namespace, settings: Settings) -> int:
    """SIGINT and SIGTERM cancel the command, so that it can close what it opened."""
    if given.command not in _SERVERS:
        gc.enable()
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(command(given, settings))
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        # For servers this is the normal way to stop.
        serves = given.command in _SERVERS or (given.command == "tasks" and given.action == "start")
        return 0 if serves else INTERRUPTED
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(ValueError):
                loop.remove_signal_handler(number)
