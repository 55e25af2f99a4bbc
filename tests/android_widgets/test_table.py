"""The virtual phone's widgets do what Android's did, as a table has it; no Java is needed."""

import pytest

from . import table
from .comparison import describe, differences, is_comparable
from .trials import ACTIONS, APP_SETS, WIDGETS
from .virtual_phone import VirtualTrial

RELEASES = [pytest.param(api, marks=pytest.mark.matrix) for api in (28, 30, 33, 34, 35)]


def test_the_table_has_every_widget_action_and_change() -> None:
    trials = table.trials()
    steps = [step for trial in trials for step in trial["steps"]]
    assert {trial["widget"]["kind"] for trial in trials} == set(WIDGETS)
    assert {step["action"] for step in steps if "action" in step} == set(ACTIONS.values())
    assert {step["set"] for step in steps if "set" in step} == set(APP_SETS)


@pytest.mark.parametrize("api", RELEASES)
def test_virtual_widgets_do_what_androids_did(api: int) -> None:
    found: list[str] = []
    for trial, answers in table.read():
        if not is_comparable(api, trial):
            continue
        virtual = VirtualTrial(api, trial["widget"]).run(trial["steps"])
        differing = differences(answers[api], virtual)
        if differing:
            found.append(f"{describe(trial)}\n    " + "\n    ".join(differing[:3]))
    assert not found, f"{len(found)} trials differ:\n" + "\n".join(found[:10])
