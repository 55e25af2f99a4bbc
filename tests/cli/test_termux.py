"""Handheld in an environment like that of Termux, on the phone itself."""

import asyncio
import json
import re
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli.termux import REPOSITORY, Termux, can_make_room, needed
from console.rig import Person
from harness.polling import HANG

GUIDE = REPOSITORY / "docs" / "guides" / "on-the-phone.md"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="Android is a Linux")
ALONE = pytest.mark.skipif(not can_make_room(), reason="needs root, and mount")


@pytest.fixture(name="termux", params=["by environment", pytest.param("alone", marks=ALONE)])
def _termux(request: pytest.FixtureRequest, tmp_path: Path) -> Termux:
    return Termux.make(tmp_path, alone=request.param == "alone")


async def call(http: httpx.AsyncClient, token: str, name: str, **arguments: Any) -> str:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }
    answer = await http.post("/mcp/agent", json=body, headers={"authorization": f"Bearer {token}"})
    return answer.json()["result"]["content"][0]["text"]


@LINUX
@pytest.mark.matrix
async def test_the_demo_serves_and_asks_its_owner_in_the_browser(termux: Termux) -> None:
    with termux.start("demo", "--port", "0") as program:
        url = program.until(r"MCP at (http://\S+)/mcp/agent")[1]
        token = program.until("^Token: (.+)")[1]
        assert termux.run("console", "--open").code == 0
        opened = (termux.home / "opened").read_text(encoding="utf-8").strip()
        page, _, secret = opened.partition("/#login=")
        async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=HANG) as http:
            assert "Clock" in await call(http, token, "phone_open", what="Clock")
            person = Person(http)
            assert (page, (await person.get("/")).status_code) == (url, 200)
            assert (await person.log_in(secret)).is_success
            async with person.listening() as events:
                message = {"to": "+36201234567", "text": "Hello", "sim": 14}
                sending = asyncio.create_task(call(http, token, "phone_message", **message))
                question = await events.until("question", "asked")
                await person.post(
                    f"/console/api/questions/{question['id']}/answer", {"allow": True}
                )
                assert "+36201234567" in await sending
        for command in ("call phone_tap at=Timer", "token add reader"):
            done = termux.run(*command.split())
            assert done.code == 0, done.said
        findings = json.loads(termux.run("doctor", "--json").said)
    assert [each["mend"] for each in findings if each["verdict"] != "ok"] == [
        "pkg install android-tools"
    ]


@LINUX
@pytest.mark.matrix
def test_a_phone_is_reached_without_any_adb_by_a_key_that_is_made_there(termux: Termux) -> None:
    with (
        termux.start("virtual", "--port", "0", "--auth", "--allow-any") as phone,
        termux.start("serve", "--port", "0", "--phone", phone.until("^adb connect (.+)$")[1]) as it,
    ):
        it.until("Handheld serves MCP")
        looked = termux.run("call", "phone_look")
        assert "Launcher" in looked.said, looked.said
    key = termux.home / ".local" / "state" / "handheld" / "adbkey"
    assert key.stat().st_mode & 0o777 == 0o600


def compiled() -> set[str]:
    """The packages with compiled parts that Handheld needs."""
    return {
        name
        for name, package in needed("handheld").items()
        if "Root-Is-Purelib: false" in (package.read_text("WHEEL") or "")
    }


def test_the_guide_says_where_every_compiled_part_comes_from() -> None:
    page = GUIDE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]*`) \| [^|]+ \| (.*) \|$", page, re.MULTILINE)
    named = {name for names, _ in rows for name in re.findall(r"`(.+?)`", names)}
    assert named == compiled()


def test_the_guide_installs_what_pip_is_told_to_leave_out() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = GUIDE.read_text(encoding="utf-8")
    lines = [shlex.split(line) for line in page.splitlines() if line.startswith(("pip", "pkg"))]
    [further] = [line[2:] for line in lines if line[:2] == ["pip", "install"] and len(line) > 4]
    [packages] = [line[2:] for line in lines if line[:2] == ["pkg", "install"]]
    named = {f"python-{re.split('[^a-z]', each)[0]}": each for each in project["dependencies"]}
    assert set(further) == {each for name, each in named.items() if name not in packages}
