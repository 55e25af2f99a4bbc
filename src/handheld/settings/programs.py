"""Finds the programs that we start."""

import os
import shutil


def find_program(name: str, path: str | None = None) -> str:
    """Return the path of the program, in `path` or else in the PATH; "" if it is not there.
    Relative folders are skipped: their contents depend on the current directory."""
    folders = os.get_exec_path() if path is None else path.split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(filter(os.path.isabs, folders))) or ""
