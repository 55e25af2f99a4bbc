"""`make fuzz WHAT=parsers`: let every parser that reads what others wrote read changed inputs.

Each case is drawn from the seed, the name of its target and its number alone, so that it can be run
again by itself:

    python -m fuzzing COUNT SEED [TARGET ...]     so many cases, of all targets or of these
    python -m fuzzing show SEED TARGET NUMBER     one case, as a line for a test

A case fails if the parser raises what it may not raise, executes more lines of Python or asks for
more bytes than its input explains, or does not end. It is written to build/fuzz, and the exit code
is 1.
"""

import logging
import os
import sys
from pathlib import Path

from .targets import TARGETS, shares
from .trial import Target, attempt
from .workers import Tally, run_all

BATCH = 20_000
"""Cases of one process."""
FOUND = Path(__file__).resolve().parents[2] / "build" / "fuzz"
LONGEST_SHOWN = 400
"""Bytes of a failing case that are printed; the file has all."""


def say(text: str = "") -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def fuzz(count: int, seed: int, names: list[str]) -> int:
    wanted = shares(count)
    chosen = [target for target in TARGETS if not names or target.name in names]
    if names:
        whole = sum(wanted[target.name] for target in chosen)
        wanted = {one.name: -(-count * wanted[one.name] // whole) for one in chosen}
    tallies = {target.name: Tally() for target in chosen}
    parts = [
        (target, range(start, min(wanted[target.name], start + BATCH)))
        for target in chosen
        for start in range(0, wanted[target.name], BATCH)
    ]
    left = {target.name: -(-wanted[target.name] // BATCH) for target in chosen}
    say(f"{'target':<20} {'cases':>8} {'most lines':>10} {'most bytes':>10}  outcomes")
    for target, _, tally in run_all(parts, seed, os.cpu_count() or 1):
        tallies[target.name].add(tally)
        left[target.name] -= 1
        for number, fault in tally.faults.items():
            report(target, seed, number, fault)
        if not left[target.name]:
            say(_line(target.name, tallies[target.name]))
    faults = sum(len(tally.faults) for tally in tallies.values())
    total = Tally()
    for tally in tallies.values():
        total.add(tally)
    say(
        f"{total.cases} cases with seed {seed}, {faults} failed; one took at most"
        f" {total.most_lines} lines of Python and {total.most_bytes} bytes, all together"
        f" {total.lines} lines."
    )
    return 1 if faults else 0


def _line(name: str, tally: Tally) -> str:
    kinds = ", ".join(f"{kind} {count}" for kind, count in tally.kinds.most_common())
    counts = f"{tally.cases:>8} {tally.most_lines:>10} {tally.most_bytes:>10}"
    return f"{name:<20} {counts}  {kinds}"


def report(target: Target, seed: int, number: int, fault: str) -> None:
    data = target.case(seed, number)
    FOUND.mkdir(parents=True, exist_ok=True)
    file = FOUND / f"{target.name}-{seed}-{number}"
    file.write_bytes(data)
    say(f"\n{target.name}: {fault.rstrip()}")
    say(f"The input has {len(data)} bytes: {file}")
    say(f"Again: python -m fuzzing show {seed} {target.name} {number}")
    more = "" if len(data) <= LONGEST_SHOWN else "  # its first bytes only"
    say(f"@example({data[:LONGEST_SHOWN]!r}){more}\n")


def show(seed: int, name: str, number: int) -> int:
    target = next(target for target in TARGETS if target.name == name)
    data = target.case(seed, number)
    outcome = attempt(target, data)
    say(f"@example({data!r})")
    say(f"{outcome.kind}, {outcome.lines} lines, {outcome.bytes} bytes {outcome.fault}")
    return 1 if outcome.fault else 0


def main(words: list[str]) -> int:
    known = {target.name for target in TARGETS}
    match words:
        case ["show", seed, name, number] if name in known:
            return show(int(seed), name, int(number))
        case [count, seed, *names] if count.isdecimal() and seed.isdecimal() and {*names} <= known:
            return fuzz(int(count), int(seed), names)
        case _:
            say(f"{__doc__}\nTargets: {', '.join(sorted(known))}")
            return 2


if __name__ == "__main__":
    # What a parser logs about an input is not what is looked for here.
    logging.disable(logging.CRITICAL)
    sys.exit(main(sys.argv[1:]))
