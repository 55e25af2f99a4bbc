"""Scrolling on a virtual phone: how far content moves, and how many calls a row takes."""

import re
from pathlib import Path
from typing import Any

from handheld.adb.direct import DirectLink
from handheld.adb.shell import run

from .client import Client
from .figures import Figure, median, percentile
from .programs import TOKEN, free_port, server, virtual_phone
from .timing import time_calls

SHARES = {"small": 0.25, "medium": 0.5, "large": 0.75}
HEIGHT = 2400
ROW_HEIGHT = 168
"""Of the long list: 64 dp at 420 dpi."""
ROWS = 1000
ROUNDS = 4
MOST_CALLS = 60
LISTS = {
    "that can jump": {},
    "that numbers its rows": {"jumps": "no"},
    "that says nothing of its rows": {"jumps": "no", "numbered": "no"},
}


async def measure(home: Path) -> list[Figure]:
    port = free_port()
    async with (
        virtual_phone(home) as (_, phone_port),
        server(home, f"127.0.0.1:{phone_port}", port),
        Client("127.0.0.1", port, TOKEN) as client,
    ):
        link = await DirectLink.connect("127.0.0.1", phone_port)
        try:
            await _show_list(link, {})
            errors = await _measure_errors(client)
            took = await time_calls(lambda: _scroll(client, "down", "small"), 10)
            calls = {name: await _count_calls(client, link, how) for name, how in LISTS.items()}
        finally:
            await link.aclose()
    far = f"scroll_to_element over {ROWS} rows, in a list"
    return [
        Figure(
            "scroll: share moved against share asked, p95",
            percentile(errors, 0.95),
            "x",
            0.05,
            gates=True,
        ),
        Figure("scroll, p50", median(took), "ms"),
        *(
            # A list that says nothing may have to be searched to either end first.
            Figure(f"{far} {name}", most, "calls", 3 if "nothing" not in name else 6, gates=True)
            for name, most in calls.items()
        ),
    ]


async def _measure_errors(client: Client) -> list[float]:
    """Return for every scroll how far the share that it moved is off, as a part of it."""
    errors: list[float] = []
    for amount, share in SHARES.items():
        for direction in ("down",) * ROUNDS + ("up",) * ROUNDS:
            before = await _position(client)
            await _scroll(client, direction, amount)
            moved = abs(await _position(client) - before)
            errors.append(abs(moved / (HEIGHT * share) - 1))
    return errors


async def _count_calls(client: Client, link: DirectLink, how: dict[str, str]) -> int:
    """Return the most calls from the first rows to the last and back; at most `MOST_CALLS`."""
    most = 0
    await _show_list(link, how)
    first = (await _rows(client))["Row 1"]
    for _ in range(2):
        await _show_end(client)
    last = (await _rows(client))[f"Row {ROWS - 2}"]
    for id in (first[0], last[0]):
        calls = 1
        while calls < MOST_CALLS and not await _arrives(client, id):
            calls += 1
        most = max(most, calls)
    return most


async def _show_end(client: Client) -> None:
    """Fling the list to its end."""
    for _ in range(40):
        await client.call(
            "android_swipe", {"x1": 540, "y1": 2100, "x2": 540, "y2": 300, "duration": 30}
        )


async def _arrives(client: Client, id: str) -> bool:
    reply = await client.call("android_scroll_to_element", {"element_id": id})
    return not reply.get("isError", False)


async def _scroll(client: Client, direction: str, amount: str) -> Any:
    return await client.call("android_scroll", {"direction": direction, "amount": amount})


async def _position(client: Client) -> int:
    """Return how far the list is scrolled, by a row that is wholly visible."""
    rows = await _rows(client)
    name, (_, top) = list(rows.items())[2]
    return int(name.removeprefix("Row ")) * ROW_HEIGHT - top


async def _rows(client: Client) -> dict[str, tuple[str, int]]:
    """Return id and upper edge of the rows by their text."""
    screen = (await client.call("android_get_screen_state", {}))["content"][0]["text"]
    found = re.findall(
        r"^(node_\S+)\t\S+\t(Row \d+)\t.*\t\d+,(-?\d+),\d+,-?\d+\t", screen, re.MULTILINE
    )
    return {text: (id, int(top)) for id, text, top in found}


async def _show_list(link: DirectLink, how: dict[str, str]) -> None:
    extras = [word for name, value in how.items() for word in ("--es", name, value)]
    await run(link, ["am", "force-stop", "dev.handheld.testbed"])
    answer = await run(link, ["am", "start", "-n", "dev.handheld.testbed/.LongList", *extras])
    if answer.code:
        raise RuntimeError(f"The list did not open: {answer.stderr!r}")
