"""A person at a terminal: `handheld` alone, and a start without a phone."""

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from cli.fake_adb import fake_adb
from cli.program import Home, Program, zygote
from cli.zygote import Forked
from handheld.cli.doctor.examination import Finding, Severity, examine_briefly
from handheld.cli.overview import describe, find_choices
from handheld.devices.ownership import OwnershipEntry
from handheld.settings import load
from harness.polling import HANG

NEVER = "(?!)"
QUESTION = "Type a number, or only Enter to leave."
DEMO, DOCTOR, HELP = "handheld demo", "handheld doctor", "handheld --help"
LOOK, CONSOLE, SERVE = "handheld call phone_look", "handheld console --open", "handheld serve"


class Terminal:
    def __init__(self, handle: int, program: Forked) -> None:
        self._handle = handle
        self.program = program
        self.printed = ""

    def until(self, pattern: str) -> str:
        """Read until the pattern is printed, or to the end with NEVER; return what was read."""
        begun = len(self.printed)
        while not re.search(pattern, self.printed[begun:]):
            assert select.select([self._handle], [], [], HANG)[0], self.printed
            try:
                data = os.read(self._handle, 65536)
            except OSError:  # as Linux reports the end of a terminal
                data = b""
            if not data:
                assert pattern == NEVER, f"{pattern} is not in {self.printed}"
                break
            self.printed += data.decode().replace("\r\n", "\n")
        return self.printed[begun:]

    def type(self, line: str, end: str = "\n") -> None:
        os.write(self._handle, f"{line}{end}".encode())

    def end(self) -> int:
        self.until(NEVER)
        return self.program.wait(HANG)


@contextlib.contextmanager
def at_terminal(home: Home, *arguments: str) -> Generator[Terminal]:
    ours, theirs = pty.openpty()
    program = zygote().fork(arguments, home.environment, home.folder, (theirs, theirs, theirs))
    os.close(theirs)
    try:
        yield Terminal(ours, program)
    finally:
        program.kill()
        os.close(ours)


@pytest.fixture
def free_ports(tmp_path: Path) -> Generator[Home]:
    """A home whose servers take any free port."""
    home = Home(tmp_path, further={"HANDHELD_PORT": "0"})
    yield home
    assert home.left_behind() == []


def test_handheld_alone_shows_what_is_wrong_and_offers_a_virtual_phone(free_ports: Home) -> None:
    with at_terminal(free_ports) as terminal:
        shown = terminal.until(QUESTION)
        assert shown.startswith("Handheld ")
        assert re.search(r"^problem  adb: .*adb is not installed", shown, re.MULTILINE)
        choices = re.findall(r"^  (\d)  .*?  (handheld .*)$", shown, re.MULTILINE)
        assert choices == [("1", DEMO), ("2", DOCTOR), ("3", HELP)]
        for wrong in ("4", "x"):
            terminal.type(wrong)
            assert f"There is no choice '{wrong}'." in terminal.until(QUESTION)
        terminal.type("3")
        assert terminal.end() == 0
    assert "usage: handheld" in terminal.printed


@pytest.mark.parametrize("typed", ["", "\x04"])
def test_an_empty_line_or_none_leaves(home: Home, typed: str) -> None:
    with at_terminal(home) as terminal:
        terminal.until(QUESTION)
        terminal.type(typed)
        assert terminal.end() == 0


@pytest.mark.matrix
def test_the_first_choice_starts_a_virtual_phone(free_ports: Home) -> None:
    with at_terminal(free_ports) as terminal:
        terminal.until(QUESTION)
        terminal.type("1")
        terminal.until("A virtual phone is served over MCP at http://")
        terminal.program.send_signal(signal.SIGINT)
        assert terminal.end() == 0


def test_ctrl_c_at_the_question_ends_quietly(home: Home) -> None:
    with at_terminal(home) as terminal:
        terminal.until(QUESTION)
        terminal.program.send_signal(signal.SIGINT)
        assert terminal.end() == 130
    assert "Traceback" not in terminal.printed


def test_ctrl_c_ends_it_also_after_a_part_of_a_line(home: Home) -> None:
    with at_terminal(home) as terminal:
        terminal.until(QUESTION)
        terminal.type("3\x04", end="")  # Ctrl-D hands over the line without its end
        terminal.until("3")
        terminal.program.send_signal(signal.SIGINT)
        assert terminal.end() == 130


def test_lines_that_are_pasted_at_once_are_answers_one_after_the_other(home: Home) -> None:
    with at_terminal(home) as terminal:
        terminal.until(QUESTION)
        terminal.type("9\nx\n3")
        assert terminal.end() == 0
    assert re.findall("There is no choice '(.)'", terminal.printed) == ["9", "x"]
    assert "usage: handheld" in terminal.printed


def test_without_a_terminal_handheld_alone_prints_its_help(home: Home) -> None:
    run = home.run()
    assert (run.returncode, run.stderr) == (2, "")
    assert run.stdout.startswith("usage: handheld ")


