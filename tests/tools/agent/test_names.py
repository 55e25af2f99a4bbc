"""The names of the tools for models, with another prefix or none, and several phones."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from handheld.access.approval import ApprovalGate
from handheld.access.request_scope import RequestScope
from handheld.calls.agent_names import AgentNames
from handheld.calls.agent_tools import agent_names, make_agent_surface
from handheld.calls.local import LocalSurface
from handheld.calls.options import SurfaceOptions
from handheld.errors import InvalidParams, PermissionDenied, UnknownTool
from handheld.phone.phone import Phone
from handheld.settings import SettingsError, load
from handheld.settings.rules import Rules
from handheld.tools.agent.arguments import PHONE
from handheld.tools.call import Caller, ToolCall
from harness.one_phone import UnusedPhone

from .test_rules import Judge, untouched

MODEL = Caller("http", "model")


def named(prefix: str, **options: Any) -> LocalSurface:
    return make_agent_surface(untouched(), SurfaceOptions(**options), prefix)


@pytest.mark.parametrize("prefix", ["", "pixel_", "my-"])
async def test_all_that_a_client_reads_has_the_prefix(prefix: str) -> None:
    made, plain = named(prefix), named("phone_")
    listed, known = await made.tools(), await plain.tools()
    assert [one.name for one in listed] == [
        prefix + one.name.removeprefix("phone_") for one in known
    ]
    texts = [await made.instructions(), *(str(one.as_json()) for one in listed)]
    assert not any(name in text for text in texts for name in (*agent_names(), "phone_<tool>"))
    [steps] = [one for one in listed if one.name == f"{prefix}do"]
    assert f"arguments as in {prefix}<tool>" in str(steps.input_schema)
    assert f"Start with {prefix}look." in texts[0]


@pytest.mark.parametrize("prefix", ["", "pixel_"])
async def test_a_tool_is_called_by_its_name_in_the_list_or_its_own(prefix: str) -> None:
    for name in (f"{prefix}tap", "phone_tap"):
        with pytest.raises(InvalidParams) as raised:
            await named(prefix).call(name, {}, MODEL)
        assert raised.value.message.startswith(f"{prefix}tap needs at. ")
    for name in ("nobody_tap", f"{prefix}fly", f"{prefix}phone_tap"[1:]):
        with pytest.raises(UnknownTool) as unknown:
            await named(prefix).call(name, {}, MODEL)
        assert unknown.value.name == name


async def test_rules_and_filters_go_by_their_own_names() -> None:
    gate = ApprovalGate(Rules(deny=["phone_tap"]))
    with pytest.raises(PermissionDenied) as raised:
        await named("", gate=gate).call("tap", {"at": "a"}, MODEL)
    assert "Not done: tap, because the rule 'phone_tap' denies it" in raised.value.message
    left = await named("").tools(RequestScope(off=frozenset({"phone_tap", "phone_do"})))
    assert {"tap", "do"}.isdisjoint(one.name for one in left)


async def test_a_filter_may_name_tools_as_they_are_listed() -> None:
    made = named("pixel_")
    assert [one.name for one in await made.tools(RequestScope(only=frozenset({"pixel_tap"})))] == [
        "pixel_tap"
    ]
    left = await made.tools(RequestScope(off=frozenset({"pixel_tap"})))
    assert "pixel_tap" not in [one.name for one in left]


async def test_a_request_may_state_its_own_prefix() -> None:
    made = named("pixel_")
    listed = await made.tools(RequestScope(prefix="phone_"))
    off = {"phone_lease", "phone_intent", "phone_script", "phone_record", "phone_camera"}
    assert {one.name for one in listed} == {*agent_names()} - off


def test_quoted_words_stay_as_they_are() -> None:
    names = AgentNames(agent_names(), "")
    text = r'call phone_look, "phone_look \" phone_look" and xphone_look'
    assert names.items("phone_tap", [text], "") == [
        r'call look, "phone_look \" phone_look" and xphone_look'
    ]
    assert names.items("phone_read", [text], "") == [text]
    assert names.items("app_x", [text], "") == [text]


@pytest.mark.parametrize("prefix", ["a b", "7_", "x" * 21, "app_", "ä_"])
def test_a_prefix_that_clients_or_apps_would_not_bear_is_refused(
    tmp_path: Path, prefix: str
) -> None:
    with pytest.raises(SettingsError, match="tool_prefix"):
        load({"tool_prefix": prefix}, {"HANDHELD_HOME": str(tmp_path)})


def test_no_prefix_is_a_prefix(tmp_path: Path) -> None:
    assert load({"tool_prefix": ""}, {"HANDHELD_HOME": str(tmp_path)}).tool_prefix == ""
    assert load({}, {"HANDHELD_HOME": str(tmp_path)}).tool_prefix == "phone_"


class Two(UnusedPhone):
    """Two phones, of which none may be used."""

    def __init__(self) -> None:
        super().__init__()
        self.phone = untouched().phone

    async def pick(self, ref: str | None) -> Phone:
        self.picked.append(ref)
        return self.phone


class Noting(Judge):
    """Notes the calls, too."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[ToolCall] = []

    async def ask(self, call: ToolCall) -> None:
        self.calls.append(call)
        await super().ask(call)


async def test_every_tool_takes_the_phone_where_there_are_several() -> None:
    made = make_agent_surface(Two(), SurfaceOptions(several=True))
    for one in await made.tools():
        assert one.input_schema["properties"][PHONE]["type"] == "string", one.name
        assert PHONE not in one.input_schema.get("required", ()), one.name
    for one in await made.tools(RequestScope(phone="desk")):
        assert PHONE not in one.input_schema["properties"], one.name


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("phone_tap", {"at": "a", "phone": "desk"}),
        ("phone_tap", {"at": "a", "device": "desk"}),
        ("phone_do", {"steps": [{"tap": "a"}], "phone": "desk"}),
        ("phone_do", {"steps": [{"tap": "a"}], "device": "desk"}),
        ("phone_do", {"steps": [{"tap": "a", "phone": "desk"}]}),
        ("phone_do", {"steps": [{"tap": {"at": "a", "phone": "desk"}}, {"tap": "b"}]}),
        ("phone_do", {"steps": [{"tap": "a", "phone": "desk"}], "phone": "desk"}),
    ],
)
async def test_a_call_is_on_the_phone_that_it_names(
    name: str, arguments: Mapping[str, Any]
) -> None:
    phones, judge = Two(), Noting()
    made = make_agent_surface(phones, SurfaceOptions(several=True, gate=judge))
    with pytest.raises(PermissionDenied):
        await made.call(name, arguments, MODEL)
    assert phones.picked == ["desk"]
    assert len(judge.calls) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        {"steps": [{"tap": "a", "phone": "desk"}, {"tap": "b", "phone": "pixel"}]},
        {"steps": [{"tap": "a", "device": "pixel"}], "phone": "desk"},
        {"steps": [{"tool": "tap", "arguments": {"at": "a", "phone": "pixel"}}], "phone": "desk"},
    ],
)
async def test_steps_on_two_phones_are_refused(arguments: Mapping[str, Any]) -> None:
    phones, judge = Two(), Noting()
    made = make_agent_surface(phones, SurfaceOptions(several=True, gate=judge))
    with pytest.raises(InvalidParams, match="are all on one phone"):
        await made.call("phone_do", arguments, MODEL)
    assert phones.picked == []
    assert judge.calls == []
