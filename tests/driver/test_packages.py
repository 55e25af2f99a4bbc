"""Installing, removing and changing apps by either driver, and what is told of them."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app_formats.apk.writer import Node, manifest, small_apk
from handheld.adb.direct import DirectLink
from handheld.adb.link import ByteStream
from handheld.devices.opening import PhoneFactory
from handheld.driver import Driver
from handheld.driver.by_adb.install import read_answer, write_script
from handheld.driver.packages import (
    NOTHING_INSTALLED,
    ApkFile,
    AppInfo,
    InstallOptions,
    InstallRefused,
    NotChanged,
    NotRemoved,
    Permission,
)
from handheld.errors import ActionFailed
from handheld.phone.apps.package_files import PackageRules
from handheld.settings import load
from handheld_virtual.files.entry import ROOT
from handheld_virtual.packages.installing.installed import apk_paths
from handheld_virtual.phone import VirtualPhone
from harness.phones import WatchedLink, reached
from harness.polling import until

PACKAGE, CAMERA = "org.example.small", "android.permission.CAMERA"
INTERNET = "android.permission.INTERNET"
LEVELS = [26, 28, 29, 30, 33, 34, 36]
BOTH = pytest.mark.parametrize("by", ["helper", "shell"])
EVERY = pytest.mark.parametrize(
    "api",
    [api if api in (26, 34) else pytest.param(api, marks=pytest.mark.matrix) for api in LEVELS],
)


def apk(version: int = 1, *, split: str = "", certificate: bytes = b"a certificate") -> bytes:
    more: dict[str, Any] = {"split": split} if split else {}
    root = manifest(PACKAGE, versionCode=version, **more)
    wants = [Node("uses-permission", {"android:name": name}) for name in (CAMERA, INTERNET)]
    return small_apk(
        Node(root.name, root.attributes, (*root.children, *wants)), certificate=certificate
    )


class PackagesOnPhone:
    def __init__(self, device: VirtualPhone, link: WatchedLink, driver: Driver, to: Path):
        self.device, self.link, self.driver = device, link, driver
        self._folder = to
        self._count = 0

    def file(self, content: bytes) -> ApkFile:
        self._count += 1
        path = self._folder / str(self._count)
        path.write_bytes(content)
        return ApkFile(path, len(content))

    async def install(self, *contents: bytes, options: InstallOptions | None = None) -> None:
        files = [self.file(each) for each in contents]
        await self.driver.install(files, options or InstallOptions())

    def left_over(self) -> list[str]:
        """Folders of packages that belong to none."""
        world = self.device.world
        own = {path for app in world.apps.values() for path in apk_paths(world, app)}
        return [
            name
            for name in self.device.files.list("/data/app", ROOT)
            if not any(path.startswith(f"/data/app/{name}/") for path in own)
        ]


@asynccontextmanager
async def open_stage(
    folder: Path,
    api: int = 34,
    by: str = "helper",
    links: Callable[[DirectLink], WatchedLink] = WatchedLink,
) -> AsyncGenerator[PackagesOnPhone]:
    device = VirtualPhone(api=api)
    async with reached(device, by, links=links) as used:
        yield PackagesOnPhone(device, used.link, used.driver, folder)


# Installing


@EVERY
async def test_a_package_is_streamed_in_one_command_for_the_current_user(
    tmp_path: Path, api: int
) -> None:
    async with open_stage(tmp_path, api) as stage:
        content = apk()
        await stage.install(content)
        world = stage.device.world
        assert stage.device.files.read(apk_paths(world, world.apps[PACKAGE])[0]) == content
        [service] = stage.link.services
        assert service.startswith("exec:")
        assert f'install-create -r --user "$u" -S {len(content)} ' in service
        assert (world.installer.open_sessions, stage.left_over()) == (0, [])


@EVERY
async def test_parts_are_written_to_one_session(tmp_path: Path, api: int) -> None:
    async with open_stage(tmp_path, api) as stage:
        await stage.install(apk(), apk(split="config.de"), apk(split="config.fr"))
        world = stage.device.world
        names = [path.rpartition("/")[2] for path in apk_paths(world, world.apps[PACKAGE])]
        assert names == ["base.apk", "split_config.de.apk", "split_config.fr.apk"]
        assert (world.installer.open_sessions, stage.left_over()) == (0, [])


@pytest.mark.parametrize("api", [28, 34, 36])
async def test_options_are_those_that_the_release_knows(tmp_path: Path, api: int) -> None:
    async with open_stage(tmp_path, api) as stage:
        every = InstallOptions(downgrade=True, test=True, old_target=True, grant=True)
        await stage.install(apk(2), options=every)
        assert stage.device.world.permissions.granted(PACKAGE, CAMERA)
        assert "-r -d -t -g " in stage.link.services[-1]


@EVERY
async def test_android_is_told_the_only_package_that_may_be_installed(
    tmp_path: Path, api: int
) -> None:
    async with open_stage(tmp_path, api) as stage:
        if api < 30:
            await stage.install(apk(), options=InstallOptions(package="org.example.other"))
            assert PACKAGE in stage.device.world.apps
            return
        with pytest.raises(InstallRefused) as refused:
            await stage.install(apk(), options=InstallOptions(package="org.example.other"))
        assert refused.value.code == "INSTALL_FAILED_INVALID_APK"
        assert "specified package org.example.other inconsistent with" in refused.value.why
        assert PACKAGE not in stage.device.world.apps
        await stage.install(apk(), options=InstallOptions(package=PACKAGE))
        assert PACKAGE in stage.device.world.apps


def test_what_is_no_package_does_not_get_into_the_command() -> None:
    assert "--pkg" not in write_script([], InstallOptions(package="a.b; reboot"))


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("why", ["Cancelled", r"Cancelled by C:\new\c\\"])
async def test_a_refusal_is_told_with_its_code_and_leaves_nothing(
    tmp_path: Path, parts: int, why: str
) -> None:
    async with open_stage(tmp_path) as stage:
        stage.device.world.installer.refusal = ("INSTALL_FAILED_USER_RESTRICTED", why)
        with pytest.raises(InstallRefused) as refused:
            await stage.install(*[apk(), apk(split="config.de")][:parts])
        assert (refused.value.code, refused.value.why) == (
            "INSTALL_FAILED_USER_RESTRICTED",
            why,
        )
        world = stage.device.world
        assert (world.installer.open_sessions, stage.left_over()) == (0, [])
        assert PACKAGE not in world.apps


async def test_a_phone_without_room_says_so_before_it_has_all_bytes(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        stage.device.files.capacity = stage.device.files.used + 10
        for parts in ([apk()], [apk(), apk(split="config.de")]):
            with pytest.raises(InstallRefused) as refused:
                await stage.install(*parts)
            assert refused.value.code == "INSTALL_FAILED_INSUFFICIENT_STORAGE"
        assert stage.device.world.installer.open_sessions == 0


async def test_a_file_that_became_shorter_is_not_installed(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        file = stage.file(apk())
        for parts in (
            [file._replace(size=file.size + 1)],
            [file, file._replace(size=file.size + 1)],
        ):
            with pytest.raises(ActionFailed, match=r"became shorter.* Nothing was done"):
                await stage.driver.install(parts, InstallOptions())
        await until(lambda: stage.device.world.installer.open_sessions == 0)
        assert PACKAGE not in stage.device.world.apps


class StallingLink(WatchedLink):
    """Keeps a file from being sent to its end."""

    stalled = False

    async def open(self, service: str) -> ByteStream:
        stream = await super().open(service)
        return _Stalled(stream, self) if service.startswith("exec:") else stream


class _Stalled:
    def __init__(self, stream: ByteStream, link: StallingLink) -> None:
        self._stream, self._link = stream, link

    async def read(self, limit: int = 65536) -> bytes:
        return await self._stream.read(limit)

    async def follow(self, take: Callable[[bytes], object]) -> None:
        await self._stream.follow(take)

    async def write(self, data: bytes) -> None:
        await self._stream.write(data[: len(data) // 2])
        self._link.stalled = True
        await asyncio.Event().wait()

    async def aclose(self) -> None:
        await self._stream.aclose()


@pytest.mark.parametrize("parts", [1, 2])
async def test_a_cancelled_installation_leaves_no_session_and_says_that_nothing_was_installed(
    tmp_path: Path, parts: int
) -> None:
    async with open_stage(tmp_path, links=StallingLink) as stage:
        link = stage.link
        assert isinstance(link, StallingLink)
        task = asyncio.create_task(stage.install(*[apk(), apk(split="config.de")][:parts]))
        await until(lambda: link.stalled)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as stopped:
            await task
        assert NOTHING_INSTALLED in stopped.value.__notes__
        installer = stage.device.world.installer
        await until(lambda: installer.open_sessions == 0)
        assert PACKAGE not in stage.device.world.apps
        assert stage.left_over() == []


@pytest.mark.parametrize("parts", [1, 2])
async def test_the_phone_drops_the_session_of_a_connection_that_is_lost(
    tmp_path: Path, parts: int
) -> None:
    async with open_stage(tmp_path, links=StallingLink) as stage:
        link = stage.link
        assert isinstance(link, StallingLink)
        task = asyncio.create_task(stage.install(*[apk(), apk(split="config.de")][:parts]))
        await until(lambda: link.stalled)
        await until(lambda: stage.device.world.installer.open_sessions == 1)
        await link.aclose()
        await until(lambda: stage.device.world.installer.open_sessions == 0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert PACKAGE not in stage.device.world.apps
        assert stage.left_over() == []


@pytest.mark.parametrize(
    ("printed", "code", "why"),
    [
        ("Failure [INSTALL_FAILED_TEST_ONLY: a b]\n", "INSTALL_FAILED_TEST_ONLY", "a b"),
        ("Failure [INSTALL_FAILED_VERSION_DOWNGRADE]\n", "INSTALL_FAILED_VERSION_DOWNGRADE", ""),
        ("Failure [INSTALL_FAILED_X: a\nb]\n", "INSTALL_FAILED_X", "a"),
        ("WARNING: linker: x\nFailure [A_B: c [d]]\r\n", "A_B", "c [d]"),
        ("Failure\n", "", "Failure"),
        (
            "Exception occurred while executing 'install':\n"
            "java.lang.SecurityException: Neither user 2000\n\tat android.os",
            "",
            "java.lang.SecurityException: Neither user 2000",
        ),
        ("Error: failed to write", "", "Error: failed to write"),
    ],
)  # fmt: skip
def test_what_android_prints_about_a_failure_is_read(printed: str, code: str, why: str) -> None:
    refused = read_answer(printed)
    assert refused is not None
    assert (refused.code, refused.why) == (code, why)


@pytest.mark.parametrize(
    "printed", ["Success\n", "Success: streamed 12 bytes\n", "  pkg: x\nSuccess\r\n"]
)
def test_a_success_is_read(printed: str) -> None:
    assert read_answer(printed) is None


# Removing


@EVERY
async def test_an_app_is_removed_in_one_round_trip(tmp_path: Path, api: int) -> None:
    async with open_stage(tmp_path, api) as stage:
        await stage.install(apk())
        before = len(stage.link.services)
        await stage.driver.uninstall(PACKAGE, keep_data=False)
        assert len(stage.link.services) == before + 1
        assert PACKAGE not in stage.device.world.apps
        with pytest.raises(NotRemoved) as again:
            await stage.driver.uninstall(PACKAGE, keep_data=False)
        assert again.value.code == "NOT_INSTALLED"


@EVERY
async def test_what_is_not_removed_is_told(tmp_path: Path, api: int) -> None:
    async with open_stage(tmp_path, api) as stage:
        await stage.install(apk())
        stage.device.world.installer.irremovable[PACKAGE] = "DELETE_FAILED_OWNER_BLOCKED"
        for package, code in (
            (PACKAGE, "DELETE_FAILED_OWNER_BLOCKED"),
            ("com.android.settings", "SYSTEM_APP"),
            ("a.b; reboot", "NOT_INSTALLED"),
        ):
            with pytest.raises(NotRemoved) as refused:
                await stage.driver.uninstall(package, keep_data=False)
            assert refused.value.code == code
        assert {PACKAGE, "com.android.settings"} <= set(stage.device.world.apps)


async def test_kept_data_is_kept(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        await stage.install(apk())
        stage.device.world.app_data[PACKAGE] = (5000, 100)
        await stage.driver.uninstall(PACKAGE, keep_data=True)
        assert stage.device.world.app_data[PACKAGE] == (5000, 100)


# Data and permissions


@EVERY
async def test_the_data_of_an_app_is_cleared(tmp_path: Path, api: int) -> None:
    async with open_stage(tmp_path, api) as stage:
        await stage.install(apk())
        stage.device.world.app_data[PACKAGE] = (5000, 100)
        await stage.driver.clear_data(PACKAGE)
        assert PACKAGE not in stage.device.world.app_data
        with pytest.raises(ActionFailed, match="it is not installed"):
            await stage.driver.clear_data("com.nothing")


@EVERY
async def test_a_permission_is_granted_and_revoked(tmp_path: Path, api: int) -> None:
    async with open_stage(tmp_path, api) as stage:
        await stage.install(apk())
        granted = stage.device.world.permissions
        before = len(stage.link.services)
        await stage.driver.set_permission(PACKAGE, CAMERA, True)
        assert granted.granted(PACKAGE, CAMERA)
        assert len(stage.link.services) == before + 1
        await stage.driver.set_permission(PACKAGE, CAMERA, False)
        assert not granted.granted(PACKAGE, CAMERA)
        # It is so already, whatever Android says to being told.
        await stage.driver.set_permission(PACKAGE, INTERNET, True)


@EVERY
@pytest.mark.parametrize(
    ("permission", "granted", "why"),
    [
        ("android.permission.READ_SMS", True, "has not requested permission"),
        (INTERNET, False, "not a changeable permission type"),
        ("org.nobody.KNOWS", True, "Unknown permission"),
        ("a b", True, "is not a permission"),
    ],
)
async def test_a_permission_that_android_does_not_change_is_told_with_its_words(
    tmp_path: Path, api: int, permission: str, granted: bool, why: str
) -> None:
    async with open_stage(tmp_path, api) as stage:
        await stage.install(apk())
        with pytest.raises(NotChanged) as refused:
            await stage.driver.set_permission(PACKAGE, permission, granted)
        assert why in refused.value.why


async def test_a_permission_of_an_app_that_is_not_there_is_not_changed(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        with pytest.raises(ActionFailed, match="it is not installed"):
            await stage.driver.set_permission("com.nothing", CAMERA, True)


# What is told


def told(info: AppInfo | None) -> AppInfo | None:
    """Without what only the helper can tell."""
    return info and info._replace(label="", sizes=None, permissions=())


@EVERY
async def test_either_driver_tells_the_same_of_an_app(tmp_path: Path, api: int) -> None:
    found: dict[str, AppInfo] = {}
    for by in ("helper", "shell"):
        async with open_stage(tmp_path, api, by) as stage:
            await stage.install(apk(3))
            stage.device.world.permissions.grant(PACKAGE, CAMERA)
            info = await stage.driver.app_info(PACKAGE)
            assert info is not None
            found[by] = info._replace(installed_at=None, updated_at=None)
            assert info.installed_at == info.updated_at is not None
            assert await stage.driver.app_info("com.nothing") is None
            assert await stage.driver.app_info("no package") is None
    assert told(found["helper"]) == told(found["shell"])
    assert found["shell"].permissions == found["helper"].permissions
    assert found["helper"].permissions == (
        Permission(CAMERA, True, True),
        Permission(INTERNET, True, False),
    )
    assert (found["helper"].label, found["shell"].label) == ("Small", PACKAGE)
    assert len(found["shell"].signer) == 64
    assert found["shell"].sizes is None
    assert (found["helper"].sizes is None) == (api < 28)


@BOTH
async def test_an_update_keeps_the_time_of_the_first_installation(tmp_path: Path, by: str) -> None:
    async with open_stage(tmp_path, by=by) as stage:
        await stage.install(apk(1))
        stage.device.world.wall.jump(timedelta(hours=1))
        await stage.install(apk(2))
        info = await stage.driver.app_info(PACKAGE)
        assert info is not None
        assert info.version_code == 2
        assert info.installed_at is not None
        assert info.updated_at is not None
        assert info.installed_at < info.updated_at


async def test_the_phone_tells_what_decides_which_parts_it_needs(tmp_path: Path) -> None:
    async with open_stage(tmp_path, 30) as stage:
        traits = await stage.driver.traits()
        free = stage.device.files.capacity - stage.device.files.used
        assert (traits.api, traits.release, traits.abis) == (30, "11", ("arm64-v8a",))
        assert traits.density == 420
        assert traits.free_bytes is not None
        assert abs(traits.free_bytes - free) < 4096


async def test_the_owners_settings_say_from_where_apps_are_installed(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        home = {"HANDHELD_HOME": str(tmp_path)}
        flags = {"packages_folders": "/srv/apps,~/build", "packages_size_limit_mb": "20"}
        phone = PhoneFactory(load(flags, home)).make_phone(stage.link)
        assert phone.package_rules == PackageRules(("/srv/apps", "~/build"), 20)
        assert PhoneFactory(load({}, home)).make_phone(stage.link).package_rules == PackageRules()
