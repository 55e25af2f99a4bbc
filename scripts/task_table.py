"""Play every task with the oracle on both surfaces, and some a second time with kept steps. Write
the calls and tokens of each task into tests/tasks/costs.json, and their sums into docs/tasks.md.

With --check nothing is written; the exit code tells whether both are up to date.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from handheld.cli.cost import estimate
from handheld.tasks.book import TASKS
from handheld.tasks.meter import MeteredCall
from handheld.tasks.playing import Result, by_policy, play_task, tokens
from handheld.tasks.policies import POLICIES
from handheld.tasks.second_runs import KEPT, find_saved, play_twice

ROOT = Path(__file__).resolve().parent.parent
COSTS = ROOT / "tests" / "tasks" / "costs.json"
PAGE = ROOT / "docs" / "tasks.md"
BEGIN = "<!-- Written by scripts/task_table.py -->\n"
END = "<!-- The end of the costs -->"
SURFACES = ("main", "agent")

Costs = dict[str, dict[str, Any]]
"""By task: its category, [calls, tokens] on each surface, and the tokens of two runs with kept
steps."""


async def play_all() -> dict[str, list[Result]]:
    return {
        surface: [
            await play_task(
                task,
                0,
                by_policy(POLICIES["oracle"], surface),
                estimate,
                surface=surface,
                speed=None,
            )
            for task in TASKS.values()
        ]
        for surface in SURFACES
    }


def costs(
    played: dict[str, list[Result]], again: Sequence[tuple[str, MeteredCall, MeteredCall]]
) -> Costs:
    found: Costs = {}
    for main, agent in zip(played["main"], played["agent"], strict=True):
        found[main.task] = {
            "category": main.category,
            "main": [main.calls, main.tokens],
            "agent": [agent.calls, agent.tokens],
        }
    for name, first, second in again:
        found[name]["kept"] = [tokens([run], estimate) for run in (first, second)]
    return found


def dump(found: Costs) -> str:
    """One line for each task."""
    lines = (f"  {json.dumps(name)}: {json.dumps(cost)}" for name, cost in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def summary(found: Costs) -> str:
    lines = [
        "| category | tasks | calls, main | calls, agent | tokens, main | tokens, agent |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    categories = dict.fromkeys(cost["category"] for cost in found.values())
    for category in (*categories, "all"):
        chosen = [cost for cost in found.values() if category in (cost["category"], "all")]
        sums = [
            f"{sum(cost[surface][what] for cost in chosen):,}"
            for what in (0, 1)
            for surface in SURFACES
        ]
        lines.append(f"| {category} | {len(chosen)} | {' | '.join(sums)} |")
    kept = [cost["kept"] for cost in found.values() if "kept" in cost]
    first, second = (sum(runs) for runs in zip(*kept, strict=True))
    lines += [
        "",
        f"{len(kept)} of them were done in one `phone_do` that "
        "[kept its steps](agent.md#steps-that-are-kept), and again with other values by one call "
        f"of `my_task`: {first:,} tokens the first time, {second:,} the second.",
    ]
    return "\n".join(lines) + "\n"


async def play_again() -> list[tuple[str, MeteredCall, MeteredCall]]:
    with TemporaryDirectory() as folder:
        return [(name, *await play_twice(find_saved(TASKS[name]), Path(folder))) for name in KEPT]


def main(arguments: Sequence[str]) -> int:
    played = asyncio.run(play_all())
    failed = [each for results in played.values() for each in results if not each.success]
    for each in failed:
        sys.stderr.write(f"{each.task} on the {each.surface} surface: {each.why} {each.unsafe}\n")
    if failed:
        return 1
    found = costs(played, asyncio.run(play_again()))
    wanted = {COSTS: dump(found), PAGE: _with(PAGE.read_text("utf-8"), summary(found))}
    stale = [
        file
        for file, text in wanted.items()
        if not file.exists() or file.read_text("utf-8") != text
    ]
    if "--check" in arguments:
        for file in stale:
            name = file.relative_to(ROOT)
            sys.stderr.write(f"{name} is out of date: make tables WHAT=tasks\n")
        return int(bool(stale))
    for file in stale:
        file.write_text(wanted[file], encoding="utf-8")
    return 0


def _with(page: str, text: str) -> str:
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}{text}{END}{tail}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
