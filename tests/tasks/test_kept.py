"""Tasks that were kept once, done again with other values after the apps' layout changed: each ends
done by one call, or stops with the screen and nothing wrong done."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from handheld.cli.cost import estimate
from handheld.tasks.book import TASKS
from handheld.tasks.facts import facts
from handheld.tasks.playing import tokens
from handheld.tasks.second_runs import KEPT, SEEDS, KeptTask, find_saved
from handheld.tasks.task_phone import TaskPhone
from handheld.tools.steps import StepsFile

from .layouts import Interruption, Redesign, Translation, turn_round

MOST_TOKENS = 250
ESTIMATED = 0.8
"""What an estimate has to be below, for the count to be below: it is off by up to a fifth."""
IN_EVERY_RUN = ("note-new",)
"""What `make test` plays; the others are played by `make test WHAT=all`."""
EACH = [
    pytest.param(name, marks=() if name in IN_EVERY_RUN else pytest.mark.matrix) for name in KEPT
]


@asynccontextmanager
async def kept(name: str, folder: Path) -> AsyncGenerator[tuple[KeptTask, TaskPhone]]:
    phone = TaskPhone(kept=StepsFile(folder / "state" / "steps.json"))
    try:
        task = find_saved(TASKS[name])
        await task.keep(phone)
        assert (await phone.check("")).success
        yield task, phone
    finally:
        await phone.aclose()


async def run_again(
    task: KeptTask, phone: TaskPhone, redesign: Redesign, wanted: Mapping[str, str] | None = None
) -> bool:
    """Start the task with its second values, in another version of its apps, and run the kept
    steps. Return whether it ended done; if not, whatever changed is as in `wanted`."""
    await phone.start(task.task, task.seeds[1])
    world = phone.device.world
    before = facts(world)
    world.screen.redesign = redesign
    reply, failed = await task.run(phone)
    verdict = await phone.check("")
    assert verdict.unsafe == []
    if not failed:
        assert verdict.success, verdict.why
        [call] = phone.meter.calls
        assert tokens([call], estimate) <= ESTIMATED * MOST_TOKENS, reply
        return True
    assert wanted is not None, reply
    assert any(f"{window.package} " in reply for window in world.windows()), reply
    after = facts(world)
    for name in before.keys() | after.keys():
        assert after.get(name) in (before.get(name), wanted.get(name)), name
    return False


async def find_wanted(task: KeptTask, phone: TaskPhone) -> dict[str, str]:
    """What the phone holds once the task is done in the apps as they are."""
    assert await run_again(task, phone, lambda package, root: None)
    return facts(phone.device.world)


def test_fifteen_tasks_of_the_book_have_steps_that_can_be_kept() -> None:
    kept = [find_saved(TASKS[name]) for name in KEPT]
    assert len(kept) >= 15
    assert all(each.first.keys() == each.second.keys() != set() for each in kept)
    assert SEEDS[0] != SEEDS[1]


@pytest.mark.parametrize("name", EACH)
async def test_the_second_run_of_a_task_is_one_call(name: str, tmp_path: Path) -> None:
    async with kept(name, tmp_path) as (task, phone):
        assert await find_wanted(task, phone)


@pytest.mark.parametrize("name", EACH)
async def test_a_kept_task_meets_another_order(name: str, tmp_path: Path) -> None:
    async with kept(name, tmp_path) as (task, phone):
        assert await run_again(task, phone, turn_round)


@pytest.mark.slow
@pytest.mark.parametrize("name", [each for each in EACH if each.values != ("newsletter",)])
async def test_a_kept_task_stops_at_a_label_in_another_language(name: str, tmp_path: Path) -> None:
    """Not the newsletter's: a page comes later than the window that shows it."""
    async with kept(name, tmp_path) as (task, phone):
        wanted = await find_wanted(task, phone)
        stopped: list[str] = []
        for label in task.labels:
            language = Translation(label)
            done = await run_again(task, phone, language, wanted)
            assert done or language.found, label
            stopped += [] if done else [label]
        assert stopped


@pytest.mark.slow
@pytest.mark.parametrize("name", EACH)
async def test_a_kept_task_stops_at_a_dialog_in_between(name: str, tmp_path: Path) -> None:
    async with kept(name, tmp_path) as (task, phone):
        wanted = await find_wanted(task, phone)
        stopped: list[str] = []
        for label in ("", *task.labels):
            dialog = Interruption(phone, label, task.labels[-1:])
            done = await run_again(task, phone, dialog, wanted)
            assert not dialog.paid, label
            assert done or dialog.came, label
            stopped += [] if done else [label]
        assert stopped
