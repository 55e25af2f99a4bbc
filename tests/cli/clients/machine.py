"""Homes and configuration files for tests of clients."""

from collections.abc import Mapping
from pathlib import Path

from handheld.cli.clients.client import Machine, McpClient

CONFIGS = Path(__file__).parent / "configs"
"""A file of each client as its makers document it, of our own writing."""


def make_machine(
    home: Path, platform: str = "linux", environment: Mapping[str, str] | None = None
) -> Machine:
    return Machine(home, home / "project", platform, environment or {}, lambda _: "")


def config_of(client: McpClient) -> str:
    data = (CONFIGS / f"{client.id}.{client.format}").read_bytes()
    return data.decode().removeprefix("\ufeff")
