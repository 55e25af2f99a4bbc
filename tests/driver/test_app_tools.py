"""The helper driver: tools that apps declare."""

import asyncio
import random
from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

import pytest

from handheld.app_formats.mobile_mcp import read_descriptor
from handheld.devices.direct import DirectDevice, TcpEndpoint
from handheld.devices.opening import PhoneFactory
from handheld.driver.app_tools import (
    AppFailed,
    AppProblem,
    ChangedPackages,
    DeclaringApp,
    DeclaringProvider,
    ServiceReply,
)
from handheld.driver.by_helper.driver import HelperDriver
from handheld.driver.failures import FailedCall, translate
from handheld.errors import ActionFailed, TimedOut, ToolError
from handheld.helper.protocol import Code, Frame, FrameKind, Happened, HelperFailure
from handheld_virtual.packages.app import App
from handheld_virtual.packages.service import Service, Start, ToolService
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.reference_helper.commands.app_tools import signer_of
from harness.phones import WatchedLink, put_jar
from harness.polling import HANG, until
from testbed.misbehaving import Misbehaving

from .chaos import Wire
from .conftest import QUICK, Clients, Script, install

CLOCK = "com.example.mcpdemo"
WEATHER = "dev.handheld.weather"
AUTHORITY = "dev.handheld.misbehaving.tools"
CALL = FailedCall("service_call", {}, act=True)


class Counting(ToolService):
    """Records its calls, and answers with them."""

    name = ".Counting"
    tool_name = tool_description = "Counting"
    descriptor = '<mobile-mcp-capabilities version="1.0"/>'

    def start(self, start: Start) -> None:
        assert isinstance(self.app, CountingApp)
        assert start.callback is not None
        self.app.done.append(start.extras["spot"])
        start.callback(start.extras)


class CountingApp(App):
    package, label = "org.example.counting", "Counting"
    services: ClassVar[tuple[type[Service], ...]] = (Counting,)
    done: ClassVar[list[str]] = []


@pytest.fixture
def counting(phone: VirtualPhone) -> CountingApp:
    app = phone.world.install(type("Own", (CountingApp,), {"done": []}))
    assert isinstance(app, CountingApp)
    return app


async def count(driver: HelperDriver, spot: str) -> Mapping[str, str]:
    service = f"{CountingApp.package}.Counting"
    reply = await driver.call_service(CountingApp.package, service, spot, {"spot": spot}, 5000)
    return reply.extras


