"""Parsing `dumpsys`, `wm` and `ps` of many phones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.driver.reading.dumpsys import (
    Activity,
    Glance,
    read_awake,
    read_beginners,
    read_focus,
    read_foreground,
    read_front_task,
    read_glance,
    read_keyboard,
    read_locked,
    read_processes,
    read_resumed,
    read_secure,
)
from handheld.screen.model import Bounds

SETTINGS = Activity("com.android.settings", "com.android.settings.Settings")


def read(name: str) -> str:
    return fixtures.text(f"dumpsys/{name}.txt")


@pytest.mark.parametrize(
    ("name", "activity"),
    [
        ("windows-api26", Activity("org.example.bank", "org.example.bank.PinActivity")),
        ("windows-api27", Activity("org.example.vault", "org.example.vault.OpenActivity")),
        ("windows-api28", SETTINGS),
        ("windows-api29", None),
        ("windows-api30", None),
        ("windows-api34", None),
        ("windows-api36", None),
        ("window-error-dialog-api23", None),
        ("displays-api28-tv", Activity("org.example.radio", "org.example.player.tv.HomeActivity")),
        ("displays-api33", SETTINGS),
        ("displays-fold-api34", Activity("org.example.chat", "org.example.chat.ThreadActivity")),
        ("activities-api26", Activity("org.example.bank", "org.example.bank.PinActivity")),
        ("activities-api30-tv", Activity("org.example.tv", "org.example.tv.MainActivity")),
        ("activities-api33", SETTINGS),
        (
            "activities-split-api34",
            Activity("org.example.maps", "org.example.map.ui.MapActivity"),
        ),
        (
            "activities-two-displays-vendor",
            Activity("com.example.vendor.home", "com.example.vendor.home.HomeActivity"),
        ),
        ("activities-api36", Activity("org.example.bank", "org.example.bank.StatementActivity")),
        ("activities-stopped-api34", None),
        ("power-api34", None),
    ],
)
def test_foreground_activity_is_found(name: str, activity: Activity | None) -> None:
    assert read_foreground(read(name)) == activity


@pytest.mark.parametrize(
    ("name", "focus"),
    [
        ("windows-api26", "org.example.bank/org.example.bank.PinActivity"),
        ("windows-api27", "org.example.vault/org.example.vault.OpenActivity"),
        ("windows-api28", "com.android.settings/com.android.settings.Settings"),
        ("windows-api34", None),
        ("windows-vivo-api34", "org.example.bank/org.example.bank.PinActivity"),
        ("window-error-dialog-api23", "Application Error: org.example.camera"),
        ("displays-api28-tv", "com.example.vendor.overlay"),
        ("displays-api33", "com.android.settings/com.android.settings.Settings"),
        ("displays-fold-api34", "org.example.chat/org.example.chat.ThreadActivity"),
    ],
)
def test_focused_window_is_found(name: str, focus: str | None) -> None:
    assert read_focus(read(name)) == focus


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("windows-api26", ("org.example.bank/org.example.bank.PinActivity",)),
        ("windows-api27", ("org.example.vault/org.example.vault.OpenActivity",)),
        ("windows-api28", ()),
        ("windows-api29", ()),
        ("windows-api30", ()),
        ("windows-api34", ()),
        ("windows-api36", ("org.example.bank/org.example.bank.StatementActivity",)),
        ("windows-vivo-api34", ("org.example.bank/org.example.bank.PinActivity",)),
        ("window-error-dialog-api23", ()),
    ],
)
def test_secure_windows_are_found(name: str, titles: tuple[str, ...]) -> None:
    assert read_secure(read(name)) == titles


@pytest.mark.parametrize(
    ("name", "covered"),
    [
        ("windows-api26", ()),
        ("windows-api28", ()),
        ("windows-api29", (Bounds(0, 1350, 1080, 2016),)),
        ("windows-api34", (Bounds(0, 1490, 1080, 2400),)),
        ("windows-api36", ()),
        ("windows-vivo-api34", (Bounds(0, 1560, 1080, 2400),)),
    ],
)
def test_visible_keyboard_is_found(name: str, covered: tuple[Bounds, ...]) -> None:
    assert read_keyboard(read(name)) == covered


@pytest.mark.parametrize(
    ("name", "locked"),
    [
        ("activities-api26", False),
        ("activities-api30-tv", None),
        ("activities-api33", False),
        ("activities-split-api34", False),
        ("activities-two-displays-vendor", True),
        ("policy-api25", True),
        ("policy-api36", True),
        ("windows-api34", None),
    ],
)
def test_lock_screen_is_found(name: str, locked: bool | None) -> None:
    assert read_locked(read(name)) is locked


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("displays-api33", (2280, 1080)),
        ("displays-fold-api34", (1812, 2176)),
        ("activities-two-displays-vendor", (1080, 2340)),
        ("windows-api34", None),
    ],
)
def test_size_is_that_of_the_first_display(name: str, size: tuple[int, int] | None) -> None:
    assert read_glance(read(name)).current == size


def test_sleeping_phone_is_not_awake() -> None:
    assert read_awake(read("power-api34")) is False
    assert read_awake(read("power-api34").replace("Asleep", "Awake")) is True


def test_activity_paused_behind_a_window_stays_in_front() -> None:
    paused = read("activities-stopped-api34").replace("STOPPED", "PAUSED", 1)
    assert read_foreground(paused) == Activity(
        "org.example.coffee", "org.example.coffee.OrderActivity"
    )


def test_stopped_activity_is_never_in_front() -> None:
    printed = read("activities-stopped-api34")
    record = "ActivityRecord{8f0a3c1 u0 org.example.coffee/.OrderActivity t73}"
    assert read_resumed(f"{printed}\n  ResumedActivity: {record}\n") == frozenset()
    assert read_foreground(f"{printed}\n  ResumedActivity: {record}\n") is None


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("activities-api26", 41),
        ("activities-api33", 31),
        ("activities-api36", 61),
        ("windows-api26", 41),
        ("activities-stopped-api34", None),
        ("power-api34", None),
    ],
)
def test_foreground_task_is_found(name: str, task: int | None) -> None:
    assert read_front_task(read(name)) == task


def test_tasks_have_the_package_that_started_them() -> None:
    assert read_beginners(read("recents-api26")) == {41: "org.example.bank"}
    assert read_beginners(read("recents-api34")) == {
        73: "org.example.coffee",
        71: "org.example.door",
    }


def test_packages_of_a_recorded_split_screen_are_read() -> None:
    assert read_resumed(read("activities-split-api34")) == {
        "org.example.notes",
        "org.example.maps",
    }


SECURE = """\
  Window #0 Window{fb582b5 u0 StatusBar}:
      fl=NOT_FOCUSABLE SPLIT_TOUCH HARDWARE_ACCELERATED
    mHasSurface=true isReadyForDisplay()=true mWindowRemovalAllowed=false
    isOnScreen=true
  Window #1 Window{ab12 u0 org.example/org.example.Pin}:
      fl=LAYOUT_IN_SCREEN SECURE HARDWARE_ACCELERATED
      pfl=FIT_INSETS_CONTROLLED
    mHasSurface=true isReadyForDisplay()=true mWindowRemovalAllowed=false
    isOnScreen=true
  Window #2 Window{ab13 u0 org.example/org.example.Behind}:
      fl=SECURE}
    isOnScreen=false
  Window #3 Window{d3fd4a7 u0 Old style}:
    mAttrs=WM.LayoutParams{(0,0)(fillx656) ty=1 fl=#81812100 fmt=-3}
    mHasSurface=true mShownPosition=[0,0] isReadyForDisplay()=true mWindowRemovalAllowed=false
  Window #4 Window{d3fd4a8 u0 Not secure}:
    mAttrs=WM.LayoutParams{(0,0)(fillx656) ty=1 fl=#81810100 fmt=-3}
    mHasSurface=true isReadyForDisplay()=true
"""


def test_only_visible_secure_windows_are_listed() -> None:
    assert read_secure(SECURE) == ("org.example/org.example.Pin", "Old style")


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("  Window #1 Window{a.b:6d u0 Shade type=2040 }:", "Shade"),
        ("  Window #1 Window{a.b:6d u0 Shade type=2040 EXITING}:", "Shade"),
        ("  Window #1 Window{6d u0 Shade EXITING}:", "Shade"),
        ("  Window #1 Window{6d u0 Notes type=1}:", "Notes type=1"),
        ("Window #1: Window{6d Shade}", "Shade"),
        ("  Window #1 Window{6d u0 }:", "Window{6d u0 }"),
        ("  Window #1 Written otherwise:", "Written otherwise"),
    ],
)
def test_each_window_line_terminates_the_window_before(line: str, title: str) -> None:
    first = "  Window #0 Window{a1 u0 First}:\n      fl=SECURE\n    isOnScreen=true\n"
    assert read_secure(f"{first}{line}\n    isOnScreen=false\n") == ("First",)
    printed = f"{first}{line}\n      fl=SECURE\n    isOnScreen=true\n"
    assert read_secure(printed) == ("First", title)


def test_keyboard_covers_its_touchable_region() -> None:
    printed = (
        "  Window #0 Window{dc4 u0 InputMethod}:\n"
        "    touchable region=SkRegion((0,1418,1080,2280))\n"
        "    mHasSurface=true isReadyForDisplay()=true\n"
        "    mFrame=[0,63][1080,2280] last=[0,0][0,0]\n"
        "    isOnScreen=true\n"
        "  Window #1 Window{dc5 u0 Other}:\n    mFrame=[1,2][3,4]\n    isOnScreen=false\n"
    )
    assert read_keyboard(printed) == (Bounds(0, 1418, 1080, 2280),)
    assert read_keyboard(printed.replace("touchable region", "x")) == (Bounds(0, 63, 1080, 2280),)
    assert read_keyboard(printed.replace("isOnScreen=true", "isOnScreen=false")) == ()
    assert read_keyboard(printed.replace("InputMethod", "Toast")) == ()


def test_keyboard_with_a_separate_strip_covers_both_areas() -> None:
    printed = (
        "  Window #0 Window{dc4 u0 InputMethod}:\n"
        "    touchable region=SkRegion((400,1200,680,1300)(0,1418,1080,2280))\n"
        "    isOnScreen=true\n"
    )
    strip, keys = Bounds(400, 1200, 680, 1300), Bounds(0, 1418, 1080, 2280)
    assert read_keyboard(printed) == (strip, keys)


def test_override_size_takes_precedence() -> None:
    printed = (
        "Physical size: 1080x2400\nOverride size: 720x1600\nPhysical density: 420\n"
        "Override density: 280\n  mWakefulness=Dozing\n    mKeyguardShowing=true\n"
    )
    assert read_glance(printed) == Glance(None, (720, 1600), 280, None, awake=False, locked=True)
    assert read_glance(printed).size(0) == (720, 1600)
    assert read_glance(printed).size(3) == (1600, 720)
    turned = printed + "    init=1080x2400 420dpi base=720x1600 280dpi cur=1600x720 app=1600x674\n"
    assert read_glance(turned).size(0) == (1600, 720)


def test_missing_values_are_none() -> None:
    assert read_glance("") == Glance(None, None, None, None, None, None)
    assert (read_awake("x"), read_locked("x"), read_focus("mCurrentFocus=null")) == (None,) * 3


@pytest.mark.parametrize(
    "printed",
    [
        "    mKeyguardShowing={}\n",
        "   KeyguardShowing={} AodShowing=false KeyguardGoingAway=false at display=0\n",
        "    isKeyguardShowing={}\n",
        "    mShowingLockscreen={} mShowingDream=false\n",
        "      showing={}\n",
    ],
)
def test_lock_screen_is_found_in_every_format(printed: str) -> None:
    later = "    mKeyguardShowing=maybe\n"
    assert read_locked(printed.format("true") + later) is True
    assert read_locked(printed.format("false") + later) is False


def test_both_apps_of_a_split_screen_are_in_front() -> None:
    printed = (
        "    topResumedActivity=ActivityRecord{1 u0 a.b/.C t1}\n"
        "    topResumedActivity=ActivityRecord{2 u10 d.e/f.G} t2}\n"
        "  ResumedActivity: ActivityRecord{2 u10 d.e/f.G} t2}\n"
    )
    assert read_resumed(printed) == {"a.b", "d.e"}
    assert read_foreground(printed) == Activity("d.e", "f.G")


def test_only_the_apps_own_processes_are_listed() -> None:
    printed = "  PID NAME\n    1 init\n 2001 a.b\n 2002 a.b:push\n 2003 a.bc\n 2004 x.a.b\n"
    assert read_processes(printed, "a.b") == {2001, 2002}


@given(st.text())
def test_any_text_is_parsed(printed: str) -> None:
    read_glance(printed)
    read_secure(printed)
    read_processes(printed, "a")


def test_numbers_that_no_phone_prints_are_left_out() -> None:
    many = "9" * 5000
    record = "topResumedActivity=ActivityRecord{1 u0 org.example/.Main t"
    assert read_front_task(f"{record}12}}") == 12
    assert read_front_task(f"{record}{many}}}") is None
    assert read_foreground(f"{record}{many}}}") == Activity("org.example", "org.example.Main")
    assert read_beginners(f"* Recent #0: Task{{a #{many} \n intent={{cmp=a.b/.C}}") == {}
    shown = "Window #0 Window{1 u0 InputMethod}:\n isOnScreen=true\n mFrame=[0,0][1080,"
    assert read_keyboard(f"{shown}2400]") == (Bounds(0, 0, 1080, 2400),)
    assert read_keyboard(f"{shown}{many}]") == ()
    assert read_processes(f"{many} a.b\n12 a.b\n13\ta.b:x \n", "a.b") == {12, 13}
