"""The owner's rules, tokens and settings hold for the tools for models, action by action."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handheld.access.approval import ApprovalGate
from handheld.access.policy import make_gate, make_policy
from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.calls.agent_tools import agent_catalog, make_agent_surface
from handheld.calls.local import LocalSurface
from handheld.calls.options import SurfaceOptions
from handheld.errors import PermissionDenied, ToolError, UnknownTool
from handheld.phone.phone import Phone
from handheld.settings import SettingsError, load
from handheld.settings.rules import Rules
from handheld.tools.call import Caller, ToolCall
from handheld.tools.main import EVERY_TOOLSET
from handheld.tools.tool import Listing, Tool
from harness.one_phone import UnusedPhone

MODEL = Caller("http", "model", "family")
MAIN_TOOLS = {tool.name: tool for toolset in EVERY_TOOLSET for tool in toolset.tools}
MAIN = {name: tool.listing for name, tool in MAIN_TOOLS.items()}
TOOLS = {tool.name: tool for toolset in agent_catalog() for tool in toolset.tools}
SCREEN = "get_screen_state"

Arguments = Mapping[str, Any]

CALLS: Mapping[tuple[str, str], Arguments] = {
    ("phone_look", "screen"): {},
    ("phone_look", "+find"): {"find": "Wi-Fi"},
    ("phone_wait", "text"): {"text": "Sent"},
    ("phone_wait", "notification"): {"notification": "x"},
    ("phone_wait", "rest"): {},
    ("phone_tap", "element"): {"at": "Send"},
    ("phone_tap", "point"): {"at": "540,1200"},
    ("phone_tap", "several times"): {"at": "Send", "times": 2},
    ("phone_tap", "hold"): {"at": "Send", "hold": True},
    ("phone_tap", "hold point"): {"at": "540,1200", "hold": True},
    ("phone_tap", "+scroll"): {"at": "Send", "scroll": True},
    ("phone_scroll", "+until"): {"until": "Send"},
    ("phone_type", "replace"): {"text": "a"},
    ("phone_type", "append"): {"text": "a", "mode": "append"},
    ("phone_type", "insert"): {"text": "a", "mode": "insert"},
    ("phone_type", "+submit"): {"text": "a", "submit": True},
    ("phone_scroll", "scroll"): {},
    ("phone_swipe", "swipe"): {"at": "1,2", "to": "3,4"},
    ("phone_swipe", "drag"): {"at": "1,2", "to": "3,4", "hold": True},
    ("phone_swipe", "pinch"): {"at": "1,2", "zoom": 2},
    ("phone_swipe", "slow pinch"): {"at": "1,2", "zoom": 2, "ms": 400},
    ("phone_press", "back"): {"key": "back"},
    ("phone_press", "home"): {"key": "home"},
    ("phone_press", "recents"): {"key": "recents"},
    ("phone_press", "notifications"): {"key": "notifications"},
    ("phone_press", "quick_settings"): {"key": "quick_settings"},
    ("phone_press", "hide_keyboard"): {"key": "hide_keyboard"},
    ("phone_press", "shortcut"): {"key": "meta+enter"},
    ("phone_press", "get_clipboard"): {"key": "paste"},
    ("phone_press", "set_clipboard"): {"key": "ctrl+c"},
    ("phone_press", "set_volume"): {"key": "volume_up"},
    ("phone_press", "set_appearance"): {"key": "brightness_down"},
    ("phone_press", "set_screen"): {"key": "KEYCODE_POWER"},
    ("phone_press", "key"): {"key": "enter"},
    ("phone_open", "app"): {"what": "Clock"},
    ("phone_open", "link"): {"what": "https://a.example/b"},
    ("phone_open", "intent"): {"what": "intent:#Intent;component=a.b/.C;end"},
    ("phone_open", "+by"): {"what": "Clock", "by": "Maps"},
    ("phone_intent", "open"): {"do": "open", "component": "a.b/.C"},
    ("phone_intent", "service"): {"do": "service", "component": "a.b/.C"},
    ("phone_intent", "broadcast"): {"do": "broadcast", "component": "a.b/.C"},
    ("phone_intent", "find"): {"do": "find", "data": "geo:1,2"},
    ("phone_record", "start"): {"action": "start"},
    ("phone_record", "stop"): {"action": "stop"},
    ("phone_read", "contacts"): {"what": "contacts", "of": "Ada"},
    ("phone_read", "events"): {"what": "events", "of": "2026-02-11"},
    ("phone_read", "calls"): {"what": "calls"},
    ("phone_read", "messages"): {"what": "messages"},
    ("phone_read", "media"): {"what": "media"},
    ("phone_camera", "look"): {"action": "look"},
    ("phone_camera", "photo"): {"action": "photo", "path": "a/b.jpg"},
    ("phone_camera", "video"): {"action": "video", "path": "a/b.mp4"},
    ("phone_read", "text"): {"what": "text", "of": "a1"},
    ("phone_read", "clipboard"): {"what": "clipboard"},
    ("phone_read", "files"): {"what": "files"},
    ("phone_read", "file"): {"what": "file", "of": "x/a.txt"},
    ("phone_read", "apps"): {"what": "apps"},
    ("phone_read", "app"): {"what": "app", "of": "Clock"},
    ("phone_read", "log"): {"what": "log"},
    ("phone_script", ""): {"page": "web-0", "code": "1"},
    ("phone_read", "web"): {"what": "web"},
    ("phone_read", "crashes"): {"what": "crashes"},
    ("phone_read", "performance"): {"what": "performance", "of": "a.b"},
    ("phone_read", "sims"): {"what": "sims"},
    ("phone_read", "device"): {"what": "device"},
    ("phone_read", "location"): {"what": "location"},
    ("phone_read", "notifications"): {"what": "notifications"},
    ("phone_notification", "open"): {"id": "1a2b3c4d", "action": "open"},
    ("phone_notification", "dismiss"): {"id": "1a2b3c4d", "action": "dismiss"},
    ("phone_notification", "snooze"): {"id": "1a2b3c4d", "action": "snooze", "text": "5"},
    ("phone_notification", "press"): {"id": "1a2b3c4d", "action": "press", "text": "OK"},
    ("phone_notification", "reply"): {"id": "1a2b3c4d", "action": "reply", "text": "Hi"},
    ("phone_set", "clipboard"): {"what": "clipboard", "value": "x"},
    ("phone_set", "rotation"): {"what": "rotation", "value": "auto"},
    ("phone_set", "wifi"): {"what": "wifi", "value": "on"},
    ("phone_set", "bluetooth"): {"what": "bluetooth", "value": "on"},
    ("phone_set", "mobile_data"): {"what": "mobile_data", "value": "on"},
    ("phone_set", "airplane_mode"): {"what": "airplane_mode", "value": "off"},
    ("phone_set", "volume"): {"what": "volume", "value": "40%"},
    ("phone_set", "brightness"): {"what": "brightness", "value": "40%"},
    ("phone_set", "dark_mode"): {"what": "dark_mode", "value": "on"},
    ("phone_set", "font_scale"): {"what": "font_scale", "value": "1"},
    ("phone_set", "language"): {"what": "language", "value": "de"},
    ("phone_set", "location"): {"what": "location", "value": "48.1,11.6"},
    ("phone_set", "screen"): {"what": "screen", "value": "on"},
    ("phone_message", ""): {"to": "+4912345", "text": "hi"},
    ("phone_file", "write"): {"action": "write", "path": "x/a", "text": "b"},
    ("phone_file", "append"): {"action": "append", "path": "x/a", "text": "b"},
    ("phone_file", "replace"): {"action": "replace", "path": "x/a", "text": "b", "old": "c"},
    ("phone_file", "delete"): {"action": "delete", "path": "x/a"},
    ("phone_file", "download"): {"action": "download", "path": "x/a", "url": "https://e.x/a"},
    ("phone_app", "stop"): {"action": "stop", "app": "Clock"},
    ("phone_app", "install"): {"action": "install", "app": "x/a.apk"},
    ("phone_app", "uninstall"): {"action": "uninstall", "app": "Clock"},
    ("phone_app", "clear_data"): {"action": "clear_data", "app": "Clock"},
    ("phone_app", "grant"): {"action": "grant", "app": "Clock", "permission": "CAMERA"},
    ("phone_app", "revoke"): {"action": "revoke", "app": "Clock", "permission": "CAMERA"},
}
"""Arguments for each action of each tool, and for each parameter that adds to one."""


def every_action() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Each action with the main tools that it stands for."""
    for name, tool in TOOLS.items():
        if tool.action is None:
            yield name, "", tool.listing.abilities
            continue
        for action, listing in tool.action.listings.items():
            yield name, action, listing.abilities
        first = next(iter(tool.action.listings.values()))
        for parameter, more in tool.action.also.items():
            yield name, f"+{parameter}", (*first.abilities, *more)


