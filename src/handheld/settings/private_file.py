"""Files and folders that only this user can access, written atomically."""

import fcntl
import os
from pathlib import Path


def private_folder(folder: Path) -> Path:
    """Create `folder`, accessible by this user only."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)
    return folder


def write_private(file: Path, data: bytes, *, replace: bool = True, durable: bool = False) -> bool:
    """Write a file of mode 0600 atomically. Returns False if it existed and `replace` is not set.
    With `durable`, it is on the disk before this returns."""
    import tempfile  # slow to import, and most commands only read

    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            if durable:
                stream.flush()
                os.fsync(stream.fileno())
        if replace:
            os.replace(name, file)
            if durable:
                _sync_folder(file.parent)
            return True
        return _name(name, file)
    finally:
        Path(name).unlink(missing_ok=True)


def _name(written: str, file: Path) -> bool:
    """Give a written file its name. Returns False if the name is taken."""
    try:
        os.link(written, file)
    except FileExistsError:
        return False
    except (AttributeError, OSError):
        # Android lets no app make a hard link, and Python in Termux has no os.link.
        return _rename(written, file)
    return True


def _rename(written: str, file: Path) -> bool:
    """Give it its name where hard links do not exist. This is safe only while no other program
    creates the file."""
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        if os.path.lexists(file):
            return False
        os.rename(written, file)
        return True
    finally:
        os.close(folder)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
