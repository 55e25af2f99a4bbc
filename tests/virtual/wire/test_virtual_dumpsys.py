"""Dumps about the screen. Other tools search them with patterns, which must match both Android's
output and ours."""

import re

import pytest
from patterns import (
    FOCUS,
    FOCUSED_APP,
    IME_TARGET,
    NEW_RESUMED,
    OLD_RESUMED,
    RESUMED,
    SHOWN,
    SIZES,
    TOP,
    WINDOWS,
    find,
    window_fields,
)
from phone_shell import Result, new_phone, run

import fixtures
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.views.widgets.basic import Text

LEVELS = (26, 28, 29, 30, 31, 33, 34, 36)

SETTINGS = ("com.android.settings", "com.android.settings.Settings")
SHORT = ("com.android.settings", ".Settings")


async def dumpsys(phone: VirtualPhone, words: str) -> str:
    result = await run(phone, f"dumpsys {words}")
    assert (result.stderr, result.code) == ("", 0)
    return result.stdout


@pytest.mark.parametrize(
    ("pattern", "file", "real", "api", "words"),
    [
        (FOCUS, "windows-api28", SETTINGS, 28, "window windows"),
        (FOCUSED_APP, "windows-api28", SHORT, 28, "window windows"),
        (IME_TARGET, "windows-api34", SETTINGS, 34, "window w"),
        (
            NEW_RESUMED,
            "activities-split-api34",
            ("org.example.notes", ".NoteActivity"),
            36,
            "activity activities",
        ),
        (NEW_RESUMED, "activities-api33", SHORT, 33, "activity activities"),
        (
            RESUMED,
            "activities-split-api34",
            ("org.example.maps", "org.example.map.ui.MapActivity"),
            34,
            "activity a",
        ),
        (
            OLD_RESUMED,
            "activities-api30-tv",
            ("org.example.tv", ".MainActivity"),
            30,
            "activity activities",
        ),
        (FOCUSED_APP, "displays-api33", SHORT, 33, "window displays"),
        (FOCUS, "displays-api33", SETTINGS, 33, "window displays"),
    ],
)
async def test_patterns_of_tools_match_captured_dumps_and_ours_alike(
    pattern: str, file: str, real: tuple[str, ...], api: int, words: str
):
    assert find(pattern, fixtures.text(f"dumpsys/{file}.txt")) == real
    phone = new_phone(api)
    phone.world.show("com.android.settings")
    assert find(pattern, await dumpsys(phone, words)) in (SETTINGS, SHORT)


@pytest.mark.parametrize("api", LEVELS)
async def test_focus_is_printed_where_each_release_prints_it(api: int):
    phone = new_phone(api)
    phone.world.show("com.android.settings")
    windows = await dumpsys(phone, "window windows")
    displays = await dumpsys(phone, "window displays")
    assert ("mCurrentFocus" in windows, "mCurrentFocus" in displays) == (api < 29, api >= 29)
    whole = await dumpsys(phone, "window")
    assert find(FOCUS, whole) == SETTINGS
    assert find(FOCUSED_APP, whole)[0] == "com.android.settings"
    assert ("AppWindowToken{" in whole) == (api < 30)
    activities = await dumpsys(phone, "activity activities")
    assert ("topResumedActivity=" in activities) == (api >= 32)
    assert ("mResumedActivity:" in activities) == (api < 32)
    assert find(RESUMED, activities) == ("com.android.settings", ".Settings")
    pid = phone.world.running.pids("com.android.settings")[0]
    found = re.findall(TOP, await dumpsys(phone, "activity top"))
    assert found[-1] == ("com.android.settings", ".Settings", str(pid))


@pytest.mark.parametrize("api", [28, 30, 34])
async def test_window_dump_has_only_the_names_that_android_prints(api: int):
    file = fixtures.text(f"dumpsys/windows-api{api}.txt")
    phone = new_phone(api)
    phone.world.show("com.android.settings")
    ours = await dumpsys(phone, "window windows")
    assert window_fields(ours) <= window_fields(file)
    assert {"mDisplayId", "mSession", "mOwnerUid", "mAttrs", "mHasSurface"} <= window_fields(ours)
    assert find(WINDOWS, ours)[0] == find(WINDOWS, file)[0] == "0"


async def test_windows_are_listed_top_first_including_covered_ones():
    phone = new_phone()
    phone.world.show("com.android.settings")
    text = await dumpsys(phone, "window windows")
    home = "com.android.launcher3/com.android.launcher3.uioverrides.QuickstepLauncher"
    assert [title for _, title in re.findall(WINDOWS, text)] == [
        "NavigationBar0",
        "StatusBar",
        "/".join(SETTINGS),
        home,
    ]
    visible = await dumpsys(phone, "window visible")
    assert home not in visible
    assert [title for _, title in re.findall(WINDOWS, visible)][-1] == "/".join(SETTINGS)
    assert re.findall(r"isVisible=(\w+)", text) == ["true", "true", "true", "false"]


