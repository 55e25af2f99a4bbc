"""What the bench makes of what it measured."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bench.figures import Figure, of_rounds, show
from bench.fleet_load import Load, cores_table, growth_table
from bench.fleet_programs import ROLES
from bench.growth_plot import draw
from bench.imports import Module, middle, read, table
from bench.timing import time_in_turns

from harness.polling import HANG

ROOT = Path(__file__).resolve().parent.parent
REPORT = """\
import time: self [us] | cumulative | imported package
import time:       250 |        250 |   json.decoder
13:24:08 INFO Phone virtual is connected.
import time:      1000 |       1250 | json
"""


def test_imports_are_read_from_what_python_reports() -> None:
    modules = read(REPORT)
    assert modules == [Module("json.decoder", 0.25, 0.25), Module("json", 1.25, 1.0)]
    again = [Module("json", 3.25, 3.0), Module("late", 9.0, 9.0)]
    costliest, json, decoder = middle([modules, again])
    assert costliest == Module("late", 9.0, 9.0)
    assert json == Module("json", 2.25, 2.0)
    assert decoder.name == "json.decoder"
    assert table("a program", modules).splitlines() == [
        "a program: 2 modules, 1.2 ms",
        "      ms  own ms",
        "     0.2     0.2  json.decoder",
        "     1.2     1.0  json",
    ]


def test_a_gate_is_judged_by_the_median_of_its_rounds_and_shows_their_spread() -> None:
    figure = of_rounds("ratio", [1.0, 1.2, 1.4, 9.0, 1.1], "x", 1.3, gates=True)
    assert figure == Figure("ratio", 1.2, "x", 1.3, True, spread="half of 5 rounds: 1.10 to 1.40")
    assert show([figure]).splitlines()[1].endswith("ok, gates (half of 5 rounds: 1.10 to 1.40)")


async def test_the_processor_time_of_each_kind_is_that_of_its_own_calls() -> None:
    spent = [0.0]

    async def cheap() -> None:
        spent[0] += 1

    async def dear() -> None:
        spent[0] += 3

    def clock() -> float:
        return spent[0]

    compared = await time_in_turns(cheap, dear, 4, 2, (clock, clock))
    assert compared.spent_ratios == [3.0] * 4
    assert len(compared.baseline) == len(compared.measured) == 8


@pytest.mark.matrix
def test_a_part_that_does_not_exist_is_refused_with_those_that_do() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "bench", "typing", "nothing"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "tests"},
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=False,
    )
    assert run.returncode == 1
    assert run.stderr.startswith("There is no part nothing. ")
    assert "typing, scrolling" in run.stderr


def test_growth_of_a_fleet_is_drawn_in_proportion() -> None:
    def load(phones: int, milliseconds: float) -> Load:
        spent: dict[str, float] = dict.fromkeys(ROLES, milliseconds)
        memory: dict[str, float] = dict.fromkeys(ROLES, 10.0)
        return Load(phones, 10.0, 1000, [], 5.0, 9.0, spent, memory)

    loads = [load(10, 1.0), load(1000, 2.0)]
    picture = ElementTree.fromstring(draw(loads))
    bars = [one for one in picture.iter() if one.get("width") == "130.2"]
    heights = [float(one.get("height", "0")) for one in bars]
    assert len(heights) == 2 * len(ROLES)
    assert heights[-1] == pytest.approx(2 * heights[0], abs=0.2)
    assert growth_table(loads).splitlines()[-1].split(" | ")[:2] == ["| 1,000", "100"]
    # 500 calls of 8 ms, and the client's 2 ms beside.
    assert cores_table(loads[-1]).splitlines()[2] == "| 500 | 1.0 | 1.0 | 1.0 | 1.0 | 1.0 | 4.0 |"
