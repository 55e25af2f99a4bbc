"""The table of built-in questions, row by row, over every way to the tools; and the page that shows
it."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from access.test_approval_over_mcp import SwappableGate
from handheld.access.approval import ApprovalGate
from handheld.access.policy import describe_unasked, make_gate
from handheld.access.request_scope import AGENT, RequestScope
from handheld.access.takeover import held_back, stopped
from handheld.app_tools.trust import Trust
from handheld.audit import AuditLog, Recorder
from handheld.calls.choice import ChosenSurface
from handheld.cli.cost import estimate
from handheld.cli.parts import Parts
from handheld.devices.direct import DirectDevice, TcpEndpoint
from handheld.devices.opening import PhoneFactory
from handheld.errors import PermissionDenied, ToolError
from handheld.server.sharing.failover import Reached, SharedSurface
from handheld.settings import Settings, load
from handheld.settings.questions import DEFAULT_ASK, OUTCOMES, Kind, Present, RuleOutcome
from handheld.tools.app_offer import AppOffer, Standing
from handheld.tools.call import Caller, ToolCall
from handheld.tools.listing import PHONE_PREFIX, Listing
from handheld.tools.main import EVERY_TOOLSET
from handheld_virtual.phone import VirtualPhone
from harness.manual_clock import ManualClock
from harness.polling import HANG
from server.little import Here, call
from server.test_stdio import serving

PAGE = Path(__file__).resolve().parents[2] / "docs" / "safety.md"
WEATHER = "dev.handheld.weather"
WAYS = ("main", "agent", "stdio")
NOW = 1_800_000_000.0


class Example(NamedTuple):
    """A call of a kind: on the main surface, and as the tools for models have it."""

    main: str
    agent: str
    given: dict[str, Any]
    given_agent: dict[str, Any]
    flags: dict[str, str]


_SMS = {"to_phone_number": "+36201234567", "sms_text": "hi", "subscription_id": 14}
_MESSAGE = {"to": "+36201234567", "text": "hi", "sim": 14}
_FORECAST = {"location": "Berlin"}
_PART = "com.android.settings/.Settings"
_RISKY = ("send_sms", "phone_message", _SMS, _MESSAGE)
_APP = Example("app_get_weather_forecast", "app_get_weather_forecast", _FORECAST, _FORECAST, {})
_INTENT = {"type": "activity", "component": _PART}
_HOME = ("press_home", "phone_press", dict[str, Any](), {"key": "home"})
EXAMPLES = {
    Kind.RISKY: Example(*_RISKY, {}),
    Kind.TRUSTED_APP: _APP,
    Kind.FOUND_APP: _APP,
    Kind.LATER_APP: _APP,
    Kind.SWITCHED_ON: Example(
        "send_intent", "phone_intent", _INTENT, {"do": "open", "component": _PART}, {}
    ),
    Kind.OWN: Example(*_HOME, {"policy_ask": "press_home,default"}),
    Kind.DENIED: Example(*_HOME, {"policy_deny": "press_home"}),
    Kind.UNASKED: Example(*_RISKY, {"policy_allow": "send_sms"}),
}


class Room:
    """A phone whose gate is that of the test at hand."""

    def __init__(self, settings: Settings, surface: ChosenSurface, audit: AuditLog) -> None:
        self.settings = settings
        self.surface = surface
        self.audit = audit
        self.swappable = SwappableGate()

    @property
    def gate(self) -> ApprovalGate:
        return self.swappable.gate

    @property
    def trust(self) -> Trust:
        return Trust(self.settings.folders.apps, first_use=True)

    def set_gate(self, folder: Path, present: Present = Present.NOBODY, **flags: Any) -> None:
        if present is Present.NOBODY_REQUIRED:
            flags["policy_require_console"] = True
        settings = load(flags, {"HANDHELD_HOME": str(folder)})
        self.swappable.gate = make_gate(settings, EVERY_TOOLSET)
        self.gate.consoles = int(present is Present.SOMEBODY)

    async def call(self, way: str, example: Example) -> str:
        """The text of the reply. Raises ToolError."""
        if way == "stdio":
            async with serving(SharedSurface(self._find, surface=AGENT)) as client:
                answer = await client.ask(call(example.agent, example.given_agent, modern=True))
            text = answer["result"]["content"][0]["text"]
            if answer["result"].get("isError"):
                raise ToolError(text)
            return text
        caller = Caller("http", "agent", "family")
        if way == "main":
            items = await self.surface.call(f"android_{example.main}", example.given, caller)
        else:
            chosen = RequestScope(surface=AGENT, prefix=PHONE_PREFIX)
            items = await self.surface.call(example.agent, example.given_agent, caller, chosen)
        return str(items[0])

    async def _find(self) -> Reached:
        return Here(self.surface)

    async def outcome(self, way: str, example: Example) -> RuleOutcome:
        """What becomes of the call; whoever is asked says no."""
        with self.gate.subscribe() as questions:
            calling = asyncio.ensure_future(self.call(way, example))
            asking = asyncio.ensure_future(anext(questions))
            async with asyncio.timeout(HANG):
                await asyncio.wait({calling, asking}, return_when=asyncio.FIRST_COMPLETED)
            asked = asking.done()
            if asked:
                assert self.gate.answer(asking.result().pending.id, False, "Ann")
            asking.cancel()
            async with asyncio.timeout(HANG):
                await asyncio.wait({calling})
        failure = calling.exception()
        if failure is None:
            assert not asked
            return RuleOutcome.ALLOWED
        assert isinstance(failure, ToolError)
        assert ("said no" in failure.message) is asked
        if asked:
            return RuleOutcome.ASKED
        assert "needs the owner" in failure.message or "denies it" in failure.message
        return RuleOutcome.DENIED


@pytest.fixture(scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Room]:
    folder = tmp_path_factory.mktemp("room")
    async with AsyncExitStack() as stack:
        phone = await stack.enter_async_context(VirtualPhone())
        flags = {"toolsets_on": "intents", "sms_dry_run": True}
        settings = load(flags, {"HANDHELD_HOME": str(folder)})
        endpoint = TcpEndpoint("127.0.0.1", phone.port, tuple)
        devices = DirectDevice(endpoint, PhoneFactory(settings).make_phone, lambda line: None)
        stack.push_async_callback(devices.aclose)
        audit = AuditLog(folder / "calls.sqlite")
        recorder = Recorder(audit)
        stack.push_async_callback(recorder.aclose)
        gate: Any = SwappableGate()
        room = Room(settings, Parts(settings, devices, recorder, gate).surface, audit)
        room.swappable = gate
        yield room


@pytest.fixture
async def room(shared: Room, tmp_path: Path) -> Room:
    """A phone that was never looked at, and the rules that nobody has changed."""
    shared.settings.folders.apps.unlink(missing_ok=True)
    shared.set_gate(tmp_path)
    return shared


async def first_look(room: Room) -> None:
    await room.surface.tools()
    assert room.trust.records()


def forget(room: Room) -> None:
    """The phone was looked at while it had none of these apps."""
    [name] = room.trust.records()
    room.settings.folders.apps.unlink()
    room.trust.judge(name, [])


async def test_each_row_of_the_table_holds_over_each_way(room: Room, tmp_path: Path) -> None:
    seen = {(kind, way): list[RuleOutcome]() for kind in Kind for way in WAYS}
    for (kind, way), outcomes in seen.items():
        example = EXAMPLES[kind]
        for present in Present:
            room.set_gate(tmp_path / way, present, **example.flags)
            room.settings.folders.apps.unlink(missing_ok=True)
            if example is _APP:
                await first_look(room)
            if kind is Kind.TRUSTED_APP:
                room.trust.approve(WEATHER)
            if kind is Kind.LATER_APP:
                forget(room)
            outcomes.append(await room.outcome(way, example))
    assert seen == {(kind, way): list(OUTCOMES[kind]) for kind in Kind for way in WAYS}


def rows_of_the_page() -> list[list[str]]:
    _, _, rest = PAGE.read_text(encoding="utf-8").partition("| call | somebody is there |")
    table, _, _ = rest.partition("\n\n")
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]
    ]


def test_the_page_shows_the_table() -> None:
    rows = {row[0]: tuple(cell.partition(" ")[0] for cell in row[1:]) for row in rows_of_the_page()}
    assert rows == {kind.value: outcomes for kind, outcomes in OUTCOMES.items()}


def test_the_page_shows_the_default_rules() -> None:
    _, _, rest = PAGE.read_text(encoding="utf-8").partition("until you set it. They are ")
    assert re.findall(r"`([^`]+)`", rest.partition(";")[0]) == list(DEFAULT_ASK)


def a_call(tool: str, toolset: str = "sample", **more: Any) -> ToolCall:
    listing = Listing(tool, "", "", {}, toolset=toolset, **more)
    return ToolCall(tool, listing, {}, Caller("http", "agent", "family"), "desk", ("com.x",))


def gate_of(folder: Path, clock: ManualClock | None = None, **flags: Any) -> ApprovalGate:
    settings = load(flags, {"HANDHELD_HOME": str(folder)})
    return make_gate(settings, EVERY_TOOLSET, clock or ManualClock(NOW))


async def runs(gate: ApprovalGate, call: ToolCall) -> bool:
    try:
        await gate.ask(call)
    except PermissionDenied:
        return False
    return True


@pytest.mark.parametrize("rule", [rule for rule in DEFAULT_ASK if "*" not in rule])
@pytest.mark.parametrize("required", [False, True])
def test_each_default_rule_is_of_its_kind(tmp_path: Path, rule: str, required: bool) -> None:
    gate = gate_of(tmp_path, policy_require_console=required)
    present = Present.NOBODY_REQUIRED if required else Present.NOBODY
    allowed = OUTCOMES[DEFAULT_ASK[rule]][present] is RuleOutcome.ALLOWED
    assert asyncio.run(runs(gate, a_call(rule))) is allowed
    assert gate.asks_person(a_call(rule)) is False
    gate.gateways = 1
    assert gate.asks_person(a_call(rule))


@pytest.mark.parametrize(
    ("standing", "allowed"),
    [
        (Standing.APPROVED, True),
        (Standing.OURS, True),
        (Standing.FOUND, True),
        (Standing.LATER, False),
    ],
)
def test_tools_of_apps_go_by_the_standing_of_the_app(
    tmp_path: Path, standing: Standing, allowed: bool
) -> None:
    call = a_call("app_add_note", "app_tools", offer=AppOffer("org.notes", "desk", "1", standing))
    assert asyncio.run(runs(gate_of(tmp_path), call)) is allowed
    # A rule that the owner wrote asks about every app.
    assert not asyncio.run(runs(gate_of(tmp_path, policy_ask="app_*"), call))
    assert not asyncio.run(runs(gate_of(tmp_path, policy_deny="toolset:app_tools"), call))
    assert not asyncio.run(runs(gate_of(tmp_path), a_call("app_unknown", "app_tools")))


# Rules of the owner, and default ones


@pytest.mark.parametrize(
    ("flags", "tool", "allowed"),
    [
        ({"policy_allow": "install_app"}, "install_app", True),
        ({"policy_allow": "app_*"}, "app_add_note", True),
        ({"policy_allow": "app_add_note"}, "app_add_note", True),
        ({"policy_allow": "app_add_note"}, "app_other", False),
        ({"policy_allow": "install_app"}, "uninstall_app", False),
        # One that is wider does not say that these may run.
        ({"policy_allow": "toolset:apps"}, "install_app", False),
        ({"policy_allow": "token:family"}, "install_app", False),
        ({"policy_deny": "close_app"}, "close_app", False),
        # A default rule takes nothing of the owner's back.
        ({"policy_deny": "toolset:apps"}, "close_app", False),
        ({"policy_deny": "*"}, "close_app", False),
        ({"policy_ask": "toolset:apps,default"}, "close_app", False),
        ({"policy_ask": "token:family,default"}, "close_app", False),
        # With the word, the default rules stay as they are.
        ({"policy_ask": "tap,default"}, "close_app", True),
        ({"policy_ask": "default"}, "close_app", True),
        ({"policy_ask": "tap,default"}, "install_app", False),
        ({"policy_ask": "tap,default"}, "tap", False),
        ({"policy_ask": "tap"}, "install_app", True),
        ({"policy_ask": "tap"}, "app_add_note", True),
        ({"policy_ask": "close_app,default"}, "close_app", False),
    ],
)
def test_rules_of_the_owner_and_default_ones(
    tmp_path: Path, flags: dict[str, Any], tool: str, allowed: bool
) -> None:
    assert asyncio.run(runs(gate_of(tmp_path, **flags), a_call(tool, "apps"))) is allowed


def test_what_runs_unasked_is_told_without_what_the_owner_decided(tmp_path: Path) -> None:
    environment = {"HANDHELD_HOME": str(tmp_path)}
    flags = {"policy_allow": "close_app,app_*", "policy_ask": "send_sms,default"}
    assert describe_unasked(load(flags, environment).policy).startswith(
        "While nobody is there to be asked, delete_file, download_from_url are allowed without"
    )
    without = (
        "policy.ask leaves out the default rules: calls that your own rules do not name run"
        " without a"
        " question."
    )
    assert describe_unasked(load({"policy_ask": ""}, environment).policy) == without
    assert describe_unasked(load({"policy_ask": "tap"}, environment).policy) == (
        f"While nobody is there to be asked, calls that need approval are denied. {without}"
    )


# What is refused


COMMANDS = re.compile(r"handheld |policy\.|--|approve|\.toml")


@pytest.mark.parametrize(
    ("flags", "tool"),
    [
        ({}, "app_get_weather_forecast_for_the_coming_days"),
        ({}, "install_app"),
        ({"policy_require_console": True}, "download_from_url"),
        ({"policy_ask": "app:com.x+download_from_url"}, "download_from_url"),
    ],
)
def test_a_refusal_is_short_and_names_nothing_that_widens_rights(
    tmp_path: Path, flags: dict[str, Any], tool: str
) -> None:
    with pytest.raises(PermissionDenied) as refused:
        asyncio.run(gate_of(tmp_path, **flags).ask(a_call(tool)))
    message = refused.value.message
    assert message == f"Not done: {tool} needs the owner. Do not do it another way; tell your user."
    assert estimate(message) <= 45
    assert not COMMANDS.search(message)
    assert refused.value.for_owner


async def test_the_other_refusals_name_nothing_that_widens_rights_either(tmp_path: Path) -> None:
    clock = ManualClock(NOW)
    strict = {"policy_deny": "tap,app:com.android.calculator2", "policy_ask": "app:com.x+swipe"}
    gate = gate_of(tmp_path, clock, **strict)
    told: list[object] = [held_back(), stopped("phone_type", "Nothing was done.")]
    for denied_call in (
        a_call("tap"),
        a_call("phone_tap")._replace(apps=()),
        a_call("app_get_weather_forecast")._replace(apps=("com.android.calculator2",)),
        a_call("swipe")._replace(apps=()),
        a_call("swipe"),
    ):
        with pytest.raises(PermissionDenied) as denied:
            await gate.ask(denied_call)
        told.append(denied.value)
    gate = gate_of(tmp_path, clock)
    gate.consoles = 1
    waiting = [asyncio.ensure_future(gate.ask(a_call(tool))) for tool in ("send_sms", "close_app")]
    while len(clock.waits) < 2:  # noqa: ASYNC110 - some turns of the loop
        await asyncio.sleep(0)
    gate.answer(1, False, "Ann")
    await clock.advance(45)
    told += await asyncio.gather(*waiting, return_exceptions=True)
    for refusal in told:
        assert isinstance(refusal, PermissionDenied)
        assert estimate(refusal.message) <= 45, refusal.message
        assert not COMMANDS.search(refusal.message)


def applied(folder: Path, line: str, **flags: Any) -> ApprovalGate:
    """The gate after a restart with this line in the settings."""
    (folder / "handheld.toml").write_text(f"{line}\n", encoding="utf-8")
    key = line.partition(" ")[0].replace(".", "_")
    return gate_of(folder, **{name: value for name, value in flags.items() if name != key})


@pytest.mark.parametrize(
    "flags",
    [
        {"policy_require_console": True},
        {"policy_require_console": True, "policy_allow": "tap+token:x"},
        {"policy_ask": "send_sms"},
        {"policy_ask": "send_sms,default"},
        {"policy_ask": "toolset:sms"},
        {"policy_ask": "token:family,toolset:sms"},
        {"policy_ask": "token:fam*"},
        {"policy_ask": "app:com.x"},
        {"policy_ask": "s*+app:com.*+token:family"},
        {"policy_ask": "send_sms+token:family,tap"},
        {"policy_ask": "*"},
    ],
)
def test_the_line_that_the_owner_is_told_allows_the_call(
    tmp_path: Path, flags: dict[str, Any]
) -> None:
    asyncio.run(follow_the_line(tmp_path, flags))


async def follow_the_line(tmp_path: Path, flags: dict[str, Any]) -> None:
    call = a_call("send_sms", "sms")
    gate = gate_of(tmp_path, **flags)
    gate.consoles = 1
    asking = asyncio.ensure_future(gate.ask(call))
    while not gate.pending():  # noqa: ASYNC110 - some turns of the loop
        await asyncio.sleep(0)
    [pending] = gate.pending()
    gate.answer(pending.id, False, "Ann")
    await asyncio.gather(asking, return_exceptions=True)
    gate.consoles = 0
    with pytest.raises(PermissionDenied) as refused:
        await gate.ask(call)
    setting, command, app = pending.remedy
    assert app is None
    assert refused.value.for_owner.endswith(
        f"To allow it: {setting} in handheld.toml, or: {command}"
    )
    assert command.startswith(f"handheld serve --{setting.partition(' ')[0].replace('.', '-')} ")
    after = applied(tmp_path, setting, **flags)
    assert await runs(after, call)
    after.consoles = 1
    assert not after.asks_person(call)


async def test_for_the_tool_of_an_app_the_owner_is_told_how_to_approve_it(tmp_path: Path) -> None:
    offer = AppOffer("org.notes", "desk", "1", Standing.LATER)
    call = a_call("app_add_note", "app_tools", offer=offer)
    with pytest.raises(PermissionDenied) as refused:
        await gate_of(tmp_path).ask(call)
    assert refused.value.for_owner == (
        "The rule 'app_*' asks about it, and nobody was there. To allow it: policy.allow ="
        ' ["app_add_note"] in handheld.toml, or: handheld apps approve org.notes'
    )
    # Approval does not help against a rule of the owner's own.
    with pytest.raises(PermissionDenied) as refused:
        await gate_of(tmp_path, policy_ask="app_*").ask(call)
    assert "apps approve" not in refused.value.for_owner
    assert await runs(applied(tmp_path, 'policy.allow = ["app_add_note"]'), call)


# Messages without a question


async def test_so_many_messages_an_hour_are_sent_without_a_question(tmp_path: Path) -> None:
    clock, message = ManualClock(NOW), a_call("send_sms", "sms")
    gate = gate_of(tmp_path, clock)
    assert [await runs(gate, message) for _ in range(6)] == [True] * 5 + [False]
    with pytest.raises(PermissionDenied) as refused:
        await gate.ask(message)
    assert refused.value.message.startswith("Not done: send_sms needs the owner.")
    assert "sms.unasked_per_hour" in refused.value.for_owner
    # Other calls are not counted, nor those that somebody is asked about.
    assert await runs(gate, a_call("close_app"))
    gate.consoles = 1
    assert gate.asks_person(message)
    # A process that is started again has no new ones, nor has one beside it.
    assert not await runs(gate_of(tmp_path, clock), message)
    await clock.advance(3599)
    assert not await runs(gate_of(tmp_path, clock), message)
    await clock.advance(1)
    assert [await runs(gate_of(tmp_path, clock), message) for _ in range(6)] == [True] * 5 + [False]


@pytest.mark.parametrize(("most", "sent"), [("0", 0), ("2", 2)])
async def test_how_many_messages_may_be_set(tmp_path: Path, most: str, sent: int) -> None:
    gate = gate_of(tmp_path, sms_unasked_per_hour=most)
    assert sum([await runs(gate, a_call("send_sms")) for _ in range(4)]) == sent


async def test_messages_that_the_owner_decided_about_are_not_counted(tmp_path: Path) -> None:
    by_sms = a_call("send_sms")._replace(caller=Caller("sms", "gateway", "family"))
    gate = gate_of(tmp_path, sms_unasked_per_hour="0")
    assert await runs(gate, by_sms)
    assert not await runs(gate, a_call("send_sms"))
    allowed = gate_of(tmp_path, sms_unasked_per_hour="0", policy_allow="send_sms+token:family")
    assert await runs(allowed, a_call("send_sms"))


async def test_a_clock_that_is_set_back_keeps_messages_for_an_hour_at_most(tmp_path: Path) -> None:
    ahead, clock = ManualClock(NOW + 1_000_000), ManualClock(NOW)
    for _ in range(5):
        assert await runs(gate_of(tmp_path, ahead), a_call("send_sms"))
    assert not await runs(gate_of(tmp_path, clock), a_call("send_sms"))
    await clock.advance(3600)
    assert await runs(gate_of(tmp_path, clock), a_call("send_sms"))


@pytest.mark.parametrize("content", ["", "{", "{}", "[" * 100_000])
def test_without_a_count_no_message_is_sent(tmp_path: Path, content: str) -> None:
    file = load({}, {"HANDHELD_HOME": str(tmp_path)}).folders.unasked_messages
    file.parent.mkdir(parents=True)
    file.write_text(content, encoding="utf-8")
    assert not asyncio.run(runs(gate_of(tmp_path), a_call("send_sms")))


async def test_the_count_is_of_this_user_alone_and_bounded(tmp_path: Path) -> None:
    gate = gate_of(tmp_path)
    for _ in range(20):
        await runs(gate, a_call("send_sms"))
    file = load({}, {"HANDHELD_HOME": str(tmp_path)}).folders.unasked_messages
    assert file.stat().st_mode & 0o777 == 0o600
    assert len(json.loads(file.read_text(encoding="utf-8"))) == 5
