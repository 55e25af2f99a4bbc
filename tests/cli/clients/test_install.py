"""`handheld install`: what it shows, asks, writes, refuses and undoes."""

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.clients.place import OTHER, Place
from handheld.cli.own_program import own_program
from handheld.devices.ownership import Owners
from handheld.settings import load


class Person(io.StringIO):
    """Somebody at a terminal who does something before the answer."""

    def __init__(self, answer: str, before: Callable[[], object] = bool) -> None:
        super().__init__(answer)
        self._before = before

    def isatty(self) -> bool:
        return True

    def readline(self, size: int | None = -1, /) -> str:
        self._before()
        return super().readline()


def test_clients_on_the_machine_are_listed_with_what_is_installed(place: Place) -> None:
    place.write(".config/zed/settings.json", "{}")
    place.write(".codeium/windsurf/mcp_config.json", "{broken")
    place.install("cursor", "--yes")
    place.install("claude-code", "--scope", "project", "--yes")
    code, out, _ = place.install()
    lines = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert code == 0
    assert lines["cursor"].endswith("installed in ~/.cursor/mcp.json")
    assert lines["claude-code"].endswith("installed in ~/project/.mcp.json")
    assert lines["zed"].endswith("not installed")
    assert "mcp_config.json cannot be changed: line 1, column 2" in lines["windsurf"]
    assert "codex" in lines["Not"]


