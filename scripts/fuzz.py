"""`make fuzz`, `make fuzz WHAT=framework`: run the property tests with new examples for a number of
seconds.

`make test` draws the same examples each time. Here each round draws others, from a seed that is
printed. Add a failing example to its test as an `@example`, and fix the bug.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

INTERRUPTED = 2
"""The exit code of an interrupted pytest."""
ROOT = Path(__file__).resolve().parent.parent
PYTEST = [
    *(sys.executable, "-m", "pytest", "-qq", "-x"),
    *("--numprocesses", str(min(8, 1 + (os.cpu_count() or 1))), "--dist", "worksteal"),
    *("-m", "hypothesis and not (needs_java or needs_aapt or needs_framework)"),
    *("--hypothesis-profile=fuzz", "tests"),
]
FRAMEWORK = [
    *(sys.executable, "-m", "pytest", "-qq", "-x", "-m", "hypothesis and needs_framework"),
    *("--hypothesis-profile=fuzz", "tests/framework/test_widgets.py"),
]
"""Against Android's own widgets: one release in each round."""
LEVELS = (28, 30, 33, 34, 35)
TRIALS = 60


def run_round(command: list[str], seed: int, seconds: float) -> tuple[int, bool]:
    """Run the tests with this seed for at most `seconds`; return how many passed, and whether none
    failed."""
    framework = {
        "HANDHELD_LEVELS": str(LEVELS[seed % len(LEVELS)]),
        "HANDHELD_TRIALS": str(TRIALS),
    }
    process = subprocess.Popen(
        [*command, f"--hypothesis-seed={seed}", f"--shuffle={seed}"],
        cwd=ROOT,
        env={**os.environ, **framework},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    # An interrupted pytest still prints the failures so far.
    stop = threading.Timer(seconds, process.send_signal, [signal.SIGINT])
    stop.start()
    assert process.stdout is not None
    passed = failed = 0
    for line in process.stdout:
        print(line, end="", flush=True)
        if counted := re.search(r"(\d+) passed, (\d+) failed", line):
            passed, failed = map(int, counted.groups())
    interrupted = stop.finished.is_set()
    stop.cancel()
    code = process.wait()
    return passed, not failed and (code == 0 or (interrupted and code == INTERRUPTED))


def main() -> int:
    command = {"": PYTEST, "framework": FRAMEWORK}.get(" ".join(sys.argv[2:]))
    if command is None or not re.fullmatch(r"[1-9]\d{0,5}", "".join(sys.argv[1:2])):
        print("Usage: make fuzz FOR=300 (seconds), WHAT=framework", file=sys.stderr)
        return 2
    # A shell that starts us in the background makes us, and thus pytest, ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    begun, rounds, tests = time.monotonic(), 0, 0
    end = begun + int(sys.argv[1])
    while (left := end - time.monotonic()) > 0:
        rounds += 1
        seed = int.from_bytes(os.urandom(4))
        print(f"Round {rounds}, seed {seed}, {left:.0f} s left", flush=True)
        passed, well = run_round(command, seed, left)
        tests += passed
        if not well:
            print(f"Failed in round {rounds}: add the example above to its test, then fix the bug.")
            return 1
    seconds = time.monotonic() - begun
    if not tests:
        print(f"No test ended in {seconds:.0f} s: set FOR to more.")
        return 1
    print(f"No failure in {tests} tests, {rounds} rounds, {seconds:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
