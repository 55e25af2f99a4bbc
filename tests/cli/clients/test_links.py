"""One-click links: what an editor reads from them, and that the page about clients has them."""

import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from handheld.cli.clients.links import FROM_INDEX, cursor_link, vscode_link

PAGE = Path(__file__).parents[3] / "docs" / "clients.md"
STARTED = {"command": FROM_INDEX[0], "args": list(FROM_INDEX[1:])}


def query_of(link: str) -> dict[str, str]:
    parts = parse_qs(urlsplit(link).query, strict_parsing=True)
    return {name: values[0] for name, values in parts.items()}


@pytest.mark.parametrize(
    ("web", "head"),
    [
        (False, "cursor://anysphere.cursor-deeplink/mcp/install?"),
        (True, "https://cursor.com/en/install-mcp?"),
    ],
)
def test_cursor_reads_the_entry_from_its_link(web: bool, head: str) -> None:
    link = cursor_link(web=web)
    assert link.startswith(head)
    query = query_of(link)
    assert query.keys() == {"name", "config"}
    assert query["name"] == "android"
    assert json.loads(base64.b64decode(query["config"], validate=True)) == STARTED


@pytest.mark.parametrize("insiders", [False, True])
def test_vs_code_reads_the_entry_from_its_link(insiders: bool) -> None:
    entry: dict[str, Any] = {"type": "stdio", **STARTED}
    scheme, _, config = vscode_link(insiders=insiders).partition(":mcp/install?")
    assert scheme == ("vscode-insiders" if insiders else "vscode")
    assert json.loads(unquote(config)) == {"name": "android", **entry}
    link = vscode_link(web=True, insiders=insiders)
    assert link.startswith("https://insiders.vscode.dev/redirect/mcp/install?")
    query = query_of(link)
    assert query.pop("quality", "") == ("insiders" if insiders else "")
    assert query == {"name": "android", "config": json.dumps(entry, separators=(",", ":"))}


@pytest.mark.parametrize("command", [("/opt/a b+c/handheld", "stdio", "--phone", "R5&8=1"), ("ü",)])
def test_whatever_the_command_is_the_links_keep_it(command: tuple[str, ...]) -> None:
    query = query_of(cursor_link(command, web=True))
    entry = json.loads(base64.b64decode(query["config"]))
    assert (entry["command"], *entry["args"]) == command
    entry = json.loads(query_of(vscode_link(command, web=True))["config"])
    assert (entry["command"], *entry["args"]) == command


def test_the_page_about_clients_has_the_links_and_no_spaces_or_brackets_are_in_them() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for link in (
        cursor_link(web=True),
        vscode_link(web=True),
        vscode_link(web=True, insiders=True),
    ):
        assert f"]({link})" in page
        assert not set(link) & set(" ()<>")
