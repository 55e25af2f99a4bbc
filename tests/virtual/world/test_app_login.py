"""The login form, and the permission dialogs of the page behind it."""

import pytest

from handheld.screen.model import Flag
from handheld_virtual.apps.login import CAMERA, NOTIFICATIONS, AccountScreen, LoginScreen
from handheld_virtual.packages.permissions import ONE_TIME_MS, Answer
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.world import World

from .finger import Finger

APP = "dev.handheld.login"
CONTROLLER = "com.google.android.permissioncontroller"
IDS = "com.android.permissioncontroller:id/"


def fill(world: World, finger: Finger, user: str, password: str) -> None:
    finger.tap("username")
    world.type_text(user)
    finger.tap("password")
    world.type_text(password)
    world.press("back")
    finger.tap("login")


@pytest.fixture
def account(world: World, finger: Finger) -> Finger:
    world.start(APP, AccountScreen.name, {"user": "ada"})
    return finger


def test_empty_fields_are_named_and_typing_clears_the_errors(world: World, finger: Finger):
    world.launch(APP)
    finger.tap("login")
    assert finger.text("username_error") == "Enter your user name"
    assert finger.text("password_error") == "Enter your password"
    finger.tap("password")
    world.type_text("short")
    assert "Enter your user name" not in finger.texts()
    world.press("back")
    finger.tap("login")
    assert finger.text("password_error") == "A password has at least 8 characters"


def test_a_password_is_bullets_until_it_is_shown(world: World, finger: Finger):
    world.launch(APP)
    finger.tap("password")
    world.type_text("secret")
    assert finger.text("password") == "••••••"
    assert finger.find("password").flags & Flag.PASSWORD
    finger.tap("text_input_end_icon")
    assert finger.text("password") == "secret"
    assert not finger.find("password").flags & Flag.PASSWORD
    assert finger.find("text_input_end_icon").description == "Hide password"


async def test_five_wrong_passwords_are_followed_by_a_pause(
    world: World, finger: Finger, clock: ManualClock
):
    world.launch(APP)
    finger.tap("username")
    world.type_text("ada")
    for _ in range(5):
        finger.tap("password")
        world.type_text("lovelace1814")
        world.press("back")
        assert finger.find("login").flags & Flag.ENABLED
        finger.tap("login")
    assert finger.text("login_error") == "Too many attempts. Try again in 30 seconds."
    assert not finger.find("login").flags & Flag.ENABLED
    await clock.advance(30_000)
    assert finger.find("login").flags & Flag.ENABLED


def test_correct_password_opens_the_account_and_sign_out_returns(world: World, finger: Finger):
    world.launch(APP)
    fill(world, finger, "Ada", "wrong-password")
    assert finger.text("login_error") == "Wrong user name or password"
    finger.tap("password")
    world.type_text("lovelace1815")
    world.press("back")
    finger.tap("remember", "login")
    assert finger.text("greeting") == "Hello, Ada"
    world.stop(APP)
    world.launch(APP)
    assert finger.text("greeting") == "Hello, Ada"
    assert world.foreground == (APP, f"{APP}.AccountActivity")
    finger.tap("sign_out", "Sign out")
    assert isinstance(world.front, LoginScreen)


def test_without_the_check_box_the_login_is_not_remembered(world: World, finger: Finger):
    world.launch(APP)
    fill(world, finger, "grace", "cobol-1959")
    assert finger.text("greeting") == "Hello, Grace"
    world.stop(APP)
    world.launch(APP)
    assert isinstance(world.front, LoginScreen)


def test_the_permission_dialog_is_the_controllers_and_has_its_ids(world: World, account: Finger):
    account.tap("scan")
    window = next(w for w in world.automation.read_windows() if w.package == CONTROLLER)
    assert (window.type, window.focused) == ("APPLICATION", True)
    shown = {node.resource_id: node.text for node in window.nodes if node.text}
    assert shown == {
        f"{IDS}permission_message": "Allow Login to take pictures and record video?",
        f"{IDS}permission_allow_foreground_only_button": "While using the app",
        f"{IDS}permission_allow_one_time_button": "Only this time",
        f"{IDS}permission_deny_button": "Don’t allow",
    }
    account.tap("While using the app")
    assert world.permissions.get(APP, CAMERA) == Answer(granted=True, user_set=True)
    assert "Point the camera at a code" in account.texts()


async def test_only_this_time_ends_when_the_app_was_left_for_long(
    world: World, account: Finger, clock: ManualClock
):
    account.tap("scan", "Only this time")
    world.press("home")
    await clock.advance(ONE_TIME_MS - 1)
    world.launch(APP)
    await clock.advance(1)
    world.settle()
    assert world.permissions.granted(APP, CAMERA)
    world.press("home")
    await clock.advance(ONE_TIME_MS)
    world.settle()
    assert world.permissions.get(APP, CAMERA) == Answer()


def test_second_denial_is_permanent(world: World, account: Finger):
    account.tap("scan", "permission_deny_button")
    assert account.text("status") == "Without the camera no code can be scanned"
    assert world.permissions.get(APP, CAMERA) == Answer(user_set=True)
    account.tap("scan", "permission_deny_and_dont_ask_again_button")
    assert world.permissions.get(APP, CAMERA) == Answer(user_set=True, user_fixed=True)
    account.tap("scan")
    assert [w.package for w in world.automation.read_windows() if w.focused] == [APP]
    world.permissions.grant(APP, CAMERA)
    account.tap("scan")
    assert "Point the camera at a code" in account.texts()


def test_back_denies_the_permission_without_remembering_it(world: World, account: Finger):
    account.tap("scan")
    world.press("back")
    assert account.text("status") == "Without the camera no code can be scanned"
    assert world.permissions.get(APP, CAMERA) == Answer()


def test_notifications_are_asked_for_since_api_33(world: World, account: Finger):
    account.tap("notify")
    assert account.text("permission_message") == "Allow Login to send you notifications?"
    account.tap("permission_allow_button")
    assert [n.package for n in world.notifications.posted] == [APP]
    older = World(clock=ManualClock(), api=32)
    older.start(APP, AccountScreen.name)
    Finger(older).tap("notify")
    assert [n.package for n in older.notifications.posted] == [APP]


def test_api_29_has_a_third_button_and_api_28_a_box_for_no_more_questions():
    world = World(clock=ManualClock(), api=29)
    finger = Finger(world)
    world.start(APP, AccountScreen.name)
    finger.tap("scan", "Deny", "scan")
    finger.tap("Deny & don’t ask again")
    assert world.permissions.get(APP, CAMERA).user_fixed
    world = World(clock=ManualClock(), api=28)
    finger = Finger(world)
    world.start(APP, AccountScreen.name)
    finger.tap("scan", "DENY", "scan")
    assert finger.find("permission_message").resource_id == (
        "com.android.packageinstaller:id/permission_message"
    )
    finger.tap("do_not_ask_checkbox", "DENY")
    assert world.permissions.get(APP, CAMERA).user_fixed


def test_undeclared_permission_is_denied_without_a_dialog(world: World, account: Finger):
    answers: list[bool] = []
    world.front.request_permission("android.permission.READ_CONTACTS", answers.append)
    assert answers == [False]
    assert NOTIFICATIONS in world.apps[APP].permissions
