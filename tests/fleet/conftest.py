"""Two virtual phones behind one server, with the tools of the fleet and two tokens."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from fleet.nats.lab import Lab
from handheld.access.takeover import ALL, Takeover
from handheld.access.tokens import Tokens
from handheld.audit import AuditLog, Recorder
from handheld.calls.protocols import Surface
from handheld.cli.parts import Parts, make_leases
from handheld.devices.opening import open_devices
from handheld.fleet.nats.directory import PhoneRow
from handheld.phone.leases.leases import ENDED_BY_OWNER, Leases
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.server.sharing.owner import report
from handheld.settings import load
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock as PhoneClock
from harness.manual_clock import ManualClock
from harness.patient_clock import PatientClock
from harness.polling import HANG, until
from harness.serving import client_of
from harness.through_engine import open_phones

SERIALS = ("R58M1LEFT", "R58M2RIGHT")
TOOLS = "android_"
LONGEST_WAIT_MS = 12_000
"""Longer ones are limits, which do not pass."""


class House:
    """`left` and `right`, each with a slug. Neither the phones' time nor that of leases passes by
    itself."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        surface: Surface,
        phones: Mapping[str, VirtualPhone],
        leases: Leases,
        tokens: Tokens,
        takeover: Takeover,
        log: AuditLog,
        sms: str,
    ) -> None:
        self.http = http
        self.surface = surface
        self.phones = phones
        self.leases = leases
        self.clock: ManualClock = leases.clock  # pyright: ignore[reportAttributeAccessIssue]
        self.tokens = tokens
        self.takeover = takeover
        self.log = log
        self.sms = sms
        self.secrets: dict[str, str] = {"owner": "owner's"}
        self.key = ""
        self.rows: Callable[[], list[PhoneRow]] = list
        self.far = False
        """Behind a gateway."""

    def add(self, *names: str, **limits: Any) -> None:
        for name in names:
            self.secrets[name] = self.tokens.make(name, **limits)

    def revoke(self, name: str) -> None:
        self.tokens.revoke(name)
        del self.secrets[name]

    async def ask(
        self, who: str, method: str, path: str = "/mcp", client: str = "", **params: Any
    ) -> Any:
        if client:
            shown = {"name": client, "version": ""}
            params["_meta"] = {"io.modelcontextprotocol/clientInfo": shown}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {"Authorization": f"Bearer {self.secrets[who]}"}
        answer = (await self.http.post(path, json=body, headers=headers)).json()
        return answer.get("result", answer)

    async def names(self, who: str, path: str = "/mcp") -> list[str]:
        return [tool["name"] for tool in (await self.ask(who, "tools/list", path))["tools"]]

    async def call(
        self, who: str, name: str, path: str = "/mcp", client: str = "", **arguments: Any
    ) -> str:
        """All text of a reply, with `failed: ` before that of an error."""
        if path.endswith("/mcp"):
            name = TOOLS + name
        result = await self.ask(who, "tools/call", path, client, name=name, arguments=arguments)
        if "content" not in result:
            return f"refused: {result['error']['message']}"
        text = "\n".join(item.get("text", "") for item in result["content"])
        return f"failed: {text}" if result.get("isError") else text

    async def agent(self, who: str, name: str, **arguments: Any) -> str:
        return await self.passing(self.call(who, name, "/mcp/agent", **arguments))

    async def passing(self, call: Coroutine[Any, Any, str]) -> str:
        """While the phones' time passes, as far as something waits for it."""
        task = asyncio.ensure_future(call)
        async with asyncio.timeout(HANG):
            while not task.done():
                for phone in self.phones.values():
                    time = phone.clock
                    assert isinstance(time, PhoneClock)
                    if time.due is not None and time.due - time.now() <= LONGEST_WAIT_MS:
                        await time.advance(time.due - time.now())
                await asyncio.sleep(0)
        return task.result()

    async def take(self, who: str, **wanted: Any) -> dict[str, Any]:
        reply = await self.call(who, "take_phone", **wanted)
        assert not reply.startswith(("failed", "refused")), reply
        return json.loads(reply.split("\n")[0])

    def begin(self, who: str, name: str, **arguments: Any) -> "asyncio.Task[str]":
        return asyncio.create_task(self.call(who, name, **arguments))

    async def press_long(self, who: str) -> "asyncio.Task[str]":
        """A finger that goes over the screen of `left`."""
        phone = self.phones["left"]
        touching = self.begin(
            who, "swipe", device="left", x1=100, y1=500, x2=300, y2=500, duration=3000
        )
        await until(lambda: bool(phone.world.injection.down))
        return touching

    def touched(self, name: str) -> bool:
        return any(event.kind == "touch" for event in self.phones[name].world.events)


