"""The pages by task do what they say: their commands run in order, from the pages' own text.

A block `sh` has commands, one a line; those that run until Ctrl-C go on to the end of the page, or
until another server of the phones is started. A block `toml` becomes handheld.toml. A block `text`
is in what the last command says, with `…` for anything; a command may fail only if one follows it.
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from bench.ports import keep_port

from cli.own_terminal import run_at_terminal
from cli.program import ADB_ALONE, Home, Program, need_adb
from harness.polling import HANG

GUIDES = Path(__file__).resolve().parents[2] / "docs" / "guides"
EXAMPLES = GUIDES.parents[1] / "examples"
BLOCK = re.compile(r"^```(sh|toml|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LASTING = {
    "virtual": "Virtual phone",
    "serve": "serve[sd].* MCP",
    "host": "console of this host",
    "gateway": "It serves MCP",
    "engine run": "",
    "engine admit": ".",
}
"""The commands that do not end by themselves, with what they say once they are ready."""


@dataclass
class Session:
    home: Home
    stack: ExitStack
    running: dict[str, ExitStack] = field(default_factory=dict[str, ExitStack])
    said: str = ""
    program: Program | None = None
    """The one that was started last, unless a command was run since."""
    failed: str = ""
    code: str = "CODE"
    """What lets a computer join."""

    def play(self, page: str) -> None:
        for kind, body in BLOCK.findall(page):
            if kind == "toml":
                settings = self.home.folder / "handheld" / "handheld.toml"
                settings.parent.mkdir(exist_ok=True)
                settings.write_text(body, encoding="utf-8")
            elif kind == "text":
                self.hear(r"[\s\S]*?".join(map(as_pattern, body.splitlines())))
                self.failed = ""
            else:
                for line in body.splitlines():
                    self.do(line)
        assert not self.failed

    def do(self, line: str) -> None:
        assert not self.failed, "A command failed, and the page does not say so."
        program, *words = shlex.split(line.replace("CODE", self.code), comments=True)
        assert program == "handheld", line
        lasting = " ".join(words[: 1 + (words[0] == "engine")])
        if lasting in LASTING:
            self.start(words)
            self.hear(LASTING[lasting])
            if lasting == "engine admit":
                self.code = self.said.strip()
            return
        if words[:2] == ["apps", "approve"]:  # which asks
            code, self.said = run_at_terminal(self.home, *words, typed="y")
        else:
            run = self.home.run(*words)
            code, self.said = run.returncode, run.stdout + run.stderr
        self.program = None
        self.failed = f"{line}: {self.said}" if code else ""

    def start(self, words: list[str]) -> None:
        # A computer's phones have one server.
        place = "serve" if words[0] in ("serve", "host") else " ".join(words)
        if before := self.running.get(place):
            before.close()
        here = self.running[place] = self.stack.enter_context(ExitStack())
        self.program, self.said = here.enter_context(self.home.start(*words)), ""
        if words == ["engine", "run"]:
            errors = self.program.process.stderr
            assert errors is not None
            assert any(b"Server is ready" in line for line in errors)

    def hear(self, pattern: str) -> None:
        """Wait until the last command has said this."""
        while not re.search(pattern, self.said):
            assert self.program, f"{pattern!r} is not in:\n{self.said}"
            heard = self.program.line()
            assert heard, f"It ended without saying {pattern!r}: {self.said}{self.program.ended()}"
            self.said += heard + "\n"


def as_pattern(line: str) -> str:
    return "[^\n]*".join(re.escape(part) for part in line.split("…"))


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@contextmanager
def at_a_phone(home: Home) -> Generator[str]:
    """The address of a virtual phone."""
    with home.start("virtual", "--port", "0") as phone:
        yield phone.until(r"^adb connect (.+)$")[1]


def play(home: Home, name: str, replaced: dict[str, str], left_out: tuple[str, ...] = ()) -> None:
    """Run a page with other words than its own, and without the lines that begin so."""
    page = (GUIDES / f"{name}.md").read_text(encoding="utf-8")
    assert [words for words in (*replaced, *left_out) if words not in page] == []
    port, sms_port = str(keep_port()), str(keep_port())
    usual = {"8080": port, "9531": sms_port, "examples/": f"{EXAMPLES}/"}
    for old, new in (replaced | usual).items():
        page = page.replace(old, new)
    page = "".join(line for line in page.splitlines(True) if not line.startswith(left_out))
    ports = {"HANDHELD_PORT": port, "HANDHELD_SMS_PORT": sms_port}
    with ExitStack() as stack:
        Session(replace(home, further={**home.further, **ports}), stack).play(page)


@pytest.mark.matrix
@pytest.mark.parametrize("name", ["approval", "privacy", "sms"])
def test_the_guide_does_what_it_says(home: Home, name: str) -> None:
    play(home, name, {})


@pytest.mark.matrix
def test_the_guide_to_tools_of_apps_does_what_it_says(home: Home) -> None:
    play(home, "app-tools", {"5600": str(keep_port())})


@pytest.mark.matrix
def test_the_guide_to_ci_does_what_it_says(home: Home) -> None:
    with at_a_phone(home) as address:
        play(home, "ci", {"emulator-5554": address, "python3": sys.executable})


@pytest.mark.needs_adb
def test_the_guide_to_wifi_does_what_it_says(home: Home) -> None:
    """All but pairing, which neither the virtual phone nor Debian's adb can, and the cable."""
    adb = need_adb()
    home = replace(home, adb_port=keep_port(), further={"PATH": str(Path(adb).parent), **ADB_ALONE})
    with at_a_phone(home) as address:
        addresses = {"192.168.1.20:5555": address, "192.168.1.20:37099": address}
        try:
            play(home, "wifi", addresses, left_out=("handheld pair", "adb tcpip"))
        finally:
            subprocess.run([adb, "kill-server"], env=home.environment, check=True, timeout=HANG)


@pytest.mark.needs_adb
def test_the_guide_to_the_phone_itself_does_what_it_says(home: Home) -> None:
    """All but pairing, and what Termux does: test_termux.py."""
    adb = need_adb()
    home = replace(home, adb_port=keep_port(), further={"PATH": str(Path(adb).parent), **ADB_ALONE})
    with at_a_phone(home) as address:
        termux = ("handheld pair", "pkg", "pip", "termux-wake-lock")
        try:
            play(home, "on-the-phone", {"127.0.0.1:37099": address}, left_out=termux)
        finally:
            subprocess.run([adb, "kill-server"], env=home.environment, check=True, timeout=HANG)


@pytest.mark.needs_nats
def test_the_guide_to_a_lab_does_what_it_says(home: Home) -> None:
    from fleet.nats.lab import keep_node, nats_server

    server = nats_server() or pytest.fail("nats-server is not installed: make test WHAT=fleet")
    one, two = (str(keep_port()) for _ in range(2))
    # The host and the gateway are on one machine here.
    members = {"engine.example.com": keep_node().address, "host --join": "host --port 0 --join"}
    home = replace(home, further={"PATH": str(server.parent)})
    play(home, "lab", {"5600": one, "5601": two, **members})


def test_every_guide_is_played() -> None:
    played = {"approval", "privacy", "sms", "app-tools", "ci", "wifi", "on-the-phone", "lab"}
    assert {page.stem for page in GUIDES.glob("*.md")} == played
