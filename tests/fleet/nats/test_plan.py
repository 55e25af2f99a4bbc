"""The folder of an engine, and its commands."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from handheld.fleet.nats.administration import Administration
from handheld.fleet.nats.plan import EngineError, EngineFolder, EngineNode, nodes_of
from handheld.fleet.nats.program import check_version, find_server
from harness.polling import HANG

from .lab import keep_node, nats_server

NOW = 1_784_102_400.0


@pytest.mark.parametrize(
    ("count", "hosts", "nodes"),
    [
        (1, [], [("localhost", 4222)]),
        (1, ["engine.example.com"], [("engine.example.com", 4222)]),
        (1, ["[2001:db8::1]:5000"], [("2001:db8::1", 5000)]),
        (3, [], [("localhost", 4222), ("localhost", 4223), ("localhost", 4224)]),
        (3, ["a:5000"], [("a", 5000), ("a", 5001), ("a", 5002)]),
        (3, ["a", "b:7", "c"], [("a", 4222), ("b", 7), ("c", 4222)]),
    ],
)
def test_nodes_are_where_the_flags_say(
    count: int, hosts: list[str], nodes: list[tuple[str, int]]
) -> None:
    assert nodes_of(count, hosts) == tuple(EngineNode(*each) for each in nodes)


@pytest.mark.parametrize(
    ("count", "hosts"),
    [
        (3, ["a", "b"]),
        (3, ["a", "a", "b"]),
        (1, ["a", "b"]),
        (1, [""]),
        (1, ["a b"]),
        (1, ["ü"]),
        (1, ["a:99999"]),
        (1, ['a"']),
    ],
)
def test_nodes_that_cannot_be_are_refused(count: int, hosts: list[str]) -> None:
    with pytest.raises(EngineError):
        nodes_of(count, hosts)


def test_a_folder_is_private_and_made_once(tmp_path: Path) -> None:
    folder = EngineFolder(tmp_path / "engine")
    plan = folder.create(nodes_of(3, []), ("main",), NOW)
    assert folder.load() == plan
    files = [file for file in folder.path.rglob("*") if file.is_file()]
    assert len(files) > 20
    assert {file.stat().st_mode & 0o077 for file in files} == {0}
    with pytest.raises(EngineError, match="already"):
        folder.create(nodes_of(1, []), ("main",), NOW)


def test_a_node_has_no_key_that_signs(tmp_path: Path) -> None:
    folder = EngineFolder(tmp_path)
    folder.create(nodes_of(3, []), ("main",), NOW)
    seeds = [file.read_text(encoding="utf-8") for file in (tmp_path / "keys").glob("*.seed")]
    assert len(seeds) == 6
    for number in (1, 2, 3):
        for file in folder.node(number).rglob("*"):
            text = file.read_text(encoding="utf-8") if file.is_file() else ""
            assert not any(seed in text for seed in seeds)
        assert (folder.node(number) / "key.pem").exists()


@pytest.mark.parametrize("name", ["", "Main", "a b", "a.b", "../a", "-a", "ü", "a" * 33, "system"])
def test_a_tenant_that_would_be_a_path_or_a_subject_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(EngineError):
        EngineFolder(tmp_path / "engine").create(nodes_of(1, []), (name,), NOW)


def test_a_folder_without_an_engine_or_with_a_broken_one_says_so(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="engine init"):
        EngineFolder(tmp_path).load()
    for text in ("", "[]", "{}", '{"nodes":5}'):
        (tmp_path / "engine.json").write_text(text, encoding="utf-8")
        with pytest.raises(EngineError, match="cannot be read"):
            EngineFolder(tmp_path).load()


def test_a_server_that_is_too_old_is_refused(tmp_path: Path) -> None:
    server = tmp_path / "nats-server"
    server.write_text("#!/bin/sh\necho nats-server: v2.10.27\n", encoding="utf-8")
    server.chmod(0o755)
    assert find_server(str(tmp_path)) == server
    with pytest.raises(EngineError, match=r"v2\.10\.27; the engine needs 2\.12"):
        check_version(server)
    server.write_text("#!/bin/sh\necho hello\n", encoding="utf-8")
    with pytest.raises(EngineError, match="does not report"):
        check_version(server)


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "handheld", "engine", *arguments],
        env={**os.environ, "HANDHELD_HOME": str(home)},
        cwd=home,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=HANG,
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["init", "--nodes", "2"], "--nodes is 1 or 3"),
        (["init", "x"], "takes no NAME"),
        (["admit", "host"], "admit host NAME"),
        (["admit", "phone", "x"], "admit host NAME"),
        (["revoke"], "revoke NAME"),
        (["run", "--node", "4"], "--node is 1, 2 or 3"),
        (["status", "--nodes", "3"], "--nodes is only for"),
    ],
)
@pytest.mark.matrix
def test_wrong_usage_is_told(tmp_path: Path, arguments: list[str], said: str) -> None:
    ran = run(tmp_path, *arguments)
    assert ran.returncode == 2
    assert said in ran.stderr


@pytest.mark.needs_nats
def test_an_engine_is_made_run_and_stopped_by_commands(server: None, tmp_path: Path) -> None:
    missing = run(tmp_path, "run")
    assert missing.returncode == 1
    assert "nats-server" in missing.stderr or "engine init" in missing.stderr
    node = keep_node()
    made = run(tmp_path, "init", "--host", node.address)
    assert (made.returncode, made.stdout) == (
        0,
        f"Made an engine in {tmp_path / 'state' / 'engine'}\n",
    )
    # A file in the folder of the command is not taken for the server's own.
    (tmp_path / "nats-server.conf").write_text("port: 1", encoding="utf-8")
    found = nats_server()
    assert found is not None
    path = os.pathsep.join((str(found.parent), os.environ["PATH"]))
    with subprocess.Popen(
        [sys.executable, "-m", "handheld", "engine", "run"],
        env={**os.environ, "HANDHELD_HOME": str(tmp_path), "PATH": path},
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if "Server is ready" in line:
                    break
            status = run(tmp_path, "status")
            assert status.returncode == 0, status.stderr
            assert status.stdout.startswith(f"node 1  {node.address}  2.")
            unknown = run(tmp_path, "revoke", "nobody")
            assert (unknown.returncode, unknown.stderr) == (
                1,
                "handheld: No member is called nobody.\n",
            )
        finally:
            process.send_signal(signal.SIGTERM)
            process.stderr.read()
        assert process.wait() in (0, 1)
    away = run(tmp_path, "status")
    assert away.returncode == 1
    assert "cannot be reached" in away.stderr
    kept = json.loads((tmp_path / "state/engine/engine.json").read_text(encoding="utf-8"))
    assert kept["members"] == []


async def test_without_the_extra_the_commands_name_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nats.aio.client", None)
    monkeypatch.delitem(sys.modules, "handheld.fleet.nats.client", raising=False)
    folder = EngineFolder(tmp_path)
    folder.create(nodes_of(1, []), ("main",), NOW)
    with pytest.raises(EngineError, match=r"handheld\[fleet\]"):
        await Administration(folder).status()


@pytest.mark.slow
def test_without_a_server_nothing_of_nats_is_loaded() -> None:
    code = (
        "import sys, handheld.fleet.nats.administration, handheld.fleet.nats.directory, "
        "handheld.fleet.nats.calls; sys.exit('nats' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
