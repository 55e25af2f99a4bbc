"""Our entry in realistic files of every client, in the form that its makers document."""

from pathlib import Path

import pytest

from cli.clients.machine import CONFIGS, config_of, make_machine
from handheld.cli.clients.catalog import BY_ID, CLIENTS
from handheld.cli.clients.change import plan_install, plan_removal
from handheld.cli.clients.client import McpClient
from handheld.cli.clients.config_file import ClientFile, FileError, read_file
from handheld.cli.clients.entry import describe_entry, put_entry, read_entry, remove_entry

COMMAND = ("/opt/hand held/bin/handheld", "stdio", "--phone", "virtual")
URL = "http://127.0.0.1:8080/mcp/agent"
EDITED = [client for client in CLIENTS if client.format != "yaml"]


def client_of(file: Path) -> McpClient:
    """The client whose name the file's begins with."""
    return max(
        (client for client in EDITED if file.stem.startswith(client.id)),
        key=lambda client: len(client.id),
    )


@pytest.mark.parametrize(
    "name", sorted(each.name for each in CONFIGS.iterdir() if each.stem[0] != ".")
)
def test_an_entry_is_added_and_removed_and_the_rest_stays_byte_for_byte(
    name: str, tmp_path: Path
) -> None:
    data = (CONFIGS / name).read_bytes()
    client, copies = client_of(CONFIGS / name), tmp_path / "copies"
    path = tmp_path / name
    path.write_bytes(data)
    path.chmod(0o640)
    for entry in (client.local.entry(COMMAND), client.remote and client.remote.entry(URL, "")):
        if entry is None:
            continue
        change = plan_install(client, read_file(path), entry, copies, private=False)
        assert change is not None
        change.carry_out(copies)
        assert path.stat().st_mode & 0o777 == 0o640
        file = read_file(path)
        assert read_entry(client, file.text) == entry
        # What was there is there, in its order; at most a comma was added to a line.
        lines = iter(line.rstrip(b",") for line in path.read_bytes().splitlines())
        kept = [line for line in data.splitlines() if line.strip() not in (b"", b"}", b"},")]
        if name not in ("cursor.json", "continue.json", "gemini.json"):  # of one line
            assert all(strip_comma(line) in (strip_comma(each) for each in lines) for line in kept)
        assert plan_install(client, file, entry, copies, private=False) is None
    change = plan_removal(client, read_file(path), copies)
    assert change is not None
    change.carry_out(copies)
    assert path.read_bytes() == data
    assert path.stat().st_mode & 0o777 == 0o640


def strip_comma(line: bytes) -> bytes:
    """Without the comma that a value gets when another follows it, before its comment."""
    return line.replace(b",", b"").strip()


@pytest.mark.parametrize("client", EDITED, ids=lambda client: client.id)
def test_what_a_user_added_to_the_entry_or_the_file_stays(client: McpClient) -> None:
    text = put_entry(client, config_of(client), client.local.entry(COMMAND))
    path = (*client.keys, "android")
    if client.format == "toml":
        more = text + "startup_timeout_sec = 20 # slow phone\n"
    else:
        place = text.index('"android"')
        brace = text.index("{", place) + 1
        more = f'{text[:brace]} "timeout": 20, // slow phone\n{text[brace:]}'
    other = client.local.entry(("handheld", "stdio"))
    changed = put_entry(client, more, other)
    entry = read_entry(client, changed)
    assert entry is not None
    assert {key: entry[key] for key in other} == other
    assert len(entry) == len(other) + 1
    assert "slow phone" in changed
    removed = remove_entry(client, changed)
    assert read_entry(client, removed) is None, path
    assert read_entry(client, remove_entry(client, text)) is None


@pytest.mark.parametrize("client", EDITED, ids=lambda client: client.id)
def test_a_broken_file_is_refused_and_stays(client: McpClient, tmp_path: Path) -> None:
    path = tmp_path / "config"
    broken = b"[mcp_servers\n" if client.format == "toml" else b'{"mcpServers": {\n'
    path.write_bytes(broken)
    file = read_file(path)
    with pytest.raises(FileError, match=r"config cannot be changed: .*Nothing was written"):
        plan_install(client, file, client.local.entry(COMMAND), tmp_path, private=False)
    with pytest.raises(FileError, match="cannot be changed"):
        plan_removal(client, file, tmp_path)
    assert path.read_bytes() == broken


def test_a_toml_file_that_would_have_to_be_rewritten_is_refused() -> None:
    file = ClientFile(Path("c"), Path("c"), b'mcp_servers = { a = { command = "x" } } # one\n')
    codex = BY_ID["codex"]
    with pytest.raises(FileError, match="it has a value that can only be changed by hand"):
        plan_install(codex, file, codex.local.entry(COMMAND), Path("none"), private=False)


def test_every_client_has_a_page_of_its_makers_and_an_entry_for_each_transport() -> None:
    assert len({client.id for client in CLIENTS}) == len(CLIENTS)
    for client in CLIENTS:
        assert client.docs.startswith("https://")
        assert client.signs
        assert list(client.scopes())
        local = describe_entry(client, client.local.entry(COMMAND))
        assert COMMAND[0] in local
        assert '"--phone"' in local
        if client.remote is not None:
            shown = describe_entry(client, client.remote.entry(URL, "secret"))
            assert URL in shown
            assert "Bearer secret" in shown
            named = client.remote.entry(URL, "secret", by_variable=True)
            assert "HANDHELD_TOKEN" in str(named) or not client.remote.takes_variable
            if client.remote.takes_variable:
                assert "secret" not in str(named)


@pytest.mark.parametrize(
    ("client", "platform", "environment", "file"),
    [
        ("claude-code", "linux", {}, "/home/a/.claude.json"),
        ("claude-code", "linux", {"CLAUDE_CONFIG_DIR": "/c"}, "/c/.claude.json"),
        ("claude-desktop", "linux", {}, "/home/a/.config/Claude/claude_desktop_config.json"),
        (
            "claude-desktop",
            "darwin",
            {},
            "/home/a/Library/Application Support/Claude/claude_desktop_config.json",
        ),
        ("vscode", "linux", {"XDG_CONFIG_HOME": "/x"}, "/x/Code/User/mcp.json"),
        ("vscode", "darwin", {}, "/home/a/Library/Application Support/Code/User/mcp.json"),
        ("codex", "linux", {"CODEX_HOME": "/x"}, "/x/config.toml"),
        ("zed", "darwin", {}, "/home/a/.config/zed/settings.json"),
        ("zed", "linux", {"XDG_CONFIG_HOME": "/x"}, "/x/zed/settings.json"),
        ("windsurf", "linux", {}, "/home/a/.codeium/windsurf/mcp_config.json"),
    ],
)
def test_files_are_where_each_platform_has_them(
    client: str, platform: str, environment: dict[str, str], file: str
) -> None:
    machine = make_machine(Path("/home/a"), platform, environment)
    assert BY_ID[client].file("user", machine) == Path(file)


def test_a_file_of_the_other_name_is_used_if_it_is_there(tmp_path: Path) -> None:
    other = tmp_path / ".config" / "opencode" / "opencode.jsonc"
    other.parent.mkdir(parents=True)
    other.touch()
    assert BY_ID["opencode"].file("user", make_machine(tmp_path)) == other
