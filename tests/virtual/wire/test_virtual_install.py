"""Installing packages on the virtual phone, with Android's commands and messages."""

import asyncio
import re

import pytest
from wire_client import WireClient, connect

from app_formats.apk.writer import Node, activity, archive, manifest, signed, small_apk, xml
from handheld.adb import wire
from handheld.app_formats.apk.manifest import ManifestKind
from handheld.screen import model
from handheld_virtual.files.entry import ROOT
from handheld_virtual.packages.installing.installed import HONEST, InstalledApp, apk_paths
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.shell import Shell
from handheld_virtual.sh.streams import Collector, Given
from harness.polling import HANG

PACKAGE = "org.example.small"
LAUNCHER = "com.android.launcher3"
TEMPORARY = re.compile(r"vmdl[0-9]+\.tmp")


async def run(phone: VirtualPhone, command: str, stdin: bytes = b"") -> tuple[str, str, int]:
    stdout, stderr = Collector(1 << 20), Collector(1 << 20)
    async with asyncio.timeout(HANG):
        code = await Shell(phone, Given(stdin), stdout, stderr, {}).run(command)
    return stdout.data.decode(), stderr.data.decode(), code


async def install(phone: VirtualPhone, apk: bytes, options: str = "") -> str:
    """Return the output of `pm install` without the session's number."""
    stdout, stderr, code = await run(phone, f"pm install {options} -S {len(apk)}", apk)
    assert stderr == ""
    assert code == (0 if stdout == "Success\n" else 1)
    return TEMPORARY.sub("vmdlN.tmp", stdout)


def version(code: int, **more: bool) -> bytes:
    given = {f"android:{name}": value for name, value in more.items()}
    root = manifest(PACKAGE, versionCode=code, application={"android:label": "Small", **given})
    return small_apk(root)


def left_over(phone: VirtualPhone) -> list[str]:
    """Files in the package folders that do not belong to a package."""
    own = {path for app in phone.world.apps.values() for path in apk_paths(phone.world, app)}
    folders = phone.files.list("/data/app", ROOT)
    return [
        name for name in folders if not any(path.startswith(f"/data/app/{name}/") for path in own)
    ]


def nodes(phone: VirtualPhone) -> list[model.Node]:
    return [node for window in phone.world.automation.read_windows() for node in window.nodes]


async def test_an_installed_package_is_an_app_of_the_phone():
    phone = VirtualPhone()
    apk = small_apk()
    assert await install(phone, apk) == "Success\n"
    app = phone.world.apps[PACKAGE]
    assert isinstance(app, InstalledApp)
    assert (app.label, app.version, app.version_code, app.main) == ("Small", "1.0", 1, ".Main")
    assert [item.name for item in app.manifest.components] == [f"{PACKAGE}.Main"]
    assert phone.world.running.uid(app) >= 10_000
    assert left_over(phone) == []


@pytest.mark.parametrize(
    ("api", "pattern"),
    [
        (28, r"/data/app/org\.example\.small-[\w-]{22}==/base\.apk"),
        (34, r"/data/app/~~[\w-]{22}==/org\.example\.small-[\w-]{22}==/base\.apk"),
    ],
)
async def test_installed_apk_can_be_pulled_byte_for_byte(api: int, pattern: str):
    phone = VirtualPhone(api=api)
    apk = small_apk()
    await install(phone, apk)
    stdout, _, _ = await run(phone, f"pm path {PACKAGE}")
    path = stdout.strip().removeprefix("package:")
    assert re.fullmatch(pattern, path)
    assert phone.files.read(path) == apk
    stdout, _, _ = await run(phone, f"pm list packages -f {PACKAGE}")
    assert stdout == f"package:{path}={PACKAGE}\n"


async def test_launcher_icon_opens_a_screen_that_says_the_code_does_not_run():
    phone = VirtualPhone()
    await install(phone, small_apk())
    world = phone.world
    assert "Small" in [node.description for node in nodes(phone)]
    assert world.launch(PACKAGE) == f"{PACKAGE}.Main"
    assert [node.text for node in nodes(phone) if PACKAGE in (node.resource_id or "")] == [
        "Small",
        f"{PACKAGE}.Main",
        HONEST,
        f"{PACKAGE}\nVersion 1.0 (1)",
    ]


async def test_uninstalling_removes_files_task_and_process():
    phone = VirtualPhone()
    await install(phone, small_apk())
    phone.world.launch(PACKAGE)
    assert phone.world.running.pids(PACKAGE)
    assert await run(phone, f"pm uninstall {PACKAGE}") == ("Success\n", "", 0)
    assert PACKAGE not in phone.world.apps
    assert phone.world.running.pids(PACKAGE) == []
    assert phone.world.front.app.package == LAUNCHER
    assert phone.world.tasks.recent == []
    assert left_over(phone) == []


