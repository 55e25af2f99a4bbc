"""Several phones, each by its slug or serial, behind one server."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli.program import Home
from fleet.nats.lab import Lab
from handheld.cli.parts import Parts
from handheld.devices.combined import CombinedDevices
from handheld.devices.opening import open_devices
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.settings import Settings, load
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock
from harness.patient_clock import PatientClock
from harness.serving import client_of
from harness.through_engine import open_phones, without_leases


class Pair:
    """Two virtual phones behind one server: `left` has a slug, `right` has none."""

    def __init__(self, left: VirtualPhone, right: VirtualPhone, http: httpx.AsyncClient) -> None:
        self.left = left
        self.right = right
        self.http = http
        self.names = tuple(f"127.0.0.1:{phone.port}" for phone in (left, right))

    async def ask(self, method: str, path: str = "/mcp", **params: Any) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = (await self.http.post(path, json=body)).json()
        return answer.get("result", answer.get("error"))

    async def call(self, name: str, path: str = "/mcp", **arguments: Any) -> Any:
        """The only text of a reply, marked if it is an error."""
        result = await self.ask("tools/call", path, name=name, arguments=arguments)
        if "content" not in result:
            return result
        [item] = result["content"]
        return ("failed", item["text"]) if result.get("isError") else item["text"]

    def touched(self) -> list[str]:
        """The phones that were touched since the last query."""
        touched: list[str] = []
        for name, phone in (("left", self.left), ("right", self.right)):
            if any(event.kind == "touch" for event in phone.world.events):
                touched.append(name)
            phone.world.events.clear()
        return touched


def settings_for(folder: Path, *names: str) -> Settings:
    slugs = f'[phones."{names[0]}"]\nslug = "left"\n'
    (folder / "handheld.toml").write_text(slugs, encoding="utf-8")
    environment = {"HANDHELD_HOME": str(folder), "ANDROID_ADB_SERVER_PORT": "1"}
    return load({"phone": ",".join(names)}, environment)


@asynccontextmanager
async def served(settings: Settings, lab: Lab | None = None) -> AsyncGenerator[httpx.AsyncClient]:
    devices = await open_devices(settings, lambda line: None, clock=PatientClock())
    try:
        await devices.settle()
        async with (
            open_phones(lab, Parts(settings, devices)) as way,
            open_http(way.main, HttpOptions(port=0, token="t", v1=way.v1, agent=True)) as address,
            client_of(address, "t") as http,
        ):
            yield http
    finally:
        await devices.aclose()


@pytest.fixture(scope="module")
async def pair(
    tmp_path_factory: pytest.TempPathFactory, own_engine: Lab | None
) -> AsyncGenerator[Pair]:
    async with AsyncExitStack() as stack:
        left = await stack.enter_async_context(VirtualPhone(clock=ManualClock()))
        right = await stack.enter_async_context(VirtualPhone(clock=ManualClock()))
        names = [f"127.0.0.1:{phone.port}" for phone in (left, right)]
        settings = settings_for(tmp_path_factory.mktemp("pair"), *names)
        yield Pair(left, right, await stack.enter_async_context(served(settings, own_engine)))


async def test_with_several_phones_tools_take_a_device(pair: Pair, own_engine: Lab | None) -> None:
    tools = without_leases(own_engine, (await pair.ask("tools/list"))["tools"])
    assert {tool["name"].startswith("android_") for tool in tools} == {True}
    device = {"type": "string", "description": "Which phone: its slug or serial"}
    assert [tool["inputSchema"]["properties"].get("device") for tool in tools] == [device] * len(
        tools
    )
    assert not any("device" in tool["inputSchema"]["required"] for tool in tools)
    tap = next(tool for tool in tools if tool["name"] == "android_tap")
    assert list(tap["inputSchema"]["properties"]) == ["x", "y", "device"]


async def test_a_call_goes_to_the_device_that_it_names(pair: Pair) -> None:
    pair.touched()
    assert await pair.call("android_tap", x=1, y=2, device="left") == "Tap executed at (1, 2)"
    assert pair.touched() == ["left"]
    assert await pair.call("android_tap", x=1, y=2, device=pair.names[1]) == (
        "Tap executed at (1, 2)"
    )
    assert pair.touched() == ["right"]
    assert await pair.call("android_tap", x=1, y=2, device=pair.names[0]) == (
        "Tap executed at (1, 2)"
    )
    assert pair.touched() == ["left"]


@pytest.mark.parametrize("without", [{}, {"device": None}])
async def test_without_a_device_the_connected_ones_are_listed(
    pair: Pair, without: dict[str, Any]
) -> None:
    left, right = pair.names
    assert await pair.call("android_tap", x=1, y=2, **without) == (
        "failed",
        f"Several phones are connected: left ({left}, Handheld Virtual), {right} (Handheld "
        "Virtual). Say which one with the parameter device.",
    )
    assert pair.touched() == []


async def test_without_a_phone_models_are_told_their_own_parameter(pair: Pair) -> None:
    for tool, arguments in (("phone_tap", {"at": "1,2"}), ("app_find_notes", {})):
        failed, said = await pair.call(tool, "/mcp/agent", **arguments)
        assert failed == "failed"
        assert said.endswith("Say which one with the parameter phone.")
    assert pair.touched() == []


async def test_an_unknown_device_lists_the_known_ones(pair: Pair) -> None:
    left, right = pair.names
    connected = f"Connected: left ({left}, Handheld Virtual), {right} (Handheld Virtual)."
    assert await pair.call("android_tap", x=1, y=2, device="Left") == (
        "failed",
        f"No phone here is called 'Left'. {connected}",
    )
    assert await pair.call("android_tap", x=1, y=2, device=["left"]) == (
        "failed",
        "Parameter 'device' must be a string, got an array",
    )


@pytest.mark.at_host("a gateway finds the phone before its host reads the arguments")
async def test_arguments_are_checked_before_a_phone_is_chosen(pair: Pair) -> None:
    assert await pair.call("android_tap", x=1, y=2, z=3) == (
        "failed",
        "Unknown parameter 'z'. Known parameters: x, y, device.",
    )


async def test_each_phone_has_a_url_where_its_tools_have_its_prefix(
    pair: Pair, own_engine: Lab | None
) -> None:
    for ref, prefix, touched in (
        ("left", "android_left_", "left"),
        (pair.names[0].replace(":", "%3A"), "android_left_", "left"),
        (pair.names[1], "android_", "right"),
    ):
        path = f"/phones/{ref}/mcp"
        tools = without_leases(own_engine, (await pair.ask("tools/list", path))["tools"])
        assert {tool["name"].startswith(prefix) for tool in tools} == {True}
        assert not any("device" in tool["inputSchema"]["properties"] for tool in tools)
        assert await pair.call(f"{prefix}tap", path, x=1, y=2) == "Tap executed at (1, 2)"
        assert pair.touched() == [touched]
        assert await pair.call(f"{prefix}tap", path, x=1, y=2, device="left") == (
            "failed",
            "Unknown parameter 'device'. Known parameters: x, y.",
        )
    assert await pair.call("android_tap", "/phones/left/mcp", x=1, y=2) == {
        "code": -32602,
        "message": "Unknown tool: android_tap",
    }
    assert await pair.call("android_left_tap", x=1, y=2) == {
        "code": -32602,
        "message": "Unknown tool: android_left_tap",
    }


@pytest.mark.parametrize(
    ("ref", "name"), [("nobody", "nobody"), ("a%2Fb%0A%22", 'a/b⏎"'), ("%F0%9F%98%80", "😀")]
)
async def test_an_unknown_phone_in_the_url_is_a_protocol_error(
    pair: Pair, ref: str, name: str
) -> None:
    left, right = pair.names
    error = {
        "code": -32602,
        "message": f"No phone here is called {name!r}. Connected: left ({left}, Handheld Virtual), "
        f"{right} (Handheld Virtual).",
    }
    assert await pair.ask("tools/list", f"/phones/{ref}/mcp") == error
    assert await pair.call("android_tap", f"/phones/{ref}/mcp", x=1, y=2) == error


async def test_the_instructions_name_the_phones(pair: Pair) -> None:
    left, right = pair.names
    hello = {"name": "t", "version": "1"}
    output = await pair.ask(
        "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=hello
    )
    assert output["instructions"].endswith(
        f"Connected: left ({left}, Handheld Virtual), {right} (Handheld Virtual). Where a tool "
        "takes device, say there which one is meant."
    )


async def test_the_only_connected_phone_needs_no_device_argument(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        left = await stack.enter_async_context(VirtualPhone(clock=ManualClock()))
        right = VirtualPhone(clock=ManualClock())
        await right.start()
        names = [f"127.0.0.1:{phone.port}" for phone in (left, right)]
        await right.aclose()
        pair = Pair(
            left, right, await stack.enter_async_context(served(settings_for(tmp_path, *names)))
        )
        assert await pair.call("android_tap", x=1, y=2) == "Tap executed at (1, 2)"
        assert pair.touched() == ["left"]
        failed, sentence = await pair.call("android_tap", x=1, y=2, device=names[1])
        assert (failed, sentence.partition(":")[0]) == (
            "failed",
            "No phone answers adb at 127.0.0.1",
        )


async def test_without_a_phone_the_tools_are_listed_and_calls_say_so(tmp_path: Path) -> None:
    names = ("127.0.0.1:1", "127.0.0.1:2")
    async with served(settings_for(tmp_path, *names)) as http:
        pair = Pair.__new__(Pair)
        pair.http = http
        assert len((await pair.ask("tools/list"))["tools"]) > 1
        assert len((await pair.ask("tools/list", "/phones/left/mcp"))["tools"]) > 1
        assert await pair.call("android_tap", x=1, y=2) == (
            "failed",
            "No phone is connected. Not connected: left (127.0.0.1:1), 127.0.0.1:2. `handheld "
            "doctor` says what is missing.",
        )


async def test_several_phones_close_together(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, "127.0.0.1:1", "R58M")
    devices = await open_devices(settings, lambda line: None, clock=PatientClock())
    assert isinstance(devices, CombinedDevices)
    assert devices.absent() == ["left (127.0.0.1:1)", "R58M"]
    await devices.aclose()


@pytest.mark.slow
def test_a_virtual_phone_and_an_address_are_served_together(home: Home) -> None:
    config = home.folder / "handheld"
    config.mkdir()
    with home.start("virtual", "--port", "0") as other:
        port = other.until(r"(?:PORT |:)(\d+)")[1]
        address = f"127.0.0.1:{port}"
        phones = f'[phones.virtual]\nslug = "toy"\n[phones."{address}"]\n'
        (config / "handheld.toml").write_text(phones, encoding="utf-8")
        with home.start("serve", "--port", "0") as server:
            server.until("Programs that use the documented android_ tools ")
            assert server.line().startswith("Connected: toy (127.0.0.1:")
            listed = home.run("phones")
            assert sorted(line.split()[-1] for line in listed.stdout.splitlines()) == [
                "Virtual",
                "toy",
            ]
            for arguments in (
                ("call", "press_home", "device=toy"),
                ("call", "android_press_home", f"device={address}"),
                ("call", "press_home", "--phone", "toy"),
                ("call", "android_toy_press_home", "--phone", "virtual"),
                ("call", "android_press_home", "--phone", address),
            ):
                run = home.run(*arguments)
                assert (run.returncode, run.stdout, run.stderr) == (
                    0,
                    "Home button press executed successfully\n",
                    "",
                ), arguments
            second = home.run("serve", "--port", "0", "--phone", address)
            assert (second.returncode, "has this phone" in second.stderr) == (1, True)
            with home.start("stdio", "--surface", "main", "--phone", "virtual") as client:
                assert client.hello()["serverInfo"]["name"] == "handheld-toy"
                assert client.call("android_toy_press_home") == (
                    False,
                    "Home button press executed successfully",
                )
        assert "Traceback" not in server.errors


async def test_with_several_phones_the_first_surface_needs_a_phone_in_the_url(pair: Pair) -> None:
    left, right = pair.names
    pair.touched()
    assert await pair.call("tap", "/mcp/v1/tools/call", x=1, y=2) == {
        "code": -32602,
        "message": f"Several phones are connected: left ({left}, Handheld Virtual), {right} "
        "(Handheld Virtual). Say which one in the address: "
        "/phones/<slug or serial>/mcp/v1/tools/call",
    }
    assert pair.touched() == []
    for name, touched in (("left", "left"), (left, "left"), (right, "right")):
        path = f"/phones/{name}/mcp/v1/tools/call"
        assert await pair.call("tap", path, x=1, y=2) == "Tap executed at (1, 2)"
        assert pair.touched() == [touched]
    gone = await pair.call("tap", "/phones/nobody/mcp/v1/tools/call", x=1, y=2)
    assert (gone["code"], gone["message"][:31]) == (-32602, "No phone here is called 'nobody")
