"""What a server keeps of memory that it has freed, in programs of their own: it depends on the C
library, and on nothing else that a process has done."""

import subprocess
import sys

from .figures import Figure

_BEGIN = """
import os, threading
from bench.programs import resident_mb
from handheld.server.memory import return_free_pages, return_large_blocks

def resident():
    return resident_mb(os.getpid())

return_large_blocks()
"""
_THREADS = """
def use():
    for size, count in ((8 * 1024 * 1024, 1), (50_000, 100)):
        for _ in range(3):
            blocks = [bytearray(size) for _ in range(count)]
            del blocks
    used.release()
    ended.wait()

used, ended = threading.Semaphore(0), threading.Event()
before = resident()
threads = [threading.Thread(target=use) for _ in range(8)]
for thread in threads:
    thread.start()
    used.acquire()  # one works at a time, as with pictures
print(resident() - before)
ended.set()
"""
_GAPS = """
blocks = [bytearray(20_000) for _ in range(1000)]
before = resident()
del blocks[::2], blocks[1::2]  # three of four, and the fourth between them stays
return_free_pages()
print(before - resident())
"""


async def measure() -> list[Figure]:
    return [
        Figure("kept by 8 threads that had a picture in hand", _run(_THREADS), "MB", 8),
        Figure("given back of 15 MB in gaps", _run(_GAPS), "MB", 5, at_least=True),
    ]


def _run(program: str) -> float:
    command = [sys.executable, "-c", _BEGIN + program]
    return float(subprocess.run(command, check=True, capture_output=True).stdout)
