"""The player of the tasks in the bench: it sees replies alone, and the phone tells what it did."""

from typing import Any, cast

import pytest
from bench.client import Client
from bench.tasks.policy import PLAYERS, Step, ref_of
from bench.tasks.tasks import TASKS, Task

from agent.conftest import AgentBench
from handheld.surface.local import LocalSurface
from handheld.tools import CATALOG

ON_MAIN = ("switch airplane mode on", "let an app use the camera")
"""The tasks that `make test` plays on the main surface, too."""


class OverTests:
    """Requests to the server of the tests, in which the phone's time passes."""

    def __init__(self, bench: AgentBench) -> None:
        self._bench = bench

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        asked = self._bench.http.post("/mcp", json=body)
        return (await self._bench.passing(asked)).json()["result"]


def _cases() -> list[Any]:
    return [
        pytest.param(
            surface,
            task,
            id=f"{task.name} ({surface})",
            marks=[pytest.mark.matrix] if surface == "main" and task.name not in ON_MAIN else (),
        )
        for task in TASKS
        for surface in PLAYERS
    ]


@pytest.mark.parametrize(("surface", "task"), _cases())
async def test_a_task_is_done(bench: AgentBench, surface: str, task: Task) -> None:
    if surface == "main":
        bench.counter.surface = LocalSurface(CATALOG, bench)
    task.prepare(bench.world)
    assert not task.is_done(bench.world)
    player = PLAYERS[surface](cast("Client", OverTests(bench)))
    await player.play(task.stages, task.shows)
    assert task.is_done(bench.world)
    assert not [call for call in player.calls if call.failed]


def test_a_ref_is_taken_from_what_was_shown_and_words_are_not_mixed_with_contents() -> None:
    seen = 'app "Notes" s2\nk1 field "Search" = "Milk"\nk2 "Milk | Two litres"'
    assert ref_of(Step("tap", "Milk"), seen) == "k2"
    assert ref_of(Step("type", "Milk"), seen) == "k1"
    assert ref_of(Step("tap", "Bread"), seen) == "Bread"
