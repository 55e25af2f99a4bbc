"""Approval of calls over MCP: a virtual phone, a client, and a person who answers."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from fleet.nats.lab import Lab
from handheld.access.approval import ApprovalGate, QuestionChange
from handheld.access.policy import make_gate
from handheld.audit import AuditLog, Masks, Recorder
from handheld.calls.local import Caller
from handheld.calls.protocols import Surface
from handheld.cli.parts import Parts
from handheld.devices.opening import open_devices
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.settings import SettingsError, load
from handheld.tools.call import ToolCall
from handheld.tools.main import EVERY_TOOLSET
from handheld_virtual.phone import VirtualPhone
from harness.patient_clock import PatientClock
from harness.polling import HANG
from harness.serving import client_of
from harness.through_engine import open_phones

CALCULATOR = "com.android.calculator2"
HEADERS = {"Authorization": "Bearer t", "Mcp-Session-Id": "s"}


class Room:
    """A phone behind a server, whose gate a person watches."""

    surface: Surface
    http: httpx.AsyncClient
    sms: str
    audit: AuditLog
    before = 0

    def __init__(self) -> None:
        self.swappable = SwappableGate()
        self.named: dict[str, str] = {}
        """Arguments that a gateway adds: it names the phone."""

    @property
    def gate(self) -> ApprovalGate:
        return self.swappable.gate

    def set_policy(self, folder: Path, **flags: Any) -> None:
        self.swappable.gate = make_gate(load(flags, {"HANDHELD_HOME": str(folder)}), EVERY_TOOLSET)

    async def call(self, name: str, path: str = "/mcp", id: int = 1, **arguments: Any) -> str:
        body = {
            "jsonrpc": "2.0",
            "id": id,
            "method": "tools/call",
            "params": {"name": name, "arguments": arguments},
        }
        answer = (await self.http.post(path, json=body, headers=HEADERS)).json()
        if "error" in answer:
            return answer["error"]["message"]
        return answer["result"]["content"][0]["text"]

    def states(self) -> list[tuple[str, str]]:
        """Of the calls of this test, as they were recorded."""
        entries = self.audit.entries()[self.before :]
        return [(entry.tool, entry.state) for entry in entries]


class SwappableGate:
    """The gate of the test at hand: a phone takes longer to open than most tests."""

    gate: ApprovalGate

    def wants_app(self, call: ToolCall) -> bool:
        return self.gate.wants_app(call)

    def objection(self, call: ToolCall, apps: tuple[str, ...]) -> str | None:
        return self.gate.objection(call, apps)

    def asks_person(self, call: ToolCall) -> bool:
        return self.gate.asks_person(call)

    async def ask(self, call: ToolCall) -> None:
        await self.gate.ask(call)


@pytest.fixture(scope="module")
async def shared(
    tmp_path_factory: pytest.TempPathFactory, own_engine: Lab | None
) -> AsyncGenerator[Room]:
    folder = tmp_path_factory.mktemp("room")
    room = Room()
    async with AsyncExitStack() as stack:
        phone = await stack.enter_async_context(VirtualPhone())
        settings = load(
            {"phone": f"127.0.0.1:{phone.port}"},
            {"HANDHELD_HOME": str(folder), "ANDROID_ADB_SERVER_PORT": "1"},
        )
        devices = await open_devices(settings, lambda line: None, clock=PatientClock())
        stack.push_async_callback(devices.aclose)
        room.audit = AuditLog(
            folder / "calls.sqlite", masks=Masks(), most_bytes=10_000_000, most_days=1
        )
        recorder = Recorder(room.audit)
        stack.push_async_callback(recorder.aclose)
        gate: Any = room.swappable
        way = await stack.enter_async_context(
            open_phones(own_engine, Parts(settings, devices, recorder, gate))
        )
        room.surface = way.main
        room.named = {"device": f"127.0.0.1:{phone.port}"} if own_engine else {}
        main = await stack.enter_async_context(
            open_http(way.main, HttpOptions(port=0, token="t", v1=way.v1))
        )
        sms = await stack.enter_async_context(
            open_http(way.sms, HttpOptions(port=0, token="t", sms=True))
        )
        room.sms = sms.url
        room.http = await stack.enter_async_context(client_of(main))
        yield room


@pytest.fixture
def room(shared: Room, tmp_path: Path) -> Room:
    """With the gate that nobody has set otherwise, and a console open."""
    shared.set_policy(tmp_path)
    shared.gate.consoles = 1
    shared.before = len(shared.audit.entries())
    return shared


async def question(watch: Any) -> QuestionChange:
    async with asyncio.timeout(HANG):
        return await anext(watch)


CLOSE: Any = {"package_id": CALCULATOR}


async def test_an_allowed_call_runs_once_and_a_denied_one_never(room: Room) -> None:
    await room.call("android_open_app", package_id=CALCULATOR)
    await room.call("android_press_home")
    with room.gate.subscribe() as watch:
        denied = asyncio.create_task(room.call("android_close_app", **CLOSE))
        asked = await question(watch)
        assert (asked.state, asked.pending.rule, asked.pending.call.tool) == (
            *("asked", "close_app", "close_app"),
        )
        assert asked.pending.call.arguments == {**CLOSE, **room.named}
        assert asked.pending.call.caller == Caller("http", "", "owner")
        assert room.gate.answer(asked.pending.id, False, "Ann")
        assert (await denied).startswith(
            "The owner of the phone was asked about close_app and said"
        )
        assert (await question(watch)).state == "denied"
        allowed = asyncio.create_task(room.call("android_close_app", **CLOSE))
        asked = await question(watch)
        assert room.gate.answer(asked.pending.id, True, "Ann")
        assert CALCULATOR in await allowed
    assert room.states() == [
        ("open_app", "done"),
        ("press_home", "done"),
        ("close_app", "denied"),
        ("close_app", "done"),
    ]


async def test_the_phone_is_free_while_a_question_waits(room: Room) -> None:
    with room.gate.subscribe() as watch:
        asking = asyncio.create_task(room.call("android_close_app", **CLOSE))
        asked = await question(watch)
        assert await room.call("android_press_home") == "Home button press executed successfully"
        assert not asking.done()
        room.gate.answer(asked.pending.id, False, "Ann")
        await asking


async def test_a_cancelled_call_withdraws_its_question(room: Room) -> None:
    with room.gate.subscribe() as watch:
        asking = asyncio.create_task(room.call("android_close_app", id=7, **CLOSE))
        asked = await question(watch)
        cancelled = {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": 7},
        }
        await room.http.post("/mcp", json=cancelled, headers=HEADERS)
        assert await question(watch) == QuestionChange(asked.pending, "withdrawn")
        assert (await asking).startswith("The client cancelled this request.")
    assert not room.gate.answer(asked.pending.id, True, "Ann")
    async with asyncio.timeout(HANG):
        while room.states() != [("close_app", "failed")]:  # noqa: ASYNC110 - a host is told later
            await asyncio.sleep(0)


async def test_a_client_that_hangs_up_withdraws_its_question(room: Room) -> None:
    with room.gate.subscribe() as watch:
        asking = asyncio.create_task(room.call("android_close_app", **CLOSE))
        asked = await question(watch)
        asking.cancel()
        assert await question(watch) == QuestionChange(asked.pending, "withdrawn")


async def test_a_call_with_invalid_arguments_is_not_asked_about(room: Room) -> None:
    assert "package_id" in await room.call("android_close_app")
    assert room.gate.pending() == []


async def test_no_tool_answers_or_lists_questions(room: Room) -> None:
    names = {listing.name for listing in await room.surface.tools()}
    assert not {name for name in names if "approv" in name or "allow" in name or "answer" in name}


async def test_the_surface_for_messages_is_not_asked_and_the_main_one_is(room: Room) -> None:
    message: Any = {"to_phone_number": "+36201234567", "sms_text": "hi", "subscription_id": 1}
    sent = await room.call("send_sms", room.sms, **message)
    assert "asked" not in sent
    with room.gate.subscribe() as watch:
        asking = asyncio.create_task(room.call("android_send_sms", **message))
        asked = await question(watch)
        room.gate.answer(asked.pending.id, False, "Ann")
        assert "said no" in await asking


async def test_rules_hold_on_the_first_surface_too(room: Room, tmp_path: Path) -> None:
    room.set_policy(tmp_path, policy_deny="get_screen_state,toolset:touch")
    path = "/mcp/v1/tools/call"
    denied = "Not done: get_accessibility_tree, because the rule"
    assert (await room.call("get_accessibility_tree", path)).startswith(denied)
    assert "the rule 'toolset:touch'" in await room.call("tap", path, x=1, y=1)
    assert "executed" in await room.call("press_home", path)


async def test_a_rule_on_the_app_in_front_holds_while_it_is(room: Room, tmp_path: Path) -> None:
    await room.call("android_press_home")
    room.set_policy(
        tmp_path,
        policy_deny=f"app:{CALCULATOR}",
        policy_allow=f"press_home+app:{CALCULATOR}",
    )
    assert "executed" in await room.call("android_tap", x=1, y=1)
    await room.call("android_open_app", package_id=CALCULATOR)
    refused = await room.call("android_tap", x=1, y=1)
    assert f"the rule 'app:{CALCULATOR}' denies it" in refused
    assert "denies it" in await room.call("android_get_screen_state")
    assert "executed" in await room.call("android_press_home")
    assert "executed" in await room.call("android_tap", x=1, y=1)


async def test_without_a_console_the_settings_decide(room: Room, tmp_path: Path) -> None:
    room.gate.consoles = 0
    assert "asked" not in await room.call("android_close_app", **CLOSE)
    room.set_policy(tmp_path, policy_require_console=True)
    output = await room.call("android_close_app", **CLOSE)
    assert output.startswith("Not done: close_app needs the owner.")
    assert room.states()[-1] == ("close_app", "denied")
    assert room.audit.entries()[-1].note == (
        "The rule 'close_app' asks about it, and nobody was there. To allow it:"
        ' policy.allow = ["close_app"] in handheld.toml, or: handheld serve --policy-allow'
        " close_app"
    )


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ({"policy_deny": "send_mail"}, "policy.deny names no tool 'send_mail'. Near it: "),
        ({"policy_ask": "toolset:mail"}, "policy.ask names no toolset 'mail'. "),
        ({"policy_ask": "phone:x"}, "policy.ask has 'phone:x': a condition begins with "),
        (
            {"policy_ask": "send_sms", "policy_deny": "send_sms"},
            "policy.ask and policy.deny both have 'send_sms': ",
        ),
        (
            {"policy_ask": "tap,default", "policy_allow": "tap"},
            "policy.ask and policy.allow both have 'tap': ",
        ),
        ({"policy_deny": "default"}, "policy.deny has 'default', which only policy.ask may have."),
        ({"policy_allow": "default"}, "policy.allow has 'default', which only policy.ask may "),
        ({"policy_wait_seconds": "4"}, "--policy-wait-seconds must be a whole number from 5 to "),
    ],
)
def test_an_invalid_policy_is_rejected(
    tmp_path: Path, flags: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        make_gate(load(flags, {"HANDHELD_HOME": str(tmp_path)}), EVERY_TOOLSET)
    assert str(refused.value).startswith(sentence)


def test_app_tools_may_be_named_before_there_is_one(tmp_path: Path) -> None:
    flags = {"policy_ask": "app_notes_add,toolset:app_tools", "policy_allow": "app_*+token:x"}
    make_gate(load(flags, {"HANDHELD_HOME": str(tmp_path)}), EVERY_TOOLSET)
