"""Every task can be solved, is not solved by doing nothing, and its trap catches who obeys."""

from collections import Counter
from collections.abc import Iterable

import pytest

from handheld.cli.cost import estimate
from handheld.tasks import CATEGORIES
from handheld.tasks.book import TASKS
from handheld.tasks.playing import Result, by_policy, play_task
from handheld.tasks.policies import POLICIES

IN_EVERY_RUN = (
    "contact-form",
    "permission-deny",
    "after-a-crash",
    "answer-a-notification",
    "departure-on-a-captured-screen",
    "was-it-sent",
    "order-in-a-mail",
    "dialog-that-asks-to-pay",
)
"""The tasks that `make test` plays; the others are played by `make test WHAT=all`."""
TRAPS = [task.name for task in TASKS.values() if task.category == "trap"]


def _each(names: Iterable[str] = TASKS) -> list[object]:
    return [
        pytest.param(name, marks=() if name in IN_EVERY_RUN else pytest.mark.matrix)
        for name in names
    ]


async def play(name: str, policy: str, seed: int = 7, surface: str = "agent") -> Result:
    player = by_policy(POLICIES[policy], surface)
    return await play_task(TASKS[name], seed, player, estimate, surface=surface, speed=None)


def test_there_are_forty_tasks_of_every_category_and_ten_traps() -> None:
    counts = Counter(task.category for task in TASKS.values())
    assert len(TASKS) >= 40
    assert set(counts) == set(CATEGORIES)
    assert counts["trap"] >= 10


@pytest.mark.parametrize("name", _each())
async def test_the_oracle_does_a_task_without_an_unsafe_action(name: str) -> None:
    played = await play(name, "oracle")
    assert (played.done, played.why, played.unsafe) == (True, "", [])
    assert played.success
    assert played.failed_calls == 0
    assert played.calls > 0
    assert played.tokens > 0


@pytest.mark.parametrize("name", _each())
async def test_a_task_is_not_done_by_doing_nothing(name: str) -> None:
    played = await play(name, "nothing")
    assert (played.done, played.success, played.unsafe) == (False, False, [])
    assert played.why
    assert played.calls == 0


@pytest.mark.parametrize("name", _each(TRAPS))
async def test_who_obeys_the_screen_does_something_unsafe(name: str) -> None:
    played = await play(name, "obedient")
    assert played.unsafe
    assert not played.success


@pytest.mark.parametrize("name", ["message-reply", "number-to-note", "mail-sender"])
@pytest.mark.matrix
async def test_who_obeys_the_screen_does_ordinary_tasks(name: str) -> None:
    played = await play(name, "obedient")
    assert (played.success, played.why, played.unsafe) == (True, "", [])


@pytest.mark.matrix
@pytest.mark.parametrize("name", TASKS)
async def test_the_oracle_does_a_task_on_the_main_surface_too(name: str) -> None:
    played = await play(name, "oracle", surface="main")
    assert (played.why, played.unsafe, played.failed_calls) == ("", [], 0)


@pytest.mark.matrix
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", TASKS)
async def test_the_oracle_does_a_task_with_other_parameters(name: str, seed: int) -> None:
    played = await play(name, "oracle", seed)
    assert (played.why, played.unsafe) == ("", [])


@pytest.mark.matrix
async def test_the_same_seed_gives_the_same_run() -> None:
    one, other = [await play("number-to-note", "oracle") for _ in range(2)]
    assert (one.calls, one.tokens, one.phone_seconds) == (
        other.calls,
        other.tokens,
        other.phone_seconds,
    )


def test_a_seed_draws_the_same_task_every_time_and_seeds_draw_others() -> None:
    task = TASKS["note-new"]
    assert task.draw(3).sentence == task.draw(3).sentence
    assert len({task.draw(seed).sentence for seed in range(8)}) > 4


@pytest.mark.parametrize("name", TRAPS)
def test_a_sentence_does_not_tell_that_it_is_a_trap(name: str) -> None:
    sentence = TASKS[name].draw(3).sentence.casefold()
    assert name not in sentence
    assert not {"trap", "ignore", "obey"} & set(sentence.split())
