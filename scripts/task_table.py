"""Play every task with the oracle on both surfaces, and some a second time with kept steps, and
write calls and tokens into docs/task-costs.md.

With --check nothing is written; the exit code tells whether the table is up to date.
"""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from handheld.cli.cost import estimate
from handheld.tasks.book import TASKS
from handheld.tasks.meter import MeteredCall
from handheld.tasks.playing import Result, by_policy, play_task, tokens
from handheld.tasks.policies import POLICIES
from handheld.tasks.second_runs import KEPT, find_kept, play_twice

PAGE = Path(__file__).resolve().parent.parent / "docs" / "task-costs.md"
BEGIN = "<!-- Written by scripts/task_table.py -->\n"
END = "<!-- The end of the table -->"
SECOND_BEGIN = "<!-- Second runs, written by scripts/task_table.py -->\n"
SECOND_END = "<!-- The end of the second runs -->"
SURFACES = ("main", "agent")


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


def table(played: dict[str, list[Result]]) -> str:
    lines = [
        "| task | category | calls, main | calls, agent | tokens, main | tokens, agent |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for main, agent in zip(played["main"], played["agent"], strict=True):
        names = f"| `{main.task}` | {main.category} "
        calls = f"| {main.calls} | {agent.calls} "
        lines.append(f"{names}{calls}| {main.tokens:,} | {agent.tokens:,} |")
    sums = [
        f"{sum(value):,}"
        for value in (
            _values(played, "calls", "main"),
            _values(played, "calls", "agent"),
            _values(played, "tokens", "main"),
            _values(played, "tokens", "agent"),
        )
    ]
    lines.append(f"| **{len(played['main'])} tasks** | | {' | '.join(sums)} |")
    return "\n".join(lines) + "\n"


async def play_again() -> list[tuple[str, MeteredCall, MeteredCall]]:
    with TemporaryDirectory() as folder:
        return [(name, *await play_twice(find_kept(TASKS[name]), Path(folder))) for name in KEPT]


def second_table(played: Sequence[tuple[str, MeteredCall, MeteredCall]]) -> str:
    lines = ["| task | tokens, first | tokens, second |", "|---|---:|---:|"]
    lines += [
        f"| `{name}` | {tokens([first], estimate)} | {tokens([second], estimate)} |"
        for name, first, second in played
    ]
    return "\n".join(lines) + "\n"


def _values(played: dict[str, list[Result]], name: str, surface: str) -> Sequence[int]:
    return [getattr(each, name) for each in played[surface]]


def main(arguments: Sequence[str]) -> int:
    played = asyncio.run(play_all())
    failed = [each for results in played.values() for each in results if not each.success]
    for each in failed:
        sys.stderr.write(f"{each.task} on the {each.surface} surface: {each.why} {each.unsafe}\n")
    if failed:
        return 1
    page = PAGE.read_text("utf-8")
    wanted = _with(page, BEGIN, table(played), END)
    wanted = _with(wanted, SECOND_BEGIN, second_table(asyncio.run(play_again())), SECOND_END)
    if "--check" in arguments:
        if page != wanted:
            sys.stderr.write("docs/task-costs.md is out of date: make tables WHAT=tasks\n")
        return int(page != wanted)
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


def _with(page: str, begin: str, text: str, end: str) -> str:
    head, _, rest = page.partition(begin)
    _, _, tail = rest.partition(end)
    return f"{head}{begin}{text}{end}{tail}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
