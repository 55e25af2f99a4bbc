"""`handheld apps stub`: a file of examples for the tools of an APK."""

import os
from pathlib import Path

from ...app_formats.apk.binary import BadApk
from ...app_tools.check.stub import write_stub
from ...screen.characters import plain
from ..exit_codes import USAGE_ERROR
from ..terminal import print_error, print_line, print_note


def stub(given: str) -> int:
    """Written to the current folder, never over a file: somebody may have edited that."""
    apk = Path(given)
    target = Path(f"{apk.name.removesuffix('.apk')}.stub.toml")
    try:
        made = write_stub(apk, Path(os.path.relpath(apk)).as_posix(), target.name)
    except OSError as problem:
        print_error(f"{plain(given)} cannot be read: {problem.strerror}.")
        return USAGE_ERROR
    except BadApk as problem:
        print_error(f"{plain(given)}: {problem}.")
        return 1
    if not made.examples and not made.providers:
        print_error(
            f"{plain(given)} declares no tools that can be read; handheld apps check"
            f" {plain(given)} says more."
        )
        return 1
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(made.text)
    except FileExistsError:
        print_error(f"{plain(target.name)} is there already, and you may have edited it.")
        return 1
    except OSError as problem:
        print_error(f"{plain(target.name)} cannot be written: {problem.strerror}.")
        return 1
    several = "s" if made.examples != 1 else ""
    print_line(f"{plain(target.name)} has {made.examples} example{several}. Edit it, then:")
    print_line(f"handheld virtual --stub {plain(target.name)}")
    if made.providers:
        print_note("The APK does not say what tools its provider has: write them into the file.")
    return 0
