"""No console is open, or the server that had one is gone: what the owner wants to be
asked about is not done."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from attacks.conftest import AGENT
from handheld.access.policy import describe_unasked, make_gate, make_policy
from handheld.devices.ownership import Owners, OwnershipEntry
from handheld.errors import PermissionDenied
from handheld.server.sharing.inheritance import describe_limits, inherit
from handheld.settings import Settings, load
from handheld.tools.app_offer import AppOffer, Standing
from handheld.tools.call import ToolCall
from handheld.tools.listing import EXTRA_TOOLSETS, OPTIONAL_TOOLSETS
from handheld.tools.main import EVERY_TOOLSET
from handheld.tools.tool import Listing

ATTACK = "no console to ask"
BUILT_IN = ("send_sms", "delete_file", "close_app", "download_from_url")


def settings_of(folder: Path, **flags: Any) -> Settings:
    return load(flags, {"HANDHELD_HOME": str(folder)})


async def runs(
    settings: Settings,
    tool: str,
    apps: tuple[str, ...] = ("com.x",),
    offer: AppOffer | None = None,
) -> bool:
    listing = Listing(tool, "", "", {}, toolset="sample", offer=offer)
    try:
        await make_gate(settings, EVERY_TOOLSET).ask(
            ToolCall(tool, listing, {}, AGENT, "desk", apps)
        )
    except PermissionDenied:
        return False
    return True


async def test_our_own_rules_for_documented_tools_ask_only_while_a_console_is_open(
    tmp_path: Path,
) -> None:
    settings = settings_of(tmp_path)
    assert [tool for tool in BUILT_IN if await runs(settings, tool)] == list(BUILT_IN)
    assert describe_unasked(settings.policy) == (
        f"While nobody is there to be asked, {', '.join(BUILT_IN)}, and tools of apps that were"
        " present at the first look at the phone are allowed without a question"
        " (--policy-require-console changes that); other calls that need approval are denied."
    )


@pytest.mark.parametrize(
    ("flags", "tool"),
    [
        ({"policy_ask": "tap"}, "tap"),
        ({"policy_ask": "app:com.x"}, "tap"),
        ({"policy_ask": "send_sms,delete_file,close_app,download_from_url,app_*"}, "close_app"),
        ({}, "app_notes_add"),
        ({"policy_require_console": True}, "close_app"),
    ],
)
async def test_without_a_console_what_the_owner_wants_to_be_asked_about_is_denied(
    tmp_path: Path, flags: dict[str, Any], tool: str
) -> None:
    assert not await runs(settings_of(tmp_path, **flags), tool)


def after(server: Settings, folder: Path, console: str = "key") -> OwnershipEntry:
    """The entry that the server leaves to whoever takes over, through its file."""
    owners = Owners(folder)
    claim = owners.claim(["virtual"], "handheld serve")
    assert claim is not None
    claim.publish("http://127.0.0.1:1", "t", console=console, limits=describe_limits(server))
    try:
        [entry] = owners.entries()
    finally:
        claim.release()
    return entry


@pytest.mark.parametrize(
    ("theirs", "own", "on"),
    [
        ("", "intents,links", {"links"}),
        ("links", "intents", set[str]()),
        ("intents", "intents,fleet", {"intents"}),
        ("", "all", EXTRA_TOOLSETS),
        ("intents", "all", EXTRA_TOOLSETS | {"intents"}),
        ("all", "all", OPTIONAL_TOOLSETS),
    ],
)
def test_a_process_that_takes_over_has_no_toolset_of_the_owners_that_the_server_had_not(
    tmp_path: Path, theirs: str, own: str, on: set[str]
) -> None:
    """Else whoever ends the server would get what it left out."""
    server, mine = (
        settings_of(tmp_path, **({"toolsets_on": names} if names else {}))
        for names in (theirs, own)
    )
    entry = after(server, tmp_path / "owners")
    assert make_policy(inherit(mine, entry), EVERY_TOOLSET).on == on
    earlier = {name: limit for name, limit in entry.limits.items() if name != "on"}
    kept = make_policy(inherit(mine, replace(entry, limits=earlier)), EVERY_TOOLSET).on
    assert kept == on & EXTRA_TOOLSETS


async def test_a_process_that_takes_over_from_a_server_keeps_what_its_owner_decided(
    tmp_path: Path,
) -> None:
    server = settings_of(
        tmp_path,
        policy_ask="swipe",
        policy_deny="tap",
        read_only=True,
        tools_off="press_home",
        sms_parts_per_minute="1",
    )
    own = settings_of(tmp_path, policy_allow="tap+token:family", policy_deny="pinch")
    left = inherit(own, after(server, tmp_path / "owners"))
    for tool in ("tap", "swipe", "pinch", "close_app"):
        assert not await runs(left, tool)
    assert await runs(left, "press_key")
    assert (left.read_only, left.tools.off, left.sms) == (True, ("press_home",), server.sms)
    assert left.sms.parts_per_minute == 1


@pytest.mark.parametrize("tool", [*BUILT_IN, "app_notes_add", "tap"])
async def test_after_a_server_with_the_built_in_rules_they_hold_beside_our_own(
    tmp_path: Path, tool: str
) -> None:
    own = settings_of(tmp_path, policy_ask="tap")
    left = inherit(own, after(settings_of(tmp_path), tmp_path / "owners"))
    assert not await runs(left, tool)
    assert await runs(left, "swipe")


@pytest.mark.parametrize(("tool", "allowed"), [("close_app", True), ("app_notes_add", False)])
async def test_what_a_server_without_a_console_let_run_unasked_runs_after_it(
    tmp_path: Path, tool: str, allowed: bool
) -> None:
    own = settings_of(tmp_path, policy_ask="tap")
    left = inherit(own, after(settings_of(tmp_path), tmp_path / "owners", console=""))
    assert await runs(left, tool) is allowed


async def test_what_the_agents_own_process_allows_does_not_pass_a_servers_default_rules(
    tmp_path: Path,
) -> None:
    """Whoever starts the process could write any `allow` on its command line."""
    own = settings_of(tmp_path, policy_allow="install_app,app_*", sms_unasked_per_hour="1000")
    entry = after(settings_of(tmp_path, policy_allow="app_*"), tmp_path / "owners", console="")
    left = inherit(own, entry)
    assert not await runs(left, "install_app")
    assert await runs(left, "app_notes_add")
    assert left.sms.unasked_per_hour == 5
    # The entry of an earlier version has None for the default.
    earlier = replace(entry, limits={**entry.limits, "ask": None})
    assert not await runs(inherit(settings_of(tmp_path, policy_ask="tap"), earlier), "install_app")


def test_what_either_process_records_and_masks_is_recorded_and_masked(tmp_path: Path) -> None:
    server = settings_of(tmp_path, audit_mask_typing=True, audit_mask_screens="com.bank")
    own = settings_of(
        tmp_path,
        audit_off=True,
        audit_required=False,
        audit_mask_files=False,
        audit_mask_apps=True,
        audit_mask_screens="com.notes",
    )
    left = inherit(own, after(server, tmp_path / "owners")).audit
    assert (left.off, left.required) == (False, True)
    assert (left.mask_typing, left.mask_files, left.mask_apps) == (True, True, True)
    assert set(left.mask_screens) == {"com.bank", "com.notes"}


def test_folders_for_packages_are_those_of_the_server(tmp_path: Path) -> None:
    server = settings_of(tmp_path, packages_folders="/srv/apps")
    own = settings_of(tmp_path, packages_folders="/", packages_size_limit_mb="4000")
    entry = after(server, tmp_path / "owners")
    assert inherit(own, entry).packages == server.packages
    limits = {name: value for name, value in entry.limits.items() if name != "packages"}
    assert inherit(own, replace(entry, limits=limits)).packages == own.packages


def test_after_a_process_that_says_nothing_about_its_record_our_own_settings_hold(
    tmp_path: Path,
) -> None:
    own = settings_of(tmp_path, audit_required=False)
    entry = after(settings_of(tmp_path), tmp_path / "owners")
    limits = {name: value for name, value in entry.limits.items() if name != "audit"}
    assert inherit(own, replace(entry, limits=limits)).audit == own.audit


@pytest.mark.parametrize(("console", "allowed"), [("key", False), ("", True)])
async def test_after_a_server_with_a_console_nothing_runs_unasked(
    tmp_path: Path, console: str, allowed: bool
) -> None:
    own = settings_of(tmp_path)
    left = inherit(own, after(settings_of(tmp_path), tmp_path / "owners", console))
    assert await runs(left, "close_app") is allowed
    found = AppOffer("org.notes", "desk", "1", Standing.FOUND)
    assert await runs(left, "app_notes_add", offer=found) is allowed
    assert inherit(own, replace(after(own, tmp_path / "owners"), limits={})) == own
