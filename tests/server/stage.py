"""A virtual phone behind one server, called through both of its surfaces."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from fleet.nats.lab import Lab
from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.access.request_scope import V1 as V1_SURFACE
from handheld.adb.link import Link
from handheld.calls.local import LocalSurface, SurfaceOptions
from handheld.driver.fallback import FallbackDriver
from handheld.helper.client import HelperClient
from handheld.phone.phone import Phone
from handheld.server.exchange import Exchange
from handheld.server.options import AnswerV1, HttpOptions
from handheld.server.v1 import V1
from handheld.tools.v1 import V1_TOOLS
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock
from harness.phones import PhoneClock, reached
from harness.serving import served
from tools.main.conftest import TOKEN, Bench, Counter, open_counter


class Switch(Counter):
    """Serves the surfaces of the current stage: starting a server takes longer than most tests."""

    v1: AnswerV1

    async def serve_v1(self, exchange: Exchange, *given: Any) -> Mapping[str, Any]:
        return await self.v1(exchange, *given)


class Stage(Bench):
    """One virtual phone with two surfaces; tests can inspect its world."""

    policy = EVERYTHING  # the tools that a client gets which asks for no others
    counter: Switch

    def set_policy(self, policy: RequestScope) -> None:
        surface = LocalSurface((V1_TOOLS,), self, SurfaceOptions(policy=policy, bare=True))
        self.counter.v1 = V1(self.counter.beside(V1_SURFACE, surface), "handheld")

    async def post(self, path: str, body: Any, **headers: str) -> Any:
        """The answer to a request; the phone's clock advances meanwhile."""
        answer = await self.passing(self.http.post(path, json=body, headers=headers))
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def first(self, name: str, **arguments: Any) -> Any:
        """Call a tool of the v1 surface. Returns its only text, or the error's code and
        message."""
        params = {"name": name, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = await self.post("/mcp/v1/tools/call", body)
        if "error" in answer:
            code, message = answer["error"]["code"], answer["error"]["message"]
            assert answer == error_answer(code, message)
            return code, message
        [item] = answer["result"]["content"]
        assert answer == {"jsonrpc": "2.0", "id": 1, "result": {"content": [item]}}
        return item["text"] if item["type"] == "text" else item


def error_answer(code: int, message: str, id: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}


@asynccontextmanager
async def open_switch(
    engine: Lab | None = None,
) -> AsyncGenerator[tuple[Switch, httpx.AsyncClient]]:
    switch = Switch()
    options = HttpOptions(port=0, token=TOKEN, v1=lambda: switch.serve_v1)
    async with open_counter(engine, switch), served(switch, options, TOKEN) as (http, _):
        yield switch, http


@asynccontextmanager
async def open_stage(
    switch: Switch, http: httpx.AsyncClient, *, wake: bool = True
) -> AsyncGenerator[Stage]:
    def make(link: Link) -> Phone:
        driver = FallbackDriver(HelperClient(link), wake=wake)
        return Phone("virtual", driver, clock=PhoneClock(device))

    device = VirtualPhone(clock=ManualClock())
    async with reached(device, make=make) as used:
        stage = Stage(device, used.phone, switch, http)
        stage.set_policy(EVERYTHING)
        yield stage