async def test_the_permissions_of_the_shell_are_those_that_android_has_granted(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    held = await driver.shell_permissions()
    assert held is not None
    assert "android.permission.DUMP" in held
    assert "org.example.MINE" not in held
    del phone.programs["dumpsys"]
    assert await driver.shell_permissions() is None


async def test_declared_tools_are_found_as_declared(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    tools = await driver.declared_tools()
    assert tools.sequence == phone.world.package_changes.sequence
    clock = phone.world.apps[CLOCK]
    (service,) = [one for one in tools.services if one.app.package == CLOCK]
    assert service.app == DeclaringApp(CLOCK, clock.label, clock.version_code, signer_of(clock))
    assert (service.exported, service.permission, service.problem) == (True, None, "")
    assert service.descriptor is not None
    assert [one.id for one in read_descriptor(service.descriptor).capabilities] == [
        "clock_in_today",
        "query_clock_in",
        "make_up_clock_in",
    ]
    weather = phone.world.apps[WEATHER]
    (component,) = [one for one in weather.manifest.components if one.authorities]
    app = DeclaringApp(WEATHER, weather.label, weather.version_code, signer_of(weather))
    authority = component.authorities[0]
    assert list(tools.providers) == [DeclaringProvider(app, component.name, True, None, authority)]


class Scribbling(Counting):
    descriptor = '<mobile-mcp-capabilities version="1.0"><capability id="<"/>'


class Scribbler(App):
    package, label = "org.example.scribbler", "Scribbler"
    services: ClassVar[tuple[type[Service], ...]] = (Scribbling,)


async def test_invalid_descriptor_does_not_affect_other_apps(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    before = await driver.declared_tools()
    phone.world.install(Scribbler)
    after = await driver.declared_tools()
    (broken,) = [one for one in after.services if one.app.package == Scribbler.package]
    assert (broken.descriptor, broken.problem) == (
        None,
        "Its descriptor cannot be read: it is not XML: not well-formed (invalid token): line 1,"
        " column 55.",
    )
    assert [one for one in after.services if one is not broken] == list(before.services)


async def test_changed_packages_are_listed(phone: VirtualPhone, driver: HelperDriver) -> None:
    before = (await driver.declared_tools()).sequence
    assert await driver.changed_packages(before) == ChangedPackages(before, frozenset())
    phone.world.install(Misbehaving)
    assert await driver.changed_packages(before) == ChangedPackages(
        before + 1, frozenset({Misbehaving.package})
    )
    assert await driver.changed_packages(before + 2) == ChangedPackages(before + 1, None)


async def test_provider_and_service_are_called(
    phone: VirtualPhone, driver: HelperDriver, counting: CountingApp
) -> None:
    phone.world.install(Misbehaving)
    oddly = {"tool_name": "answer_oddly"}
    assert await driver.call_provider(AUTHORITY, "execute_tool", oddly, 5000) == {
        "success": True,
        "tool_result": 5,
    }
    null = {"tool_name": "answer_null"}
    assert await driver.call_provider(AUTHORITY, "execute_tool", null, 5000) is None
    service = f"{CountingApp.package}.Counting"
    reply = await driver.call_service(CountingApp.package, service, "1", {"spot": "ä"}, 5000)
    assert reply == ServiceReply({"spot": "ä"}, 0)
    assert counting.done == ["ä"]


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (Code.NO_COMPONENT, AppProblem.GONE),
        (Code.APP_REFUSED, AppProblem.REFUSED),
        (Code.APP_NOT_STARTED, AppProblem.NOT_STARTED),
        (Code.APP_DIED, AppProblem.DIED),
        (Code.APP_THREW, AppProblem.THREW),
        (Code.OUT_OF_TIME, AppProblem.SILENT),
    ],
)
def test_each_failure_of_an_app_has_its_problem(code: Code, problem: AppProblem) -> None:
    data = {"dropped": 3} if code is Code.OUT_OF_TIME else {}
    failed = translate(HelperFailure(code, "So it was.", Happened.MAYBE, data), CALL)
    assert isinstance(failed, AppFailed)
    assert (failed.problem, failed.message, failed.dropped) == (
        problem,
        "So it was.",
        data.get("dropped", 0),
    )


def test_only_calls_to_apps_time_out_as_silent() -> None:
    late = HelperFailure(Code.OUT_OF_TIME, "x")
    assert type(translate(late, FailedCall("offers", {}))) is TimedOut
    assert type(translate(late, FailedCall("provider_call", {}, act=True))) is AppFailed


# At most once.


async def test_action_calls_to_apps_are_never_repeated_but_queries_are(
    phone: VirtualPhone, link: WatchedLink, clients: Clients
) -> None:
    async def die(script: Script, frame: Frame) -> None:
        if frame.kind == FrameKind.CALL:
            phone.kill("handheld")

    script = Script(die)
    install(phone, script.program)
    driver = HelperDriver(clients(timing=QUICK))
    doubt = "may or may not have happened"
    with pytest.raises(ActionFailed, match=doubt):
        await driver.call_service("a", "b", "1", {}, 5000)
    with pytest.raises(ActionFailed, match=doubt):
        await driver.call_provider("a", "execute_tool", None, 5000)
    assert [call.do for call in script.calls] == ["service_call", "provider_call"]
    assert [call.act for call in script.calls] == [True, True]
    for question in (
        driver.declared_tools(),
        driver.changed_packages(1),
        driver.call_provider("a", "get_tool_info", None, 5000, act=False),
    ):
        with pytest.raises(ToolError):
            await question
    asked = [call.do for call in script.calls[2:]]
    assert asked == [do for do in ("offers", "packages_changed", "provider_call") for _ in (1, 2)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
async def test_reported_outcome_of_app_calls_is_true_on_a_broken_connection(
    phone: VirtualPhone, counting: CountingApp, seed: int
) -> None:
    chance = random.Random(seed)
    reported: dict[str, str] = {}

    async def work(devices: DirectDevice, first: int) -> None:
        for spot in map(str, range(first, first + 40)):
            try:
                held = await devices.pick(None)
                service = f"{counting.package}.Counting"
                reply = await held.driver.call_service(
                    counting.package, service, spot, {"spot": spot}, 5000
                )
                assert reply.extras == {"spot": spot}
                reported[spot] = "done"
            except ToolError as problem:
                doubt = "may or may not" in problem.message
                reported[spot] = "doubtful" if doubt else "not done"

    put_jar(phone)
    async with Wire(phone.port, chance).open() as wire:
        endpoint = TcpEndpoint("127.0.0.1", wire.port, tuple)
        devices = DirectDevice(endpoint, PhoneFactory().make_phone, lambda line: None)
        try:
            async with asyncio.timeout(HANG), asyncio.TaskGroup() as tasks:
                for first in (0, 100, 200, 300):
                    tasks.create_task(work(devices, first))
        finally:
            await devices.aclose()
        await until(lambda: phone.processes.all() == [])
        assert wire.cuts > 3
    seen = Counter(counting.done)
    allowed = {"done": {1}, "not done": {0}, "doubtful": {0, 1}}
    assert {
        spot: seen[spot] for spot, outcome in reported.items() if seen[spot] not in allowed[outcome]
    } == {}
    assert len(reported) == 160
    assert list(reported.values()).count("done") > 60
