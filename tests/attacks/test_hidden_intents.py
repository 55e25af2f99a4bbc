"""Links that hide an intent, a call or a command, as pages and messages may hold them."""

from collections.abc import Callable
from typing import Any

import pytest

from attacks.conftest import AGENT, Target
from handheld.access.approval import ApprovalGate
from handheld.access.request_scope import RequestScope
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.local import LocalSurface, SurfaceOptions
from handheld.errors import ToolError
from handheld.settings.rules import Rules
from handheld.tools.main import EVERY_TOOLSET
from harness.one_phone import OnePhone
from harness.phones import PhoneClock
from tools.main.link_apps import Maps

from .test_shell_injection import COMMANDS, EVIL, OURS, Watch

ATTACK = "intents in links"

MAPS = Maps.package
CALL = "android.intent.action.CALL"
LINKS = (
    f"intent:112#Intent;scheme=tel;action={CALL};end",
    f"intent:112#Intent;scheme=tel;action={CALL}_PRIVILEGED;end",
    f"intent:112#Intent;scheme=tel;action=android.intent.action.VIEW;SEL;action={CALL};end",
    f"intent:112#Intent;scheme=tel;action=android.intent.action.DIAL;action={CALL};end",
    f"intent:112#Intent;scheme=tel;%61ction={CALL};end",
    "intent:112#Intent;scheme=tel;action=%61ndroid.intent.action.CALL;end",
    f"intent:112#Intent;scheme=tel;action={CALL} ;end",
    f"Intent:112#Intent;scheme=tel;action={CALL};end",
    f" intent:112#Intent;scheme=tel;action={CALL};end",
    f"intent:intent:112#Intent;scheme=tel;action={CALL};end#Intent;end",
    f"android-app://com.android.dialer/tel/112#Intent;action={CALL};end",
    "tel:*%2306%23",
    "tel:%2A%2A62%2A",
    f"intent:#Intent;component={MAPS}/.Inside;end",
    f"intent:#Intent;component={MAPS}/.Place;end",
    f"intent:#Intent;package={MAPS};component={MAPS}/.Guarded;end",
    f"intent:#Intent;SEL;component={MAPS}/.Place;end",
    "intent:#Intent;action=android.intent.action.FACTORY_RESET;end",
    "intent:#Intent;action=android.intent.action.MASTER_CLEAR;end",
    "intent:#Intent;action=com.android.internal.intent.action.REQUEST_SHUTDOWN;end",
    "intent://contacts/1#Intent;scheme=content;launchFlags=0x1;end",
    "intent://contacts/1#Intent;scheme=content;launchFlags=3;end",
    "intent:///sdcard/x.apk#Intent;scheme=file;type=application/vnd.android.package-archive;end",
    # What an extra means, only the app knows.
    f"intent:47,19#Intent;scheme=geo;package={MAPS};S.q=pay;end",
    f"intent:47,19#Intent;scheme=geo;package={MAPS};B.confirmed=true;end",
    "intent:#Intent;action=android.intent.action.SEND;type=text/plain;"
    "S.android.intent.extra.STREAM=content://contacts/1;end",
    "intent:#Intent;action=android.settings.WIFI_SETTINGS;B.reset=true;end",
    "file:///sdcard/Download/x.apk",
    "javascript:alert(1)",
    "JAVASCRIPT:alert(1)",
    "intent:alert(1)#Intent;scheme=javascript;end",
    "settings:FACTORY_RESET",
    "settings:x'; reboot; '",
)


def serve(target: Target, *on: str) -> None:
    options = SurfaceOptions(
        # As the default rules are.
        gate=ApprovalGate(Rules(default=["send_intent"])),
        policy=RequestScope(on=frozenset(on)),
        clock=PhoneClock(target.device),
    )
    target.main = LocalSurface(EVERY_TOOLSET, OnePhone(target.phone), options)
    target.agent = make_agent_surface(OnePhone(target.phone), options)


def reached(target: Target) -> list[tuple[object, ...]]:
    return [
        (event.kind, *event.details)
        for event in target.world.events
        if event.kind in ("launch", "service", "broadcast")
    ]


