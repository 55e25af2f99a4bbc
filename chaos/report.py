"""What a run prints: calls by tool and outcome, faults, violations."""

import re
from collections import Counter
from collections.abc import Sequence

from .calls import Call, Outcome
from .check import Violation

EVIDENCE = 5
"""How many violations of a kind are printed."""
REASONS, REASON = 10, 120
_NAMES = re.compile(r"'[^']*'|\"[^\"]*\"|[\w./:]*\d[\w./:]*")
"""What differs between sentences that say the same."""


def print_calls(calls: Sequence[Call]) -> None:
    counts = Counter((call.tool, call.outcome) for call in calls)
    tools = sorted({call.tool for call in calls})
    width = max(map(len, tools), default=4)
    shown = [outcome for outcome in Outcome if any(counts[tool, outcome] for tool in tools)]
    print(
        f"{'tool':<{width}}", *(f"{outcome:>11}" for outcome in shown), "   p50 s   p99 s   max s"
    )
    for tool in [*tools, ""]:
        took = sorted(call.took for call in calls if call.tool == tool or not tool)
        rows = [sum(counts[one, outcome] for one in tools if one == tool or not tool)
                for outcome in shown]  # fmt: skip
        times = (took[len(took) // 2], took[len(took) * 99 // 100], took[-1])
        print(
            f"{tool or 'all':<{width}}",
            *(f"{count:>11}" for count in rows),
            *(f"{seconds:>7.2f}" for seconds in times),
        )


def print_reasons(calls: Sequence[Call]) -> None:
    """Why calls were not done, the most frequent first: a run in which most are refused tries
    little."""
    reasons = Counter(
        _NAMES.sub("…", call.text.split("\n")[0])[:REASON]
        for call in calls
        if call.outcome is Outcome.FAILED
    )
    print("\nnot done, because")
    for reason, count in reasons.most_common(REASONS):
        print(f"{count:>8}  {reason}")


def print_counts(title: str, counts: Counter[str]) -> None:
    print(f"\n{title}")
    for name, count in sorted(counts.items()):
        print(f"{count:>8}  {name}")


def print_violations(title: str, violations: Sequence[Violation], kinds: Sequence[str]) -> None:
    counts = Counter(one.kind for one in violations)
    print(f"\n{title}")
    for kind in dict.fromkeys([*kinds, *counts]):
        print(f"{counts[kind]:>8}  {kind}")
        for one in [one for one in violations if one.kind == kind][:EVIDENCE]:
            print(f"          {one.evidence}")
