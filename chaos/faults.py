"""Breaks links, programs, phones and the disk, as a seed decides."""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from .programs import AdbServer, PhoneProgram, Server
from .relay import Relay

QUIET_CALLS = (5, 80)
"""How many calls are done on a phone between two faults: fewer on a slow machine would leave it
nothing but faults."""
QUIET_SECONDS = 12.0
"""The most that is waited for them."""
SHARED_QUIET_CALLS, SHARED_QUIET_SECONDS = (50, 500), 30.0
"""The same between two faults of what all phones share."""
LONG_STALL_SECONDS = 25.0
"""Longer than a silent helper is believed to be alive."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A phone, and the link on which clients reach it."""

    phone: PhoneProgram
    relay: Relay


Injection = Callable[[], Awaitable[object]]
Fault = tuple[float, str, Injection]
"""How likely it is among those of its list, its name, and what does it."""


class Injector:
    """Injects one fault after the other until it is cancelled; then everything is as it was."""

    def __init__(
        self,
        targets: list[Broken],
        adb: AdbServer | None,
        server: Server,
        done: Counter[str],
        seed: int,
    ) -> None:
        """`done`: how many calls were done on each phone so far."""
        self._targets, self._adb, self._server, self._done = targets, adb, server, done
        self._chance = random.Random(seed)
        self.counts: Counter[str] = Counter()

    async def go(self) -> None:
        def on_all() -> int:
            return self._done.total()

        async with asyncio.TaskGroup() as tasks:
            for target in self._targets:
                on_one = partial(self._done.__getitem__, target.phone.plan.slug)
                pause = partial(self._quiet, on_one, QUIET_CALLS, QUIET_SECONDS)
                tasks.create_task(self._break(self._of_phone(target), pause))
            pause = partial(self._quiet, on_all, SHARED_QUIET_CALLS, SHARED_QUIET_SECONDS)
            tasks.create_task(self._break(self._of_server(), pause))

    async def _break(self, faults: list[Fault], pause: Injection) -> None:
        weights = [weight for weight, _, _ in faults]
        while True:
            await pause()
            ((_, name, inject),) = self._chance.choices(faults, weights)
            self.counts[name] += 1
            await inject()

    async def _quiet(self, done: Callable[[], int], calls: tuple[int, int], seconds: float) -> None:
        enough = done() + self._chance.randint(*calls)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while done() < enough:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)

    def _of_phone(self, target: Broken) -> list[Fault]:
        phone, relay, chance = target.phone, target.relay, self._chance

        async def cut() -> None:
            relay.cut()

        async def cut_off() -> None:
            relay.cut_off = True
            try:
                relay.cut()
                await asyncio.sleep(chance.uniform(0.2, 3))
            finally:
                relay.cut_off = False

        async def stall(seconds: float) -> None:
            relay.stall(there=True, back=True)
            try:
                await asyncio.sleep(seconds)
            finally:
                relay.stall(there=False, back=False)

        async def lose_answers() -> None:
            relay.stall(there=False, back=True)
            try:
                await asyncio.sleep(chance.uniform(0.05, 1))
                relay.cut()
            finally:
                relay.stall(there=False, back=False)

        async def turn() -> None:
            await phone.ask("turn", to=chance.choice((0, 1, 3)))

        async def slow() -> None:
            try:
                await phone.ask("latency", to="phone")
                await asyncio.sleep(chance.uniform(0.5, 3))
            finally:
                await phone.ask("latency", to="none")

        return [
            (4, "link cut", cut),
            (3, "link cut for a while", cut_off),
            (6, "answers lost, then link cut", lose_answers),
            (4, "link stalled for up to 2 s", lambda: stall(chance.uniform(0.05, 2))),
            (0.1, f"link stalled for {LONG_STALL_SECONDS:g} s", lambda: stall(LONG_STALL_SECONDS)),
            (5, "helper killed", lambda: phone.ask("kill helper")),
            (2, "phone rebooted", lambda: phone.ask("reboot")),
            (5, "screen turned", turn),
            (4, "app crashed", lambda: phone.ask("crash")),
            (2, "phone slow", slow),
        ]

    def _of_server(self) -> list[Fault]:
        async def full() -> None:
            self._server.fill_disk()
            try:
                await asyncio.sleep(self._chance.uniform(0.5, 2))
            finally:
                self._server.free_disk()

        faults: list[Fault] = [(1, "disk of the record full", full)]
        if self._adb is not None:
            faults.append((1, "adb server restarted", self._adb.restart))
        return faults