def test_wrong_settings_are_what_handheld_alone_reports(home: Home) -> None:
    (home.folder / "handheld").mkdir()
    (home.folder / "handheld" / "handheld.toml").write_text("prot = 1\n", encoding="utf-8")
    with at_terminal(home) as terminal:
        assert terminal.end() == 2
    assert "unknown key 'prot'. Did you mean port?" in terminal.printed


@pytest.mark.slow
def test_handheld_alone_offers_to_look_at_a_phone_that_is_served(
    shared_home: Home, served: Program
) -> None:
    with at_terminal(shared_home) as terminal:
        shown = terminal.until(QUESTION)
        assert "owner: `handheld serve --phone virtual`" in shown
        assert f"  1  Look at the phone's screen as an agent does   {LOOK}\n" in shown
        terminal.type("1")
        assert terminal.end() == 0
    assert '"Calculator"' in terminal.printed


async def test_phones_are_listed_briefly_without_being_opened(tmp_path: Path) -> None:
    async with fake_adb() as adb:
        adb.show("A device usb:1-1 model:Pixel_7", "B unauthorized usb:1-2")
        environment = {"HANDHELD_HOME": str(tmp_path), "ANDROID_ADB_SERVER_PORT": str(adb.port)}
        findings = [finding async for finding in examine_briefly(load({}, environment))]
        assert adb.requests == ["host:version", "host:devices-l"]
    shown = [str(finding.sentence) for finding in findings if finding.subject == "phone"]
    assert shown == ["A (Pixel 7) is connected.", "The phone B has not allowed this computer yet."]
    assert SERVE in [choice.command for choice in find_choices(findings, [])]


FINE = Finding(Severity.OK, "phone", "A is connected.")
WRONG = Finding(Severity.WARNING, "phones", "No phone is connected.")
UNUSED = Finding(Severity.OK, "python", "Python.")


def owner(selection: str, url: str = "http://127.0.0.1:1") -> OwnershipEntry:
    return OwnershipEntry(selection, 1, "handheld serve", "", url)


@pytest.mark.parametrize(
    ("findings", "owners", "offered"),
    [
        ([], [], [DEMO, HELP]),
        ([WRONG], [], [DEMO, DOCTOR, HELP]),
        ([FINE], [], [SERVE, DEMO, HELP]),
        ([FINE], [owner("")], [LOOK, CONSOLE, DEMO, HELP]),
        ([], [owner("virtual")], [LOOK, CONSOLE, HELP]),
        ([], [owner("virtual"), owner("A")], [HELP]),
        ([], [owner("virtual", url="")], [HELP]),
    ],
)
def test_what_is_offered_depends_on_what_there_is(
    findings: Sequence[Finding], owners: Sequence[OwnershipEntry], offered: Sequence[str]
) -> None:
    assert [choice.command for choice in find_choices(findings, owners)] == offered


def test_only_phones_owners_and_what_is_wrong_are_shown() -> None:
    assert describe([UNUSED, FINE, WRONG]) == [FINE, WRONG]


@pytest.mark.parametrize("command", ["serve", "stdio"])
def test_a_person_who_starts_without_a_phone_has_the_choice(free_ports: Home, command: str) -> None:
    with at_terminal(free_ports, command) as terminal:
        shown = terminal.until(QUESTION)
        assert "adb is not installed" in shown
        assert f"  1  Use a virtual phone               handheld {command} --phone virtual" in shown
        assert f"  2  Wait for a phone to be connected  handheld {command}\n" in shown
        terminal.type("")
        assert terminal.end() == 0


@pytest.mark.parametrize("command", ["serve", pytest.param("stdio", marks=pytest.mark.matrix)])
def test_a_person_may_start_with_a_virtual_phone(free_ports: Home, command: str) -> None:
    with at_terminal(free_ports, command) as terminal:
        terminal.until(QUESTION)
        terminal.type("1")
        terminal.until("Phone .* is connected")
        terminal.program.send_signal(signal.SIGTERM)
        assert terminal.end() == 0


@pytest.mark.slow
def test_a_person_may_wait_for_a_phone(free_ports: Home) -> None:
    with at_terminal(free_ports, "serve") as terminal:
        terminal.until(QUESTION)
        terminal.type("2")
        terminal.until("Phones connected later are picked up automatically")
        terminal.program.send_signal(signal.SIGTERM)
        assert terminal.end() == 0


@pytest.mark.slow
def test_handheld_alone_imports_nothing_that_speaks_to_phones(home: Home) -> None:
    code = (
        "import sys, handheld.cli.overview\n"
        "rooms = {'driver', 'helper', 'phone', 'calls', 'app_tools.app_tools', 'tools.tool'}\n"
        "print({f'handheld.{room}' for room in rooms} & sys.modules.keys())"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=home.environment,
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=True,
    )
    assert run.stdout == "set()\n"
