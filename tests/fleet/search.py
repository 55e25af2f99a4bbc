"""`make test WHAT=leases`: search all courses of events of small fleets for a broken lease.

    python -m fleet.search [COUNT]     in fleets of the sizes below, or of the first so many

The fleet is one phone, two hosts that can both reach it, a hostile one that cannot, and gateways
that send calls under any lease that was ever granted. A step is what one of them does at once; a
pause is that others do theirs first. A message that was sent stays: it may arrive late, never,
again, and after later ones. Any row of the engine may be lost, and a host taken for one that is
away, at any moment: so a host may always claim, above the number that the phone has told it.
Hosts and the phone's helper may restart, streams may break: so many `faults` in all.

The hostile host writes its row, and its signs of life, as it likes and at any time. What the others
then do is decided by Handheld's own rule, `decide`.

An action on the phone is a finger that goes down and up, so that two of them can overlap.
"""

import sys
import time
from array import array
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

from handheld.fleet.claiming import FIRST, Leave, Sight, decide
from handheld.helper.claim import Refusal
from handheld.helper.protocol import Claim

GUARDS = {
    "epoch": "the phone refuses a lower epoch than it has accepted",
    "host": "the phone refuses the epoch that it has accepted from another host",
    "end": "by accepting a host the phone ends the streams of before",
    "keep": "the phone knows its epoch also after a restart of its helper",
    "lift": "the phone lifts the finger when a stream ends",
    "claim": "with a new epoch a host ends the lease of the former one",
    "link": "a host grants only with a stream that the phone has accepted",
    "wait": "a host grants only when nothing runs any more",
    "count": "a host keeps its number of leases when it restarts",
    "lease": "a host begins a call only under the lease that is in force",
    "seen": "a host begins a call once",
    "age": "a host begins no call that is over age",
    "busy": "a call that was refused as one too many counts as seen",
    "record": "of a call that is on record no host says that nothing was done",
    "row": "a host looks at the row of the host that the phone names, and at no other",
}

TWO_HOLDERS = "two holders act at a time"
TWICE = "a call is done twice"
FORMER = "a former holder acts after a new one was told"
OVER_AGE = "a call begins over age"
UNTRUE = "a call is done of which a host says that nothing was done"
ENDED = "a host that does not reach the phone ends a lease"
HOSTILE = "hostile"


class Size(NamedTuple):
    """At most so many of each, the claims beside the first of each host."""

    claims: int
    leases: int
    calls: int
    faults: int


SIZES = (
    Size(1, 2, 2, 1),
    Size(2, 2, 1, 3),
    Size(1, 2, 2, 2),
    Size(1, 3, 2, 1),
    Size(2, 2, 2, 1),
    Size(2, 2, 2, 2),
    Size(2, 3, 2, 1),
)
"""What `make test WHAT=leases` searches, the smallest first."""


class Lease(NamedTuple):
    """Compared in the order in which the phone knows them."""

    epoch: int
    host: int
    number: int


class Run(NamedTuple):
    """A call that a host has begun, and whether it is on its way to the phone."""

    call: int
    lease: Lease
    sent: bool


class Host(NamedTuple):
    epoch: int = 0
    told: int = 0
    """The number that the phone has accepted, as it said when it refused this host."""
    number: int = 0
    """Of its last lease."""
    linked: bool = False
    """It believes so: the phone may have ended the stream."""
    lease: Lease | None = None
    seen: frozenset[int] = frozenset()
    run: Run | None = None


class Stream(NamedTuple):
    """The phone's end of what a host has to it."""

    open: bool = False
    coming: Run | None = None
    finger: Run | None = None


class Call(NamedTuple):
    lease: Lease
    grant: int
    """Which of the fleet's leases that is, should a name be given twice."""
    old: bool = False
    begun: bool = False
    done: bool = False
    denied: bool = False
    """A host has said that nothing was done."""


Part = TypeVar("Part", Host, Stream, Call)


class Fleet(NamedTuple):
    left: Size
    epoch: int = 0
    """The highest that the phone has accepted, and from which host."""
    accepted: int = -1
    hosts: tuple[Host, ...] = (Host(), Host())
    streams: tuple[Stream, ...] = (Stream(), Stream())
    leases: tuple[Lease, ...] = ()
    """Those that were granted: from then on their holders may have been told."""
    calls: tuple[Call, ...] = ()

    def host(self, at: int, /, **changes: Any) -> "Fleet":
        return self._replace(hosts=_put(self.hosts, at, changes))

    def stream(self, at: int, /, **changes: Any) -> "Fleet":
        return self._replace(streams=_put(self.streams, at, changes))

    def call(self, at: int, /, **changes: Any) -> "Fleet":
        return self._replace(calls=_put(self.calls, at, changes))

    def spend(self, what: str) -> "Fleet":
        return self._replace(left=self.left._replace(**{what: getattr(self.left, what) - 1}))


