"""What is read from `dumpsys package`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.driver.packages import Permission
from handheld.driver.reading.package_dump import DumpedPackage, read_package_dump
from handheld_virtual.phone import VirtualPhone
from virtual.wire.phone_shell import run

NOTES, MAPS = "org.example.notes", "org.example.maps"


def dump(name: str) -> str:
    return fixtures.text(f"dumpsys/{name}.txt")


def test_an_app_of_android_8_is_read() -> None:
    assert read_package_dump(dump("package-info-api26"), NOTES, 0) == DumpedPackage(
        version_name="1.2.0",
        version_code=12,
        min_sdk=21,
        target_sdk=26,
        flags=frozenset({"DEBUGGABLE", "HAS_CODE", "ALLOW_CLEAR_USER_DATA", "ALLOW_BACKUP"}),
        installer="com.android.vending",
        installed_at="2026-01-02 10:11:12",
        updated_at="2026-02-03 09:41:07",
        enabled=True,
        permissions=(
            Permission("android.permission.CAMERA", True, True),
            Permission("android.permission.INTERNET", True, False),
            # Never asked about: it has no state.
            Permission("android.permission.READ_CONTACTS", False, False),
            Permission("android.permission.RECORD_AUDIO", False, True),
        ),
    )


def test_an_app_that_another_user_has_is_not_installed_for_this_one() -> None:
    assert read_package_dump(dump("package-info-api26"), NOTES, 10) is None
    assert read_package_dump(dump("package-info-api26"), NOTES, 11) is None


def test_another_package_is_not_taken_for_it() -> None:
    assert read_package_dump(dump("package-info-api26"), "org.example", 0) is None
    assert read_package_dump("Unable to find package: org.example\n", "org.example", 0) is None
    assert read_package_dump("", NOTES, 0) is None


def test_of_an_updated_system_app_the_update_is_read_with_the_permissions_of_its_shared_uid() -> (
    None
):
    found = read_package_dump(dump("package-shared-api30"), MAPS, 0)
    assert found is not None
    assert (found.version_code, found.version_name, found.enabled) == (304, None, False)
    assert {"SYSTEM", "UPDATED_SYSTEM_APP"} <= found.flags
    assert found.permissions == (
        Permission("android.permission.ACCESS_FINE_LOCATION", True, True),
        Permission("android.permission.READ_SMS", False, True),
        Permission("android.permission.INTERNET", True, False),
    )


@pytest.mark.parametrize(
    ("user", "enabled", "since", "granted"),
    [
        (0, True, "2026-01-02 10:11:12", [False, False]),
        (10, False, "2026-01-05 10:11:12", [True, True]),
    ],
)
def test_what_belongs_to_a_user_is_read_for_that_user(
    user: int, enabled: bool, since: str, granted: list[bool]
) -> None:
    found = read_package_dump(dump("package-info-api34"), NOTES, user)
    assert found is not None
    assert (found.enabled, found.installed_at, found.version_code) == (enabled, since, 4294967308)
    assert [each.granted for each in found.permissions] == granted


def test_a_version_name_cannot_say_who_installed_the_app_or_what_it_may() -> None:
    forged = (
        "x\n    installerPackageName=com.android.vending\n    flags=[ SYSTEM ]\n"
        "    User 0: installed=true enabled=2\n"
    )
    text = dump("package-info-api26").replace("com.android.vending", "org.other")
    found = read_package_dump(text.replace("1.2.0\n", forged), NOTES, 0)
    assert found is not None
    assert (found.installer, found.enabled) == ("org.other", True)
    assert "SYSTEM" not in found.flags


PIECES = st.sampled_from(
    [
        *dump("package-info-api34").splitlines(),
        *dump("package-shared-api30").splitlines(),
        "  Package [org.example.notes] (1):",
        "    User 0:",
        "",
        " ",
    ]
)


@given(st.lists(st.one_of(PIECES, st.text(max_size=40)), max_size=60))
def test_any_lines_are_read_without_a_failure(lines: list[str]) -> None:
    found = read_package_dump("\n".join(lines), NOTES, 0)
    assert found is None or found.version_code >= 0


LOGIN, CAMERA = "dev.handheld.login", "android.permission.CAMERA"


@pytest.mark.parametrize("api", [26, 28, 29, 30, 33, 34, 36])
async def test_the_virtual_phone_prints_what_its_package_manager_keeps(api: int) -> None:
    phone = VirtualPhone(api=api)

    async def read() -> DumpedPackage:
        stdout, _, _ = await run(phone, f"dumpsys package {LOGIN}")
        found = read_package_dump(stdout, LOGIN, 0)
        assert found is not None
        return found

    app = phone.world.apps[LOGIN]
    found = await read()
    assert (found.version_name, found.version_code) == (app.version, app.version_code)
    assert (found.enabled, found.min_sdk, found.target_sdk) == (True, 26, api)
    assert found.installed_at == found.updated_at is not None
    # Until Android 9 a permission that nobody was asked about has no state.
    assert found.permissions[0] == Permission(CAMERA, False, api >= 29)
    phone.world.permissions.deny(LOGIN, CAMERA, for_good=True)
    assert (await read()).permissions[0] == Permission(CAMERA, False, True)
    await run(phone, f"pm grant --user 0 {LOGIN} {CAMERA}; pm disable-user --user 0 {LOGIN}")
    found = await read()
    assert (found.permissions[0], found.enabled) == (Permission(CAMERA, True, True), False)
    assert [each.name for each in found.permissions] == list(app.permissions)
