"""A process that records calls until it is killed, over and over.

It is given the file and how many deaths to die. What it says on stdout, each in a line that is
written at once: `begun ID` after a call was recorded, `ended ID` after its end was.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

from audit.calls import make_call
from handheld.audit import AuditLog


def live(file: Path, out: int) -> None:
    log = AuditLog(file, most_bytes=1_000_000)
    while True:
        id = log.begin(make_call())
        os.write(out, f"begun {id}\n".encode())
        log.picture(id, "before", os.urandom(3000))
        log.end(id, "done", ["x" * random.randrange(5000)], 1.0)
        os.write(out, f"ended {id}\n".encode())


def die(file: Path, times: int) -> None:
    for _ in range(times):
        child = os.fork()
        if not child:
            live(file, 1)
        time.sleep(random.uniform(0.002, 0.06))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


if __name__ == "__main__":
    die(Path(sys.argv[1]), int(sys.argv[2]))
