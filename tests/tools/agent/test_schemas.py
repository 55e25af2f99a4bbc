"""The list of tools has only what every model's client accepts."""

import keyword
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.calls.agent_names import PHONE_PREFIX
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.options import SurfaceOptions
from handheld.errors import AppToolMissing
from handheld.phone.phone import Phone
from handheld.tools.call import Caller
from handheld.tools.parameter import Param
from handheld.tools.recording import Secret
from handheld.tools.schema import KEYWORDS, reduce_schema
from handheld.tools.tool import APP_TOOLSET, Tool, Toolset
from harness.one_phone import UnusedPhone

TYPES = {"string", "integer", "number", "boolean", "array", "object"}
SCHEMA_WORDS = {
    *KEYWORDS,
    *("default", "title", "not", "if", "then", "else", "const", "format", "pattern", "minimum"),
    *("maximum", "anyOf", "oneOf", "allOf", "additionalProperties", "examples"),
}


class Apps:
    """An app whose tool takes an object, a list and a text, and one that declares whatever there
    is."""

    def __init__(self) -> None:
        self.taken: list[Mapping[str, Any]] = []
        tools = Toolset(APP_TOOLSET)

        async def app_notes_add(
            phone: Phone,
            place: Annotated[dict[str, Any], Param("where", secret=Secret.NO)],
            tags: Annotated[list[str], Param("", secret=Secret.NO)],
            text: Annotated[str, Param("", secret=Secret.NO)] = "none",
        ) -> str:
            """Adds a note."""
            self.taken.append({"place": place, "tags": tags, "text": text})
            return "Added."

        tools.tool(title="Add", secret_reply=Secret.NO)(app_notes_add)
        [made] = tools.tools
        wild = {
            "type": "object",
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "additionalProperties": False,
            "properties": {
                "count": {"type": ["integer", "null"], "minimum": 1, "default": 3},
                "either": {"anyOf": [{"type": "boolean"}, {"type": "string"}]},
                "any": {},
                "odd": True,
                "free": {"type": "object", "description": "more"},
                "ref": {"$ref": "#/definitions/x"},
                "list": {"type": "array"},
                "deep": {"type": "object", "properties": {"a": {"const": 1, "enum": [1, 2]}}},
                "word": {"type": "string", "enum": ["a", 1, "b"], "format": "uri"},
            },
            "required": ["count", "nothing"],
        }
        listing = replace(made.listing, name="app_wild_do", input_schema=wild)
        self._tools = {made.name: made, "app_wild_do": replace(made, listing=listing)}

    async def tools(self, phone: Phone) -> Sequence[Tool]:
        return list(self._tools.values())

    async def find(self, phone: Phone, name: str, called: str) -> Tool | None:
        if name not in self._tools:
            raise AppToolMissing(name)
        return self._tools[name]


def check(schema: Mapping[str, Any], *, top: bool = True) -> None:
    assert set(schema) <= set(KEYWORDS)
    assert isinstance(schema["type"], str)
    assert schema["type"] in TYPES
    if "enum" in schema:
        assert schema["type"] == "string"
        assert schema["enum"]
        assert all(isinstance(each, str) for each in schema["enum"])
    if schema["type"] == "array":
        check(schema["items"], top=False)
    if schema["type"] == "object":
        assert top or schema["properties"]
        assert set(schema.get("required", ())) <= set(schema["properties"])
        assert schema.get("required") != []
        for each in schema["properties"].values():
            check(each, top=False)


def names(schema: Mapping[str, Any]) -> Iterator[str]:
    for name, each in schema.get("properties", {}).items():
        yield name
        yield from names(each)
    if "items" in schema:
        yield from names(schema["items"])


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("prefix", [PHONE_PREFIX, ""])
@pytest.mark.parametrize(
    "scope",
    [
        EVERYTHING,
        RequestScope(read_only=True),
        RequestScope(phone="pixel7"),
        RequestScope(off=frozenset({"tap", "delete_file", "press_key", "find_elements"})),
    ],
)
async def test_every_list_has_only_common_keywords(
    several: bool, prefix: str, scope: RequestScope
) -> None:
    options = SurfaceOptions(several=several, source=Apps())
    listed = await make_agent_surface(UnusedPhone(), options, prefix).tools(scope)
    assert listed
    for one in listed:
        check(one.input_schema)
        if not one.name.startswith("app_"):
            for name in names(one.input_schema):
                assert name.isidentifier()
                assert not keyword.iskeyword(name), name
                assert name not in SCHEMA_WORDS, name
    assert scope.read_only or any(one.name == "app_wild_do" for one in listed)


async def test_an_apps_own_schema_is_reduced_to_what_is_certain() -> None:
    options = SurfaceOptions(source=Apps())
    listed = {one.name: one for one in await make_agent_surface(UnusedPhone(), options).tools()}
    assert listed["app_wild_do"].input_schema == {
        "type": "object",
        "properties": {
            "count": {"type": "integer"},
            "either": {"type": "boolean"},
            "any": {"type": "string"},
            "odd": {"type": "string"},
            "free": {"type": "string", "description": "more (JSON object)"},
            "ref": {"type": "string"},
            "list": {"type": "array", "items": {"type": "string"}},
            "deep": {"type": "object", "properties": {"a": {"type": "string"}}},
            "word": {"type": "string", "enum": ["a", "b"]},
        },
        "required": ["count"],
    }


async def test_an_object_without_declared_parts_is_taken_as_text() -> None:
    apps = Apps()
    made = make_agent_surface(UnusedPhone(), SurfaceOptions(source=apps))
    for place in ('{"room": 7}', {"room": 7}):
        await made.call("app_notes_add", {"place": place, "tags": '["a"]'}, Caller("http"))
    await made.call("app_notes_add", {"place": "{}", "tags": [], "text": ""}, Caller("http"))
    room = {"place": {"room": 7}, "tags": ["a"], "text": "none"}
    assert apps.taken == [room, room, {"place": {}, "tags": [], "text": ""}]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from([*TYPES, "a", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*KEYWORDS, "anyOf", "oneOf", "$ref", "default", "x"]), inner
        )
    ),
    max_leaves=20,
)


@pytest.mark.matrix
@given(st.dictionaries(st.sampled_from([*KEYWORDS, "anyOf", "oneOf", "$ref", "x"]), JSON))
def test_whatever_an_app_declares_is_reduced(declared: dict[str, Any]) -> None:
    check(reduce_schema({**declared, "type": "object"}))
