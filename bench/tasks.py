"""Calls and tokens of a dozen tasks of the book on both surfaces, and how long tasks take."""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from handheld.cli.cost import estimate
from handheld.tasks.book import TASKS
from handheld.tasks.meter import MeteredCall
from handheld.tasks.players import PLAYERS, Stuck
from handheld.tasks.playing import by_policy, play_task
from handheld.tasks.policies import POLICIES, oracle
from handheld.tasks.second_runs import KEPT, find_saved, play_twice
from handheld.tasks.task_phone import TaskPhone

from .economy import tokens
from .figures import Figure, median

MEASURED = (
    "airplane-mode",
    "screen-timeout",
    "dark-theme-by-search",
    "calculate",
    "contact-form",
    "note-new",
    "note-delete",
    "message-new",
    "login",
    "permission-allow",
    "contact-far-down",
    "number-to-note",
)
MOST_CALLS = 1 / 4
MOST_TOKENS = 1 / 8
MOST_LOOKS = 5.0
MOST_SECOND = 250
"""Tokens of the call that does a kept task again, and of its reply."""
_LOOKS = ("phone_look", "android_get_screen_state")
_READS = (*_LOOKS, "android_list_apps")


@dataclass(frozen=True, slots=True)
class Played:
    task: str
    surface: str
    done: bool
    calls: Sequence[MeteredCall]
    problem: str = ""

    @property
    def actions(self) -> int:
        return sum(call.tool not in _READS for call in self.calls)

    @property
    def looks(self) -> int:
        """Actions that were followed by a look."""
        pairs = pairwise(self.calls)
        return sum(one.tool not in _READS and other.tool in _LOOKS for one, other in pairs)


async def play(name: str, surface: str) -> Played:
    phone = TaskPhone()
    try:
        await phone.start(TASKS[name], 0)
        assert phone.plan is not None
        answer = problem = ""
        try:
            answer = await oracle(PLAYERS[surface](phone.surface), phone.plan)
        except Stuck as stuck:
            problem = str(stuck)
        verdict = await phone.check(answer)
        return Played(name, surface, verdict.success, phone.meter.calls, problem)
    finally:
        await phone.aclose()


async def play_all() -> dict[str, list[Played]]:
    return {
        surface: [await play(name, surface) for name in MEASURED] for surface in ("main", "agent")
    }


async def play_again() -> list[MeteredCall]:
    """Play the tasks that can be kept twice; return the second calls."""
    with TemporaryDirectory() as folder:
        return [(await play_twice(find_saved(TASKS[name]), Path(folder)))[1] for name in KEPT]


async def measure() -> list[Figure]:
    played = await play_all()
    again = await play_again()
    counts = tokens.kept()
    print(table(played, counts), file=sys.stderr)
    main, agent = played["main"], played["agent"]
    sums = {name: _sums(each, counts) for name, each in played.items()}
    undone = [each for each in (*main, *agent) if not each.done]
    looks = 100 * sum(each.looks for each in agent) / sum(each.actions for each in agent)
    names = "; ".join(f"{each.surface}: {each.task}" for each in undone)
    return [
        Figure("tasks that were not done", len(undone), "", 0, True, names),
        *(
            Figure(f"{what} on the {name} surface, {len(MEASURED)} tasks", value, "")
            for name, each in sums.items()
            for what, value in zip(
                ("calls", "tokens of replies", "tokens of requests"), each, strict=True
            )
        ),
        Figure(
            "calls, agent against main", sums["agent"][0] / sums["main"][0], "x", MOST_CALLS, True
        ),
        Figure(
            "tokens of replies, agent against main",
            sums["agent"][1] / sums["main"][1],
            "x",
            MOST_TOKENS,
            True,
        ),
        Figure("actions followed by a look, agent", looks, "%", MOST_LOOKS, True),
        Figure(
            f"tokens of the second run of a kept task, the most of {len(again)}",
            max(counts.of(call.request) + counts.of(call.reply) for call in again),
            "",
            MOST_SECOND,
            True,
        ),
        Figure("texts whose tokens were estimated", counts.estimated, ""),
        *await measure_times(),
    ]


async def measure_times() -> list[Figure]:
    """Measure all tasks of the book: their reset, and the oracle."""
    resets: list[float] = []
    phone = TaskPhone(speed=1.0)
    try:
        for task in TASKS.values():
            began = time.perf_counter()
            await phone.start(task, 0)
            resets.append((time.perf_counter() - began) * 1000)
    finally:
        await phone.aclose()
    began = time.perf_counter()
    by_oracle = by_policy(POLICIES["oracle"], "agent")
    played = [await play_task(task, 0, by_oracle, estimate, speed=None) for task in TASKS.values()]
    seconds = time.perf_counter() - began
    undone = [each.task for each in played if not each.success]
    return [
        Figure("reset to the start of a task, p50", median(resets), "ms", 100),
        Figure("reset to the start of a task, the longest", max(resets), "ms"),
        Figure(f"{len(TASKS)} tasks by the oracle", seconds, "s", 60),
        Figure("of them not done", len(undone), "", 0, True, "; ".join(undone)),
    ]


def _sums(played: Sequence[Played], counts: tokens.Counts) -> tuple[int, int, int]:
    calls = [call for each in played for call in each.calls]
    return (
        len(calls),
        sum(counts.of(call.reply) for call in calls),
        sum(counts.of(call.request) for call in calls),
    )


def table(played: dict[str, list[Played]], counts: tokens.Counts) -> str:
    """Each task with its calls, tokens of replies and looks, main and agent."""
    lines = [f"{'task':<24}{'calls':>12}{'tokens':>16}{'looks':>8}"]
    for one, other in zip(played["main"], played["agent"], strict=True):
        replies = [sum(counts.of(call.reply) for call in each.calls) for each in (one, other)]
        marks = "".join(
            f"  {each.surface}: NOT DONE {each.problem[:80]!r}"
            for each in (one, other)
            if not each.done
        )
        lines.append(
            f"{one.task:<24}{f'{len(one.calls)} / {len(other.calls)}':>12}"
            f"{f'{replies[0]} / {replies[1]}':>16}{f'{one.looks} / {other.looks}':>8}{marks}"
        )
    return "\n".join(lines)
