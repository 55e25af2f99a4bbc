"""Every verb of the helper protocol exists in all places that must know it.

Read from the sources, so that neither Java nor a phone is needed.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from handheld.helper.protocol import KEYED, VERBS, WAKING
from handheld_virtual.reference_helper.commands.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[3]
JAVA = ROOT / "helper/src/main/java/dev/handheld/helper/commands"


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def called(file: Path, *functions: str) -> Iterator[str]:
    """Yield the first string among the arguments of each call to one of these functions."""
    for node in ast.walk(ast.parse(read(file))):
        match node:
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=arguments):
                if name in functions:
                    texts = (one.value for one in arguments if isinstance(one, ast.Constant))
                    yield from [text for text in texts if isinstance(text, str)][:1]
            case _:
                pass


def in_document() -> set[str]:
    table = read(ROOT / "docs/helper-protocol.md").partition("\n## Commands\n")[2]
    return set(re.findall(r"^\| `(\w+)` \|", table.partition("\n\n##")[0], re.MULTILINE))


def in_driver() -> set[str]:
    files = (ROOT / "src/handheld/driver/by_helper").glob("*.py")
    return {verb for file in files for verb in called(file, "_call")}


def in_java() -> set[str]:
    """The names of the commands that the dispatcher creates."""
    classes = re.findall(r"^ +new (\w+)\(.*\),$", read(JAVA / "Commands.java"), re.MULTILINE)
    return {
        name
        for command in classes
        for name in re.findall(r'\bsuper\("(\w+)", Lane\.', read(JAVA / f"{command}.java"))
    }


def in_contract() -> set[str]:
    files = Path(__file__).parent.glob("test_*.py")
    return {verb for file in files for verb in called(file, "call", "do", "timed")}


def test_every_verb_is_in_every_place() -> None:
    verbs = set(VERBS)
    places = {
        "docs/helper-protocol.md": in_document(),
        "HelperDriver": in_driver(),
        "handheld_virtual/reference_helper/commands/commands.py": set(COMMANDS),
        "Commands.java": in_java(),
        "tests/contract": in_contract(),
    }
    missing = {place: sorted(verbs - found) for place, found in places.items() if verbs - found}
    assert missing == {}
    # Contract tests also call what does not exist.
    del places["tests/contract"]
    unknown = {place: sorted(found - verbs) for place, found in places.items() if found - verbs}
    assert unknown == {}, "not in the `Verb` of helper/protocol.py"


def test_waking_and_keyed_verbs_are_verbs() -> None:
    assert set(VERBS) >= WAKING | KEYED
