"""Kills, stops and cuts off the members of a fleet, fills disks and moves phones, as a seed
decides."""

import asyncio
import random
import signal
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from tests.fleet.nats.network import Link, Mesh

from ..relay import Relay
from ..streams import Run
from .check import Fault
from .programs import NODES, Engine, Member

QUIET, QUIET_CALLS, QUIET_SECONDS, QUIET_RATE = (0.5, 4.0), 200, 30.0, 200
"""Between two faults of the same kind of member: seconds, and the most calls that are done
meanwhile, for which no more than so many seconds are waited, or as long as so many calls in a
second take. A slow machine would have nothing but faults."""
LEAST_QUIET = 0.1
"""The least of these calls, as a part of the most."""
LONGEST, LEAST_LONGEST = 60.0, 30.0
"""Seconds that anything stands still at most, in a run of ten minutes and in the shortest."""

MOVED_AFTER = (5.0, 25.0)
"""Seconds between two moves of phones."""
AT_BOTH = (1.0, 20.0)
"""Seconds that a phone which is moved is connected to both hosts, as one on Wi-Fi is; every second
one is not."""

Injection = Callable[[], Awaitable[object]]
Choice = tuple[float, str, Injection]


@dataclass(slots=True)
class MovingPhone:
    """A phone whose cable goes from host to host, and back to those that leased it out before."""

    name: str
    cables: Sequence[Relay]
    """One to each host in turn; the first is plugged in."""
    at: int = 0

    def plug_in(self) -> Relay:
        """The next cable. Returns the one that was plugged in before, and still is."""
        before = self.cables[self.at]
        self.at = (self.at + 1) % len(self.cables)
        self.cables[self.at].cut_off = False
        return before


def unplug(cable: Relay) -> None:
    cable.cut_off = True
    cable.cut()


