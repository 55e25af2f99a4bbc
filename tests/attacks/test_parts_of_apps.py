"""A denied app is reached without being in front: by its tools, its log, its
notifications, an overlay, a widget, or its picture among the recent apps."""

import json
from dataclasses import replace

import pytest

from access.test_app_in_front import Front, Scene
from attacks.conftest import AGENT, Target
from handheld.access.approval import ApprovalGate
from handheld.calls.admission import apps_on, apps_pictured
from handheld.errors import PermissionDenied
from handheld.screen.model import Bounds, Node, Screen, Window
from handheld.settings.rules import Rules
from handheld.tools.app_offer import AppOffer, Standing
from handheld.tools.call import Beside, ToolCall
from handheld.tools.tool import Image, Listing, Tool
from handheld_virtual.system.notifications import NotificationAction

ATTACK = "parts of a denied app"
BANK = "com.bank"
SETTINGS = "com.android.settings"


def offered_by(tool: Tool, package: str) -> Tool:
    offer = AppOffer(package, "virtual", "", Standing.FOUND)
    return replace(tool, listing=replace(tool.listing, offer=offer))


def view(resource_id: str) -> Node:
    return Node(0, 0, "k", "V", "words", None, resource_id, Bounds(0, 0, 9, 9), 0)


def screen(*windows: Window) -> Screen:
    front = Window(1, "APPLICATION", "com.notes", "Notes", 1, True, [view("com.notes:id/list")])
    return Screen(1080, 2400, 420, 0, [*windows, front], foreground=("com.notes", "Main"))


OVERLAY = Window(7, "SYSTEM", BANK, "", 9, False, [view("android:id/content")])
BAR = Window(8, "SYSTEM", "com.android.systemui", "", 8, False, [view("com.android.systemui:id/x")])
WIDGET = Window(9, "APPLICATION", "com.notes", "", 2, False, [view("com.bank:id/balance")])
KEYBOARD = Window(10, "INPUT_METHOD", BANK, "", 3, False, [view("com.bank:id/key")])


@pytest.mark.parametrize(
    ("window", "seen"),
    [(OVERLAY, [BANK]), (WIDGET, [BANK]), (BAR, []), (KEYBOARD, [])],
)
def test_overlays_and_widgets_are_parts_of_their_apps(window: Window, seen: list[str]) -> None:
    apps = apps_on(screen(window))
    assert apps[0] == "com.notes"
    assert [app for app in apps if isinstance(app, Beside)] == seen


@pytest.mark.parametrize(
    ("deny", "allow", "allowed"),
    [
        (f"app:{BANK}", "press_key", False),
        ("app:com.b*", "press_key", False),
        ("app:com.other", "press_key", True),
        # An overlay does not take away what is allowed for the app under it.
        ("tap", "tap+app:com.notes", True),
    ],
)
async def test_rules_that_name_an_app_hold_for_its_overlays(
    deny: str, allow: str, allowed: bool
) -> None:
    gate = ApprovalGate(Rules(deny=[deny], allow=[allow]))
    call = ToolCall("tap", Listing("tap", "", "", {}), {}, AGENT, "", apps_on(screen(OVERLAY)))
    if allowed:
        await gate.ask(call)
    else:
        with pytest.raises(PermissionDenied):
            await gate.ask(call)


async def test_the_log_of_a_denied_app_is_not_read(target: Target) -> None:
    target.deny(f"app:{SETTINGS}")
    assert "denies it" in await target.refused("get_device_logs", package_name=SETTINGS)
    with pytest.raises(PermissionDenied, match="denies it"):
        await target.passing(target.v1.call("get_device_logs", {"package_name": SETTINGS}, AGENT))


@pytest.mark.parametrize("tool", ["get_device_logs", "phone_read"])
async def test_the_log_of_the_phone_is_without_the_lines_of_a_denied_app(
    target: Target, tool: str
) -> None:
    target.world.show(SETTINGS)
    target.world.apps[SETTINGS].log("D", "Balance", "1,000")
    target.world.apps["com.android.deskclock"].log("D", "Clock", "seen")
    target.world.press("home")
    arguments = {"what": "log"} if tool == "phone_read" else {}
    for rule in ("app:com.other", f"app:{SETTINGS}"):
        target.deny(rule)
        reply = str(await target.call(tool, **arguments))
        assert "seen" in reply
        assert ("1,000" in reply) is (rule == "app:com.other")


@pytest.mark.parametrize("package", [SETTINGS, f" {SETTINGS}\n"])
async def test_the_log_of_a_denied_app_is_not_read_for_models_either(
    target: Target, package: str
) -> None:
    target.deny(f"app:{SETTINGS}")
    assert "denies it" in await target.refused("phone_read", what="log", of=package)


@pytest.mark.parametrize("package", [SETTINGS, "com.android.deskclock", 1, " "])
async def test_an_argument_that_the_tool_lacks_is_refused(target: Target, package: object) -> None:
    target.deny(f"app:{SETTINGS}")
    for of in (SETTINGS, "com.android.deskclock"):
        message = await target.refused("phone_read", what="log", of=of, package_name=package)
        assert message.startswith('phone_read has no "package_name".') or "denies it" in message


