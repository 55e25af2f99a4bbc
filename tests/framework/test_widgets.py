"""Android's own widgets against the virtual phone's, on new trials; and the table made of them."""

import os
import random
from collections.abc import AsyncGenerator

import pytest

from android_widgets import table
from android_widgets.comparison import describe, differences, is_comparable
from android_widgets.trials import Trial, draw_trial
from android_widgets.virtual_phone import VirtualTrial

from .conftest import LEVELS
from .jvm import FrameworkPhone, open_phone, why_not

pytestmark = pytest.mark.needs_framework

SEED = int(os.environ.get("HANDHELD_SEED", "2"))
COUNT = int(os.environ.get("HANDHELD_TRIALS", "40"))


@pytest.fixture(scope="module", params=LEVELS, ids=lambda api: f"api{api}")
async def android(request: pytest.FixtureRequest) -> AsyncGenerator[tuple[int, FrameworkPhone]]:
    """Without a helper, so that the phone's time passes as fast as it can be computed."""
    if (reason := why_not()) is not None:
        pytest.fail(reason)
    async with open_phone(request.param) as phone:
        yield request.param, phone


async def compare(api: int, phone: FrameworkPhone, trial: Trial) -> list[str]:
    seen = await phone.run_trial(trial)
    return differences(seen, VirtualTrial(api, trial["widget"]).run(trial["steps"]))


async def test_virtual_widgets_do_what_androids_do(android: tuple[int, FrameworkPhone]) -> None:
    api, phone = android
    choices = random.Random(SEED)
    found: list[str] = []
    for _ in range(COUNT):
        trial = draw_trial(choices)
        if not is_comparable(trial):
            continue
        if differing := await compare(api, phone, trial):
            found.append(f"{describe(trial)}\n    " + "\n    ".join(differing[:3]))
    assert not found, f"{len(found)} of {COUNT} trials differ:\n" + "\n".join(found[:10])


async def test_the_table_is_androids(android: tuple[int, FrameworkPhone]) -> None:
    """Every eighth row: all of them take minutes."""
    api, phone = android
    for trial, answers in list(table.read())[api % 8 :: 8]:
        assert table.expand(table.compact(await phone.run_trial(trial))) == answers[api]
