"""Apps on a virtual phone, asked what they must have an answer to."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import ClassVar

import pytest

from app_formats.apk.tool_packages import tool_apk
from handheld.adb import shell
from handheld.adb.link import Link
from handheld.app_formats.apk.manifest import Filter
from handheld.app_formats.mobile_mcp import BadMessage, Response, read_request
from handheld.app_formats.tool_provider import ACTION as PROVIDER_ACTION
from handheld.app_formats.tool_provider import ToolProvider
from handheld.app_tools.check.on_phone import check_package
from handheld.driver import Driver
from handheld.helper.client import NO_HELPER
from handheld_virtual import ManualClock
from handheld_virtual.apps.clock_in import ClockIn
from handheld_virtual.packages.app import App
from handheld_virtual.packages.installing.installed import NOT_RUN
from handheld_virtual.packages.provider import Bundle, Provider
from handheld_virtual.packages.service import Start, ToolService
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.releases import DEFAULT_API
from harness.phones import reached
from harness.polling import HANG
from testbed.misbehaving import Misbehaving

Line = tuple[str, str, str]


@dataclass
class Setup:
    device: VirtualPhone
    clock: ManualClock
    link: Link
    driver: Driver

    async def check(self, package: str, *, call: bool = False) -> list[Line]:
        task = asyncio.create_task(check_package(self.driver, package, call=call))
        async with asyncio.timeout(HANG):
            while not task.done():
                await self.clock.advance(100)
                await asyncio.sleep(0)
        return [(one.verdict.value, one.subject, one.sentence) for one in await task]


@asynccontextmanager
async def open_setup(api: int = DEFAULT_API) -> AsyncGenerator[Setup]:
    clock = ManualClock()
    async with reached(VirtualPhone(clock=clock, api=api)) as (device, link, phone):
        yield Setup(device, clock, link, phone.driver)


@pytest.fixture
async def setup() -> AsyncIterator[Setup]:
    async with open_setup() as setup:
        yield setup


def but_ok(lines: list[Line]) -> list[Line]:
    return [line for line in lines if line[0] != "ok"]


async def test_the_clock_passes_with_warnings(setup: Setup) -> None:
    lines = await setup.check("com.example.mcpdemo")
    assert but_ok(lines) == [
        (
            "warning",
            "descriptor",
            'root <mobile-mcp-capabilities>: has no version; it must be version="1.0".',
        ),
        (
            "warning",
            "wrong version",
            "It uses the flat form of the first apps, which has no version to check.",
        ),
        ("warning", "calls", "Not called, since it has effects: clock_in_today."),
    ]
    assert [subject for verdict, subject, _ in lines if verdict == "ok"] == [
        "package",
        "service com.example.mcpdemo.CommandGatewayService",
        "service com.example.mcpdemo.CommandGatewayService",
        "service com.example.mcpdemo.CommandGatewayService",
        "descriptor",
        "unknown capability",
        "query_clock_in, missing 'date'",
        "make_up_clock_in, missing 'date'",
        "query_clock_in, mistyped",
        "make_up_clock_in, mistyped",
        "parallel requests",
        "request without a capability",
        "request that is no JSON",
        "ids",
    ]
    clock = setup.device.world.apps["com.example.mcpdemo"]
    assert isinstance(clock, ClockIn)
    assert clock.days == set(), "nothing was done"


async def test_the_notes_pass(setup: Setup) -> None:
    lines = await setup.check("dev.handheld.notes")
    assert {verdict for verdict, _, _ in lines} <= {"ok", "warning"}
    assert (
        "ok",
        "wrong version",
        "Refused: \"Version '2.0' is not known here; '1.0' is.\"",
    ) in lines


async def test_wrong_types_are_tried_where_nothing_is_required_too(setup: Setup) -> None:
    lines = await setup.check("dev.handheld.notes")
    assert (
        "ok",
        "find_notes, mistyped",
        "Refused: \"Parameter 'text' must be of type string.\"",
    ) in lines


async def test_the_weather_passes(setup: Setup) -> None:
    assert await setup.check("dev.handheld.weather") == [
        ("ok", "package", "dev.handheld.weather, version code 1, label 'Weather'."),
        (
            "ok",
            "provider dev.handheld.weather.ForecastProvider",
            "It is exported and asks for no permission.",
        ),
        (
            "ok",
            "provider dev.handheld.weather.ForecastProvider",
            "It is found, under the authority dev.handheld.weather.mcptool.",
        ),
        ("ok", "get_tool_info", "Tools: get_weather_forecast."),
        ("ok", "unknown method", "Refused: 'Unknown method: handheld_check_no_such_method'"),
        ("ok", "unknown tool", "Refused: 'Unknown tool: handheld_check_no_such_tool'"),
        (
            "ok",
            "get_weather_forecast, missing 'location'",
            "Refused: \"Missing required parameter: 'location'\"",
        ),
        (
            "ok",
            "get_weather_forecast, mistyped",
            "Refused: \"Parameter 'days' must be of type number.\"",
        ),
    ]


async def test_with_call_what_takes_no_arguments_is_done(setup: Setup) -> None:
    lines = await setup.check("com.example.mcpdemo", call=True)
    assert [line for line in lines if line[0] == "problem"] == []
    assert (
        "ok",
        "clock_in_today, called",
        "It answered success: 'Clock in successfully!'",
    ) in lines
    clock = setup.device.world.apps["com.example.mcpdemo"]
    assert isinstance(clock, ClockIn)
    assert clock.days == {clock.today}


async def test_an_app_that_does_everything_wrong_fails_in_readable_words(setup: Setup) -> None:
    setup.device.world.install(Misbehaving)
    lines = await setup.check(Misbehaving.package, call=True)
    assert but_ok(lines) == [
        ("warning", "unknown capability", "It refused and gave no reason."),
        ("problem", "wrong version", "No reply within 10 s."),
        ("problem", "request without a capability", "Its process ended before it had answered."),
        ("problem", "request that is no JSON", "Its process ended before it had answered."),
        ("problem", "no_reply, called", "No reply within 10 s."),
        ("problem", "late_reply, called", "No reply within 10 s."),
        ("problem", "wrong_id, called", "No reply within 10 s, but 1 with another id."),
        ("problem", "malformed, called", "Its reply is not JSON."),
        ("problem", "half, called", "Its reply has a status that is neither success nor failure."),
        ("problem", "too_much, called", "Its process ended before it had answered."),
        ("problem", "crash, called", "Its process ended before it had answered."),
        ("problem", "crash_later, called", "Its process ended before it had answered."),
        ("warning", "fail, called", "It said that it failed: 'The fridge is empty.'"),
        ("warning", "fail_silently, called", "It said that it failed: it gave no reason."),
        ("problem", "ids", "2 of its replies had another id than the request."),
        ("problem", "answer_null, called", "It answered null."),
        ("problem", "answer_oddly, called", "It has no tool_result, or one that is no string."),
        ("problem", "die, called", "Its process ended before it had answered."),
        ("warning", "refuse, called", "It said that it failed: Not on a Sunday."),
    ]


class Careless(ToolService):
    """Looks at nothing, and does."""

    name = ".Careless"
    tool_name = "Careless"
    tool_description = "Does it."
    descriptor = """<mobile-mcp-capabilities version="1.0">
      <capability id="pay" description="Pays." version="1"><input>
        <param name="amount" type="int" required="true" description="How much"/></input>
      </capability></mobile-mcp-capabilities>"""

    def start(self, start: Start) -> None:
        request = read_request(start.extras)
        assert start.callback is not None
        start.callback(Response(request.id, True, "Paid.", "pay", {"ok": True}).extras())


class CarelessProvider(Provider):
    filters = (Filter((PROVIDER_ACTION,)),)

    def call(self, method: str, argument: str | None, extras: Bundle) -> Bundle | None:
        if method == "execute_tool":
            return {"success": True, "tool_result": "Paid."}
        provider = ToolProvider()
        provider.tool("owe", "Owes.", {"amount": {"type": "integer"}})(lambda arguments: "")
        return provider.call(method, argument, extras)


class CarelessApp(App):
    package, label = "org.example.careless", "Careless"
    services = (Careless,)
    providers: ClassVar[Mapping[str, type[Provider]]] = {"org.example.careless": CarelessProvider}


async def test_an_app_without_validation_is_reported(setup: Setup) -> None:
    setup.device.world.install(CarelessApp)
    lines = await setup.check(CarelessApp.package)
    assert but_ok(lines)[-3:] == [
        ("problem", "unknown tool", "It answered success."),
        (
            "warning",
            "owe, mistyped",
            "It took 'many' for a value that is none by its own schema.",
        ),
        ("warning", "calls", "Not called, since it has effects: owe."),
    ]
    assert but_ok(lines)[:4] == [
        (
            "problem",
            "unknown capability",
            "It was given a capability that it does not have and answered success.",
        ),
        (
            "problem",
            "pay, missing 'amount'",
            "It was given nothing it requires and answered success.",
        ),
        ("problem", "pay, mistyped", "It was given values of wrong types and answered success."),
        ("problem", "wrong version", 'It did a request of version "2.0", which it cannot know.'),
    ]


class Loose(Careless):
    """Refuses everything, with an output that has another form than it should."""

    def start(self, start: Start) -> None:
        try:
            id = read_request(start.extras).id
        except BadMessage as problem:
            id = problem.id
        assert start.callback is not None
        capability = {"id": "pay", "output": {"ok": False}}
        refused = {"status": "failure", "message": "Of no version."}
        response = {"id": id, "capability": capability, **refused}
        whole = {"mobile-mcp-response": {"version": "1.0", "response": response}}
        start.callback({"mobile-mcp-response": json.dumps(whole)})


class LooseProvider(Provider):
    filters = (Filter((PROVIDER_ACTION,)),)

    def call(self, method: str, argument: str | None, extras: Bundle) -> Bundle | None:
        provider = ToolProvider()
        provider.tool("owe", "Owes.", {"amount": {"type": "int"}}, ["amount"])(lambda given: "")
        return provider.call(method, argument, extras)


class LooseApp(App):
    package, label = "org.example.loose", "Loose"
    services = (Loose,)
    providers: ClassVar[Mapping[str, type[Provider]]] = {"org.example.loose": LooseProvider}


async def test_what_only_the_schemas_refuse_is_a_warning(setup: Setup) -> None:
    setup.device.world.install(LooseApp)
    assert but_ok(await setup.check(LooseApp.package)) == [
        (
            "warning",
            "form",
            "A reply can be read, but does not match the specification:"
            " mobile-mcp-response.response.capability.output is not of the type array.",
        ),
        (
            "warning",
            "tool owe",
            "Its tool_input_schema can be read, but amount.type is none of: string, boolean,"
            " integer, number, array, object.",
        ),
    ]


async def test_an_installed_apk_cannot_be_tried_here(setup: Setup) -> None:
    apk = tool_apk()
    await shell.run(setup.link, ["pm", "install", "-S", str(len(apk))], stdin=apk)
    reason = f"It could not be asked: {NOT_RUN}"
    assert but_ok(await setup.check("org.example.counter")) == [
        ("problem", "calls", reason),
        ("problem", "calls", reason),
    ]


async def test_without_a_helper_only_the_declaration_is_checked(setup: Setup) -> None:
    apk = tool_apk()
    await shell.run(setup.link, ["pm", "install", "-S", str(len(apk))], stdin=apk)
    setup.device.faults.refuse_helper()
    reason = (
        "It could not be asked: Without Handheld's helper on the phone, the tools of apps cannot be"
        f" called. Nothing was done. {NO_HELPER} `handheld doctor` says what to"
        " do."
    )
    assert but_ok(await setup.check("org.example.counter")) == [
        ("problem", "calls", reason),
        ("problem", "calls", reason),
    ]
    assert but_ok(await setup.check("com.example.mcpdemo")) == [
        (
            "problem",
            "package",
            "Its APK cannot be read: the package: it has no AndroidManifest.xml.",
        )
    ]


async def test_a_missing_app_or_one_without_tools_is_reported(setup: Setup) -> None:
    assert await setup.check("org.example.none") == [
        ("problem", "package", "org.example.none is not installed.")
    ]
    lines = await setup.check("com.android.calculator2")
    assert [line[:2] for line in but_ok(lines)] == [("problem", "offers")]
