from pathlib import Path

import pytest

from cli.clients.place import Place


@pytest.fixture
def place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Place:
    home = tmp_path / "home"
    (home / "project").mkdir(parents=True)
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "HANDHELD_TOKEN", "UV"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("XDG_STATE_HOME", str(home / ".local" / "state"))
    monkeypatch.delenv("HANDHELD_HOME", raising=False)
    monkeypatch.chdir(home / "project")
    monkeypatch.setattr("handheld.cli.commands.install.own_program", lambda: ("/opt/handheld",))
    return Place(home, capsys)
