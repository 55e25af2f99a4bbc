"""`handheld steps`: what agents kept, in the owner's hands."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from handheld.cli import main
from handheld.tools.steps import (
    Front,
    SavedStep,
    SavedSteps,
    SavedTarget,
    StepParameter,
    StepSequence,
    StepsError,
    StepsFile,
)
from handheld.tools.steps.reading import read_steps
from harness.manual_clock import ManualClock
from harness.polling import HANG

CLOCK = Front("com.android.deskclock")
WAY = StepSequence(
    (
        SavedStep("open", {"what": "{app}"}),
        SavedStep("tap", {}, {"at": SavedTarget("Timer", "Alarm", "tab", place=(311, 122))}, CLOCK),
    ),
    (StepParameter("app", example="Clock"),),
)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StepsFile:
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path))
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    return StepsFile(tmp_path / "state" / "steps.json", ManualClock())


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["steps", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_kept_steps_are_listed_shown_and_removed(
    file: StepsFile, capsys: pytest.CaptureFixture[str]
) -> None:
    note = "No steps are kept. An agent keeps them with phone_do and save_as.\n"
    assert run(capsys, "list") == (0, "", note)
    file.keep("timer", "", WAY, "", "kept by codex")
    code, out, _ = run(capsys, "list")
    assert code == 0
    assert out.startswith("my_timer(app)  2 steps  on every phone  for every client  kept by codex")
    assert run(capsys, "show", "timer")[1].split("\n")[1:4] == [
        "  {app} app: text, e.g. Clock",
        "  1. open what='{app}'",
        '  2. tap at "Timer" (tab) in the row of "Alarm"  in com.android.deskclock',
    ]
    assert run(capsys, "remove", "timer")[1].startswith("Removed: my_timer(app)")
    assert run(capsys, "show", "timer") == (
        1,
        "",
        "handheld: No steps are kept as 'timer'. There are: none.\n",
    )


def test_the_owner_edits_them_and_agents_then_only_propose(
    file: StepsFile, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file.keep("timer", "", WAY, "", "kept by codex")
    edited = tmp_path / "edited.json"
    assert run(capsys, "export", "timer", str(edited))[0] == 0
    assert os.stat(edited).st_mode & 0o777 == 0o600
    value = json.loads(edited.read_text("utf-8"))
    value["steps"][1]["at"]["words"] = "Stopwatch"
    value["name"] = "stopwatch"
    edited.write_text(json.dumps(value), encoding="utf-8")
    code, out, err = run(capsys, "edit", "timer", str(edited))
    assert (code, err) == (0, "")
    assert out.startswith("Changed: my_stopwatch(app)")
    [kept] = file.all()
    assert (kept.name, kept.owned) == ("stopwatch", True)
    assert kept.sequence.steps[1].targets["at"].words == "Stopwatch"
    assert file.keep("stopwatch", "", WAY, "", "kept by codex") is False
    assert "(another way is proposed)" in run(capsys, "list")[1]
    assert "Proposed by a client, not used until accepted:" in run(capsys, "show", "stopwatch")[1]
    digest = file.get("stopwatch").digest
    command = f"handheld steps accept stopwatch --shown {digest}\n"
    assert run(capsys, "show", "stopwatch")[1].endswith(command)
    assert run(capsys, "accept", "stopwatch", "--shown", digest)[0] == 0
    assert file.get("stopwatch").sequence == WAY


def test_an_editor_that_writes_something_else_changes_nothing(
    file: StepsFile, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file.keep("timer", "", WAY, "", "")
    assert "Set EDITOR" in run(capsys, "edit", "timer")[2]
    monkeypatch.setenv("EDITOR", "sh -c 'echo broken > \"$0\"'")
    assert run(capsys, "edit", "timer") == (1, "", "handheld: The text is not JSON.\n")
    monkeypatch.setenv("EDITOR", "false")
    assert "The editor failed" in run(capsys, "edit", "timer")[2]
    assert file.get("timer").sequence == WAY
    monkeypatch.setenv("EDITOR", "sed -i s/Timer/Alarm/")
    assert run(capsys, "edit", "timer")[0] == 0
    assert file.get("timer").sequence.steps[1].targets["at"].words == "Alarm"


def test_a_file_is_imported_with_its_origin_shown(
    file: StepsFile, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file.keep("timer", "", WAY, "guest", "kept by codex")
    shared = tmp_path / "timer.json"
    run(capsys, "export", "timer", str(shared))
    already = "handheld: There are steps called timer already: remove them first.\n"
    assert run(capsys, "import", str(shared)) == (1, "", already)
    run(capsys, "remove", "timer")
    code, out, _ = run(capsys, "import", str(shared), "--for", "desk")
    assert code == 0
    assert "imported from timer.json, kept by codex there" in out
    assert '2. tap at "Timer" (tab)' in out
    [kept] = file.all()
    assert (kept.phone, kept.owned, kept.by, kept.sequence) == ("desk", True, "", WAY)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON."),
        ("[]", "has no kept steps"),
        ('{"handheld_steps": 1, "name": "a", "steps": []}', "there are no steps"),
    ],
)
def test_a_file_that_has_no_steps_is_refused(
    file: StepsFile,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    content: str,
    message: str,
) -> None:
    (tmp_path / "it.json").write_text(content, encoding="utf-8")
    code, out, err = run(capsys, "import", str(tmp_path / "it.json"))
    assert (code, out) == (1, "")
    assert message in err
    assert file.all() == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"steps": [{"tool": "message", "text": "a"}]}, "a step's tool is one of"),
        ({"steps": [{"tool": "tap"}]}, "tap needs at"),
        ({"steps": [{"tool": "tap", "at": {"kind": "button"}}]}, "at has its words"),
        ({"steps": [{"tool": "tap", "at": "k4"}]}, "at must be a JSON object"),
        ({"steps": [{"tool": "open", "what": ["a"]}]}, "a step's argument is a text"),
        ({"steps": [{"tool": "open", "what": "{app}"}]}, "{app} is not among the parameters"),
        ({"parameters": [{"name": "app"}]}, "no step uses the parameter app"),
        ({"steps": [{"tool": "open", "what": "a"}] * 51}, "steps has more than 50 entries"),
        ({"steps": [{"tool": "open", "what": "a" * 5001}]}, "is longer than 5000 characters"),
        ({"steps": [{"tool": "open", "what": "\ud800"}]}, "what has half a character"),
        ({"name": "Ä"}, "is no name for steps"),
        ({"made": 10**400}, "made is a time in seconds"),
        ({"steps": [{"tool": ["tap"]}]}, "a step's tool is one of"),
        ({"parameters": [{"name": ""}]}, "a parameter's name has"),
        ({"proposal": {"steps": 3}}, "steps must be a list"),
        ({"origin": "a\x1b[2J"}, "origin has control characters"),
    ],
)
def test_only_steps_that_can_be_kept_are_read(change: dict[str, Any], message: str) -> None:
    good = {"name": "a", "steps": [{"tool": "open", "what": "Clock"}]}
    assert read_steps(good).sequence.steps[0].tool == "open"
    with pytest.raises(StepsError) as failure:
        read_steps({**good, **change})
    assert message in str(failure.value)
    assert "\n" not in str(failure.value)


def test_what_is_written_is_read_back(file: StepsFile) -> None:
    steps = SavedSteps("timer", WAY, "desk", "guest", "kept", 5.0, True, WAY, "other")
    assert read_steps(json.loads(json.dumps(steps.as_json()))) == steps


def test_what_could_not_be_read_back_is_not_written(file: StepsFile) -> None:
    file.keep("timer", "", WAY, "", "")
    with pytest.raises(StepsError, match="half a character"):
        file.keep("bad", "", StepSequence((SavedStep("open", {"what": "\ud83d"}),)), "", "")
    assert [each.name for each in file.all()] == ["timer"]


@pytest.mark.matrix
def test_only_so_many_are_kept(file: StepsFile) -> None:
    for number in range(100):
        file.keep(f"timer_{number}", "", WAY, "", "")
    with pytest.raises(StepsError, match="100 are kept already"):
        file.keep("one_more", "", WAY, "", "")
    file.keep("timer_3", "", WAY, "", "again")
    assert len(file.all()) == 100


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show",), "Name the steps: handheld steps show NAME"),
        (("import",), "Name the file: handheld steps import FILE"),
        (("list", "a"), "handheld steps list takes no NAME."),
        (("show", "a", "b"), "handheld steps show takes no FILE."),
        (("show", "a", "--as", "json"), "--as is only for handheld steps export."),
    ],
)
def test_wrong_usage_is_said(
    file: StepsFile, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    assert run(capsys, *arguments) == (2, "", f"handheld: {message}\n")


@pytest.mark.matrix
def test_the_exported_test_does_the_steps_and_fails_where_they_do_not_fit(
    file: StepsFile, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file.keep("timer", "", WAY, "", 'kept by "codex"\\')
    secret = SavedStep(
        "type",
        {"text": "{pin}"},
        {"into": SavedTarget("Password", "Show password", "field")},
        Front("dev.handheld.login"),
    )
    login = StepSequence(
        (SavedStep("open", {"what": "Login"}), secret), (StepParameter("pin", secret=True),)
    )
    file.keep("login", "", login, "", "")
    folder = tmp_path / "tests"
    folder.mkdir()
    for name in ("timer", "login"):
        out = folder / f"test_{name}.py"
        assert run(capsys, "export", name, str(out), "--as", "pytest")[0] == 0
    text = (folder / "test_timer.py").read_text("utf-8")
    (folder / "test_bad.py").write_text(text.replace("'Timer'", "'Tymer'"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rA", str(folder)],
        cwd=folder,
        env={**os.environ, "PIN": "1815", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=False,
    )
    assert "PASSED test_timer.py::test_timer" in done.stdout, done.stdout
    assert "PASSED test_login.py::test_login" in done.stdout, done.stdout
    assert "1 failed, 2 passed" in done.stdout
    assert 'No tab "Tymer" in the row of "Alarm" is visible.' in done.stdout
