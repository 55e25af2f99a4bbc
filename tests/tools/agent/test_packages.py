"""Apps for models: what is told of one, installing, removing and changing it."""

from pathlib import Path

import pytest

from app_formats.apk.writer import archive
from handheld.errors import InvalidParams
from handheld.phone.apps.package_files import PackageRules
from handheld.phone.files.files import Files
from handheld.phone.files.storage import StorageFile
from handheld_virtual.packages.installing.installed import InstalledApp
from harness.event_stream import course
from harness.patient_clock import PatientClock
from tools.main.test_packages import CAMERA, DOWNLOAD, FOLDER, PACKAGE, apk

from .conftest import AgentBench

BOTH = pytest.mark.parametrize("agent_by", ["helper", "shell"], indirect=True)


@pytest.fixture
def shared(bench: AgentBench, tmp_path: Path) -> AgentBench:
    storage = StorageFile(tmp_path / "storage.toml")
    storage.put(DOWNLOAD)
    bench.phone.files = Files(bench.phone.driver, PatientClock(), storage, ["virtual"])
    bench.phone.package_rules = PackageRules((str(tmp_path),), 4)
    return bench


def put(bench: AgentBench, content: bytes, name: str = "app.apk") -> str:
    bench.device.files.write(f"{FOLDER}/{name}", content)
    return f"{DOWNLOAD}/{name}"


def signer(bench: AgentBench) -> str:
    app = bench.world.apps[PACKAGE]
    assert isinstance(app, InstalledApp)
    return app.signer[:16]


async def test_who_asks_is_told_how_far_an_installation_has_come(shared: AgentBench) -> None:
    given = {"action": "install", "app": put(shared, apk())}
    words, result = await shared.passing(course(shared.http, "phone_app", given))
    assert [word[2] for word in words] == [
        "Copying the package from the phone",
        "Sending the package to the phone",
        "Android is checking the package",
    ]
    assert "isError" not in result


@pytest.mark.slow
@BOTH
async def test_an_app_is_installed_told_changed_and_removed(
    shared: AgentBench, agent_by: str
) -> None:
    path = put(shared, apk(3))
    named = f'"Small" {PACKAGE}' if agent_by == "helper" else PACKAGE
    reply = await shared.call("app", action="install", app=path)
    assert reply == f"Installed {named} 1.0 (3), signer {signer(shared)}."
    name = '"Small"' if agent_by == "helper" else PACKAGE
    assert await shared.call("app", action="grant", app=PACKAGE, permission="CAMERA") == (
        f"Granted CAMERA to {name}."
    )
    lines = (await shared.call("read", what="app", of=PACKAGE)).split("\n")
    assert lines[0] == f"{named} 1.0 (3)"
    assert lines[1].startswith("installed 20")
    assert lines[2] == f"signer {signer(shared)}"
    assert lines[-1] == "granted CAMERA"
    assert await shared.call("app", action="revoke", app=PACKAGE, permission=CAMERA) == (
        f"Revoked CAMERA from {name}."
    )
    assert (await shared.call("read", what="app", of=PACKAGE)).endswith("not granted CAMERA")
    assert await shared.call("app", action="clear_data", app=PACKAGE) == (
        f"Cleared the data of {name}."
    )
    assert await shared.call("app", action="uninstall", app=PACKAGE) == (
        f"Uninstalled {name}, with its data."
    )
    assert PACKAGE not in shared.world.apps


async def test_an_app_is_read_by_its_name(shared: AgentBench) -> None:
    told = await shared.call("read", what="app", of="settings")
    assert told.startswith('"Settings" com.android.settings ')
    assert ", of the system\n" in told
    assert len(told) < 600


async def test_a_package_of_the_computer_and_an_archive_are_installed(
    shared: AgentBench, tmp_path: Path
) -> None:
    path = tmp_path / "app.apks"
    path.write_bytes(archive({"base.apk": apk(), "de.apk": apk(split="config.de")}))
    assert (await shared.call("app", action="install", app=str(path))).startswith("Installed")
    refused = await shared.failure("app", action="install", app="/etc/hosts")
    assert "in none of the folders of the computer" in refused.message


async def test_a_package_for_tests_is_installed(shared: AgentBench) -> None:
    path = put(shared, apk(application={"android:testOnly": True}))
    assert (await shared.call("app", action="install", app=path)).startswith("Installed")


async def test_refusals_name_what_there_is_here(shared: AgentBench) -> None:
    await shared.call("app", action="install", app=put(shared, apk(5)))
    newer = await shared.failure("app", action="install", app=put(shared, apk(3)))
    assert newer.message == (
        "A newer version (5) is installed; phone_app uninstall removes it, with its data."
    )
    other = await shared.failure("app", action="install", app=put(shared, apk(6, by=b"two")))
    assert other.message == (
        f"{PACKAGE} is installed from another signer. phone_app uninstall removes it, with its"
        " data."
    )
    not_asked = await shared.failure("app", action="grant", app=PACKAGE, permission="READ_SMS")
    assert not_asked.message.endswith("phone_read app lists its permissions.")


async def test_what_is_missing_is_named(shared: AgentBench) -> None:
    failed = await shared.failure("app", action="grant", app="Settings")
    assert (type(failed), failed.message) == (
        InvalidParams,
        "phone_app grant needs permission, such as CAMERA.",
    )
    failed = await shared.failure("read", what="app")
    assert failed.message == "phone_read app needs of: an app's name or package."
    failed = await shared.failure("app", action="install", app="elsewhere/a.apk")
    assert failed.message.startswith("Storage location 'elsewhere' not found.")
