"""SMS on the command line: options, the sms surface, and the log."""

import json
import socket
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bench.ports import keep_port

from cli.program import Home
from handheld.cli.doctor.examination import Severity, examine
from handheld.devices.ownership import Owners
from handheld.settings import SettingsError, load
from handheld.settings.groups import SmsSettings
from harness.polling import HANG

SECRETS = ("+33785880347", "33785880347", "my secret")


def write(home: Path, text: str) -> dict[str, str]:
    (home / "handheld.toml").write_text(text, encoding="utf-8")
    return {"HANDHELD_HOME": str(home)}


def test_rules_come_from_the_file_the_environment_and_flags(tmp_path: Path) -> None:
    environment = write(
        tmp_path,
        'surface = ["main", "sms"]\n[sms]\nport = 1\nsubscriptions = [14, 17]\n'
        'allow = ["+3620*", "+44??"]\nparts_per_minute = 3\n',
    )
    environment["HANDHELD_SMS_BLOCK"] = "+36201*, *99"
    settings = load({"sms_dry_run": True, "sms_port": "2"}, environment)
    assert settings.surface == ("main", "sms")
    assert settings.sms == SmsSettings(
        2, (14, 17), ("+3620*", "+44??"), ("+36201*", "*99"), 3, True
    )
    flags = {"surface": ["sms"], "sms_subscriptions": ["3", "4,5"]}
    settings = load(flags, environment)
    assert (settings.surface, settings.sms.subscriptions) == (("sms",), (3, 4, 5))
    assert load({}, write(tmp_path, "[sms]\nsubscriptions = 3")).sms.subscriptions == (3,)


def test_by_default_the_main_surface_is_served_and_all_may_be_sent(tmp_path: Path) -> None:
    settings = load({}, {"HANDHELD_HOME": str(tmp_path)})
    assert (settings.surface, settings.sms) == (("main",), SmsSettings(9531, (), (), (), 10, False))


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ({"surface": ["v2"]}, "--surface must be some of main, sms, not 'v2'."),
        ({"surface": ["sms", "sms"]}, "surface must name main, sms or both, each once."),
        ({"surface": [""]}, "surface must name main, sms or both, each once."),
        ({"surface": ["main", "sms"], "port": "5", "sms_port": "5"},
         "port and sms.port are the same: two surfaces need two ports."),
        ({"sms_subscriptions": ["one"]},
         "--sms-subscriptions must be a whole number or a list of them, not 'one'."),
        ({"sms_parts_per_minute": "31"},
         "--sms-parts-per-minute must be a whole number from 1 to 30, not '31'."),
        ({"sms_allow": ["3620*"]},
         "sms.allow has '3620*': a pattern begins with + or *, then has digits, * for any and ?"
         " for one, such as +3620*."),
        ({"sms_block": ["+36 20"]},
         "sms.block has '+36 20': a pattern begins with + or *, then has digits, * for any and ?"
         " for one, such as +3620*."),
    ],
)  # fmt: skip
def test_an_invalid_sms_pattern_is_reported(
    tmp_path: Path, flags: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load(flags, {"HANDHELD_HOME": str(tmp_path)})
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("flags", "variables", "port"),
    [
        ({"port": "7"}, {}, 7),
        ({"port": "0"}, {}, 0),
        ({}, {"HANDHELD_PORT": "8"}, 8),
        ({"port": "7", "sms_port": "9"}, {}, 9),
        ({"port": "7"}, {"HANDHELD_SMS_PORT": "9"}, 7),
        ({"sms_port": "9"}, {"HANDHELD_PORT": "8"}, 9),
        ({}, {}, 9531),
    ],
)
def test_port_is_the_port_of_a_single_sms_surface(
    tmp_path: Path, flags: dict[str, Any], variables: dict[str, str], port: int
) -> None:
    environment = {"HANDHELD_HOME": str(tmp_path), **variables}
    assert load({"surface": ["sms"], **flags}, environment).sms.port == port
    both = load({"surface": ["main", "sms"], **flags, "sms_port": "11"}, environment)
    assert both.sms.port == 11


