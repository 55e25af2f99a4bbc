"""Who holds a phone through its helper, and whether a holder can only be a leftover."""

import os
import socket
from collections.abc import Mapping
from typing import Any


def this_holder(client: str) -> dict[str, Any]:
    """Return what this process tells its helper about its host."""
    return {"host": socket.gethostname(), "pid": os.getpid(), "client": client}


def is_left_over(held: Mapping[str, Any], mine: Mapping[str, Any]) -> bool:
    """Return whether the holder is this process, from an earlier connection, or a process of this
    machine that no longer runs. If another machine has the same name, waiting is in vain but
    harmless."""
    if {name: held.get(name) for name in mine} == dict(mine):
        return True
    pid = held.get("pid")
    return held.get("host") == mine["host"] and type(pid) is int and not _runs(pid)


def _runs(pid: int) -> bool:
    if not 0 < pid < 2**31:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # another user's
    return True
