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

from PIL import Image

from handheld.errors import ToolError
from handheld.fleet.messages import Do, Order
from handheld.surface.local import Caller

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from browser.chromium import need_browser, open_browser  # noqa: E402
from console.rig import open_rig  # noqa: E402
from engine.console_lab import open_console  # noqa: E402
from engine.fleet_lab import Fleet  # noqa: E402
from engine.lab import Lab  # noqa: E402

AGENT = Caller("http", "Claude Code", "laptop")
POINT = """() => [...document.querySelectorAll(".element")]
  .find((one) => one.querySelector(".what").textContent === "5")
  .dispatchEvent(new Event("mouseenter"))"""
APPS = ("dev.handheld.notes", "com.android.calculator2")
LETTERS = (
    *("com.android.calculator2:id/digit_7", "com.android.calculator2:id/op_mul"),
    *("com.android.calculator2:id/digit_6", "com.android.calculator2:id/eq"),
)


async def work(rig: Any) -> None:
    """What an agent does, well and less well."""

    async def call(tool: str, **arguments: Any) -> str:
        try:
            items = await rig.surface.call(f"android_{tool}", arguments, AGENT)
            return "".join(item for item in items if isinstance(item, str))
        except ToolError as failure:
            return failure.message

    await call("get_screen_state")
    await call("open_app", package_id="dev.handheld.notes")
    await asyncio.sleep(1)
    await call("press_home")
    await call("click_element", element_id="node_5f2a_w1")
    await call("open_app", package_id="com.android.calculator2")
    await asyncio.sleep(1)
    screen = await call("get_screen_state")
    ids = {row[4]: row[0] for line in screen.split("\n") if len(row := line.split("\t")) == 7}
    for resource in LETTERS:
        await call("click_element", element_id=ids[resource])
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
        await gateway.surface.hosts.obey(hosts[0].id, Order(Do.STOP, serial, "console 1"))
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
