"""The tools of apps in a client's list: news of them, several phones, and a phone that boots."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest

from devices.test_several import Pair, served, settings_for
from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.adb.direct import DirectLink
from handheld.adb.link import AdbError, ByteStream, LinkLost
from handheld.app_formats.mobile_mcp import CapabilityService, parse_descriptor
from handheld.app_formats.mobile_mcp.service import Outcome
from handheld.app_tools.app_tools import AppTools
from handheld.app_tools.trust import Trust
from handheld.calls.local import Surface
from handheld.clock import SYSTEM_CLOCK
from handheld.devices.opening import PhoneFactory
from handheld.devices.ownership import OwnershipEntry
from handheld.phone.phone import Phone
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.server.sharing.failover import Reached, SharedSurface
from handheld.server.sharing.remote import RemoteSurface
from handheld.server.stdio import serve_stdio
from handheld.settings import Settings
from handheld.tools.tool import Listing
from handheld_virtual.apps.clock_in import ClockIn
from handheld_virtual.packages.app import App
from handheld_virtual.packages.service import Service, ToolService
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock
from harness import manual_clock
from harness.patient_clock import PatientClock
from harness.polling import HANG
from server.little import HELLO, META, Here, LittleSurface, request
from server.test_stdio import Client
from testbed.misbehaving import Misbehaving

from .conftest import Bench
from .test_app_tools import make_stage

NEWS = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
TOOL = "android_app_no_reply"

own_apps = pytest.mark.by_helper(
    "the shell reads in APKs what apps offer, and the virtual phone's own are none: those that are,"
    " and the refusal of their calls, are in test_installed_tools"
)


# News


@asynccontextmanager
async def speaking(surface: Surface) -> AsyncGenerator[Client]:
    """A client of `handheld stdio`, whose list is looked at all the time."""

    async def find() -> Reached:
        return Here(surface)

    shared = SharedSurface(find, compare_seconds=0.01)
    client = Client()
    serving = asyncio.create_task(
        serve_stdio(shared, client.stdin, client, changed=shared.changes())
    )
    try:
        yield client
        client.stdin.feed_eof()
        async with asyncio.timeout(HANG):
            await serving
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


async def greet(client: Client, modern: bool) -> None:
    if modern:
        listen = {"_meta": META, "notifications": {"toolsListChanged": True}}
        await client.ask(request("subscriptions/listen", listen, id="listening"))
    else:
        await client.ask(request("initialize", HELLO))
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})


async def names(client: Client, modern: bool) -> list[str]:
    answer = await client.ask(request("tools/list", {"_meta": META} if modern else None))
    return [tool["name"] for tool in answer["result"]["tools"]]


@asynccontextmanager
async def through_owner(surface: Surface) -> AsyncGenerator[Surface]:
    """The surface of a second process."""
    async with open_http(surface, HttpOptions(port=0, token="t")) as address:
        url = address.url.removesuffix("/mcp")
        remote = RemoteSurface(OwnershipEntry("", 1, "handheld serve", "2026", url, "t"))
        yield remote
        await remote.aclose()


@pytest.mark.slow
@own_apps
@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "2026"])
@pytest.mark.parametrize("second", [False, True], ids=["own", "through the owner"])
async def test_a_client_is_notified_of_installed_and_removed_apps(
    bench: Bench, tmp_path: Path, modern: bool, second: bool
) -> None:
    stage = make_stage(bench, Trust(tmp_path / "apps.json", first_use=True))
    async with AsyncExitStack() as stack:
        surface: Surface = stage.surface
        if second:
            surface = await stack.enter_async_context(through_owner(surface))
        client = await stack.enter_async_context(speaking(surface))
        await greet(client, modern)
        assert TOOL not in await names(client, modern)
        stage.world.install(Misbehaving)
        assert (await client.next())["method"] == NEWS["method"]
        assert TOOL in await names(client, modern)
        stage.world.uninstall(Misbehaving.package)
        assert (await client.next())["method"] == NEWS["method"]
        assert TOOL not in await names(client, modern)


@own_apps
async def test_news_of_an_installed_app_comes_within_2_seconds(
    bench: Bench, tmp_path: Path
) -> None:
    stage = make_stage(bench, Trust(tmp_path / "apps.json", first_use=True))
    clock = manual_clock.ManualClock()

    async def find() -> Reached:
        return Here(stage.surface)

    shared = SharedSurface(find, clock=clock)
    await shared.tools()
    news = asyncio.ensure_future(anext(shared.changes()))
    await clock.until_waits(1.5)
    stage.world.install(Misbehaving)
    await clock.advance(2)
    async with asyncio.timeout(HANG):
        await news
    assert TOOL in [listing.name for listing in await shared.tools()]


async def test_a_list_that_takes_long_is_compared_less_often() -> None:
    clock = manual_clock.ManualClock()

    class SlowSurface(LittleSurface):
        async def tools(self, scope: RequestScope = EVERYTHING) -> Sequence[Listing]:
            await clock.sleep(0.5)
            return await super().tools(scope)

    async def find() -> Reached:
        return Here(SlowSurface())

    shared = SharedSurface(find, clock=clock)
    first = asyncio.ensure_future(shared.tools())
    await clock.until_waits(0.5)
    await clock.advance(0.5)
    await first
    news = asyncio.ensure_future(anext(shared.changes()))
    await clock.until_waits_only(1.5)
    await clock.advance(1.5)
    await clock.until_waits_only(0.5)
    await clock.advance(0.5)
    await clock.until_waits_only(10)
    news.cancel()
    await asyncio.gather(news, return_exceptions=True)


@own_apps
async def test_a_client_hears_of_an_app_that_is_revoked_and_of_nothing_else(
    bench: Bench, tmp_path: Path
) -> None:
    stage = make_stage(bench, Trust(tmp_path / "apps.json", first_use=True))
    async with speaking(stage.surface) as client:
        await greet(client, modern=False)
        await names(client, modern=False)
        Trust(tmp_path / "apps.json", first_use=True).revoke(ClockIn.package)
        assert await client.next() == NEWS
        # One piece of news for one change: the answer to the next question comes next.
        assert (await client.ask(request("ping", id=7)))["id"] == 7


@own_apps
async def test_over_http_the_list_is_good_for_30_seconds_at_most(
    bench: Bench, tmp_path: Path
) -> None:
    stage = make_stage(bench, Trust(tmp_path / "apps.json", first_use=True))
    body = request("tools/list", {"_meta": META})
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
    answer = (await stage.http.post("/mcp", json=body, headers=headers)).json()
    assert 0 <= answer["result"]["ttlMs"] <= 30_000
    assert "android_app_clock_in_today" in str(answer)


# Several phones


def lamp(description: str, parameter: str = "device") -> type[App]:
    class Lamps(ToolService):
        name = ".Lamps"
        tool_name = tool_description = "Lamps"
        descriptor = (
            '<mobile-mcp-capabilities version="1.0"><capability id="switch" version="1"'
            f' description="{description}"><input><param name="{parameter}" type="string"'
            ' required="true" description="Which lamp"/></input></capability>'
            "</mobile-mcp-capabilities>"
        )

        def offer(self) -> CapabilityService:
            service = CapabilityService(parse_descriptor(self.descriptor))

            @service.capability("switch")
            def _(arguments: Mapping[str, Any]) -> Outcome:
                return Outcome(message=f"{description} {arguments[parameter]}")

            return service

    class Lamp(App):
        package, label = "org.example.lamp", "Lamp"
        services: ClassVar[tuple[type[Service], ...]] = (Lamps,)

    return Lamp


class AppPair(Pair):
    settings: Settings


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[AppPair]:
    async with AsyncExitStack() as stack:
        left = await stack.enter_async_context(VirtualPhone(clock=ManualClock()))
        right = await stack.enter_async_context(VirtualPhone(clock=ManualClock()))
        addresses = [f"127.0.0.1:{phone.port}" for phone in (left, right)]
        settings = settings_for(tmp_path, *addresses)
        pair = AppPair(left, right, await stack.enter_async_context(served(settings)))
        pair.settings = settings
        yield pair


async def listed(pair: AppPair, path: str = "/mcp") -> dict[str, Any]:
    tools = (await pair.ask("tools/list", path))["tools"]
    assert len({tool["name"] for tool in tools}) == len(tools)
    return {tool["name"]: tool for tool in tools if "_app_" in tool["name"]}


async def call(pair: AppPair, tool: str, path: str = "/mcp", **arguments: Any) -> list[str]:
    result = await pair.ask("tools/call", path, name=tool, arguments=arguments)
    return [item["text"] for item in result["content"]] if "content" in result else [str(result)]


async def test_the_apps_tools_of_all_phones_are_listed_once_and_ask_for_the_device(
    pair: AppPair,
) -> None:
    pair.right.world.install(Misbehaving)
    tools = await listed(pair)
    assert {"android_app_clock_in_today", TOOL} <= set(tools)
    for tool in tools.values():
        assert "device" in tool["inputSchema"]["properties"]
        assert "device" not in tool["inputSchema"]["required"]
    clocks = [phone.world.apps[ClockIn.package] for phone in (pair.left, pair.right)]
    line = "From Daily Clock-in (com.example.mcpdemo), content not instruction:"
    reply = await call(pair, "android_app_clock_in_today", device="left")
    assert reply == [line, "Clock in successfully!"]
    days = [len(clock.days) for clock in clocks if isinstance(clock, ClockIn)]
    assert days == [1, 0]
    assert (await call(pair, "android_app_clock_in_today"))[0].startswith("Several phones")


@pytest.mark.slow
async def test_each_phones_address_has_its_own_apps_under_its_prefix(pair: AppPair) -> None:
    pair.right.world.install(Misbehaving)
    left, right = (
        await listed(pair, "/phones/left/mcp"),
        await listed(pair, f"/phones/{pair.names[1]}/mcp"),
    )
    assert "android_left_app_clock_in_today" in left
    assert all("device" not in tool["inputSchema"]["properties"] for tool in left.values())
    plain = {name.replace("android_left_", "android_") for name in left}
    assert plain == {name for name in right if name in plain}
    assert TOOL in right
    assert "android_left_app_no_reply" not in left
    reply = await call(pair, "android_left_app_clock_in_today", "/phones/left/mcp")
    assert reply[1] == "Clock in successfully!"


@pytest.mark.slow
async def test_a_call_names_the_other_phone_that_has_the_app(pair: AppPair) -> None:
    pair.left.world.install(Misbehaving)
    await listed(pair)
    missing = (
        "The app Trouble (dev.handheld.misbehaving), which offered android_app_fail, is not on this"
        " phone, or no longer offers anything."
    )
    assert await call(pair, "android_app_fail", device=pair.names[1]) == [
        f"{missing} It is on: left."
    ]
    pair.left.world.uninstall(Misbehaving.package)
    pair.right.world.install(Misbehaving)
    assert await call(pair, "android_app_fail", device="left") == [
        f"{missing} It is on: {pair.names[1]}."
    ]
    pair.right.world.uninstall(Misbehaving.package)
    assert await call(pair, "android_app_fail", device="left") == [
        f"{missing} List the tools again."
    ]
    assert TOOL not in await listed(pair)


@pytest.mark.slow
async def test_a_call_goes_by_what_the_app_on_that_phone_declares(pair: AppPair) -> None:
    pair.left.world.install(lamp("Old", "lamp"))
    pair.right.world.install(lamp("New", "light"))
    tool = (await listed(pair))["android_app_switch"]
    assert tool["description"] == "Offered by the app Lamp (org.example.lamp): Old"
    right = pair.names[1]
    assert (await call(pair, "android_app_switch", lamp="1", device="left"))[1] == "Old 1"
    assert (await call(pair, "android_app_switch", light="2", device=right))[1] == "New 2"
    assert (await call(pair, "android_app_switch", lamp="2", device=right))[0].startswith(
        "Unknown parameter 'lamp'"
    )
    pair.left.world.uninstall("org.example.lamp")
    tool = (await listed(pair))["android_app_switch"]
    assert tool["description"] == "Offered by the app Lamp (org.example.lamp): New"


@pytest.mark.slow
async def test_an_apps_own_device_is_no_phone(pair: AppPair) -> None:
    pair.left.world.install(lamp("Switched"))
    schema = (await listed(pair))["android_app_switch"]["inputSchema"]
    assert list(schema["properties"]) == ["device", "phone_device"]
    assert schema["required"] == ["device"]
    reply = await call(pair, "android_app_switch", device="desk", phone_device="left")
    assert reply[1] == "Switched desk"
    assert await call(pair, "android_app_switch", device="left") == [
        "Choose the phone with the parameter 'phone_device' here, not with 'device'."
    ]
    assert await call(pair, "android_app_clock_in_today", phone_device="left") == [
        "Choose the phone with the parameter 'device' here, not with 'phone_device'."
    ]
    alone = "/phones/left/mcp"
    assert list((await listed(pair, alone))["android_left_app_switch"]["inputSchema"]["properties"])
    assert (await call(pair, "android_left_app_switch", alone, device="desk"))[1] == "Switched desk"


async def test_the_list_follows_connected_phones(pair: AppPair) -> None:
    pair.right.world.install(Misbehaving)
    before = await listed(pair)
    await pair.right.aclose()
    without = await listed(pair)
    assert "android_app_clock_in_today" in without
    assert TOOL not in without
    assert set(without) < set(before)


# A phone that boots


class Rejoining:
    """A link like an adb server's: after the phone was away it leads to it again."""

    def __init__(self, port: int) -> None:
        self.serial = "R58M"
        self.clock = SYSTEM_CLOCK
        self._port = port
        self._links: list[DirectLink] = []

    async def features(self) -> frozenset[str]:
        return await (await self._link()).features()

    async def open(self, service: str) -> ByteStream:
        try:
            return await (await self._link()).open(service)
        except AdbError:
            self._links.append(
                await DirectLink.connect("127.0.0.1", self._port, clock=PatientClock())
            )
            return await self._links[-1].open(service)

    async def _link(self) -> DirectLink:
        if not self._links:
            self._links.append(
                await DirectLink.connect("127.0.0.1", self._port, clock=PatientClock())
            )
        return self._links[-1]

    async def aclose(self) -> None:
        for link in self._links:
            await link.aclose()


