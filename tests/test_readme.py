"""Every command of the README, and the first one of every other page, does what it says: it is
executed on a virtual phone, in a fresh home folder, or a rule gives the reason why not. A command
that no rule knows fails here. The guides are played by tests/cli/test_guides.py."""

import asyncio
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from bench.installing import Sandbox, ask_demo

from cli.fake_adb import fake_adb
from cli.program import Home, left_running
from handheld.cli.arguments import COMMANDS, parse
from harness.polling import HANG
from harness.readme_commands import find_commands, find_mentions

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    page
    for page in (ROOT / "README.md", ROOT / "docs/install.md", ROOT / "docs/commands.md")
    if page.exists()
]
FIRST = [page for page in sorted((ROOT / "docs").glob("*.md")) if page.name != "settings.md"]
"""Pages whose first command is executed; the settings' page is generated, and has none."""
APP = ROOT / "docs" / "virtual-apps.md"
AGENT = "print('done')\n"
"""An agent that does nothing, as `my_agent.py`."""
ADDRESS = "192.168.1.20:37099"
SCENE = """
[[notifications]]
app = "Messages"
title = "A draft"
text = "Shall we meet?"
buttons = ["Send"]
"""
"""What is on the phone beside its apps."""


class Rule(NamedTuple):
    pattern: str
    """Of commands, from their beginning; the first rule that fits applies."""
    why_not: str = ""
    """Why it is not executed."""
    before: Sequence[str] = ()
    """Commands that bring the phone to where this one makes sense."""
    after: Sequence[str] = ()
    until: str = ""
    """It goes on until it is stopped: what it prints when it works."""
    further: Sequence[str] = ()
    """Arguments that make it shorter, or answer what it would ask."""
    says: str = ""
    """What it prints when it works, where its exit code tells something else."""
    slow: bool = False


RULES = (
    Rule("make demo", "see below"),
    Rule("make ", "it builds or tests this repository; that it has the target is checked"),
    Rule("git clone", "it needs a network; make bench WHAT=first clones this repository"),
    Rule("cd ", "it is the shell's own"),
    Rule("(python3? -m )?pip install|pipx |uvx |uv ", "it needs a network: make test WHAT=install"),
    Rule(r"(\S+/)?python -m hatchling build", "make test WHAT=install does it"),
    Rule("claude |codex |gemini |code |cursor ", "it is a program of others"),
    Rule("adb ", "it needs adb, whose tests connect to a virtual phone: .ci/run"),
    Rule("docker |podman |brew |npx |npm ", "it is a program of others, and needs a network"),
    Rule("curl ", "it needs curl, and a server: see below"),
    Rule("ssh-keygen ", "it needs a release: tests/release"),
    Rule("man ", "it needs man, which tests/cli/test_manual.py runs"),
    Rule(
        r"eval |mkdir |echo |handheld completion \w+ >|source ",
        "it is the shell's own; tests/cli/test_completion.py asks shells",
    ),
    Rule("handheld (host|gateway|engine)", "it needs an engine: make test WHAT=fleet"),
    Rule("handheld pair", "a person reads the code on the phone; tests/cli/test_wireless.py"),
    Rule("handheld$", "it asks a person; tests/cli/test_overview.py"),
    Rule("handheld (approve$|apps approve)", "it asks a person; tests/cli/test_person.py"),
    Rule("handheld demo", until="A virtual phone is served over MCP at ", slow=True),
    Rule("handheld serve.* --surface sms", until="The sms surface is served", slow=True),
    Rule("handheld serve", until="Handheld serves MCP at ", slow=True),
    Rule("handheld stdio", slow=True),
    Rule("handheld virtual", until="^Virtual phone ", slow=True),
    Rule("handheld record", further=["--phone", "virtual", "--seconds", "1"], slow=True),
    Rule("handheld doctor", says="virtual: The virtual phone answers", slow=True),
    Rule("handheld tasks run", further=["newsletter"], says=" of 1 succeeded", slow=True),
    Rule(
        "handheld call phone_tap at=Send",
        before=["call phone_press key=notifications"],
        after=["call phone_press key=home"],
    ),
    Rule("handheld stop", after=["stop --release"]),
    Rule(r"handheld install \S", further=["--yes"]),
    Rule("handheld "),
)
PLACES = {
    "SERIAL": "virtual",
    "PHONE": "virtual",
    "ID": "com.android.externalstorage.documents/primary:Download",
    ADDRESS: ADDRESS,
    "5600": "0",
}
"""What a command means by a word, on the computer of a test."""


def known_commands() -> list[str]:
    """As a user who has installed it types them; a page may name where a clone has it."""
    found = [command for page in PAGES for command in find_commands(_read(page))]
    found += [command for page in FIRST for command in find_commands(_read(page))[:1]]
    return list(dict.fromkeys(command.removeprefix(".venv/bin/") for command in found))


def _read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def rule_of(command: str) -> Rule:
    found = next((rule for rule in RULES if re.match(rule.pattern, command)), None)
    assert found is not None, f"No rule says what to do with {command!r}."
    return found


def words_of(command: str) -> list[str]:
    """Its arguments, without the name of the program."""
    _, *words = shlex.split(command)
    words = [PLACES.get(word, word) for word in words]
    open_places = [word for word in words if re.fullmatch(r"[A-Z][A-Z:_.|]+", word)]
    assert not open_places, f"Nothing says what {open_places} in {command!r} means."
    return words


def test_the_readme_types_programs_as_a_clone_has_them() -> None:
    """Nothing is published: `handheld` alone is not in anybody's PATH."""
    programs = {command.split()[0] for command in find_commands(_read(ROOT / "README.md"))}
    assert programs == {"make", ".venv/bin/handheld"}