@dataclass(slots=True)
class Injector:
    run: Run
    engine: Engine
    hosts: Sequence[Member]
    gateways: Sequence[Member]
    moving: Sequence[MovingPhone]
    chance: random.Random
    mesh: Mesh | None = None
    """Of the engine's nodes, if they have namespaces."""
    quiet_calls: int = QUIET_CALLS
    counts: Counter[str] = field(default_factory=Counter[str])
    faults: list[Fault] = field(default_factory=list[Fault])

    @property
    def longest(self) -> float:
        return min(LONGEST, max(LEAST_LONGEST, LONGEST * self.run.seconds / 600))

    async def go(self) -> None:
        """Until it is cancelled; then everything goes on."""
        async with asyncio.TaskGroup() as tasks:
            for group in (self.hosts, self.gateways):
                tasks.create_task(self._break(self._of_members(group)))
            tasks.create_task(self._break(self._of_engine()))
            tasks.create_task(self._break(self._of_links()))
            if far := self._of_namespaces():
                tasks.create_task(self._break(far))
            if self.mesh is not None:
                tasks.create_task(self._break(self._of_mesh(self.mesh)))
            tasks.create_task(self._move())

    async def _break(self, choices: Sequence[Choice]) -> None:
        weights = [weight for weight, _, _ in choices]
        while True:
            await asyncio.sleep(self.chance.uniform(*QUIET))
            least = int(LEAST_QUIET * self.quiet_calls)
            enough = self.run.done.total() + self.chance.randint(least, self.quiet_calls)
            with suppress(TimeoutError):
                async with asyncio.timeout(max(QUIET_SECONDS, self.quiet_calls / QUIET_RATE)):
                    while self.run.done.total() < enough:  # noqa: ASYNC110
                        await asyncio.sleep(0.05)
            ((_, name, inject),) = self.chance.choices(choices, weights)
            self.counts[name] += 1
            await inject()

    def _while(self) -> float:
        """Mostly short, up to the longest."""
        return self.longest ** self.chance.random()

    @asynccontextmanager
    async def _fault(self, kind: str, who: str) -> AsyncGenerator[None]:
        begin = self.run.now()
        # It counts from its begin, also if the run ends in it.
        self.faults.append(Fault(kind, who, begin, float("inf")))
        place = len(self.faults) - 1
        try:
            yield
        finally:
            self.faults[place] = Fault(kind, who, begin, self.run.now())

    # Hosts and gateways

    def _of_members(self, members: Sequence[Member]) -> list[Choice]:
        role = members[0].name.partition("-")[0]

        async def kill() -> None:
            member = self.chance.choice(members)
            async with self._fault("killed", member.name):
                member.kill()
                try:
                    await asyncio.sleep(self.chance.uniform(0, 3))
                finally:
                    member.start()
                # One that begins without the engine waits for it before it serves.
                await member.ready()

        async def pause() -> None:
            member = self.chance.choice(members)
            async with self._fault("paused", member.name):
                member.signal(signal.SIGSTOP)
                try:
                    await asyncio.sleep(self._while())
                finally:
                    member.signal(signal.SIGCONT)

        return [(1, f"{role} killed", kill), (1.5, f"{role} stopped for a while", pause)]

    # The engine

    def _of_engine(self) -> list[Choice]:
        engine = self.engine

        def any_node() -> int:
            return self.chance.randint(1, NODES)

        async def kill() -> None:
            node = any_node()
            async with self._fault("killed", f"node {node}"):
                engine.kill(node)
                try:
                    await asyncio.sleep(self.chance.uniform(0, 6))
                finally:
                    engine.start(node)

        async def pause(nodes: Sequence[int], seconds: float) -> None:
            async with self._fault("paused", f"node {', '.join(map(str, nodes))}"):
                for node in nodes:
                    engine.signal(node, signal.SIGSTOP)
                try:
                    await asyncio.sleep(seconds)
                finally:
                    for node in nodes:
                        engine.signal(node, signal.SIGCONT)

        async def fill() -> None:
            node = any_node()
            async with self._fault("disk full", f"node {node}"):
                engine.fill_disk(node)
                try:
                    await asyncio.sleep(self.chance.uniform(2, 8))
                finally:
                    engine.free_disk(node)
                    # A server that met a full disk stores nothing until it is started again.
                    engine.kill(node)
                    engine.start(node)

        every = range(1, NODES + 1)
        choices: list[Choice] = [
            (2, "engine node killed", kill),
            (3, "engine node stopped for a while", lambda: pause([any_node()], self._while())),
            (
                1,
                "all engine nodes stopped for up to 15 s",
                lambda: pause(every, self.chance.uniform(1, 15)),
            ),
        ]
        return [*choices, (1, "disk of an engine node full", fill)] if engine.own_disks else choices

    # Links

    def _of_links(self) -> list[Choice]:
        members = [one for one in (*self.hosts, *self.gateways) if one.links]

        async def cut() -> None:
            member = self.chance.choice(members)
            async with self._fault("link cut", member.name):
                for relay in member.links:
                    relay.cut()

        async def hold(there: bool, back: bool, then_cut: bool) -> None:
            member = self.chance.choice(members)
            async with self._fault("link silent", member.name):
                for relay in member.links:
                    relay.stall(there=there, back=back)
                try:
                    await asyncio.sleep(self._while())
                    for relay in member.links if then_cut else ():
                        relay.cut()
                finally:
                    for relay in member.links:
                        relay.stall(there=False, back=False)

        async def delay() -> None:
            member, chance = self.chance.choice(members), self.chance
            most = chance.uniform(0.01, 1)
            async with self._fault(f"link late by up to {most:.2f} s", member.name):
                for relay in member.links:
                    relay.delay = lambda: chance.uniform(0, most)
                try:
                    await asyncio.sleep(self._while())
                finally:
                    for relay in member.links:
                        relay.delay = None

        return [
            (2, "link cut", cut),
            (2, "link silent for a while", lambda: hold(True, True, False)),
            (1, "link silent for a while, then cut", lambda: hold(True, True, True)),
            (1, "link silent there", lambda: hold(True, False, False)),
            (1, "link silent back", lambda: hold(False, True, False)),
            (2, "link late and out of order", delay),
        ]

    def _of_namespaces(self) -> list[Choice]:
        """Packets that vanish: nobody is told, and nobody closes anything."""
        far = [one for one in self.hosts if one.far_links]

        async def lose(how: Callable[[Link], None]) -> None:
            host = self.chance.choice(far)
            await self._cut("link down", host.name, host.far_links, how)

        choices: list[Choice] = [
            (3, "packets lost for a while", lambda: lose(Link.cut)),
            (1, "packets lost there", lambda: lose(Link.cut_there)),
            (1, "packets lost back", lambda: lose(Link.cut_back)),
            (1, "host unplugged for a while", lambda: lose(Link.unplug)),
        ]
        return choices if far else []

    def _of_mesh(self, mesh: Mesh) -> list[Choice]:
        """Engine nodes that lose each other while all others reach them."""

        async def cut_off() -> None:
            node = self.chance.randint(1, NODES)
            await self._cut("cut off", f"node {node}", mesh.links_of(node), Link.cut)

        async def cut(how: Callable[[Link], None]) -> None:
            (one, other), link = self.chance.choice(list(mesh.links.items()))
            await self._cut("cut off", f"node {one}, {other}", [link], how)

        async def cut_all() -> None:
            await self._cut("cut off", "all nodes", list(mesh.links.values()), Link.cut)

        return [
            (3, "engine node cut off from the others", cut_off),
            (2, "two engine nodes cut off from each other", lambda: cut(Link.cut)),
            (1, "one engine node not heard by another", lambda: cut(Link.cut_there)),
            (1, "all engine nodes cut off from each other", cut_all),
        ]

    async def _cut(
        self, kind: str, who: str, links: Sequence[Link], how: Callable[[Link], None]
    ) -> None:
        async with self._fault(kind, who):
            for link in links:
                how(link)
            try:
                await asyncio.sleep(self._while())
            finally:
                for link in links:
                    link.mend()

    # Phones

    async def _move(self) -> None:
        while True:
            await asyncio.sleep(self.chance.uniform(*MOVED_AFTER))
            phone = self.chance.choice(self.moving)
            both = self.chance.random() < 0.5
            self.counts["phone moved, for a while at both hosts" if both else "phone moved"] += 1
            async with self._fault("moved", phone.name):
                cable = phone.plug_in()
                try:
                    if both:
                        await asyncio.sleep(self.chance.uniform(*AT_BOTH))
                finally:
                    unplug(cable)


def hosts_of_phones(
    fixed: Mapping[str, str], moving: Sequence[MovingPhone], hosts: Sequence[Member]
) -> dict[str, list[str]]:
    """`fixed`: the host of each phone that stays."""
    every = [host.name for host in hosts]
    return {phone: [host] for phone, host in fixed.items()} | {
        phone.name: every for phone in moving
    }
