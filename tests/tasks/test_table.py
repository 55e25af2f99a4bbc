"""The tables in docs/task-costs.md."""

import subprocess
import sys
from pathlib import Path

import pytest

from handheld.tasks.book import TASKS
from handheld.tasks.second_runs import KEPT

ROOT = Path(__file__).resolve().parents[2]


def test_the_tables_list_every_task_and_every_second_run() -> None:
    page = (ROOT / "docs" / "task-costs.md").read_text("utf-8")
    rows = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert [name for name in rows if name in TASKS] == [*TASKS, *KEPT]


@pytest.mark.matrix
def test_the_tables_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "task_table.py"), "--check"]
    checked = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
