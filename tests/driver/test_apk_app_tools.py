"""Declared app tools, discovered without the helper, compared with what the helper finds."""

import os
import re
from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar
from xml.etree import ElementTree

import pytest

from app_formats.apk.tool_packages import capability, provider, service, tool_apk
from handheld.adb import shell
from handheld.adb.link import AdbError
from handheld.driver.app_tools import (
    AppFailed,
    AppProblem,
    ChangedPackages,
    DeclaredTools,
    DeclaringApp,
    DeclaringProvider,
    DeclaringService,
)
from handheld.driver.by_helper.driver import HelperDriver
from handheld.driver.by_shell.apk_app_tools import NOT_ASKED, ApkAppTools
from handheld.driver.fallback import FallbackDriver
from handheld.driver.reading.distant_file import BLOCK
from handheld.errors import ActionFailed
from handheld.helper.client import HelperClient
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.process import Process
from harness.phones import WatchedLink, link_to

Declaring = TypeVar("Declaring", DeclaringService, DeclaringProvider)

PACKAGE = "org.example.counter"
ON_PYTHON = ("dev.handheld.", "com.example.mcpdemo")
"""Apps that are no APKs."""


async def install(link: WatchedLink, apk: bytes) -> None:
    done = await shell.run(link, ["pm", "install", "-S", str(len(apk))], stdin=apk)
    assert done.stdout == b"Success\n", done


async def uninstall(link: WatchedLink, package: str = PACKAGE) -> None:
    done = await shell.run(link, ["pm", "uninstall", package])
    assert done.stdout == b"Success\n", done


def of_apks(tools: DeclaredTools) -> tuple[list[DeclaringService], list[DeclaringProvider]]:
    """By name; the phone's own apps left out."""

    def chosen(declaring: Sequence[Declaring]) -> list[Declaring]:
        return sorted(
            (one for one in declaring if not one.app.package.startswith(ON_PYTHON)),
            key=lambda one: (one.app.package, one.class_name),
        )

    return chosen(tools.services), chosen(tools.providers)


def trees(services: list[DeclaringService]) -> list[bytes]:
    return [
        b"" if one.descriptor is None else ElementTree.tostring(one.descriptor) for one in services
    ]


async def test_apks_declare_the_same_tools_as_the_helper_finds(
    link: WatchedLink, driver: HelperDriver
) -> None:
    await install(link, tool_apk())
    wordy = {"mobile.mcp.tool.description": {"android:value": "y🧮" * 1000}}
    broken = service(wordy, name="org.elsewhere.Bare", permission="org.example.USE")
    await install(
        link,
        tool_apk(
            "org.example.second",
            service(exported=False),
            broken,
            provider("a.b;c.d", action="se.premex.mcp.MCP_PROVIDER", mime_type=""),
            provider("x.y", mime_type="text/plain", name=".Other"),
            service(name=".Off", enabled=False),
            label="Zählt 🧮 " + "x" * 2000,
        ),
    )
    found = await ApkAppTools(link).declared_tools()
    services, providers = of_apks(found)
    expected = of_apks(await driver.declared_tools())
    assert (services, providers) == expected
    assert trees(services) == trees(expected[0])
    assert [one.class_name for one in services] == [
        f"{PACKAGE}.Tools",
        "org.elsewhere.Bare",
        "org.example.second.Tools",
    ]
    app = DeclaringApp(PACKAGE, "Counter", 1, sha256(b"a certificate").hexdigest())
    assert services[0] == DeclaringService(
        app, f"{PACKAGE}.Tools", True, None, "Counter", "Counts things.", None
    )
    assert providers[0] == DeclaringProvider(
        app, f"{PACKAGE}.Provider", True, None, f"{PACKAGE}.tools"
    )
    assert {one.problem for one in providers} == {NOT_ASKED}


async def test_unreadable_apk_is_reported_with_the_reason(link: WatchedLink) -> None:
    tools = await ApkAppTools(link).declared_tools()
    (clock,) = [one for one in tools.services if one.app.package == "com.example.mcpdemo"]
    assert clock == DeclaringService(
        DeclaringApp("com.example.mcpdemo", "com.example.mcpdemo", 1, ""),
        "com.example.mcpdemo.CommandGatewayService",
        True,
        None,
        None,
        None,
        None,
        "Its APK cannot be read: the package: it has no AndroidManifest.xml.",
    )
    (weather,) = tools.providers
    assert weather.problem == clock.problem


@pytest.mark.slow
async def test_only_the_needed_parts_of_a_large_apk_are_fetched(link: WatchedLink) -> None:
    noise = {f"assets/{number}": os.urandom(1 << 20) for number in range(6)}
    await install(link, tool_apk(more=noise))
    services, _ = of_apks(await ApkAppTools(link).declared_tools())
    assert services[0].descriptor is not None
    blocks = [int(one) for line in link.services for one in re.findall(r"dd .*count=(\d+)", line)]
    assert 0 < sum(blocks) * BLOCK < 1 << 20


async def test_unchanged_apk_is_read_once(link: WatchedLink) -> None:
    await install(link, tool_apk())
    apks = ApkAppTools(link)
    first = await apks.declared_tools()
    link.services.clear()
    assert await apks.declared_tools() == first
    assert not any("dd" in service for service in link.services)
    await install(link, tool_apk(version=2, descriptor=capability("other")))
    services, _ = of_apks(await apks.declared_tools())
    assert services[0].app.version_code == 2
    assert services[0].descriptor is not None
    assert services[0].descriptor[0].get("id") == "other"


