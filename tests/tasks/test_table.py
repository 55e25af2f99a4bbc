"""The costs of the tasks, in costs.json and docs/tasks.md."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from handheld.tasks.book import TASKS
from handheld.tasks.second_runs import KEPT

ROOT = Path(__file__).resolve().parents[2]


def test_the_costs_have_every_task_and_every_second_run() -> None:
    costs = json.loads((ROOT / "tests" / "tasks" / "costs.json").read_text("utf-8"))
    assert list(costs) == list(TASKS)
    assert {name for name, cost in costs.items() if "kept" in cost} == set(KEPT)


@pytest.mark.matrix
def test_the_costs_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "task_table.py"), "--check"]
    checked = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
