"""The TypeScript client libraries against a server with OAuth: from its address to a call."""

import asyncio
import json
from pathlib import Path

import pytest
from bench.ports import keep_port
from judging import NODE_TOOLS, environment

from access.authorization_server import AuthorizationServer
from handheld.access.issuer import Issuer
from handheld.access.resource_server import ResourceServer
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from harness.polling import HANG
from server.little import LittleSurface

pytestmark = pytest.mark.needs_node


@pytest.mark.parametrize("client", ["sdk", "client"])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/agent"])
async def test_a_typescript_client_finds_its_way_and_calls(
    client: str, path: str, node_tools: Path, home: Path
) -> None:
    here = f"http://127.0.0.1:{(port := keep_port())}"
    async with AuthorizationServer("/realms/lab") as issuer:
        server = ResourceServer(here, [Issuer(issuer.url)])
        options = HttpOptions(token="the owner's", oauth=server, port=port, agent=True)
        async with open_http(LittleSurface(), options):
            plan = {"client": client, "url": f"{here}{path}", "name": "echo"}
            program = await asyncio.create_subprocess_exec(
                *("node", NODE_TOOLS / "oauth.mjs", json.dumps(plan)),
                env=environment(home),
                cwd=home,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            async with asyncio.timeout(HANG):
                out, err = await program.communicate()
    assert program.returncode == 0, err.decode()[-4000:]
    seen = json.loads(out)
    assert seen["refused"] == "UnauthorizedError"
    assert seen["tools"] == ["slow", "echo"]
    assert seen["content"][0]["type"] == "text"
    assert issuer.seen["resource"] == f"{here}{path}"
    assert issuer.seen["scope"] == "handheld:read handheld:act"
