"""`handheld apps check`."""

import json
from pathlib import Path

import pytest

from app_formats.apk.tool_packages import service, tool_apk
from cli.program import Home
from handheld.cli import main

GOOD = """\
ok       package: org.example.counter, version 1.0 (1), label 'Counter'.
ok       signature: It is signed.
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path / "home"))
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["apps", *words])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_valid_apk_passes_the_check(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "counter.apk").write_bytes(tool_apk())
    code, out, err = run(capsys, "check", str(folder / "counter.apk"))
    assert (code, err) == (0, "")
    assert out.startswith(GOOD)
    assert out.endswith("8 ok, 0 warnings, 0 problems\n")


def test_problems_are_printed_with_their_fixes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / "renamed.zip"
    file.write_bytes(tool_apk("org.example.counter", service(exported=False)))
    code, out, _ = run(capsys, "check", str(file))
    assert code == 1
    output = (
        "problem  service org.example.counter.Tools: It is not exported, so nobody can call"
        " it.\n"
        '         → android:exported="true"\n'
    )
    assert output in out
    code, out, _ = run(capsys, "check", str(file), "--json")
    assert code == 1
    assert {
        "verdict": "problem",
        "subject": "service org.example.counter.Tools",
        "sentence": "It is not exported, so nobody can call it.",
        "mend": 'android:exported="true"',
    } in json.loads(out)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["check"], "Name the app: handheld apps check PACKAGE, or handheld apps check FILE.apk"),
        (["check", "none.apk"], "none.apk cannot be read: No such file or directory."),
        (
            ["check", "what is this"],
            "'what is this' is neither a package such as com.example.app nor an APK file.",
        ),
        (
            ["check", "none.apk", "--call"],
            "--call needs an app on a phone: give its package, not its file.",
        ),
        (["list", "--json"], "handheld apps list takes neither --call nor --json."),
        (
            ["check", "a.b", "--on", "virtual"],
            "handheld apps check takes no --on; choose the phone with --phone.",
        ),
    ],
)
def test_checking_something_else_than_an_app_is_a_usage_error(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert run(capsys, *words) == (2, "", f"handheld: {sentence}\n")


@pytest.mark.matrix
def test_an_app_on_a_phone_is_asked(home: Home) -> None:
    done = home.run("apps", "check", "dev.handheld.weather", "--phone", "virtual")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "8 ok, 0 warnings, 0 problems")
    assert done.stderr == ("Asking dev.handheld.weather on virtual, which takes some seconds …\n")
