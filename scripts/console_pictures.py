"""Take docs/console.png and docs/console-timeline.png, the console while an agent works, and
docs/console-fleet.png, that of a gateway.

Needs Debian's chromium, `make node-tools` and a nats-server, like the tests in tests/browser.
"""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# pyright: reportMissingParameterType=false, reportAttributeAccessIssue=false
# pyright: reportUnknownLambdaType=false

import asyncio
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.types import Implementation
from PIL import Image

from handheld.fleet.messages import OperatorAction, OperatorCommand

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from browser.chromium import need_browser, open_browser  # noqa: E402
from console.rig import TOKEN, open_rig  # noqa: E402
from fleet.nats.console_lab import open_console  # noqa: E402
from fleet.nats.fleet_lab import Fleet  # noqa: E402
from fleet.nats.lab import Lab  # noqa: E402

CLIENT = Implementation(name="make pictures", version="1")
"""As whom the record, and so the picture, has the script."""
POINT = """() => [...document.querySelectorAll(".element")]
  .find((one) => one.querySelector(".what").textContent === "5")
  .dispatchEvent(new Event("mouseenter"))"""
APPS = ("dev.handheld.notes", "com.android.calculator2")
KEYS = ("7", "multiply", "6", "equals")


async def work(rig: Any) -> None:
    """What an agent does, well and less well: over HTTP, by the SDK's own client."""
    async with (
        create_mcp_http_client(headers={"Authorization": f"Bearer {TOKEN}"}) as http,
        Client(
            streamable_http_client(f"{rig.url}/mcp/agent", http_client=http),
            client_info=CLIENT,
            mode="legacy",  # which says once who it is
        ) as client,
    ):
        await client.call_tool("phone_look", {})
        await client.call_tool("phone_open", {"what": "Notes"})
        await client.call_tool("phone_press", {"key": "home"})
        await client.call_tool("phone_tap", {"at": "Send"})
        await client.call_tool("phone_open", {"what": "Calculator"})
        for key in KEYS:
            await client.call_tool("phone_tap", {"at": key})
            await asyncio.sleep(0.8)


async def take_fleet(browser: Any, folder: Path) -> None:
    """Two hosts, with phones that are free, leased and held back."""
    async with AsyncExitStack() as stack:
        lab = Lab(folder / "engine")
        stack.callback(lab.close)
        await lab.set_up()
        fleet = Fleet(lab, folder, stack)
        desk, rack = (
            [name, *(f"{name}{each}" for each in range(2, 10))] for name in ("desk", "rack")
        )
        hosts = [await fleet.host(*desk), await fleet.host(*rack)]
        console = await open_console(fleet, *desk, *rack)
        gateway = console.gateway
        for name, app in zip(desk + rack, APPS * 9, strict=True):
            await gateway.call("open_app", device=name, package_id=app)
        for host in hosts:
            for phone in host.phones.values():
                await phone.world.clock.advance(1000)
        await gateway.call("take_phone", slug="desk2", minutes=30)
        await gateway.call("take_phone", slug="desk6", token="nightly", minutes=120)
        serial = f"127.0.0.1:{hosts[0].phones['desk4'].port}"
        await gateway.surface.hosts.obey(
            hosts[0].id, OperatorCommand(OperatorAction.STOP, serial, "console 1")
        )
        await gateway.until(lambda rows: rows["desk4"]["state"] == "stopped")
        page = await browser.open(console.url)
        await page.log_in(console.console.make_link(console.url))
        await page.until("() => document.querySelectorAll('.fleet .card').length === 18")
        await asyncio.sleep(8)
        await page.picture(ROOT / "docs" / "console-fleet.png")


async def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        async with open_rig(Path(home)) as rig, open_browser(*need_browser()) as browser:
            page = await browser.open(rig.url)
            await page.log_in(rig.console.make_link(rig.url))
            await work(rig)
            await page.click("button", "Show elements")
            await page.until("() => document.querySelectorAll('.box').length > 20")
            await page.evaluate(POINT)
            await page.picture(ROOT / "docs" / "console.png")
            dark = await browser.open(rig.url, colorScheme="dark")
            await dark.log_in(rig.console.make_link(rig.url))
            await dark.open("timeline")
            await dark.until("() => document.querySelectorAll('.calls .call').length > 8")
            for _ in range(2):
                await dark.press("j")
            await dark.until("() => document.querySelectorAll('.pictures canvas').length === 2")
            await asyncio.sleep(1)
            await dark.picture(ROOT / "docs" / "console-timeline.png")
            await take_fleet(browser, Path(home))
    for name in ("console.png", "console-timeline.png", "console-fleet.png"):
        # A palette shows these pages as well, at a third of the size.
        with Image.open(ROOT / "docs" / name) as picture:
            few = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        few.save(ROOT / "docs" / name, optimize=True)


if __name__ == "__main__":
    asyncio.run(main())
