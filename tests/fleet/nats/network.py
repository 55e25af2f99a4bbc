"""Network namespaces: what runs in one has a loopback of its own, and reaches this one by a link on
which packets vanish without a word when it is cut. A relay cannot imitate that: it acknowledges
what it keeps back, and what it drops it closes.

Nothing is left behind: a namespace ends with the last process in it, and the one that holds it ends
with ours.
"""

import os
import random
import shutil
import socket
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

RANGE = IPv4Network("198.18.0.0/15")
"""Set aside for tests of networks: neither the Internet nor anybody's own network has it."""
NEAR, FAR, NOBODY = (f"02:00:00:00:00:0{number}" for number in (1, 2, 3))
"""The ends of a link, and where what is cut off goes. They are told to both sides, which so ask
nobody: an unanswered question would become an error of the sender."""


class NoNamespaces(Exception):
    """This machine does not allow them, for this reason."""


class Place(NamedTuple):
    """A network namespace, with its address there."""

    address: str
    process: int
    """One that is in it."""
    inside: tuple[str, ...] = ()
    """What a command begins with that runs in it."""


class Network:
    """Namespaces that reach this one by one address, and each other by links of their own."""

    def __init__(self) -> None:
        """Raises NoNamespaces."""
        if missing := [name for name in ("ip", "unshare", "nsenter") if not shutil.which(name)]:
            raise NoNamespaces(f"There is no program {missing[0]}.")
        if os.geteuid() != 0:
            raise NoNamespaces("Only root may make network namespaces.")
        address, *others = map(str, _free_block().hosts())
        self.here = Place(address, os.getpid())
        """This namespace, which has its address once there is another."""
        self._others = others
        self._made: list[Namespace] = []

    @property
    def address(self) -> str:
        return self.here.address

    def namespace(self) -> "Namespace":
        """Raises NoNamespaces."""
        made = Namespace(self.here, self._others[len(self._made)])
        self._made.append(made)
        return made

    def mesh(self, count: int) -> "Mesh":
        """Namespaces that all reach each other. Raises NoNamespaces."""
        namespaces = [self.namespace() for _ in range(count)]
        pairs = combinations(range(1, count + 1), 2)
        return Mesh(
            namespaces,
            {
                (one, two): namespaces[one - 1].link_to(namespaces[two - 1].place)
                for one, two in pairs
            },
        )

    def close(self) -> None:
        for each in self._made:
            each.close()


@dataclass(frozen=True)
class Mesh:
    namespaces: "Sequence[Namespace]"
    links: "Mapping[tuple[int, int], Link]"
    """By the numbers of the namespaces that they connect, from 1."""

    def links_of(self, number: int) -> "list[Link]":
        return [link for pair, link in self.links.items() if number in pair]

    def cut_off(self, number: int) -> None:
        """From all others."""
        for link in self.links_of(number):
            link.cut()

    def cut(self) -> None:
        """Each from each."""
        for link in self.links.values():
            link.cut()

    def mend(self) -> None:
        for link in self.links.values():
            link.mend()


class Link:
    """From one namespace to another."""

    def __init__(self, far: Place, near: Place) -> None:
        """Raises CalledProcessError."""
        self._far, self._near = far, near
        self._device = f"hh{random.SystemRandom().randrange(16**10):x}"
        ends = (
            f"netns {near.process} address {NEAR} type veth"
            f" peer name {self._device} netns {far.process} address {FAR}"
        )
        _ip(f"link add {self._device} {ends}")
        for place, other in ((near, far), (far, near)):
            _ip(
                f"address add {place.address} peer {other.address} dev {self._device}",
                inside=place.inside,
            )
        self.mend()

    def delete(self) -> None:
        """It would go with its namespaces, but later than the next test begins."""
        delete = [*self._near.inside, "ip", "link", "delete", self._device]
        subprocess.run(delete, capture_output=True, check=False)

    def cut(self) -> None:
        """From now on packets vanish on their way, in both directions."""
        self.cut_there()
        self.cut_back()

    def cut_there(self) -> None:
        """Only those that come from the far end."""
        self._lead(self._far, self._near.address, NOBODY)

    def cut_back(self) -> None:
        """Only those that go to it."""
        self._lead(self._near, self._far.address, NOBODY)

    def unplug(self) -> None:
        """As a cable is: the programs at the far end are told, when they send, that there is no
        network."""
        _ip(f"link set {self._device} down", inside=self._far.inside)

    def mend(self) -> None:
        """Whatever was done to it."""
        for place in (self._near, self._far):
            _ip(f"link set {self._device} up", inside=place.inside)
        self._lead(self._far, self._near.address, NEAR)
        self._lead(self._near, self._far.address, FAR)

    def _lead(self, place: Place, address: str, to: str) -> None:
        _ip(
            f"neighbour replace {address} lladdr {to} dev {self._device} nud permanent",
            inside=place.inside,
        )


