"""Java's validator of XML schemas says of a descriptor what `handheld apps check` says of it."""

import copy
import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from handheld.app_formats.schemas import DESCRIPTOR, FOLDER
from handheld.app_tools.check.declared import check_service
from handheld.app_tools.check.finding import Severity
from handheld.app_tools.check.findings import Findings
from handheld.driver.app_tools import DeclaringApp, DeclaringService

pytestmark = pytest.mark.needs_java

WHOLE = """<mobile-mcp-capabilities version="1.0">
  <capability id="brew_tea" description="Brews a cup of tea." version="1">
    <input>
      <param name="minutes" type="int" required="true" description="How long"/>
      <param name="note" type="String" required="false" description=""/>
    </input>
    <output><param name="cups" type="long" description="How many"/></output>
  </capability>
  <capability id="empty_pots" description="Pours it away." version="2"><output/></capability>
</mobile-mcp-capabilities>"""
WORDS = (
    *(
        "",
        " ",
        "\n",
        "\u00a0",
        "x",
        "brew_tea",
        "minutes",
        "note",
        "a b",
        "é",
        "yes",
        "TRUE",
        "true",
    ),
    *("false", "1.0", "1.1", "int", "date", "x" * 64, "x" * 65, "x" * 200, "x" * 201),
)
TAGS = ("mobile-mcp-capabilities", "mcp", "capability", "input", "output", "param", "hint")


def variants() -> Iterator[Element]:
    """Every small change of the descriptor, then several at once."""
    whole = ElementTree.fromstring(WHOLE)
    for element in whole.iter():
        element.text = element.tail = None
    yield whole
    count = len(list(whole.iter()))
    for number in range(count):
        for change in changes(list(whole.iter())[number]):
            yield changed(whole, [(number, change)])
    chosen = random.Random(1)
    for _ in range(300):
        places = [chosen.randrange(count) for _ in range(2)]
        pairs = [(at, chosen.choice(list(changes(list(whole.iter())[at])))) for at in places]
        yield changed(whole, pairs)
    for number in (0, 2):  # of capabilities, and of parameters
        for most in (99, 100, 101, 199, 200, 201):
            many = copy.deepcopy(whole)
            place = list(many.iter())[number]
            child = place[0]
            for one in list(place):
                place.remove(one)
            for index in range(most):
                added = copy.deepcopy(child)
                added.set("name" if child.tag == "param" else "id", f"n{index}")
                place.append(added)
            yield many


def changes(element: Element) -> Iterator[Callable[[Element], object]]:
    for name in (*element.attrib, "other"):
        for word in WORDS:
            yield lambda one, name=name, word=word: one.set(name, word)
    for name in element.attrib:
        yield lambda one, name=name: one.attrib.pop(name, None)
    for tag in TAGS:
        yield lambda one, tag=tag: setattr(one, "tag", tag)
        yield lambda one, tag=tag: one.append(Element(tag))
    yield lambda one: one.extend(copy.deepcopy(child) for child in list(one)[:1])
    yield lambda one: [one.remove(child) for child in list(one)[:1]]
    yield reverse


def reverse(element: Element) -> None:
    children = list(element)
    for child in children:
        element.remove(child)
    element.extend(reversed(children))


def changed(whole: Element, pairs: list[tuple[int, Callable[[Element], object]]]) -> Element:
    new = copy.deepcopy(whole)
    places = list(new.iter())
    for number, change in pairs:
        change(places[number])
    return new


def findings_of(descriptor: Element) -> list[str]:
    """Without what says that a type is nobody's: the schema allows any."""
    app = DeclaringApp("org.example.tea", "Tea", 1, "")
    service = DeclaringService(app, "org.example.tea.Tea", True, None, "Tea", "Tea.", descriptor)
    findings = Findings()
    check_service(findings, service)
    return [
        f"{one.subject}: {one.sentence}"
        for one in findings
        if one.verdict is not Severity.OK and "which nobody has agreed on" not in one.sentence
    ]


def test_the_schema_and_the_check_find_the_same_descriptors_right(tmp_path: Path) -> None:
    paths: list[Path] = []
    found: list[list[str]] = []
    for number, descriptor in enumerate(variants()):
        paths.append(tmp_path / f"{number}.xml")
        # As Android reads it, too: from the text, with what that does to spaces in attributes.
        ElementTree.ElementTree(descriptor).write(paths[-1], encoding="utf-8")
        found.append(findings_of(ElementTree.parse(paths[-1]).getroot()))
    program = Path(__file__).with_name("Validate.java")
    run = subprocess.run(
        ["java", str(program), str(FOLDER / DESCRIPTOR), *map(str, paths)],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=True,
    )
    judged = run.stdout.strip().split("\n")  # a message may quote other ends of lines
    assert len(judged) == len(paths)
    assert judged[0] == "valid"
    assert sum(line == "valid" for line in judged) > 20
    differences = [
        f"{path.read_text(encoding='utf-8')}\n  schema: {line}\n  check: {said or 'nothing'}"
        for path, line, said in zip(paths, judged, found, strict=True)
        if (line == "valid") != (not said)
    ]
    assert not differences, "\n".join(differences)
