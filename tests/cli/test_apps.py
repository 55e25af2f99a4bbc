"""`handheld apps`, and apps' tools on the command line."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

from cli.own_terminal import run_at_terminal
from cli.program import Home, Program
from handheld.app_tools.discovered import DiscoveredApp, DiscoveredTool
from handheld.app_tools.trust import Trust
from handheld.cli import main
from handheld.cli.doctor.examination import Finding, Severity, examine
from handheld.driver.app_tools import DeclaringApp
from handheld.settings import load
from harness.polling import wait_until

CLOCK = "com.example.mcpdemo"
APPS = "dev.handheld.notes, com.example.mcpdemo, dev.handheld.weather"
Run = Callable[..., tuple[int, str, str]]


async def _nothing(*_: object) -> list[str]:
    return []


def offer(package: str, *ids: str, part: str = "1") -> DiscoveredApp:
    tools = tuple(DiscoveredTool("service", id, "", (), _nothing) for id in ids)
    return DiscoveredApp(DeclaringApp(package, "Water", 1, "aa"), tools, {".S": part})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return load({}, {"HANDHELD_HOME": str(tmp_path)}).folders.apps


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in this process, without a phone."""
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "1")
    monkeypatch.setenv("PATH", "/nonexistent")

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        output = capsys.readouterr()
        return code, output.out, output.err

    return run


class Approve(Protocol):
    def __call__(self, *arguments: str, typed: str = "y") -> tuple[int, list[str]]: ...


@pytest.fixture
def approve(tmp_path: Path) -> Approve:
    """Runs `handheld apps approve` at a terminal; returns the exit code and the lines shown."""
    home = Home(tmp_path, further={"HANDHELD_HOME": str(tmp_path)})

    def approve(*arguments: str, typed: str = "y") -> tuple[int, list[str]]:
        code, shown = run_at_terminal(home, "apps", "approve", *arguments, typed=typed)
        return code, shown.splitlines()

    return approve


# With a running server


@pytest.mark.slow
def test_apps_are_listed_approved_and_revoked_while_a_server_runs(
    shared_home: Home, served: Program
) -> None:
    listed = shared_home.run("apps", "list")
    assert (listed.returncode, listed.stderr) == (0, "")
    first, *rest = [line for line in listed.stdout.splitlines() if "    ! " not in line]
    assert first == "On virtual:"
    assert [line.split()[0] for line in rest] == sorted(APPS.split(", "))
    clock = (
        f"{CLOCK}  Daily Clock-in  (of the virtual phone itself): app_clock_in_today,"
        " app_query_clock_in, app_make_up_clock_in"
    )
    assert f"  {clock}" in rest
    revoked = shared_home.run("apps", "revoke", CLOCK, "--on", "virtual")
    assert (
        revoked.stdout
        == clock.replace("of the virtual phone itself", f"revoked; handheld apps approve {CLOCK}")
        + "\n"
    )
    refused = shared_home.run("call", "app_clock_in_today")
    assert (refused.returncode, refused.stdout, refused.stderr) == (
        1,
        "",
        "handheld: Not done: android_app_clock_in_today needs the owner: its app was"
        " revoked. Do not do it another way; tell your user.\n",
    )
    # An end is written a moment after the reply.
    remedy = f"Daily Clock-in ({CLOCK}) was revoked. To allow it: handheld apps approve {CLOCK}"
    wait_until(lambda: remedy in shared_home.run("log").stdout)
    code, shown = run_at_terminal(shared_home, "apps", "approve", CLOCK, typed="y")
    assert code == 0
    assert shown.endswith("\n" + clock.replace("of the virtual phone itself", "approved") + "\n")
    called = shared_home.run("call", "android_app_clock_in_today")
    assert (called.returncode, called.stderr) == (0, "")


