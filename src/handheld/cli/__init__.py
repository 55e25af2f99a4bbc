"""The command line. Each command is a few lines over the parts; what it needs is imported when it
runs, so that `handheld phones` does not pay for an MCP server."""

import contextlib
import os
import sys
from collections.abc import Sequence

from ..settings import SettingsError, load
from .arguments import parse, print_help
from .exit_codes import INTERRUPTED, USAGE_ERROR
from .terminal import complain


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. The exit code: 0, 1 when it failed, 2 when it was asked for wrongly."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough. Python would complain again when it flushes.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["virtual"]:
        from ..virtual.__main__ import main as run_virtual

        return run_virtual(arguments[1:])
    if not arguments:
        print_help()
        return USAGE_ERROR
    given = parse(arguments)
    try:
        settings = load(vars(given))
    except SettingsError as problem:
        complain(str(problem))
        return USAGE_ERROR
    from .commands import run

    return run(given, settings)
