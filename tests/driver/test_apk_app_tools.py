"""What apps offer, found without the helper; it is what the helper finds."""

import os
import re
from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar
from xml.etree import ElementTree

import pytest

from apk.offering import capability, offering_apk, provider, service
from handheld.adb import shell
from handheld.adb.direct import DirectLink
from handheld.adb.link import AdbError
from handheld.driver.apk_app_tools import NOT_ASKED, ApkOffers
from handheld.driver.app_tools import (
    AppFailed,
    AppProblem,
    ChangedPackages,
    DeclaredTools,
    OfferingApp,
    OfferingProvider,
    OfferingService,
)
from handheld.driver.distant_file import BLOCK
from handheld.driver.fallback import FallbackDriver
from handheld.driver.helper_driver import HelperDriver
from handheld.errors import ActionFailed
from handheld.helper.client import HelperClient
from handheld.virtual.phone import VirtualPhone
from handheld.virtual.sh.process import Process
from patient_clock import PatientClock

from .conftest import WatchedLink

Offering = TypeVar("Offering", OfferingService, OfferingProvider)

PACKAGE = "org.example.counter"
ON_PYTHON = ("dev.handheld.", "com.example.mcpdemo")
"""Apps that are no APKs."""


async def install(link: WatchedLink, apk: bytes) -> None:
    done = await shell.run(link, ["pm", "install", "-S", str(len(apk))], stdin=apk)
    assert done.stdout == b"Success\n", done


async def uninstall(link: WatchedLink, package: str = PACKAGE) -> None:
    done = await shell.run(link, ["pm", "uninstall", package])
    assert done.stdout == b"Success\n", done


def of_apks(offers: DeclaredTools) -> tuple[list[OfferingService], list[OfferingProvider]]:
    """By name; the phone's own apps left out."""

    def chosen(offering: Sequence[Offering]) -> list[Offering]:
        return sorted(
            (one for one in offering if not one.app.package.startswith(ON_PYTHON)),
            key=lambda one: (one.app.package, one.class_name),
        )

    return chosen(offers.services), chosen(offers.providers)


def trees(services: list[OfferingService]) -> list[bytes]:
    return [
        b"" if one.descriptor is None else ElementTree.tostring(one.descriptor) for one in services
    ]


async def test_it_finds_what_the_helper_finds(link: WatchedLink, driver: HelperDriver) -> None:
    await install(link, offering_apk())
    wordy = {"mobile.mcp.tool.description": {"android:value": "y🧮" * 1000}}
    broken = service(wordy, name="org.elsewhere.Bare", permission="org.example.USE")
    await install(
        link,
        offering_apk(
            "org.example.second",
            service(exported=False),
            broken,
            provider("a.b;c.d", action="se.premex.mcp.MCP_PROVIDER", mime_type=""),
            provider("x.y", mime_type="text/plain", name=".Other"),
            service(name=".Off", enabled=False),
            label="Zählt 🧮 " + "x" * 2000,
        ),
    )
    found = await ApkOffers(link).offers()
    services, providers = of_apks(found)
    expected = of_apks(await driver.offers())
    assert (services, providers) == expected
    assert trees(services) == trees(expected[0])
    assert [one.class_name for one in services] == [
        f"{PACKAGE}.Tools",
        "org.elsewhere.Bare",
        "org.example.second.Tools",
    ]
    app = OfferingApp(PACKAGE, "Counter", 1, sha256(b"a certificate").hexdigest())
    assert services[0] == OfferingService(
        app, f"{PACKAGE}.Tools", True, None, "Counter", "Counts things.", None
    )
    assert providers[0] == OfferingProvider(
        app, f"{PACKAGE}.Provider", True, None, f"{PACKAGE}.tools"
    )
    assert {one.problem for one in providers} == {NOT_ASKED}


async def test_an_app_whose_apk_holds_nothing_is_told_with_the_reason(link: WatchedLink) -> None:
    offers = await ApkOffers(link).offers()
    (clock,) = [one for one in offers.services if one.app.package == "com.example.mcpdemo"]
    assert clock == OfferingService(
        OfferingApp("com.example.mcpdemo", "com.example.mcpdemo", 1, ""),
        "com.example.mcpdemo.CommandGatewayService",
        True,
        None,
        None,
        None,
        None,
        "Its APK cannot be read: the package: it has no AndroidManifest.xml.",
    )
    (weather,) = offers.providers
    assert weather.problem == clock.problem


async def test_of_a_large_apk_only_what_is_needed_is_fetched(link: WatchedLink) -> None:
    noise = {f"assets/{number}": os.urandom(1 << 20) for number in range(6)}
    await install(link, offering_apk(more=noise))
    services, _ = of_apks(await ApkOffers(link).offers())
    assert services[0].descriptor is not None
    blocks = [int(one) for line in link.services for one in re.findall(r"dd .*count=(\d+)", line)]
    assert 0 < sum(blocks) * BLOCK < 1 << 20


async def test_an_apk_is_read_once_for_as_long_as_it_is_the_same(link: WatchedLink) -> None:
    await install(link, offering_apk())
    apks = ApkOffers(link)
    first = await apks.offers()
    link.services.clear()
    assert await apks.offers() == first
    assert not any("dd" in service for service in link.services)
    await install(link, offering_apk(version=2, descriptor=capability("other")))
    services, _ = of_apks(await apks.offers())
    assert services[0].app.version_code == 2
    assert services[0].descriptor is not None
    assert services[0].descriptor[0].get("id") == "other"


