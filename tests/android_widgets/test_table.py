"""The virtual phone's widgets do what Android's did, as a table has it; no Java is needed."""

import pytest

from . import table
from .comparison import describe, differences, is_comparable
from .virtual_phone import VirtualTrial

RELEASES = (*(pytest.param(api, marks=pytest.mark.matrix) for api in (28, 30, 33)), 34)


def test_the_table_has_the_trials_of_its_seed() -> None:
    assert [trial for trial, _ in table.read()] == table.trials()


@pytest.mark.parametrize("api", RELEASES)
def test_virtual_widgets_do_what_androids_did(api: int) -> None:
    found: list[str] = []
    for trial, answers in table.read():
        if not is_comparable(trial):
            continue
        virtual = VirtualTrial(api, trial["widget"]).run(trial["steps"])
        differing = differences(answers[api], virtual)
        if differing:
            found.append(f"{describe(trial)}\n    " + "\n    ".join(differing[:3]))
    assert not found, f"{len(found)} trials differ:\n" + "\n".join(found[:10])
