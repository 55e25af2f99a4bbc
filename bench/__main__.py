"""Measure everything, print and save the table; the exit code is 1 if a gate failed."""

import multiprocessing
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from .figures import Figure, save, show
from .parts import PARTS, measure


def _main(names: Sequence[str]) -> int:
    """Measure the parts with these names, or all."""
    figures: list[Figure] = []
    seconds: dict[str, float] = {}
    # Each in a process of its own: what one leaves in memory would take the time of the next.
    spawning = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawning, max_tasks_per_child=1) as processes:
        for name in names or PARTS:
            print(f"Measuring {name} …", file=sys.stderr)
            began = time.perf_counter()
            figures += processes.submit(measure, name).result()
            seconds[name] = round(time.perf_counter() - began, 1)
    print(show(figures))
    print(" ".join(f"{name} {spent:g} s" for name, spent in seconds.items()), file=sys.stderr)
    if not names:
        save(figures, seconds, Path("build/bench.json"))
    failed = [figure.name for figure in figures if figure.gates and not figure.within]
    if failed:
        print(f"\nOver the limit: {'; '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    chosen = sys.argv[1:]
    if unknown := [name for name in chosen if name not in PARTS]:
        sys.exit(
            f"There is no part {', '.join(unknown)}. python -m bench [PART ...] measures these, or"
            f" all and saves them: {', '.join(PARTS)}"
        )
    sys.exit(_main(chosen))
