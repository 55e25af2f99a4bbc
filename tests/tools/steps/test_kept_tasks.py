"""Kinds of steps and of parameters, kept once and done again with other values after the app's
layout changed: each run ends done, or stops with the screen and nothing wrong done. The tasks of
the book are in tests/tasks/test_kept.py."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from handheld.errors import ToolError
from handheld.screen.rows.token_bound import most_tokens
from tools.agent.conftest import AgentBench
from tools.agent.shop import KeptBench, Shop, open_shop

ITEM = {"type": "{item}", "into": "New item"}


class Task(NamedTuple):
    steps: Sequence[dict[str, Any]]
    label: str
    """The label that is in another language then."""
    first: str = "Milk"
    second: str = "Bread"
    did: Sequence[str] = ()
    """What is to happen the second time; `%` is the value."""


TASKS = {
    "enter": Task([{**ITEM, "submit": True}], "New item", did=["entered %"]),
    "enter by key": Task([ITEM, {"press": "enter"}], "Add", did=["entered %"]),
    "delete": Task(
        [{"tap": "Delete", "within": "{item}"}, {"tap": "Delete"}], "Delete", did=["deleted %"]
    ),
    "star": Task([{"tap": "{item}", "hold": True}], "Bread", did=["starred %"]),
    "size": Task([{"tap": "{item:Small|Large}"}], "Large", "Small", "Large", ["size %"]),
    "amount": Task(
        [{"type": "{item:number}", "into": "Amount"}, {"tap": "Set"}],
        "Amount",
        "1",
        "25",
        ["amount %"],
    ),
    "wifi": Task([ITEM, {"tap": "SWITCH"}], "Only on Wi-Fi", did=["wifi on"]),
    "add twice": Task(
        [ITEM, {"tap": "Add"}, {**ITEM, "mode": "append"}, {"tap": "Add"}],
        "Add",
        did=["added %", "added %%"],
    ),
    "wait and add": Task(
        [{"wait": "Unlock"}, ITEM, {"tap": "Add"}, {"wait": "Pay"}], "Pay", did=["added %"]
    ),
}
CHANGES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "order": {"turned_round": True, "items": ("Bread", "Jam", "Milk")},
    "language": {},
    "dialog": {"asks_to_pay": True},
    "dialog at once": {"asks_to_pay": True},
}


async def keep(kept: KeptBench, task: Task) -> None:
    open_shop(kept.bench)
    rows = await kept.bench.look()
    switch = next(part for row in rows for part in row.split(", ") if " switch" in part)
    steps = [
        {key: switch.split()[0] if each == "SWITCH" else each for key, each in step.items()}
        for step in task.steps
    ]
    reply = await kept.do(*steps, save_as="task", values=[f"item={task.first}"])
    assert "Kept as my_task(item)" in reply, reply


async def run(kept: KeptBench, shop: Shop, task: Task) -> tuple[bool, str]:
    """Whether the second run ended done, and what it replied."""
    try:
        return True, await kept.call("my_task", {"item": task.second})
    except ToolError as failure:
        return False, "\n".join([failure.message, *failure.details])


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == "size" else pytest.mark.matrix) for name in TASKS],
)
async def test_a_kept_task_is_done_or_stops_with_nothing_wrong_done(
    bench: AgentBench, tmp_path: Path, name: str
) -> None:
    task, kept = TASKS[name], KeptBench(bench, tmp_path)
    await keep(kept, task)
    ended: dict[str, bool] = {}
    for change, options in CHANGES.items():
        if change == "language":
            options = {"words": {task.label: "Etwas anderes"}}
        shop = open_shop(bench, **options)
        if change == "dialog at once":
            shop.interrupt()
            bench.world.settle()
        ended[change], reply = await run(kept, shop, task)
        wanted = [each.replace("%", task.second) for each in task.did]
        if ended[change]:
            assert shop.did == wanted, change
            # The call itself is less than 20.
            assert most_tokens(reply) <= 230, change
        else:
            assert shop.did == wanted[: len(shop.did)], change
            assert "dev.handheld.testbed" in reply, change
    assert ended["nothing"]
    assert ended["order"]
    assert not ended["dialog at once"]
