"""The delay of the console's picture, and the cost of an idle console."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import httpx

from handheld.devices.ownership import Owners
from handheld.server.sharing.remote import RemoteSurface

from .client import Client
from .figures import Figure, median, percentile
from .ports import keep_port
from .programs import TOKEN, cpu_seconds, server, virtual_phone

CHANGES = 20
IDLE_SECONDS = 5.0


async def measure(home: Path) -> list[Figure]:
    port = keep_port()
    async with (
        virtual_phone(home) as (_, phone_port),
        server(home, f"127.0.0.1:{phone_port}", port) as serving,
        Client("127.0.0.1", port, TOKEN) as agent,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60) as http,
    ):
        headers = await _log_in(http, home)
        frame = f"/console/api/phones/127.0.0.1:{phone_port}/frame"
        async with http.stream("GET", "/console/events", headers=headers):
            behind = await _follow(http, headers, frame, agent)
            seen = await _changes(http, headers, frame, {})
            waiting = asyncio.ensure_future(
                http.get(frame, params={"after": seen, "within": 25_000}, headers=headers)
            )
            before = cpu_seconds(serving.pid)
            await asyncio.sleep(IDLE_SECONDS)
            spent = cpu_seconds(serving.pid) - before
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
    return [
        # Measured from before the agent's call is sent: the screen changes some milliseconds later.
        Figure("console's picture, after a call is made, p50", median(behind), "ms"),
        Figure("console's picture, after a call is made, p95", percentile(behind, 0.95), "ms", 120),
        Figure("an idle console", spent / IDLE_SECONDS * 100, "% of a core", 1),
    ]


async def _log_in(http: httpx.AsyncClient, home: Path) -> dict[str, str]:
    [entry] = Owners(home / "state" / "owners").entries()
    remote = RemoteSurface(entry)
    try:
        secret = (await remote.console_link()).partition("#login=")[2]
    finally:
        await remote.aclose()
    origin = str(http.base_url).rstrip("/")
    answer = await http.post("/console/login", json={"secret": secret}, headers={"origin": origin})
    return {"x-handheld-console": answer.json()["proof"]}


async def _follow(
    http: httpx.AsyncClient, headers: dict[str, str], frame: str, agent: Client
) -> list[float]:
    """Return the milliseconds from an agent's call to the picture of its effect."""
    behind: list[float] = []
    for number in range(CHANGES):
        seen = await _wait_idle(http, headers, frame)
        parameters: dict[str, Any] = {"after": seen, "within": 5000, "size": 1200}
        waiting = asyncio.ensure_future(_changes(http, headers, frame, parameters))
        await asyncio.sleep(0.05)  # by then the request waits, as that of a page does
        began = time.perf_counter()
        call = asyncio.ensure_future(
            agent.call("android_press_home", {})
            if number % 2
            else agent.call("android_open_app", {"package_id": "com.android.calculator2"})
        )
        await waiting
        behind.append((time.perf_counter() - began) * 1000)
        await call
    return behind


async def _wait_idle(http: httpx.AsyncClient, headers: dict[str, str], frame: str) -> int:
    """Return the count of changes once the screen is idle."""
    seen, before = await _changes(http, headers, frame, {}), -1
    while seen != before:
        before = seen
        seen = await _changes(http, headers, frame, {"after": seen, "within": 400})
    return seen


async def _changes(
    http: httpx.AsyncClient, headers: dict[str, str], frame: str, parameters: dict[str, Any]
) -> int:
    answer = await http.get(frame, params=parameters, headers=headers)
    answer.raise_for_status()
    details = answer.headers.get("x-frame") or answer.text
    return json.loads(details)["changes"]
