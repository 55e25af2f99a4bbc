"""A process that records calls until it is killed, over and over.

It is given the file and how many deaths to die. What it says on stdout, each in a line of its own:
`begun ID` after a call was recorded, `ended ID` after its end was, by itself or with others.
"""

import os
import random
import signal
import sys
from pathlib import Path

from audit.calls import make_call
from handheld.audit import AuditLog


def live(file: Path, out: int, last: bool) -> None:
    log = AuditLog(file, most_bytes=1_000_000)
    ended: list[str] = []
    while True:
        id = log.begin(make_call())
        os.write(out, f"begun {id}\n".encode())
        if last:
            # Where the others die is chance; one at least dies in the middle of a call.
            signal.pause()
        if random.randrange(2):
            log.picture(id, "before", os.urandom(3000))
        log.end(id, "done", ["x" * random.randrange(5000)], 1.0)
        ended.append(f"ended {id}\n")
        if random.randrange(2):
            log.write_ends()
            os.write(out, "".join(ended).encode())
            ended.clear()


def die(file: Path, times: int) -> None:
    random.seed(7)
    for life in reversed(range(times)):
        read_end, out = os.pipe()
        child = os.fork()
        if not child:
            live(file, out, last=not life)
        os.close(out)
        with open(read_end, "rb") as words:
            # Counted in what it did, not in time: a slow machine lets it get as far as a quick one.
            for _ in range(random.randrange(3, 30) if life else 1):
                sys.stdout.buffer.write(words.readline())
            os.kill(child, signal.SIGKILL)
            sys.stdout.buffer.write(words.read())
        os.waitpid(child, 0)


if __name__ == "__main__":
    die(Path(sys.argv[1]), int(sys.argv[2]))
