"""A whole server with a console, on a virtual phone, in this process."""

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from handheld.access.approval import ApprovalGate
from handheld.access.stop_switch import StopSwitch
from handheld.access.takeover import Takeover
from handheld.access.tokens import Tokens
from handheld.audit import AuditLog, Recorder
from handheld.calls.choice import ChosenSurface
from handheld.calls.local import Caller
from handheld.cli.doctor.examination import examine
from handheld.cli.parts import Parts, open_gate
from handheld.clock import SYSTEM_CLOCK, Clock
from handheld.console import Console, ConsoleContext, process_site
from handheld.devices.direct import DirectDevice, TcpEndpoint
from handheld.devices.opening import PhoneFactory
from handheld.phone.leases.leases import Leases
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.server.sharing.owner import report
from handheld.settings import Settings
from handheld.settings.folders import Folders
from handheld_virtual.phone import VirtualPhone
from harness.polling import HANG, until

TOKEN = "an agent's token"
PROOF = "x-handheld-console"


@dataclass
class Person:
    """A person at a browser."""

    http: httpx.AsyncClient
    proof: str = ""
    name: str = ""

    async def log_in(self, secret: str) -> httpx.Response:
        answer = await self.post("/console/login", {"secret": secret})
        if answer.is_success:
            self.proof, self.name = answer.json()["proof"], answer.json()["name"]
        return answer

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.http.get(path, headers={PROOF: self.proof, **headers})

    async def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        own = {PROOF: self.proof, "origin": str(self.http.base_url).rstrip("/")}
        return await self.http.post(path, json=body, headers={**own, **headers})

    async def api(self, path: str) -> Any:
        answer = await self.get(f"/console/api/{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator["EventStream"]:
        """With an open page that receives events."""
        async with self.http.stream(
            "GET", "/console/events", headers={PROOF: self.proof}
        ) as answer:
            assert answer.status_code == 200
            assert answer.headers["content-type"] == "text/event-stream"
            async with aclosing(_events(answer)) as events:
                stream = EventStream(events)
                assert (await stream.next())[0] == "hello"
                yield stream


@dataclass
class EventStream:
    events: AsyncIterator[tuple[str, Any]]

    async def next(self) -> tuple[str, Any]:
        async with asyncio.timeout(HANG):
            return await anext(self.events)

    async def until(self, kind: str, state: str) -> Any:
        while True:
            received, value = await self.next()
            if received == kind and value["state"] == state:
                return value


async def _events(answer: httpx.Response) -> AsyncGenerator[tuple[str, Any]]:
    kind = ""
    async for line in answer.aiter_lines():
        name, _, value = line.partition(": ")
        if name == "event":
            kind = value
        elif name == "data":
            yield kind, json.loads(value)


@dataclass
class Rig:
    url: str
    phone: VirtualPhone
    serial: str
    surface: ChosenSurface
    audit: AuditLog
    gate: ApprovalGate
    tokens: Tokens
    settings: Settings
    console: Console
    switch: StopSwitch
    stack: AsyncExitStack = field(repr=False)

    async def browser(self, verify: ssl.SSLContext | bool = True) -> Person:
        """A browser that is not logged in."""
        client = httpx.AsyncClient(base_url=self.url, trust_env=False, verify=verify, timeout=HANG)
        return Person(await self.stack.enter_async_context(client))

    def secret(self) -> str:
        return self.console.make_link(self.url).partition("#login=")[2]

    async def person(self) -> Person:
        """A person who is logged in."""
        person = await self.browser()
        assert (await person.log_in(self.secret())).status_code == 200
        return person

    async def agent(self, tool: str, **arguments: Any) -> Any:
        """A call of an agent, made in this process."""
        return await self.surface.call(
            f"android_{tool}", arguments, Caller("http", "agent", "tester")
        )

    async def until(self, happened: Callable[[], bool]) -> None:
        await until(happened)


def ignore(line: str) -> None: ...


@asynccontextmanager
async def open_rig(
    folder: Path,
    *,
    recorded: bool = True,
    linger: float = 0.0,
    port: int = 0,
    tls: ssl.SSLContext | None = None,
    clock: Clock = SYSTEM_CLOCK,
    **policy: Any,
) -> AsyncGenerator[Rig]:
    """`policy` are options of that table; the console has no record of calls unless `recorded`. The
    console, its questions, tokens and records use `clock`; the phone and the server do not."""
    async with AsyncExitStack() as stack:
        phone = await stack.enter_async_context(VirtualPhone())
        settings = Settings(folders=Folders(folder, folder / "state"))
        settings = replace(settings, policy=replace(settings.policy, **policy))
        endpoint = TcpEndpoint("127.0.0.1", phone.port, tuple)
        devices = DirectDevice(endpoint, PhoneFactory(settings).make_phone, ignore)
        stack.push_async_callback(devices.aclose)
        audit = AuditLog(settings.folders.audit, clock=clock)
        gate = open_gate(settings, clock)
        recorder = Recorder(audit, pictures=lambda: gate.consoles > 0)
        stack.push_async_callback(recorder.aclose)
        leases = Leases(SYSTEM_CLOCK)
        stack.push_async_callback(leases.aclose)
        takeover = Takeover(settings.folders.held)
        parts = Parts(settings, devices, recorder, gate, takeover, leases)
        surface, switch = parts.surface, parts.switch
        tokens = Tokens(settings.folders.tokens, clock=clock)
        context = ConsoleContext(
            surface,
            devices,
            settings,
            partial(examine, settings),
            audit if recorded else None,
            gate,
            tokens,
            clock,
            switch=switch,
        )
        console = Console(process_site(context, linger=linger))
        address = await stack.enter_async_context(
            open_http(
                surface,
                HttpOptions(
                    port=port,
                    token=TOKEN,
                    recognise=tokens.recognise,
                    tls=tls,
                    agent=True,
                    phones=lambda: report(devices, switch),
                    v1=parts.v1,
                    console=console,
                    stop=switch,
                ),
            )
        )
        url = address.url.removesuffix("/mcp")
        clients = await stack.enter_async_context(AsyncExitStack())
        yield Rig(
            url,
            phone,
            f"127.0.0.1:{phone.port}",
            surface,
            audit,
            gate,
            tokens,
            settings,
            console,
            switch,
            clients,
        )
