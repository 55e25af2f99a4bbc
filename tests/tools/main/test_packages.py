"""Apps over MCP: installing, removing and changing them, and what is told of them."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app_formats.apk.writer import Given, Node, archive, manifest, small_apk
from handheld.calls.local import Caller, LocalSurface
from handheld.calls.options import SurfaceOptions
from handheld.errors import ActionFailed, InvalidParams, PermissionDenied, ToolError
from handheld.phone.apps.package_files import PackageRules
from handheld.phone.files.files import Files
from handheld.phone.files.storage import StorageFile
from handheld.phone.phone import Phone
from handheld.tools.main.packages import packages
from handheld_virtual.packages.installing.installed import apk_paths
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.process import Process
from handheld_virtual.system.clock import ManualClock
from harness.event_stream import course
from harness.one_phone import ALL_ON, OnePhone
from harness.patient_clock import PatientClock
from harness.phones import reached

from .conftest import Bench, pass_time

DOWNLOAD = "com.android.externalstorage.documents/primary:Download"
FOLDER = "/storage/emulated/0/Download"
PACKAGE = "org.example.small"
CAMERA, INTERNET = "android.permission.CAMERA", "android.permission.INTERNET"


def apk(
    version: int = 1,
    *,
    split: str = "",
    by: bytes = b"a certificate",
    least: int = 26,
    target: int = 33,
    application: dict[str, Given] | None = None,
    permissions: tuple[str, ...] = (CAMERA, INTERNET),
    package: str = PACKAGE,
) -> bytes:
    more: dict[str, Given] = {"split": split} if split else {}
    given = {"android:label": "Small", **(application or {})}
    root = manifest(
        package, least=least, target=target, application=given, versionCode=version, **more
    )
    wants = [Node("uses-permission", {"android:name": name}) for name in permissions]
    whole = Node(root.name, root.attributes, (*root.children, *wants))
    return small_apk(whole, certificate=by)


class Shelf:
    """A phone whose Download folder is shared, and a folder of the computer."""

    def __init__(self, bench: Bench, folder: Path) -> None:
        self.bench = bench
        self.world = bench.world
        self.folder = folder

    def put(self, content: bytes, name: str = "app.apk") -> dict[str, str]:
        """Put it on the phone; return how a call names it."""
        self.bench.device.files.write(f"{FOLDER}/{name}", content)
        return {"location_id": DOWNLOAD, "path": name}

    def keep(self, content: bytes, name: str = "app.apk") -> dict[str, str]:
        """Put it into the folder of the computer; return how a call names it."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return {"path": str(path)}

    async def install(self, content: bytes, **more: Any) -> str:
        return await self.bench.call("install_app", **self.put(content), **more)

    async def refusal(self, content: bytes, **more: Any) -> str:
        failed = await self.bench.failure("install_app", **self.put(content), **more)
        assert self.world.installer.open_sessions == 0
        return failed.message

    def version(self, package: str = PACKAGE) -> int | None:
        app = self.world.apps.get(package)
        return None if app is None else app.version_code


@pytest.fixture
def shelf(bench: Bench, tmp_path: Path) -> Shelf:
    folder = tmp_path / "packages"
    folder.mkdir()
    _share(bench.phone, tmp_path, folder)
    return Shelf(bench, folder)


def _share(phone: Phone, tmp_path: Path, folder: Path) -> None:
    storage = StorageFile(tmp_path / "storage.toml")
    storage.put(DOWNLOAD)
    phone.files = Files(phone.driver, PatientClock(), storage, ["virtual"])
    phone.package_rules = PackageRules((str(folder),), 4)


# install_app


async def test_who_asks_is_told_how_far_an_installation_has_come(shelf: Shelf) -> None:
    content = apk()
    total = len(content)
    words, result = await shelf.bench.passing(
        course(shelf.bench.http, "android_install_app", shelf.keep(content, "secret-name.apk"))
    )
    assert words == [
        (0, total, "Sending the package to the phone"),
        (total, total, "Android is checking the package"),
    ]
    assert "isError" not in result
    words, _ = await shelf.bench.passing(
        course(shelf.bench.http, "android_install_app", shelf.put(apk(2), "secret-name.apk"))
    )
    assert [word[2] for word in words] == [
        "Copying the package from the phone",
        "Sending the package to the phone",
        "Android is checking the package",
    ]
    assert words[-1][:2] == (2 * total, 2 * total)
    assert shelf.version() == 2


