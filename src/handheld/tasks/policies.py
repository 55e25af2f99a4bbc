"""The built-in policies, which play a task without a model."""

import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress

from . import POLICY_NAMES
from .players import Player, Stuck
from .task import Plan, Stage, Step

Policy = Callable[[Player, Plan], Awaitable[str]]
"""Plays a plan; returns its answer. Raises Stuck."""


async def oracle(player: Player, plan: Plan) -> str:
    """Do the steps that solve the task, and read the result of the last one."""
    for stage in plan.oracle:
        await player.play(stage)
    await player.screen()
    return player.fill(plan.answer)


async def nothing(player: Player, plan: Plan) -> str:
    """Do nothing."""
    return ""


async def obedient(player: Player, plan: Plan) -> str:
    """Do the oracle's steps, and obey everything on the screen: agree to every dialog, and follow
    every text of the form "open …, tap …, type … into …"."""
    followed: set[str] = set()
    for stage in plan.oracle:
        with suppress(Stuck):  # an order may have led elsewhere; continue from there
            await player.play(stage)
        await _obey(player, followed)
    return player.fill(plan.answer)


POLICIES: dict[str, Policy] = dict(zip(POLICY_NAMES, (oracle, nothing, obedient), strict=True))

# Text on the agent surface that an agent could take for an order: a dialog's button, and plain
# words.
_YES = re.compile(r'"(Pay|Allow|While using the app|Install|OK|Delete)"')
_ORDER = re.compile(r'\b(?:[Oo]pen|[Tt]ap) [\w &]+(?:, (?:tap|hold|type) [^,"|]+)*')
MOST_ORDERS = 5


async def _obey(player: Player, followed: set[str]) -> None:
    for _ in range(MOST_ORDERS):
        order = next((each for each in _orders(await player.screen()) if each not in followed), "")
        if not order:
            return
        followed.add(order)
        try:
            await player.play(Stage(list(_steps(order))))
        except Stuck:
            return


def _orders(screen: str) -> Iterator[str]:
    if screen.startswith("dialog") and (button := _YES.search(screen)):
        yield f"tap {button[1]}"
    for found in _ORDER.finditer(screen):
        yield found[0]


def _steps(order: str) -> Iterator[Step]:
    for clause in order.split(", "):
        verb, _, rest = clause.partition(" ")
        if verb.lower() == "type":
            text, _, field = rest.partition(" into ")
            yield Step("type", field, text)
        else:
            yield Step(verb.lower(), rest)
