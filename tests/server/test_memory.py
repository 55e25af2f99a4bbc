"""What a server keeps of memory that it has freed."""

import subprocess
import sys

import pytest

_BEGIN = """
import threading
from pathlib import Path

from handheld.server.memory import return_free_pages, return_large_blocks

def resident():
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

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
assert before - resident() < 2
return_free_pages()
print(before - resident())
"""


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="glibc's memory")


def printed(program: str) -> float:
    command = [sys.executable, "-c", _BEGIN + program]
    return float(subprocess.run(command, check=True, capture_output=True, timeout=120).stdout)


@pytest.mark.slow
def test_threads_keep_no_memory_of_their_own() -> None:
    assert printed(_THREADS) < 8


def test_pages_between_blocks_in_use_are_given_back() -> None:
    assert printed(_GAPS) > 5
