"""Calls and tokens of the tasks on both surfaces."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..economy import tokens
from ..figures import Figure
from .phone import new_phone
from .policy import PLAYERS, Call
from .tasks import TASKS, Task

MOST_CALLS = 1 / 4
MOST_TOKENS = 1 / 8
MOST_LOOKS = 5.0


@dataclass(frozen=True, slots=True)
class Played:
    task: str
    surface: str
    done: bool
    calls: Sequence[Call]
    problem: str = ""

    @property
    def actions(self) -> int:
        return sum(call.acts for call in self.calls)

    @property
    def looks(self) -> int:
        """Actions that were followed by a look."""
        pairs = pairwise(self.calls)
        return sum(one.acts and other.tool in _LOOKS for one, other in pairs)


_LOOKS = ("phone_look", "android_get_screen_state")


async def play(task: Task, surface: str) -> Played:
    async with new_phone(surface) as (device, client):
        task.prepare(device.world)
        player = PLAYERS[surface](client)
        problem = ""
        try:
            await player.play(task.stages, task.shows)
        except RuntimeError as failure:
            problem = str(failure)
        return Played(task.name, surface, task.is_done(device.world), player.calls, problem)


async def play_all() -> dict[str, list[Played]]:
    return {surface: [await play(task, surface) for task in TASKS] for surface in ("main", "agent")}


async def measure() -> list[Figure]:
    played = await play_all()
    counts = tokens.kept()
    print(table(played, counts), file=sys.stderr)
    main, agent = played["main"], played["agent"]
    sums = {name: _sums(each, counts) for name, each in played.items()}
    undone = [each for each in (*main, *agent) if not each.done]
    actions = sum(each.actions for each in agent)
    looks = 100 * sum(each.looks for each in agent) / actions
    names = "; ".join(f"{each.surface}: {each.task}" for each in undone)
    return [
        Figure("tasks that were not done", len(undone), "", 0, True, names),
        *(
            Figure(f"{what} on the {name} surface, {len(TASKS)} tasks", value, "")
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
        Figure("replies whose tokens were estimated", counts.estimated, ""),
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
    lines = [f"{'task':<52}{'calls':>12}{'tokens':>16}{'looks':>8}"]
    for one, other in zip(played["main"], played["agent"], strict=True):
        replies = [sum(counts.of(call.reply) for call in each.calls) for each in (one, other)]
        marks = "".join(
            f"  {each.surface}: NOT DONE {each.problem[:80]!r}"
            for each in (one, other)
            if not each.done
        )
        lines.append(
            f"{one.task:<52}{f'{len(one.calls)} / {len(other.calls)}':>12}"
            f"{f'{replies[0]} / {replies[1]}':>16}{f'{one.looks} / {other.looks}':>8}{marks}"
        )
    return "\n".join(lines)
