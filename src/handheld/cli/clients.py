"""The configuration that connects each MCP client."""

import json
import shlex
from dataclasses import dataclass
from typing import Any

NAME = "android"
"""The name of the server in a client. Clients prepend it to every tool's name, and some allow 60
characters for both: with a longer name they would hide tools."""


@dataclass(frozen=True, slots=True)
class Snippet:
    client: str
    where: str
    text: str


def agent_url(url: str) -> str:
    """Return the address of the tools for models, given the /mcp address."""
    return f"{url}/agent"


def snippets(url: str, token: str, stdio: tuple[str, ...]) -> list[Snippet]:
    """`stdio` is the command line for clients that start the server themselves."""
    bearer = {"Authorization": f"Bearer {token}"} if token else {}
    with_headers: dict[str, Any] = {"headers": bearer} if token else {}
    header = f'--header "Authorization: Bearer {token}" ' if token else ""
    codex = f'http_headers = {{ Authorization = "Bearer {token}" }}\n' if token else ""
    servers = "mcpServers"
    return [
        Snippet(
            "Claude Code",
            "run",
            f"claude mcp add --transport http {header}{NAME} {url}",
        ),
        Snippet(
            "Claude Desktop",
            "claude_desktop_config.json",
            _json(servers, {"command": stdio[0], "args": list(stdio[1:])}),
        ),
        Snippet("Cursor", ".cursor/mcp.json", _json(servers, {"url": url, **with_headers})),
        Snippet(
            "VS Code",
            ".vscode/mcp.json",
            _json("servers", {"type": "http", "url": url, **with_headers}),
        ),
        Snippet(
            "Codex",
            "~/.codex/config.toml",
            f'[mcp_servers.{NAME}]\nurl = "{url}"\n{codex}'.rstrip(),
        ),
        Snippet(
            "Gemini CLI",
            "~/.gemini/settings.json",
            _json(servers, {"httpUrl": url, **with_headers}),
        ),
    ]


def curl(url: str, token: str, tool: str, *, insecure: bool = False) -> str:
    """A shell command that calls `tool` without arguments."""
    body: dict[str, Any] = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": {}},
    }
    parts = ["curl", "-s"]
    if insecure:
        parts.append("-k")
    if token:
        parts += ["-H", f"Authorization: Bearer {token}"]
    parts += ["-H", "Content-Type: application/json", "-d", json.dumps(body), url]
    return shlex.join(parts)


def _json(group: str, entry: dict[str, Any]) -> str:
    return json.dumps({group: {NAME: entry}}, indent=2)
