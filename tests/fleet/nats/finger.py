"""Taps through a gateway while parts of a fleet cannot be reached, and what was told of each."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Protocol

from handheld_virtual.phone import VirtualPhone
from harness.polling import HANG, until_true

IN_DOUBT = "may or may not have happened"


class Gateway(Protocol):
    """In the process of the test, or elsewhere."""

    async def call(self, name: str, *, token: str = "", **arguments: Any) -> str: ...

    async def phones(self, token: str = "") -> dict[str, dict[str, Any]]: ...


async def seen(gateway: Gateway, phone: str, state: str, *, token: str = "") -> None:
    """Wait until a gateway shows the phone so."""

    async def is_so() -> bool:
        return (await gateway.phones(token)).get(phone, {}).get("state") == state

    await until_true(is_so)


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
        async with asyncio.timeout(HANG):
            reply = await self.gateway.call("tap", token=self.token, x=x, y=y, **asked)
        self.told[point] = reply
        return reply

    async def tap_until_done(self, **more: Any) -> None:
        async def is_done() -> bool:
            return "failed" not in await self.tap(**more)

        await until_true(is_done)

    def check(self, touched: Counter[str]) -> None:
        """What was told is what was done."""
        for point, reply in self.told.items():
            if "failed" not in reply:
                assert touched[point] == 1, reply
            elif IN_DOUBT in reply:
                assert touched[point] <= 1, reply
            else:
                assert touched[point] == 0, reply
