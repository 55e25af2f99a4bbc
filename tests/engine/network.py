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
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Network
from pathlib import Path
from typing import NamedTuple

RANGE = IPv4Network("198.18.0.0/15")
"""Set aside for tests of networks: neither the Internet nor anybody's own network has it."""
OURS, THEIRS, NOBODY = (f"02:00:00:00:00:0{number}" for number in (1, 2, 3))
"""The ends of a link, and where what is cut off goes. They are told to both sides, which so ask
nobody: an unanswered question would become an error of the sender."""
END = "eth0"


class NoNamespaces(Exception):
    """This machine does not allow them, for this reason."""


class Network:
    """Namespaces that reach this one by one address, and not each other."""

    def __init__(self) -> None:
        """Raises NoNamespaces."""
        if missing := [name for name in ("ip", "unshare", "nsenter") if not shutil.which(name)]:
            raise NoNamespaces(f"There is no program {missing[0]}.")
        if os.geteuid() != 0:
            raise NoNamespaces("Only root may make network namespaces.")
        address, *others = map(str, _free_block().hosts())
        self.address = address
        """Of this namespace, once there is another."""
        self._others = others
        self._made: list[Namespace] = []

    def namespace(self) -> "Namespace":
        """Raises NoNamespaces."""
        made = Namespace(self.address, self._others[len(self._made)])
        self._made.append(made)
        return made

    def close(self) -> None:
        for each in self._made:
            each.close()


class Namespace:
    """A namespace with one link, which leads here."""

    def __init__(self, ours: str, address: str) -> None:
        """Raises NoNamespaces."""
        self.address = address
        self.ours = ours
        """Where it reaches us."""
        self._device = f"hh{random.SystemRandom().randrange(16**10):x}"
        self._holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo ready; exec cat"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.inside = ("nsenter", "--target", str(self._holder.pid), "--net")
        """What a command begins with that runs in it."""
        try:
            self._make()
        except (NoNamespaces, subprocess.CalledProcessError) as problem:
            self._holder.kill()
            _, said = self._holder.communicate()
            why = getattr(problem, "stderr", b"") or said
            raise NoNamespaces(f"No namespace can be made: {why.decode().strip()}") from problem

    def _make(self) -> None:
        assert self._holder.stdout is not None
        if not self._holder.stdout.readline():
            raise NoNamespaces
        device, holder = self._device, self._holder.pid
        ends = f"address {OURS} type veth peer name {END} address {THEIRS} netns {holder}"
        _ip(f"link add {device} {ends}")
        _ip(f"address add {self.ours} peer {self.address} dev {device}", f"link set {device} up")
        self._inside("link set lo up", f"address add {self.address} peer {self.ours} dev {END}")
        self.mend()

    def close(self) -> None:
        """What runs in it is its starter's to end."""
        # It would go with the namespace, but later than the next test begins.
        subprocess.run(["ip", "link", "delete", self._device], capture_output=True, check=False)
        self._holder.communicate()

    # The link

    def cut(self) -> None:
        """From now on packets vanish on their way, in both directions."""
        self.cut_there()
        self.cut_back()

    def cut_there(self) -> None:
        """Only those that come from it."""
        self._inside(self._lead(self.ours, NOBODY, END))

    def cut_back(self) -> None:
        """Only those that go to it."""
        _ip(self._lead(self.address, NOBODY, self._device))

    def unplug(self) -> None:
        """As a cable is: the programs in it are told, when they send, that there is no network."""
        self._inside(f"link set {END} down")

    def mend(self) -> None:
        """Whatever was done to the link."""
        self._inside(f"link set {END} up", self._lead(self.ours, OURS, END))
        _ip(self._lead(self.address, THEIRS, self._device))

    def _lead(self, address: str, to: str, device: str) -> str:
        return f"neighbour replace {address} lladdr {to} dev {device} nud permanent"

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
            if (there.other, there.other_port) == (self.ours, port):
                yield there

    def _inside(self, *lines: str) -> None:
        _ip(*lines, inside=self.inside)


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
