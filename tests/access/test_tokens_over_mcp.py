"""Tokens at the edge: two virtual phones behind one server, on all of its surfaces."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from devices.test_several import settings_for
from fleet.nats.lab import Lab
from handheld.access.tokens import Tokens
from handheld.calls.local import Caller
from handheld.cli.parts import Parts
from handheld.devices.opening import open_devices
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.server.sharing.owner import report
from handheld.tools.main import CATALOG
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock as PhoneClock
from harness.manual_clock import ManualClock
from harness.patient_clock import PatientClock
from harness.serving import client_of
from harness.through_engine import open_phones, without_leases

NOW = 1_800_000_000.0
HOME = "Home button press executed successfully"
REFUSED = (401, {"error": "unauthorized", "message": "Invalid bearer token"}, "Bearer")


class Callers:
    """Lets everything pass, and keeps who called."""

    def __init__(self) -> None:
        self.seen: list[Caller] = []

    def wants_app(self, call: Any) -> bool:
        return False

    def objection(self, call: Any, apps: tuple[str, ...]) -> None:
        return None

    def asks_person(self, call: Any) -> bool:
        return False

    async def ask(self, call: Any) -> None:
        self.seen.append(call.caller)


class House:
    """`left` has a slug, `right` has none."""

    def __init__(
        self, http: httpx.AsyncClient, sms: str, tokens: Tokens, left: str, right: str
    ) -> None:
        self.http = http
        self.sms = sms
        self.tokens = tokens
        self.left, self.right = left, right
        self.clock = ManualClock(NOW)
        self.callers = Callers()
        self.file = Path()
        self.lab: Lab | None = None

    async def send(
        self, secret: str, path: str, method: str, params: Mapping[str, Any], **headers: str
    ) -> httpx.Response:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        shown = {"Authorization": f"Bearer {secret}", **headers}
        return await self.http.post(path, json=body, headers=shown)

    async def names(self, secret: str, path: str = "/mcp", **headers: str) -> list[str]:
        answer = (await self.send(secret, path, "tools/list", {}, **headers)).json()
        return [tool["name"] for tool in without_leases(self.lab, answer["result"]["tools"])]

    async def call(self, secret: str, name: str, path: str = "/mcp", **arguments: Any) -> Any:
        """The text of the reply, or the error."""
        asked = {"name": name, "arguments": arguments}
        answer = (await self.send(secret, path, "tools/call", asked)).json()
        if "error" in answer:
            return answer["error"]["code"], answer["error"]["message"]
        return answer["result"]["content"][0].get("text", "")

    async def refusal(self, secret: str, path: str = "/mcp") -> tuple[int, Any, str]:
        answer = await self.send(secret, path, "tools/list", {})
        return answer.status_code, answer.json(), answer.headers.get("www-authenticate", "")


@pytest.fixture(scope="module")
async def opened(
    tmp_path_factory: pytest.TempPathFactory, own_engine: Lab | None
) -> AsyncGenerator[House]:
    folder = tmp_path_factory.mktemp("house")
    async with AsyncExitStack() as stack:
        phones = [
            await stack.enter_async_context(VirtualPhone(clock=PhoneClock())) for _ in range(2)
        ]
        left, right = (f"127.0.0.1:{phone.port}" for phone in phones)
        settings = settings_for(folder, left, right)
        devices = await open_devices(settings, lambda line: None, clock=PatientClock())
        stack.push_async_callback(devices.aclose)
        clock = ManualClock(NOW)
        tokens = Tokens(settings.folders.tokens, clock=clock)
        callers = Callers()
        gate: Any = callers
        common: Any = {
            "port": 0,
            "token": "owner's",
            "recognise": tokens.recognise,
            "token_names": tokens.names,
        }
        way = await stack.enter_async_context(
            open_phones(own_engine, Parts(settings, devices, gate=gate))
        )
        sms = await stack.enter_async_context(open_http(way.sms, HttpOptions(**common, sms=True)))
        main = await stack.enter_async_context(
            open_http(
                way.main,
                HttpOptions(
                    **common,
                    agent=True,
                    v1=way.v1,
                    phones=lambda: report(devices),
                    release=devices.release,
                ),
            )
        )
        http = await stack.enter_async_context(client_of(main))
        house = House(http, sms.url.removesuffix("/mcp"), tokens, left, right)
        house.callers = callers
        house.clock = clock
        house.lab = own_engine
        house.file = settings.folders.tokens
        yield house


@pytest.fixture
def house(opened: House) -> House:
    for token in opened.tokens.all():
        opened.tokens.revoke(token.name)
    opened.clock.set_time(NOW)
    opened.callers.seen.clear()
    return opened


def tools_of(*toolsets: str) -> list[str]:
    return [
        f"android_{tool.name}"
        for toolset in CATALOG
        if toolset.name in toolsets
        for tool in toolset.tools
    ]


async def test_a_token_for_files_has_the_tools_for_files_alone(house: House) -> None:
    secret = house.tokens.make("files", ["files", "utility"])
    assert await house.names(secret) == tools_of("utility", "files")
    assert len(await house.names("owner's")) > 40 > len(await house.names(secret))
    output = await house.call(secret, "android_list_storage_locations", device="left")
    assert output.startswith("[")
    assert await house.call(secret, "android_press_home", device="left") == (
        -32602,
        "Unknown tool: android_press_home",
    )
    assert await house.call(secret, "android_app_notes_add", device="left") == (
        -32602,
        "Unknown tool: android_app_notes_add",
    )


async def test_headers_limit_a_token_further_and_never_extend_it(house: House) -> None:
    secret = house.tokens.make("files", ["files"], read_only=True)
    reading = [
        *("android_list_storage_locations", "android_list_files", "android_read_file"),
    ]
    assert await house.names(secret) == reading
    named = {"X-MCP-Tools": "list_files,write_file,tap", "X-MCP-Readonly": "false"}
    assert await house.names(secret, **named) == ["android_list_files"]


async def test_a_read_only_token_changes_nothing(house: House) -> None:
    secret = house.tokens.make("reader", read_only=True)
    listed = await house.names(secret)
    assert listed == [
        f"android_{tool.name}" for kind in CATALOG for tool in kind.tools if tool.listing.read_only
    ]
    assert await house.call(secret, "android_press_home", device="left") == (
        -32602,
        "Unknown tool: android_press_home",
    )


async def test_a_token_for_one_phone_needs_no_choice(house: House) -> None:
    for name, phone in (("slug", "left"), ("serial", house.left)):
        secret = house.tokens.make(name, phones=[phone])
        listed = await house.names(secret)
        assert listed[0] == "android_left_get_screen_state"
        assert await house.names(secret, "/phones/left/mcp") == listed
        assert await house.names(secret, f"/phones/{house.left}/mcp") == listed
        assert await house.call(secret, "android_left_press_home") == HOME


async def test_a_token_for_one_phone_has_no_way_to_the_other(house: House) -> None:
    secret = house.tokens.make("lefty", phones=["left"])
    refusal = (f"This token may not use a phone called '{house.right}'. It may use: left.",)
    for path in (f"/phones/{house.right}/mcp", f"/phones/{house.right}/mcp?x=1"):
        answer = (await house.send(secret, path, "tools/list", {})).json()
        assert (answer["error"]["code"], answer["error"]["message"]) == (-32602, *refusal)
        assert await house.call(secret, "android_press_home", path) == (-32602, *refusal)
    assert await house.call(secret, "android_left_press_home", device=house.right) == (
        "Unknown parameter 'device'. This tool takes none."
    )
    assert house.callers.seen == []
    answer = await house.send(secret, f"/phones/{house.right}/mcp/v1/tools/call", "tools/list", {})
    assert answer.json()["error"]["message"] == refusal[0]


async def test_a_token_for_both_phones_must_choose_one(house: House) -> None:
    secret = house.tokens.make("both", phones=["left", house.right])
    both = ", ".join(sorted(["left", house.right]))
    assert await house.call(secret, "android_press_home") == (
        f"Several phones match: name one of {both}."
    )
    assert await house.call(secret, "android_press_home", device="elsewhere") == (
        f"This token may not use a phone called 'elsewhere'. It may use: {both}."
    )
    for phone in ("left", house.left, house.right):
        await house.call(secret, "android_press_home", device=phone)
    assert [caller.token for caller in house.callers.seen] == ["both"] * 3


async def test_a_token_for_a_phone_that_is_not_here_opens_none(house: House) -> None:
    secret = house.tokens.make("stray", phones=["elsewhere"])
    answer = (await house.send(secret, "/mcp", "tools/list", {})).json()
    sentence = "No phone here is called 'elsewhere'. This token may use: elsewhere."
    assert (answer["error"]["code"], answer["error"]["message"]) == (-32602, sentence)
    assert await house.call(secret, "android_press_home") == (-32602, sentence)


async def test_a_token_for_some_phones_learns_of_no_others(house: House) -> None:
    secret = house.tokens.make("lefty", phones=["left"])
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    }
    answer = (await house.send(secret, "/mcp", "initialize", hello)).json()
    message: str = answer["result"]["instructions"]
    assert message.endswith("The phones that may be used: left.")
    assert (house.right in message, "Where a tool takes device" in message) == (False, False)
    answer = (await house.send("owner's", "/mcp", "initialize", hello)).json()
    assert house.right in answer["result"]["instructions"]


async def test_the_first_surface_obeys_a_token(house: House) -> None:
    secret = house.tokens.make("typist", ["text"], ["left"])
    path = "/mcp/v1/tools/call"
    answer = (await house.send(secret, path, "tools/list", {})).json()
    assert [tool["name"] for tool in answer["result"]["tools"]] == [
        *("set_text", "input_text", "clear_text", "press_key"),
    ]
    assert await house.call(secret, "get_accessibility_tree", path) == (
        -32601,
        "Unknown tool: get_accessibility_tree",
    )
    looking = house.tokens.make("looker", ["screen"], ["left"])
    assert '"packageName"' in await house.call(looking, "get_current_app", path)
    assert house.callers.seen == [Caller("v1", "", "looker")]


async def test_the_sms_surface_obeys_a_token(house: House) -> None:
    reader = house.tokens.make("reader", ["sms"], ["left"], read_only=True)
    other = house.tokens.make("other", ["files"], ["left"])
    path = f"{house.sms}/mcp"
    assert await house.names(reader, path) == ["get_sms_subscriptions"]
    assert await house.names(other, path) == []
    assert await house.call(
        reader, "send_sms", path, to_phone_number="+36201234567", sms_text="hi"
    ) == (-32602, "Unknown tool: send_sms")
    await house.call(reader, "get_sms_subscriptions", path)
    assert [(one.transport, one.token) for one in house.callers.seen] == [("sms", "reader")]


async def test_an_expired_token_is_rejected_like_an_unknown_one(house: House) -> None:
    secret = house.tokens.make("short", expires=NOW + 60)
    assert len(await house.names(secret)) > 40
    house.clock.set_time(NOW + 60)
    never = await house.refusal("hh_never")
    assert await house.refusal(secret) == never == REFUSED
    assert await house.refusal(secret, f"{house.sms}/mcp") == REFUSED
    assert await house.refusal(secret, "/mcp/v1/tools/call") == REFUSED


async def test_a_token_that_is_revoked_in_use_opens_nothing_more(house: House) -> None:
    secret = house.tokens.make("gone")
    assert len(await house.names(secret)) > 40
    # By another process, as the command line is one.
    Tokens(house.file).revoke("gone")
    assert await house.refusal(secret) == REFUSED
    assert await house.refusal("owner's") != REFUSED


async def test_the_name_of_the_token_goes_with_the_call(house: House) -> None:
    secret = house.tokens.make("family")
    for shown in (secret, "owner's"):
        await house.call(shown, "android_list_storage_locations", device="left")
    assert [(one.transport, one.token, one.person) for one in house.callers.seen] == [
        ("http", "family", False),
        ("http", "owner", False),
    ]


@pytest.mark.parametrize(
    ("limits", "status"),
    [({}, 200), ({"toolsets": ["files"]}, 403), ({"phones": ["left"]}, 403)],
)
async def test_only_a_token_without_limits_sees_all_phones_and_takes_them_from_others(
    house: House, limits: dict[str, Any], status: int
) -> None:
    secret = house.tokens.make("t", **limits)
    shown = {"Authorization": f"Bearer {secret}"}
    answer = await house.http.get("/phones", headers=shown)
    assert answer.status_code == status
    answer = await house.http.post("/phones/left/release", headers=shown)
    assert answer.status_code == status


async def test_a_token_limits_the_tools_for_models_by_what_they_do(house: House) -> None:
    reader = house.tokens.make("looker", read_only=True)
    assert await house.names(reader, "/mcp/agent") == ["phone_look", "phone_wait", "phone_read"]
    files = house.tokens.make("filer", ["files"])
    assert await house.names(files, "/mcp/agent") == ["phone_read", "phone_file"]
    code, message = await house.call(files, "phone_tap", "/mcp/agent", at="a", phone="left")
    assert (code, message) == (-32602, "Unknown tool: phone_tap")
    text = await house.call(files, "phone_read", "/mcp/agent", what="clipboard", phone="left")
    assert text == (
        "phone_read may not do this here. Switched off: get_clipboard. Nothing was done."
    )


async def test_a_request_may_choose_the_prefix_of_the_tools_for_models(house: House) -> None:
    path = "/phones/left/mcp/agent"
    assert "phone_tap" in await house.names("owner's", path)
    for prefix in ("", "pixel_"):
        names = await house.names("owner's", path, **{"X-Handheld-Tool-Prefix": prefix})
        assert f"{prefix}tap" in names
        assert "phone_tap" not in names
    assert "phone_tap" in await house.names("owner's", path, **{"X-Handheld-Tool-Prefix": "a b"})


@pytest.mark.slow
@pytest.mark.parametrize("modern", [False, True])
async def test_a_client_cannot_call_itself_a_person_or_another_token(
    house: House, modern: bool
) -> None:
    secret = house.tokens.make("guest")
    house.tokens.make("family")
    for name in ("You", "Family", "Claude"):
        info = {"name": name, "version": "1"}
        params: dict[str, Any] = {"name": "android_press_home", "arguments": {"device": "left"}}
        headers: dict[str, str] = {}
        if modern:
            params["_meta"] = {"io.modelcontextprotocol/clientInfo": info}
        else:
            hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
            answer = await house.send(secret, "/mcp", "initialize", hello)
            headers["Mcp-Session-Id"] = answer.headers["mcp-session-id"]
        await house.send(secret, "/mcp", "tools/call", params, **headers)
    assert [caller.client for caller in house.callers.seen] == [
        'guest, which calls itself "You"',
        'guest, which calls itself "Family"',
        "Claude",
    ]
