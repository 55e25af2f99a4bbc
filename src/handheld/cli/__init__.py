"""The command line. Each command imports what it needs when it runs, so that `handheld phones` does
not load an MCP server."""

import contextlib
import gc
import os
import sys
from collections.abc import Sequence

from .exit_codes import INTERRUPTED, USAGE_ERROR
from .terminal import OutputLost, print_error


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code: 0, 1 for a failure, 2 for wrong usage."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output, such as `head`, has closed it.
        _discard_output()
        return 1
    except OutputLost as problem:
        print_error(str(problem))
        _discard_output()
        return 1
    finally:
        gc.enable()


def _discard_output() -> None:
    """Let Python's flush at exit succeed."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: list[str]) -> int:
    if argv[:1] == ["virtual"]:
        from handheld_virtual.command_line import main as run_virtual

        return run_virtual(argv[1:])
    # Nothing that the imports make is garbage, and looking for it is a tenth of a short command.
    gc.disable()
    # Imported here, so that Ctrl-C during the imports exits as quietly as later.
    from ..settings import SettingsError, load
    from .arguments import parse, print_help

    try:
        if not argv:
            from .choosing import is_interactive

            if not is_interactive():
                print_help()
                return USAGE_ERROR
            from .overview import run_overview

            argv = run_overview(load())
            if not argv:
                return 0
        given = parse(argv)
        settings = load(vars(given))
    except SettingsError as problem:
        print_error(str(problem))
        return USAGE_ERROR
    from .dispatch import run

    return run(given, settings)
