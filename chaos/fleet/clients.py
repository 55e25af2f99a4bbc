"""What clients of a fleet do: take phones, touch them, read, leave, give back, and call by leases
that have ended. Each touch is at a point that no other call has."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..calls import Effect, Outcome, judge
from ..clients import Answer, HttpTransport, NoAnswer
from ..streams import HUNG_SECONDS, KEPT, Run
from .check import FLEET, TOUCH, FleetCall, Grant

BUDGET_SECONDS = 120.0
"""For a call, beyond the time in which its gateway stands still: the clock of its host (10 s), its
turn (30 s), a host that falls silent (8 s), and more than as much again for a slow machine."""
LEFT_SECONDS = (0.001, 0.4)
PAD = (20, 1060, 200, 2100)
"""Where fingers are put down: left, right, top, bottom."""
LEASE_MINUTES = 1
"""Short, so that leases also end by time."""
MOST_FORMER = 20


@dataclass(slots=True)
class FleetRun(Run):
    fleet_calls: list[FleetCall] = field(default_factory=list[FleetCall])
    grants: list[Grant] = field(default_factory=list[Grant])
    points: int = 0

    def point(self) -> tuple[int, int, Effect]:
        left, right, top, bottom = PAD
        row, column = divmod(self.points, right - left)
        if row >= bottom - top:
            raise RuntimeError("There are no points left.")
        self.points += 1
        x, y = left + column, top + row
        return x, y, Effect(TOUCH, f"{x},{y}")


@dataclass(frozen=True, slots=True)
class Gateway:
    name: str
    port: int


class Link:
    """A client's connections to one gateway."""

    def __init__(self, gateway: Gateway, token: str) -> None:
        self.gateway = gateway
        self._paths = {
            path: HttpTransport(gateway.port, path, token) for path in ("/mcp", "/mcp/agent")
        }

    async def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        path = "/mcp/agent" if tool.startswith("phone_") else "/mcp"
        return await self._paths[path].call(tool, arguments)

    async def aclose(self) -> None:
        for transport in self._paths.values():
            await transport.aclose()


Move = Callable[[Grant], Awaitable[object]]