async def test_a_phone_in_another_language_is_read_again(
    phone: VirtualPhone, link: WatchedLink
) -> None:
    await install(link, offering_apk(german="Zähler"))
    apks = ApkOffers(link)
    assert of_apks(await apks.offers())[0][0].app.label == "Counter"

    async def german(process: Process) -> int:
        await process.stdout.write(b"34\n" if "sdk" in str(process.arguments) else b"de-DE\n")
        return 0

    phone.programs["getprop"] = german
    assert of_apks(await apks.offers())[0][0].app.label == "Zähler"


async def test_a_dump_that_was_cut_off_is_not_taken_for_whole(
    phone: VirtualPhone, link: WatchedLink
) -> None:
    async def slow(process: Process) -> int:
        await process.stdout.write(b"*** SERVICE 'package' DUMP TIMEOUT (10000ms) EXPIRED ***\n")
        return 0

    phone.programs["dumpsys"] = slow
    with pytest.raises(AdbError, match="did not tell all its providers in time"):
        await ApkOffers(link).offers()


async def test_changes_are_counted_from_the_lists(link: WatchedLink) -> None:
    apks = ApkOffers(link)
    start = (await apks.offers()).sequence
    assert start < 0, "it could be taken for the package manager's own count"
    assert await apks.changed(start) == ChangedPackages(start, frozenset())
    await install(link, offering_apk())
    assert await apks.changed(start) == ChangedPackages(start - 1, frozenset({PACKAGE}))
    await install(link, offering_apk("org.example.second", version=7))
    await uninstall(link)
    both = frozenset({PACKAGE, "org.example.second"})
    assert await apks.changed(start) == ChangedPackages(start - 2, both)
    assert await apks.changed(start - 1) == ChangedPackages(start - 2, both)
    assert await apks.changed(start - 2) == ChangedPackages(start - 2, frozenset())
    # The package manager's count, or one of another connection, says nothing here.
    for foreign in (0, 5, start - 3):
        assert await apks.changed(foreign) == ChangedPackages(start - 2, None)


async def test_a_removed_or_disabled_app_offers_nothing(link: WatchedLink) -> None:
    apks = ApkOffers(link)
    await install(link, offering_apk())
    assert of_apks(await apks.offers()) != ([], [])
    await shell.run(link, ["pm", "disable-user", "--user", "0", PACKAGE])
    assert of_apks(await apks.offers()) == ([], [])
    await shell.run(link, ["pm", "enable", PACKAGE])
    assert of_apks(await apks.offers()) != ([], [])
    await uninstall(link)
    assert of_apks(await apks.offers()) == ([], [])


async def test_a_second_user_that_the_shell_may_not_enter_is_no_hindrance() -> None:
    async with VirtualPhone(other_user=10) as phone:
        link = await DirectLink.connect("127.0.0.1", phone.port, clock=PatientClock())
        try:
            offers = await ApkOffers(link).offers()
        finally:
            await link.aclose()
    assert "com.example.mcpdemo" in {one.app.package for one in offers.services}


# Through drivers that have a helper or have none


@pytest.fixture
async def either(client: HelperClient) -> FallbackDriver:
    return FallbackDriver(client, pauses=(0.0,))


async def test_without_a_helper_the_hands_find_the_same(
    phone: VirtualPhone, link: WatchedLink, either: FallbackDriver
) -> None:
    await install(link, offering_apk())
    with_helper = await either.offers()
    phone.faults.refuse_helper()
    phone.faults.kill_helper()
    without = await either.offers()
    assert of_apks(without) == of_apks(with_helper)
    assert with_helper.sequence >= 0 > without.sequence
    same = ChangedPackages(without.sequence, frozenset())
    assert await either.changed_packages(without.sequence) == same


async def test_a_count_of_one_says_nothing_to_the_other(
    phone: VirtualPhone, either: FallbackDriver
) -> None:
    first = await either.offers()
    phone.faults.refuse_helper()
    phone.faults.kill_helper()
    without = await either.changed_packages(first.sequence)
    assert (without.sequence < 0, without.packages) == (True, None)
    phone.faults.clear()
    again = await either.changed_packages(without.sequence)
    assert again == ChangedPackages(first.sequence, None)


async def test_calling_an_app_takes_the_helper(phone: VirtualPhone, either: FallbackDriver) -> None:
    phone.faults.refuse_helper()
    with pytest.raises(AppFailed, match="the tools of apps cannot be called") as caught:
        await either.call_service("a.b", "a.b.C", "1", {}, 1000)
    assert caught.value.problem is AppProblem.UNREACHABLE
    with pytest.raises(AppFailed, match="the tools of apps cannot be called"):
        await either.call_provider("a.b", "get_tool_info", None, 1000)


async def test_a_phone_whose_package_manager_does_not_answer_is_an_error(
    phone: VirtualPhone, either: FallbackDriver
) -> None:
    phone.faults.refuse_helper()

    async def broken(process: Process) -> int:
        await process.stdout.write(b"cmd: Can't find service: package\n")
        return 0

    phone.programs["pm"] = broken
    with pytest.raises(ActionFailed, match=r"did not list its apps but said .*Can't find service"):
        await either.offers()