async def test_app_that_is_not_a_system_app_can_be_uninstalled():
    phone = VirtualPhone()
    stdout, _, _ = await run(phone, "pm path dev.handheld.notes")
    assert phone.files.exists(stdout.strip().removeprefix("package:"))
    phone.world.launch("dev.handheld.notes")
    assert await run(phone, "pm uninstall dev.handheld.notes") == ("Success\n", "", 0)
    assert await run(phone, "pm path dev.handheld.notes") == ("", "", 1)
    assert phone.world.front.app.package == LAUNCHER
    assert "Notes" not in [node.text for node in nodes(phone)]
    assert left_over(phone) == []


async def test_package_sequence_lists_what_changed():
    phone = VirtualPhone()
    world = phone.world
    assert (world.package_changes.sequence, world.package_changes.since(0)) == (0, [])
    await install(phone, small_apk())
    await install(phone, small_apk(manifest("org.example.other")))
    assert (world.package_changes.sequence, world.package_changes.since(1)) == (
        2,
        ["org.example.other"],
    )
    await run(phone, f"pm uninstall {PACKAGE}")
    assert world.package_changes.since(0) == ["org.example.other", PACKAGE]
    assert world.package_changes.since(2) == [PACKAGE]


async def test_update_replaces_the_file_and_kills_the_process():
    phone = VirtualPhone()
    await install(phone, version(1))
    before, uid = apk_paths(phone.world, phone.world.apps[PACKAGE])[0], _uid(phone)
    phone.world.launch(PACKAGE)
    assert await install(phone, version(2), "-r") == "Success\n"
    after = apk_paths(phone.world, phone.world.apps[PACKAGE])[0]
    assert phone.files.read(after) == version(2)
    assert not phone.files.exists(before, ROOT)
    assert phone.world.running.pids(PACKAGE) == []
    assert _uid(phone) == uid
    assert left_over(phone) == []


def _uid(phone: VirtualPhone) -> int:
    return phone.world.running.uid(phone.world.apps[PACKAGE])


async def test_granted_permissions_survive_an_update_but_not_an_uninstall():
    phone = VirtualPhone()
    root = manifest(PACKAGE)
    wants = Node("uses-permission", {"android:name": "android.permission.CAMERA"})
    net = Node("uses-permission", {"android:name": "android.permission.INTERNET"})
    apk = small_apk(Node(root.name, root.attributes, (*root.children, wants, net)))
    await install(phone, apk)
    granted = phone.world.permissions
    assert not granted.granted(PACKAGE, "android.permission.CAMERA")
    await install(phone, apk, "-r -g")
    assert list(granted.of(PACKAGE)) == ["android.permission.CAMERA"]
    await install(phone, apk, "-r")
    assert granted.granted(PACKAGE, "android.permission.CAMERA")
    await run(phone, f"pm uninstall {PACKAGE}")
    assert granted.of(PACKAGE) == {}


# Failures

BASE = "/data/app/vmdlN.tmp/base.apk"
UNSIGNED = f"Failed to collect certificates from {BASE}: Attempt to get length of null array"
OLD = manifest(PACKAGE, target=7, least=7)
SILENT = manifest(PACKAGE, Node("activity", {"android:name": ".Main"}, activity().children))


