"""A person can come to a process that serves one client over stdio."""

from collections.abc import Generator
from contextlib import contextmanager

import httpx
import pytest

from cli.program import Home
from cli.test_console import LINK

VIRTUAL = ("stdio", "--phone", "virtual", "--surface", "main")


@contextmanager
def logged_in(link: str) -> Generator[httpx.Client]:
    """A browser that has opened the link."""
    found = LINK.match(link)
    assert found is not None, link
    url, secret = found.groups()
    with httpx.Client(base_url=url, trust_env=False, headers={"origin": url}) as http:
        answer = http.post("/console/login", json={"secret": secret})
        assert answer.status_code == 200
        http.headers["x-handheld-console"] = answer.json()["proof"]
        yield http


def test_a_stdio_process_has_a_console(home: Home) -> None:
    with home.start(*VIRTUAL) as client:
        client.hello()
        printed = home.run("console")
        assert (printed.returncode, printed.stderr) == (
            0,
            "The link works once, within 10 minutes.\n",
        )
        with logged_in(printed.stdout) as http:
            [phone] = http.get("/console/api/phones").json()
            assert phone["usable"] is True
    assert "Traceback" not in client.errors


@pytest.mark.slow
def test_with_several_processes_each_link_says_whose_it_is(home: Home) -> None:
    with home.start(*VIRTUAL) as client:
        client.hello()
        with home.start("serve", "--phone", "127.0.0.1:1", "--port", "0") as second:
            second.until("Handheld serves MCP at ")
            printed = home.run("console")
            assert printed.stderr == "Each link works once, within 10 minutes.\n"
            links = [line.split("  ") for line in printed.stdout.splitlines()]
            assert [command for _, command in links] == [
                "handheld stdio --phone virtual",
                "handheld serve --phone 127.0.0.1:1",
            ]
            assert [bool(LINK.fullmatch(f"{link}\n")) for link, _ in links] == [True, True]
            chosen = home.run("console", "--phone", "virtual").stdout
            assert chosen.partition("/#")[0] == links[0][0].partition("/#")[0]
