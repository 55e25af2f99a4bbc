"""What a person pastes into MCP clients and terminals to reach a server."""

import json
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...settings import SettingsError
from ...settings.environment import variables

if TYPE_CHECKING:
    from .client import Machine


@dataclass(frozen=True, slots=True)
class Snippet:
    client: str
    where: str
    text: str


def agent_url(url: str) -> str:
    """Return the address of the tools for models, given the /mcp address."""
    return f"{url}/agent"


def snippets(url: str, token: str, stdio: tuple[str, ...]) -> Iterator[Snippet]:
    """`stdio` is the command line for clients that start the server themselves."""
    from .catalog import CLIENTS  # for the few commands that show them
    from .entry import describe_entry

    machine = this_machine()
    for client in CLIENTS:
        if client.in_demo:
            remote = client.remote
            entry = client.local.entry(stdio) if remote is None else remote.entry(url, token)
            where = machine.shorten(client.file("user", machine))
            yield Snippet(client.title, where, describe_entry(client, entry))


def this_machine() -> "Machine":
    """Raises SettingsError."""
    from .client import Machine

    try:
        return Machine(Path.home(), Path.cwd(), sys.platform, variables())
    except RuntimeError:
        raise SettingsError("There is no home folder. Set HOME.") from None
    except OSError:
        raise SettingsError("The folder you are in is gone: change to another.") from None


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