@pytest.mark.parametrize(
    ("api", "apk", "answer"),
    [
        (28, b"noise", f"INSTALL_PARSE_FAILED_NOT_APK: Failed to parse {BASE}"),
        (
            34,
            b"noise",
            f"INSTALL_PARSE_FAILED_NOT_APK: Failed to parse {BASE}:"
            f" Failed to load asset path {BASE}",
        ),
        (
            34,
            archive({"x": b""}),
            f"INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION: Failed to parse {BASE}:"
            " AndroidManifest.xml",
        ),
        (
            34,
            archive({"AndroidManifest.xml": b"<manifest/>"}),
            f"INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION: Failed to parse {BASE}: Corrupt XML binary"
            " file",
        ),
        (34, small_apk(certificate=None), f"INSTALL_PARSE_FAILED_NO_CERTIFICATES: {UNSIGNED}"),
        (
            30,
            small_apk(certificate=None),
            "INSTALL_PARSE_FAILED_NO_CERTIFICATES: Failed collecting certificates for"
            f" {BASE}: {UNSIGNED}",
        ),
        (
            28,
            small_apk(manifest(PACKAGE, least=29)),
            f"INSTALL_FAILED_OLDER_SDK: Failed parse during installPackageLI: {BASE} (at Binary XML"
            " file line #1): Requires newer sdk version #29 (current version is #28)",
        ),
        (
            34,
            small_apk(OLD),
            "INSTALL_FAILED_DEPRECATED_SDK_VERSION: App package must target at least SDK version"
            " 23, but found 7",
        ),
        (
            34,
            small_apk(SILENT),
            "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED: Failed parse during installPackageLI:"
            f" {BASE} (at Binary XML file line #1): {PACKAGE}.Main: Targeting S+ (version 31 and"
            " above) requires that an explicit value for android:exported be defined when intent"
            " filters are present",
        ),
        (
            34,
            version(1, testOnly=True),
            "INSTALL_FAILED_TEST_ONLY: Failed to install test-only apk. Did you forget to add -t?",
        ),
        (
            34,
            small_apk(manifest(PACKAGE, split="more")),
            "INSTALL_FAILED_INVALID_APK: Full install must include a base package",
        ),
        (
            34,
            small_apk(manifest("com.android.settings")),
            "INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package com.android.settings signatures"
            " do not match newer version; ignoring!",
        ),
    ],
)
async def test_invalid_packages_are_refused_with_androids_messages(
    api: int, apk: bytes, answer: str
):
    phone = VirtualPhone(api=api)
    before = list(phone.world.apps)
    assert await install(phone, apk) == f"Failure [{answer}]\n"
    assert list(phone.world.apps) == before
    assert phone.world.package_changes.sequence == 0
    assert left_over(phone) == []


@pytest.mark.parametrize(
    ("api", "apk", "options"),
    [
        (34, version(1, testOnly=True), "-t"),
        (34, small_apk(OLD), "--bypass-low-target-sdk-block"),
        (33, small_apk(OLD), ""),
        (30, small_apk(SILENT), ""),
    ],
)
async def test_packages_are_installed_with_an_option_or_on_older_releases(
    api: int, apk: bytes, options: str
):
    assert await install(VirtualPhone(api=api), apk, options) == "Success\n"


OTHER_SIGNER = small_apk(manifest(PACKAGE), certificate=b"somebody else")
EXISTS = (
    f"INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install {PACKAGE} without first uninstalling."
)
INCOMPATIBLE = "INSTALL_FAILED_UPDATE_INCOMPATIBLE"
NEWER = (
    f"{INCOMPATIBLE}: Existing package {PACKAGE} signatures do not match newer version; ignoring!"
)
PREVIOUS = (
    f"{INCOMPATIBLE}: Package {PACKAGE} signatures do not match previously installed version;"
    " ignoring!"
)
DOWNGRADE = "Downgrade detected: Update version code 1 is older than current 2"


@pytest.mark.parametrize(
    ("api", "apk", "options", "answer"),
    [
        (28, version(2), "", EXISTS),
        (28, version(2), "-r", None),
        (34, version(2), "", None),
        (34, version(2), "-R", EXISTS),
        (34, OTHER_SIGNER, "", NEWER),
        (30, OTHER_SIGNER, "", PREVIOUS),
        (30, version(1), "", "INSTALL_FAILED_VERSION_DOWNGRADE"),
        (34, version(1), "", f"INSTALL_FAILED_VERSION_DOWNGRADE: {DOWNGRADE}"),
        (34, version(1), "-d", None),
        (28, version(1), "-r -d", "INSTALL_FAILED_VERSION_DOWNGRADE"),
    ],
)
async def test_updates_are_accepted_or_refused_as_on_each_release(
    api: int, apk: bytes, options: str, answer: str | None
):
    phone = VirtualPhone(api=api)
    await install(phone, version(2))
    wanted = "Success\n" if answer is None else f"Failure [{answer}]\n"
    assert await install(phone, apk, options) == wanted
    assert left_over(phone) == []


async def test_before_android_10_only_debuggable_apps_can_be_downgraded():
    phone = VirtualPhone(api=28)
    await install(phone, version(2, debuggable=True))
    assert await install(phone, version(1), "-r -d") == "Success\n"


async def test_kept_data_is_available_to_the_same_signer_only():
    phone = VirtualPhone()
    await install(phone, version(1))
    await run(phone, f"pm uninstall -k {PACKAGE}")
    assert (await install(phone, OTHER_SIGNER)).startswith("Failure [INSTALL_FAILED_UPDATE_INC")
    assert await install(phone, version(1)) == "Success\n"
    await run(phone, f"pm uninstall {PACKAGE}")
    assert await install(phone, OTHER_SIGNER) == "Success\n"


