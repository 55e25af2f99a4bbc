"""`handheld tasks start` and `check`, as programs."""

import pytest

from cli.program import Home


@pytest.mark.matrix
def test_a_started_task_is_checked_and_replaced_by_other_commands(home: Home) -> None:
    with home.start("tasks", "start", "airplane-mode") as program:
        program.until("Token: ")
        checked = home.run("tasks", "check")
        assert (checked.returncode, checked.stderr) == (1, "")
        assert checked.stdout.splitlines()[0] == "not done: airplane_mode_on is 0, not 1."
        again = home.run("tasks", "start", "was-it-sent", "--seed", "1")
        assert again.returncode == 0
        assert again.stdout.startswith("Task:  Was the text message")