async def test_secure_window_has_the_secure_flag():
    phone = new_phone()
    phone.world.show("com.android.settings")
    assert "fl=SECURE" not in await dumpsys(phone, "window windows")
    phone.world.secure_packages.add("com.android.settings")
    assert (await dumpsys(phone, "window windows")).count("fl=SECURE") == 1


@pytest.mark.parametrize(("api", "shade"), [(28, "StatusBar"), (34, "NotificationShade")])
async def test_the_shade_takes_the_focus_from_the_app(api: int, shade: str):
    phone = new_phone(api)
    phone.world.press("notifications")
    text = await dumpsys(phone, "window")
    assert find(r"mCurrentFocus=Window\{\w+ u0 (\w+)\}", text) == (shade,)
    assert find(FOCUSED_APP, text)[0] == "com.android.launcher3"


@pytest.mark.parametrize("api", [28, 30, 34])
async def test_dumps_show_that_the_phone_is_locked(api: int):
    phone = new_phone(api)
    showing = r"KeyguardStateMonitor[\n\s]+mIsShowing=(\w+)"
    text = await dumpsys(phone, "window")
    assert find(showing, text) == ("false",)
    assert "mDreamingLockscreen=true" not in text
    phone.world.keyguard.lock()
    text = await dumpsys(phone, "window")
    assert find(showing, text) == ("true",)
    assert "mDreamingLockscreen=true" in text
    assert "showing=true" in await dumpsys(phone, "window policy")
    assert "ResumedActivity" not in await dumpsys(phone, "activity activities")


async def test_dumps_show_that_the_phone_is_asleep():
    phone = new_phone()
    awake = await dumpsys(phone, "power")
    assert find(r"mWakefulness=(\w+)", awake) == ("Awake",)
    assert "mHoldingDisplaySuspendBlocker=true" in awake
    assert "Display Power: state=ON" in awake
    assert "mScreenOnFully=true" in await dumpsys(phone, "window")
    await run(phone, "input keyevent 223")
    asleep = await dumpsys(phone, "power")
    assert find(r"mWakefulness=(\w+)", asleep) == ("Asleep",)
    assert "mHoldingDisplaySuspendBlocker=false" in asleep
    assert "Display Power: state=OFF" in asleep
    assert "mScreenOnFully=false" in await dumpsys(phone, "window")
    assert "mScreenState=OFF" in await dumpsys(phone, "display")


@pytest.mark.parametrize("api", [28, 30, 34])
async def test_every_dump_shows_the_rotation(api: int):
    phone = new_phone(api)
    phone.world.show("com.android.settings")
    upright = find(SIZES, await dumpsys(phone, "window displays"))
    assert upright == ("1080", "2400", "420", "1080", "2400", "1080", "2274")
    phone.world.rotate(1)
    displays = await dumpsys(phone, "window displays")
    assert find(SIZES, displays) == ("1080", "2400", "420", "2400", "1080", "2274", "1080")
    assert find(r"mRotation=(\d)", displays) == ("1",)
    assert find(r"orientation=(\d+)", await dumpsys(phone, "display")) == ("1",)
    assert find(r"mCurrentOrientation=(\d)", await dumpsys(phone, "display")) == ("1",)
    assert find(r"SurfaceOrientation:\s+(\d)", await dumpsys(phone, "input")) == ("1",)


async def test_the_viewport_has_the_panels_own_size():
    viewport = (
        r"mDefaultViewport=DisplayViewport\{valid=true, .*orientation=(\d+), "
        r".*?deviceWidth=(\d+), deviceHeight=(\d+)"
    )
    assert find(viewport, await dumpsys(new_phone(28), "display")) == ("0", "1080", "2400")
    newer = viewport.replace("mDefaultViewport=", r"mViewports=\[").replace(
        r"\{valid", r"\{.*valid"
    )
    assert find(newer, await dumpsys(new_phone(34), "display")) == ("0", "1080", "2400")


