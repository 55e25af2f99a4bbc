"""`make test`: the tests that need nothing but Python, in two processes side by side.

One process keeps one core busy for twice as long as anybody likes to wait. The folders are parted
by what they take; one that is not named goes with the second.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
FIRST = (
    "tools",
    "hands",
    "phone",
    "sources",
    "mobile_mcp",
    "tool_provider",
    "audit",
    "approval",
    "tokens",
    "ui",
    "virtual_scene",
    "virtual_wire",
    "virtual_world",
)
LEFT_OUT = (
    "needs_adb",
    "needs_aapt",
    "needs_node",
    "needs_java",
    "needs_browser",
    "needs_peers",
    "any_phone",
    "second_pass",
)


def main() -> int:
    begun = time.monotonic()
    places = sorted(
        path
        for path in (ROOT / "tests").iterdir()
        if (path.is_dir() and any(path.glob("test_*.py"))) or path.match("test_*.py")
    )
    first = [path for path in places if path.name in FIRST]
    second = [path for path in places if path.name not in FIRST]
    with tempfile.TemporaryFile() as kept:
        running = [_start(second, kept), _start(first, None)]
        codes = [process.wait() for process in reversed(running)]
        kept.seek(0)
        sys.stdout.buffer.write(kept.read())
    print(f"Both halves together: {time.monotonic() - begun:.0f} s")
    return max(codes)


def _start(places: list[Path], output: IO[bytes] | None) -> subprocess.Popen[bytes]:
    marks = " and ".join(f"not {mark}" for mark in LEFT_OUT)
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-m", marks, *map(str, places)],
        cwd=ROOT,
        env={**os.environ, "PYTHONWARNDEFAULTENCODING": "1"},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
    )


if __name__ == "__main__":
    sys.exit(main())