class Found(NamedTuple):
    """`broken` is the invariant, and `course` the shortest way there; both empty if none is."""

    states: int
    broken: str = ""
    course: tuple[str, ...] = ()


Step = tuple[str, Fleet, str]
"""What happens, what is then, and the invariant that it breaks."""


def search(size: Size, without: str = "") -> Found:
    """Every state that can be reached, the nearest first, without the guard that is named."""
    start = Fleet(size)
    states, parents = [start], array("q", [-1])
    known = {start}
    # Most parts of a state are parts of others, too.
    parts: dict[object, object] = {}
    at = 0
    while at < len(states):
        for name, then, broken in steps(states[at], without):
            if broken:
                return Found(len(states), broken, (*_course(states, parents, at, without), name))
            if then not in known:
                same = Fleet._make(parts.setdefault(part, part) for part in then)
                known.add(same)
                states.append(same)
                parents.append(at)
        at += 1
    return Found(len(states))


def _course(states: list[Fleet], parents: "array[int]", at: int, without: str) -> list[str]:
    names: list[str] = []
    while (parent := parents[at]) >= 0:
        options = steps(states[parent], without)
        names.append(next(name for name, then, _ in options if then == states[at]))
        at = parent
    return names[::-1]


def steps(now: Fleet, without: str) -> Iterator[Step]:
    yield from _gateways(now)
    for number, host in enumerate(now.hosts):
        # The hosts are the same in all: which of them is the first does not matter.
        if number == 0 or now.hosts[0].epoch:
            yield from _claiming(now, number, host, without)
            yield from _leasing(now, number, host, without)
            yield from _calling(now, number, host, without)
            yield from _giving_way(now, number, host, without)
    yield from _phone(now, without)


def _gateways(now: Fleet) -> Iterator[Step]:
    if now.left.calls:
        for grant, lease in enumerate(now.leases):
            then = now.spend("calls")._replace(calls=(*now.calls, Call(lease, grant)))
            yield f"call {len(now.calls)} is sent under {_name(lease)}", then, ""
    for number, call in enumerate(now.calls):
        if not (call.old or call.begun):
            yield f"call {number} is over age", now.call(number, old=True), ""


def _claiming(now: Fleet, number: int, host: Host, without: str) -> Iterator[Step]:
    who = f"host {number}"
    if now.left.faults and host != Host():
        kept = 0 if without == "count" else host.number
        then = now.spend("faults")._replace(
            hosts=_put(now.hosts, number, Host(epoch=host.epoch, number=kept)._asdict())
        )
        yield f"{who} restarts", then, ""
    if host.linked:
        if not now.streams[number].open:
            run = None if host.run is None or host.run.sent else host.run
            yield (
                f"{who} sees that its stream has ended",
                now.host(number, linked=False, run=run),
                "",
            )
        return
    # Above what the phone has told, or by the first number, as after a release. By that a host asks
    # a phone whose it is: once it is not counted.
    for epoch in {host.told + 1, FIRST} - {host.epoch}:
        if not host.epoch or now.left.claims:
            then = now.spend("claims") if host.epoch else now
            if without == "claim":
                then = then.host(number, epoch=epoch)
            else:
                then = then.host(number, epoch=epoch, lease=None, seen=frozenset(), run=None)
            yield f"{who} claims epoch {epoch}", then, ""
    lower = host.epoch < now.epoch and without != "epoch"
    others = host.epoch == now.epoch and now.accepted != number and without != "host"
    if host.epoch and (lower or others) and host.told != now.epoch:
        yield f"the phone refuses {who}", now.host(number, told=now.epoch), ""
    if host.epoch and not lower and not others:
        then = now
        if without != "end":
            for each in range(len(now.streams)):
                then = _ended(then, each, without)
        then = then.stream(number, open=True).host(number, linked=True, told=0)
        then = then._replace(epoch=host.epoch, accepted=number)
        yield f"the phone accepts {who} with epoch {host.epoch}", then, ""


def _leasing(now: Fleet, number: int, host: Host, without: str) -> Iterator[Step]:
    who = f"host {number}"
    if host.lease is not None:
        # What the phone does not have yet is dropped; what it has is waited for before a grant.
        run = host.run if host.run is not None and host.run.sent else None
        then = now.host(number, lease=None, seen=frozenset(), run=run)
        yield f"{who} ends {_name(host.lease)}", then, ""
    elif (
        now.left.leases
        and host.epoch
        and (host.linked or without == "link")
        and (host.run is None or without == "wait")
    ):
        lease = Lease(host.epoch, number, host.number + 1)
        then = now.spend("leases").host(number, lease=lease, number=lease.number)
        yield f"{who} grants {_name(lease)}", then._replace(leases=(*now.leases, lease)), ""


