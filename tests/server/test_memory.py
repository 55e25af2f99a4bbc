"""What a server keeps of memory that it has freed."""

import subprocess
import sys

import pytest

_PROGRAM = """
import threading
from pathlib import Path

from handheld.server.memory import return_large_blocks

def resident():
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

def use():
    for size, count in ((8 * 1024 * 1024, 1), (50_000, 100)):
        for _ in range(3):
            blocks = [bytearray(size) for _ in range(count)]
            del blocks
    used.release()
    ended.wait()

return_large_blocks()
used, ended = threading.Semaphore(0), threading.Event()
before = resident()
threads = [threading.Thread(target=use) for _ in range(8)]
for thread in threads:
    thread.start()
    used.acquire()  # one works at a time, as with pictures
print(resident() - before)
ended.set()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's memory")
def test_threads_keep_no_memory_of_their_own() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], check=True, capture_output=True, timeout=120
    )
    assert float(done.stdout) < 8