class Client:
    def __init__(
        self,
        run: FleetRun,
        name: str,
        token: str,
        gateways: Sequence[Gateway],
        phones: Sequence[str],
        seed: int,
    ) -> None:
        self.name = name
        self._run, self._phones = run, phones
        self._chance = random.Random(seed)
        self._links = [Link(gateway, token) for gateway in gateways]
        self._link = self._chance.choice(self._links)
        self._former: list[Grant] = []

    async def aclose(self) -> None:
        for link in self._links:
            await link.aclose()

    async def go(self) -> None:
        weights, moves = zip(*self._moves(), strict=True)
        while not self._run.over:
            grant = await self._take()
            if grant is None:
                await self._use_without()
                continue
            for _ in range(self._chance.randint(3, 150)):
                (move,) = self._chance.choices(moves, weights)
                await move(grant)
                if self._run.over or grant in self._former:
                    break
            if self._chance.random() < 0.9:
                await self._give_back(grant)

    def _moves(self) -> list[tuple[int, Move]]:
        return [
            # What takes long is rare, so that there are many calls.
            (60, self._tap),
            (10, self._tap_by_name),
            (5, self._tap_by_token),
            (3, self._swipe),
            (3, self._do),
            (6, self._read),
            (4, self._leave),
            (3, self._tap_by_former),
            (3, self._tap_elsewhere),
            (1, self._list),
        ]

    # Leases

    async def _take(self) -> Grant | None:
        asked: dict[str, Any] = {"minutes": LEASE_MINUTES}
        if self._chance.random() < 0.15:
            asked["slug"] = self._chance.choice(self._phones)
        began = self._run.now()
        answer = await self._call("android_take_phone", asked)
        if answer is None or answer.failed:
            if answer is not None and "leases at a time" in answer.text:
                await self._give_all_back()
            return None
        return self._note_lease(json.loads(answer.texts[0]), began)

    def _note_lease(self, row: dict[str, Any], began: float) -> Grant:
        handle = row["device"]
        known = next((each for each in self._run.grants if each.handle == handle), None)
        if known is not None:
            return known
        # One of before may have been granted long ago.
        left = float(row["seconds_left"])
        phone = row["phone"].rpartition("/")[2]  # `host/` stands before it if others say so, too
        grant = Grant(handle, self.name, phone, began, self._run.now(), left)
        self._run.grants.append(grant)
        return grant

    async def _give_all_back(self) -> None:
        began = self._run.now()
        answer = await self._call("android_lease_status", {})
        if answer is not None and not answer.failed:
            for row in json.loads(answer.texts[0]):
                await self._give_back(self._note_lease(row, began))

    async def _give_back(self, grant: Grant) -> None:
        grant.given_back = min(grant.given_back, self._run.now())
        answer = await self._call("android_give_back_phone", {"device": grant.handle})
        if answer is not None and not answer.failed:
            self._end(grant)

    def _end(self, grant: Grant) -> None:
        """It is known to be over."""
        if grant not in self._former:
            self._former = [*self._former[1 - MOST_FORMER :], grant]

    # Calls on a phone

    async def _tap(self, grant: Grant) -> None:
        x, y, touch = self._run.point()
        arguments = {"x": x, "y": y, "device": grant.handle}
        answer = await self._call("android_tap", arguments, touch, by=grant)
        if answer is not None and "no lease with that handle" in answer.text:
            grant.given_back = min(grant.given_back, self._run.now())
            self._end(grant)
        elif answer is not None and "Your lease of" in answer.text:
            self._end(grant)

    async def _tap_by_name(self, grant: Grant) -> None:
        x, y, touch = self._run.point()
        await self._call(
            "android_tap", {"x": x, "y": y, "device": grant.phone}, touch, at=grant.phone
        )

    async def _tap_by_token(self, grant: Grant) -> None:
        x, y, touch = self._run.point()
        await self._call("android_tap", {"x": x, "y": y}, touch)

    async def _swipe(self, grant: Grant) -> None:
        x, y, touch = self._run.point()
        way = {"x1": x, "y1": y, "x2": 600, "y2": 900, "duration": self._chance.randint(30, 2000)}
        await self._call("android_swipe", {**way, "device": grant.handle}, touch, by=grant)

    async def _do(self, grant: Grant) -> None:
        points = [self._run.point() for _ in range(3)]
        steps = [{"tool": "tap", "at": f"{x},{y}"} for x, y, _ in points]
        arguments = {"steps": steps, "phone": grant.handle}
        await self._call("phone_do", arguments, *(touch for _, _, touch in points), by=grant)

    async def _read(self, grant: Grant) -> None:
        await self._call("android_get_screen_state", {"device": grant.handle}, by=grant)

    async def _leave(self, grant: Grant) -> None:
        x, y, touch = self._run.point()
        way = {"x1": x, "y1": y, "x2": 600, "y2": 900, "duration": self._chance.randint(30, 1000)}
        await self._call(
            "android_swipe", {**way, "device": grant.handle}, touch, by=grant, leaves=True
        )

    async def _tap_by_former(self, grant: Grant) -> None:
        if self._former:
            former = self._chance.choice(self._former)
            x, y, touch = self._run.point()
            arguments = {"x": x, "y": y, "device": former.handle}
            await self._call("android_tap", arguments, touch, by=former)

    async def _tap_elsewhere(self, grant: Grant) -> None:
        """On a phone that may be another's."""
        x, y, touch = self._run.point()
        phone = self._chance.choice(self._phones)
        await self._call("android_tap", {"x": x, "y": y, "device": phone}, touch, at=phone)

    async def _list(self, grant: Grant) -> None:
        await self._call("android_list_phones", {})

    async def _use_without(self) -> None:
        """Without a lease: refused if somebody has one."""
        x, y, touch = self._run.point()
        phone = self._chance.choice(self._phones)
        await self._call("android_tap", {"x": x, "y": y, "device": phone}, touch, at=phone)
        await asyncio.sleep(self._chance.uniform(0.05, 0.5))

    async def _call(
        self,
        tool: str,
        arguments: dict[str, Any],
        *effects: Effect,
        by: Grant | None = None,
        at: str = "",
        leaves: bool = False,
    ) -> Answer | None:
        run, link, chance = self._run, self._link, self._chance
        call = FleetCall(self.name, FLEET, tool, effects, BUDGET_SECONDS, run.now())
        call.gateway = link.gateway.name
        if by is not None:
            call.handle, call.at, call.ended = by.handle, by.phone, by in self._former
        else:
            call.at = at
        run.calls.append(call)
        run.fleet_calls.append(call)
        patience = chance.uniform(*LEFT_SECONDS) if leaves else call.budget + 2 * HUNG_SECONDS
        answer = None
        try:
            async with asyncio.timeout(patience):
                answer = await link.call(tool, arguments)
            call.outcome = Outcome.REFUSED if answer.refused else judge(answer.failed, answer.text)
            call.text = answer.text[:KEPT]
        except TimeoutError:
            call.outcome = Outcome.LEFT if leaves else Outcome.HUNG
        except NoAnswer as problem:
            call.text = str(problem)[:KEPT]
        call.took = run.now() - call.began
        run.done[FLEET] += call.outcome is Outcome.DONE
        if answer is None or chance.random() < 0.05:
            self._link = chance.choice(self._links)
        if call.outcome not in (Outcome.DONE, Outcome.LEFT):
            # As an agent does, which thinks before it tries again.
            await asyncio.sleep(chance.uniform(0.02, 0.3))
        return answer
