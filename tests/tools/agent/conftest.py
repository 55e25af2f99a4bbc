"""A virtual phone, and the tools for models on it as an MCP client has them."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any

import httpx
import pytest

from handheld.access.request_scope import AGENT
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.options import SurfaceOptions
from handheld.phone.phone import Phone
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock
from harness.phones import PhoneClock, reached
from tools.main.conftest import Bench, Counter, counter

__all__ = ["counter"]


class AgentBench(Bench):
    """One phone with the tools for models; time passes whenever the phone or a tool waits."""

    def __init__(
        self,
        device: VirtualPhone,
        phone: Phone,
        counter: Counter,
        http: httpx.AsyncClient,
        by: str = "helper",
    ) -> None:
        super().__init__(device, phone, counter, http, by)
        options = SurfaceOptions(clock=PhoneClock(device))
        counter.surface = make_agent_surface(self, options)  # type: ignore[assignment]
        counter.kind = AGENT

    async def _result(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        params: Mapping[str, Any] = {"name": f"phone_{name}", "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = (await self.passing(self.http.post("/mcp", json=body))).json()
        assert "result" in answer, answer
        return answer["result"]

    async def look(self) -> list[str]:
        """The rows of the screen."""
        return (await self.call("look")).split("\n")

    async def ref(self, words: str) -> str:
        """The ref of the first element with these words."""
        for row in await self.look():
            for item in row.strip().split(", "):
                if f'"{words}' in item and not item.startswith('"'):
                    return item.split(" ")[0]
        raise AssertionError(f"nothing is called {words}")


@pytest.fixture
def agent_by(request: pytest.FixtureRequest) -> str:
    """Which driver the phone has."""
    return getattr(request, "param", "helper")


@pytest.fixture
async def bench(
    counter: tuple[Counter, httpx.AsyncClient], agent_by: str
) -> AsyncGenerator[AgentBench]:
    async with reached(VirtualPhone(clock=ManualClock()), agent_by) as used:
        yield AgentBench(used.device, used.phone, *counter, agent_by)