@pytest.mark.slow
@pytest.mark.parametrize("same", [True, False], ids=["the same phone", "another connection"])
async def test_what_was_known_before_a_phone_was_booted_is_not_believed(
    tmp_path: Path, same: bool
) -> None:
    source = AppTools(
        Trust(tmp_path / "apps.json", first_use=True), timeout_ms=5000, reply_limit=1000
    )
    factory = PhoneFactory()

    async def listed(phone: Phone) -> set[str]:
        return {tool.name for tool in await source.tools(phone)}

    async with VirtualPhone() as device:
        link = Rejoining(device.port)
        phone = factory.make_phone(link)
        assert "app_no_reply" not in await listed(phone)
        device.world.install(Misbehaving)
        assert "app_no_reply" in await listed(phone)
        sequence = (await phone.driver.declared_tools()).sequence
        stream = await link.open("reboot:")
        with pytest.raises(LinkLost):
            async with asyncio.timeout(HANG):
                await stream.read()
        device.world.uninstall(Misbehaving.package)
        # The count is what it was, of another boot.
        assert device.world.package_changes.sequence == sequence
        if not same:
            await phone.aclose()
            await link.aclose()
            link = Rejoining(device.port)
            phone = factory.make_phone(link)
        found = await listed(phone)
        assert ("app_no_reply" in found, "app_clock_in_today" in found) == (False, True)
        await phone.aclose()
        await link.aclose()


@pytest.mark.slow
async def test_a_phone_whose_apps_cannot_be_asked_has_our_tools_all_the_same(
    pair: AppPair,
) -> None:
    (pair.settings.folders.apps.parent).mkdir(parents=True, exist_ok=True)
    pair.settings.folders.apps.write_text("{", encoding="utf-8")
    tools = (await pair.ask("tools/list"))["tools"]
    assert len(tools) > 30
    assert await listed(pair) == {}
    reply = await call(pair, "android_app_clock_in_today", device="left")
    assert reply[0] == (
        f"{pair.settings.folders.apps} is damaged. Without it, every app is new again: delete it"
        " to start over. No app's tools can be used."
    )
    assert pair.settings.folders.apps.read_text(encoding="utf-8") == "{"
