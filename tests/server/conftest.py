"""One server for a module's tests: starting and stopping uvicorn costs a third of a second."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from handheld.errors import ActionFailed
from handheld.server.http import open_http
from handheld.server.listener import Address
from handheld.server.options import HttpOptions
from polling import HANG

from .little import TOKEN, LittleSurface, headers_for


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
    async with (
        open_http(
            surface,
            HttpOptions(
                port=0, token=TOKEN, body_limit=100_000, phones=list_phones, release=release
            ),
        ) as address,
        httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{address.port}",
            trust_env=False,
            headers={"authorization": f"Bearer {TOKEN}"},
            timeout=HANG,
        ) as http,
    ):
        yield Served(address, surface, http)


@pytest.fixture(autouse=True)
def fresh_events(request: pytest.FixtureRequest) -> None:
    if "served" in request.fixturenames:
        surface: LittleSurface = request.getfixturevalue("served").surface
        for event in (surface.slow_started, surface.slow_stopped, surface.let_slow_end):
            event.clear()
        surface.finished = 0
