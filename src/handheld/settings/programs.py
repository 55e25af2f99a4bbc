"""Where the programs are that we start."""

import os
import shutil


def find_program(name: str, path: str | None = None) -> str:
    """Return where the program is, in `path` or else in the PATH; "" if it is not there. A relative
    folder is skipped: what is in it depends on where we were started."""
    folders = os.get_exec_path() if path is None else path.split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(filter(os.path.isabs, folders))) or ""