async def test_a_package_of_the_phone_is_installed_and_told_with_its_signer(shelf: Shelf) -> None:
    content = apk()
    reply = await shelf.install(content)
    signer = shelf.world.apps[PACKAGE].signer  # type: ignore[attr-defined]
    assert reply == (f"App installed successfully: {PACKAGE}, version 1.0 (1), signer {signer}")
    path = apk_paths(shelf.world, shelf.world.apps[PACKAGE])[0]
    assert shelf.bench.device.files.read(path) == content


async def test_a_package_of_the_computer_is_installed_from_the_owners_folder(shelf: Shelf) -> None:
    reply = await shelf.bench.call("install_app", **shelf.keep(apk()))
    assert reply.startswith(f"App installed successfully: {PACKAGE}, version 1.0 (1), signer ")


@pytest.mark.by_shell
async def test_what_was_installed_is_told_from_the_file_if_the_phone_does_not_tell(
    shelf: Shelf,
) -> None:
    async def silent(process: Process) -> int:
        await process.stdout.write(b"DUMP TIMEOUT\n")
        return 0

    shelf.bench.device.programs["dumpsys"] = silent
    reply, note = await shelf.bench.items("install_app", **shelf.put(apk()))
    signer = shelf.world.apps[PACKAGE].signer  # type: ignore[attr-defined]
    assert reply == f"App installed successfully: {PACKAGE}, version 1.0 (1), signer {signer}"
    assert note == (
        "Android installed it, but its data could not be read: The phone did not describe"
        f" {PACKAGE}; it printed: DUMP TIMEOUT."
    )


async def test_an_update_is_told_as_one(shelf: Shelf) -> None:
    await shelf.install(apk(1))
    shelf.world.wall.jump(timedelta(minutes=1))
    assert (await shelf.install(apk(2))).startswith(
        f"App updated successfully: {PACKAGE}, version 1.0 (2), signer "
    )


async def test_parts_are_installed_together_from_a_list_a_folder_or_an_archive(
    shelf: Shelf,
) -> None:
    parts = {"base.apk": apk(), "de.apk": apk(split="config.de")}
    for name, content in parts.items():
        shelf.put(content, name)
        shelf.keep(content, f"parts/{name}")
    shelf.bench.device.files.make_folder(f"{FOLDER}/parts")
    for name, content in parts.items():
        shelf.put(content, f"parts/{name}")
    ways: list[dict[str, Any]] = [
        {"location_id": DOWNLOAD, "path": "base.apk", "splits": ["de.apk"]},
        {"location_id": DOWNLOAD, "path": "parts"},
        {"path": f"{shelf.folder}/parts"},
        shelf.put(archive({f"splits/{name}": each for name, each in parts.items()}), "app.apks"),
        shelf.keep(
            archive(
                {
                    "manifest.json": json.dumps(
                        {"split_apks": [{"file": name} for name in parts]}
                    ).encode(),
                    **parts,
                }
            ),
            "app.xapk",
        ),
    ]
    for way in ways:
        assert "successfully" in await shelf.bench.call("install_app", **way)
        names = [
            path.rpartition("/")[2] for path in apk_paths(shelf.world, shelf.world.apps[PACKAGE])
        ]
        assert names == ["base.apk", "split_config.de.apk"]
        await shelf.bench.call("uninstall_app", package_id=PACKAGE)
    assert shelf.world.installer.open_sessions == 0


async def test_of_an_archive_for_many_phones_only_the_parts_for_this_one_are_sent(
    shelf: Shelf,
) -> None:
    names = ("config.arm64_v8a", "config.x86", "config.xxhdpi", "config.mdpi", "config.de")
    files = {"base.apk": apk(), **{f"{name}.apk": apk(split=name) for name in names}}
    await shelf.bench.call("install_app", **shelf.put(archive(files), "app.apkm"))
    found = [path.rpartition("/")[2] for path in apk_paths(shelf.world, shelf.world.apps[PACKAGE])]
    assert found == [
        "base.apk",
        "split_config.arm64_v8a.apk",
        "split_config.de.apk",
        "split_config.xxhdpi.apk",
    ]
    other = archive({"base.apk": apk(2), "x.apk": apk(2, split="config.x86")})
    failed = await shelf.bench.failure("install_app", **shelf.put(other, "x.apks"))
    assert failed.message == (
        "It is not made for this phone: it has code for x86, and the phone runs arm64-v8a."
    )
    assert shelf.version() == 1


