"""Plays a task twice: the first run keeps its steps, and the second repeats them with other values
in one call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..tools.steps import StepsFile
from .meter import MeteredCall
from .players import AgentPlayer, Stuck, as_argument
from .task import BadTask, Plan, Step, Task
from .task_phone import TaskPhone

NAME = "task"
"""The name under which the steps are kept."""
KEPT = (
    "screen-timeout",
    "font-size",
    "device-name",
    "file-delete",
    "file-rename",
    "folder-new",
    "timer",
    "contact-form",
    "note-new",
    "note-delete",
    "note-edit",
    "message-new",
    "message-reply",
    "answer-a-notification",
    "login",
    "newsletter",
    "contact-far-down",
    "landscape-note",
    "field-that-asks-for-a-password",
)
"""Tasks with parameters whose oracle need not read the screen in between."""
SEEDS = (0, 4)


@dataclass(frozen=True, slots=True)
class KeptTask:
    """A task with the seeds of its two runs."""

    task: Task
    steps: Sequence[Step]
    """Values that differ between the seeds are parameters: `{value_1}`."""
    first: Mapping[str, str]
    second: Mapping[str, str]
    seeds: tuple[int, int]

    @property
    def labels(self) -> list[str]:
        """The labels that its steps refer to by the same words in both runs."""
        acting = (step.at for step in self.steps if step.tool in ("tap", "hold", "type"))
        return list(dict.fromkeys(at for at in acting if not at.startswith(("{", "#"))))

    async def keep(self, phone: TaskPhone) -> str:
        """Do the task for the first time, and keep its steps. Raises Stuck."""
        await phone.start(self.task, self.seeds[0])
        given: dict[str, Any] = {
            "steps": [as_argument(step) for step in self.steps],
            "save_as": NAME,
            "values": [f"{name}={value}" for name, value in self.first.items()],
        }
        reply = await AgentPlayer(phone.surface).demand("phone_do", given)
        if f"Kept as my_{NAME}" not in reply:
            raise Stuck(reply)
        return reply

    async def run(self, phone: TaskPhone) -> tuple[str, bool]:
        """Repeat the task on a phone in the state of the second seed. Returns the reply, and
        whether the call failed."""
        tools = await phone.surface.tools(AgentPlayer.scope)
        kept = next(tool for tool in tools if tool.name == f"my_{NAME}")
        # The values that differ between the seeds may all be unused by the kept steps.
        takes = kept.input_schema["properties"]
        values = {name: value for name, value in self.second.items() if name in takes}
        return await AgentPlayer(phone.surface).call(kept.name, values)


async def play_twice(kept: KeptTask, folder: Path) -> tuple[MeteredCall, MeteredCall]:
    """Do a task, and repeat it with other values. Returns both calls. Raises Stuck unless both
    succeed."""
    phone = TaskPhone(kept=StepsFile(folder / f"{kept.task.name}.json"))
    try:
        await kept.keep(phone)
        [first], keeping = phone.meter.calls, await phone.check("")
        await phone.start(kept.task, kept.seeds[1])
        await kept.run(phone)
        [second], running = phone.meter.calls, await phone.check("")
    finally:
        await phone.aclose()
    if not (keeping.success and running.success):
        raise Stuck(f"{kept.task.name}: {keeping.why or running.why}")
    return first, second


def find_saved(task: Task, first: int = SEEDS[0], second: int = SEEDS[1]) -> KeptTask:
    """Raises BadTask if its steps depend on the contents of the screen, or differ between seeds."""
    one, other = (_steps_of(task, task.draw(seed)) for seed in (first, second))
    names: dict[tuple[str, str], str] = {}

    def general(before: str, after: str) -> str:
        if before == after:
            return before
        return f"{{{names.setdefault((before, after), f'value_{len(names) + 1}')}}}"

    if [step.tool for step in one] != [step.tool for step in other]:
        raise BadTask(f"{task.name}: its steps are others for another seed.")
    steps = [
        replace(
            a,
            at=general(a.at, b.at),
            text=general(a.text, b.text),
            within=general(a.within, b.within),
        )
        for a, b in zip(one, other, strict=True)
    ]
    before = {name: pair[0] for pair, name in names.items()}
    after = {name: pair[1] for pair, name in names.items()}
    return KeptTask(task, steps, before, after, (first, second))


def _steps_of(task: Task, plan: Plan) -> list[Step]:
    if any(stage.note for stage in plan.oracle):
        raise BadTask(f"{task.name}: its steps depend on what the screen shows.")
    return [step for stage in plan.oracle for step in stage.steps]
