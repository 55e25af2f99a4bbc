"""The examples in the package's README work."""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from handheld.adb import shell
from handheld.adb.direct import DirectLink
from handheld_virtual import Scene, VirtualPhone
from handheld_virtual.command_line import add_arguments
from handheld_virtual.toolkit import load_app
from harness.polling import HANG
from harness.readme_commands import find_commands

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "src" / "handheld_virtual" / "README.md").read_text(encoding="utf-8")
TOOL = """#!{python}
import asyncio, sys
from handheld.adb import shell
from handheld.adb.direct import DirectLink

async def main():
    host, port = sys.argv[2].split(":")
    link = await DirectLink.connect(host, int(port))
    await shell.run(link, ["monkey", "-p", "com.android.calculator2", "1"])
    await link.aclose()

asyncio.run(main())
"""
"""A user's tool, which the README's example tests on the phone."""


def block(language: str, word: str) -> str:
    """The only block in this language that contains this word."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    [found] = [each for each in blocks if word in each]
    return found


@pytest.mark.parametrize(
    "command", [each for each in find_commands(PAGE) if each.startswith("handheld virtual")]
)
def test_its_flags_are_known(command: str) -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    options = parser.parse_args(shlex.split(command)[2:])
    assert Scene.load(options.scene or "default")


async def test_every_command_for_adb_is_answered() -> None:
    connect, *lines = block("sh", "adb connect").splitlines()
    assert connect == "adb connect 127.0.0.1:5600"
    async with VirtualPhone.from_scene("default") as phone:
        link = await DirectLink.connect("127.0.0.1", phone.port)
        printed: list[bytes] = []
        for line in lines:
            found = re.fullmatch(r"adb (?:shell|exec-out) (.*?)(?: > screen\.png)?", line)
            assert found, line
            run = await shell.run(link, shlex.split(found[1]))
            assert run.code == 0, (line, run)
            printed.append(bytes(run.stdout))
        await link.aclose()
        assert "touch" in [each.kind for each in phone.world.events]
    assert any(b"<hierarchy" in each for each in printed)
    assert any(each.startswith(b"\x89PNG") for each in printed)


@pytest.mark.slow
def test_the_test_passes(tmp_path: Path) -> None:
    tool = tmp_path / "bin" / "my-tool"
    tool.parent.mkdir()
    tool.write_text(TOOL.format(python=sys.executable), encoding="utf-8")
    tool.chmod(0o755)
    (tmp_path / "test_example.py").write_text(block("python", "my-tool"), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "test_example.py"],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{tool.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=False,
    )
    assert "1 passed" in run.stdout, run.stdout + run.stderr


def test_the_app_is_installed_and_greets(tmp_path: Path) -> None:
    file = tmp_path / "hello.py"
    file.write_text(block("python", "class HelloApp"), encoding="utf-8")
    phone = VirtualPhone()
    phone.install(load_app(str(file)))
    phone.world.launch("org.example.hello")
    hello: Any = phone.world.front
    hello.greet()
    assert hello.greeting.text == "Hello"


def test_the_other_server_is_the_one_that_is_tried() -> None:
    server = json.loads(block("json", "mcpServers"))["mcpServers"]["mobile-mcp"]
    pinned = json.loads((ROOT / "scripts" / "peers" / "package.json").read_text(encoding="utf-8"))
    name, _, version = server["args"][-1].rpartition("@")
    assert pinned["dependencies"][name] == version
    tried = (ROOT / "tests" / "peers" / "test_mobile_mcp.py").read_text(encoding="utf-8")
    assert all(f'{key}="{value}"' in tried for key, value in server["env"].items())