async def test_expansion_files_are_put_where_the_app_looks_for_them(shelf: Shelf) -> None:
    obb = f"main.1.{PACKAGE}.obb"
    listed = {
        "package_name": PACKAGE,
        "split_apks": [{"file": "a.apk"}],
        "expansions": [{"file": f"Android/obb/{PACKAGE}/{obb}"}],
    }
    files = {
        "manifest.json": json.dumps(listed).encode(),
        "a.apk": apk(),
        f"Android/obb/{PACKAGE}/{obb}": b"much",
    }
    shelf.bench.device.files.make_folder("/storage/emulated/0/Android", parents=True)
    await shelf.bench.call("install_app", **shelf.keep(archive(files), "app.xapk"))
    path = f"/storage/emulated/0/Android/obb/{PACKAGE}/{obb}"
    assert shelf.bench.device.files.read(path) == b"much"


async def test_an_expansion_file_that_does_not_get_there_is_told_after_the_installation(
    shelf: Shelf,
) -> None:
    obb = f"main.1.{PACKAGE}.obb"
    listed = {
        "package_name": PACKAGE,
        "split_apks": [{"file": "a.apk"}],
        "expansions": [{"file": obb}],
    }
    files = {"manifest.json": json.dumps(listed).encode(), "a.apk": apk(), obb: b"much"}
    shelf.bench.device.files.make_folder("/storage/emulated/0/Android/obb", parents=True)
    shelf.bench.device.files.write(f"/storage/emulated/0/Android/obb/{PACKAGE}", b"in the way")
    failed = await shelf.bench.failure("install_app", **shelf.keep(archive(files), "app.xapk"))
    assert failed.message.startswith(
        f"{PACKAGE} was installed, but its file {obb} could not be copied to the phone: "
    )
    assert shelf.version() == 1


async def test_an_installation_that_android_only_says_it_did_is_not_believed(shelf: Shelf) -> None:
    await shelf.install(apk(5))
    cmd = shelf.bench.device.programs["cmd"]

    async def run(process: Process) -> int:
        if "install-commit" not in process.arguments:
            return await cmd(process)
        await process.stdout.write(b"Success\n")
        return 0

    shelf.bench.device.programs["cmd"] = run
    failed = await shelf.bench.failure("install_app", **shelf.put(apk(6)))
    assert failed.message == (
        f"Android said that it installed {PACKAGE} in version 6, but version 5 is there."
    )
    await shelf.bench.call("uninstall_app", package_id=PACKAGE)
    failed = await shelf.bench.failure("install_app", **shelf.put(apk(6)))
    assert failed.message == (
        f"Android said that it installed {PACKAGE} in version 6, but it is not there."
    )


async def test_a_phone_that_takes_no_older_version_at_all_says_so(shelf: Shelf) -> None:
    await shelf.install(apk(5))
    shelf.world.installer.refusal = ("INSTALL_FAILED_VERSION_DOWNGRADE", "x")
    assert await shelf.refusal(apk(3), allow_downgrade=True) == (
        "A newer version (5) is installed, and this phone does not allow downgrades. "
        "uninstall_app removes it, with its data."
    )


async def test_all_permissions_are_granted_if_asked_for(shelf: Shelf) -> None:
    await shelf.install(apk(), grant_permissions=True)
    assert shelf.world.permissions.granted(PACKAGE, CAMERA)


async def test_another_signer_is_refused_with_what_to_do(shelf: Shelf) -> None:
    await shelf.install(apk())
    assert await shelf.refusal(apk(2, by=b"another")) == (
        f"{PACKAGE} is installed from another signer. uninstall_app removes it, with its data."
    )
    await shelf.bench.call("uninstall_app", package_id=PACKAGE)
    assert "successfully" in await shelf.install(apk(2, by=b"another"))


async def test_a_newer_version_is_replaced_only_if_asked_for(shelf: Shelf) -> None:
    await shelf.install(apk(5))
    assert await shelf.refusal(apk(3)) == (
        "A newer version (5) is installed; allow_downgrade installs it anyway."
    )
    assert "successfully" in await shelf.install(apk(3), allow_downgrade=True)
    assert shelf.version() == 3


