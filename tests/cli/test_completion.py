"""Shell completion, as the shells themselves do it."""

from pathlib import Path

import pytest

from cli.fake_adb import fake_adb
from cli.program import Home
from cli.shells import offers
from handheld.cli.arguments import COMMANDS
from handheld.cli.completion.command import phone_names
from handheld.cli.completion.tree import command_trees
from handheld.settings import load

SHELLS = [
    "bash",
    pytest.param("zsh", marks=pytest.mark.needs_shells),
    pytest.param("fish", marks=pytest.mark.needs_shells),
]
CASES = {
    "handheld ser": {"serve"},
    "handheld token ": {"show", "new", "list", "add", "revoke"},
    "handheld token add --exp": {"--expires"},
    "handheld serve --log-level ": {"error", "warning", "info", "debug"},
    "handheld serve --log-level=w": {"warning"},
    "handheld serve --phone ": {"virtual", "127.0.0.1:1"},
    "handheld serve --phone 127.0.0.1:": {"127.0.0.1:1"},
    "handheld phones release vi": {"virtual"},
    "handheld install vs": {"vscode", "vscode-insiders"},
    "handheld install cursor --yes lm": {"lm-studio"},
    "handheld call phone_t": {"phone_tap", "phone_type"},
    "handheld call long_c": {"long_click_element"},
    "handheld call --phone virtual phone_tap a": {"at="},
    "handheld tasks --category several": {"several apps"},
    "handheld steps export name no": {"notes.json"},
    "handheld serve --tls-cert=no": {"notes.json"},
    # No command or action is offered where it means something else.
    "handheld engine admit h": set[str](),
    "handheld serve --port ": set[str](),
    "handheld serve token ": set[str](),
    "handheld nonsense ": set[str](),
}
"""What a shell offers at the end of a line."""


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_offers_what_may_follow(shell: str, tmp_path: Path) -> None:
    home = Home(tmp_path, further={"HANDHELD_PHONE": "127.0.0.1:1"})
    assert offers(shell, home, [*CASES]) == CASES


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_offers_every_command_and_every_flag(shell: str, home: Home) -> None:
    flags = {
        f"handheld {command.name} --": {
            flag for argument in command.flags for flag in argument.flags if flag.startswith("--")
        }
        for command in command_trees()
    }
    found = offers(shell, home, ["handheld ", *flags])
    assert {line: found[line] for line in flags} == flags
    assert found["handheld "] - {"--help", "--version", "-h"} == {*COMMANDS}


async def test_phones_are_named_without_starting_an_adb_server(tmp_path: Path) -> None:
    (tmp_path / "handheld.toml").write_text(
        '[phones."R58M123ABC"]\nslug = "desk"\n', encoding="utf-8"
    )
    async with fake_adb() as adb:
        adb.show("R58M123ABC device usb:1-1", "adb-X (2)._adb-tls-connect._tcp offline")
        environment = {"HANDHELD_HOME": str(tmp_path), "ANDROID_ADB_SERVER_PORT": str(adb.port)}
        named = ["desk", "R58M123ABC", "adb-X (2)._adb-tls-connect._tcp", "virtual"]
        assert await phone_names(load({}, environment)) == named
        assert adb.requests == ["host:devices-l"]
    # Nothing listens there any more: the list is short, and nobody waits for it.
    assert await phone_names(load({}, environment)) == ["desk", "R58M123ABC", "virtual"]


def test_completion_without_a_shell_says_what_to_name(home: Home) -> None:
    run = home.run("completion")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "handheld: Name your shell: handheld completion bash\n"
