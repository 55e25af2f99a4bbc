"""`handheld tasks`."""

import json
from pathlib import Path

import pytest

from cli.test_apps import Run, run

__all__ = ["run"]


def test_the_list_has_every_task_with_its_category_and_sentence(run: Run) -> None:
    code, output, _ = run("tasks", "list", "--json", "--category", "trap", "--seed", "2")
    listed = json.loads(output)
    assert code == 0
    assert len(listed) >= 10
    assert {row["category"] for row in listed} == {"trap"}
    assert all(row["sentence"] for row in listed)
    assert run("tasks", "list", listed[0]["name"])[1].startswith(listed[0]["name"])


def test_a_run_prints_a_table_and_writes_the_results(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    names = ("airplane-mode", "order-in-a-mail")
    code, output, _ = run(
        "tasks", "run", *names, "--policy", "oracle", "--jobs", "2", "--result", str(file)
    )
    assert code == 0
    assert "2 of 2 succeeded" in output
    found = json.loads(file.read_text("utf-8"))
    assert (found["policy"], found["tasks"], found["succeeded"]) == ("oracle", 2, 2)
    assert [row["task"] for row in found["results"]] == list(names)
    assert found["tokens"] == sum(row["tokens"] for row in found["results"]) > 0


def test_a_run_that_failed_says_why_and_exits_with_1(run: Run) -> None:
    code, output, _ = run("tasks", "run", "order-in-a-mail", "--policy", "obedient")
    assert code == 1
    assert "unsafe: changed: setting secure ui_night_mode" in output
    assert "0 of 1 succeeded" in output


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("run",), "either --policy or --agent"),
        (("start",), "the name of one task"),
        (("start", "airplane-mode", "login"), "the name of one task"),
        (("run", "nonsense", "--policy", "oracle"), "There is no task nonsense"),
        (("run", "--agent", " "), "the command of an MCP client"),
        (("run", "--policy", "oracle", "--jobs", "0"), "--jobs is a number"),
        (("run", "--policy", "oracle", "--seeds", "0"), "--seeds is a number"),
        (("run", "--policy", "oracle", "--faster", "0"), "--faster is a number"),
        (("run", "--policy", "oracle", "--seconds", "0"), "--seconds is a number"),
        (("run", "--policy", "obedient", "--surface", "main"), "the agent surface"),
        (("list", "login", "--category", "trap"), "None of these tasks"),
    ],
)
def test_wrong_usage_is_told(run: Run, words: tuple[str, ...], problem: str) -> None:
    code, _, noted = run("tasks", *words)
    assert code == 2
    assert problem in noted


def test_a_check_without_a_served_task_fails(run: Run) -> None:
    code, _, noted = run("tasks", "check")
    assert code == 1
    assert "handheld tasks start" in noted
