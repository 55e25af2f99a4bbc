"""A person can come to a process that serves one client over stdio, and is asked at a terminal."""

import os
import re
import signal
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx
import pytest

from cli.own_terminal import own_terminal
from cli.program import Home
from cli.test_console import LINK
from handheld.cli.asking import describe
from handheld.devices.ownership import OwnershipEntry
from handheld.server.sharing.inheritance import describe_limits, inherit
from handheld.settings import Settings
from harness.polling import HANG

CALCULATOR = "com.android.calculator2"
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


SMS = {"to_phone_number": "+36201234567", "sms_text": "Hello", "subscription_id": 14}
SEND = ("call", "send_sms", *(f"{name}={value}" for name, value in SMS.items()))
SENT = "SMS sent to +36201234567"
ALLOW = "Allow it\\? y = once, n = no"


def test_approve_answers_at_the_terminal(home: Home) -> None:
    with home.start(*VIRTUAL) as client, own_terminal(home, "approve") as terminal:
        client.hello()
        terminal.until("Waiting for questions of `handheld stdio --phone virtual`")
        with ThreadPoolExecutor(1) as beside:
            for typed, said, result in (
                ("y\n", "Allowed.", SENT),
                ("n\n", "Denied.", "The owner of the phone was asked about send_sms and said no."),
            ):
                sending = beside.submit(client.call, "android_send_sms", **SMS)
                shown = terminal.until(
                    f"test \\(stdio.*\\) wants to call send_sms on .*(?s:.*?){ALLOW}"
                )
                for part in (
                    'to_phone_number: "+36201234567"',
                    'sms_text: "Hello"',
                    "Rule: send_sms",
                    "s left",
                ):
                    assert part in shown[0]
                terminal.type(typed)
                terminal.until(said)
                assert result in sending.result(HANG)[1]
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.end()[0] == 130
    assert "Traceback" not in client.errors + terminal.shown


def test_an_answer_that_somebody_gives_in_the_console_ends_the_question_at_the_terminal(
    home: Home,
) -> None:
    with home.start(*VIRTUAL) as client, own_terminal(home, "approve") as terminal:
        client.hello()
        terminal.until("Waiting for questions of ")
        with (
            ThreadPoolExecutor(1) as beside,
            logged_in(home.run("console").stdout) as http,
        ):
            sending = beside.submit(client.call, "android_send_sms", **SMS)
            terminal.until(ALLOW)
            listed = home.run("approve", "--list").stdout
            assert "test (stdio) wants to call send_sms on " in listed
            [asked] = http.get("/console/api/questions").json()["questions"]
            path = f"/console/api/questions/{asked['id']}/answer"
            assert http.post(path, json={"allow": True}).json() == {"counts": True}
            terminal.until("It was allowed by console 2.")
            assert sending.result(HANG) == (False, SENT)
    assert home.run("approve", "--list").stderr == "No question is open.\n"


@pytest.mark.slow
def test_an_app_is_approved_by_always_and_not_asked_about_again(home: Home) -> None:
    with ExitStack() as stack:
        phone = stack.enter_context(home.start("virtual", "--port", "0"))
        address = phone.until(r"(127\.0\.0\.1:\d+)")[1]
        client = stack.enter_context(home.start("stdio", "--phone", address))
        client.hello()
        terminal = stack.enter_context(own_terminal(home, "approve"))
        terminal.until("Waiting for questions of ")
        beside = stack.enter_context(ThreadPoolExecutor(1))
        forecast = ("app_get_weather_forecast", {"location": "Berlin"})
        asked = beside.submit(client.call, forecast[0], **forecast[1])
        shown = terminal.until("a = always, for all tools of dev.handheld.weather: ")
        assert f"wants to call {forecast[0]} on " in terminal.shown
        assert "  or: handheld apps approve dev.handheld.weather\n" in terminal.shown, shown
        terminal.type("a\n")
        terminal.until("Allowed.")
        assert asked.result(HANG)[0] is False
        # With nobody at the terminal a second question would wait.
        assert client.call(forecast[0], **forecast[1])[0] is False


def test_what_others_wrote_cannot_change_the_question_at_a_terminal() -> None:
    told = {
        "client": "good\x1b[2J\nAllow it?",
        "door": "http",
        "token": "reader",
        "tool": "send_sms",
        "arguments": {"sms_text": "a\nb\u202ec\x9b"},
        "screen": "Title\r\nRule: none",
        "rule": "send_sms",
    }
    lines = describe(told)
    assert [line for line in lines if any(not char.isprintable() for char in line)] == []
    assert lines[0].endswith("(http, token reader) wants to call send_sms")
    assert lines[1] == '  sms_text: "a\\nb⟨U+202E⟩c⟨U+009B⟩"'
    assert lines[3] == "Rule: send_sms"
    assert len(lines) == 4