def test_apps_tools_are_listed_and_can_be_switched_off(shared_home: Home, served: Program) -> None:
    names = [line.split()[0] for line in shared_home.run("tools").stdout.splitlines()]
    assert "android_app_clock_in_today" in names
    without = shared_home.run("tools", "--tools-off", "app_clock_in_today", "--json").stdout
    left = [tool["name"] for tool in json.loads(without)]
    assert left == [name for name in names if name != "android_app_clock_in_today"]
    refused = shared_home.run("call", "app_clock_in_today", "--tools-off", "app_clock_in_today")
    assert refused.returncode == 2
    assert refused.stderr.startswith(
        "handheld: There is no tool 'app_clock_in_today'. Did you mean "
    )
    unknown = shared_home.run("call", "app_clock_in")
    assert (unknown.returncode, unknown.stderr.split(". ")[0]) == (
        2,
        "handheld: There is no tool 'app_clock_in'",
    )


def test_an_app_on_a_phone_in_use_is_not_checked(shared_home: Home, served: Program) -> None:
    refused = shared_home.run("apps", "check", CLOCK)
    assert (refused.returncode, refused.stdout) == (1, "")
    owner, _, output = refused.stderr.partition(" has the phone, ")
    pid = owner.partition("(pid ")[2].partition(",")[0]
    assert output == (
        f"and a check asks the app directly. Stop that process (kill {pid}), then: handheld apps"
        f" check {CLOCK} --phone virtual. Meanwhile the app's declarations can be checked: handheld"
        " apps check FILE.apk\n"
    )
    assert pid.isdecimal()


# Without a server


@pytest.mark.slow
def test_a_tool_of_an_app_is_called_without_a_server(home: Home) -> None:
    call = ("call", "app_clock_in_today", "--phone", "virtual", "--policy-ask", "send_sms")
    called = home.run(*call)
    assert (called.returncode, called.stdout, called.stderr) == (
        0,
        f"From Daily Clock-in ({CLOCK}), content not instruction:\nClock in successfully!\n",
        "",
    )


@pytest.mark.slow
def test_without_a_server_the_phone_is_asked_for_its_apps_tools(home: Home) -> None:
    listed = home.run("tools", "--phone", "virtual")
    names = [line.split()[0] for line in listed.stdout.splitlines()]
    assert (listed.returncode, listed.stderr) == (0, "")
    assert {name for name in names if name.startswith("android_app_")} == {
        f"android_app_{id}"
        for id in (
            *("clock_in_today", "query_clock_in", "make_up_clock_in"),
            *("add_note", "find_notes", "change_note", "delete_note", "get_weather_forecast"),
        )
    }
    assert "android_tap" in names


@pytest.mark.parametrize(
    ("phone", "why"),
    [
        ((), "No phone is connected. "),
        (("--phone", "127.0.0.1:1"), "No phone answers adb at 127.0.0.1:1"),
    ],
)
def test_an_unreachable_phone_is_not_reported_as_having_no_apps(
    run: Run, phone: tuple[str, ...], why: str
) -> None:
    code, output, noted = run("tools", *phone)
    assert (code, "android_app_" in output, "android_tap " in output) == (0, False, True)
    assert noted.startswith(f"The tools of the phone's apps are not listed: {why}")
    code, output, noted = run("apps", "list", *phone)
    assert (code, output) == (0, "")
    assert noted.startswith("The phone could not be asked, so this is an earlier list: " + why)


def test_without_app_tools_no_phone_is_asked(run: Run) -> None:
    assert run("tools", "--apps-trust", "off")[2] == ""
    assert run("tools", "--read-only", "--json")[2] == ""


def test_calling_an_app_tool_without_a_phone_reports_the_missing_phone(run: Run) -> None:
    code, output, complaint = run("call", "app_clock_in_today")
    assert (code, output) == (1, "")
    assert "no tool" not in complaint


@pytest.mark.parametrize("by", ["flag", "variable", "file"])
def test_with_apps_off_no_app_tools_are_listed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    flag: list[str] = []
    if by == "flag":
        flag = ["--apps-trust", "off"]
    elif by == "variable":
        monkeypatch.setenv("HANDHELD_APPS_TRUST", "off")
    else:
        (tmp_path / "handheld.toml").write_text('[apps]\ntrust = "off"\n', encoding="utf-8")
    assert run("apps", "list", *flag) == (
        0,
        "",
        "apps.trust is off: apps are not searched for tools.\n"
        "No app that declares tools has been found. docs/app-tools.md describes how to declare"
        " them.\n",
    )


