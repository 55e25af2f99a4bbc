"""The helper driver: its verbs, and the translation of failures."""

import asyncio
import io
from typing import Any

import pytest
from PIL import Image

from handheld.adb.link import AdbError, LinkLost, NoAnswer
from handheld.adb.state import PhoneState, PhoneUnavailable
from handheld.adb.sync import SyncError
from handheld.driver import NodeSignature, NotActionable, Rest, Target, TargetMissing
from handheld.driver.app_tools import AppFailed
from handheld.driver.apps import InFront
from handheld.driver.by_helper.driver import HelperDriver
from handheld.driver.by_helper.screen import decode_screen
from handheld.driver.failures import FailedCall, translate
from handheld.driver.files import LeadsOutside
from handheld.driver.intents import NotDelivered
from handheld.driver.notifications import NotificationFailed, NotificationProblem
from handheld.driver.sms import NotSent, SubscriptionGone
from handheld.driver.text import (
    FieldLost,
    NoField,
    NotEditable,
    OutsideText,
    TextNotFound,
    Typing,
)
from handheld.errors import (
    ActionFailed,
    InvalidParams,
    PermissionDenied,
    TimedOut,
    ToolError,
    Unreachable,
)
from handheld.helper.client import HelperClient
from handheld.helper.protocol import Code, Happened, HelperFailure
from handheld.helper.session import Answer, HelperLost
from handheld.screen.model import Node, Notice, Screen
from handheld_virtual.phone import VirtualPhone
from harness.phones import WatchedLink
from harness.polling import until

from .conftest import Clients, Script, install

CALCULATOR = "com.android.calculator2"
TAP = FailedCall("touch", {"strokes": []}, act=True)
READ = FailedCall("screen", {})


def signature(node: Node, **changes: Any) -> NodeSignature:
    known: dict[str, Any] = {
        "class_name": node.class_name,
        "resource_id": node.resource_id,
        "description": node.description,
        "text": node.text,
    }
    return NodeSignature(**{**known, **changes})


async def find(driver: HelperDriver, id: str) -> Node:
    screen = await driver.read_screen()
    wanted = f"{CALCULATOR}:id/{id}"
    return next(n for w in screen.windows for n in w.nodes if n.resource_id == wanted)


# Verbs.


async def test_screen_is_read(phone: VirtualPhone, driver: HelperDriver) -> None:
    world = phone.world
    world.show(CALCULATOR)
    screen = await driver.read_screen()
    assert screen.windows == world.automation.read_windows()
    assert (screen.width, screen.height, screen.density, screen.rotation) == (1080, 2400, 420, 0)
    assert screen.foreground == (CALCULATOR, f"{CALCULATOR}.Calculator")
    assert (screen.degraded, screen.notes, screen.seq) == (False, (), world.automation.seq)


