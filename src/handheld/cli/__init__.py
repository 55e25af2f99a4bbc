"""The command line. Each command is a few lines over the parts; what it needs is imported when it
runs, so that `handheld phones` does not pay for an MCP server."""

import contextlib
import os
import sys
from collections.abc import Sequence

from .exit_codes import INTERRUPTED, USAGE_ERROR
from .terminal import AnswerLost, complain


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. The exit code: 0, 1 when it failed, 2 when it was asked for wrongly."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        _end_output()
        return 1
    except AnswerLost as problem:
        complain(str(problem))
        _end_output()
        return 1


def _end_output() -> None:
    """Python would complain again when it flushes."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(words: list[str]) -> int:
    if words[:1] == ["virtual"]:
        from ..virtual.__main__ import main as run_virtual

        return run_virtual(words[1:])
    # Here, so that Ctrl-C while they are imported ends as quietly as later.
    from ..settings import SettingsError, load
    from .arguments import parse, print_help

    if not words:
        print_help()
        return USAGE_ERROR
    given = parse(words)
    try:
        settings = load(vars(given))
    except SettingsError as problem:
        complain(str(problem))
        return USAGE_ERROR
    from .commands import run

    return run(given, settings)
