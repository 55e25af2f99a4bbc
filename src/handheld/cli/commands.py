"""Running a command: its function, its logging, its exit code."""

import argparse
import gc
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable

from ..access.owner_token import TokenError
from ..devices.ownership import OwnerError
from ..errors import ToolError
from ..settings import Settings, SettingsError, unknown_variables
from .exit_codes import INTERRUPTED, USAGE_ERROR
from .terminal import print_error

_SERVERS = ("serve", "demo", "stdio", "host", "gateway")
"""They import most when they run, and look for garbage once they serve."""

LAST_SECONDS = 4.5
"""How long a command may take to stop."""

Command = Callable[[argparse.Namespace, Settings], Awaitable[int]]


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
        if given.command == "token" and not given.fleet:
            from .tokens import token

            return token(given, settings)
        if given.command == "install":
            from .install import install

            return install(given, settings)
        if given.command == "call" and (code := _call_through_owner(given, settings)) is not None:
            return code
        import asyncio  # a third of a short command, which the above does without

        return asyncio.run(_until_stopped(_command(given.command), given, settings))
    except SettingsError as problem:
        print_error(str(problem))
        return USAGE_ERROR
    except (OwnerError, TokenError, ToolError) as problem:
        print_error(str(problem))
        return 1


def _call_through_owner(given: argparse.Namespace, settings: Settings) -> int | None:
    """SIGINT and SIGTERM break it off, which closes its connection: the owner stops the tool."""
    from .through import call_through_owner

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return call_through_owner(given, settings)
    finally:
        signal.signal(signal.SIGTERM, before)


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
        from .doctor.command import doctor

        return doctor
    if name == "console":
        from .console import console

        return console
    if name == "approve":
        from .approve import approve

        return approve
    if name == "phones":
        from .phones import phones

        return phones
    if name == "stop":
        from .stop import stop

        return stop
    if name == "lease":
        from .lease import lease

        return lease
    if name in ("connect", "pair", "disconnect"):
        from .wireless import connect, disconnect, pair

        return {"connect": connect, "pair": pair, "disconnect": disconnect}[name]
    if name == "record":
        from .record import record

        return record
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
    if name == "completion":
        from .completion import completion

        return completion
    if name == "token":
        from .tokens import fleet_token

        return fleet_token
    if name == "engine":
        from .engine import engine

        return engine
    if name in ("host", "gateway"):
        from .fleet import gateway, host

        return {"host": host, "gateway": gateway}[name]
    from .call import call, tools

    return {"tools": tools, "call": call}[name]


async def _until_stopped(command: Command, given: argparse.Namespace, settings: Settings) -> int:
    """SIGINT and SIGTERM cancel the command, so that it can close what it opened. The second one
    ends the process."""
    import asyncio

    if given.command not in _SERVERS:
        gc.enable()
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(command(given, settings))

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
        # For servers this is the normal way to stop.
        serves = given.command in _SERVERS or (given.command == "tasks" and given.action == "start")
        return 0 if serves else INTERRUPTED
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is stop:  # else the process ends, which takes a while
                signal.signal(number, handler)


def _end(*_: object) -> None:
    # Cancelling what already stops would break off its clean-up, with a traceback of each part.
    os._exit(INTERRUPTED)