@pytest.mark.parametrize("value", ["[true]", '["x"]', "[1.5]", "true"])
def test_subscriptions_must_be_numbers(tmp_path: Path, value: str) -> None:
    with pytest.raises(SettingsError, match=r"sms.subscriptions in .* must be a whole number or"):
        load({}, write(tmp_path, f"[sms]\nsubscriptions = {value}"))


def ask(url: str, method: str, params: dict[str, Any]) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=HANG) as answer:
        return json.load(answer)["result"]


def test_a_gateway_serves_two_tools_shares_its_phone_and_logs_no_secret(home: Home) -> None:
    port = str(keep_port())
    arguments = ("serve", "--phone", "virtual", "--surface", "sms", "--port", port)
    with home.start(*arguments, "--no-token", "--log-level", "debug") as program:
        output = program.line()
        assert output == f"The sms surface is served over MCP at http://127.0.0.1:{port}/mcp"
        url = output.rpartition(" ")[2]
        names = [tool["name"] for tool in ask(url, "tools/list", {})["tools"]]
        assert names == ["send_sms", "get_sms_subscriptions"]
        sending = {"to_phone_number": SECRETS[0], "sms_text": SECRETS[2], "subscription_id": 17}
        result = ask(url, "tools/call", {"name": "send_sms", "arguments": sending})
        assert result == {"content": [{"type": "text", "text": f"SMS sent to {SECRETS[0]}"}]}
        sending["subscription_id"] = 3
        assert ask(url, "tools/call", {"name": "send_sms", "arguments": sending})["isError"]
        [entry] = Owners(home.folder / "handheld" / "state" / "owners").entries()
        assert entry.sms_url == url.removesuffix("/mcp")
        assert entry.url != entry.sms_url
        shared = home.run("call", "open_app", "package_id=com.android.messaging")
        assert (shared.stdout, shared.returncode) == (
            "App opened successfully: com.android.messaging\n",
            0,
        )
        assert SECRETS[2] in home.run("call", "get_screen_state").stdout
    assert "SMS to +33…47 by 17: sent in 1 part." in program.errors
    assert [secret for secret in SECRETS if secret in program.errors] == []
    assert home.left_behind() == []


@pytest.mark.slow
def test_both_surfaces_are_served_by_one_process(home: Home) -> None:
    both = ("--surface", "main", "--surface", "sms", "--port", "0", "--sms-port", "0")
    with home.start("serve", "--phone", "virtual", "--no-token", *both) as program:
        main = program.until("android_ tools connect to (.+)$")[1]
        sms = program.line().removeprefix("The sms surface is served over MCP at ")
        assert len(ask(sms, "tools/list", {})["tools"]) == 2
        names = [tool["name"] for tool in ask(main, "tools/list", {})["tools"]]
        assert {"android_tap", "android_send_sms", "android_get_sms_subscriptions"} <= {*names}


def test_an_sms_port_in_use_is_one_error_line(home: Home) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        run = home.run("serve", "--surface", "sms", "--sms-port", str(port))
    assert (run.stderr, run.returncode) == (
        f"handheld: Port {port} is in use by another program: stop it, or choose another port with"
        " --sms-port.\n",
        1,
    )


async def test_the_doctor_checks_the_sms_port(tmp_path: Path) -> None:
    environment = {"HANDHELD_HOME": str(tmp_path)}
    settings = load({"surface": ["sms"], "sms_port": "0"}, environment)

    async def found() -> tuple[Severity, str, str]:
        async for one in examine(settings):
            if one.subject in ("port", "sms-port"):
                return one.verdict, one.subject, one.fix
        raise AssertionError("nothing was said of a port")

    assert await found() == (Severity.OK, "sms-port", "")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        settings = replace(settings, sms=replace(settings.sms, port=port))
        fix = f"handheld serve --surface sms --sms-port {port + 1}"
        assert await found() == (Severity.PROBLEM, "sms-port", fix)
        claim = Owners(settings.folders.owners).claim(["virtual"], "handheld serve")
        assert claim is not None
        try:
            claim.publish("http://127.0.0.1:1", "", sms_url=f"http://127.0.0.1:{port}")
            assert await found() == (Severity.OK, "sms-port", "")
        finally:
            claim.release()
