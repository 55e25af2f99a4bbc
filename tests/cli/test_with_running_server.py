"""Commands while a server is running: they go through it, or report the owner of the phone."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.program import Home, Program
from handheld.devices.ownership import OwnershipEntry
from handheld.server.sharing.inheritance import describe_limits, find_ignored
from handheld.settings import load
from handheld.tools.main import EXTRA, diagnostics, fleet
from harness.polling import HANG


def test_a_call_goes_through_the_server(shared_home: Home, served: Program) -> None:
    run = shared_home.run("call", "android_open_app", "package_id=com.android.calculator2")
    assert (run.returncode, run.stdout, run.stderr) == (
        0,
        "App opened successfully: com.android.calculator2\n",
        "",
    )
    # Without `--phone` the only owner is used.
    screen = shared_home.run("call", "get_screen_state", "--phone", "virtual")
    assert "pkg:com.android.calculator2" in screen.stdout
    assert len(shared_home.phone_pids()) == 1


@pytest.mark.slow
def test_a_call_through_the_server_loads_no_library_and_no_tools(
    shared_home: Home, served: Program
) -> None:
    """Loading them took longer than all else of a short command."""
    script = (
        "import sys\nfrom handheld.cli import main\n"
        "code = main(['call', 'tap', 'x=540', 'y=1200'])\n"
        "heavy = {'mcp', 'pydantic', 'httpx', 'h11', 'httptools', 'anyio', 'PIL', 'cryptography',"
        " 'uvicorn', 'asyncio', 'ssl', 'sqlite3', 'handheld.tools.main', 'handheld.tools.tool',"
        " 'handheld.audit', 'handheld.phone',"
        " 'handheld.calls.local', 'handheld.server.edge', 'handheld.screen'}\n"
        "print(code, sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        env=shared_home.environment,
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=True,
    )
    assert run.stdout.splitlines() == ["Tap executed at (540, 1200)", "0 []"]


def test_a_call_may_ask_for_documented_replies(shared_home: Home, served: Program) -> None:
    shared_home.run("call", "press_home")
    done = "Scroll up (medium) executed\n"
    run = shared_home.run("call", "scroll", "direction=up")
    assert run.stdout.startswith(done)
    assert run.stdout != done
    assert shared_home.run("call", "scroll", "direction=up", "--strict").stdout == done


@pytest.mark.parametrize(
    ("flags", "theirs", "ignored"),
    [
        ({}, {"policy_deny": "tap"}, ""),
        ({"policy_deny": "tap"}, {}, "--policy-deny"),
        ({"policy_deny": "tap"}, {"policy_deny": "swipe,tap"}, ""),
        ({"policy_ask": "tap,default"}, {}, "--policy-ask"),
        ({"policy_ask": "default"}, {}, ""),
        ({"policy_allow": "close_app"}, {}, "--policy-allow"),
        # There more is allowed than here.
        ({"policy_allow": "close_app"}, {"policy_allow": "close_app,app_*"}, "--policy-allow"),
        ({"policy_allow": "close_app"}, {"policy_allow": "close_app"}, ""),
        ({"policy_require_console": True}, {}, "--policy-require-console"),
        ({"policy_require_console": True}, {"policy_require_console": True}, ""),
        ({"policy_wait_seconds": "20"}, {}, "--policy-wait-seconds"),
        ({"policy_wait_seconds": "20"}, {"policy_wait_seconds": "20"}, ""),
        ({"sms_dry_run": True}, {}, "--sms-dry-run"),
        ({"sms_allow": "+36*"}, {"sms_allow": "+36*"}, ""),
        ({"sms_allow": "+36*"}, {"sms_allow": "+36*,+43*"}, "--sms-allow"),
        ({"audit_mask_typing": True}, {}, "--audit-mask-typing"),
        # These are narrowed for the calls of this process.
        ({"tools_off": "tap", "read_only": True, "toolsets_off": "sms"}, {}, ""),
        ({"port": "0"}, {}, ""),
    ],
)
def test_limits_of_a_command_line_hold_at_the_server_or_are_named(
    tmp_path: Path, flags: dict[str, Any], theirs: dict[str, Any], ignored: str
) -> None:
    environment = {"HANDHELD_HOME": str(tmp_path)}
    limits = json.loads(json.dumps(describe_limits(load(theirs, environment))))
    entry = OwnershipEntry("virtual", 1, "handheld serve", "2026", limits=limits)
    assert find_ignored(load(flags, environment), entry) == ignored


@pytest.mark.slow
def test_rules_that_would_not_hold_are_refused_at_the_start(
    shared_home: Home, served: Program
) -> None:
    # As a client's configuration may have them, which would show tools that it denies.
    for start in (("stdio",), ("call", "press_home")):
        for flag in (("--policy-deny", "tap"), ("--sms-dry-run",)):
            refused = shared_home.run(*start, "--phone", "virtual", *flag)
            assert (refused.returncode, refused.stdout) == (2, "")
            assert refused.stderr.startswith(f"handheld: {flag[0]} has no effect: `handheld serve")
    variable = Home(shared_home.folder, further={"HANDHELD_POLICY_DENY": "tap"})
    refused = variable.run("stdio", "--phone", "virtual")
    assert refused.stderr.startswith("handheld: HANDHELD_POLICY_DENY has no effect: ")


def test_request_urls_are_not_logged(shared_home: Home, served: Program) -> None:
    # A download URL may contain secrets.
    run = shared_home.run("call", "press_home", "--log-level", "debug")
    assert (run.returncode, "Going through" in run.stderr) == (0, True)
    assert "HTTP Request" not in run.stderr


def test_a_failed_call_prints_its_error(shared_home: Home, served: Program) -> None:
    run = shared_home.run("call", "tap", "x=5")
    assert (run.returncode, run.stdout, run.stderr) == (
        1,
        "",
        "handheld: Missing required parameter: 'y'\n",
    )


def test_an_unknown_tool_gets_suggestions(shared_home: Home, served: Program) -> None:
    run = shared_home.run("call", "press_hom")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(
        "handheld: There is no tool 'press_hom'. Did you mean android_press_h"
    )


@pytest.mark.slow
def test_a_picture_is_saved_to_the_given_folder(
    shared_home: Home, served: Program, tmp_path: Path
) -> None:
    folder = tmp_path / "pictures"
    arguments = ("call", "get_screen_state", "include_screenshot=true")
    run = shared_home.run(*arguments, "--save", str(folder))
    assert run.returncode == 0
    (file,) = folder.iterdir()
    assert run.stderr == f"Picture: {file}\n"
    assert file.name == "android_get_screen_state-1.jpg"
    assert file.read_bytes()[:3] == b"\xff\xd8\xff"
    run = shared_home.run(*arguments)
    assert re.fullmatch(
        r"A picture \(image/jpeg, \d+ bytes\) is part of the reply: --save FOLDER writes it to a "
        r"file\.\n",
        run.stderr,
    )


def test_tools_are_listed_as_clients_see_them(shared_home: Home, served: Program) -> None:
    plain = shared_home.run("tools")
    assert re.match(r"android_get_screen_state +Returns ", plain.stdout)
    listed = json.loads(shared_home.run("tools", "--json").stdout)
    assert [line.split()[0] for line in plain.stdout.splitlines()] == [
        tool["name"] for tool in listed
    ]
    tap = next(tool for tool in listed if tool["name"] == "android_tap")
    assert sorted(tap["inputSchema"]["properties"]) == ["x", "y"]
    assert tap["annotations"] == {
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": False,
        "openWorldHint": False,
    }


def test_a_slug_beside_a_running_server_is_said_to_have_no_effect(
    shared_home: Home, served: Program
) -> None:
    run = shared_home.run("tools", "--slug", "mine")
    assert re.match("android_get_screen_state ", run.stdout)
    assert re.fullmatch(
        r"--slug has no effect: `handheld serve --phone virtual` \(.*\) has the phone and names its"
        r" tools\.\n",
        run.stderr,
    )


@pytest.mark.slow
def test_a_process_that_goes_through_the_server_switches_toolsets_on_for_itself(
    shared_home: Home, served: Program
) -> None:
    usual, switched = (
        [line.split()[0] for line in shared_home.run("tools", *flags).stdout.splitlines()]
        for flags in ((), ("--toolsets-on", "diagnostics,fleet"))
    )
    assert [name for name in switched if name in usual] == usual
    more = [name for name in switched if name not in usual]
    assert more == [f"android_{tool.name}" for tool in diagnostics.tools]
    run = shared_home.run("call", "list_crashes", "--toolsets-on", "diagnostics")
    assert json.loads(run.stdout) == {
        "crashes": [],
        "note": "No crash is on record (Android keeps them 3 days).",
    }
    refused = shared_home.run("call", "list_crashes")
    assert refused.stderr == (
        "handheld: There is no tool 'list_crashes'. It is in the toolset diagnostics, which"
        " --toolsets-on diagnostics switches on.\n"
    )
    alone = shared_home.run(
        *("call", "list_crashes", "--toolsets-on", "diagnostics", "--tools-off", "list_crashes")
    )
    assert "There is no tool 'list_crashes'." in alone.stderr
    assert "--toolsets-on" not in alone.stderr
    costs = shared_home.run("tools", "--tokens").stdout.splitlines()
    [row] = [line for line in costs if line.startswith("diagnostics ")]
    assert "off; --toolsets-on diagnostics" in row


@pytest.mark.slow
def test_a_process_that_goes_through_the_server_keeps_its_own_policy(
    shared_home: Home, served: Program
) -> None:
    read_only = shared_home.run("tools", "--read-only", "--tools-off", "find_elements")
    names = [line.split()[0] for line in read_only.stdout.splitlines()]
    assert "android_get_screen_state" in names
    assert not {"android_tap", "android_find_elements"} & set(names)
    everything = shared_home.run("tools", "--all", "--read-only").stdout.splitlines()
    (tap,) = [line for line in everything if line.startswith("android_tap ")]
    assert tap.split(maxsplit=1)[1].startswith("(off) Performs a single tap")
    rows = json.loads(shared_home.run("tools", "--all", "--json", "--tools-off", "tap").stdout)
    optional = [tool.name for toolset in (*EXTRA, fleet) for tool in toolset.tools]
    assert [row["name"] for row in rows if row.get("off")] == [
        "android_tap",
        *(f"android_{name}" for name in optional),
    ]
    refused = shared_home.run("call", "tap", "x=1", "y=2", "--toolsets-off", "touch,gesture")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("handheld: There is no tool 'tap'.")
    with shared_home.start("stdio", "--surface", "main", "--read-only") as client:
        client.hello()
        assert client.ask("tools/call", name="android_press_home", arguments={}) == {
            "code": -32602,
            "message": "Unknown tool: android_press_home",
        }
        assert client.call("android_get_screen_state")[0] is False
    assert "Traceback" not in client.errors


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["stdio"], ["tools"]])
def test_a_policy_with_unknown_names_is_refused_before_the_start(
    home: Home, command: list[str]
) -> None:
    run = home.run(*command, "--phone", "virtual", "--tools-off", "tapp")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("handheld: tools.off names no tool 'tapp'. Near it: tap")


@pytest.mark.slow
def test_phones_are_listed_and_released(shared_home: Home, served: Program) -> None:
    run = shared_home.run("phones")
    assert run.returncode == 0
    serial, state, model = run.stdout.split(maxsplit=2)
    assert (state, model.strip()) == ("device", "Handheld Virtual")
    assert f"Phones of `handheld serve --phone virtual` (pid {served.process.pid}," in run.stderr
    shared_home.run("call", "get_screen_state")
    for expected in (
        f"{serial} is released: other programs may use UiAutomation until the next call.\n",
        f"Handheld was not using UiAutomation on {serial}.\n",
    ):
        run = shared_home.run("phones", "release", serial)
        assert (run.returncode, run.stdout, run.stderr) == (0, expected, "")


def test_a_second_server_reports_the_owner_of_the_phone(shared_home: Home, served: Program) -> None:
    run = shared_home.run("serve", "--phone", "virtual", "--port", "0")
    assert (run.returncode, run.stdout) == (1, "")
    assert re.fullmatch(
        rf"handheld: `handheld serve --phone virtual` \(pid {served.process.pid}, "
        r"http://127\.0\.0\.1:\d+\) has this phone\. Work through it, or stop it first\.\n",
        run.stderr,
    )


def test_a_second_server_reports_who_uses_its_port(shared_home: Home, served: Program) -> None:
    port = re.search(r":(\d+)\)", shared_home.run("phones").stderr)
    assert port is not None
    run = shared_home.run("serve", "--port", port[1])
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == (
        f"handheld: Port {port[1]} is in use by `handheld serve --phone virtual` (pid "
        f"{served.process.pid}, http://127.0.0.1:{port[1]}): stop it, or choose another port "
        "with --port.\n"
    )


def test_two_stdio_clients_share_the_phone_of_the_server(
    shared_home: Home, served: Program
) -> None:
    with (
        shared_home.start("stdio", "--surface", "main", "--phone", "virtual") as one,
        shared_home.start("stdio", "--surface", "main") as two,
    ):
        for client in (one, two):
            hello = client.hello()
            assert "Connected: 127.0.0.1:" in hello["instructions"]
            assert hello["capabilities"] == {"tools": {"listChanged": True}}
        assert one.call("android_press_home") == (False, "Home button press executed successfully")
        assert "pkg:com.android.launcher3" in two.call("android_get_screen_state")[1]
        assert two.ask("tools/call", name="android_nothing", arguments={}) == {
            "code": -32602,
            "message": "Unknown tool: android_nothing",
        }
        assert len(shared_home.phone_pids()) == 1
    assert "Traceback" not in one.errors + two.errors


@pytest.mark.slow
@pytest.mark.parametrize("flag", [[], ["--json"]])
def test_the_doctor_recognises_our_own_server(
    shared_home: Home, served: Program, flag: list[str]
) -> None:
    run = shared_home.run("doctor", "--phone", "virtual", "--port", "0", *flag)
    assert run.returncode == 0, run.stdout
    if not flag:
        assert (
            "ok       virtual: The virtual phone answers, and the helper starts on it.\n"
            in run.stdout
        )
        return
    findings = {one["subject"]: one for one in json.loads(run.stdout)}
    assert {subject: one["verdict"] for subject, one in findings.items()} == {
        "python": "ok",
        "token": "ok",
        "record": "ok",
        "approval": "ok",
        "port": "ok",
        "apps": "ok",
        "owner": "ok",
        "adb": "warning",
        "virtual": "ok",
    }
    assert findings["adb"]["mend"] == "apt-get install adb"
    assert findings["owner"]["sentence"].startswith("`handheld serve --phone virtual` (pid ")


def test_the_phones_of_every_server_are_listed(shared_home: Home, served: Program) -> None:
    with shared_home.start("serve", "--phone", "127.0.0.1:1", "--port", "0") as second:
        second.until("Handheld serves MCP at ")
        run = shared_home.run("phones")
        assert run.returncode == 0
        listed = [line.split()[1] for line in run.stdout.splitlines()]
        assert sorted(listed) == ["absent", "device"]
        heads = [line for line in run.stderr.splitlines() if line.startswith("Phones of ")]
        assert [str(one.process.pid) in "".join(heads) for one in (served, second)] == [True, True]


@pytest.mark.slow
def test_a_tool_for_models_is_called_through_the_server(shared_home: Home, served: Program) -> None:
    run = shared_home.run("call", "phone_press", "key=home")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("Pressed home.")


@pytest.mark.slow
def test_leases_are_listed_and_ended_through_the_server(home: Home) -> None:
    with home.start(
        "serve", "--phone", "virtual", "--port", "0", "--toolsets-on", "fleet"
    ) as serve:
        serve.until("^Handheld serves MCP at")
        run = home.run("lease", "list")
        assert (run.returncode, run.stdout, run.stderr) == (0, "", "No phone is leased.\n")
        taken = json.loads(home.run("call", "take_phone", "minutes=5").stdout)
        run = home.run("lease")
        assert re.fullmatch(
            rf"{taken['phone']}  handheld \(the owner's token\), \d\d:\d\d to \d\d:\d\d\n",
            run.stdout,
        )
        run = home.run("lease", "end", taken["phone"])
        assert run.stdout.endswith("by handheld (the owner's token) is ended.\n")
        run = home.run("call", "press_home")
        assert run.returncode == 1
        assert "the owner of the phone ended it" in run.stderr
        assert home.run("lease", "end", "attic").returncode == 1
        assert home.run("lease", "end").returncode == 2