def test_the_change_is_shown_and_asked_about_first(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = place.write(".cursor/mcp.json")
    monkeypatch.setattr(sys, "stdin", Person("n\n"))
    code, out, err = place.install("cursor", "--phone", "virtual")
    assert (code, file.read_text(encoding="utf-8")) == (1, OTHER)
    assert err == "Write this? [y/N] Nothing was written.\n"
    assert '+      "args": ["stdio", "--phone", "virtual"]' in out.splitlines()
    monkeypatch.setattr(sys, "stdin", Person("y\n"))
    code, out, _ = place.install("cursor", "--phone", "virtual")
    assert code == 0
    assert "Cursor: installed in ~/.cursor/mcp.json." in out
    copy = out.partition("The file as it was before: ~/")[2].splitlines()[0]
    assert (place.home / copy).read_text(encoding="utf-8") == OTHER
    assert (place.home / copy).stat().st_mode & 0o777 == 0o600
    assert file.stat().st_mode & 0o777 == 0o644


def test_nothing_is_written_where_nobody_can_answer(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    code, _, err = place.install("cursor")
    assert (code, place.cursor.exists()) == (1, False)
    assert "say --yes" in err


def test_a_file_that_changes_while_the_question_waits_is_not_written(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = place.write(".cursor/mcp.json")
    person = Person("y\n", lambda: place.write(".cursor/mcp.json", "{}"))
    monkeypatch.setattr(sys, "stdin", person)
    assert "was changed meanwhile. Nothing was written." in place.refused("cursor")
    assert file.read_text(encoding="utf-8") == "{}"
    assert [each.name for each in file.parent.iterdir()] == ["mcp.json"]


def test_removing_leaves_the_file_as_it_was(place: Place) -> None:
    file = place.write(".cursor/mcp.json", OTHER.replace("\n", "\r\n"))
    before = file.read_bytes()
    place.install("cursor", "--yes")
    place.install("cursor", "--surface", "main", "--yes")
    assert place.install("cursor", "--remove", "--yes")[0] == 0
    assert file.read_bytes() == before
    code, out, _ = place.install("cursor", "--remove", "--yes")
    assert (code, out) == (0, "Cursor: it is not there.\n")


def test_removing_keeps_what_changed_since(place: Place) -> None:
    file = place.write(".cursor/mcp.json", "{}")
    place.install("cursor", "--yes")
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"mcpServers"', '// hi\n  "mcpServers"'), encoding="utf-8")
    place.install("cursor", "--remove", "--yes")
    assert file.read_text(encoding="utf-8") == '{\n  // hi\n  "mcpServers": {}\n}'


def test_a_file_that_installing_made_is_removed_but_not_one_that_was_empty(place: Place) -> None:
    place.install("cursor", "--yes")
    assert place.cursor.stat().st_mode & 0o777 == 0o600
    assert "it is there already" in place.install("cursor", "--yes")[1]
    place.install("cursor", "--remove", "--yes")
    assert not place.cursor.exists()
    place.write(".cursor/mcp.json", "")
    place.install("cursor", "--yes")
    place.install("cursor", "--remove", "--yes")
    assert place.cursor.read_bytes() == b""


@pytest.mark.parametrize(
    "entry", [{"command": "npx", "args": ["-y", "android-mcp"]}, {"url": "https://example.com/sse"}]
)
def test_another_server_of_the_same_name_is_left_alone(place: Place, entry: object) -> None:
    text = json.dumps({"mcpServers": {"android": entry}}, indent=2)
    place.write(".cursor/mcp.json", text)
    assert "a server named android that is not Handheld" in place.refused("cursor", "--yes")
    assert "not Handheld" in place.refused("cursor", "--remove", "--yes")
    assert "another server is called android" in place.install()[1]
    assert place.cursor.read_text(encoding="utf-8") == text


def test_an_address_behind_a_proxy_is_removed_as_well(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDHELD_TOKEN", "a-token-of-the-proxy")
    place.write(".cursor/mcp.json")
    place.install("cursor", "--http", "https://example.com/my-phone", "--yes")
    place.install("cursor", "--http", "https://example.com/your-phone", "--yes")
    assert place.install("cursor", "--remove", "--yes")[0] == 0
    assert place.cursor.read_text(encoding="utf-8") == OTHER


def test_a_token_is_written_only_where_others_cannot_read_it(place: Place) -> None:
    file = place.write(".cursor/mcp.json")
    code, out, _ = place.install("cursor", "--http", "http://127.0.0.1:8080", "--yes")
    token = (place.home / ".local/state/handheld/token").read_text(encoding="utf-8").strip()
    assert code == 0
    assert token in file.read_text(encoding="utf-8")
    assert token not in out
    assert '"Authorization": "Bearer <token>"' in out
    assert "Its mode 644 becomes 600: it holds a token." in out
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    code, out, _ = place.install("cursor", "--http", "http://127.0.0.1:8080", "--yes")
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_projects_file_names_the_token_or_is_refused(place: Place) -> None:
    server = ("--http", "http://127.0.0.1:8080", "--scope", "project", "--yes")
    code, _, err = place.install("cursor", "codex", *server)
    assert code == 0
    assert "The file names HANDHELD_TOKEN" in err
    cursor = json.loads((place.home / "project/.cursor/mcp.json").read_text(encoding="utf-8"))
    header = cursor["mcpServers"]["android"]["headers"]["Authorization"]
    assert header == "Bearer ${env:HANDHELD_TOKEN}"
    codex = (place.home / "project/.codex/config.toml").read_text(encoding="utf-8")
    assert 'bearer_token_env_var = "HANDHELD_TOKEN"' in codex
    assert "no place for a token" in place.refused("vscode", *server)
    assert not (place.home / "project/.vscode").exists()


@pytest.mark.parametrize(
    ("arguments", "url"),
    [
        ((), "http://127.0.0.1:8123/mcp/agent"),
        (("--surface", "main"), "http://127.0.0.1:8123/mcp"),
        (("--phone", "desk"), "http://127.0.0.1:8123/phones/desk/mcp/agent"),
    ],
)
def test_the_server_that_runs_here_is_found(
    place: Place, arguments: tuple[str, ...], url: str
) -> None:
    assert "No server runs here." in place.refused("cursor", "--http", "--yes")
    claim = Owners(load({}).folders.owners).claim(["virtual"], "handheld serve --phone virtual")
    assert claim is not None
    try:
        claim.publish("http://127.0.0.1:8123", "its-own-token")
        assert place.install("cursor", "--http", *arguments, "--yes")[0] == 0
    finally:
        claim.release()
    entry = json.loads(place.cursor.read_text(encoding="utf-8"))["mcpServers"]["android"]
    assert entry == {"url": url, "headers": {"Authorization": "Bearer its-own-token"}}


def test_another_computer_does_not_get_this_ones_token(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = ("cursor", "--http", "https://phones.example.com/mcp/agent", "--yes")
    assert "Say which token phones.example.com wants" in place.refused(*other)
    monkeypatch.setenv("HANDHELD_TOKEN", "a-token-of-the-other-one")
    assert place.install(*other)[0] == 0
    entry = json.loads(place.cursor.read_text(encoding="utf-8"))["mcpServers"]["android"]
    assert entry["url"] == "https://phones.example.com/mcp/agent"
    assert entry["headers"]["Authorization"] == "Bearer a-token-of-the-other-one"


def test_a_link_of_the_user_is_followed_and_kept(place: Place) -> None:
    real = place.write("dotfiles/mcp.json")
    place.cursor.parent.mkdir()
    place.cursor.symlink_to(real)
    assert place.install("cursor", "--yes")[0] == 0
    assert place.cursor.is_symlink()
    assert "android" in real.read_text(encoding="utf-8")
    place.install("cursor", "--remove", "--yes")
    assert real.read_text(encoding="utf-8") == OTHER


def test_a_projects_link_to_elsewhere_is_refused(place: Place) -> None:
    victim = place.write(".bashrc.json", "{}")
    folder = place.home / "project" / ".cursor"
    folder.mkdir()
    (folder / "mcp.json").symlink_to(victim)
    refusal = place.refused("cursor", "--scope", "project", "--yes")
    assert "outside of the project. Nothing was done." in refusal
    (folder / "mcp.json").unlink()
    folder.rmdir()
    (place.home / "elsewhere").mkdir()
    folder.symlink_to(place.home / "elsewhere")
    assert "outside of the project" in place.refused("cursor", "--scope", "project", "--yes")
    assert victim.read_text(encoding="utf-8") == "{}"
    assert list((place.home / "elsewhere").iterdir()) == []


def test_what_is_no_file_of_the_user_is_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.cursor.parent.mkdir()
    place.cursor.symlink_to(place.home / "gone")
    assert "is a link to" in place.refused("cursor", "--yes")
    place.cursor.unlink()
    place.cursor.symlink_to(place.cursor)
    assert "cannot be read" in place.refused("cursor", "--yes")
    place.cursor.unlink()
    place.cursor.mkdir()
    assert "is not a file" in place.refused("cursor", "--yes")
    place.cursor.rmdir()
    os.mkfifo(place.cursor)
    assert "is not a file" in place.refused("cursor", "--yes")
    place.cursor.unlink()
    place.cursor.write_bytes(b'{"\xff": 1}')
    assert "is not UTF-8" in place.refused("cursor", "--yes")
    place.write(".cursor/mcp.json", mode=0o444)
    monkeypatch.setattr(os, "access", lambda *_: False)  # as root may write everything
    assert "is read-only" in place.refused("cursor", "--yes")
    monkeypatch.setattr(os, "geteuid", lambda: -2)
    assert "belongs to another user" in place.refused("cursor", "--yes")
    assert place.cursor.read_text(encoding="utf-8") == OTHER


def test_an_entry_is_printed_alone(place: Place) -> None:
    code, out, err = place.install("vscode", "--print")
    assert code == 0
    assert json.loads(out)["servers"]["android"]["command"] == "/opt/handheld"
    assert "Nothing was written." in err
    assert [each.name for each in place.home.iterdir()] == ["project"]
    code, out, err = place.install("goose", "--yes")
    assert code == 1
    assert out.startswith("extensions:\n  android:\n")
    assert "Handheld does not change YAML files" in err
    assert "does not change YAML" in place.refused("goose", "--remove", "--yes")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("curser",), 2, "There is no client curser. Did you mean cursor?"),
        (("emacs",), 2, "There is no client emacs. `handheld install` lists them."),
        (("--yes",), 2, "Name the client: handheld install CLIENT --yes."),
        (("cursor", "--remove", "--http"), 2, "--http is not for --remove."),
        (("cursor", "--http", "--phone", "a", "--phone", "b"), 2, "--phone names one phone"),
        (("windsurf", "--scope", "project"), 1, "Windsurf has no file for a project"),
        (("continue", "--scope", "user"), 1, "Continue has no file for a user"),
        (("claude-desktop", "--http"), 1, "Claude Desktop starts the servers in its file itself"),
        (("cursor", "--http", "phone:8080"), 1, "phone:8080 is no address"),
        (("cursor", "--http", "http://["), 1, "http://[ is no address"),
    ],
)
def test_wrong_usage_is_told(
    place: Place, arguments: tuple[str, ...], code: int, message: str
) -> None:
    got, out, err = place.install(*arguments)
    assert (got, out) == (code, "")
    assert message in err


def test_a_program_that_uvx_started_is_started_by_uvx_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Place
) -> None:
    (tmp_path / "uv").mkdir()
    (tmp_path / "uv" / "CACHEDIR.TAG").touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "uv" / "archive" / "x"))
    assert "Handheld runs from a cache" in place.refused("cursor", "--yes")
    monkeypatch.setenv("UV", "/opt/bin/uv")
    started = own_program()
    assert (started[0], started[-1]) == ("/opt/bin/uvx", "handheld")
    # This environment has the package from a folder, as `uvx --from FOLDER` would.
    assert started[1] == "--from"
    assert started[2].startswith("file:///")
