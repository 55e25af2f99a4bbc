"""`handheld serve --fleet`: a host and a gateway in one process."""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from handheld.cli.arguments import parse
from handheld.cli.commands.serve import serve
from handheld.fleet.nats.joining import Joined
from handheld.fleet.nats.plan import EngineError
from handheld.settings import load
from harness.polling import HANG

from .fleet_lab import Fleet
from .test_fleet import TAP

pytestmark = pytest.mark.needs_nats

TOKEN = "the-token-of-the-owner"


async def test_it_serves_the_phones_of_all_hosts_and_offers_its_own(
    fleet: Fleet, tmp_path: Path
) -> None:
    other = await fleet.host("left")
    codes: list[str] = []
    admitting: list[asyncio.Task[str]] = []
    for role in ("host", "gateway"):
        shown: asyncio.Queue[str] = asyncio.Queue()
        admitted = fleet.lab.administration.admit(role, f"my-{role}", "main", shown.put_nowait)
        admitting.append(asyncio.create_task(admitted))
        codes.append(await shown.get())
    command = ("serve", "--fleet", "--join", "-", "--join", "-", "--phone", "virtual")
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "handheld", *command, "--port", "0"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HANDHELD_HOME": str(tmp_path / "mine"), "HANDHELD_TOKEN": TOKEN},
    )
    try:
        assert program.stdin is not None
        assert program.stdout is not None
        async with asyncio.timeout(HANG):
            program.stdin.write("".join(f"{code}\n" for code in codes).encode())
            program.stdin.close()
            assert all(await asyncio.gather(*admitting))
            assert b"This is the host my-host (h" in await program.stdout.readline()
            assert b"This is the gateway my-gateway (g" in await program.stdout.readline()
            printed = await program.stdout.readline() + await program.stdout.readline()
        url = re.findall(rb"http://\S+/mcp\n", printed)[0].decode().strip()
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with httpx.AsyncClient(headers=headers, trust_env=False, timeout=HANG) as client:

            async def call(tool: str, **arguments: object) -> str:
                asked = {"name": f"android_{tool}", "arguments": arguments}
                request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
                answer = await client.post(url, json=request)
                return str(answer.json()["result"]["content"][0]["text"])

            names: set[str] = set()
            async with asyncio.timeout(HANG):
                while len(names) < 2:
                    names = {row["phone"] for row in json.loads(await call("list_phones"))}
            [own] = names - {"left"}
            # Of another host, and its own.
            assert "Tap executed" in await call("tap", device="left", **TAP)
            assert other.touches("left") == 1
            assert "Tap executed" in await call("tap", device=own, **TAP)
            # Another gateway reaches its phone, too.
            gateway = await fleet.gateway("left", own)
            assert "Tap executed" in await gateway.call("tap", device=own, **TAP)
    finally:
        program.kill()
        await program.wait()


async def test_it_must_have_joined_as_both(
    fleet: Fleet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def run(*arguments: str) -> int:
        given = parse(["serve", *arguments])
        return await serve(given, load(vars(given), {"HANDHELD_HOME": str(tmp_path / "mine")}))

    state = tmp_path / "mine" / "state"
    state.mkdir(parents=True)
    with pytest.raises(EngineError, match="handheld engine admit host NAME"):
        await run("--fleet", "--port", "0")
    Joined("host", "desk", "main", fleet.lab.member("host")).save(state / "host.json")
    with pytest.raises(EngineError, match="handheld engine admit gateway NAME"):
        await run("--fleet", "--port", "0")
    Joined("gateway", "front", "other", fleet.lab.member("gateway")).save(state / "gateway.json")
    with pytest.raises(EngineError, match="one of the two must join again"):
        await run("--fleet", "--port", "0")
    for arguments, why in (
        (("--join", "x"), "--join is only for --fleet"),
        (("--fleet", "--surface", "sms"), "--fleet serves the main surface"),
    ):
        assert await run("--port", "0", "--sms-port", "0", *arguments) == 2
        assert why in capsys.readouterr().err
