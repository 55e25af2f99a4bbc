"""The sample apps for app makers, on Android's own classes: found, called and checked.

Manifest, resources and descriptor are read from the APKs; what an app answers is compared with the
examples of the documents.
"""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from handheld.app_formats.mobile_mcp import CapabilityRequest
from handheld.app_formats.tool_provider import execute_extras
from handheld.app_tools.check.on_phone import check_package
from handheld.driver.app_tools import AppFailed, AppProblem
from harness.polling import HANG

from .conftest import Tools
from .jvm import ROOT

pytestmark = pytest.mark.needs_framework

SHOP, WEATHER = "org.example.teashop", "com.yourcompany.yourapp"
SERVICE = f"{SHOP}.TeaService"
SHELF, FORECAST = f"{SHOP}.tools", f"{WEATHER}.mcptool"
APKS = ROOT / "build" / "app-tools"
ID = "6fdd1f2e-0f2b-4a1c-9b3f-000000000050"
WITHIN_MS = HANG * 1000
REQUEST, RESPONSE = "mobile-mcp-request", "mobile-mcp-response"


def apk(name: str) -> Path:
    file = APKS / f"{name}.apk"
    if not file.exists():
        pytest.fail("not built: `make app-tools` builds it")
    return file


@pytest.fixture
async def phone(framework: Tools) -> Tools:
    """With both samples, from their APKs."""
    for name, package in (("tea-shop", SHOP), ("weather", WEATHER)):
        assert await framework.android.ask("install", file=str(apk(name))) == package
    return framework


async def ask_shop(phone: Tools, extras: Mapping[str, str]) -> dict[str, Any]:
    """Both forms of the reply, read."""
    reply = await phone.phone.driver.call_service(SHOP, SERVICE, ID, extras, WITHIN_MS)
    assert reply.dropped == 0
    return {name: json.loads(text) for name, text in reply.extras.items()}


async def call_shop(phone: Tools, capability: str, arguments: Mapping[str, Any]) -> Any:
    """What the reply says, in the form of the specification."""
    request = CapabilityRequest(ID, capability, arguments)
    reply = await ask_shop(phone, request.extras())
    return reply[RESPONSE]["mobile-mcp-response"]["response"]


async def call_provider(
    phone: Tools, authority: str, method: str, extras: Mapping[str, Any] | None
) -> Any:
    return await phone.phone.driver.call_provider(authority, method, extras, WITHIN_MS)


async def test_the_helper_finds_what_the_samples_declare(phone: Tools) -> None:
    declared = await phone.phone.driver.declared_tools()
    [service] = declared.services
    assert (service.app.package, service.class_name) == (SHOP, SERVICE)
    assert (service.app.label, service.name) == ("Tea shop", "Tea shop")
    assert service.exported
    assert not service.permission
    assert service.descriptor is not None
    found = [(one.app.package, one.class_name, one.authority) for one in declared.providers]
    assert sorted(found) == [
        (WEATHER, f"{WEATHER}.McpToolProvider", FORECAST),
        (SHOP, f"{SHOP}.TeaProvider", SHELF),
    ]


async def test_a_reply_has_the_form_of_the_specification(phone: Tools) -> None:
    # The example of the request in the document, which has the arguments under `args` alone.
    capability = {"id": "brew_tea", "args": {"minutes": 3, "tea": "mint"}}
    request = {"version": "1.0", "request": {"id": ID, "capability": capability}}
    reply = await ask_shop(phone, {REQUEST: json.dumps({REQUEST: request})})
    [output] = reply[RESPONSE][RESPONSE]["response"]["capability"]["output"]
    cups = output["value"]
    assert cups >= 1
    response = {
        "id": ID,
        "capability": {
            "id": "brew_tea",
            "output": [{"name": "cups", "type": "integer", "value": cups}],
        },
        "status": "success",
        "message": "The tea is ready.",
    }
    assert list(reply[RESPONSE][RESPONSE]["response"]) == list(response)
    assert reply == {
        RESPONSE: {RESPONSE: {"version": "1.0", "response": response}},
        "response": {**response, "capability": {"id": "brew_tea", "output": {"cups": cups}}},
    }