async def test_apks_are_read_again_after_a_change_of_language(
    phone: VirtualPhone, link: WatchedLink
) -> None:
    await install(link, tool_apk(german="Zähler"))
    apks = ApkAppTools(link)
    assert of_apks(await apks.declared_tools())[0][0].app.label == "Counter"

    async def german(process: Process) -> int:
        await process.stdout.write(b"34\n" if "sdk" in str(process.arguments) else b"de-DE\n")
        return 0

    phone.programs["getprop"] = german
    assert of_apks(await apks.declared_tools())[0][0].app.label == "Zähler"


async def test_truncated_dump_is_an_error(phone: VirtualPhone, link: WatchedLink) -> None:
    async def slow(process: Process) -> int:
        await process.stdout.write(b"*** SERVICE 'package' DUMP TIMEOUT (10000ms) EXPIRED ***\n")
        return 0

    phone.programs["dumpsys"] = slow
    with pytest.raises(AdbError, match="did not list all its providers in time"):
        await ApkAppTools(link).declared_tools()


async def test_changed_packages_are_counted_by_comparing_lists(link: WatchedLink) -> None:
    apks = ApkAppTools(link)
    start = (await apks.declared_tools()).sequence
    assert start < 0, "it could be taken for the package manager's own count"
    assert await apks.changed(start) == ChangedPackages(start, frozenset())
    await install(link, tool_apk())
    assert await apks.changed(start) == ChangedPackages(start - 1, frozenset({PACKAGE}))
    await install(link, tool_apk("org.example.second", version=7))
    await uninstall(link)
    both = frozenset({PACKAGE, "org.example.second"})
    assert await apks.changed(start) == ChangedPackages(start - 2, both)
    assert await apks.changed(start - 1) == ChangedPackages(start - 2, both)
    assert await apks.changed(start - 2) == ChangedPackages(start - 2, frozenset())
    # Sequence numbers of the package manager or of another connection are unknown here.
    for foreign in (0, 5, start - 3):
        assert await apks.changed(foreign) == ChangedPackages(start - 2, None)


async def test_removed_or_disabled_app_declares_no_tools(link: WatchedLink) -> None:
    apks = ApkAppTools(link)
    await install(link, tool_apk())
    assert of_apks(await apks.declared_tools()) != ([], [])
    await shell.run(link, ["pm", "disable-user", "--user", "0", PACKAGE])
    assert of_apks(await apks.declared_tools()) == ([], [])
    await shell.run(link, ["pm", "enable", PACKAGE])
    assert of_apks(await apks.declared_tools()) != ([], [])
    await uninstall(link)
    assert of_apks(await apks.declared_tools()) == ([], [])


async def test_second_user_that_the_shell_cannot_access_is_ignored() -> None:
    async with VirtualPhone(other_user=10) as phone, link_to(phone) as link:
        tools = await ApkAppTools(link).declared_tools()
    assert "com.example.mcpdemo" in {one.app.package for one in tools.services}


# Through the fallback driver, with and without a helper


@pytest.fixture
async def fallback(client: HelperClient) -> FallbackDriver:
    return FallbackDriver(client, pauses=(0.0,))


async def test_fallback_driver_finds_the_same_without_a_helper(
    phone: VirtualPhone, link: WatchedLink, fallback: FallbackDriver
) -> None:
    await install(link, tool_apk())
    with_helper = await fallback.declared_tools()
    phone.faults.refuse_helper()
    phone.faults.kill_helper()
    without = await fallback.declared_tools()
    assert of_apks(without) == of_apks(with_helper)
    assert with_helper.sequence >= 0 > without.sequence
    same = ChangedPackages(without.sequence, frozenset())
    assert await fallback.changed_packages(without.sequence) == same


async def test_sequence_numbers_of_the_two_drivers_are_not_compared(
    phone: VirtualPhone, fallback: FallbackDriver
) -> None:
    first = await fallback.declared_tools()
    phone.faults.refuse_helper()
    phone.faults.kill_helper()
    without = await fallback.changed_packages(first.sequence)
    assert (without.sequence < 0, without.packages) == (True, None)
    phone.faults.clear()
    again = await fallback.changed_packages(without.sequence)
    assert again == ChangedPackages(first.sequence, None)


async def test_calling_an_app_needs_the_helper(
    phone: VirtualPhone, fallback: FallbackDriver
) -> None:
    phone.faults.refuse_helper()
    with pytest.raises(AppFailed, match="the tools of apps cannot be called") as caught:
        await fallback.call_service("a.b", "a.b.C", "1", {}, 1000)
    assert caught.value.problem is AppProblem.UNREACHABLE
    with pytest.raises(AppFailed, match="the tools of apps cannot be called"):
        await fallback.call_provider("a.b", "get_tool_info", None, 1000)


async def test_unresponsive_package_manager_is_an_error(
    phone: VirtualPhone, fallback: FallbackDriver
) -> None:
    phone.faults.refuse_helper()

    async def broken(process: Process) -> int:
        await process.stdout.write(b"cmd: Can't find service: package\n")
        return 0

    phone.programs["pm"] = broken
    with pytest.raises(
        ActionFailed, match=r"did not list its apps; it printed .*Can't find service"
    ):
        await fallback.declared_tools()
