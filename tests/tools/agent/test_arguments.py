"""Arguments as models send them."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.driver.by_shell.keys import KEY_NAMES, SYSTEM_BUTTONS
from handheld.errors import InvalidParams
from handheld.tools.agent.arguments import ALIASES, normalise
from handheld.tools.agent.catalog import AGENT_CATALOG
from handheld.tools.agent.keys import key_name, pressed_key
from handheld.tools.tool import Tool

from .conftest import AgentBench

TOOLS = {tool.name: tool for toolset in AGENT_CATALOG for tool in toolset.tools}
SCHEMA = {
    "properties": {
        "at": {"type": "string"},
        "to": {"type": "string"},
        "mode": {"type": "string", "enum": ["replace", "append"]},
        "list": {"type": "string", "enum": ["items", "file", "files"]},
        "hold": {"type": "boolean"},
        "times": {"type": "integer"},
        "zoom": {"type": "number"},
        "steps": {"type": "array"},
        "place": {"type": "object"},
    },
    "required": ["at"],
}


@pytest.mark.parametrize(
    ("sent", "taken"),
    [
        ({"hold": "true"}, {"hold": True}),
        ({"hold": " Yes "}, {"hold": True}),
        ({"hold": 1}, {"hold": True}),
        ({"hold": "off"}, {"hold": False}),
        ({"hold": 0}, {"hold": False}),
        ({"hold": "maybe"}, {"hold": "maybe"}),
        ({"hold": 2}, {"hold": 2}),
        ({"hold": [True]}, {"hold": [True]}),
        ({"times": "2"}, {"times": 2}),
        ({"times": 2.0}, {"times": 2}),
        ({"times": "2.5"}, {"times": "2.5"}),
        ({"times": True}, {"times": True}),
        ({"zoom": "0.5"}, {"zoom": 0.5}),
        ({"zoom": "nan"}, {"zoom": "nan"}),
        ({"steps": '[{"tap":"7"}]'}, {"steps": [{"tap": "7"}]}),
        ({"steps": "[{"}, {"steps": "[{"}),
        ({"steps": "[" * 100_000}, {"steps": "[" * 100_000}),
        ({"place": '{"a":1}'}, {"place": {"a": 1}}),
        ({"mode": " Append"}, {"mode": "append"}),
        ({"mode": "prepend"}, {"mode": "prepend"}),
        ({"mode": "Appends"}, {"mode": "append"}),
        ({"list": "item"}, {"list": "items"}),
        ({"list": "files"}, {"list": "files"}),
        ({"list": "file"}, {"list": "file"}),
        ({"at": 7}, {"at": "7"}),
        ({"at": [540, 1200.5]}, {"at": "540,1200.5"}),
        ({"at": ["540", "1200"]}, {"at": "540,1200"}),
        ({"at": [1, 2, 3]}, {"at": [1, 2, 3]}),
        ({"at": ["a", "b"]}, {"at": ["a", "b"]}),
        ({"at": {"x": 1, "y": 2}}, {"at": "1,2"}),
        ({"at": {"x": 1}}, {"at": {"x": 1}}),
        ({"x": 540, "y": "1200"}, {"at": "540,1200"}),
        ({"x": 540}, {"x": 540}),
        ({"x1": 1, "y1": 2, "x2": 3, "y2": 4}, {"at": "1,2", "to": "3,4"}),
        ({"at": "k4", "x": 1, "y": 2}, {"at": "k4", "x": 1, "y": 2}),
        ({"at": "", "x": 1, "y": 2}, {"at": "1,2"}),
        ({"at": ""}, {"at": ""}),
        ({"at": None, "to": None, "hold": None}, {}),
        ({"to": "", "hold": "", "times": "", "mode": "", "steps": ""}, {}),
        ({"ref": "k4"}, {"at": "k4"}),
        ({"at": "k4", "ref": "k5"}, {"at": "k4", "ref": "k5"}),
        ({"device": "desk"}, {"phone": "desk"}),
        ({"phone": "desk", "device": "pixel"}, {"phone": "desk", "device": "pixel"}),
        ({"why": "because"}, {"why": "because"}),
    ],
)
def test_what_is_certain_is_turned_and_all_else_is_left(
    sent: Mapping[str, Any], taken: Mapping[str, Any]
) -> None:
    found = normalise("phone_tap", SCHEMA, sent)
    assert found == taken
    assert [type(value) for value in found.values()] == [type(value) for value in taken.values()]
    assert normalise("phone_tap", SCHEMA, found) == found


@given(
    st.dictionaries(
        st.sampled_from([*SCHEMA["properties"], "ref", "x", "y", "device", "other"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
            max_leaves=4,
        ),
    )
)
def test_whatever_is_sent_is_turned_once(sent: dict[str, Any]) -> None:
    found = normalise("phone_tap", SCHEMA, sent)
    again = normalise("phone_tap", SCHEMA, found)
    assert json.dumps(again) == json.dumps(found)


def test_other_names_are_of_parameters_that_exist_and_not_those_themselves() -> None:
    for name, aliases in ALIASES.items():
        if name not in TOOLS:
            continue
        properties = TOOLS[name].listing.input_schema["properties"]
        others = [each for names in aliases.values() for each in names]
        assert set(aliases) <= set(properties), name
        assert len(set(others)) == len(others), name


def refused(tool: Tool, arguments: Mapping[str, Any]) -> str:
    assert tool.normalise is not None
    with pytest.raises(InvalidParams) as raised:
        tool.prepare(tool.normalise(arguments))
    return raised.value.message


@pytest.mark.parametrize("tool", TOOLS.values(), ids=list(TOOLS))
def test_a_missing_argument_is_named_with_all_that_the_tool_takes(tool: Tool) -> None:
    schema = tool.listing.input_schema
    takes = ", ".join(schema["properties"])
    if required := schema.get("required"):
        missing = f"{tool.name} needs {' and '.join(required)}. It takes {takes}."
        assert refused(tool, {}) == refused(tool, dict.fromkeys(required)) == missing


def test_the_sentence_for_a_missing_argument_is_short() -> None:
    takes = ", ".join(TOOLS["phone_tap"].listing.input_schema["properties"])
    assert refused(TOOLS["phone_tap"], {"foo": 1}) == f"phone_tap needs at. It takes {takes}."


async def test_unknown_arguments_are_named_in_one_bounded_line(bench: AgentBench) -> None:
    refused = await bench.failure("open", what="Clock", **{"a\nb" * 300: 1, "why": 2})
    assert refused.message.startswith('phone_open has no "a')
    assert "\n" not in refused.message
    assert len(refused.message) < 200


async def test_unknown_arguments_of_a_step_are_refused_before_any_step(bench: AgentBench) -> None:
    before = await bench.call("look")
    steps = [{"open": "Clock"}, {"press": "home", "time": 2}]
    refused = await bench.failure("do", steps=steps)
    assert refused.message == (
        'phone_press has no "time". Nearest: times. It takes key, times. Nothing was done.'
    )
    refused = await bench.failure("do", steps=steps[:1], reason="x")
    assert refused.message == 'phone_do has no "reason". It takes steps. Nothing was done.'
    assert await bench.call("look") == before


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        (" Back ", "back"),
        ("KEYCODE_BACK", "back"),
        ("Quick Settings", "quick_settings"),
        ("app-switch", "recents"),
        ("DPAD_UP", "up"),
        ("Backspace", "del"),
        ("Return", "enter"),
        ("Ctrl + A", "ctrl+a"),
        ("ctrl+KEYCODE_DEL", "ctrl+del"),
    ],
)
def test_keys_have_the_names_that_models_give_them(sent: str, name: str) -> None:
    assert key_name(sent) == name
    pressed_key(name)


def test_every_key_of_the_phone_is_pressed_under_its_own_name() -> None:
    for name in (*SYSTEM_BUTTONS, *KEY_NAMES):
        assert pressed_key(key_name(name)) == name


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ("volum_up", 'There is no key "volum_up". Nearest: volume_up, volume_mute, volume_down.'),
        ("ctrl+ctrl+a", 'There is no key "ctrl+ctrl+a". back, enter, up or ctrl+a are some.'),
        ("ctrl+back", 'There is no key "ctrl+back". Nearest: back.'),
        ("€", 'There is no key "€". back, enter, up or ctrl+a are some.'),
    ],
)
async def test_an_unknown_key_gives_the_nearest_names(
    bench: AgentBench, sent: str, message: str
) -> None:
    bench.events()
    assert (await bench.failure("press", key=sent)).message == message
    assert bench.events() == []


def test_a_point_has_no_rounding() -> None:
    at = normalise("phone_tap", SCHEMA, {"at": [540.25, 1_234_567]})["at"]
    assert [float(part) for part in at.split(",")] == [540.25, 1_234_567]
