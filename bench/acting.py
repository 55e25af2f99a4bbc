"""The cost of an action that answers with the screen at rest after it, against the two calls that
it replaces: a plain tap and a plain read."""

import asyncio
import re
from pathlib import Path

from handheld.adb.direct import DirectLink
from handheld.adb.shell import run

from .client import Client
from .figures import Figure, median, of_rounds
from .ports import keep_port
from .programs import TOKEN, cpu_seconds, server, virtual_phone
from .timing import time_calls

ROUNDS = 20
TAPS = 5
PAUSE_SECONDS = 0.25
"""Between the two calls, as it waits between its tap and its read: after a pause the same work
takes a processor longer."""
LIMIT = 1.5
"""Of the two calls. Beyond them, it waits for the change and describes it."""


async def measure(home: Path) -> list[Figure]:
    port = keep_port()
    plain: list[float] = []
    read: list[float] = []
    shown: list[float] = []
    ratios: list[float] = []
    async with (
        virtual_phone(home) as (_, phone_port),
        server(home, f"127.0.0.1:{phone_port}", port) as serving,
        Client("127.0.0.1", port, TOKEN) as client,
        Client("127.0.0.1", port, TOKEN, "/mcp/agent") as agent,
    ):
        await _show_counter(phone_port)
        screen = (await agent.call("phone_look", {}))["content"][0]["text"]
        found = re.search(r'(\w+) "More"', screen)
        if found is None:
            raise RuntimeError(f"There is no button: {screen}")
        spot, ref = {"x": 540, "y": 1200}, {"at": found[1]}
        await time_calls(lambda: client.call("android_tap", spot), 20)
        await time_calls(lambda: agent.call("phone_tap", ref), TAPS)
        for _ in range(ROUNDS):
            began = cpu_seconds(serving.pid)
            for _ in range(TAPS):
                plain += await time_calls(lambda: client.call("android_tap", spot), 1)
                await asyncio.sleep(PAUSE_SECONDS)
                read += await time_calls(lambda: client.call("android_get_screen_state", {}), 1)
            both = cpu_seconds(serving.pid) - began
            shown += await time_calls(lambda: agent.call("phone_tap", ref), TAPS)
            ratios.append((cpu_seconds(serving.pid) - began - both) / both)
    return [
        Figure("phone_tap with the screen after it, p50", median(shown), "ms"),
        Figure("android_tap on the same screen, p50", median(plain), "ms"),
        Figure("get_screen_state on the same screen, p50", median(read), "ms"),
        of_rounds("phone_tap against the two, in processor time", ratios, "x", LIMIT, gates=True),
    ]


async def _show_counter(phone_port: int) -> None:
    """Each tap on its button changes one row."""
    link = await DirectLink.connect("127.0.0.1", phone_port)
    try:
        answer = await run(link, ["am", "start", "-n", "dev.handheld.testbed/.ChangingText"])
    finally:
        await link.aclose()
    if answer.code:
        raise RuntimeError(f"The counter did not open: {answer.stderr!r}")