@pytest.mark.parametrize("api", [28, 33, 34])
async def test_dumps_show_the_keyboard_while_it_is_visible(api: int):
    phone = new_phone(api)
    phone.world.show("dev.handheld.form")
    text = await dumpsys(phone, "input_method")
    assert (find(SHOWN, text), find(r"mIsInputViewShown=(\w+)", text)) == (("false",), ("false",))
    assert find(r"mServedView=(\S+)", text) == ("null",)
    await run(phone, "input keyevent TAB")
    text = await dumpsys(phone, "input_method")
    assert (find(SHOWN, text), find(r"mIsInputViewShown=(\w+)", text)) == (("true",), ("true",))
    assert find(r"mServedView=(\S+)\{", text) == ("android.widget.EditText",)
    assert find(r"mCurMethodId=(\S+)", text) == ("com.android.inputmethod.latin/.LatinIME",)
    assert ("mShowRequested=" in text) == (api < 34)
    windows = await dumpsys(phone, "window windows")
    assert find(r"mInputMethodWindow=Window\{\w+ u0 (\w+)\}", windows) == ("InputMethod",)


async def test_accessibility_dump_lists_services_windows_and_ui_automation():
    phone = new_phone()
    text = await dumpsys(phone, "accessibility")
    assert "Enabled services:{}" in text
    assert "Ui Automation[" not in text
    assert re.findall(r"title=([^,]+), displayId=0, id=(\d+)", text) == [
        (window.title, str(window.id)) for window in phone.world.automation.read_windows()
    ]
    phone.world.preferences.put("secure", "enabled_accessibility_services", "org.a/.B")
    phone.world.automation.take("uiautomator dump")
    text = await dumpsys(phone, "accessibility")
    # UiAutomation suspends other services unless it requests otherwise.
    assert "Bound services:{}" in text
    assert "Enabled services:{org.a/.B}" in text
    assert "Ui Automation[" in text


async def test_tasks_and_processes_can_be_filtered_by_package():
    phone = new_phone()
    phone.world.show("com.android.settings")
    recents = await dumpsys(phone, "activity recents")
    assert len(re.findall(r"\* Recent #\d+: Task\{", recents)) == 2
    assert "launcher" not in await dumpsys(phone, "activity -p com.android.settings recents")
    processes = await dumpsys(phone, "activity processes com.android.settings")
    pid = phone.world.running.pids("com.android.settings")[0]
    assert re.findall(r"ProcessRecord\{\w+ (\d+):(\S+)/", processes) == [
        (str(pid), "com.android.settings")
    ]
    assert await dumpsys(phone, "activity services") == (
        "ACTIVITY MANAGER SERVICES (dumpsys activity services)\n  (nothing)\n"
    )


async def test_permission_dialog_is_the_activity_in_front():
    phone = new_phone()
    phone.world.show("com.android.settings")
    package = "com.android.permissioncontroller"
    name = f"{package}.permission.ui.GrantPermissionsActivity"
    phone.world.system_dialogs.open(
        package, name, "Allow?", Text("Allow?"), type="APPLICATION", over=phone.world.front
    )
    short = name.removeprefix(package)
    assert find(FOCUS, await dumpsys(phone, "window displays")) == (package, name)
    assert find(FOCUSED_APP, await dumpsys(phone, "window displays")) == (package, short)
    activities = await dumpsys(phone, "activity activities")
    assert find(RESUMED, activities) == (package, short)
    assert re.findall(r"state=(\w+)", activities) == ["PAUSED", "STOPPED"]


async def test_no_window_has_the_focus_during_a_transition():
    phone = new_phone()
    phone.world.transition_ms = 300
    phone.world.show("com.android.settings")
    assert "mCurrentFocus=null" in await dumpsys(phone, "window displays")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("dumpsys nope", Result("", "Can't find service: nope\n")),
        ("dumpsys -t x window", Result("", "Error: invalid timeout value, argument: 'x'\n", 255)),
        (
            "dumpsys window nope",
            Result("Bad window command, or no windows match: nope\nUse -h for help.\n"),
        ),
        (
            "dumpsys activity nope",
            Result("Bad activity command, or no activities match: nope\nUse -h for help.\n"),
        ),
        ("dumpsys window --nope", Result("Unknown argument: --nope; use -h for help\n")),
        (
            "dumpsys SurfaceFlinger --display-id",
            Result(
                "Display 4619827259835644672 (HWC display 0): port=0 pnpId=HHV "
                'displayName="Built-in Screen"\n'
            ),
        ),
    ],
)
async def test_wrong_arguments_are_refused_with_androids_messages(command: str, expected: Result):
    assert await run(new_phone(), command) == expected


async def test_services_are_listed_and_dumped_one_after_the_other():
    phone = new_phone()
    listed = (await dumpsys(phone, "-l")).splitlines()
    assert listed[0] == "Currently running services:"
    names = [line.strip() for line in listed[1:]]
    assert names == sorted(names)
    assert {"window", "activity", "display", "input_method", "accessibility", "power"} <= set(names)
    everything = await dumpsys(phone, "--skip window")
    assert re.findall(r"(?m)^DUMP OF SERVICE (\S+):$", everything) == [
        name for name in names if name != "window"
    ]
