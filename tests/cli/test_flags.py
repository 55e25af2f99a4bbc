"""The flags of every command: as declared, as parsed and as documented."""

import re
from argparse import SUPPRESS
from collections import defaultdict
from pathlib import Path

from handheld.cli.arguments import build_parser
from handheld.settings import options

SETTINGS_PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"
OPTIONS = {option.dest: option for option in options()}


def parsed_flags() -> dict[str, set[str]]:
    """The flags that each command takes."""
    return {
        name: {
            flag
            for action in command._actions
            if action.dest != "help" and action.help != SUPPRESS
            for flag in action.option_strings
        }
        for name, command in build_parser()[1].items()
    }


def documented_flags() -> dict[str, set[str]]:
    """The flags that docs/settings.md gives for each command, in its two tables."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for line in SETTINGS_PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 4 and "<br>`--" in cells[0]:
            for command in cells[3].split(", "):
                found[command].add(cells[0].rpartition("<br>")[2].strip("`"))
        elif len(cells) == 3 and cells[1].startswith("`--"):
            found[cells[0].strip("`")].update(re.findall("`(.+?)`", cells[1]))
    return found


def test_the_docs_list_exactly_the_flags_of_every_command() -> None:
    parsed = {name: flags for name, flags in parsed_flags().items() if flags}
    assert documented_flags() == parsed
    assert "--audit-mask-screens" in parsed["serve"]


def test_every_command_takes_exactly_the_options_declared_for_it() -> None:
    taken = {
        name: {action.dest: action.option_strings for action in command._actions}
        for name, command in build_parser()[1].items()
        if name != "virtual"  # which has no settings
    }
    assert {name for option in OPTIONS.values() for name in option.commands} <= set(taken)
    for name, actions in taken.items():
        declared = {
            dest: [option.flag] for dest, option in OPTIONS.items() if name in option.commands
        }
        assert {dest: flags for dest, flags in actions.items() if dest in OPTIONS} == declared


def test_every_option_is_taken_by_some_command() -> None:
    assert [option.key for option in OPTIONS.values() if not option.commands] == []