def _calling(now: Fleet, number: int, host: Host, without: str) -> Iterator[Step]:
    who = f"host {number}"
    run = host.run
    if run is not None and not run.sent and host.linked:
        then = now.host(number, run=run._replace(sent=True))
        if now.streams[number].open:
            then = then.stream(number, coming=run)
        yield f"{who} sends call {run.call} to the phone", then, ""
    for each, call in enumerate(now.calls):
        if call.lease.host != number:
            continue
        fits = host.lease is not None and (host.lease == call.lease or without == "lease")
        fits = fits and (not call.old or without == "age")
        if fits and (each not in host.seen or without == "seen"):
            seen = host.seen | {each}
            if run is None:
                then = now.host(number, run=Run(each, call.lease, False), seen=seen)
                broken = OVER_AGE if call.old else ""
                yield f"{who} begins call {each}", then.call(each, begun=True), broken
                continue
            then = now if without == "busy" else now.host(number, seen=seen)
        elif not fits:
            then = now
        else:
            continue
        # Refused, by another reply if it is on record.
        if not call.begun or without == "record":
            broken = UNTRUE if call.done else ""
            yield f"{who} refuses call {each}", then.call(each, denied=True), broken


def _giving_way(now: Fleet, number: int, host: Host, without: str) -> Iterator[Step]:
    """Whatever the hostile host has written, the one that the phone has accepted goes on."""
    if host.lease is None or not now.streams[number].open:
        return
    refusal = None
    if without == "row":
        # As if the phone named whoever has a row.
        refusal = Refusal(Claim(now.epoch + 1, HOSTILE, HOSTILE), True)
    for listed in (False, True):
        for away in (False, True):
            decision = decide(Sight(str(number), host.epoch, refusal, listed, away))
            if isinstance(decision, Leave) or decision.epoch != host.epoch:
                then = now.host(number, lease=None, seen=frozenset())
                yield f"the hostile host writes a row, and host {number} gives way", then, ENDED


def _phone(now: Fleet, without: str) -> Iterator[Step]:
    if now.left.faults and any(stream.open for stream in now.streams):
        then = now.spend("faults")
        for number in range(len(now.streams)):
            then = _ended(then, number, without)
        if without == "keep":
            then = then._replace(epoch=0, accepted=-1)
        yield "the phone's helper restarts", then, ""
    for number, stream in enumerate(now.streams):
        if not stream.open:
            continue
        if now.left.faults:
            then = _ended(now.spend("faults"), number, without)
            yield f"the stream of host {number} breaks", then, ""
        if stream.coming is not None and stream.finger is None:
            run = stream.coming
            then = now.stream(number, coming=None, finger=run).call(run.call, done=True)
            yield f"a finger goes down for call {run.call}", then, _judge(now, run)
        if stream.finger is not None:
            then = now.stream(number, finger=None)
            waiting = now.hosts[number].run
            if waiting is not None and waiting.sent and waiting.call == stream.finger.call:
                then = then.host(number, run=None)
            yield f"the finger of call {stream.finger.call} goes up", then, ""


def _judge(now: Fleet, run: Run) -> str:
    """The invariant that this finger breaks."""
    fingers = [stream.finger for stream in now.streams if stream.finger is not None]
    if any(finger.lease != run.lease for finger in fingers):
        return TWO_HOLDERS
    call = now.calls[run.call]
    if call.done:
        return TWICE
    if call.denied:
        return UNTRUE
    later = now.leases[call.grant + 1 :]
    return FORMER if run.lease < max(now.leases) or run.lease in later else ""


def _ended(now: Fleet, number: int, without: str) -> Fleet:
    finger = now.streams[number].finger if without == "lift" else None
    return now.stream(number, open=False, coming=None, finger=finger)


def _put(them: tuple[Part, ...], at: int, changes: dict[str, Any]) -> tuple[Part, ...]:
    return (*them[:at], them[at]._replace(**changes), *them[at + 1 :])


def _name(lease: Lease) -> str:
    return f"lease {lease.epoch}-{lease.host}-{lease.number}"


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(words: list[str]) -> int:
    states, begun = 0, time.monotonic()
    for size in SIZES[: int(words[0]) if words else None]:
        start = time.monotonic()
        found = search(size)
        states += found.states
        sizes = ", ".join(f"{what} {count}" for what, count in size._asdict().items())
        say(f"{sizes}: {found.states:>8} states in {time.monotonic() - start:.1f} s")
        if found.broken:
            say("\n  ".join((f"{found.broken}:", *found.course)))
            return 1
    say(f"{states} states in {time.monotonic() - begun:.0f} s, and nothing is broken in any.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