async def test_a_package_for_tests_is_installed_only_if_asked_for(shelf: Shelf) -> None:
    test = apk(application={"android:testOnly": True})
    assert await shelf.refusal(test) == (
        "It is a test-only package; allow_test installs it anyway."
    )
    assert "successfully" in await shelf.install(test, allow_test=True)


async def test_a_package_for_a_very_old_android_is_installed_only_if_asked_for(
    shelf: Shelf,
) -> None:
    old = apk(target=7, least=7)
    assert await shelf.refusal(old) == (
        "It targets an Android version that this phone considers too old; allow_old_target "
        "installs it anyway."
    )
    assert "successfully" in await shelf.install(old, allow_old_target=True)


async def test_a_package_for_a_newer_android_names_both(shelf: Shelf) -> None:
    assert await shelf.refusal(apk(least=36, target=36)) == (
        "It needs Android 16; the phone has 14."
    )
    assert await shelf.refusal(apk(least=99, target=99)) == (
        "It needs an Android of API level 99; the phone has 14."
    )


async def test_a_full_phone_says_how_much_is_free(shelf: Shelf) -> None:
    given = shelf.put(apk())
    tree = shelf.bench.device.files
    tree.capacity = tree.used + 100
    failed = await shelf.bench.failure("install_app", **given)
    assert failed.message == "The phone has no room for it (0 MB free)."


@pytest.mark.parametrize(
    ("code", "why", "kind", "message"),
    [
        (
            "INSTALL_PARSE_FAILED_INCONSISTENT_CERTIFICATES",
            "x",
            ActionFailed,
            f"{PACKAGE} is installed from another signer. uninstall_app removes it, with its data.",
        ),
        (
            "INSTALL_FAILED_MISSING_SPLIT",
            "Missing split for org.example.small",
            ActionFailed,
            "It is one part of a split app: give all parts.",
        ),
        *(
            (code, "no x86", ActionFailed, "It is not made for this phone: no x86.")
            for code in (
                "INSTALL_FAILED_NO_MATCHING_ABIS",
                "INSTALL_FAILED_CPU_ABI_INCOMPATIBLE",
                "INSTALL_FAILED_MISSING_FEATURE",
                "INSTALL_FAILED_MISSING_SHARED_LIBRARY",
            )
        ),
        (
            "INSTALL_FAILED_USER_RESTRICTED",
            "Install canceled by user",
            PermissionDenied,
            "The phone refuses installs over USB. Xiaomi: Developer options, Install via USB.",
        ),
        *(
            (code, "x", ActionFailed, "Play Protect or the person at the phone stopped it.")
            for code in ("INSTALL_FAILED_VERIFICATION_FAILURE", "INSTALL_FAILED_ABORTED")
        ),
        *(
            (code, "so", ActionFailed, "app.apk is not an installable package: so.")
            for code in (
                "INSTALL_FAILED_INVALID_APK",
                "INSTALL_PARSE_FAILED_NOT_APK",
                "INSTALL_PARSE_FAILED_BAD_MANIFEST",
                "INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION",
                "INSTALL_PARSE_FAILED_NO_CERTIFICATES",
                "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED",
                "INSTALL_FAILED_BAD_SIGNATURE",
            )
        ),
        (
            "INSTALL_FAILED_DEXOPT",
            "of its own",
            ActionFailed,
            f"Android did not install {PACKAGE}: INSTALL_FAILED_DEXOPT: of its own.",
        ),
    ],
)
async def test_what_the_phone_refuses_is_told_in_words(
    shelf: Shelf, code: str, why: str, kind: type[ToolError], message: str
) -> None:
    shelf.world.installer.refusal = (code, why)
    failed = await shelf.bench.failure("install_app", **shelf.put(apk()))
    assert (type(failed), failed.message) == (kind, message)
    assert shelf.version() is None


