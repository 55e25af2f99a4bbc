"""Apps that the owner's rules are about, and files that the owner did not share: nothing of them is
installed, removed, changed or told."""

import asyncio
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from app_formats.apk.writer import archive, manifest, small_apk
from attacks.conftest import AGENT, Target
from handheld.access.approval import ApprovalGate
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.local import LocalSurface, SurfaceOptions
from handheld.driver.apps import Installed
from handheld.phone.apps.package_files import PackageRules
from handheld.phone.files.files import Files
from handheld.phone.files.storage import StorageFile
from handheld.settings.rules import Rules
from handheld.tools.main import CATALOG
from handheld.tools.main.packages import packages
from harness.one_phone import ALL_ON, OnePhone
from harness.patient_clock import PatientClock
from harness.phones import PhoneClock

ATTACK = "packages"

DOWNLOAD = "com.android.externalstorage.documents/primary:Download"
FOLDER = "/storage/emulated/0/Download"
BANK, HARMLESS = "com.bank.money", "org.example.harmless"
CAMERA = "android.permission.CAMERA"


def apk(package: str) -> bytes:
    return small_apk(manifest(package))


def use(target: Target, gate: ApprovalGate) -> None:
    options = SurfaceOptions(gate=gate, clock=PhoneClock(target.device), policy=ALL_ON)
    phones = OnePhone(target.phone)
    target.main = LocalSurface((*CATALOG, packages), phones, options)
    target.agent = make_agent_surface(phones, options)


@pytest.fixture
def shared(target: Target, tmp_path: Path) -> Target:
    """The Download folder of the phone and a folder of the computer are shared; a bank's app is
    installed, and a rule denies everything about it."""
    storage = StorageFile(tmp_path / "storage.toml")
    storage.put(DOWNLOAD)
    target.phone.files = Files(target.phone.driver, PatientClock(), storage, ["virtual"])
    (tmp_path / "shared").mkdir()
    target.phone.package_rules = PackageRules((str(tmp_path / "shared"),), 4)
    use(target, ApprovalGate(Rules(deny=("app:com.bank.*",))))
    return target


def put(target: Target, name: str, content: bytes) -> None:
    target.device.files.write(f"{FOLDER}/{name}", content)


FORMS = {
    "bank.apk": apk(BANK),
    "innocent.txt": apk(BANK),
    "bank.apks": archive({"splits/base-master.apk": apk(BANK)}),
    "bank.xapk": archive({"manifest.json": b'{"split_apks":[{"file":"x"}]}', "x": apk(BANK)}),
}


@pytest.mark.parametrize("name", FORMS)
async def test_an_app_that_a_rule_denies_is_not_installed_under_any_name(
    shared: Target, tmp_path: Path, name: str
) -> None:
    put(shared, name, FORMS[name])
    (tmp_path / "shared" / name).write_bytes(FORMS[name])
    calls: list[tuple[str, dict[str, Any]]] = [
        ("install_app", {"location_id": DOWNLOAD, "path": name}),
        ("install_app", {"path": f"{tmp_path}/shared/{name}"}),
        ("phone_app", {"action": "install", "app": f"{DOWNLOAD}/{name}"}),
        ("phone_app", {"action": "install", "app": f"{tmp_path}/shared/{name}"}),
    ]
    for tool, arguments in calls:
        assert "the rule 'app:com.bank.*' denies it" in await shared.refused(tool, **arguments)
    assert BANK not in shared.world.apps


async def test_an_app_that_a_rule_denies_is_neither_told_nor_changed(shared: Target) -> None:
    put(shared, "bank.apk", apk(BANK))
    use(shared, ApprovalGate(Rules()))
    await shared.call("install_app", location_id=DOWNLOAD, path="bank.apk")
    use(shared, ApprovalGate(Rules(deny=("app:com.bank.*",))))
    about = {"package_id": BANK}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("get_app_info", about),
        ("uninstall_app", about),
        ("uninstall_app", {"package_id": f" {BANK} "}),
        ("clear_app_data", about),
        ("set_app_permission", {**about, "permission": CAMERA, "granted": True}),
        ("phone_read", {"what": "app", "of": BANK}),
        ("phone_app", {"action": "uninstall", "app": BANK}),
        ("phone_app", {"action": "clear_data", "app": BANK}),
        ("phone_app", {"action": "grant", "app": BANK, "permission": "CAMERA"}),
        ("phone_app", {"action": "revoke", "app": BANK, "permission": "CAMERA"}),
    ]
    for tool, arguments in calls:
        assert "the rule 'app:com.bank.*' denies it" in await shared.refused(tool, **arguments)
    assert BANK in shared.world.apps


async def test_a_file_that_is_replaced_after_it_was_judged_is_not_installed(
    shared: Target,
) -> None:
    put(shared, "app.apk", apk(HARMLESS))
    driver = shared.phone.driver
    pull, pulls = driver.pull_to, 0

    async def pull_and_replace(path: str, file: BinaryIO, *, limit: int) -> int:
        nonlocal pulls
        size = await pull(path, file, limit=limit)
        pulls += 1
        put(shared, "app.apk", apk(BANK))
        return size

    driver.pull_to = pull_and_replace  # type: ignore[method-assign]
    told = await shared.refused("install_app", location_id=DOWNLOAD, path="app.apk")
    assert told.startswith(f"The owner of the phone does not allow {BANK} without being asked.")
    assert pulls == 2
    assert {BANK, HARMLESS}.isdisjoint(shared.world.apps)


