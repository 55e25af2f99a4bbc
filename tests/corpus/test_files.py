"""Missing captured files are reported, and no test passes without them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .files import cases, file, found
from .place import folder


def test_a_missing_folder_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORPUS", "/none/such")
    for ask in (folder, lambda: file("a"), lambda: found("*")):
        with pytest.raises(FileNotFoundError, match=r"no captured files at /none/such: "):
            ask()
    assert cases("screens/*.xml", "shell/*.txt") == ["screens/*.xml", "shell/*.txt"]


def test_without_the_folder_pytest_and_its_workers_say_one_sentence() -> None:
    said = subprocess.run(
        [sys.executable, "-m", "pytest", "--numprocesses", "1", Path(__file__).parent],
        env={**os.environ, "CORPUS": "/none/such"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert said.returncode == pytest.ExitCode.USAGE_ERROR
    assert said.stderr.strip() == (
        "ERROR: There are no captured files at /none/such: CORPUS names their folder."
    )


def test_a_pattern_without_files_is_a_failing_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "corpus" / "shell").mkdir(parents=True)
    (tmp_path / "corpus" / "shell" / "a.txt").touch()
    monkeypatch.setenv("CORPUS", str(tmp_path))
    assert cases("screens/*.xml", "shell/*.txt") == ["screens/*.xml", "shell/a.txt"]
    with pytest.raises(FileNotFoundError, match=r"None of the captured files is screens/\*\.xml"):
        file("screens/*.xml")
    with pytest.raises(FileNotFoundError, match=r"None of the captured files is screens/\*\.xml"):
        found("screens/*.xml")