def write_settings(folder: Path, names: tuple[str, ...], more: str = "") -> None:
    tables = [
        f'[phones."{name}"]\nslug = "{slug}"\ntags = ["lab", "{slug}-side"]\n'
        for name, slug in zip(names, ("left", "right"), strict=True)
    ]
    text = 'toolsets.on = "fleet"\n' + more + "".join(tables)
    (folder / "handheld.toml").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
async def opened(
    tmp_path_factory: pytest.TempPathFactory, own_engine: Lab | None
) -> AsyncGenerator[House]:
    folder = tmp_path_factory.mktemp("house")
    async with AsyncExitStack() as stack:
        devices_of = [
            await stack.enter_async_context(VirtualPhone(clock=PhoneClock(), serial=serial))
            for serial in SERIALS
        ]
        names = tuple(f"127.0.0.1:{phone.port}" for phone in devices_of)
        write_settings(folder, names, 'fleet.reset = "home"\n')
        environment = {"HANDHELD_HOME": str(folder), "ANDROID_ADB_SERVER_PORT": "1"}
        settings = load({"phone": ",".join(names)}, environment)
        devices = await open_devices(settings, lambda line: None, clock=PatientClock())
        stack.push_async_callback(devices.aclose)
        await devices.settle()
        clock = ManualClock()
        tokens = Tokens(settings.folders.tokens)
        host = own_engine and own_engine.member("host")
        leases = make_leases(settings, clock, tokens, host.id if host else "")
        stack.push_async_callback(leases.aclose)
        takeover = Takeover()
        log = AuditLog(settings.folders.audit)
        recorder = Recorder(log)
        stack.push_async_callback(recorder.aclose)
        parts = Parts(settings, devices, recorder, None, takeover, leases)
        switch = parts.switch
        way = await stack.enter_async_context(open_phones(own_engine, parts, host))
        surface = way.main
        common: Any = {
            "port": 0,
            "token": "owner's",
            "recognise": tokens.recognise,
            "token_names": tokens.names,
        }
        sms = await stack.enter_async_context(open_http(way.sms, HttpOptions(**common, sms=True)))
        main = await stack.enter_async_context(
            open_http(
                surface,
                HttpOptions(
                    **common,
                    agent=True,
                    v1=way.v1,
                    phones=lambda: report(devices, switch),
                    stop=switch,
                ),
            )
        )
        http = await stack.enter_async_context(client_of(main))
        phones = {"left": devices_of[0], "right": devices_of[1]}
        house = House(http, surface, phones, leases, tokens, takeover, log, sms.url)
        house.rows, house.far = way.rows, own_engine is not None
        house.key = switch.key
        yield house


@pytest.fixture
async def house(opened: House) -> AsyncGenerator[House]:
    """Nothing is leased or was, and nobody has been told anything yet."""
    opened.add("ada", "bob")
    yield opened
    opened.leases._wear.clear()
    opened.takeover.resume((ALL,))
    for lease in opened.leases.all():
        opened.leases.end(lease, ENDED_BY_OWNER)
        assert await asyncio.wait_for(opened.leases.wait_over(lease, 60), HANG)
    for name in list(opened.secrets):
        if name != "owner":
            opened.revoke(name)
    while opened.leases.tell("owner"):
        pass
    for phone in opened.phones.values():
        phone.world.events.clear()
    opened.leases.changes.tell()
    new = {"lease": None, "uses": 0, "state": "ready"}
    await until(
        lambda: all(getattr(row, name) == new[name] for row in opened.rows() for name in new)
    )
