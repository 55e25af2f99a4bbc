"""Taps through a gateway while parts of a fleet cannot be reached, and what was told of each."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from handheld.engine.calls import TAKEN_WITHIN
from handheld.fleet.host_calls import SILENT
from handheld.virtual.phone import VirtualPhone

BUSY = 60.0
"""Seconds that a busy machine may take besides: only a hang takes them."""
ANSWERED_WITHIN = TAKEN_WITHIN + SILENT + BUSY
IN_DOUBT = "may or may not have happened"
LOOK_EVERY = 0.05


class Gateway(Protocol):
    """In the process of the test, or elsewhere."""

    async def call(self, name: str, *, token: str = "", **arguments: Any) -> str: ...

    async def phones(self, token: str = "") -> dict[str, dict[str, Any]]: ...


async def until(holds: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait for other programs, and leave them the processor."""
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(LOOK_EVERY)


async def seen(
    gateway: Gateway, phone: str, state: str, *, token: str = "", seconds: float = 60.0
) -> None:
    """Wait until a gateway shows the phone so."""
    async with asyncio.timeout(seconds):
        while (await gateway.phones(token)).get(phone, {}).get("state") != state:  # noqa: ASYNC110
            await asyncio.sleep(LOOK_EVERY)


def touches_of(phone: VirtualPhone) -> Counter[str]:
    """Where fingers were put down, and how often."""
    return Counter(
        f"{event.details[2]:.0f},{event.details[3]:.0f}"
        for event in phone.world.events
        if event.kind == "touch" and event.details[0] == "down"
    )


@dataclass
class Finger:
    """Taps, each at a point of its own, and keeps what was told of each."""

    gateway: Gateway
    phone: str
    token: str = "ci"
    column: int = 100
    told: dict[str, str] = field(default_factory=dict[str, str])

    async def tap(self, **more: Any) -> str:
        x, y = self.column, 300 + len(self.told)
        point = f"{x},{y}"
        self.told[point] = "failed: nobody knows"
        asked = {"device": self.phone, **more}
        async with asyncio.timeout(ANSWERED_WITHIN):
            reply = await self.gateway.call("tap", token=self.token, x=x, y=y, **asked)
        self.told[point] = reply
        return reply

    async def tap_until_done(self, **more: Any) -> None:
        async with asyncio.timeout(60):
            while "failed" in await self.tap(**more):  # noqa: ASYNC110
                await asyncio.sleep(LOOK_EVERY)

    def check(self, touched: Counter[str]) -> None:
        """What was told is what was done."""
        for point, reply in self.told.items():
            if "failed" not in reply:
                assert touched[point] == 1, reply
            elif IN_DOUBT in reply:
                assert touched[point] <= 1, reply
            else:
                assert touched[point] == 0, reply