async def test_an_unsigned_package_is_refused_by_the_phone(shelf: Shelf) -> None:
    content = small_apk(manifest(PACKAGE), certificate=None)
    assert (await shelf.refusal(content)).startswith(
        "app.apk is not an installable package: Failed"
    )


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nothing.apk", f"File not found: nothing.apk in location '{DOWNLOAD}'"),
        ("../x.apk", "Path must not contain '..' segments"),
        ("/etc/hosts", "Path must be relative, not absolute"),
        ("empty", "The folder empty contains no packages (*.apk)."),
        ("notes.txt", "notes.txt is not an installable package: it is not a zip archive."),
    ],
)
async def test_what_is_no_package_of_the_phone_is_refused(
    shelf: Shelf, path: str, message: str
) -> None:
    shelf.bench.device.files.make_folder(f"{FOLDER}/empty")
    shelf.put(b"milk", "notes.txt")
    failed = await shelf.bench.failure("install_app", location_id=DOWNLOAD, path=path)
    assert failed.message == message


async def test_a_link_out_of_the_storage_location_is_refused(shelf: Shelf) -> None:
    files = shelf.bench.device.files
    files.write("/data/local/tmp/app.apk", apk())
    files.furnish_link("/data/local/tmp/app.apk", f"{FOLDER}/link.apk")
    failed = await shelf.bench.failure("install_app", location_id=DOWNLOAD, path="link.apk")
    assert type(failed) is PermissionDenied


async def test_files_elsewhere_on_the_computer_are_refused(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "secret.apk").write_bytes(apk())
    (shelf.folder / "link.apk").symlink_to(tmp_path / "secret.apk")
    for path in (
        f"{tmp_path}/secret.apk",
        f"{shelf.folder}/../secret.apk",
        f"{shelf.folder}/link.apk",
    ):
        failed = await shelf.bench.failure("install_app", path=path)
        assert type(failed) is PermissionDenied
        assert failed.message == (
            f"'{path}' is in none of the folders of the computer that its owner has named for"
            f" packages: {shelf.folder}."
        )
    shelf.bench.phone.package_rules = PackageRules()
    failed = await shelf.bench.failure("install_app", **shelf.keep(apk()))
    assert "has not named a folder" in failed.message
    assert shelf.version() is None


async def test_a_package_over_the_limit_is_refused(shelf: Shelf) -> None:
    large = small_apk(manifest(PACKAGE), more={"x": bytes(16)}) + bytes(5 * 1024 * 1024)
    for given in (shelf.put(large), shelf.keep(large)):
        failed = await shelf.bench.failure("install_app", **given)
        assert failed.message.startswith("app.apk is too large: packages may have 4 MB in all")


# uninstall_app


async def test_an_app_is_uninstalled(shelf: Shelf) -> None:
    await shelf.install(apk())
    reply = await shelf.bench.call("uninstall_app", package_id=f" {PACKAGE} ")
    assert reply == f"App uninstalled successfully: {PACKAGE}"
    assert shelf.version() is None


async def test_data_is_kept_if_asked_for(shelf: Shelf) -> None:
    await shelf.install(apk())
    shelf.world.app_data[PACKAGE] = (9000, 0)
    reply = await shelf.bench.call("uninstall_app", package_id=PACKAGE, keep_data=True)
    assert reply == f"App uninstalled successfully: {PACKAGE}. Its data was kept."
    assert shelf.world.app_data[PACKAGE] == (9000, 0)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "DELETE_FAILED_DEVICE_POLICY_MANAGER",
            f"{PACKAGE} is an administrator of the phone: a person has to deactivate it first, in"
            " the phone's settings.",
        ),
        ("DELETE_FAILED_USER_RESTRICTED", "This user of the phone may not remove apps."),
        (
            "DELETE_FAILED_OWNER_BLOCKED",
            f"The phone's administrator keeps {PACKAGE} from being removed.",
        ),
        (
            "DELETE_FAILED_APP_PINNED",
            f"{PACKAGE} is pinned to the screen: a person has to unpin it first.",
        ),
        (
            "DELETE_FAILED_USED_SHARED_LIBRARY",
            f"Other apps need {PACKAGE}: remove those first.",
        ),
        ("DELETE_FAILED_ABORTED", "The person at the phone stopped it."),
        (
            "DELETE_FAILED_INTERNAL_ERROR",
            f"Android did not remove {PACKAGE}: DELETE_FAILED_INTERNAL_ERROR.",
        ),
    ],
)
async def test_what_keeps_an_app_on_the_phone_is_told(
    shelf: Shelf, code: str, message: str
) -> None:
    await shelf.install(apk())
    shelf.world.installer.irremovable[PACKAGE] = code
    failed = await shelf.bench.failure("uninstall_app", package_id=PACKAGE)
    assert (type(failed), failed.message) == (ActionFailed, message)
    assert shelf.version() == 1


