"""One server for a module's tests: starting and stopping uvicorn costs a third of a second."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from fleet.nats.lab import Lab
from handheld.errors import ActionFailed
from handheld.server.listener import Address
from handheld.server.options import HttpOptions
from harness import serving

from .little import TOKEN, LittleSurface, headers_for
from .scenery import Scenery, open_scenery
from .stage import Switch, open_switch


@dataclass
class Served:
    address: Address
    surface: LittleSurface
    http: httpx.AsyncClient

    async def post(
        self, body: Any, *, modern: bool = False, path: str = "/mcp", **headers: str
    ) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.http.post(
            path, json=body, headers={**headers_for(body, modern=modern), **named}
        )


async def list_phones() -> list[dict[str, Any]]:
    return [{"serial": "X1", "state": "device"}]


async def release(phone: str) -> str:
    if phone != "X 1/2":
        raise ActionFailed(f"There is no phone {phone}.")
    return f"Released {phone}."


@pytest.fixture(scope="module")
async def served(anyio_backend: str) -> AsyncGenerator[Served]:
    surface = LittleSurface()
    options = HttpOptions(
        port=0, token=TOKEN, body_limit=100_000, phones=list_phones, release=release
    )
    async with serving.served(surface, options, TOKEN) as (http, address):
        yield Served(address, surface, http)


@pytest.fixture(scope="module")
async def switch(engine: Lab | None) -> AsyncGenerator[tuple[Switch, httpx.AsyncClient]]:
    async with open_switch(engine) as opened:
        yield opened


@pytest.fixture
async def scenery(
    switch: tuple[Switch, httpx.AsyncClient], tmp_path: Path
) -> AsyncGenerator[Scenery]:
    async with open_scenery(*switch, tmp_path) as opened:
        yield opened


@pytest.fixture(autouse=True)
def fresh_events(request: pytest.FixtureRequest) -> None:
    if "served" in request.fixturenames:
        surface: LittleSurface = request.getfixturevalue("served").surface
        for event in (surface.slow_started, surface.slow_stopped, surface.let_slow_end):
            event.clear()
        surface.finished = 0
