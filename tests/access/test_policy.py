"""What is left of the tools: by the owner's settings, and by what a request asks for."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from handheld.access.policy import make_policy
from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.calls.local import Caller, LocalSurface, SurfaceOptions
from handheld.errors import UnknownPhone, UnknownTool
from handheld.settings import SettingsError, load
from handheld.tools.main import CATALOG
from harness.one_phone import UnusedPhone

CALLER = Caller("http")
READ_ONLY = {
    "get_screen_state",
    "get_device_logs",
    "find_elements",
    "get_clipboard",
    "wait_for_element",
    "wait_for_idle",
    "get_element_details",
    "list_storage_locations",
    "list_files",
    "read_file",
    "list_apps",
    "get_sms_subscriptions",
}
ALL = [tool.name for toolset in CATALOG for tool in toolset.tools]


def policy_of(tmp_path: Path, **flags: Any) -> RequestScope:
    return make_policy(load(flags, {"HANDHELD_HOME": str(tmp_path)}), CATALOG)


async def left(surface: LocalSurface, scope: RequestScope = EVERYTHING) -> list[str]:
    return [one.name.removeprefix("android_") for one in await surface.tools(scope)]


async def assert_unknown(
    surface: LocalSurface, names: Collection[str], scope: RequestScope = EVERYTHING
) -> None:
    for name in names:
        with pytest.raises(UnknownTool):
            await surface.call(f"android_{name}", {}, CALLER, scope)


def test_read_only_is_what_changes_nothing_on_the_phone() -> None:
    found = {tool.name for toolset in CATALOG for tool in toolset.tools if tool.listing.read_only}
    assert found == READ_ONLY & set(ALL)


async def test_a_tool_that_is_switched_off_is_unknown(tmp_path: Path) -> None:
    surface = LocalSurface(
        CATALOG, UnusedPhone(), SurfaceOptions(policy=policy_of(tmp_path, tools_off="tap,open_app"))
    )
    assert await left(surface) == [name for name in ALL if name not in ("tap", "open_app")]
    await assert_unknown(surface, ["tap", "open_app"])


async def test_a_toolset_is_switched_off_whole(tmp_path: Path) -> None:
    touch = next(toolset for toolset in CATALOG if toolset.name == "touch")
    names = [tool.name for tool in touch.tools]
    surface = LocalSurface(
        CATALOG, UnusedPhone(), SurfaceOptions(policy=policy_of(tmp_path, toolsets_off="touch"))
    )
    assert await left(surface) == [name for name in ALL if name not in names]
    await assert_unknown(surface, names)


async def test_read_only_leaves_what_reads(tmp_path: Path) -> None:
    surface = LocalSurface(
        CATALOG, UnusedPhone(), SurfaceOptions(policy=policy_of(tmp_path, read_only=True))
    )
    assert await left(surface) == [name for name in ALL if name in READ_ONLY]
    await assert_unknown(surface, [name for name in ALL if name not in READ_ONLY])


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (
            {"tools_off": "tap,android_tap"},
            "tools.off names no tool 'android_tap'. Near it: ",
        ),
        ({"toolsets_off": "tuch"}, "toolsets.off names no toolset 'tuch'. Near it: touch"),
        ({"toolsets_off": "zzz"}, "toolsets.off names no toolset 'zzz'. Known: app"),
    ],
)
def test_a_name_that_nothing_has_is_met_with_near_ones(
    tmp_path: Path, flags: dict[str, str], sentence: str
) -> None:
    with pytest.raises(SettingsError) as raised:
        policy_of(tmp_path, **flags)
    assert str(raised.value).startswith(sentence)


@pytest.mark.parametrize(
    ("scope", "names"),
    [
        (RequestScope(only=frozenset({"tap", "android_press_back", "fly"})), ["press_back", "tap"]),
        (RequestScope(only=frozenset({"android_pixel7_tap"})), []),
        (RequestScope(read_only=True, only=frozenset({"tap", "find_elements"})), ["find_elements"]),
        (RequestScope(off=frozenset({"android_tap"})), [name for name in ALL if name != "tap"]),
        (RequestScope(only=frozenset({"tap"}), off=frozenset({"tap"})), []),
    ],
)
async def test_a_request_is_left_what_it_asks_for(scope: RequestScope, names: list[str]) -> None:
    surface = LocalSurface(CATALOG, UnusedPhone())
    assert await left(surface, scope) == [name for name in ALL if name in names]
    await assert_unknown(surface, set(ALL) - set(names), scope)


async def test_a_request_never_gets_what_is_switched_off(tmp_path: Path) -> None:
    surface = LocalSurface(
        CATALOG, UnusedPhone(), SurfaceOptions(policy=policy_of(tmp_path, tools_off="tap"))
    )
    asked = RequestScope(only=frozenset({"tap", "press_home"}))
    assert await left(surface, asked) == ["press_home"]
    await assert_unknown(surface, ["tap"], asked)


def test_two_scopes_allow_what_both_allow() -> None:
    one = RequestScope("a", False, frozenset({"x", "y"}), frozenset({"p"}))
    other = RequestScope("b", True, frozenset({"y", "z"}), frozenset({"q"}))
    assert one.within(other) == RequestScope("a", True, frozenset({"y"}), frozenset({"p", "q"}))
    assert EVERYTHING.within(other) == other
    assert other.within(EVERYTHING) == other


async def test_a_phones_slug_is_in_the_names_at_its_address() -> None:
    surface = LocalSurface(CATALOG, UnusedPhone(), SurfaceOptions(several=True))
    names = [one.name for one in await surface.tools(RequestScope("pixel7"))]
    assert names == [f"android_pixel7_{name}" for name in ALL]
    with pytest.raises(UnknownPhone):
        await surface.tools(RequestScope("nobody"))
    with pytest.raises(UnknownPhone):
        await surface.call("android_tap", {}, CALLER, RequestScope("nobody"))


@pytest.mark.parametrize(("slug", "warned"), [("a" * 20, True), ("a" * 19, False)])
def test_a_slug_that_makes_names_too_long_is_warned_of(
    slug: str, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    LocalSurface(CATALOG, UnusedPhone(), SurfaceOptions(slug=slug))
    longest = max(ALL, key=len)
    expected = [
        "Some clients hide tools with names over 50 characters, such as "
        f"android_{slug}_{longest}: choose a shorter slug."
    ]
    # The sentence is due with the longest of the 39, which is list_storage_locations.
    assert [record.getMessage() for record in caplog.records] == expected * warned


@pytest.mark.parametrize(("several", "limit"), [(False, 25_000), (True, 30_000)])
async def test_the_list_of_tools_stays_small(several: bool, limit: int) -> None:
    tools = await LocalSurface(CATALOG, UnusedPhone(), SurfaceOptions(several=several)).tools()
    text = json.dumps(
        {"tools": [one.as_json() for one in tools]}, ensure_ascii=False, separators=(",", ":")
    )
    assert len(text) <= limit