class Namespace:
    """A namespace with a link that leads here."""

    def __init__(self, here: Place, address: str) -> None:
        """Raises NoNamespaces."""
        self._here = here
        self._holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo ready; exec cat"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        inside = ("nsenter", "--target", str(self._holder.pid), "--net")
        self.place = Place(address, self._holder.pid, inside)
        try:
            assert self._holder.stdout is not None
            if not self._holder.stdout.readline():
                raise NoNamespaces
            _ip("link set lo up", inside=inside)
            self.link = self.link_to(here)
        except (NoNamespaces, subprocess.CalledProcessError) as problem:
            self._holder.kill()
            _, said = self._holder.communicate()
            why = getattr(problem, "stderr", b"") or said
            raise NoNamespaces(f"No namespace can be made: {why.decode().strip()}") from problem

    @property
    def address(self) -> str:
        return self.place.address

    @property
    def inside(self) -> tuple[str, ...]:
        return self.place.inside

    def link_to(self, place: Place) -> Link:
        """Another link. Its far end is here. Raises CalledProcessError."""
        return Link(self.place, place)

    def close(self) -> None:
        """What runs in it is its starter's to end."""
        self.link.delete()
        self._holder.communicate()

    # What is on its way, of connections to a port here

    def unacknowledged(self, port: int) -> int:
        """Bytes that were sent into it and have not arrived."""
        return sum(
            here.waits
            for here in _connections("self")
            if here.port == port and here.other == self.address
        )

    def unsent(self, port: int) -> int:
        """Bytes that were sent from it and have not arrived."""
        return sum(there.waits for there in self._to(port))

    def unread(self, port: int) -> int:
        """Bytes that have arrived in it, and that the program there has not read."""
        return sum(there.unread for there in self._to(port))

    def _to(self, port: int) -> Iterator["Connection"]:
        for there in _connections(str(self._holder.pid)):
            if (there.other, there.other_port) == (self._here.address, port):
                yield there


class Connection(NamedTuple):
    port: int
    other: str
    other_port: int
    waits: int
    """Bytes that the other side has not acknowledged."""
    unread: int


def _connections(pid: str) -> Iterator[Connection]:
    """By TCP, in the namespace of that process."""
    for line in Path("/proc", pid, "net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        _, own, other, _, queues, *_ = line.split()
        address, _, other_port = other.partition(":")
        waits, _, unread = queues.partition(":")
        yield Connection(
            int(own.partition(":")[2], 16),
            socket.inet_ntoa(bytes.fromhex(address)[::-1]),
            *(int(number, 16) for number in (other_port, waits, unread)),
        )


def _ip(*lines: str, inside: Iterable[str] = ()) -> None:
    """Raises CalledProcessError."""
    subprocess.run(
        [*inside, "ip", "-batch", "-"],
        input="".join(f"{line}\n" for line in lines).encode(),
        capture_output=True,
        check=True,
    )


def _free_block() -> IPv4Network:
    """One that nobody here has a way to: other tests have theirs. Raises NoNamespaces."""
    listed = subprocess.run(
        ["ip", "-4", "route", "show", "table", "all"], capture_output=True, check=False
    )
    used = [
        IPv4Network(word)
        for line in listed.stdout.decode().splitlines()
        for word in line.split()[:2]
        if word[0].isdigit()
    ]
    blocks = list(RANGE.subnets(new_prefix=28))
    random.SystemRandom().shuffle(blocks)
    for block in blocks:
        if not any(each.prefixlen and each.overlaps(block) for each in used):
            return block
    raise NoNamespaces(f"Every address of {RANGE} is used.")