@pytest.mark.parametrize(
    ("api", "package", "stdout", "stderr", "code"),
    [
        (34, "com.android.settings", "Failure [DELETE_FAILED_INTERNAL_ERROR]\n", "", 1),
        (34, "no.such", "Failure [DELETE_FAILED_INTERNAL_ERROR]\n", "", 1),
        (34, "--user 0 no.such", "Failure [not installed for 0]\n", "", 1),
        (
            28,
            "no.such",
            "Failure [not installed for 0]\n",
            "",
            1,
        ),
        (34, "", "Error: package name not specified\n", "", 1),
    ],
)
async def test_failed_uninstall_is_reported(
    api: int, package: str, stdout: str, stderr: str, code: int
):
    phone = VirtualPhone(api=api)
    assert await run(phone, f"pm uninstall {package}") == (stdout, stderr, code)


async def test_full_phone_reads_the_apk_and_reports_no_space():
    phone = VirtualPhone()
    apk = signed(
        archive({"AndroidManifest.xml": xml(manifest()), "big": bytes(100_000)}, deflate=False),
        {2: b"x"},
    )
    phone.files.capacity = phone.files.used + 50_000
    full = "Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]\n"
    assert await install(phone, apk) == full
    used = phone.files.used
    created, _, _ = await run(phone, "pm install-create")
    (session,) = re.findall(r"\[([0-9]+)\]", created)
    answer = await run(phone, f"pm install-write -S {len(apk)} {session} base.apk -", apk)
    assert answer == (full, "", 1)
    await run(phone, f"pm install-abandon {session}")
    assert (phone.files.used, left_over(phone)) == (used, [])


async def test_session_installs_split_apks():
    phone = VirtualPhone()
    base, more = small_apk(), small_apk(manifest(PACKAGE, split="more"))
    stdout, _, _ = await run(phone, f"pm install-create -S {len(base) + len(more)}")
    (session,) = re.findall(r"Success: created install session \[([0-9]+)\]\n", stdout)
    for name, apk in (("0.apk", base), ("1.apk", more)):
        answer = await run(phone, f"pm install-write -S {len(apk)} {session} {name} -", apk)
        assert answer == (f"Success: streamed {len(apk)} bytes\n", "", 0)
    assert PACKAGE not in phone.world.apps
    assert await run(phone, f"pm install-commit {session}") == ("Success\n", "", 0)
    stdout, _, _ = await run(phone, f"pm path {PACKAGE}")
    paths = [line.removeprefix("package:") for line in stdout.splitlines()]
    assert [path.rpartition("/")[2] for path in paths] == ["base.apk", "split_more.apk"]
    assert [phone.files.read(path) for path in paths] == [base, more]
    gone = f"java.lang.SecurityException: Caller has no access to session {session}\n"
    _, stderr, code = await run(phone, f"pm install-commit {session}")
    assert (stderr.endswith(gone), code) == (True, 255)


async def test_split_is_added_to_an_installed_package():
    phone = VirtualPhone()
    await install(phone, small_apk())
    more = small_apk(manifest(PACKAGE, split="more"))
    assert await install(phone, more, f"-p {PACKAGE}") == "Success\n"
    app = phone.world.apps[PACKAGE]
    assert [path.rpartition("/")[2] for path in apk_paths(phone.world, app)] == [
        "base.apk",
        "split_more.apk",
    ]
    assert app.manifest.components[0].kind is ManifestKind.ACTIVITY
    assert left_over(phone) == []


@pytest.mark.parametrize(
    ("parts", "answer"),
    [
        ((), "Session: N. No packages staged in /data/app/vmdlN.tmp"),
        ((small_apk(), small_apk()), "Split null was defined multiple times"),
        (
            (small_apk(), small_apk(manifest("org.example.other", split="x"))),
            "/data/app/vmdlN.tmp/1.apk package org.example.other inconsistent with " + PACKAGE,
        ),
        (
            (small_apk(), small_apk(manifest(PACKAGE, split="x", versionCode=9))),
            "/data/app/vmdlN.tmp/1.apk version code 9 inconsistent with 1",
        ),
        (
            (small_apk(), small_apk(manifest(PACKAGE, split="x"), certificate=b"other")),
            "/data/app/vmdlN.tmp/1.apk signatures are inconsistent",
        ),
    ],
)
async def test_inconsistent_splits_are_refused(parts: tuple[bytes, ...], answer: str):
    phone = VirtualPhone()
    stdout, _, _ = await run(phone, "pm install-create")
    (session,) = re.findall(r"\[([0-9]+)\]", stdout)
    for number, apk in enumerate(parts):
        await run(phone, f"pm install-write -S {len(apk)} {session} {number}.apk", apk)
    stdout, _, code = await run(phone, f"pm install-commit {session}")
    assert code == 1
    output = stdout.replace(session, "N")
    assert output == f"Failure [INSTALL_FAILED_INVALID_APK: {answer}]\n"
    assert left_over(phone) == []


