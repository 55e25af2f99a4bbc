"""`handheld install` on computers and in files as people have them."""

import json
import os
import sys
from pathlib import Path

import pytest

from cli.clients.place import OTHER, Place
from handheld.cli import main, own_program

SERVER = ("--http", "http://127.0.0.1:8080", "--yes")
TOKEN = "a-token-that-nobody-reads"


@pytest.mark.parametrize(
    "entry",
    [
        {"url": "https://other.example/mcp", "headers": {"X-Key": "theirs"}},
        {"url": "http://localhost:3000/mcp"},
        {"command": "npx", "args": 5},
        {"command": "npx", "args": {"handheld": 1}},
        "android-mcp",
        None,
        [],
    ],
)
@pytest.mark.parametrize("action", [(), ("--remove",)])
def test_what_somebody_else_called_android_stays(
    place: Place, entry: object, action: tuple[str, ...]
) -> None:
    text = json.dumps({"mcpServers": {"android": entry}})
    place.write(".cursor/mcp.json", text)
    assert "Nothing was written." in place.refused("cursor", "--yes", *action)
    assert place.cursor.read_text(encoding="utf-8") == text
    assert place.install()[0] == 0


@pytest.mark.parametrize("spelled", ["handheld@latest", "handheld==0.1.0", "handheld[fleet]"])
def test_an_entry_with_a_version_or_an_extra_is_ours(place: Place, spelled: str) -> None:
    entry = {"command": "uvx", "args": [spelled, "stdio"]}
    place.write(".cursor/mcp.json", json.dumps({"mcpServers": {"android": entry}}))
    assert "installed in ~/.cursor/mcp.json" in place.install()[1]
    assert place.install("cursor", "--remove", "--yes")[0] == 0
    assert json.loads(place.cursor.read_text(encoding="utf-8")) == {"mcpServers": {}}


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080", "https://example.com/my-phone"])
def test_an_address_that_was_installed_is_known_when_the_file_has_changed(
    place: Place, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("HANDHELD_TOKEN", TOKEN)
    surface = () if url.endswith("phone") else ("--surface", "main")
    place.install("cursor", "--http", url, *surface, "--yes")
    content = json.loads(place.cursor.read_text(encoding="utf-8"))
    content["mcpServers"]["other"] = {"command": "x"}
    content["mcpServers"]["android"]["disabled"] = False
    place.cursor.write_text(json.dumps(content), encoding="utf-8")
    assert "installed in ~/.cursor/mcp.json" in place.install()[1]
    assert place.install("cursor", "--remove", "--yes")[0] == 0
    left = json.loads(place.cursor.read_text(encoding="utf-8"))
    assert left == {"mcpServers": {"other": {"command": "x"}}}


def test_no_token_is_shown_when_it_is_replaced_or_removed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDHELD_TOKEN", TOKEN)
    place.install("cursor", "codex", *SERVER)
    for changed in (("--surface", "main", *SERVER), ("--yes",)):
        code, out, err = place.install("cursor", "codex", *changed)
        assert (code, TOKEN in out + err) == (0, False)
        assert "<token>" in out
        place.install("cursor", "codex", *SERVER)
    code, out, err = place.install("cursor", "codex", "--remove", "--yes")
    assert (code, TOKEN in out + err) == (0, False)
    assert out.count("Bearer <token>") == 2


def test_a_file_that_installing_made_is_removed_also_after_a_second_time(place: Place) -> None:
    place.install("cursor", "--yes")
    place.install("cursor", "--phone", "virtual", "--yes")
    code, out, _ = place.install("cursor", "--remove", "--yes")
    assert (code, place.cursor.exists()) == (0, False)
    assert "removed" in out


def test_a_link_to_the_file_that_installing_made_is_not_cut(place: Place) -> None:
    place.install("cursor", "--yes")
    moved = place.home / "dotfiles.json"
    place.cursor.rename(moved)
    place.cursor.symlink_to(moved)
    assert place.install("cursor", "--remove", "--yes")[0] == 0
    assert place.cursor.is_symlink()
    assert json.loads(moved.read_text(encoding="utf-8")) == {"mcpServers": {}}


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ['{"mcpServers": {"a": {"command": "x"}}}', '{"x": 1}', "// mine\r\n", "{}", OTHER]
)
def test_removing_leaves_the_file_as_it_was_after_several_ways_of_installing(
    place: Place, text: str
) -> None:
    place.write(".cursor/mcp.json", "")
    place.cursor.write_bytes(text.encode())
    for way in (("--yes",), SERVER, ("--phone", "virtual", "--yes")):
        assert place.install("cursor", *way)[0] == 0
    place.install("cursor", "--remove", "--yes")
    assert place.cursor.read_bytes() == text.encode()


def test_the_group_of_a_file_stays(place: Place) -> None:
    file = place.write(".cursor/mcp.json", mode=0o660)
    group = 12345 if os.geteuid() == 0 else os.getgroups()[-1]
    os.chown(file, -1, group)
    place.install("cursor", "--yes")
    place.install("cursor", "--remove", "--yes")
    about = file.stat()
    assert (about.st_gid, about.st_mode & 0o777) == (group, 0o660)