async def test_an_app_of_the_system_is_not_removed(shelf: Shelf) -> None:
    failed = await shelf.bench.failure("uninstall_app", package_id="com.android.settings")
    assert failed.message == (
        "com.android.settings is part of the phone's system and is not removed."
    )


@pytest.mark.parametrize(
    ("tool", "more", "message"),
    [
        ("uninstall_app", {}, "com.nothing is not installed. list_apps names those that are."),
        ("get_app_info", {}, "com.nothing is not installed. list_apps names those that are."),
        (
            "clear_app_data",
            {},
            "Failed to clear the data of 'com.nothing': it is not installed. list_apps names those"
            " that are.",
        ),
        (
            "set_app_permission",
            {"permission": CAMERA, "granted": True},
            "Failed to change a permission of 'com.nothing': it is not installed. list_apps names"
            " those that are.",
        ),
    ],
)
async def test_an_app_that_is_not_installed_is_named(
    shelf: Shelf, tool: str, more: dict[str, Any], message: str
) -> None:
    failed = await shelf.bench.failure(tool, package_id="com.nothing", **more)
    assert failed.message == message


@pytest.mark.parametrize("package", ["a b", "a;reboot", "$(id)", "-k", "..", "1.2"])
@pytest.mark.parametrize("tool", ["uninstall_app", "clear_app_data", "set_app_permission"])
async def test_what_is_no_package_reaches_no_command(shelf: Shelf, tool: str, package: str) -> None:
    more = {"permission": CAMERA, "granted": True} if tool == "set_app_permission" else {}
    opened = len(shelf.bench.device.opened)
    failed = await shelf.bench.failure(tool, package_id=package, **more)
    assert type(failed) is InvalidParams
    assert len(shelf.bench.device.opened) == opened


@pytest.mark.parametrize("tool", ["uninstall_app", "clear_app_data", "set_app_permission"])
async def test_the_package_of_adb_itself_is_left_alone(shelf: Shelf, tool: str) -> None:
    more = {"permission": CAMERA, "granted": False} if tool == "set_app_permission" else {}
    failed = await shelf.bench.failure(tool, package_id="com.android.shell", **more)
    assert type(failed) is PermissionDenied
    assert failed.message.startswith("adb itself runs as com.android.shell")


# clear_app_data, set_app_permission


async def test_data_and_permissions_of_an_app_are_cleared(shelf: Shelf) -> None:
    await shelf.install(apk(), grant_permissions=True)
    shelf.world.app_data[PACKAGE] = (9000, 0)
    reply = await shelf.bench.call("clear_app_data", package_id=PACKAGE)
    assert reply == f"App data cleared successfully: {PACKAGE}"
    assert PACKAGE not in shelf.world.app_data
    assert not shelf.world.permissions.granted(PACKAGE, CAMERA)


async def test_a_permission_is_granted_and_revoked_by_its_whole_or_short_name(
    shelf: Shelf,
) -> None:
    await shelf.install(apk())
    for name, granted, verb in (("camera", True, "granted"), (CAMERA, False, "revoked")):
        reply = await shelf.bench.call(
            "set_app_permission", package_id=PACKAGE, permission=name, granted=granted
        )
        assert reply == f"Permission {verb} successfully: {CAMERA} for {PACKAGE}"
        assert shelf.world.permissions.granted(PACKAGE, CAMERA) is granted


@pytest.mark.parametrize(
    ("permission", "granted", "message"),
    [
        (
            "READ_SMS",
            True,
            f"{PACKAGE} does not request android.permission.READ_SMS, so Android does not"
            " grant it. get_app_info lists its permissions.",
        ),
        (
            "INTERNET",
            False,
            f"{INTERNET} cannot be changed: Android grants it when the app is installed, or never.",
        ),
        ("org.nobody.KNOWS", True, "This phone has no permission org.nobody.KNOWS."),
    ],
)
async def test_a_permission_that_cannot_be_changed_is_told_why(
    shelf: Shelf, permission: str, granted: bool, message: str
) -> None:
    await shelf.install(apk())
    failed = await shelf.bench.failure(
        "set_app_permission", package_id=PACKAGE, permission=permission, granted=granted
    )
    assert failed.message == message


