"""Every example of the documents, run against the server."""

import json
import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.scenery import Scenery, open_scenery
from server.stage import Stage, Switch, open_switch

from .extraction import Example, count_requests, examples, find_document
from .pairs import FIRST, MAIN, Pair
from .rules import Substitution, substitute, substitute_in
from .scenes import a_long_file
from .shape import compact, is_instance, matches, misfit, value_at

DOCUMENTS = {"002": ("/mcp/v1/tools/call", FIRST), "004": ("/mcp", MAIN)}
"""Where the requests of a document are sent, and their expected replies."""

Row = tuple[str, Example, Pair]


def rows() -> list[Any]:
    found: list[Any] = []
    for number, (path, pairs) in DOCUMENTS.items():
        for example in examples(find_document(number)):
            for turn, pair in enumerate(pairs.get(example.key, ()), 1):
                id = f"{number} {example.key}" + (f" reply {turn}" if turn > 1 else "")
                found.append(pytest.param((path, example, pair), id=id))
    return found


@pytest.fixture(scope="module")
async def switch() -> AsyncGenerator[tuple[Switch, httpx.AsyncClient]]:
    async with open_switch() as opened:
        yield opened


@pytest.fixture
async def scenery(
    switch: tuple[Switch, httpx.AsyncClient], tmp_path: Path
) -> AsyncGenerator[Scenery]:
    async with open_scenery(*switch, tmp_path) as opened:
        yield opened


@pytest.mark.parametrize("number", DOCUMENTS)
def test_every_documented_request_has_its_pair(number: str) -> None:
    document = find_document(number)
    found = examples(document)
    assert len(found) == count_requests(document)
    assert {example.key for example in found} == set(DOCUMENTS[number][1])


@pytest.mark.parametrize("strict", [False, True], ids=["", "strict"])
@pytest.mark.parametrize("row", rows())
async def test_an_example_has_the_documented_reply(
    row: Row, scenery: Scenery, strict: bool
) -> None:
    path, example, pair = row
    substitutions = await pair.scene(scenery)
    reply = await ask(scenery.stage, path, example, substitutions, strict=strict)
    if pair.documented is not None:
        documented = substitute_in(example.replies[pair.documented], substitutions)
        # The earlier surface has no other form.
        if path != "/mcp" or not strict:
            documented = pair.rewrite(documented)
        compare(reply, documented, pair)
    content = reply["result"]["content"]
    if pair.output is not None:
        [item] = content
        assert item["type"] == "text"
        documented = compact(substitute_in(example.outputs[pair.output], substitutions))
        compare(item["text"], documented, pair)
    if pair.text is not None:
        assert content == [{"type": "text", "text": substitute(pair.text, substitutions)}]
        if pair.documented is None and pair.output is None:
            assert any(is_instance(pair.text, sentence) for sentence in example.texts)


async def ask(
    stage: Stage, path: str, example: Example, names: list[Substitution], *, strict: bool = False
) -> Any:
    """Send the request as documented, without a handshake or session, with the headers of curl;
    `strict`: and with one that asks for documented replies alone."""
    headers = {"content-type": "application/json", "accept": "*/*"}
    headers |= {"x-handheld-strict": "true"} if strict else {}
    body = substitute(example.body, names).encode()
    answer = await stage.passing(stage.http.post(path, content=body, headers=headers))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    return answer.json()


def compare(actual: Any, documented: Any, pair: Pair) -> None:
    if pair.whole:
        assert actual == documented
        return
    assert misfit(actual, documented) == ""
    for path in pair.determined:
        assert matches(value_at(actual, path), value_at(documented, path)), path


# Texts that are not JSON


@pytest.fixture
def main_document() -> dict[str, Example]:
    return {example.key: example for example in examples(find_document("004"))}


ROW = re.compile(
    r"node_[0-9a-f]{1,8}_w(?P<window>\d+)\t[^\t]+\t[^\t]+\t[^\t]+\t[^\t]+"
    r"\t-?\d+,-?\d+,-?\d+,-?\d+\t(on|off)(,clk)?(,lclk)?(,foc)?(,scr)?(,edt)?(,ena)?"
    r"(?P<states>(,(un)?chk)?(,sel)?(,inf)?(,pwd)?(,hint)?(,exp|,col)?)"
)
STATES = " chk=checked unchk=unchecked sel=selected inf=inputFocus"
"""How the note on flags goes on after the documented words."""


