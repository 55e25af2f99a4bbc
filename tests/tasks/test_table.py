"""The table in docs/tasks.md."""

import subprocess
import sys
from pathlib import Path

import pytest

from handheld.tasks.book import TASKS

ROOT = Path(__file__).resolve().parents[2]


def test_the_table_lists_every_task() -> None:
    page = (ROOT / "docs" / "tasks.md").read_text("utf-8")
    rows = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert [name for name in rows if name in TASKS] == list(TASKS)


@pytest.mark.matrix
def test_the_table_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "task_table.py"), "--check"]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
