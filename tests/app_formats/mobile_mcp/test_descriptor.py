import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.app_formats.mobile_mcp import (
    BadDescriptor,
    Capability,
    CapabilityParameter,
    Descriptor,
    DescriptorProblem,
    parse_descriptor,
)

WHOLE = """<?xml version="1.0" encoding="utf-8"?>
<mobile-mcp-capabilities version="1.0">
  <capability id="find" description="Find a note." version="2">
    <input>
      <param name="words" type="string" required="true" description="What it says" />
      <param name="most" type="int" required="false" description="" />
    </input>
    <output><param name="count" type="long" description="How many" /></output>
  </capability>
  <capability id="ping" description="Answer." version="1" />
</mobile-mcp-capabilities>"""


def wrap(content: str, root: str = 'mobile-mcp-capabilities version="1.0"') -> str:
    return f"<{root}>{content}</{root.split()[0]}>"


def test_a_descriptor_is_read_whole() -> None:
    assert parse_descriptor(WHOLE, "notes") == Descriptor(
        (
            Capability(
                "find",
                "Find a note.",
                "2",
                (
                    CapabilityParameter("words", "string", "What it says", required=True),
                    CapabilityParameter("most", "int", ""),
                ),
                (CapabilityParameter("count", "long", "How many"),),
            ),
            Capability("ping", "Answer.", "1"),
        )
    )


@pytest.mark.parametrize(
    ("root", "words"),
    [
        ("mobile-mcp-capabilities", 'has no version; it must be version="1.0"'),
        (
            'mcp version="1.0"',
            "is the name of an early draft; it must be <mobile-mcp-capabilities>",
        ),
    ],
)
def test_drafts_are_read_with_a_warning(root: str, words: str) -> None:
    read = parse_descriptor(wrap('<capability id="a" description="b" version="1"/>', root), "x.xml")
    assert read.capabilities == (Capability("a", "b", "1"),)
    assert read.problems == (
        DescriptorProblem("x.xml", f"root <{root.split()[0]}>", words, tolerated=True),
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "x.xml: document: is not XML: no element found: line 1, column 0"),
        ("<a", "x.xml: document: is not XML: unclosed token: line 1, column 0"),
        (
            "<capabilities/>",
            "x.xml: root <capabilities>: must be <mobile-mcp-capabilities>",
        ),
        (
            wrap("", 'mobile-mcp-capabilities version="1.1"'),
            "x.xml: root <mobile-mcp-capabilities>: has version '1.1', of which only '1.0' is"
            " known",
        ),
        (
            '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
            "x.xml: document: has a document type, which is not allowed",
        ),
        (" " * 300_000, "x.xml: document: is longer than 262144 characters"),
    ],
)
def test_an_invalid_descriptor_is_reported_with_the_reason(text: str, sentence: str) -> None:
    with pytest.raises(BadDescriptor) as caught:
        parse_descriptor(text, "x.xml")
    assert str(caught.value) == sentence


PARAM = '<param name="n" type="string" required="true" description="d"/>'


@pytest.mark.parametrize(
    ("content", "element", "message"),
    [
        ('<capability description="d" version="1"/>', "capability 1", "has no id"),
        ('<capability id=" " description="d" version="1"/>', 'capability " "', "has an empty id"),
        ('<capability id="a" version="1"/>', 'capability "a"', "has no description"),
        ('<capability id="a" description="d"/>', 'capability "a"', "has no version"),
        (
            f'<capability id="a" description="d" version="1"><input>{PARAM}{PARAM}</input>'
            "</capability>",
            'input of capability "a"',
            'has two parameters "n"',
        ),
        (
            '<capability id="a" description="d" version="1"><input>'
            '<param name="n" type="string" description="d"/></input></capability>',
            'param 1 of input of capability "a"',
            "has no required",
        ),
        (
            '<capability id="a" description="d" version="1"><input>'
            '<param name="n" type="string" required="yes" description="d"/></input></capability>',
            'param 1 of input of capability "a"',
            'has required="yes"; it must be "true" or "false"',
        ),
        (
            '<capability id="a" description="d" version="1"><output>'
            '<param type="string" description="d"/></output></capability>',
            'param 1 of output of capability "a"',
            "has no name",
        ),
        (
            '<capability id="a" description="d" version="1"><input/><input/></capability>',
            'capability "a"',
            "has more than one <input>",
        ),
    ],
)
def test_a_broken_capability_is_left_out_and_named(
    content: str, element: str, message: str
) -> None:
    sound = '<capability id="sound" description="d" version="1"/>'
    read = parse_descriptor(wrap(content + sound), "x.xml")
    assert [capability.id for capability in read.capabilities] == ["sound"]
    assert read.problems == (DescriptorProblem("x.xml", element, message),)