@pytest.mark.parametrize("strict", [False, True], ids=["", "strict"])
@pytest.mark.parametrize("number", [1, 2])
async def test_a_screen_has_the_documented_lines(
    main_document: dict[str, Example], scenery: Scenery, number: int, strict: bool
) -> None:
    example = main_document[f"android_get_screen_state {number}"]
    [pair] = MAIN[example.key]
    substitutions = await pair.scene(scenery)
    reply = await ask(scenery.stage, "/mcp", example, substitutions, strict=strict)
    documented = substitute_in(example.replies[number - 1], substitutions)
    actual, expected = (each["result"]["content"][0]["text"] for each in (reply, documented))
    lines, wanted = actual.split("\n"), expected.split("\n")
    assert lines[2].count(STATES) == (0 if strict else 1)
    lines[2] = lines[2].partition(STATES)[0]
    header = next(line for line in wanted if line.startswith("--- "))
    columns = wanted[wanted.index(header) + 1]
    # Up to the windows every line is documented, unless replaced by dots.
    start = next(place for place, line in enumerate(lines) if line.startswith("--- "))
    head = wanted[: wanted.index(header)]
    assert lines[:start] == head if "..." not in head else set(head) - {"..."} <= set(lines[:start])
    # The documented window is that of the app; the bars have their own windows.
    assert header in lines
    sections = [place for place, line in enumerate(lines) if line.startswith("--- ")]
    assert [lines[place + 1] for place in sections] == [columns] * len(sections)
    table = [line for line in lines[start:] if line != columns and not line.startswith("--- ")]
    rows = list(map(ROW.fullmatch, table))
    assert [line for line, row in zip(table, rows, strict=True) if row is None] == []
    assert not strict or {row["states"] for row in rows if row} == {""}
    for row in wanted[wanted.index(columns) + 1 :]:
        if row != "...":
            assert row.count("\t") == columns.count("\t")
            assert ROW.fullmatch(row), row
    if number == 1:
        seven = next(row for row in wanted if "digit_7" in row).split("\t")
        assert seven[1:5] in [line.split("\t")[1:5] for line in table]


async def test_a_page_of_two_lines_is_as_documented(
    main_document: dict[str, Example], scenery: Scenery
) -> None:
    """The documented reply belongs to the documented request with a smaller limit."""
    example = main_document["android_read_file 1"]
    await a_long_file(scenery)
    request = example.request
    request["params"]["arguments"]["limit"] = 2
    assert await scenery.stage.post("/mcp", request) == example.replies[0]


async def test_written_content_is_in_the_file(
    main_document: dict[str, Example], scenery: Scenery
) -> None:
    """The examples on one file, in the order of the document."""
    for tool in ("write_file", "append_file", "file_replace"):
        example = main_document[f"android_{tool} 1"]
        assert await scenery.stage.post("/mcp", example.request) == example.replies[0]
    content = scenery.stage.device.files.read("/storage/emulated/0/Download/notes/todo.txt")
    assert content == b"Buy organic groceries\nWalk the dog\nFeed the cat"


# The comparison itself


@pytest.mark.parametrize(
    ("actual", "documented", "difference"),
    [
        ({"a": 1, "b": 2}, {"a": 0, "b": 0}, ""),
        ({"b": 1, "a": 2}, {"a": 0, "b": 0}, ""),
        ('{"b":1,"a":2}', '{"a":0,"b":0}', "reply> has ['b', 'a'], documented are ['a', 'b']"),
        ({"a": 1}, {"a": 0, "b": 0}, "reply has ['a'], documented are ['a', 'b']"),
        ({"a": True}, {"a": 0}, "reply.a is True, documented is 0"),
        ({"a": None}, {"a": 0}, "reply.a is None, documented is 0"),
        ({"a": "x"}, {"a": None}, ""),
        ({"a": []}, {"a": None}, "reply.a is []"),
        ([], [1], "reply is empty"),
        ([1, "x"], [1], "reply[1] is 'x', documented is 1"),
        ([1, "x"], [1, "y"], ""),
        ('{"a":1}', '{"a": 0}', ""),
        ('{"a": 1}', '{"a":0}', "reply is no compact JSON: '{\"a\": 1}'"),
        ('{"a":"x"}', '{"a":0}', "reply>.a is 'x', documented is 0"),
        ("plain", '{"a":0}', "reply is no compact JSON: 'plain'"),
    ],
)
def test_different_forms_are_detected(actual: Any, documented: Any, difference: str) -> None:
    assert misfit(actual, documented) == difference


def test_sentences_with_names_are_recognised() -> None:
    sentence = "Typed N characters at offset M in element '<element_id>'.\nField content: <content>"
    assert is_instance(
        "Typed 9 characters at offset 5 in element 'x'.\nField content: a b", sentence
    )
    assert not is_instance("Typed 9 characters at offset 5 in element 'x'.", sentence)
    assert matches("/9j/4AAQ", "/9j/4A...<base64>")
    assert not matches("iVBOR", "/9j/4A...<base64>")
    assert json.loads(value_at({"a": '{"b":["{}"]}'}, ("a", "b", 0))) == {}
