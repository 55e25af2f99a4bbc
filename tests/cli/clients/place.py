"""A home for tests of `handheld install`."""

from pathlib import Path

import pytest

from handheld.cli import main

OTHER = '{\n  "mcpServers": {\n    "other": { "command": "x" } // mine\n  }\n}\n'


class Place:
    """A home with a project in it, and what a command there printed."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home = home
        self.cursor = home / ".cursor" / "mcp.json"
        self._capsys = capsys

    def install(self, *arguments: str) -> tuple[int, str, str]:
        code = main(["install", *arguments])
        out, err = self._capsys.readouterr()
        return code, out, err

    def write(self, name: str, text: str = OTHER, mode: int = 0o644) -> Path:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path

    def refused(self, *arguments: str) -> str:
        code, _, err = self.install(*arguments)
        assert code == 1
        return err
