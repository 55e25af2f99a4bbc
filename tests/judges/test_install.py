"""Debian's adb installs packages made by Debian's tools on the virtual phone."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_adb import Adb, Phone, adb, connected, run_phone

from apks.build import build, need_tools

pytestmark = [pytest.mark.needs_adb, pytest.mark.needs_aapt]

__all__ = ["adb"]


@pytest.fixture(scope="module", params=[28, 34])
def phone(request: pytest.FixtureRequest, adb: Adb) -> Iterator[Phone]:
    """A phone that adb streams to through `cmd`, and one through `abb_exec`."""
    need_tools()
    for port in run_phone("--api", str(request.param)):
        yield from connected(adb, port)


def api(phone: Phone) -> int:
    return int(phone("shell", "getprop ro.build.version.sdk")[0])


@pytest.fixture(autouse=True)
def clean(phone: Phone) -> None:
    for package in ("org.example.plain", "org.example.tools"):
        phone("uninstall", package)


def installed(phone: Phone) -> list[str]:
    listed = phone("shell", "pm list packages org.example")[0].decode().split()
    return [line.removeprefix("package:") for line in listed]


def failure(phone: Phone, *words: str) -> str:
    """Return the reason of the failure, without the session number."""
    stdout, stderr, code = phone(*words)
    assert code == 1, (stdout, stderr)
    (reason,) = re.findall(r"\[(.*)\]", (stdout + stderr).decode())
    return re.sub(r"vmdl[0-9]+", "vmdlN", reason)


def test_a_package_is_installed_pulled_back_and_removed(phone: Phone, tmp_path: Path):
    apk = build("tools")
    stdout, stderr, code = phone("install", str(apk))
    assert (code, b"Success" in stdout) == (0, True), (stdout, stderr)
    assert installed(phone) == ["org.example.tools"]
    path = phone("shell", "pm path org.example.tools")[0].decode().strip()
    stdout, stderr, code = phone("pull", path.removeprefix("package:"), str(tmp_path / "back.apk"))
    assert code == 0, (stdout, stderr)
    assert (tmp_path / "back.apk").read_bytes() == apk.read_bytes()
    assert phone("uninstall", "org.example.tools") == (b"Success\n", b"", 0)
    assert installed(phone) == []


def test_an_update_is_installed_and_a_downgrade_rejected(phone: Phone):
    first, second = str(build("plain")), str(build("plain", version=2))
    assert phone("install", first)[2] == 0
    assert phone("install", "-r", second)[2] == 0
    reason = failure(phone, "install", "-r", first)
    details = ": Downgrade detected: Update version code 1 is older than current 2"
    assert reason == "INSTALL_FAILED_VERSION_DOWNGRADE" + (details if api(phone) >= 31 else "")


def test_an_installed_package_is_replaced_by_default_since_android_10(phone: Phone):
    apk = str(build("plain"))
    assert phone("install", apk)[2] == 0
    if api(phone) < 29:
        assert failure(phone, "install", apk).startswith("INSTALL_FAILED_ALREADY_EXISTS: ")
    else:
        assert phone("install", apk)[2] == 0


def test_a_package_is_installed_from_a_file_on_the_phone(phone: Phone):
    stdout, stderr, code = phone("install", "--no-streaming", str(build("plain")))
    assert code == 0, (stdout, stderr)
    assert installed(phone) == ["org.example.plain"]


def test_another_signer_is_rejected(phone: Phone):
    assert phone("install", str(build("plain")))[2] == 0
    reason = failure(phone, "install", "-r", str(build("plain", signer="two")))
    assert reason.startswith("INSTALL_FAILED_UPDATE_INCOMPATIBLE: ")


def test_an_unsigned_package_is_rejected(phone: Phone):
    reason = failure(phone, "install", str(build("plain", signer=None)))
    assert reason.startswith("INSTALL_PARSE_FAILED_NO_CERTIFICATES: ")


def test_a_package_for_newer_phones_is_rejected(phone: Phone):
    reason = failure(phone, "install", str(build("plain", least=99, target=99)))
    level = api(phone)
    assert reason.endswith(f"Requires newer sdk version #99 (current version is #{level})")


def test_a_file_that_is_not_a_package_is_rejected(phone: Phone, tmp_path: Path):
    (tmp_path / "no.apk").write_bytes(b"nothing")
    stdout, stderr, code = phone("install", str(tmp_path / "no.apk"))
    assert code == 1, (stdout, stderr)
    assert b"INSTALL_PARSE_FAILED_NOT_APK" in stdout + stderr
    assert installed(phone) == []


def test_split_apks_are_installed_as_one_package(phone: Phone):
    files = str(build("plain")), str(build("split"))
    stdout, stderr, code = phone("install-multiple", *files)
    assert code == 0, (stdout, stderr)
    paths = phone("shell", "pm path org.example.plain")[0].decode().split()
    assert [path.rpartition("/")[2] for path in paths] == ["base.apk", "split_more.apk"]
    assert phone("uninstall", "org.example.plain") == (b"Success\n", b"", 0)


@pytest.mark.parametrize("way", ["--streaming", "--fastdeploy"])
def test_each_way_of_sending_installs_the_same(phone: Phone, tmp_path: Path, way: str):
    apk = build("plain")
    stdout, stderr, code = phone("install", way, str(apk))
    assert code == 0, (stdout, stderr)
    path = phone("shell", "pm path org.example.plain")[0].decode().strip()
    phone("pull", path.removeprefix("package:"), str(tmp_path / "back.apk"))
    assert (tmp_path / "back.apk").read_bytes() == apk.read_bytes()


def test_parts_of_two_packages_are_not_installed_as_one(phone: Phone):
    stdout, stderr, code = phone("install-multiple", str(build("plain")), str(build("tools")))
    assert code == 1, (stdout, stderr)
    assert b"INSTALL_FAILED_INVALID_APK" in stdout + stderr
    assert installed(phone) == []


def test_only_the_package_that_was_named_is_installed(phone: Phone):
    reason = failure(phone, "install", "--pkg", "org.example.tools", str(build("plain")))
    assert reason.endswith(
        "specified package org.example.tools inconsistent with org.example.plain"
    )
    assert phone("install", "--pkg", "org.example.plain", str(build("plain")))[2] == 0


def test_data_that_was_kept_stays_with_its_signer(phone: Phone):
    assert phone("install", str(build("plain")))[2] == 0
    # adb itself only tells how.
    assert phone("shell", "cmd package uninstall -k org.example.plain")[0] == b"Success\n"
    assert installed(phone) == []
    other = str(build("plain", signer="two"))
    assert failure(phone, "install", other).startswith("INSTALL_FAILED_UPDATE_INCOMPATIBLE: ")
    assert phone("install", str(build("plain")))[2] == 0


def test_removing_a_missing_package_fails(phone: Phone):
    stdout, stderr, code = phone("uninstall", "org.example.plain")
    reason = b"DELETE_FAILED_INTERNAL_ERROR" if api(phone) >= 30 else b"not installed for 0"
    assert (stdout + stderr, code) == (b"Failure [%s]\n" % reason, 1)
