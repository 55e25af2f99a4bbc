"""What dumpsys and its kin print, on many phones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.driver.dumpsys import (
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
from handheld.ui.model import Bounds

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
def test_the_activity_in_front_is_found(name: str, activity: Activity | None) -> None:
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
def test_the_window_with_the_focus_is_found(name: str, focus: str | None) -> None:
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
def test_windows_that_may_not_be_captured_are_found(name: str, titles: tuple[str, ...]) -> None:
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
def test_the_keyboard_is_found_while_it_shows(name: str, covered: tuple[Bounds, ...]) -> None:
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
def test_the_lock_screen_is_told(name: str, locked: bool | None) -> None:
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
def test_the_size_is_that_of_the_first_display(name: str, size: tuple[int, int] | None) -> None:
    assert read_glance(read(name)).current == size


def test_a_phone_that_sleeps_says_so() -> None:
    assert read_awake(read("power-api34")) is False
    assert read_awake(read("power-api34").replace("Asleep", "Awake")) is True


def test_what_is_paused_behind_another_window_keeps_the_front() -> None:
    paused = read("activities-stopped-api34").replace("STOPPED", "PAUSED", 1)
    assert read_foreground(paused) == Activity(
        "org.example.coffee", "org.example.coffee.OrderActivity"
    )


def test_a_stopped_activity_is_not_resumed_whatever_else_is_said_of_it() -> None:
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
def test_the_task_in_front_is_found(name: str, task: int | None) -> None:
    assert read_front_task(read(name)) == task


def test_tasks_are_told_with_who_began_them() -> None:
    assert read_beginners(read("recents-api26")) == {41: "org.example.bank"}
    assert read_beginners(read("recents-api34")) == {
        73: "org.example.coffee",
        71: "org.example.door",
    }


def test_packages_of_both_halves_are_read_from_a_file() -> None:
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


def test_secure_windows_on_the_screen_are_named() -> None:
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
def test_every_line_of_a_window_ends_the_one_before_however_it_is_written(
    line: str, title: str
) -> None:
    first = "  Window #0 Window{a1 u0 First}:\n      fl=SECURE\n    isOnScreen=true\n"
    assert read_secure(f"{first}{line}\n    isOnScreen=false\n") == ("First",)
    said = f"{first}{line}\n      fl=SECURE\n    isOnScreen=true\n"
    assert read_secure(said) == ("First", title)


def test_the_keyboard_covers_what_it_takes_touches_from() -> None:
    said = (
        "  Window #0 Window{dc4 u0 InputMethod}:\n"
        "    touchable region=SkRegion((0,1418,1080,2280))\n"
        "    mHasSurface=true isReadyForDisplay()=true\n"
        "    mFrame=[0,63][1080,2280] last=[0,0][0,0]\n"
        "    isOnScreen=true\n"
        "  Window #1 Window{dc5 u0 Other}:\n    mFrame=[1,2][3,4]\n    isOnScreen=false\n"
    )
    assert read_keyboard(said) == (Bounds(0, 1418, 1080, 2280),)
    assert read_keyboard(said.replace("touchable region", "x")) == (Bounds(0, 63, 1080, 2280),)
    assert read_keyboard(said.replace("isOnScreen=true", "isOnScreen=false")) == ()
    assert read_keyboard(said.replace("InputMethod", "Toast")) == ()


def test_a_keyboard_with_a_strip_above_it_covers_both_and_not_what_is_between() -> None:
    said = (
        "  Window #0 Window{dc4 u0 InputMethod}:\n"
        "    touchable region=SkRegion((400,1200,680,1300)(0,1418,1080,2280))\n"
        "    isOnScreen=true\n"
    )
    strip, keys = Bounds(400, 1200, 680, 1300), Bounds(0, 1418, 1080, 2280)
    assert read_keyboard(said) == (strip, keys)


def test_a_glance_takes_what_was_set_for_what_was_built() -> None:
    said = (
        "Physical size: 1080x2400\nOverride size: 720x1600\nPhysical density: 420\n"
        "Override density: 280\n  mWakefulness=Dozing\n    mKeyguardShowing=true\n"
    )
    assert read_glance(said) == Glance(None, (720, 1600), 280, None, awake=False, locked=True)
    assert read_glance(said).size(0) == (720, 1600)
    assert read_glance(said).size(3) == (1600, 720)
    turned = said + "    init=1080x2400 420dpi base=720x1600 280dpi cur=1600x720 app=1600x674\n"
    assert read_glance(turned).size(0) == (1600, 720)


def test_what_is_not_said_is_not_known() -> None:
    assert read_glance("") == Glance(None, None, None, None, None, None)
    assert (read_awake("x"), read_locked("x"), read_focus("mCurrentFocus=null")) == (None,) * 3


@pytest.mark.parametrize(
    "said",
    [
        "    mKeyguardShowing={}\n",
        "   KeyguardShowing={} AodShowing=false KeyguardGoingAway=false at display=0\n",
        "    isKeyguardShowing={}\n",
        "    mShowingLockscreen={} mShowingDream=false\n",
        "      showing={}\n",
    ],
)
def test_the_lock_screen_is_told_in_each_of_androids_words(said: str) -> None:
    later = "    mKeyguardShowing=maybe\n"
    assert read_locked(said.format("true") + later) is True
    assert read_locked(said.format("false") + later) is False


def test_both_halves_of_a_split_screen_are_in_front() -> None:
    said = (
        "    topResumedActivity=ActivityRecord{1 u0 a.b/.C t1}\n"
        "    topResumedActivity=ActivityRecord{2 u10 d.e/f.G} t2}\n"
        "  ResumedActivity: ActivityRecord{2 u10 d.e/f.G} t2}\n"
    )
    assert read_resumed(said) == {"a.b", "d.e"}
    assert read_foreground(said) == Activity("d.e", "f.G")


def test_an_apps_processes_are_told_from_others() -> None:
    said = "  PID NAME\n    1 init\n 2001 a.b\n 2002 a.b:push\n 2003 a.bc\n 2004 x.a.b\n"
    assert read_processes(said, "a.b") == {2001, 2002}


@given(st.text())
def test_any_text_is_read(said: str) -> None:
    read_glance(said)
    read_secure(said)
    read_processes(said, "a")
