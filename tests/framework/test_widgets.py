"""Android's own widgets against the virtual phone's, on new trials; and the table made of them."""

import os
from collections.abc import AsyncGenerator

import pytest
from hypothesis import given, settings

from android_widgets import table
from android_widgets.comparison import differences, is_comparable
from android_widgets.events import compared_events
from android_widgets.trials import Trial, trials
from android_widgets.virtual_phone import VirtualTrial

from .conftest import LEVELS
from .jvm import FrameworkPhone, open_phone, why_not

pytestmark = pytest.mark.needs_framework

COUNT = int(os.environ.get("HANDHELD_TRIALS", "40"))


@pytest.fixture(scope="module", params=LEVELS, ids=lambda api: f"api{api}")
async def android(request: pytest.FixtureRequest) -> AsyncGenerator[tuple[int, FrameworkPhone]]:
    """Without a helper, so that the phone's time passes as fast as it can be computed."""
    if (reason := why_not()) is not None:
        pytest.fail(reason)
    async with open_phone(request.param) as phone:
        yield request.param, phone


@settings(max_examples=COUNT)
@given(trial=trials())
async def test_virtual_widgets_do_what_androids_do(
    android: tuple[int, FrameworkPhone], trial: Trial
) -> None:
    api, phone = android
    if is_comparable(api, trial):
        seen = compared_events(trial, await phone.run_trial(trial))
        virtual = VirtualTrial(api, trial["widget"]).run(trial["steps"])
        assert not differences(seen, virtual)


async def test_the_table_is_androids(android: tuple[int, FrameworkPhone]) -> None:
    """Every eighth row: all of them take minutes."""
    api, phone = android
    for trial, answers in list(table.read())[api % 8 :: 8]:
        seen = compared_events(trial, await phone.run_trial(trial))
        assert table.expand(table.compact(seen)) == answers[api]
