"""Clients read what `handheld install` wrote, and the makers' tools judge bundle and plugin."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from judging import HANDHELD, NODE_TOOLS, ROOT, environment, need, nothing_left

from harness.polling import HANG

CLIENTS = ROOT / "scripts" / "clients" / "node_modules"
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "NO_COLOR": "1",
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
}
"""Clients that look for updates and report to their makers would wait for the network."""


def run(home: Path, *command: str | Path) -> str:
    """Run a program to its end in a project of this home; returns what it printed."""
    project = home / "project"
    project.mkdir(exist_ok=True)
    done = subprocess.run(
        [str(part) for part in command],
        env=environment(home, **QUIET),
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=2 * HANG,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)


def install(home: Path, client: str, *arguments: str) -> str:
    return run(home, *HANDHELD, "install", client, "--phone", "virtual", "--yes", *arguments)


def native(package: str, name: str) -> Path:
    """The program that a package has for this machine."""
    found = [path for path in CLIENTS.glob(package) if path.is_file()]
    need(found[0] if found else CLIENTS / name, "Install it: make judges WHAT=clients")
    return found[0]


@pytest.fixture
def claude() -> Path:
    programs = (NODE_TOOLS / "node_modules" / "@anthropic-ai").glob("claude-code-*/claude")
    program = next((each for each in programs if "musl" not in str(each)), NODE_TOOLS / "claude")
    need(program, "Install it: make node-tools")
    return program


@pytest.mark.needs_node
@pytest.mark.parametrize("scope", ["user", "project"])
def test_claude_code_reads_the_entry(home: Path, claude: Path, scope: str) -> None:
    install(home, "claude-code", "--scope", scope)
    about = run(home, claude, "mcp", "get", "android")
    assert re.search(rf"Scope: {scope}", about, re.IGNORECASE), about
    assert "stdio --phone virtual" in about
    if scope == "user":  # a project's server waits for the person's approval
        assert "Connected" in about
    nothing_left(home)


@pytest.mark.needs_node
def test_claude_code_takes_the_plugin_and_the_marketplace(home: Path, claude: Path) -> None:
    for folder in (ROOT, ROOT / "plugins" / "handheld"):
        assert "Validation passed" in run(home, claude, "plugin", "validate", "--strict", folder)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bundle") / "handheld.mcpb"
    run(path.parent, sys.executable, ROOT / "scripts" / "mcpb.py", path)
    return path


@pytest.mark.needs_node
def test_the_makers_of_bundles_take_ours(home: Path, bundle: Path, node_tools: Path) -> None:
    mcpb = (node_tools / "node", NODE_TOOLS / "node_modules/@anthropic-ai/mcpb/dist/cli/cli.js")
    run(home, *mcpb, "unpack", bundle, home / "unpacked")
    # Before it packs, it validates the manifest.
    packed = run(home, *mcpb, "pack", home / "unpacked", home / "packed.mcpb")
    files = [path for path in (home / "unpacked").rglob("*") if path.is_file()]
    assert "Manifest schema validation passes!" in packed
    assert f"total files: {len(files)}" in packed


@pytest.mark.needs_node
def test_a_host_fills_in_the_settings_of_the_bundle(bundle: Path, node_tools: Path) -> None:
    code = """
        import { readFileSync } from "node:fs";
        import { getMcpConfigForManifest } from "@anthropic-ai/mcpb";
        const manifest = JSON.parse(readFileSync(0, "utf-8"));
        const made = (userConfig) => getMcpConfigForManifest(
            { manifest, extensionPath: "/x", systemDirs: {}, userConfig, pathSeparator: "/" });
        console.log(JSON.stringify([await made({}), await made({ phone: "virtual" })]));
    """
    with zipfile.ZipFile(bundle) as opened:
        manifest = opened.read("manifest.json")
    done = subprocess.run(
        [str(node_tools / "node"), "--input-type=module", "-e", code],
        cwd=NODE_TOOLS,
        input=manifest,
        capture_output=True,
        timeout=HANG,
        check=True,
    )
    empty, chosen = json.loads(done.stdout)
    assert empty["args"] == ["run", "--directory", "/x", "handheld", "stdio"]
    assert empty["env"] == {"HANDHELD_PHONE": "", "HANDHELD_TOOLSETS_ON": ""}
    assert chosen["env"]["HANDHELD_PHONE"] == "virtual"


@pytest.mark.needs_clients
def test_codex_reads_the_entry(home: Path) -> None:
    codex = native("@openai/codex-*/vendor/*/bin/codex", "codex")
    (home / ".codex").mkdir()
    old = '[mcp_servers.other]\ncommand = "true" # mine\n'
    (home / ".codex" / "config.toml").write_text(old, encoding="utf-8")
    install(home, "codex")
    listed = servers(run(home, codex, "mcp", "list", "--json"))
    assert listed.keys() == {"other", "android"}
    assert listed["android"]["args"] == ["stdio", "--phone", "virtual"]
    install(home, "codex", "--http", "http://127.0.0.1:8080")
    entry = servers(run(home, codex, "mcp", "list", "--json"))["android"]
    assert entry["url"] == "http://127.0.0.1:8080/phones/virtual/mcp/agent"
    assert entry["http_headers"]["Authorization"].startswith("Bearer ")
    run(home, *HANDHELD, "install", "codex", "--remove", "--yes")
    assert (home / ".codex" / "config.toml").read_text(encoding="utf-8") == old


def servers(printed: str) -> dict[str, Any]:
    """Each server's transport. A warning follows where the home is a temporary folder."""
    listed = json.JSONDecoder().raw_decode(printed)[0]
    return {each["name"]: each["transport"] for each in listed}


@pytest.mark.needs_clients
def test_gemini_cli_connects(home: Path, node_tools: Path) -> None:
    gemini = native("@google/gemini-cli/bundle/gemini.js", "gemini.js")
    install(home, "gemini")
    listed = run(home, node_tools / "node", gemini, "mcp", "list")
    assert re.search(r"android: .* stdio --phone virtual \(stdio\) - Connected", listed), listed
    nothing_left(home)


@pytest.mark.needs_clients
def test_opencode_connects(home: Path) -> None:
    opencode = native("opencode-linux-*/bin/opencode", "opencode")
    install(home, "opencode")
    listed = run(home, opencode, "mcp", "list")
    assert re.search(r"android\s+connected", listed), listed
    nothing_left(home)