@pytest.mark.parametrize("allow", [True, False])
async def test_a_person_who_is_asked_about_the_app_decides(shared: Target, allow: bool) -> None:
    gate = ApprovalGate(Rules(ask=("app:com.bank.*",)), require_console=True)
    gate.consoles = 1
    use(shared, gate)
    put(shared, "bank.apk", apk(BANK))
    asked: list[tuple[str, ...]] = []

    async def answer() -> None:
        questions = gate.subscribe()
        async for change in questions:
            if change.state == "asked":
                asked.append(change.pending.call.apps)
                gate.answer(change.pending.id, allow, "Ann")

    answering = asyncio.create_task(answer())
    await asyncio.sleep(0)
    call = shared.main.call(
        "android_install_app", {"location_id": DOWNLOAD, "path": "bank.apk"}, AGENT
    )
    [done] = await asyncio.gather(shared.passing(call), return_exceptions=True)
    answering.cancel()
    assert isinstance(done, BaseException) is not allow
    assert (BANK in shared.world.apps) is allow
    assert all(BANK in apps for apps in asked)
    assert asked


@pytest.mark.parametrize("replaced", [True, False])
@pytest.mark.parametrize("tool", ["install_app", "phone_app"])
async def test_a_yes_is_for_the_app_that_the_person_was_told_of(
    shared: Target, tool: str, replaced: bool
) -> None:
    """Also where no rule is about apps."""
    gate = ApprovalGate(Rules(ask=("install_app",)), require_console=True)
    gate.consoles = 1
    use(shared, gate)
    put(shared, "app.apk", apk(HARMLESS))
    asked: list[tuple[str, ...]] = []

    async def answer() -> None:
        async for change in gate.subscribe():
            if change.state == "asked":
                asked.append(change.pending.call.apps)
                if replaced:
                    put(shared, "app.apk", apk(BANK))
                gate.answer(change.pending.id, True, "Ann")

    answering = asyncio.create_task(answer())
    await asyncio.sleep(0)
    arguments: dict[str, Any] = {"location_id": DOWNLOAD, "path": "app.apk"}
    if tool == "phone_app":
        arguments = {"action": "install", "app": f"{DOWNLOAD}/app.apk"}
    try:
        if replaced:
            told = await shared.refused(tool, **arguments)
            assert told == (
                f"The owner of the phone does not allow {BANK} without being asked. Nothing was"
                " done."
            )
        else:
            await shared.call(tool, **arguments)
    finally:
        answering.cancel()
    assert (BANK in shared.world.apps, HARMLESS in shared.world.apps) == (False, not replaced)
    assert [HARMLESS in apps for apps in asked] == [True]


@pytest.mark.parametrize("target", ["helper"], indirect=True)
@pytest.mark.parametrize("action", ["uninstall", "clear_data", "grant"])
async def test_an_app_that_takes_anothers_name_after_it_was_judged_is_left_alone(
    shared: Target, action: str
) -> None:
    use(shared, ApprovalGate(Rules()))
    for package in (BANK, HARMLESS):
        put(shared, "app.apk", small_apk(manifest(package, application={"android:label": package})))
        await shared.call("install_app", location_id=DOWNLOAD, path="app.apk")
    use(shared, ApprovalGate(Rules(deny=("app:com.bank.*",))))
    driver = shared.phone.driver
    list_packages, names = driver.packages, iter([HARMLESS, BANK])

    async def rename(which: Any) -> list[Installed]:
        named = next(names)
        return [
            app._replace(label="Chess") if app.package == named else app
            for app in await list_packages(which)
        ]

    driver.packages = rename  # type: ignore[method-assign]
    told = await shared.refused("phone_app", action=action, app="Chess", permission="CAMERA")
    assert told.startswith(f"The owner of the phone does not allow {BANK} without being asked.")
    assert BANK in shared.world.apps


async def test_what_a_rule_is_not_about_is_installed_without_a_question(shared: Target) -> None:
    put(shared, "app.apk", apk(HARMLESS))
    await shared.call("install_app", location_id=DOWNLOAD, path="app.apk")
    assert HARMLESS in shared.world.apps


NAMES = ["a b.apk", "$(reboot).apk", "`id`.apk", "a;reboot.apk", "--x", "'.apk", '".apk']


@pytest.mark.parametrize("name", NAMES)
async def test_names_of_files_reach_no_command_of_an_installation(
    shared: Target, name: str
) -> None:
    put(shared, name, apk(HARMLESS))
    shared.device.opened.clear()
    await shared.call("install_app", location_id=DOWNLOAD, path=name)
    assert HARMLESS in shared.world.apps
    assert not [
        service for service in shared.device.opened if name in service and "exec:" in service
    ]
