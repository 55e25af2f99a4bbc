"""`handheld apps stub`, and a virtual phone that answers from what it writes."""

from pathlib import Path

import pytest

from app_formats.apk.tool_packages import tool_apk
from cli.program import Home
from handheld.cli import main

MADE = """\
counter.stub.toml has 1 example. Edit it, then:
handheld virtual --stub counter.stub.toml
"""
NOTE = "The APK does not say what tools its provider has: write them into the file.\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "counter.apk").write_bytes(tool_apk())
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["apps", "stub", *words])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_file_of_examples_is_written_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "build/counter.apk") == (0, MADE, NOTE)
    written = (folder / "counter.stub.toml").read_text(encoding="utf-8")
    assert 'apk = "build/counter.apk"  # from the folder of this file\n' in written
    again = "counter.stub.toml is there already, and you may have edited it."
    assert run(capsys, "build/counter.apk") == (1, "", f"handheld: {again}\n")
    assert (folder / "counter.stub.toml").read_text(encoding="utf-8") == written


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ([], 2, "Name the app's file: handheld apps stub FILE.apk"),
        (["none.apk"], 2, "none.apk cannot be read: No such file or directory."),
        (["a.apk", "--on", "x"], 2, "handheld apps stub takes no --on: it reads a file"),
        (["a.apk", "--call"], 2, "handheld apps stub takes neither --call nor --json."),
        (["text.apk"], 1, "text.apk: "),
        (["plain.apk"], 1, "plain.apk declares no tools that can be read; handheld apps check"),
    ],
)
def test_what_has_no_tools_is_refused(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    code: int,
    sentence: str,
) -> None:
    from app_formats.apk.writer import manifest, small_apk

    (folder / "text.apk").write_text("text", encoding="utf-8")
    (folder / "plain.apk").write_bytes(small_apk(manifest("org.example.plain")))
    ended, out, err = run(capsys, *words)
    assert (ended, out) == (code, "")
    assert err.startswith(f"handheld: {sentence}")
    assert list(folder.glob("*.toml")) == []


@pytest.mark.matrix
def test_a_virtual_phone_answers_from_the_file(home: Home) -> None:
    (home.folder / "counter.apk").write_bytes(tool_apk())
    made = home.run("apps", "stub", str(home.folder / "counter.apk"))
    assert made.returncode == 0
    stub = home.folder / "counter.stub.toml"
    with home.start("virtual", "--port", "0", "--stub", str(stub)) as phone:
        address = phone.until(r"^adb connect (.+)$")[1]
        called = home.run("call", "app_count", "amount=2", "--phone", address)
    assert called.returncode == 0
    assert "(An example: the app's code does not run on a virtual phone.)" in called.stdout
    stub.write_text('apk = "gone.apk"', encoding="utf-8")
    failed = home.run("virtual", "--port", "0", "--stub", str(stub))
    assert (failed.returncode, failed.stdout) == (2, "")
    assert "gone.apk cannot be read: No such file or directory" in failed.stderr
