"""Missing captured files are reported, and no test passes without them."""

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