def test_headers_that_the_user_added_stay(place: Place) -> None:
    place.install("cursor", "codex", *SERVER)
    content = json.loads(place.cursor.read_text(encoding="utf-8"))
    content["mcpServers"]["android"]["headers"]["X-Mine"] = "1"
    place.cursor.write_text(json.dumps(content), encoding="utf-8")
    codex = place.write(
        ".codex/config.toml",
        '[mcp_servers.android]\nurl = "http://127.0.0.1:8080/mcp/agent"\n\n'
        '[mcp_servers.android.http_headers]\nX-Mine = "1" # mine\nAuthorization = "Bearer old"\n',
    )
    code, _, err = place.install("cursor", "codex", "--surface", "main", *SERVER)
    assert (code, err) == (0, "")
    assert '"X-Mine": "1"' in place.cursor.read_text(encoding="utf-8")
    text = codex.read_text(encoding="utf-8")
    assert 'X-Mine = "1" # mine\nAuthorization = "Bearer ' in text
    assert "Bearer old" not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--http", "http://127.0.0.1:8080/mcp/agent", "--phone", "desk"), "leave out --phone"),
        (("--http", "http://127.0.0.1:8080/mcp", "--surface", "agent"), "leave out --surface"),
        (("--http", "http://127.0.0.1:8080?x=1"), "is no address"),
        (("--http", "http://me:secret@127.0.0.1:8080"), "is no address"),
        (("--http", "http://127.0.0.1:99999"), "is no address"),
        (("--http", "http://127.0.0.1:8080\\@example.com"), "is no address"),
        (("--http", "http://a b/"), "is no address"),
    ],
)
def test_an_address_that_would_not_be_used_as_given_is_refused(
    place: Place, arguments: tuple[str, ...], message: str
) -> None:
    assert message in place.refused("cursor", *arguments, "--yes")
    assert not place.cursor.exists()


def test_a_phone_in_an_address_is_quoted(place: Place) -> None:
    place.install("cursor", "--phone", "10.0.0.2:5555/x", *SERVER)
    entry = json.loads(place.cursor.read_text(encoding="utf-8"))["mcpServers"]["android"]
    assert entry["url"] == "http://127.0.0.1:8080/phones/10.0.0.2%3A5555%2Fx/mcp/agent"
    assert place.install("cursor", "--remove", "--yes")[0] == 0


def test_the_token_in_the_settings_of_this_computer_is_for_no_other(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write(".config/handheld/handheld.toml", f'token = "{TOKEN}"\n', mode=0o600)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place.home / ".config"))
    other = ("cursor", "--http", "http://phones.example.com", "--yes")
    assert "Say which token phones.example.com wants" in place.refused(*other)
    place.install("cursor", *SERVER)
    assert TOKEN in place.cursor.read_text(encoding="utf-8")
    monkeypatch.setenv("HANDHELD_TOKEN", "of-the-other-computer")
    code, _, err = place.install(*other)
    assert code == 0
    assert "http://phones.example.com without encryption" in err


def test_a_folder_that_cannot_be_looked_into_hides_no_other_client(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/" + "x" * 300)
    place.write(".cursor/mcp.json")
    code, out, _ = place.install()
    assert code == 0
    assert "cursor           Cursor               not installed" in out
    assert "cannot be read: File name too long" in place.refused("claude-code", "--yes")


def test_a_folder_of_settings_that_is_not_absolute_is_ignored_as_the_clients_do(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    assert "in ~/.config/zed/settings.json" in place.install("zed", "--print")[2]


def test_a_folder_that_is_gone_is_told(place: Place) -> None:
    gone = place.home / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    told = "handheld: The folder you are in is gone: change to another.\n"
    assert place.install("cursor", "--yes") == (2, "", told)


def test_without_a_home_it_says_what_to_set(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 7)  # of no user
    assert main(["token", "show"]) == 2
    assert "no home folder. Set HOME, or HANDHELD_HOME" in capsys.readouterr().err
    monkeypatch.setenv("HANDHELD_HOME", str(place.home / "own"))
    told = "handheld: There is no home folder. Set HOME.\n"
    assert place.install("cursor", "--yes") == (2, "", told)


@pytest.mark.parametrize(
    ("origin", "source"),
    [
        (None, ()),
        ({"url": "file:///a/handheld.whl", "archive_info": {}}, ("file:///a/handheld.whl",)),
        (
            {"url": "https://git.example/h", "vcs_info": {"vcs": "git", "commit_id": "0a1b"}},
            ("git+https://git.example/h@0a1b",),
        ),
    ],
)
def test_uvx_takes_it_from_the_same_place_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: object, source: tuple[str, ...]
) -> None:
    (tmp_path / "CACHEDIR.TAG").touch()
    info = tmp_path / "site" / "handheld-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Name: handheld\nVersion: 0.1.0\n", encoding="utf-8")
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin), encoding="utf-8")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "x"))
    monkeypatch.setenv("UV", "/opt/uv")
    monkeypatch.setattr(sys, "path", [str(info.parent)])
    named = ("--from", *source) if source else ()
    assert own_program.own_program() == ("/opt/uvx", *named, "handheld")
