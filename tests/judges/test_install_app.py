"""What `install_app` sends is taken as what Debian's adb sends, and what it tells of packages is
what Debian's tools tell of them."""

import re
import subprocess
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import pytest
from test_adb import Adb, adb, connected, run_phone
from test_adb import Phone as OverAdb

from apks.build import build, need_tools
from handheld.driver.fallback import FallbackDriver
from handheld.driver.packages import InstallOptions
from handheld.errors import ActionFailed
from handheld.helper.client import HelperClient
from handheld.phone.apps.installing import InstallReport, PackageSource, install, uninstall
from handheld.phone.apps.package_files import PackageRules
from handheld.phone.phone import Phone
from harness.phones import link_to
from harness.polling import HANG

pytestmark = [pytest.mark.needs_adb, pytest.mark.needs_aapt]

__all__ = ["adb"]

PLAIN, TOOLS = "org.example.plain", "org.example.tools"


@pytest.fixture(scope="module", params=[26, 28, 34])
def device(request: pytest.FixtureRequest, adb: Adb) -> Iterator[OverAdb]:
    need_tools()
    for port in run_phone("--api", str(request.param)):
        yield from connected(adb, port)


@dataclass
class Setup:
    adb: OverAdb
    phone: Phone

    async def install(self, *files: Path) -> InstallReport:
        paths = tuple(str(file) for file in files)
        return await install(self.phone, PackageSource(paths), InstallOptions())

    async def refusal(self, *files: Path) -> str:
        with pytest.raises(ActionFailed) as refused:
            await self.install(*files)
        return refused.value.message

    def files(self, package: str) -> list[str]:
        """The files of an installed package, as adb tells them."""
        listed = self.adb("shell", f"pm path {package}")[0].decode().split()
        return [line.removeprefix("package:") for line in listed]


@pytest.fixture
async def setup(device: OverAdb) -> AsyncIterator[Setup]:
    for package in (PLAIN, TOOLS):
        device("uninstall", package)
    rules = PackageRules((str(build("plain").parent),))
    async with link_to(int(device.serial.partition(":")[2])) as link:
        driver = FallbackDriver(HelperClient(link))
        async with aclosing(Phone(device.serial, driver, package_rules=rules)) as phone:
            yield Setup(device, phone)


def said(*words: str | Path) -> str:
    done = subprocess.run(
        [str(word) for word in words],
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("name", ["plain", "tools"])
async def test_what_is_told_of_a_package_is_what_aapt_and_apksigner_tell(
    setup: Setup, name: str
) -> None:
    apk = build(name, version=7)
    done = await setup.install(apk)
    badging = said("aapt", "dump", "badging", apk)
    package = re.search(r"package: name='(.*?)' versionCode='(.*?)' versionName='(.*?)'", badging)
    levels = re.findall(r"(?m)^(?:sdkVersion|targetSdkVersion):'(\d+)'", badging)
    assert package is not None
    info = done.info
    assert [info.package, str(info.version_code), info.version_name] == list(package.groups())
    assert [str(info.min_sdk), str(info.target_sdk)] == levels
    certificates = said("apksigner", "verify", "--print-certs", "--min-sdk-version", "26", apk)
    signer = re.search(r"certificate SHA-256 digest: ([0-9a-f]{64})", certificates)
    assert signer is not None
    assert info.signer == signer[1]


async def test_the_phone_has_byte_for_byte_what_adb_would_have_sent(
    setup: Setup, tmp_path: Path
) -> None:
    apk = build("tools")
    await setup.install(apk)
    [path] = setup.files(TOOLS)
    stdout, stderr, code = setup.adb("pull", path, str(tmp_path / "back.apk"))
    assert code == 0, (stdout, stderr)
    assert (tmp_path / "back.apk").read_bytes() == apk.read_bytes()


async def test_parts_are_taken_as_those_of_install_multiple(setup: Setup, tmp_path: Path) -> None:
    parts = build("plain"), build("split")
    archive = tmp_path / "plain.apks"
    with zipfile.ZipFile(archive, "w") as writing:
        for number, part in enumerate(parts):
            writing.write(part, f"splits/{number}.apk")
    assert setup.adb("install-multiple", *map(str, parts))[2] == 0
    names = [path.rpartition("/")[2] for path in setup.files(PLAIN)]
    setup.phone.package_rules = PackageRules((str(parts[0].parent), str(tmp_path)))
    for files in (parts, (archive,)):
        await uninstall(setup.phone, PLAIN)
        await setup.install(*files)
        assert [path.rpartition("/")[2] for path in setup.files(PLAIN)] == names


async def test_each_updates_what_the_other_installed(setup: Setup) -> None:
    assert setup.adb("install", str(build("plain")))[2] == 0
    assert (await setup.install(build("plain", version=2))).info.version_code == 2
    assert setup.adb("install", "-r", str(build("plain", version=3)))[2] == 0
    await uninstall(setup.phone, PLAIN)
    assert setup.files(PLAIN) == []


@pytest.mark.parametrize(
    ("given", "reason", "sentence"),
    [
        ({"signer": "two"}, "UPDATE_INCOMPATIBLE", "is installed from another signer"),
        ({"version": 1}, "VERSION_DOWNGRADE", "A newer version (2) is installed"),
        ({"signer": None, "version": 3}, "NO_CERTIFICATES", "is not an installable package"),
        ({"least": 99, "target": 99, "version": 3}, "OLDER_SDK", "It needs an Android of API"),
    ],
)
async def test_what_adb_is_refused_is_refused_here_in_words(
    setup: Setup, given: dict[str, int | str | None], reason: str, sentence: str
) -> None:
    assert setup.adb("install", str(build("plain", version=2)))[2] == 0
    apk = build("plain", **{"version": 3, **given})  # type: ignore[arg-type]
    stdout, stderr, code = setup.adb("install", "-r", str(apk))
    assert code == 1
    assert reason in (stdout + stderr).decode()
    assert sentence in await setup.refusal(apk)