@pytest.mark.parametrize("on", [("links",), ("links", "intents")])
async def test_no_link_does_more_than_a_link(
    target: Target, tried: Callable[[], None], on: tuple[str, ...]
) -> None:
    """As behaviour 112 states."""
    target.world.install(Maps)
    serve(target, *on)
    for link in LINKS:
        for tool, arguments in (("open_uri", {"uri": link}), ("phone_open", {"what": link})):
            tried()
            await target.refused(tool, **arguments)
            assert reached(target) == [], (tool, link)


INTENTS: tuple[dict[str, Any], ...] = (
    {"type": "activity", "action": CALL, "data": "tel:112"},
    {"type": "activity", "component": f"{MAPS}/.Place"},
    {"type": "activity", "action": "com.shop.PAY"},
    {
        "type": "activity",
        "action": "android.intent.action.VIEW",
        "data": f"intent:#Intent;action={CALL};end",
    },
    {"type": "service", "component": f"{MAPS}/.Sync"},
    {"type": "broadcast", "component": f"{MAPS}/.Noted"},
    {"type": "broadcast", "action": "android.intent.action.REBOOT", "package_name": "android"},
    {"type": ["activity"], "component": f"{MAPS}/.Place"},
    {"type": "activity", "component": [f"{MAPS}/.Place"]},
    {"type": "activity", "component": f"{MAPS}/.Place", "action": 0},
    {
        "type": "activity",
        "action": "android.intent.action.VIEW",
        "data": "geo:1,2",
        "flags": ["FLAG_GRANT_READ_URI_PERMISSION"],
    },
)


async def test_without_a_console_no_intent_does_more_than_a_link(
    target: Target, tried: Callable[[], None]
) -> None:
    target.world.install(Maps)
    target.world.running.ensure(target.world.apps[MAPS], "tests")
    serve(target, "intents")
    for arguments in INTENTS:
        tried()
        await target.refused("send_intent", **arguments)
        assert reached(target) == [], arguments


@pytest.mark.parametrize(
    "commands", [COMMANDS[:3], pytest.param(COMMANDS, marks=pytest.mark.matrix)], ids=["few", "all"]
)
async def test_no_part_of_an_intent_is_a_command_of_the_shell(
    target: Target, tried: Callable[[], None], commands: tuple[str, ...]
) -> None:
    target.world.install(Maps)
    watch = Watch(target.device)
    options = SurfaceOptions(policy=RequestScope(on=frozenset({"links", "intents"})))
    main = LocalSurface(EVERY_TOOLSET, OnePhone(target.phone), options)
    usual: dict[str, Any] = {
        "type": "broadcast",
        "action": "org.example.NOTE",
        "package_name": MAPS,
        "data": "geo:1",
    }
    for command in commands:
        for name, given in (
            ("open_uri", {"uri": f"geo:1{command}"}),
            ("open_uri", {"uri": "geo:1", "package_name": MAPS + command}),
            ("open_uri", {"uri": "geo:1", "mime_type": f"a/b{command}"}),
            ("find_handlers", {"data": f"geo:1{command}"}),
            ("find_handlers", {"action": f"a.B{command}"}),
            ("send_intent", {**usual, "action": f"a.B{command}"}),
            ("send_intent", {**usual, "data": f"geo:1{command}"}),
            ("send_intent", {**usual, "component": f"{MAPS}/.Noted{command}"}),
            ("send_intent", {**usual, "categories": [f"a.B{command}"]}),
            ("send_intent", {**usual, "flags": [command]}),
            ("send_intent", {**usual, "data": None, "extras": {f"k{command}": "v"}}),
            ("send_intent", {**usual, "data": None, "extras": {"k": command, "l": [command]}}),
        ):
            tried()
            try:
                await target.passing(main.call(f"android_{name}", given, AGENT))
            except ToolError:
                continue
            finally:
                assert EVIL not in watch.ran, given
                assert watch.made() == [], given
    assert watch.ran <= OURS, " ".join(sorted(watch.ran - OURS))