@pytest.mark.parametrize(
    ("capability", "arguments", "message"),
    [
        ("pour_coffee", {}, "Unknown capability ID: pour_coffee"),
        ("brew_tea", {}, "Missing required parameter: 'minutes'"),
        ("brew_tea", {"minutes": None}, "Missing required parameter: 'minutes'"),
        ("brew_tea", {"minutes": "3"}, "Parameter 'minutes' must be of type integer."),
        ("brew_tea", {"minutes": 2.5}, "Parameter 'minutes' must be of type integer."),
        ("brew_tea", {"minutes": 1e300}, "Parameter 'minutes' must be of type integer."),
        ("brew_tea", {"minutes": True}, "Parameter 'minutes' must be of type integer."),
        ("brew_tea", {"minutes": [3]}, "Parameter 'minutes' must be of type integer."),
        ("brew_tea", {"minutes": 3, "tea": 4}, "Parameter 'tea' must be of type string."),
        ("brew_tea", {"minutes": 3, "milk": True}, "Unknown parameter 'milk'."),
        ("brew_tea", {"minutes": 11}, "minutes is a whole number from 1 to 10."),
        ("brew_tea", {"minutes": 3, "tea": "oil"}, "There is no such tea. Ask list_teas."),
    ],
)
async def test_a_wrong_request_is_refused_in_words(
    phone: Tools, capability: str, arguments: dict[str, Any], message: str
) -> None:
    assert await call_shop(phone, capability, arguments) == {
        "id": ID,
        "capability": {"id": capability},
        "status": "failure",
        "message": message,
    }


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"version": "2.0", "request": {"id": ID}}, "Version '2.0' is not known here; '1.0' is."),
        ({"request": {"id": ID}}, "Version '' is not known here; '1.0' is."),
        ({"version": "1.0", "request": {"id": ID}}, "The request has no object capability."),
        (
            {"version": "1.0", "request": {"id": ID, "capability": {}}},
            "The request has no capability id.",
        ),
    ],
)
async def test_a_malformed_request_is_answered_with_its_id(
    phone: Tools, request_: dict[str, Any], message: str
) -> None:
    reply = await ask_shop(phone, {REQUEST: json.dumps({REQUEST: request_})})
    assert reply[RESPONSE][RESPONSE]["response"] == {
        "id": ID,
        "status": "failure",
        "message": message,
    }


async def test_brackets_without_end_are_refused_and_the_app_lives_on(phone: Tools) -> None:
    deep = "[" * 100_000
    text = (
        f'{{"{REQUEST}": {{"version": "1.0", "request": {{"id": "{ID}", "capability": {{"id":'
        f' "brew_tea", "args": {{"minutes": {deep}}}}}}}}}}}'
    )
    # It can have no id: the reply is dropped.
    with pytest.raises(AppFailed) as raised:
        await phone.phone.driver.call_service(SHOP, SERVICE, ID, {REQUEST: text}, 5000)
    assert (raised.value.problem, raised.value.dropped) == (AppProblem.SILENT, 1)
    assert (await call_shop(phone, "list_teas", {}))["status"] == "success"


async def test_the_flat_form_of_the_first_agents_is_answered(phone: Tools) -> None:
    capability = {"id": "brew_tea", "input": json.dumps({"minutes": 3.0})}
    reply = await ask_shop(phone, {"request": json.dumps({"id": ID, "capability": capability})})
    assert reply["response"]["status"] == "success"
    assert set(reply["response"]["capability"]["output"]) == {"cups"}


async def test_a_call_that_nobody_waits_for_holds_up_no_other(phone: Tools) -> None:
    first = CapabilityRequest("first", "steep_tea", {"seconds": 20})
    steeping = asyncio.create_task(
        phone.phone.driver.call_service(SHOP, SERVICE, "first", first.extras(), WITHIN_MS)
    )
    while not await phone.android.ask("running services"):
        pass
    steeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await steeping
    teas = await call_shop(phone, "list_teas", {})
    assert teas["capability"]["output"] == [
        {"name": "teas", "type": "array", "value": ["green", "black", "mint"]}
    ]
    # The service itself stays until both are done.
    assert await phone.android.ask("running services") == 1


