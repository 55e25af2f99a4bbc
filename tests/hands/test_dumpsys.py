"""What dumpsys and its kin print, on many phones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.hands.dumpsys import (
    Activity,
    Glance,
    read_awake,
    read_focus,
    read_foreground,
    read_glance,
    read_keyboard,
    read_locked,
    read_processes,
    read_resumed,
    read_secure,
)
from handheld.ui.model import Bounds
from ui.trees import SHARED

DUMPS = SHARED / "corpus/dumpsys"
needs_dumps = pytest.mark.skipif(not DUMPS.exists(), reason="the captured outputs are not here")

SETTINGS = Activity("com.android.settings", "com.android.settings.Settings")
PIXEL = Activity(
    "com.google.android.apps.nexuslauncher",
    "com.google.android.apps.nexuslauncher.NexusLauncherActivity",
)


def read(name: str) -> str:
    return (DUMPS / f"{name}.txt").read_text(encoding="utf-8", errors="replace")


@needs_dumps
@pytest.mark.parametrize(
    ("name", "activity"),
    [
        ("zillow_auto-mobile__api26-settings-window-dump", SETTINGS),
        ("zillow_auto-mobile__api27-settings-window-dump", SETTINGS),
        ("zillow_auto-mobile__api28-settings-window-dump", SETTINGS),
        ("zillow_auto-mobile__api29-settings-window-dump", None),
        ("zillow_auto-mobile__api36-settings-window-dump", None),
        (
            "ARCampus__dumpsys-activity-activities-samsung",
            Activity(
                "com.sec.android.app.launcher",
                "com.sec.android.app.launcher.activities.LauncherActivity",
            ),
        ),
        ("GrinGuide__dumpsys-activity-activities-pixel", PIXEL),
        ("MarcoQA__dumpsys-activity-activities", PIXEL),
        (
            "androidtv__resumed-tvlauncher",
            Activity("com.google.android.tvlauncher", "com.google.android.tvlauncher.MainActivity"),
        ),
        (
            "androidtv__focus-sony",
            Activity("tunein.player", "tunein.ui.leanback.ui.activities.TvHomeActivity"),
        ),
        (
            "issue-appium-adb-797__focus-three-displays",
            Activity("jp.naver.line.android", "jp.naver.line.android.activity.main.MainActivity"),
        ),
        (
            "android16__state-lines-excerpt",
            Activity("io.github.nicholasarda.keysnap", "com.example.MainActivity"),
        ),
        ("catapult__dumpsys-window-error-dialog-b", None),
    ],
)
def test_the_activity_in_front_is_found(name: str, activity: Activity | None) -> None:
    assert read_foreground(read(name)) == activity


@needs_dumps
@pytest.mark.parametrize("level", range(25, 37))
def test_no_window_of_these_phones_is_secure(level: int) -> None:
    name = "window-dump" if level == 25 else "settings-window-dump"
    said = read(f"zillow_auto-mobile__api{level}-{name}")
    assert said.count("Window #") > 3
    assert read_secure(said) == ()


@needs_dumps
def test_a_dialog_of_the_system_has_the_focus() -> None:
    said = read("catapult__dumpsys-window-error-dialog-b")
    assert read_focus(said) == "Application Error: com.android.chrome"


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


def test_the_keyboard_covers_what_it_takes_touches_from() -> None:
    said = (
        "  Window #0 Window{dc4 u0 InputMethod}:\n"
        "    touchable region=SkRegion((0,1418,1080,2280))\n"
        "    mHasSurface=true isReadyForDisplay()=true\n"
        "    mFrame=[0,63][1080,2280] last=[0,0][0,0]\n"
        "    isOnScreen=true\n"
        "  Window #1 Window{dc5 u0 Other}:\n    mFrame=[1,2][3,4]\n    isOnScreen=false\n"
    )
    assert read_keyboard(said) == Bounds(0, 1418, 1080, 2280)
    assert read_keyboard(said.replace("touchable region", "x")) == Bounds(0, 63, 1080, 2280)
    assert read_keyboard(said.replace("isOnScreen=true", "isOnScreen=false")) is None
    assert read_keyboard(said.replace("InputMethod", "Toast")) is None


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