async def test_files_are_installed_only_from_where_the_system_may_read():
    phone = VirtualPhone()
    for folder in ("/data/local/tmp", "/sdcard/Download"):
        phone.files.write(f"{folder}/a.apk", small_apk())
    died = "\nException occurred while executing 'install':\njava.lang.IllegalArgumentException: "
    advice = "Consider using a file under /data/local/tmp/\n"
    assert await run(phone, "cd /data/local/tmp; pm install a.apk") == ("Success\n", "", 0)
    for path, hint in (("/sdcard/Download/a.apk", advice), ("/data/local/tmp/b.apk", "")):
        no = f"Error: Can't open file: {path}\n"
        expected = f"Error: Unable to open file: {path}\n{hint}{no}{died}{no}"
        assert await run(phone, f"pm install {path}") == ("", expected, 255)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("install --frobnicate", "IllegalArgumentException: Unknown option --frobnicate"),
        ("install -S", "NumberFormatException: s == null"),
        ("install -S many", 'NumberFormatException: For input string: "many"'),
        ("install --user ten -S 5", "IllegalArgumentException: Bad user number: ten"),
        (
            "install --user 10 -S 5",
            "IllegalArgumentException: User 10 does not exist",
        ),
        ("install-write -S 1 5 x -", "SecurityException: Caller has no access to session 5"),
        ("install-abandon", "NumberFormatException: s == null"),
    ],
)
async def test_unknown_arguments_are_refused(words: str, problem: str):
    verb = words.split()[0]
    assert await run(VirtualPhone(), f"pm {words}", b"x") == (
        "",
        f"\nException occurred while executing '{verb}':\njava.lang.{problem}\n",
        255,
    )


async def test_without_a_file_or_a_size_nothing_is_read():
    answer = await run(VirtualPhone(), "pm install")
    assert answer == ("Error: must either specify a package size or an APK file\n", "", 1)


@pytest.mark.parametrize("name", ["..", "a/b", "x" * 300])
async def test_file_name_outside_of_the_session_is_refused(name: str):
    phone = VirtualPhone()
    stdout, _, _ = await run(phone, "pm install-create")
    (session,) = re.findall(r"\[([0-9]+)\]", stdout)
    _, stderr, code = await run(phone, f"pm install-write -S 1 {session} {name} -", b"x")
    assert (f"IllegalArgumentException: Invalid name: {name}" in stderr, code) == (True, 255)


# Through adb's services


async def send(client: WireClient, service: str, apk: bytes) -> bytes:
    theirs = await client.open(service)
    assert theirs
    if apk:
        await client.write(theirs, apk)
    return await client.collect(theirs)


async def test_adb_installs_and_removes_through_each_of_its_services():
    apk = small_apk()
    size = str(len(apk))
    async with VirtualPhone() as phone:
        for service in (
            f"abb_exec:package\0install\0-S\0{size}",
            f"exec:cmd package 'install' '-r' '-S' '{size}'",
            f"exec:pm install -S {size}",
        ):
            async with connect(phone.port) as client:
                assert await send(client, service, apk) == b"Success\n"
            assert PACKAGE in phone.world.apps
            async with connect(phone.port) as client:
                assert (
                    await send(client, f"abb_exec:package\0uninstall\0{PACKAGE}", b"")
                    == b"Success\n"
                )
            assert PACKAGE not in phone.world.apps


async def test_abb_has_packets_and_an_exit_code():
    async with VirtualPhone() as phone, connect(phone.port) as client:
        answer = await send(client, "abb:package\0uninstall\0no.such", b"")
        assert answer == wire.encode_shell(
            wire.SHELL_STDOUT, b"Failure [DELETE_FAILED_INTERNAL_ERROR]\n"
        ) + wire.encode_shell(wire.SHELL_EXIT, b"\x01")


async def test_client_that_disconnects_while_sending_leaves_nothing_behind():
    async with VirtualPhone() as phone:
        used = phone.files.used
        async with connect(phone.port) as client:
            theirs = await client.open("abb_exec:package\0install\0-S\x00100000")
            await client.write(theirs, b"x" * 50_000)
            assert phone.files.used > used
        async with asyncio.timeout(HANG):
            while phone.files.used != used:  # noqa: ASYNC110 - the phone does this by itself
                await asyncio.sleep(0)
        assert left_over(phone) == []
