"""Using the apps as a person does."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.screen.model import Flag
from handheld_virtual.apps.calculator import BadFormula, compute, written
from handheld_virtual.packages.app import Activity, App
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.views.layout import Column
from handheld_virtual.views.view import View
from handheld_virtual.views.widgets.basic import Button, Text
from handheld_virtual.world import NotInstalled, NotLaunchable, World

from .finger import Finger


def test_seven_times_six_shows_42(world: World, finger: Finger):
    world.launch("com.android.calculator2")
    finger.tap("digit_7", "op_mul", "digit_6", "eq")
    assert finger.text("result") == "42"
    assert finger.text("formula") == "7×6"


def test_an_operator_goes_on_with_the_result_and_a_digit_starts_anew(world: World, finger: Finger):
    world.launch("com.android.calculator2")
    finger.tap("digit_7", "op_mul", "digit_6", "eq", "op_sub", "digit_2", "eq")
    assert (finger.text("formula"), finger.text("result")) == ("42−2", "40")
    finger.tap("digit_9")
    assert (finger.text("formula"), finger.text("result")) == ("9", "")


def test_clear_and_delete_take_away(world: World, finger: Finger):
    world.launch("com.android.calculator2")
    finger.tap("digit_1", "dec_point", "dec_point", "digit_5", "del")
    assert finger.text("formula") == "1."
    finger.tap("clr")
    assert finger.text("formula") == ""


def test_division_by_zero_says_so(world: World, finger: Finger):
    world.launch("com.android.calculator2")
    finger.tap("digit_1", "op_div", "digit_0", "eq")
    assert finger.text("result") == "Can't divide by 0"


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        ("2+3×4", "14"),
        ("(2+3)×4", "20"),
        ("0.1+0.2", "0.3"),
        ("1÷3", "0.333333333333"),
        ("−5−−3", "−2"),
        ("2(3+4)", "14"),
        ("(1+2", "3"),
        ("100", "100"),
        ("99999999999×99999999999", "9.9999999998E21"),
        (".5×4", "2"),
    ],
)
def test_formulas_are_computed_with_precedence(formula: str, shown: str):
    assert written(compute(formula)) == shown


@pytest.mark.parametrize("formula", ["", "+", "1+", "1..2", ".", "()", "1)", "1+×2", "a"])
def test_what_is_no_formula_is_an_error(formula: str):
    with pytest.raises(BadFormula, match="Error"):
        compute(formula)


@given(st.lists(st.tuples(st.sampled_from("+−×"), st.integers(0, 999)), min_size=1, max_size=6))
def test_sums_and_products_agree_with_exact_arithmetic(parts: list[tuple[str, int]]):
    formula = "1" + "".join(f"{sign}{number}" for sign, number in parts)
    exact = eval(formula.replace("×", "*").replace("−", "-"))
    assert compute(formula) == Decimal(exact) == Fraction(exact)


def test_a_row_of_settings_opens_a_page_whose_switch_is_remembered(world: World, finger: Finger):
    world.launch("com.android.settings")
    finger.tap("Battery")
    assert world.automation.read_windows()[-1].title == "Battery"
    assert world.foreground == ("com.android.settings", "com.android.settings.SubSettings")
    assert not finger.find("switch_widget").flags & Flag.CHECKED
    finger.tap("main_switch_bar")
    assert finger.find("switch_widget").flags & Flag.CHECKED
    world.press("back")
    finger.tap("Battery")
    assert finger.find("switch_widget").flags & Flag.CHECKED
    assert "On" in finger.texts()


def test_a_form_is_filled_in_and_saved(world: World, finger: Finger):
    world.launch("dev.handheld.form")
    name = finger.find("name")
    assert name.text == "Full name"
    assert name.flags & Flag.SHOWING_HINT
    finger.tap("name")
    world.type_text("Ada Lovelace")
    finger.tap("email")
    for code in (29, 32, 29, 77, 29, 56, 30, 67):  # ada@a.b, then Backspace
        world.key(code)
    finger.tap("password")
    world.type_text("s3cret")
    password = finger.find("password")
    assert password.text == "••••••"
    assert password.flags & Flag.PASSWORD
    assert not finger.find("name").flags & Flag.SHOWING_HINT
    world.press("back")
    finger.tap("news", "submit")
    assert finger.text("status") == "Saved: Ada Lovelace <ada@a.>"
    assert finger.find("news").flags & Flag.CHECKED


def test_a_form_without_a_name_is_not_saved(world: World, finger: Finger):
    world.launch("dev.handheld.form")
    finger.tap("submit")
    assert finger.text("status") == "Name is required"


def test_keys_of_the_soft_keyboard_type(world: World, finger: Finger):
    world.launch("dev.handheld.form")
    finger.tap("name")
    assert [w.type for w in world.automation.read_windows()] == [
        "SYSTEM",
        "SYSTEM",
        "INPUT_METHOD",
        "APPLICATION",
    ]
    shift = next(n for n in finger.nodes() if n.description == "Shift")
    assert world.automation.perform(shift.key, "click")
    finger.tap("H", "i")
    assert finger.text("name") == "Hi"
    world.press("back")
    assert [w.type for w in world.automation.read_windows()] == ["SYSTEM", "SYSTEM", "APPLICATION"]
    finger.tap("name")
    assert world.automation.read_windows()[2].type == "INPUT_METHOD"


def test_the_launcher_shows_what_can_be_launched_and_a_tap_opens_it(world: World, finger: Finger):
    labels = {
        node.text
        for node in world.automation.read_windows()[-1].nodes
        if node.flags & Flag.CLICKABLE
    }
    assert labels == {
        *("Calculator", "Settings", "Contact form", "Gallery", "Notes", "Search apps"),
        *("Messages", "Files", "Contacts", "Login", "Daily Clock-in", "Weather"),
        *("Clock", "Browser", "Widgets", "Crash test"),
    }
    finger.tap("Calculator")
    assert world.foreground == ("com.android.calculator2", "com.android.calculator2.Calculator")


def test_the_search_bar_filters_the_apps(world: World, finger: Finger):
    finger.tap("search_box_input")
    world.type_text("zzz")
    assert "Contact form" not in finger.texts()


def test_launching_an_unknown_or_headless_app_is_an_error(world: World):
    before = world.foreground
    with pytest.raises(NotInstalled, match=r"com\.example\.nothing"):
        world.launch("com.example.nothing")
    with pytest.raises(NotLaunchable, match=r"dev\.handheld\.keeper"):
        world.launch("dev.handheld.keeper")
    assert world.foreground == before


def test_launching_again_finds_the_app_as_it_was_left(world: World, finger: Finger):
    assert world.launch("com.android.settings") == "com.android.settings.Settings"
    finger.tap("Apps")
    world.press("home")
    assert world.launch("com.android.settings") == "com.android.settings.SubSettings"


def test_package_attributes_are_those_of_the_package_manager(world: World):
    assert [(p.package, p.label, p.launchable, p.system) for p in world.apps.values()] == [
        ("com.android.launcher3", "Launcher", True, True),
        ("com.android.calculator2", "Calculator", True, True),
        ("com.android.settings", "Settings", True, True),
        ("dev.handheld.form", "Contact form", True, False),
        ("dev.handheld.keeper", "Keeper", False, True),
        ("dev.handheld.gallery", "Gallery", True, False),
        ("dev.handheld.notes", "Notes", True, False),
        ("com.android.messaging", "Messages", True, True),
        ("com.android.documentsui", "Files", True, True),
        ("com.android.contacts", "Contacts", True, True),
        ("dev.handheld.login", "Login", True, False),
        ("com.example.mcpdemo", "Daily Clock-in", True, False),
        ("dev.handheld.weather", "Weather", True, False),
        ("com.android.deskclock", "Clock", True, True),
        ("com.android.browser", "Browser", True, True),
        ("dev.handheld.widgets", "Widgets", True, False),
        ("dev.handheld.crashtest", "Crash test", True, False),
        ("com.android.systemui", "System UI", False, True),
        ("com.android.inputmethod.latin", "Android Keyboard (AOSP)", False, True),
        ("com.android.phone", "Phone Services", False, True),
        ("com.google.android.permissioncontroller", "Permission controller", False, True),
        ("com.android.shell", "Shell", False, True),
    ]


@pytest.mark.parametrize(
    ("api", "asking"), [(28, "packageinstaller"), (29, "permissioncontroller")]
)
def test_package_of_the_permission_dialog_is_installed(api: int, asking: str):
    world = World(clock=ManualClock(), api=api)
    login = world.apps["dev.handheld.login"]
    world.launch(login.package)
    world.front.request_permission("android.permission.CAMERA", lambda _: None)
    packages = {window.package for window in world.automation.read_windows()}
    assert f"com.google.android.{asking}" in packages
    assert packages <= set(world.apps)


def test_user_written_app_is_in_the_launcher_once_installed(world: World, finger: Finger):
    class Greeting(Activity):
        name = ".Greeting"

        def content(self) -> View:
            self.greeted = Text("", id="greeted")
            return Column(self.greeted, Button("Greet", self.greet, id="greet"), padding=16)

        def greet(self) -> None:
            self.greeted.text = "Hello"

    class Hello(App):
        package, label = "org.example.hello", "Hello"
        main = ".Greeting"
        activities: ClassVar[Mapping[str, type[Activity]]] = {".Greeting": Greeting}

    world.install(Hello)
    finger.tap("Hello", "greet")
    assert world.foreground == ("org.example.hello", "org.example.hello.Greeting")
    assert finger.text("greeted") == "Hello"
    assert finger.find("greet").resource_id == "org.example.hello:id/greet"


def test_an_activity_can_be_started_by_name(world: World):
    assert (
        world.start("com.android.settings", ".SubSettings", {"title": "Storage"})
        == "com.android.settings.SubSettings"
    )
    assert world.automation.read_windows()[-1].title == "Storage"
    with pytest.raises(KeyError):
        world.start("com.android.settings", ".Nothing")
    with pytest.raises(NotInstalled):
        world.start("com.example.nothing", ".Main")