def executed(*, slow: bool) -> list[str]:
    rules = {command: rule_of(command) for command in known_commands()}
    return [each for each, rule in rules.items() if not rule.why_not and rule.slow == slow]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "python").symlink_to(sys.executable)
    (tmp_path / "my_agent.py").write_text(AGENT, encoding="utf-8")
    (tmp_path / "scene.toml").write_text(SCENE, encoding="utf-8")
    app = _read(APP).split("```python\n")[1].partition("```")[0]
    (tmp_path / "hello.py").write_text(app, encoding="utf-8")
    home = Home(
        tmp_path, further={"PATH": str(tools), "HANDHELD_PORT": "0", "HANDHELD_SMS_PORT": "0"}
    )
    yield home
    assert left_running(tmp_path) == {}


def test_a_rule_says_what_to_do_with_every_command() -> None:
    commands = known_commands()
    assert len(commands) > 10
    for command in commands:
        if rule_of(command).why_not == "" and command.startswith("handheld "):
            words_of(command)


async def test_the_commands_of_the_readme_work(home: Home) -> None:
    """Those that take a moment, on one phone that is served, one after the other."""
    failed: dict[str, str] = {}
    async with fake_adb() as adb:
        adb.answers[f"host:connect:{ADDRESS}"] = f"connected to {ADDRESS}"
        adb.show(f"{ADDRESS} device")
        served = Home(home.folder, adb.port, home.further)
        with served.start("serve", "--phone", "virtual", "--scene", "scene.toml") as server:
            await asyncio.to_thread(server.until, "Handheld serves MCP at ")
            for command in executed(slow=False):
                rule = rule_of(command)
                whole = shlex.join([*words_of(command), *rule.further])
                for line in (*rule.before, whole, *rule.after):
                    run = await asyncio.to_thread(served.run, *shlex.split(line))
                    if run.returncode or "Traceback" in run.stderr:
                        failed[f"{command}: {line}"] = f"{run.returncode} {run.stderr}"
    assert failed == {}


@pytest.mark.matrix
@pytest.mark.parametrize("command", executed(slow=True))
def test_a_longer_command_of_the_readme_works(command: str, home: Home) -> None:
    rule, words = rule_of(command), words_of(command)
    if words[0] == "stdio":
        with home.start(*words) as program:
            assert program.hello()["serverInfo"]["name"] == "handheld"
    elif rule.until:
        with home.start(*words, end=signal.SIGINT) as program:
            program.until(rule.until)
        assert program.process.returncode == 0
        assert "Traceback" not in program.errors
    else:
        run = home.run(*words, *rule.further)
        assert run.returncode == 0 or rule.says, run.stderr
        assert rule.says in run.stdout
        assert "Traceback" not in run.stderr


def test_the_targets_of_make_are_there() -> None:
    commands = [command for command in known_commands() if command.startswith("make ")]
    mentioned = [span for page in PAGES for span in find_mentions(_read(page))]
    commands += [span for span in mentioned if re.fullmatch(r"make [a-z-]+( [A-Z]+=\S+)*", span)]
    targets = sorted({word for line in commands for word in line.split()[1:] if "=" not in word})
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert [one for one in targets if not re.search(rf"^{one}:", makefile, re.MULTILINE)] == []


def test_every_mentioned_command_line_is_one() -> None:
    """Also those in sentences, with or without the name of the program."""
    wrong: list[str] = []
    for span in dict.fromkeys(span for page in PAGES for span in find_mentions(_read(page))):
        name, *words = span.removeprefix(".venv/bin/").split()
        if name == "handheld" and words:
            name, *words = words
        elif not words:
            continue
        if name not in COMMANDS or not words:
            continue
        try:
            parse(shlex.split(" ".join((name, *words))))
        except SystemExit:
            wrong.append(span)
    assert wrong == []


@pytest.mark.matrix
def test_make_demo_serves_a_phone_to_a_new_user(tmp_path: Path) -> None:
    ask_demo(Sandbox(tmp_path), ["make"], cwd=ROOT)


def test_the_python_of_the_readme_ends_on_the_screen_that_it_shows() -> None:
    page = _read(ROOT / "README.md")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (screen,) = re.findall(r"looks at the screen:\n\n```\n(.*?)\n```", page, re.DOTALL)
    shown = f"    assert str(phone.look()) == {screen!r}\n"
    exec(compile(example + shown, "README.md", "exec"), {})


@pytest.mark.needs_shells
@pytest.mark.parametrize(
    ("page", "shown"), [("clients.md", '"Calculator'), ("v1.md", "com.android.launcher3")]
)
def test_the_curl_command_of_a_page_works(home: Home, page: str, shown: str) -> None:
    commands = find_commands(_read(ROOT / "docs" / page))
    (command,) = [one for one in commands if one.startswith("curl ")]
    with home.start("serve", "--phone", "virtual") as server:
        url = server.until(r"Handheld serves MCP at (\S+)/mcp/agent")[1]
        line = command.replace("http://127.0.0.1:8080", url)
        program = f"$({shlex.quote(sys.executable)} -m handheld "
        line = re.sub(r"\$\(\S*handheld ", lambda _: program, line)
        run = subprocess.run(
            ["sh", "-c", line],
            env={**home.environment, "PATH": os.environ["PATH"]},
            capture_output=True,
            encoding="utf-8",
            timeout=HANG,
            check=False,
        )
    assert run.returncode == 0, run.stderr
    assert shown in run.stdout.replace("\\", "")
