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


EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "my_tasks.py"


def test_the_tasks_of_a_file_are_played_instead_of_the_built_in_ones(run: Run) -> None:
    code, output, _ = run("tasks", "run", "--book", str(EXAMPLE), "--policy", "oracle")
    assert code == 0
    assert "1 of 1 succeeded" in output
    assert run("tasks", "run", "--book", str(EXAMPLE), "--policy", "nothing")[0] == 1


def test_the_example_of_the_page_is_a_task(run: Run, tmp_path: Path) -> None:
    page = (EXAMPLE.parents[1] / "docs" / "tasks.md").read_text(encoding="utf-8")
    book = tmp_path / "my_tasks.py"
    book.write_text(page.split("```python\n")[1].partition("```")[0], encoding="utf-8")
    code, output, _ = run("tasks", "run", "--book", str(book), "--policy", "oracle")
    assert (code, "1 of 1 succeeded" in output) == (0, True)
    assert run("tasks", "run", "--book", str(book), "--policy", "nothing")[0] == 1


_CAPTURED = """\
<hierarchy rotation="0"><node text="" class="android.widget.FrameLayout" package="org.example.bus"
 bounds="[0,0][1080,2400]" content-desc="" resource-id=""><node text="Bus 42 leaves at 8:05"
 class="android.widget.TextView" package="org.example.bus" bounds="[0,300][1080,400]"
 content-desc="" resource-id="" /></node></hierarchy>
"""
_SCENE = """\
[phone]
open = "org.example.bus"
[[show]]
dump = "dump.xml"
"""
_BOOK = """\
from handheld.tasks.book.parts import answered
from handheld.tasks.task import Book, Plan, stage

BOOK = Book("retrieval")


@BOOK.task("bus")
def bus(draw):
    return Plan(
        "When does bus 42 leave?",
        answered("8:05"),
        [stage(note=r"leaves at (\\d:\\d\\d)")],
        answer="{0}",
        scene="%s",
    )
"""


def test_a_task_starts_in_a_scene_with_a_captured_screen(run: Run, tmp_path: Path) -> None:
    (tmp_path / "dump.xml").write_text(_CAPTURED, encoding="utf-8")
    (tmp_path / "scene.toml").write_text(_SCENE, encoding="utf-8")
    book = tmp_path / "book.py"
    book.write_text(_BOOK % (tmp_path / "scene.toml"), encoding="utf-8")
    code, output, noted = run("tasks", "run", "--book", str(book), "--policy", "oracle")
    assert (code, "1 of 1 succeeded" in output) == (0, True), (output, noted)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no Book in it has a task"),
        ("1 +", "SyntaxError"),
        (_BOOK % "/no/such/scene.toml", "/no/such/scene.toml"),
        (
            _BOOK % "empty" + "\n@BOOK.task('bus')\ndef again(draw): ...\n",
            "two tasks have one name",
        ),
    ],
)
def test_a_file_without_playable_tasks_is_refused_with_the_reason(
    run: Run, tmp_path: Path, text: str, problem: str
) -> None:
    book = tmp_path / "book.py"
    book.write_text(text, encoding="utf-8")
    code, _, noted = run("tasks", "run", "--book", str(book), "--policy", "oracle")
    assert code == 1
    assert problem in noted