ACTIONS = list(every_action())


class Untouchable:
    """A phone's driver that must not be used."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"the phone was asked: {name}")


class Judge:
    """Notes what it is asked about, and refuses it."""

    def __init__(self) -> None:
        self.judged: list[Listing] = []

    def wants_app(self, call: ToolCall) -> bool:
        return False

    def objection(self, call: ToolCall, apps: tuple[str, ...]) -> None:
        return None

    def asks_person(self, call: ToolCall) -> bool:
        return False

    async def ask(self, call: ToolCall) -> None:
        self.judged.append(call.listing)
        raise PermissionDenied("Noted.")


def untouched() -> UnusedPhone:
    phones = UnusedPhone()
    phones.phone = Phone("serial", Untouchable())  # type: ignore[arg-type]
    return phones


def surface(**options: Any) -> LocalSurface:
    return make_agent_surface(untouched(), SurfaceOptions(**options))


def whole(policy: RequestScope = EVERYTHING, **options: Any) -> LocalSurface:
    """With the toolsets that are off unless they are switched on."""
    on = frozenset({"intents", "web_scripts", "recording", "personal", "camera"})
    return surface(policy=replace(policy, on=on), **options)


async def judged(tool: str, arguments: Arguments) -> Listing:
    judge = Judge()
    with pytest.raises(PermissionDenied):
        await whole(gate=judge).call(tool, arguments, MODEL)
    [listing] = judge.judged
    return listing


async def refusal(made: LocalSurface, tool: str, arguments: Arguments, **limits: Any) -> Exception:
    with pytest.raises((ToolError, UnknownTool)) as raised:
        await made.call(tool, arguments, MODEL, RequestScope(**limits))
    return raised.value


def test_every_action_is_called_here() -> None:
    listed = {(tool, action) for tool, action, _ in ACTIONS}
    assert listed - set(CALLS) == set()
    assert set(CALLS) - listed == set()


@pytest.mark.parametrize(("tool", "action", "abilities"), ACTIONS)
def test_every_action_stands_for_tools_of_the_main_surface(
    tool: str, action: str, abilities: Sequence[str]
) -> None:
    assert abilities
    assert [name for name in abilities if name not in MAIN] == []


@pytest.mark.parametrize(("tool", "action", "abilities"), ACTIONS)
async def test_an_action_is_judged_as_what_it_does(
    tool: str, action: str, abilities: Sequence[str]
) -> None:
    listing = await judged(tool, CALLS[tool, action])
    assert set(listing.abilities) == set(abilities)
    main = [MAIN[name] for name in abilities]
    assert listing.read_only == all(each.read_only for each in main)
    assert listing.destructive >= any(each.destructive for each in main)


@pytest.mark.parametrize(("tool", "action", "abilities"), ACTIONS)
async def test_a_rule_on_any_of_these_tools_denies_the_action(
    tool: str, action: str, abilities: Sequence[str]
) -> None:
    for name in abilities:
        for rule in (name, f"{name}+token:family", f"toolset:{MAIN[name].toolset}", tool):
            made = whole(gate=ApprovalGate(Rules(deny=[rule])))
            failed = await refusal(made, tool, CALLS[tool, action])
            assert isinstance(failed, PermissionDenied), rule
            assert f"the rule '{rule}' denies it" in failed.message
            asking = ApprovalGate(Rules(ask=[rule]), require_console=True)
            failed = await refusal(whole(gate=asking), tool, CALLS[tool, action])
            assert isinstance(failed, PermissionDenied), rule
            assert f"{tool} needs the owner" in failed.message


@pytest.mark.parametrize(("tool", "action", "abilities"), ACTIONS)
async def test_rules_on_other_tools_do_not_hold(
    tool: str, action: str, abilities: Sequence[str]
) -> None:
    others = [name for name in MAIN if name not in abilities]
    made = whole(gate=ApprovalGate(Rules(deny=[*others, "*+token:stranger"])))
    assert not isinstance(await refusal(made, tool, CALLS[tool, action]), PermissionDenied)


@pytest.mark.matrix
@pytest.mark.parametrize(("tool", "action", "abilities"), ACTIONS)
async def test_what_settings_a_request_or_a_token_switch_off_is_refused(
    tool: str, action: str, abilities: Sequence[str]
) -> None:
    arguments = CALLS[tool, action]
    toolsets = {toolset.name for toolset in EVERY_TOOLSET}
    for name in abilities:
        off = frozenset({name})
        narrower = toolsets - {MAIN[name].toolset}
        for made, limits in (
            (whole(policy=RequestScope(off=off)), {}),
            (whole(), {"off": off}),
            (whole(), {"off": frozenset({f"android_{name}"})}),
            (whole(), {"only": frozenset(MAIN) - off}),
            (whole(), {"toolsets": frozenset(narrower)}),
        ):
            failed = await refusal(made, tool, arguments, **limits)
            assert isinstance(failed, PermissionDenied | UnknownTool), (name, limits)
            filtered: dict[str, Any] = limits
            left = {one.name: one for one in await made.tools(RequestScope(**filtered))}
            unknown = isinstance(failed, UnknownTool)
            assert unknown == (tool not in left)
            if not unknown and (parameter := _parameter(TOOLS[tool], action)):
                assert action not in left[tool].input_schema["properties"][parameter]["enum"]
            if not unknown and action.startswith("+"):
                gone = set(abilities) - set(next(iter(_listings(tool))).abilities)
                if name in gone:
                    assert action[1:] not in left[tool].input_schema["properties"]


def _parameter(tool: Tool, action: str) -> str | None:
    return tool.action.parameter if tool.action and not action.startswith("+") else None


def _listings(tool: str) -> Iterator[Listing]:
    action = TOOLS[tool].action
    assert action is not None
    return iter(action.listings.values())


@pytest.mark.parametrize(("tool", "action", "abilities"), ACTIONS)
async def test_a_read_only_caller_gets_the_actions_that_read(
    tool: str, action: str, abilities: Sequence[str]
) -> None:
    reads = all(MAIN[name].read_only for name in abilities)
    for made, limits in (
        (whole(policy=RequestScope(read_only=True)), {}),
        (whole(), {"read_only": True}),
    ):
        failed = await refusal(made, tool, CALLS[tool, action], **limits)
        assert isinstance(failed, PermissionDenied | UnknownTool) == (not reads)


class NoTools:
    """Of apps."""

    async def tools(self, phone: object) -> Sequence[Tool]:
        return ()

    async def find(self, phone: object, name: str, called: str) -> None:
        return None


@pytest.mark.parametrize(
    ("scope", "named"),
    [
        (RequestScope(), ["phone_look", "phone_do", "phone_open", "app_… tools where listed are"]),
        (RequestScope(read_only=True), ["phone_look"]),
        (RequestScope(only=frozenset({"phone_read"})), []),
        (RequestScope(off=frozenset({"phone_do", "open_app"})), ["phone_look", "app_… tools"]),
        (
            RequestScope(only=frozenset({"phone_look", "phone_open"})),
            ["phone_look", "phone_open is"],
        ),
        (RequestScope(only=frozenset({"my_look"}), prefix="my_"), ["my_look"]),
    ],
)
async def test_the_instructions_name_only_tools_that_are_listed(
    scope: RequestScope, named: list[str]
) -> None:
    made = surface(source=NoTools())
    text = await made.instructions(scope)
    listed = {tool.name for tool in await made.tools(scope)}
    assert set(re.findall(r"\b(?:phone|my)_\w+", text)) <= listed
    assert all(words in text for words in named)
    assert ("app_" in text) == any("app_" in words for words in named)
    assert "{" not in text
    assert "  " not in text


async def test_a_read_only_list_has_nothing_that_acts() -> None:
    left = await surface().tools(RequestScope(read_only=True))
    assert [one.name for one in left] == ["phone_look", "phone_wait", "phone_read"]
    assert all(one.read_only for one in left)


async def test_all_of_the_main_tools_leave_all_of_these() -> None:
    everything = RequestScope(
        only=frozenset(MAIN), toolsets=frozenset(toolset.name for toolset in EVERY_TOOLSET)
    )
    assert list(await surface().tools(everything)) == list(await surface().tools())


def variants(**expected: Sequence[tuple[str, Arguments]]) -> list[Any]:
    return [
        pytest.param(tool, arguments, main, id=f"{main}-{json.dumps(arguments)}")
        for main, calls in expected.items()
        for tool, arguments in calls
    ]


POINTS: Sequence[Arguments] = (
    {"x": 540, "y": 1200},
    {"x": "540", "y": "1200"},
    {"ref": "540,1200"},
    {"at": [540, 1200]},
    {"at": ["540", "1200"]},
    {"at": "[540, 1200]"},
    {"at": {"x": 540, "y": 1200}},
    {"at": " (540; 1200) ", "within": None},
    {"element": "", "at": "540 1200"},
)
HOLDS = (True, "true", " TRUE ", "True", "yes", "on", 1, "1")


@pytest.mark.parametrize(
    ("tool", "arguments", "main"),
    variants(
        tap=[("phone_tap", point) for point in (*POINTS, {"at": "p3:540,1200"})],
        long_press=[
            *(("phone_tap", {"at": "Send", "hold": hold}) for hold in HOLDS),
            *(("phone_tap", {**point, "hold": "true "}) for point in POINTS),
            ("phone_swipe", {"at": "1,2", "to": "3,4", "hold": "yes"}),
        ],
        click_element=[
            ("phone_tap", {"selector": "Send", "hold": "false"}),
            ("phone_tap", {"at": "Send", "times": "1", "hold": 0}),
        ],
        double_tap=[
            ("phone_tap", {"at": "Send", "times": times}) for times in (2, "2", " 2 ", 2.0, "3")
        ],
        press_back=[("phone_press", {"key": key}) for key in (" Back ", "BACK", "KEYCODE_BACK")]
        + [("phone_press", {"button": "back"}), ("phone_press", {"key": "", "name": "Back"})],
        dismiss_keyboard=[
            ("phone_press", {"key": key}) for key in ("hide_keyboard", "Hide keyboard")
        ],
        set_network=[
            ("phone_set", {"setting": " Wifi", "state": state}) for state in ("off", True)
        ],
        press_recents=[("phone_press", {"key": key}) for key in ("app_switch", "Overview")],
        open_quick_settings=[("phone_press", {"key": "Quick Settings"})],
        get_clipboard=[("phone_read", {"what": what}) for what in (" Clipboard ", "CLIPBOARD")],
        delete_file=[("phone_file", {"action": " Delete", "path": "x/a"})],
        press_key=[("phone_type", {"text": "a", "submit": submit}) for submit in HOLDS],
        type_clear_text=[
            ("phone_type", {"value": "a", "mode": mode}) for mode in (None, "", "Replace ")
        ],
        type_insert_text=[("phone_type", {"content": "a", "mode": " INSERT"})],
        pinch=[("phone_swipe", {"at": "1,2", "to": "3,4", "zoom": zoom}) for zoom in ("2", 0.5)],
        find_elements=[("phone_look", {"query": "a"}), ("phone_look", {"find": None, "text": "a"})],
        wait_for_element=[("phone_wait", {"for": "a"}), ("phone_wait", {"text": "", "until": "a"})],
        send_sms=[("phone_message", {"number": "+4912345", "body": "hi"})],
        notification_reply=[
            (
                "phone_notification",
                {"notification_id": "1a2b3c4d", "action": "Reply", "message": "x"},
            )
        ],
        wait_for_notification=[("phone_wait", {"notification": "a", "text": "b"})],
    ),
)
async def test_other_ways_to_say_it_are_judged_alike(
    tool: str, arguments: Arguments, main: str
) -> None:
    assert main in (await judged(tool, arguments)).abilities


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("phone_tap", {"at": "a", "hold": "maybe"}),
        ("phone_tap", {"at": "a", "hold": ["true"]}),
        ("phone_tap", {"at": "a", "times": "twice"}),
        ("phone_tap", {"at": "a", "times": True}),
        ("phone_tap", {"at": ["a", "b"]}),
        ("phone_tap", {"at": {"x": 1}}),
        ("phone_read", {"what": ["clipboard"]}),
        ("phone_read", {"what": "clipboard\u200b"}),
        ("phone_read", {"what": "clip board"}),
        ("phone_file", {"action": "delete,write", "path": "x/a"}),
        ("phone_file", {"action": {"delete": True}, "path": "x/a"}),
        ("phone_type", {"text": "a", "mode": "overwrite"}),
        ("phone_type", {"text": "a", "submit": "perhaps"}),
        ("phone_swipe", {"at": "1,2", "to": "3,4", "zoom": "big"}),
    ],
)
async def test_what_is_no_action_is_refused_before_anyone_is_asked(
    tool: str, arguments: Arguments
) -> None:
    judge = Judge()
    failed = await refusal(surface(gate=judge), tool, arguments)
    assert not isinstance(failed, PermissionDenied)
    assert judge.judged == []


@pytest.mark.parametrize(("tool", "action", "abilities"), ACTIONS)
def test_an_action_holds_the_phones_turn_as_the_main_tools_do(
    tool: str, action: str, abilities: Sequence[str]
) -> None:
    """A download takes the turn for its last step, and would wait for itself."""
    chosen = TOOLS[tool].chosen(CALLS[tool, action])
    assert chosen.exclusive == any(MAIN_TOOLS[name].exclusive for name in abilities)


def test_an_unknown_action_would_stand_for_all() -> None:
    file = TOOLS["phone_file"].chosen({"action": "shred"}).listing
    assert set(file.abilities) == {
        *("write_file", "append_file", "file_replace", "delete_file", "download_from_url"),
    }
    assert file.destructive


async def test_a_narrower_rule_for_one_tool_does_not_allow_another() -> None:
    """What allows `list_files` allows no listing of storage locations."""
    gate = ApprovalGate(Rules(deny=["toolset:files"], allow=["list_files"]))
    failed = await refusal(surface(gate=gate), "phone_read", {"what": "files"})
    assert isinstance(failed, PermissionDenied)


async def test_a_refused_action_names_what_is_switched_off() -> None:
    made = surface(policy=RequestScope(off=frozenset({"delete_file"})))
    failed = await refusal(made, "phone_file", {"action": "delete", "path": "x/a"})
    assert isinstance(failed, PermissionDenied)
    assert failed.message == (
        "phone_file may not do this here. Switched off: delete_file. Nothing was done."
    )


async def test_hints_follow_the_actions_that_are_left() -> None:
    off = frozenset({"download_from_url"})
    [whole] = [one for one in await surface().tools() if one.name == "phone_file"]
    [rest] = [
        one for one in await surface().tools(RequestScope(off=off)) if one.name == "phone_file"
    ]
    assert (whole.open_world, rest.open_world) == (True, False)


async def test_switched_off_toolsets_cost_nothing_in_the_list(tmp_path: Path) -> None:
    settings = load({"toolsets_off": "files,sms,device"}, {"HANDHELD_HOME": str(tmp_path)})
    made = surface(policy=make_policy(settings, EVERY_TOOLSET))
    listed = {one.name: one for one in await made.tools()}
    assert {"phone_file", "phone_message"}.isdisjoint(listed)
    [what] = [listed["phone_read"].input_schema["properties"]["what"]]
    assert what["enum"] == [
        *("text", "clipboard", "apps", "app", "log", "crashes", "performance", "notifications"),
        "web",
    ]


@pytest.mark.parametrize("name", ["phone_do", "phone_tap"])
async def test_settings_switch_off_a_tool_for_models_by_its_name(tmp_path: Path, name: str) -> None:
    settings = load({"tools_off": name}, {"HANDHELD_HOME": str(tmp_path)})
    made = surface(policy=make_policy(settings, EVERY_TOOLSET))
    assert name not in [one.name for one in await made.tools()]
    assert isinstance(await refusal(made, name, {"at": "a", "steps": [{"tap": "a"}]}), UnknownTool)


def test_an_unknown_name_in_the_settings_is_compared_with_both_surfaces(tmp_path: Path) -> None:
    environment = {"HANDHELD_HOME": str(tmp_path)}
    with pytest.raises(SettingsError, match=r"tools\.off names no tool 'phone_tab'.*phone_tap"):
        make_policy(load({"tools_off": "phone_tab"}, environment), EVERY_TOOLSET)
    with pytest.raises(SettingsError, match=r"policy\.deny names no tool 'send_sm'.*send_sms"):
        make_gate(load({"policy_deny": "send_sm"}, environment), EVERY_TOOLSET)
    make_gate(
        load({"policy_deny": "phone_message,phone_tap+app:com.bank"}, environment), EVERY_TOOLSET
    )
    with pytest.raises(SettingsError, match="rules on those tools apply to its steps"):
        make_gate(load({"policy_deny": "phone_do"}, environment), EVERY_TOOLSET)


async def test_steps_are_listed_as_long_as_one_may_act() -> None:
    names = {one.name for one in await surface().tools(RequestScope(only=frozenset({"phone_tap"})))}
    assert names == {"phone_tap"}
    some = RequestScope(off=frozenset({"tap", "press_key", "open_app", "open_uri", "phone_look"}))
    [steps] = [one for one in await surface().tools(some) if one.name == "phone_do"]
    tools = steps.input_schema["properties"]["steps"]["items"]["properties"]["tool"]
    assert "press" not in tools["enum"]
    assert "open" not in tools["enum"]
    assert "type" in tools["enum"]


async def test_steps_without_a_look_at_the_screen_are_refused() -> None:
    some = frozenset({"phone_tap", "phone_do"})
    failed = await refusal(surface(), "phone_do", {"steps": [{"tap": "a"}]}, only=some)
    assert isinstance(failed, PermissionDenied)
    assert failed.message == "phone_do needs phone_look, which is switched off."


def test_filters_of_a_request_and_a_token_narrow_each_other() -> None:
    asked = RequestScope(off=frozenset({"tap"}), prefix="")
    token = RequestScope(read_only=True, prefix="x_")
    assert asked.within(token) == replace(token, off=frozenset({"tap"}), prefix="")
    assert EVERYTHING.within(token).prefix == "x_"