def test_a_pipe_answers_nothing(home: Home) -> None:
    run = home.run("approve", stdin="y\n")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("handheld: This asks you at a terminal, and there is none here.")


@pytest.mark.parametrize("owner", ["serve", "itself"])
def test_a_call_at_a_terminal_is_asked_about_there(home: Home, owner: str) -> None:
    with ExitStack() as stack:
        if owner == "serve":
            server = stack.enter_context(home.start("serve", "--phone", "virtual", "--port", "0"))
            server.until("Handheld serves MCP at ")
        given, giver = os.pipe()
        os.write(giver, b"n\n")  # what comes by a pipe is no answer
        os.close(giver)
        for typed, code, said in (("y\n", 0, SENT), ("n\n", 1, "and said no")):
            with own_terminal(home, *SEND, "--phone", "virtual", stdin=given) as terminal:
                shown = terminal.until(
                    f"handheld \\(cli.*\\) wants to call send_sms on (?s:.*?){ALLOW}"
                )
                assert 'sms_text: "Hello"' in shown[0]
                terminal.type(typed)
                terminal.until(re.escape(said))
                assert terminal.end()[0] == code
        os.close(given)
        # Without a terminal the rules hold as for every caller.
        run = home.run(*SEND, "--phone", "virtual")
        assert (run.returncode, run.stdout) == (0, f"{SENT}\n")


def test_a_question_about_a_call_at_a_terminal_can_be_answered_in_the_console(home: Home) -> None:
    with home.start("serve", "--phone", "virtual", "--port", "0") as server:
        server.until("Handheld serves MCP at ")
        with logged_in(home.run("console").stdout) as http, own_terminal(home, *SEND) as terminal:
            terminal.until(ALLOW)
            [asked] = http.get("/console/api/questions").json()["questions"]
            path = f"/console/api/questions/{asked['id']}/answer"
            assert http.post(path, json={"allow": True}).json() == {"counts": True}
            terminal.until(re.escape(SENT))
            assert terminal.end()[0] == 0


def test_a_server_joins_a_stdio_process_and_outlives_it(home: Home) -> None:
    serve = ("serve", "--phone", "virtual", "--port", "0", "--no-token")
    with ExitStack() as clients:
        client = clients.enter_context(home.start(*VIRTUAL))
        client.hello()
        with home.start(*serve) as server:
            joined = server.until("has the phone, and shares it with this server")
            assert f"`handheld stdio --phone virtual` (pid {client.process.pid}," in joined.string
            url = server.until("android_ tools connect to (http://.*)/mcp")[1]
            assert server.line() == "Not served beside it: /mcp/v1."
            with httpx.Client(base_url=url, trust_env=False, timeout=HANG) as http:
                assert http_call(http, "android_open_app", package_id=CALCULATOR).startswith(
                    "App opened"
                )
                assert f"pkg:{CALCULATOR}" in client.call("android_get_screen_state")[1]
                assert len(home.phone_pids()) == 1
                # It is asked about in the console of the process that has the phone.
                with own_terminal(home, "approve") as terminal, ThreadPoolExecutor(1) as beside:
                    terminal.until("Waiting for questions of `handheld stdio --phone virtual`")
                    sending = beside.submit(http_call, http, "android_send_sms", **SMS)
                    terminal.until(ALLOW)
                    terminal.type("y\n")
                    assert sending.result(HANG) == SENT
                    clients.close()
                    terminal.until("has ended or no longer answers")
                    lost = http_call(http, "android_press_home")
                    assert "which had the virtual phone, has ended. Nothing was done" in lost
                    assert http_call(http, "android_press_home") == (
                        "Home button press executed successfully"
                    )
                    terminal.until("Waiting for questions of `handheld serve --phone virtual`")
    assert "Traceback" not in client.errors + server.errors + terminal.shown


def http_call(http: httpx.Client, name: str, **arguments: Any) -> str:
    """The first text of a tool's reply."""
    params = {"name": name, "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    accept = {"accept": "application/json, text/event-stream"}
    return http.post("/mcp", json=body, headers=accept).json()["result"]["content"][0]["text"]


@pytest.mark.parametrize(("used", "required"), [(False, False), (True, True)])
def test_who_takes_over_from_a_stdio_process_goes_on_asking_if_its_console_was_used(
    used: bool, required: bool
) -> None:
    settings = Settings()
    limits = {**describe_limits(settings), "console": used}
    gone = OwnershipEntry("virtual", 1, "handheld stdio", "2026", console="key", limits=limits)
    assert inherit(settings, gone).policy.require_console is required
