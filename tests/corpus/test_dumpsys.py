"""Output of dumpsys from many phones, and what other tools find in it and on the virtual phone."""

import re

import pytest

from handheld.driver.reading.dumpsys import Activity, read_focus, read_foreground, read_secure
from handheld.driver.reading.package_lists import ListedComponent, read_resolver
from virtual.wire.patterns import (
    FOCUS,
    FOCUSED_APP,
    IME_TARGET,
    NEW_RESUMED,
    OLD_RESUMED,
    PACKAGE,
    RESUMED,
    WINDOWS,
    find,
    window_fields,
)
from virtual.wire.phone_shell import new_phone, run

from .files import found, text

SETTINGS = Activity("com.android.settings", "com.android.settings.Settings")
PIXEL = Activity(
    "com.google.android.apps.nexuslauncher",
    "com.google.android.apps.nexuslauncher.NexusLauncherActivity",
)
SEARCH = "com.google.android.googlequicksearchbox"


def read(name: str) -> str:
    return text(f"dumpsys/{name}.txt")


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
def test_the_foreground_activity_is_found(name: str, activity: Activity | None) -> None:
    assert read_foreground(read(name)) == activity


@pytest.mark.parametrize("level", range(25, 37))
def test_no_window_of_these_phones_is_secure(level: int) -> None:
    name = "window-dump" if level == 25 else "settings-window-dump"
    output = read(f"zillow_auto-mobile__api{level}-{name}")
    assert output.count("Window #") > 3
    assert read_secure(output) == ()


def test_a_system_dialog_has_the_focus() -> None:
    output = read("catapult__dumpsys-window-error-dialog-b")
    assert read_focus(output) == "Application Error: com.android.chrome"


def test_components_are_parsed_from_the_tables() -> None:
    def components(name: str, table: str, key: str) -> list[ListedComponent]:
        return read_resolver(text(f"dumpsys/{name}"), table, [key])

    services = "Service Resolver Table:"
    first, second = "com.tekartik.package1", "com.tekartik.package2"
    faces = components(
        "tekartik__dumpsys-package-1.txt", services, "android.service.wallpaper.WallpaperService"
    )
    assert len(faces) == 11
    assert faces[0] == ListedComponent(
        first, "com.tekartik.timegaugepower.faces.PowerGaugeServiceDefault"
    )
    assert components(
        "tekartik__dumpsys-package-2.txt", services, "com.google.firebase.MESSAGING_EVENT"
    ) == [
        ListedComponent(
            second, "com.bi.tekartikdigitalwatch.firebase.WearFirebaseMessagingService"
        ),
        ListedComponent(second, "com.google.firebase.messaging.FirebaseMessagingService"),
    ]
    assert components("karmic__dumpsys-package-pixel.txt", "Activity Resolver Table:", "https") == [
        ListedComponent("com.karmicgochara.app", "com.karmicgochara.app.MainActivity")
    ]
    for path in found("dumpsys/*package*.txt"):
        assert components(path.name, services, "mobile.mcp.SERVICE") == []


# The virtual phone


async def dump(api: int, words: str) -> str:
    phone = new_phone(api)
    phone.world.show("com.android.settings")
    output = await run(phone, f"dumpsys {words}")
    assert (output.stderr, output.code) == ("", 0)
    return output.stdout


@pytest.mark.parametrize(
    ("pattern", "name", "real", "api", "words"),
    [
        (FOCUS, "zillow_auto-mobile__api28-settings-window-dump", SETTINGS, 28, "window windows"),
        (
            FOCUSED_APP,
            "zillow_auto-mobile__api28-settings-window-dump",
            ("com.android.settings", ".Settings"),
            28,
            "window windows",
        ),
        (IME_TARGET, "zillow_auto-mobile__api34-settings-window-dump", SETTINGS, 34, "window w"),
        (
            NEW_RESUMED,
            "MarcoQA__dumpsys-activity-activities",
            (PIXEL.package, ".NexusLauncherActivity"),
            36,
            "activity activities",
        ),
        (
            RESUMED,
            "GrinGuide__dumpsys-activity-activities-pixel",
            (PIXEL.package, ".NexusLauncherActivity"),
            34,
            "activity a",
        ),
        (
            OLD_RESUMED,
            "androidtv__resumed-tvlauncher",
            ("com.google.android.tvlauncher", ".MainActivity"),
            30,
            "activity activities",
        ),
        (
            FOCUSED_APP,
            "rover__dumpsys-window-displays-keyboard-shown-excerpt",
            (SEARCH, ".InternalGoogleAppActivityEntrypoint"),
            33,
            "window displays",
        ),
        (
            FOCUS,
            "rover__dumpsys-window-displays-keyboard-shown-excerpt",
            (SEARCH, f"{SEARCH}.InternalGoogleAppActivityEntrypoint"),
            33,
            "window displays",
        ),
    ],
)
async def test_the_pattern_of_a_tool_matches_a_capture_and_the_virtual_phone(
    pattern: str, name: str, real: tuple[str, ...], api: int, words: str
) -> None:
    assert find(pattern, read(name)) == real
    here = find(pattern, await dump(api, words))
    assert here in (SETTINGS, ("com.android.settings", ".Settings"))


@pytest.mark.parametrize("api", [28, 30, 34])
async def test_the_dump_of_windows_has_the_lines_of_a_captured_one(api: int) -> None:
    captured = read(f"zillow_auto-mobile__api{api}-settings-window-dump")
    ours = await dump(api, "window windows")
    assert window_fields(ours) <= window_fields(captured)
    assert find(WINDOWS, ours)[0] == find(WINDOWS, captured)[0] == "0"


@pytest.mark.parametrize("shape", PACKAGE.values(), ids=PACKAGE)
async def test_a_package_is_dumped_in_the_shape_of_captured_dumps(shape: str) -> None:
    for output in (
        await dump(34, "package com.android.messaging"),
        read("karmic__dumpsys-package-pixel"),
    ):
        assert re.search(shape, output, re.MULTILINE)
