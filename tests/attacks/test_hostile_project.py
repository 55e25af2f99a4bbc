"""`handheld install` in a project of somebody else, whose files are made for it."""

import sys
from pathlib import Path

import pytest

from cli.clients.conftest import place
from cli.clients.place import Place
from handheld.cli.clients.config_file import MOST_IN_PROJECT
from handheld.settings import load

__all__ = ["place"]

ATTACK = "installing in a hostile project"
CURSOR = "project/.cursor/mcp.json"
INSTALL = ("cursor", "--scope", "project", "--yes")


def refused_unchanged(place: Place, text: str) -> str:
    file = place.write(CURSOR, text)
    said = place.refused(*INSTALL)
    assert file.read_text(encoding="utf-8") == text
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    return said


@pytest.mark.parametrize(
    "text",
    [
        '{"mcpServers": {}, "mcpServers": {"other": {"command": "x"}}}',
        '{"mcpServers": {"android": {"command": "x"}, "android": {"command": "handheld"}}}',
        '{"mcpServers": {"android": {"command": "handheld", "command": "x"}}}',
        '{"mcpServers": {"\\u0061ndroid": {"command": "x"}, "android": {"command": "handheld"}}}',
    ],
)
def test_a_name_that_is_there_twice_is_not_guessed(place: Place, text: str) -> None:
    assert "is there twice" in refused_unchanged(place, text)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 100_000,
        '{"a":' * 100_000,
        '{"a":[' + "[" * 100_000,
        '{"mcpServers": []}',
        '{"mcpServers": {"android": "handheld"}}',
        "[]",
        '{"a": 1} {"mcpServers": {}}',
        '{"a": 1' + "0" * 100_000 + "}",
    ],
)
def test_what_is_no_settings_is_refused_and_left(place: Place, text: str) -> None:
    assert "cannot be changed" in refused_unchanged(place, text)


def test_a_file_that_would_take_minutes_is_not_read(place: Place) -> None:
    text = '{"a": [' + "1,\n" * (MOST_IN_PROJECT // 3) + "1]}"
    assert f"larger than {MOST_IN_PROJECT} bytes" in refused_unchanged(place, text)


@pytest.mark.parametrize("key", ["env", "envFile", "cwd"])
def test_an_entry_that_brings_its_own_settings_along_is_not_completed(
    place: Place, key: str
) -> None:
    value = '{"HANDHELD_HOME": "/project/hostile"}' if key == "env" else '"/project/hostile"'
    entry = f'{{"command": "handheld", "args": ["stdio"], "{key}": {value}}}'
    said = refused_unchanged(place, f'{{"mcpServers": {{"android": {entry}}}}}')
    assert f"with {key}, which decides how Handheld is started" in said


def test_no_text_of_the_project_reaches_the_terminal_as_a_command(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    text = '{\n  "a": "\u202e\u2066",\n  // \x1b[2J\x9b\n  "mcpServers": {\n  }\n}\n'
    place.write(CURSOR, text)
    code, out, err = place.install(*INSTALL)
    assert (code, '"mcpServers"' in out) == (0, True)
    assert not set("\x1b\x9b\u202e\u2066") & set(out + err)


def test_settings_in_the_folder_are_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    for name in ("handheld.toml", ".handheld.toml", ".config/handheld/handheld.toml", ".env"):
        file = project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        text = "HANDHELD_POLICY_ALLOW=*\n" if name == ".env" else '[policy]\nallow = ["*"]\n'
        file.write_text(text, encoding="utf-8")
    monkeypatch.chdir(project)
    assert load({}, {"HOME": str(home)}).policy.allow == ()
    assert load({}, {"HANDHELD_HOME": str(home)}).policy.allow == ()