def test_the_second_of_two_capabilities_with_one_id_is_left_out() -> None:
    read = parse_descriptor(
        wrap(
            '<capability id="a" description="first" version="1"/>'
            '<capability id="a" description="second" version="1"/>'
        )
    )
    assert [capability.description for capability in read.capabilities] == ["first"]
    assert [str(problem) for problem in read.problems] == [
        'the descriptor: capability "a": is declared twice'
    ]


def test_unknown_elements_are_reported_and_ignored() -> None:
    read = parse_descriptor(wrap('<hint/><capability id="a" description="d" version="1"/>'))
    assert read.capabilities == (Capability("a", "d", "1"),)
    assert [(problem.message, problem.tolerated) for problem in read.problems] == [
        ("holds <hint>, where only <capability> means something", True)
    ]


def test_what_a_parameter_holds_is_reported_and_ignored() -> None:
    param = '<param name="n" type="list" description="d"><item/></param>'
    output = f'<capability id="a" description="d" version="1"><output>{param}</output></capability>'
    read = parse_descriptor(wrap(output), "x.xml")
    assert [one.name for one in read.capabilities[0].output] == ["n"]
    assert read.problems == (
        DescriptorProblem(
            "x.xml",
            'param 1 of output of capability "a"',
            "holds <item>, where nothing means anything",
            tolerated=True,
        ),
    )


def test_too_many_capabilities_are_reported() -> None:
    many = "".join(f'<capability id="c{n}" description="d" version="1"/>' for n in range(201))
    read = parse_descriptor(wrap(many))
    assert len(read.capabilities) == 200
    assert [problem.message for problem in read.problems] == [
        "has over 200 capabilities; the rest is left"
    ]


@pytest.mark.parametrize(
    ("declared", "json_type"),
    [
        ("string", "string"),
        ("boolean", "boolean"),
        ("bool", "boolean"),
        ("int", "integer"),
        ("Integer", "integer"),
        ("long", "integer"),
        ("number", "number"),
        ("float", "number"),
        ("double", "number"),
        ("array", "array"),
        ("list", "array"),
        ("object", "object"),
        ("map", "object"),
        ("json", "object"),
        ("date", "string"),
    ],
)
def test_declared_types_have_a_json_type(declared: str, json_type: str) -> None:
    assert CapabilityParameter("n", declared, "").json_type == json_type


COUNTED = (CapabilityParameter("count", "int", "How many"),)


@pytest.mark.parametrize(
    ("name", "capabilities", "tolerated"),
    [
        (
            "whole",
            (
                Capability(
                    "add_note",
                    "Add a note.",
                    "3",
                    (
                        CapabilityParameter(
                            "body", "string", "What it says; <b> is kept", required=True
                        ),
                        CapabilityParameter("pinned", "boolean", ""),
                    ),
                    (CapabilityParameter("note", "long", "Its number"),),
                ),
                Capability("count", "How many notes there are.", "1"),
            ),
            [],
        ),
        (
            "without-version",
            (Capability("count", "How many notes there are.", "1", (), COUNTED),),
            ['has no version; it must be version="1.0"'],
        ),
        (
            "draft-root",
            (Capability("press_button", "Press the button on the first screen.", "1"),),
            [
                "is the name of an early draft; it must be <mobile-mcp-capabilities>",
                'has no version; it must be version="1.0"',
            ],
        ),
        (
            "comments-and-order",
            (
                Capability(
                    "suche",
                    "Suche nach „Zürich“ & mehr",
                    "1",
                    (CapabilityParameter("wort", "string", "Wonach", required=True),),
                    (CapabilityParameter("gefunden", "list", "Gefundene"),),
                ),
            ),
            [],
        ),
    ],
)
def test_a_descriptor_in_a_file_is_read_in_each_form(
    name: str, capabilities: tuple[Capability, ...], tolerated: list[str]
) -> None:
    read = parse_descriptor(fixtures.text(f"mobile-mcp/{name}.xml"), name)
    assert read.capabilities == capabilities
    assert [(problem.message, problem.tolerated) for problem in read.problems] == [
        (message, True) for message in tolerated
    ]


@given(st.text(max_size=300) | st.text("<>/\"'= \nabcmcp-", max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    for attempt in (text, wrap(text), WHOLE.replace("string", text)):
        with contextlib.suppress(BadDescriptor):
            parse_descriptor(attempt)