async def test_the_guides_provider_says_what_the_guide_has(phone: Tools) -> None:
    info = await call_provider(phone, FORECAST, "get_tool_info", None)
    assert json.loads(info.pop("tool_input_schema")) == {
        "location": {"type": "string", "description": "City name or coordinates"},
        "days": {"type": "number", "description": "Number of days (1-7)"},
    }
    assert info == {
        "success": True,
        "tool_name": "get_weather_forecast",
        "tool_description": "Gets weather forecast for a location",
        "tool_input_required": ["location"],
    }
    extras = execute_extras("get_weather_forecast", {"location": "Oslo", "days": 2})
    assert await call_provider(phone, FORECAST, "execute_tool", extras) == {
        "success": True,
        "tool_result": "Forecast(location=Oslo, days=[sunny, sunny])",
    }


FAILURES = [
    ("get_tools", None, "Unknown method: get_tools"),
    ("execute_tool", {}, "Tool name not specified"),
    ("execute_tool", {"tool_name": "NAME"}, "Invalid arguments"),
]
"""As the integration guide words them."""


@pytest.mark.parametrize(("method", "extras", "message"), FAILURES)
@pytest.mark.parametrize(
    ("authority", "tool"), [(FORECAST, "get_weather_forecast"), (SHELF, "drink_tea")]
)
async def test_both_providers_refuse_in_the_words_of_the_guide(
    phone: Tools,
    authority: str,
    tool: str,
    method: str,
    extras: dict[str, Any] | None,
    message: str,
) -> None:
    given = None if extras is None else dict.fromkeys(extras, tool)
    assert await call_provider(phone, authority, method, given) == {
        "success": False,
        "error_message": message,
    }


async def test_the_librarys_provider_describes_its_tool_in_both_dialects(phone: Tools) -> None:
    info = await call_provider(phone, SHELF, "get_tool_info", None)
    assert json.loads(info.pop("tool")) == {
        "tools": {
            "drink_tea": {
                "description": "Drinks some cups of tea.",
                "inputs": [
                    {
                        "type": "IntegerInput",
                        "name": "cups",
                        "description": "How many",
                        "required": True,
                    }
                ],
            }
        }
    }
    assert json.loads(info.pop("tool_input_schema")) == {
        "cups": {"type": "integer", "description": "How many"}
    }
    assert info == {
        "success": True,
        "tool_name": "drink_tea",
        "tool_description": "Drinks some cups of tea.",
        "tool_input_required": ["cups"],
    }


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("pour_coffee", {}, "Unknown tool: pour_coffee"),
        ("drink_tea", {}, "Missing required parameter: 'cups'"),
        ("drink_tea", {"cups": "many"}, "Parameter 'cups' must be of type integer."),
        ("drink_tea", {"cups": "0x1"}, "Parameter 'cups' must be of type integer."),
        ("drink_tea", {"cups": "1.5"}, "Parameter 'cups' must be of type integer."),
        ("drink_tea", {"cups": "NaN"}, "Parameter 'cups' must be of type integer."),
        ("drink_tea", {"cups": "9" * 30}, "Parameter 'cups' must be of type integer."),
        ("drink_tea", {"cups": "1", "sugar": "1"}, "Unknown parameter 'sugar'."),
        ("drink_tea", {"cups": "x" * 300_000}, "Invalid arguments"),
    ],
)
async def test_the_librarys_provider_checks_its_arguments(
    phone: Tools, tool: str, arguments: dict[str, str], message: str
) -> None:
    extras = execute_extras(tool, arguments)
    assert await call_provider(phone, SHELF, "execute_tool", extras) == {
        "success": False,
        "error_message": message,
    }


async def test_service_and_provider_share_the_apps_shelf(phone: Tools) -> None:
    brewed = await call_shop(phone, "brew_tea", {"minutes": 1})
    cups = brewed["capability"]["output"][0]["value"]
    drunk = await call_provider(
        phone, SHELF, "execute_tool", execute_extras("drink_tea", {"cups": 1})
    )
    assert drunk == {"success": True, "tool_result": f"{cups - 1} cups are left."}


async def test_the_check_has_nothing_against_the_shop(phone: Tools) -> None:
    findings = await check_package(phone.phone.driver, SHOP, call=True)
    assert [one for one in findings if one.verdict.value != "ok"] == []


async def test_the_check_has_no_problem_with_the_guides_provider(phone: Tools) -> None:
    findings = await check_package(phone.phone.driver, WEATHER, call=True)
    # Its own code takes any text for a number of days, and says nothing of it.
    assert [(one.verdict.value, one.subject) for one in findings if one.verdict.value != "ok"] == [
        ("warning", "get_weather_forecast, mistyped")
    ]