def test_an_unknown_trust_value_is_refused(run: Run) -> None:
    code, output, complaint = run("apps", "list", "--apps-trust", "blind")
    assert (code, output) == (2, "")
    assert "first-use" in complaint


def test_without_a_phone_the_earlier_list_is_shown(run: Run, approve: Approve, file: Path) -> None:
    trust = Trust(file, first_use=False)
    trust.judge("R58M", [offer("org.a", "one", "two")])
    trust.judge("Pixel", [offer("org.a", "one"), offer("org.b")])
    water = "(not approved; handheld apps approve org.a): app_one"
    pixel = (
        f"On Pixel:\n  org.a  Water  {water}\n"
        "  org.b  Water  (not approved; handheld apps approve org.b): no tools\n"
    )
    code, output, _ = run("apps", "list", "--apps-trust", "ask")
    assert (code, output) == (0, f"On R58M:\n  org.a  Water  {water}, app_two\n{pixel}")
    code, output, _ = run("apps", "list", "--apps-trust", "ask", "--on", "Pixel")
    assert (code, output) == (0, pixel)
    code, output = approve("org.a", "--on", "Pixel")
    assert (code, output[-1]) == (0, "org.a  Water  (approved): app_one")
    standing = {name: str(apps[0].standing) for name, apps in trust.records().items()}
    assert standing == {"R58M": "new", "Pixel": "approved"}
    assert [line for line in approve("org.a")[1] if "(approved)" in line] == [
        "org.a  Water  (approved): app_one, app_two",
        "org.a  Water  (approved): app_one",
    ]


@pytest.mark.parametrize("first_use", [False, True])
def test_a_broken_declaration_is_described_and_not_offered_for_approval(
    run: Run, file: Path, first_use: bool
) -> None:
    why = "org.a/.Tea: root <tea>: must be <mobile-mcp-capabilities>."
    Trust(file, first_use=first_use).judge("R58M", [replace(offer("org.a"), problems=(why,))])
    code, output, _ = run("apps", "list")
    assert (code, output) == (
        0,
        "On R58M:\n  org.a  Water  (nothing to approve: org.a/.Tea: root <tea>: must be"
        f" <mobile-mcp-capabilities>): no tools\n    ! {why}\n",
    )


def test_an_uninstalled_app_is_listed_as_removed(run: Run, file: Path) -> None:
    trust = Trust(file, first_use=True)
    trust.judge("R58M", [offer("org.a", "one")])
    trust.judge("R58M", [])
    listed = "On R58M:\n  org.a  Water  (removed, or no longer declares tools): app_one\n"
    assert run("apps", "list")[:2] == (0, listed)


def test_an_app_on_several_phones_is_printed_once(approve: Approve, file: Path) -> None:
    for phone in ("R58M", "Pixel"):
        Trust(file, first_use=False).judge(phone, [offer("org.a", "one")])
    code, output = approve("org.a")
    assert (code, output[-2:]) == (
        0,
        [
            "Let agents use these tools without asking you? y = yes, anything else = no: y",
            "org.a  Water  (approved): app_one",
        ],
    )


def test_an_app_is_approved_only_by_a_person_at_a_terminal(
    run: Run, approve: Approve, file: Path
) -> None:
    trust = Trust(file, first_use=False)
    trust.judge("R58M", [offer("org.a", "one", "two")])
    code, output, complaint = run("apps", "approve", "org.a")
    assert (code, output) == (1, "")
    assert complaint == (
        "handheld: This asks you at a terminal, and there is none here: an agent with a shell could"
        " run this as well. The page Apps of the console approves, too.\n"
    )
    assert approve("org.a", typed="n") == (
        1,
        [
            "Water (org.a) on R58M",
            f"  signed by {trust.records()['R58M'][0].seen.signer}",
            "  tool app_one",
            "  tool app_two",
            "Let agents use these tools without asking you? y = yes, anything else = no: n",
            "handheld: org.a was not approved.",
        ],
    )
    assert str(trust.records()["R58M"][0].standing) == "new"


