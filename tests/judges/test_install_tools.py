"""App tools of an APK made by Debian's tools and installed by Debian's adb."""

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

import pytest
from test_adb import Adb, adb, connected, run_phone
from test_adb import Phone as OverAdb

from apks.build import build, certificate, need_tools
from handheld.adb.direct import DirectLink
from handheld.app_tools.app_tools import AppTools
from handheld.app_tools.check.declared import check_file
from handheld.app_tools.trust import Trust
from handheld.driver.app_tools import DeclaringApp, DeclaringProvider, DeclaringService
from handheld.driver.by_shell.apk_app_tools import ApkAppTools
from handheld.driver.fallback import FallbackDriver
from handheld.errors import ActionFailed, PermissionDenied
from handheld.helper.client import HelperClient
from handheld.phone.phone import Phone
from handheld_virtual.packages.installing.installed import NOT_RUN
from harness.phones import link_to

pytestmark = [pytest.mark.needs_adb, pytest.mark.needs_aapt]

__all__ = ["adb"]

PACKAGE = "org.example.offers"
LABEL = "Tea ☕ & more"


@pytest.fixture(scope="module")
def device(adb: Adb) -> Iterator[OverAdb]:
    need_tools()
    for port in run_phone():
        yield from connected(adb, port)


@dataclass
class Setup:
    device: OverAdb
    phone: Phone
    link: DirectLink
    tools: AppTools
    trust: Trust

    def install(self, apk: Path) -> None:
        stdout, stderr, code = self.device("install", str(apk))
        assert code == 0, (stdout, stderr)

    async def names(self) -> set[str]:
        return {tool.name for tool in await self.tools.tools(self.phone)}


@pytest.fixture
async def setup(device: OverAdb, tmp_path: Path) -> AsyncIterator[Setup]:
    trust = Trust(tmp_path / "apps.json", first_use=True)
    tools = AppTools(trust, timeout_ms=5000, reply_limit=1000)
    async with (
        link_to(int(device.serial.partition(":")[2])) as link,
        aclosing(Phone("virtual", FallbackDriver(HelperClient(link)))) as phone,
    ):
        try:
            yield Setup(device, phone, link, tools, trust)
        finally:
            device("uninstall", PACKAGE)


async def test_the_helper_and_the_apk_declare_the_same_tools(setup: Setup) -> None:
    setup.install(build("offers"))
    found = []
    for offers in (
        await setup.phone.driver.declared_tools(),
        await ApkAppTools(setup.link).declared_tools(),
    ):
        (service,) = [service for service in offers.services if service.app.package == PACKAGE]
        (provider,) = [provider for provider in offers.providers if provider.app.package == PACKAGE]
        assert service.descriptor is not None
        found.append((service, provider, ElementTree.tostring(service.descriptor)))
    assert found[0] == found[1]
    app = DeclaringApp(PACKAGE, LABEL, 1, sha256(certificate("one")).hexdigest())
    name = f"{PACKAGE}.ToolService"
    assert found[0][:2] == (
        DeclaringService(app, name, True, None, LABEL, "Brews and counts tea.", None),
        DeclaringProvider(app, f"{PACKAGE}.ToolProvider", True, None, f"{PACKAGE}.tools"),
    )
    descriptor = ElementTree.fromstring(found[0][2])
    assert descriptor[0].get("description") == "Brews tea.", "the reference is followed"


async def test_the_tools_are_discovered_withdrawn_and_removed(setup: Setup) -> None:
    setup.install(build("offers"))
    assert "app_brew_tea" in await setup.names()
    setup.install(build("offers", version=2))
    assert "app_brew_tea" in await setup.names()
    setup.install(build("offers_changed", version=3))
    assert "app_brew_tea" not in await setup.names()
    with pytest.raises(PermissionDenied, match="it declares its tools differently"):
        await setup.tools.find(setup.phone, "app_brew_tea", "android_app_brew_tea")
    setup.trust.approve(PACKAGE)
    assert "app_brew_tea" in await setup.names()
    assert setup.device("uninstall", PACKAGE)[2] == 0
    setup.install(build("offers_changed", version=3, signer="two"))
    with pytest.raises(PermissionDenied, match="it is signed by somebody else"):
        await setup.tools.find(setup.phone, "app_brew_tea", "android_app_brew_tea")
    assert setup.device("uninstall", PACKAGE)[2] == 0
    with pytest.raises(ActionFailed, match="is not on this phone"):
        await setup.tools.find(setup.phone, "app_brew_tea", "android_app_brew_tea")


async def test_a_call_reports_that_this_phone_cannot_run_it(setup: Setup) -> None:
    setup.install(build("offers"))
    tool = await setup.tools.find(setup.phone, "app_brew_tea", "android_app_brew_tea")
    assert tool is not None
    with pytest.raises(ActionFailed, match=NOT_RUN):
        await tool.prepare({"minutes": 3})(setup.phone)


def test_the_file_passes_the_check() -> None:
    need_tools()
    assert [
        finding for finding in check_file(build("offers")) if finding.verdict.value != "ok"
    ] == []
