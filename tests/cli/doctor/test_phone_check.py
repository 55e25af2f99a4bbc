"""`handheld phones check`: each check on a virtual phone, and the report."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from cli.own_terminal import own_terminal
from cli.program import Home
from handheld.cli.commands.phone_check import check_phone
from handheld.cli.doctor.phone_checks import CHECKS, TEXT, Check, CheckOutcome, hide, run_check
from handheld.devices.opening import PhoneFactory
from handheld.phone.phone import Phone
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.notifications import Notification
from harness.phones import link_to

NAMES = [check.name for check in CHECKS]
UNSEEN = "Did the phone show on its screen that something was copied?"


class Answers:
    """Says yes, except to what is named."""

    def __init__(self, *no: str) -> None:
        self._no = no
        self.asked: list[str] = []

    async def confirms(self, question: str) -> bool:
        self.asked.append(question)
        return question not in self._no


@pytest.fixture
async def device() -> AsyncIterator[VirtualPhone]:
    async with VirtualPhone() as device:
        yield device


@pytest.fixture
async def phone(device: VirtualPhone) -> AsyncIterator[Phone]:
    make = PhoneFactory().make_phone
    async with link_to(device) as link, aclosing(make(link, ours=True)) as phone:
        yield phone


def named(name: str) -> Check:
    return next(check for check in CHECKS if check.name == name)


async def test_there_are_ten_and_a_virtual_phone_passes_them(
    device: VirtualPhone, phone: Phone, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world, clip = device.world, device.world.clipboard
    clip.copy("the owner's")
    note = Notification("com.android.settings", "A note", "its words", world.timers.now(), id=7)
    world.notifications.post(note)
    file = tmp_path / "report.md"
    assert await check_phone(phone, Answers(UNSEEN), file) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["ok", name] for name in NAMES]
    assert len(lines) == 10
    report = file.read_text(encoding="utf-8")
    assert [line.split(". ")[0] for line in report.splitlines()[-10:]] == [
        f"- {name}: ok" for name in NAMES
    ]
    assert "- maker: Handheld\n" in report
    assert clip.paste() == "the owner's"
    assert device.world.whereabouts.tests == {}
    for private in (phone.serial, TEXT, "the owner's", "its words", "com.android"):
        assert private not in report


@pytest.mark.parametrize(
    ("fault", "name", "outcome"),
    [
        ("refuse-helper", "helper", CheckOutcome.FAILED),
        ("refuse-helper", "camera", CheckOutcome.CANNOT),
        ("refuse-helper", "clipboard", CheckOutcome.CANNOT),
        ("refuse-input", "touch", CheckOutcome.FAILED),
        ("kill-dumps", "shell", CheckOutcome.FAILED),
        ("deny-activities", "touch", CheckOutcome.FAILED),
    ],
)
async def test_what_a_phone_does_not_do_is_told(
    device: VirtualPhone, phone: Phone, fault: str, name: str, outcome: CheckOutcome
) -> None:
    device.faults.set(fault)
    if name != "helper":
        await phone.driver.read_screen()
    result = await run_check(named(name), phone, Answers())
    assert (result.name, result.outcome) == (name, outcome)


async def test_without_a_notification_there_is_none_to_open(phone: Phone) -> None:
    result = await run_check(named("notification"), phone, Answers())
    assert result.outcome is CheckOutcome.CANNOT


async def test_what_the_person_refuses_is_not_done(device: VirtualPhone, phone: Phone) -> None:
    question = "Take a photo and a video of two seconds? Both are deleted."
    result = await run_check(named("camera"), phone, Answers(question))
    assert result.outcome is CheckOutcome.SKIPPED


async def test_what_was_seen_fails_the_check_of_the_clipboard(phone: Phone) -> None:
    assert (await run_check(named("clipboard"), phone, Answers())).outcome is CheckOutcome.FAILED


async def test_nothing_is_done_without_a_yes(
    device: VirtualPhone, phone: Phone, tmp_path: Path
) -> None:
    class No(Answers):
        async def confirms(self, question: str) -> bool:
            return False

    before, file = len(device.world.events), tmp_path / "report.md"
    assert await check_phone(phone, No(), file) == 0
    assert (file.exists(), len(device.world.events)) == (False, before)


async def test_an_interrupted_check_leaves_a_report_of_what_was_done(
    phone: Phone, tmp_path: Path
) -> None:
    begun = asyncio.Event()

    async def wait(_: Phone, __: object) -> str:
        begun.set()
        await asyncio.Event().wait()
        return ""

    async def pass_(_: Phone, __: object) -> str:
        return "Done."

    checks = (Check("one", "", pass_), Check("two", "", wait), Check("three", "", pass_))
    file = tmp_path / "report.md"
    running = asyncio.create_task(check_phone(phone, Answers(), file, checks))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert file.read_text(encoding="utf-8").splitlines()[-3:] == [
        "- one: ok. Done.",
        "- two: not done",
        "- three: not done",
    ]


@pytest.mark.slow
def test_a_virtual_phone_is_checked_at_a_terminal(home: Home) -> None:
    with own_terminal(home, "phones", "check", "--phone", "virtual") as terminal:
        for question, answer in (
            ("Begin", "y"),
            ("Open the newest notification", "y"),
            ("Take a photo", "n"),
            ("something was copied", "n"),
        ):
            terminal.until(question)
            terminal.until(": $")
            terminal.type(f"{answer}\n")
        code, shown = terminal.end()
    assert code == 0, shown
    found = re.findall(r"^(ok|failed|cannot|skipped) +(\w+) ", shown, re.MULTILINE)
    assert found == [("skipped" if name == "camera" else "ok", name) for name in NAMES]
    assert (home.folder / "phone-check.md").read_text(encoding="utf-8").count("\n- ") == 16


@pytest.mark.slow
def test_ctrl_c_leaves_a_report_of_what_was_done(home: Home) -> None:
    with own_terminal(home, "phones", "check", "--phone", "virtual") as terminal:
        terminal.until("Begin[^:]*: $")
        terminal.type("y\n")
        terminal.until("Open the newest notification[^:]*: $")
        terminal.type("\x03")
        code, shown = terminal.end()
    assert code != 0
    assert "Traceback" not in shown
    lines = (home.folder / "phone-check.md").read_text(encoding="utf-8").splitlines()
    assert lines[-10].startswith("- helper: ok. ")
    assert lines[-9:] == [f"- {name}: not done" for name in NAMES[1:]]


def test_without_a_terminal_it_is_refused(home: Home) -> None:
    done = home.run("phones", "check", "--phone", "virtual")
    assert (done.returncode, "asks you at a terminal" in done.stderr) == (2, True)


def test_what_a_failure_quotes_and_names_is_hidden() -> None:
    assert hide("Failed to open application 'com.bank.app': it is not installed.") == (
        "Failed to open application <…>"
    )
    assert hide("org.x.y was started. com.bank/.Main is there.") == (
        "<app> was started. <app> is there."
    )
    assert hide("It failed. Android said: from Ada, +49 170 1234567.") == "It failed. Android <…>"