async def test_the_tools_of_a_denied_app_are_denied_wherever_it_is() -> None:
    scene = Scene(f"app:{BANK}")
    scene.front.apps = ["com.notes"]
    tools = scene.surface._resolver.tools  # pyright: ignore[reportPrivateUsage]
    assert await scene.say() == "hi"
    tools["say"] = offered_by(tools["say"], BANK)
    with pytest.raises(PermissionDenied, match="denies it"):
        await scene.say()


async def test_the_tool_of_an_allowed_app_says_nothing_of_the_app_in_front() -> None:
    class Covered(Front):
        """Only an overlay can be told."""

        async def read_screen(self) -> Screen:
            return replace(await super().read_screen(), windows=[OVERLAY], foreground=None)

    scene = Scene("app:com.other")
    scene.front = Covered()
    scene.front.apps = ["com.notes"]
    scene.phone.driver = scene.front
    tools = scene.surface._resolver.tools  # pyright: ignore[reportPrivateUsage]
    tools["say"] = offered_by(tools["say"], "com.notes")
    with pytest.raises(PermissionDenied, match="denies it"):
        await scene.say()


@pytest.mark.parametrize("target", ["helper"], indirect=True)  # adb alone hears of none
async def test_notifications_and_toasts_of_a_denied_app_are_not_told(target: Target) -> None:
    for rule in ("app:com.other", f"app:{SETTINGS}"):
        target.deny(rule)
        await target.call("phone_look")
        target.world.notify(SETTINGS, "Balance", "1,000")
        text = "\n".join(map(str, await target.call("phone_wait")))
        assert ("Balance" in text) is (rule == "app:com.other")


@pytest.mark.parametrize("target", ["helper"], indirect=True)
async def test_a_notification_of_a_denied_app_does_not_end_a_wait_and_is_not_shown(
    target: Target,
) -> None:
    wait = {"notification": "Balance", "seconds": 2}
    for rule in ("app:com.other", f"app:{SETTINGS}"):
        target.deny(rule)
        await target.call("phone_look")
        target.world.notify(SETTINGS, "Balance", "1,000")
        if rule == "app:com.other":
            text = "\n".join(map(str, await target.call("phone_wait", **wait)))
            assert text.startswith('A notification with "Balance" came.')
            assert "1,000" in text
        else:
            text = await target.refused("phone_wait", **wait)
            assert text.startswith("Not yet after 2 s.")
            assert "Balance" not in text
            assert "1,000" not in text


async def test_notifications_of_a_denied_app_are_not_listed_and_not_acted_on(
    target: Target,
) -> None:
    target.world.notify(SETTINGS, "Balance", "1,000", actions=(NotificationAction("Pay", print),))
    target.world.notify("com.android.calculator2", "Sum", "12")
    target.deny("app:com.other")
    [told] = await target.call("notification_list")
    both = json.loads(str(told))["notifications"]
    bank = next(each for each in both if each["package_name"] == SETTINGS)
    id, action = bank["notification_id"], bank["actions"][0]["action_id"]
    for rule in (f"app:{SETTINGS}", f"*notification*+app:{SETTINGS}"):
        target.deny(rule)
        [told] = await target.call("notification_list")
        assert "Sum" in str(told)
        assert "Balance" not in str(told)
        assert json.loads(str(told))["count"] == 1
        await target.refused("notification_list", package_name=SETTINGS)
        for tool, arguments in (
            ("notification_open", {"notification_id": id}),
            ("notification_dismiss", {"notification_id": id}),
            ("notification_snooze", {"notification_id": id, "duration_ms": 1000}),
            ("notification_action", {"action_id": action}),
            ("notification_reply", {"action_id": action, "text": "x"}),
            ("phone_notification", {"id": id, "action": "dismiss"}),
            ("phone_notification", {"id": id, "action": "press", "text": "Pay"}),
        ):
            assert f"the rule '{rule}' denies it" in await target.refused(tool, **arguments)
        [read] = await target.call("phone_read", what="notifications")
        assert "Sum" in str(read)
        assert "Balance" not in str(read)
        [waited] = await target.call("wait_for_notification", text="1,000", timeout=1000)
        assert json.loads(str(waited))["found"] is False
    assert len(target.world.notifications.posted) == 2
    assert all(event.kind != "notification" for event in target.world.events)


async def test_the_recent_apps_are_not_pictured_where_an_app_is_denied(target: Target) -> None:
    target.world.show(SETTINGS)
    target.world.press("recents")
    seen = await target.read()
    assert apps_pictured(seen) == ()
    target.deny(f"app:{SETTINGS}")
    message = await target.refused("get_screen_state", include_screenshot=True)
    assert "The app in front is not known." in message
    target.deny("tap+app:com.bank")
    items = await target.call("get_screen_state", include_screenshot=True)
    assert any(isinstance(item, Image) for item in items)