async def test_a_screen_that_did_not_change_is_decoded_once(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    world = phone.world
    world.show(CALCULATOR)
    first, second = await driver.read_screen(), await driver.read_screen()
    assert len(first.windows) > 1
    assert all(one is other for one, other in zip(first.windows, second.windows, strict=True))
    assert first.windows is not second.windows
    world.press("home")
    third = await driver.read_screen()
    assert third.windows == world.automation.read_windows()
    assert third.windows != second.windows


async def test_missing_windows_become_notes(phone: VirtualPhone, driver: HelperDriver) -> None:
    world = phone.world
    world.show(CALCULATOR)
    window = next(w.id for w in world.automation.read_windows() if w.package == CALCULATOR)
    world.rootless_packages.add(CALCULATOR)
    assert (await driver.read_screen()).all_notes == (
        f"window {window} {CALCULATOR} gave no content and is missing",
    )
    world.rootless_packages.clear()
    world.locked = True
    assert (await driver.read_screen()).all_notes == ("the phone is locked",)
    world.awake = False
    assert (await driver.read_screen()).all_notes == (
        "the screen is off, the next action switches it on",
        "the phone is locked",
    )


def test_each_reason_for_a_missing_window_has_its_note() -> None:
    reply: dict[str, Any] = {
        "seq": 1,
        "display": {"width": 1, "height": 2, "density": 160, "rotation": 3},
        "foreground": None,
        "degraded": True,
        "missing": [
            {"window": 42, "package": "com.x", "reason": "timeout"},
            {"window": 43, "package": None, "reason": "no_root"},
            {"window": 44, "package": "com.y", "reason": "something new"},
        ],
        "displays": [2, 5],
        "locked": False,
        "awake": True,
        "notices": [[7, "toast", "com.x", None, "Saved"]],
    }
    assert decode_screen(Answer(reply, b'{"windows": []}')) == Screen(
        width=1,
        height=2,
        density=160,
        rotation=3,
        windows=[],
        degraded=True,
        notes=(
            "window 42 com.x did not answer in time and is missing",
            "window 43 gave no content and is missing",
            "window 44 com.y is missing",
            "display 2, 5 shows windows, too: Handheld reads and touches only the phone's own",
        ),
        seq=1,
        missing=3,
        silent=("com.x",),
        notices=(Notice(7, "toast", "com.x", None, "Saved"),),
    )


async def test_picture_is_complete(driver: HelperDriver) -> None:
    picture = await driver.capture(700, "jpeg", 80)
    assert (picture.width, picture.height, picture.format, picture.secure) == (315, 700, "jpeg", ())
    assert Image.open(io.BytesIO(picture.data)).size == (315, 700)


async def test_touch_press_launch_and_release_reach_the_phone(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    await driver.launch(CALCULATOR)
    await driver.touch([[(3, 4.5, 0)]])
    await driver.press("home")
    assert [(event.kind, *event.details) for event in phone.world.events] == [
        ("launch", CALCULATOR),
        ("touch", "down", 0, 3, 4.5),
        ("touch", "up", 0, 3, 4.5),
        ("press", "home"),
    ]
    assert await driver.release() is True
    assert await driver.release() is False


async def test_release_does_not_start_a_helper(link: WatchedLink, driver: HelperDriver) -> None:
    assert await driver.release() is False
    assert link.services == []


async def test_changed_waits_for_a_change(phone: VirtualPhone, driver: HelperDriver) -> None:
    seq = (await driver.read_screen()).seq
    assert await driver.changed(seq, 1) == seq
    waiting = asyncio.create_task(driver.changed(seq, 5000))
    await asyncio.sleep(0)
    phone.world.show(CALCULATOR)
    assert await waiting == phone.world.automation.seq > seq


async def test_node_is_acted_on_only_if_it_matches(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    phone.world.show(CALCULATOR)
    seven, eight = await find(driver, "digit_7"), await find(driver, "digit_8")
    for target in (
        Target(seven.key, signature(seven, text="8")),
        Target(seven.key, signature(seven), eight.key, signature(eight, text="7")),
    ):
        with pytest.raises(TargetMissing) as caught:
            await driver.act(target, "click")
        assert caught.value.gone is False
    with pytest.raises(TargetMissing) as caught:
        await driver.act(Target("99:1:-1", signature(seven)), "click")
    assert caught.value.gone is True
    with pytest.raises(NotActionable):
        await driver.act(Target(seven.key, signature(seven)), "long_click")
    assert phone.world.events == []
    await driver.act(Target(seven.key, signature(seven), eight.key, signature(eight)), "click")
    await driver.act(Target(seven.key, signature(seven, text=None, compare_text=False)), "click")
    assert (await find(driver, "formula")).text == "77"


@pytest.mark.parametrize("verb", ["act", "type"])
async def test_view_key_is_invalid_after_a_reboot(
    phone: VirtualPhone, link: WatchedLink, verb: str
) -> None:
    """Its key may belong to another view with the same signature."""
    script = Script(lambda script, frame: script.reply(frame.call, {}))
    install(phone, script.program)
    client = HelperClient(link, greeted=lambda _: True)
    driver = HelperDriver(client)
    target = Target("1:2:-1", NodeSignature("android.widget.Button", None, None, "OK"))
    operation = driver.act(target, "click") if verb == "act" else driver.type(target, Typing("x"))
    with pytest.raises(TargetMissing) as caught:
        await operation
    assert (caught.value.gone, script.calls) == (True, [])
    await driver.act(target, "click")  # read since the reboot
    assert [call.do for call in script.calls] == ["act"]
    await client.aclose()


# Failures.

KINDS: dict[Code, type[Exception]] = {
    Code.BAD_CALL: ToolError,
    Code.UNSUPPORTED: ActionFailed,
    Code.BUSY: ActionFailed,
    Code.CANCELLED: ActionFailed,
    Code.OUT_OF_TIME: TimedOut,
    Code.IN_USE: PermissionDenied,
    Code.CLAIMED: PermissionDenied,
    Code.AUTOMATION_HELD: PermissionDenied,
    Code.LOCKED: PermissionDenied,
    Code.INPUT_REFUSED: PermissionDenied,
    Code.OUTSIDE_SCREEN: InvalidParams,
    Code.GONE: TargetMissing,
    Code.CHANGED: TargetMissing,
    Code.NOT_ACTIONABLE: NotActionable,
    Code.NOT_EDITABLE: NotEditable,
    Code.NO_FIELD: NoField,
    Code.FIELD_LOST: FieldLost,
    Code.OUTSIDE_TEXT: OutsideText,
    Code.TEXT_NOT_FOUND: TextNotFound,
    Code.NO_WINDOWS: ActionFailed,
    Code.CAPTURE_FAILED: ActionFailed,
    Code.NOT_INSTALLED: ActionFailed,
    Code.NOT_LAUNCHABLE: ActionFailed,
    Code.IN_FRONT: InFront,
    Code.OUTSIDE: LeadsOutside,
    Code.FILE_FAILED: SyncError,
    Code.NO_COMPONENT: AppFailed,
    Code.APP_REFUSED: AppFailed,
    Code.APP_NOT_STARTED: AppFailed,
    Code.APP_DIED: AppFailed,
    Code.APP_THREW: AppFailed,
    Code.NO_HANDLER: NotDelivered,
    Code.SEVERAL_HANDLERS: NotDelivered,
    Code.NO_SUBSCRIPTION: SubscriptionGone,
    Code.NOT_SENT: NotSent,
    Code.ONGOING: ActionFailed,
    Code.UNSEEN: ActionFailed,
    Code.BLOCKED: ActionFailed,
    Code.FAILED: ActionFailed,
    Code.INTERNAL: ToolError,
}


@pytest.mark.parametrize("code", Code)
def test_every_code_is_translated(code: Code) -> None:
    for happened in Happened:
        for asked in (TAP, READ):
            problem = HelperFailure(code, "It did not work.", happened)
            assert type(translate(problem, asked)) is KINDS[code]


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (Code.GONE, NotificationProblem.GONE),
        (Code.CHANGED, NotificationProblem.CHANGED),
        (Code.ONGOING, NotificationProblem.ONGOING),
        (Code.NOT_ACTIONABLE, NotificationProblem.NO_INTENT),
        (Code.NOT_EDITABLE, NotificationProblem.NO_TEXT),
        (Code.UNSEEN, NotificationProblem.UNSEEN),
    ],
)
def test_what_fails_about_a_notification_is_told_apart(
    code: Code, problem: NotificationProblem
) -> None:
    failed = translate(
        HelperFailure(code, "It did not work."), FailedCall("notification", {}, act=True)
    )
    assert isinstance(failed, NotificationFailed)
    assert failed.problem is problem


@pytest.mark.parametrize(
    ("happened", "tail"),
    [
        (Happened.NO, "Nothing was done."),
        (
            Happened.PARTLY,
            "The action was begun and not completed; look at the screen before going on.",
        ),
        (
            Happened.MAYBE,
            "The action may or may not have happened; look at the screen before going on.",
        ),
    ],
)
def test_failed_action_states_its_outcome(happened: Happened, tail: str) -> None:
    failed = HelperFailure(Code.FAILED, "Android said no.", happened)
    assert str(translate(failed, TAP)) == f"Android said no. {tail}"
    assert str(translate(failed, READ)) == "Android said no."
    lost = HelperLost("The helper ended.", happened)
    assert str(translate(lost, TAP)) == f"The helper ended. {tail}"
    late = HelperFailure(Code.OUT_OF_TIME, "", happened)
    assert str(translate(late, TAP)) == f"The phone did not answer in time. {tail}"


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        (LinkLost("The phone went away."), Unreachable),
        (AdbError("It broke."), ActionFailed),
        (NoAnswer("It is late."), TimedOut),
        (PhoneUnavailable("x", PhoneState.ABSENT), Unreachable),
        (PhoneUnavailable("x", PhoneState.UNAUTHORIZED), PermissionDenied),
        (PhoneUnavailable("x", PhoneState.OFFLINE), PermissionDenied),
    ],
)
def test_unreachable_phone_is_reported(problem: AdbError, kind: type[ToolError]) -> None:
    error = translate(problem, TAP)
    assert type(error) is kind
    assert str(error) == f"{problem} Nothing was done."
    assert str(translate(problem, READ)) == str(problem)


