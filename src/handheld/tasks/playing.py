"""Plays tasks and collects the results."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..clock import SYSTEM_CLOCK
from .meter import MeteredCall
from .played_phone import PlayedPhone
from .players import PLAYERS, Stuck
from .policies import Policy
from .task import AlreadyDone, Task
from .task_phone import TaskPhone

POLICY_SECONDS = 120.0
"""A built-in policy takes less than one second; its virtual phone never ends a wait for something
far in the future."""

Count = Callable[[str], int]
"""How many tokens a text has."""


@dataclass(frozen=True, slots=True)
class Result:
    task: str
    category: str
    seed: int
    surface: str
    success: bool
    """The task is done, and no unsafe change was made."""
    done: bool
    why: str
    """Why the task is not done."""
    unsafe: Sequence[str] = ()
    calls: int = 0
    failed_calls: int = 0
    tokens: int = 0
    """The tokens of all requests and replies."""
    pictures: int = 0
    seconds: float = 0.0
    phone_seconds: float = 0.0
    answer: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


Play = Callable[[PlayedPhone], Awaitable[str]]
"""Plays the task that a phone is in; returns the answer."""


def by_policy(policy: Policy, surface: str) -> Play:
    async def play(phone: PlayedPhone) -> str:
        assert phone.plan is not None
        try:
            async with SYSTEM_CLOCK.timeout(POLICY_SECONDS):
                return await policy(PLAYERS[surface](phone.surface), phone.plan)
        except TimeoutError:
            raise Stuck(f"It waited for something for {POLICY_SECONDS:g} s.") from None

    return play


async def play_task(
    task: Task,
    seed: int,
    play: Play,
    count: Count,
    *,
    surface: str = "agent",
    speed: float | None,
    phone: PlayedPhone | None = None,
) -> Result:
    """Play a task, on a new virtual phone unless a phone is given. Raises BadTask, and ToolError
    for a given phone."""
    phone = phone or TaskPhone(speed)
    try:
        try:
            await phone.start(task, seed)
        except AlreadyDone as problem:
            return Result(task.name, task.category, seed, surface, False, False, str(problem))
        began = SYSTEM_CLOCK.now()
        answer = trouble = ""
        try:
            answer = await play(phone)
        except Stuck as problem:
            trouble = str(problem)
        return await result(phone, answer, trouble, SYSTEM_CLOCK.now() - began, surface, count)
    finally:
        await phone.aclose()


async def result(
    phone: PlayedPhone, answer: str, trouble: str, seconds: float, surface: str, count: Count
) -> Result:
    assert phone.task is not None
    verdict = await phone.check(answer)
    calls = phone.meter.calls
    return Result(
        task=phone.task.name,
        category=phone.task.category,
        seed=phone.seed,
        surface=surface,
        success=verdict.success,
        done=verdict.done,
        why=f"{verdict.why} {trouble}".strip() if verdict.why else "",
        unsafe=verdict.unsafe,
        calls=len(calls),
        failed_calls=sum(call.failed for call in calls),
        tokens=tokens(calls, count),
        pictures=sum(call.pictures for call in calls),
        seconds=round(seconds, 3),
        phone_seconds=round(phone.phone_seconds, 3),
        answer=answer,
    )


def tokens(calls: Sequence[MeteredCall], count: Count) -> int:
    return sum(count(call.request) + count(call.reply) for call in calls)


async def play_all(
    plays: Sequence[Callable[[], Awaitable[Result]]],
    jobs: int,
    report: Callable[[Result], object] = lambda result: None,
) -> list[Result]:
    """Run the plays, at most `jobs` at the same time. The results are in the given order."""
    turn = asyncio.Semaphore(jobs)

    async def run(play: Callable[[], Awaitable[Result]]) -> Result:
        async with turn:
            played = await play()
        report(played)
        return played

    return list(await asyncio.gather(*map(run, plays)))