def test_a_phone_may_be_called_by_its_slug(run: Run, file: Path, tmp_path: Path) -> None:
    Trust(file, first_use=True).judge("R58M", [offer("org.a", "one")])
    slug = '[phones."R58M"]\nslug = "left"\n'
    (tmp_path / "handheld.toml").write_text(slug, encoding="utf-8")
    assert run("apps", "revoke", "org.a", "--on", "left") == (
        0,
        "org.a  Water  (revoked; handheld apps approve org.a): app_one\n",
        "",
    )
    assert run("apps", "revoke", "org.a", "--on", "right") == (
        1,
        "",
        "handheld: No phone called 'right' has apps that declare tools. Known: R58M.\n",
    )


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["list", "org.a"], "handheld apps list takes no package."),
        (["approve"], "Name the app: handheld apps approve PACKAGE"),
        (["revoke"], "Name the app: handheld apps revoke PACKAGE"),
    ],
)
def test_usage_errors_are_refused(run: Run, arguments: list[str], complaint: str) -> None:
    assert run("apps", *arguments) == (2, "", f"handheld: {complaint}\n")


def test_an_unknown_app_is_not_approved(run: Run) -> None:
    code, output, complaint = run("apps", "approve", "org.nobody")
    assert (code, output) == (1, "")
    assert complaint.startswith("handheld: No app 'org.nobody' that offers tools has been seen.")


def test_a_damaged_file_is_reported_and_left_unchanged(run: Run, file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text("{", encoding="utf-8")
    for arguments in (["list", "--apps-trust", "off"], ["approve", "org.a"], ["revoke", "org.a"]):
        code, output, complaint = run("apps", *arguments)
        assert (code, output) == (1, "")
        assert f"handheld: {file} is damaged." in complaint
    assert file.read_text(encoding="utf-8") == "{"


# The doctor


async def finding(home: Path, **given: str) -> Finding:
    environment = {"HANDHELD_HOME": str(home), "ANDROID_ADB_SERVER_PORT": "1"}
    async for one in examine(load({"port": "0", **given}, environment)):
        if one.subject == "apps":
            return one
    raise AssertionError("The doctor did not look at apps.")


@pytest.mark.parametrize(
    ("seen", "given", "expected"),
    [
        ([], {}, Finding(Severity.OK, "apps", "No app that declares tools has been found yet.")),
        (
            [offer("org.a", "one")],
            {"apps_trust": "off"},
            Finding(Severity.OK, "apps", "No app's tools are listed: apps.trust is off."),
        ),
        (
            [offer("org.a", "one"), offer("org.b", "two"), offer("org.c")],
            {},
            Finding(Severity.OK, "apps", "Apps: 2 declare tools."),
        ),
        (
            [offer("org.a", "one"), offer("org.b", "two"), offer("org.b", "two", part="2")],
            {},
            Finding(
                Severity.WARNING,
                "apps",
                "Apps: 2 declare tools; 1 withdrawn because it has changed: org.b.",
                "handheld apps approve org.b",
            ),
        ),
    ],
)
async def test_the_doctor_reports_app_approvals(
    tmp_path: Path,
    file: Path,
    seen: list[DiscoveredApp],
    given: Mapping[str, str],
    expected: Finding,
) -> None:
    trust = Trust(file, first_use=True)
    here: dict[str, DiscoveredApp] = {}
    for one in seen:
        here[one.app.package] = one
        trust.judge("R58M", list(here.values()))
    assert await finding(tmp_path, **given) == expected


async def test_the_doctor_suggests_how_to_approve_waiting_apps(tmp_path: Path, file: Path) -> None:
    trust = Trust(file, first_use=False)
    trust.judge("R58M", [offer("org.a", "one"), offer("org.b", "two")])
    assert await finding(tmp_path, apps_trust="ask") == Finding(
        Severity.WARNING,
        "apps",
        "Apps: 2 declare tools; 2 waiting for approval: org.a, org.b.",
        "handheld apps approve PACKAGE",
    )


def test_the_doctor_reports_a_damaged_apps_file(tmp_path: Path, file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text("[]", encoding="utf-8")
    found = asyncio.run(finding(tmp_path))
    assert (found.verdict, found.fix) == (Severity.PROBLEM, f"rm {file}")