async def test_coordinates_outside_the_screen_report_its_size(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    with pytest.raises(InvalidParams) as caught:
        await driver.touch([[(1081, 0, 0)]])
    assert str(caught.value) == "Coordinates are outside the screen, which is 1080 x 2400 pixels."
    assert phone.world.events == []


async def test_screen_without_roots_is_action_failed(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    for window in phone.world.automation.read_windows():
        phone.world.rootless_packages.add(window.package or "")
    with pytest.raises(ActionFailed, match=r"^All windows returned null root nodes\.$"):
        await driver.read_screen()


def test_screen_without_windows_may_be_transitioning() -> None:
    failure = HelperFailure(Code.NO_WINDOWS, "There is no window.", Happened.NO, {"missing": []})
    assert str(translate(failure, READ)) == (
        "No windows available and no active window root node. The screen may be transitioning."
    )


async def test_app_that_cannot_be_opened_has_its_reason(driver: HelperDriver) -> None:
    with pytest.raises(ActionFailed) as caught:
        await driver.launch("com.nobody")
    assert str(caught.value) == (
        "Failed to open application 'com.nobody': it is not installed. list_apps names those that"
        " are."
    )
    with pytest.raises(ActionFailed) as caught:
        await driver.launch("dev.handheld.keeper")
    assert str(caught.value) == (
        "Failed to open application 'dev.handheld.keeper': "
        "No launchable activity found for package 'dev.handheld.keeper'"
    )


async def test_phone_in_use_reports_its_holder(clients: Clients) -> None:
    await HelperDriver(clients("serve")).press("home")
    with pytest.raises(PermissionDenied, match=r"serve, pid \d+ on .*Stop it"):
        await HelperDriver(clients("call")).press("home")


async def test_uiautomation_conflict_names_the_program(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    phone.world.automation.take("uiautomator dump")
    with pytest.raises(PermissionDenied, match=r"\(uiautomator dump\).*handheld phones release"):
        await driver.read_screen()


async def test_lost_phone_leaves_the_action_in_doubt(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    gesture = asyncio.create_task(driver.touch([[(9, 900, 0), (9, 300, 4000)]]))
    await until(lambda: len(phone.world.events) > 0)
    phone.drop_connections()
    with pytest.raises(ActionFailed, match="may or may not have happened"):
        await gesture
    with pytest.raises(ActionFailed, match=r"Nothing was done\.$"):
        await driver.press("home")


# The screen after an action.


async def test_resting_driver_reads_the_screen_in_the_call_of_the_action(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    phone.world.show(CALCULATOR)
    node = await find(driver, "digit_7")
    rest = Rest(500, 1, 1000)
    await driver.resting(rest).act(Target(node.key, signature(node), node=node), "click")
    assert rest.rested is not None
    assert (rest.rested.changed, rest.rested.settled) == (True, True)
    assert rest.rested.screen is not None
    assert rest.rested.screen.windows == phone.world.automation.read_windows()
    await driver.press("home")
    assert rest.rested.screen.foreground == (CALCULATOR, f"{CALCULATOR}.Calculator")


async def test_typing_at_rest_gives_the_fields_own_window(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    phone.world.show("dev.handheld.form")
    screen = await driver.read_screen()
    node = next(
        node
        for window in screen.windows
        for node in window.nodes
        if node.resource_id == "dev.handheld.form:id/name"
    )
    target = Target(node.key, signature(node, text=None, compare_text=False), node=node)
    rest = Rest(500, 1, 1000)
    typed = await driver.resting(rest).type(target, Typing("Ann", "end", 0, 0))
    assert typed.window is not None
    assert typed.window.package == "dev.handheld.form"
    assert rest.rested is not None
    assert rest.rested.screen is not None
    assert typed.window in rest.rested.screen.windows
    assert len(rest.rested.screen.windows) > 1


async def test_action_is_done_though_the_screen_after_it_is_missing(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    windows = phone.world.automation.listed_windows()
    phone.world.rootless_packages.update(window.package for _, window, _ in windows)
    rest = Rest(1, 1, 1)
    await driver.resting(rest).touch([[(5, 5, 0)]])
    assert rest.rested is not None
    assert rest.rested.screen is None
    assert rest.rested.problem == "All windows returned null root nodes."


async def test_reads_and_refused_actions_leave_no_screen(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    rest = Rest(1, 1, 1)
    resting = driver.resting(rest)
    await resting.touch([[(5, 5, 0)]])
    with pytest.raises(InvalidParams):
        await resting.touch([[(-5, 5, 0)]])
    assert rest.rested is None
    await resting.read_screen()
    assert rest.rested is None


async def test_phone_that_an_action_locks_is_told_with_the_screen_at_rest(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    phone.world.keyguard.set_pin("1234")
    await driver.resting(Rest(1, 1, 1)).press("power")
    [told] = driver.conditions.take()
    assert told.startswith("The phone is locked")
