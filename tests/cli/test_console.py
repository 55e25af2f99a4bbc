"""`handheld console`: a link to the running server, for its user only."""

import re
from pathlib import Path

import httpx
import pytest

from cli.program import Home, Program
from harness.polling import HANG

LINK = re.compile(r"(http://127\.0\.0\.1:\d+)/#login=([\w-]{43})\n")


@pytest.mark.slow
def test_the_printed_link_opens_the_console(shared_home: Home, served: Program) -> None:
    printed = shared_home.run("console")
    assert (printed.returncode, printed.stderr) == (
        0,
        "The link works once, within 10 minutes.\n",
    )
    found = LINK.fullmatch(printed.stdout)
    assert found is not None, printed.stdout
    url, secret = found.groups()
    with httpx.Client(base_url=url, trust_env=False, timeout=HANG) as http:
        answer = http.post("/console/login", json={"secret": secret}, headers={"origin": url})
        assert answer.status_code == 200
        headers = {"x-handheld-console": answer.json()["proof"]}
        [phone] = http.get("/console/api/phones", headers=headers).json()
        assert phone["usable"] is True


def test_every_console_link_is_new(shared_home: Home, served: Program) -> None:
    one, two = shared_home.run("console").stdout, shared_home.run("console").stdout
    assert one != two


def test_without_a_server_the_command_explains_how_to_start_one(home: Home) -> None:
    ended = home.run("console")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == (
        "handheld: No server of yours is running. Start one: handheld serve, or handheld demo\n"
    )


def test_without_a_gateway_the_command_explains_how_to_start_one(home: Home) -> None:
    ended = home.run("console", "--gateway")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == (
        "handheld: No gateway of yours with a console runs here. Start one: handheld gateway\n"
    )


@pytest.mark.slow
def test_a_server_without_a_console_gives_no_link(home: Home) -> None:
    with home.start("serve", "--phone", "virtual", "--port", "0", "--no-console") as program:
        program.until("Handheld serves MCP at ")
        ended = home.run("console")
        assert ended.returncode == 1
        assert "serves no console: it was started with --no-console." in ended.stderr


def test_only_this_user_can_read_the_key_for_console_links(
    shared_home: Home, served: Program
) -> None:
    [entry] = (Path(shared_home.folder) / "handheld" / "state" / "owners").glob("*.json")
    assert entry.stat().st_mode & 0o777 == 0o600
    assert '"console": "' in entry.read_text(encoding="utf-8")