async def test_what_is_no_permission_is_refused(shelf: Shelf) -> None:
    failed = await shelf.bench.failure(
        "set_app_permission", package_id=PACKAGE, permission="a.b; reboot", granted=True
    )
    assert type(failed) is InvalidParams


# get_app_info


async def test_what_is_known_of_an_app_is_told(shelf: Shelf) -> None:
    await shelf.install(apk(4, application={"android:debuggable": True}))
    shelf.world.app_data[PACKAGE] = (9000, 1000)
    shelf.world.permissions.grant(PACKAGE, CAMERA)
    told = json.loads(await shelf.bench.call("get_app_info", package_id=PACKAGE))
    by_helper = shelf.bench.by == "helper"
    size = len(apk(4, application={"android:debuggable": True}))
    signer = shelf.world.apps[PACKAGE].signer  # type: ignore[attr-defined]
    assert told.pop("first_installed") == told.pop("last_updated")
    assert told == {
        "package_id": PACKAGE,
        "name": "Small" if by_helper else PACKAGE,
        "version_name": "1.0",
        "version_code": 4,
        "is_system": False,
        "is_enabled": True,
        "is_debuggable": True,
        "min_sdk": 26,
        "target_sdk": 33,
        "signer_sha256": signer,
        "installer": None,
        "app_bytes": size if by_helper else None,
        "data_bytes": 9000 if by_helper else None,
        "cache_bytes": 1000 if by_helper else None,
        "granted_permissions": [CAMERA, INTERNET],
        "denied_permissions": [],
    }


async def test_an_app_of_the_system_is_told_as_one(shelf: Shelf) -> None:
    told = json.loads(await shelf.bench.call("get_app_info", package_id="com.android.settings"))
    assert told["is_system"] is True


# Every level, by either driver


@asynccontextmanager
async def open_shelf(tmp_path: Path, api: int, by: str) -> AsyncGenerator[tuple[VirtualPhone, Any]]:
    clock = ManualClock()
    async with reached(VirtualPhone(clock=clock, api=api), by) as (device, _, phone):
        _share(phone, tmp_path, tmp_path)
        surface = LocalSurface((packages,), OnePhone(phone), SurfaceOptions(policy=ALL_ON))

        async def call(name: str, **arguments: Any) -> str:
            reply = surface.call(f"android_{name}", arguments, Caller("test"))
            [text] = await pass_time(clock, reply, 12_000)
            assert isinstance(text, str)
            return text

        yield device, call


@pytest.mark.parametrize("by", ["helper", "shell"])
@pytest.mark.parametrize(
    "api",
    [
        api if api in (26, 34) else pytest.param(api, marks=pytest.mark.matrix)
        for api in (26, 27, 28, 29, 30, 33, 34, 36, 37)
    ],
)
async def test_every_release_is_used_in_the_same_way(tmp_path: Path, api: int, by: str) -> None:
    async with open_shelf(tmp_path, api, by) as (device, call):
        (tmp_path / "a.apk").write_bytes(apk(1))
        (tmp_path / "b.apk").write_bytes(apk(1, split="config.de"))
        files = {"path": f"{tmp_path}/a.apk", "splits": [f"{tmp_path}/b.apk"]}
        assert "installed successfully" in await call(
            "install_app", **files, allow_test=True, allow_old_target=True
        )
        (tmp_path / "old.apk").write_bytes(apk(0))
        with pytest.raises(ActionFailed, match=r"A newer version \(1\) is installed"):
            await call("install_app", path=f"{tmp_path}/old.apk")
        assert "granted" in await call(
            "set_app_permission", package_id=PACKAGE, permission="CAMERA", granted=True
        )
        told = json.loads(await call("get_app_info", package_id=PACKAGE))
        assert told["granted_permissions"] == [CAMERA, INTERNET]
        assert told["signer_sha256"] == device.world.apps[PACKAGE].signer  # type: ignore[attr-defined]
        assert "revoked" in await call(
            "set_app_permission", package_id=PACKAGE, permission="CAMERA", granted=False
        )
        assert "cleared" in await call("clear_app_data", package_id=PACKAGE)
        assert "uninstalled" in await call("uninstall_app", package_id=PACKAGE)
        assert PACKAGE not in device.world.apps
        assert device.world.installer.open_sessions == 0
