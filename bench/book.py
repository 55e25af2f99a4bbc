"""The task book: how long a reset takes, and all tasks with the oracle."""

import time

from handheld.cli.cost import estimate
from handheld.tasks.book import TASKS
from handheld.tasks.playing import by_policy, play_task
from handheld.tasks.policies import POLICIES
from handheld.tasks.task_phone import TaskPhone

from .figures import Figure, median

ROUNDS = 3


async def measure() -> list[Figure]:
    resets: list[float] = []
    phone = TaskPhone(speed=1.0)
    try:
        for seed in range(ROUNDS):
            for task in TASKS.values():
                began = time.perf_counter()
                await phone.start(task, seed)
                resets.append((time.perf_counter() - began) * 1000)
    finally:
        await phone.aclose()
    began = time.perf_counter()
    play = by_policy(POLICIES["oracle"], "agent")
    played = [await play_task(task, 0, play, estimate, speed=None) for task in TASKS.values()]
    seconds = time.perf_counter() - began
    return [
        Figure("reset to the start of a task, p50", median(resets), "ms", 100),
        Figure("reset to the start of a task, the longest", max(resets), "ms"),
        Figure(f"{len(TASKS)} tasks by the oracle", seconds, "s", 60),
        Figure("of them not done", sum(not each.success for each in played), "", 0, gates=True),
    ]
