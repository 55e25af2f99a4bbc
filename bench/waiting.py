"""The delay between the appearance of an element and the reply of `wait_for_element`."""

import asyncio
import json
from typing import Any

from handheld.adb.direct import DirectLink
from handheld.calls.local import LocalSurface
from handheld.driver.fallback import FallbackDriver
from handheld.helper.client import HelperClient
from handheld.phone.phone import Phone
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.tools.main import CATALOG
from handheld_virtual.phone import VirtualPhone
from testbed import show_scene
from testbed.screens import ChangingText

from .client import Client
from .crowd import SinglePhone
from .figures import Figure, median, percentile
from .programs import TOKEN

WAITS = 30
TOOL = "android_wait_for_element"


async def measure() -> list[Figure]:
    late: list[float] = []
    loop = asyncio.get_running_loop()
    async with VirtualPhone() as virtual:
        link = await DirectLink.connect("127.0.0.1", virtual.port)
        phone = Phone(link.serial, FallbackDriver(HelperClient(link)))
        try:
            surface = LocalSurface(CATALOG, SinglePhone(phone))
            async with (
                open_http(surface, HttpOptions(port=0, token=TOKEN)) as address,
                Client("127.0.0.1", address.port, TOKEN) as client,
            ):
                scene = show_scene(virtual.world, "changing_text")
                assert isinstance(scene, ChangingText)
                for number in range(WAITS):
                    text = f"Round {number}"
                    appeared = 0.0

                    def appear(text: str = text) -> None:
                        nonlocal appeared
                        scene.counter.text = text
                        appeared = loop.time()

                    # At any time between two reads, which are 500 ms apart.
                    after = 100 + number * 397 % 500
                    virtual.world.timers.after(after, appear)
                    arguments: dict[str, Any] = {"by": "text", "value": text, "timeout": 5000}
                    result = await client.call(TOOL, arguments)
                    answered = loop.time()
                    if not json.loads(result["content"][0]["text"])["found"]:
                        raise RuntimeError(f"{text} was not found")
                    late.append((answered - appeared) * 1000)
        finally:
            await phone.aclose()
            await link.aclose()
    return [
        Figure("wait_for_element, after it appeared, p50", median(late), "ms"),
        Figure("wait_for_element, after it appeared, p95", percentile(late, 0.95), "ms", 150),
    ]
