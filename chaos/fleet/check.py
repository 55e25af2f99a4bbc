"""Compares what clients of a fleet were told with the touches that its phones noted. All times are
seconds since the run began, by the one monotonic clock of the machine."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from handheld.fleet.call_service import OLDEST

from ..calls import Call, Outcome
from ..check import Journal, Violation, check_calls

FLEET, TOUCH = "fleet", "touch"
"""All phones are one to the checks of single calls, since every touch has a point of its own; and
the kind of their effects."""
SLACK = 60.0
"""Seconds that a call may take beside those on its way, to its gateway and from the begin at its
host to its touch: no machine is so slow."""
COURSE = 20.0
"""Seconds before a call whose faults are printed with a violation of it."""
TWO_HOLDERS, FORMER, LATE, ELSEWHERE, UNASKED = (
    "two holders at a time",
    "done by a lease that had ended",
    "begun over age",
    "done on another phone",
    "asked by nobody",
)
GOT = "asked of the hostile host"
IS_ELSEWHERE = "has a phone of that name. Nothing was done"
NOT_BACK = "phone not usable after the last fault"
OVERWRITTEN = "row of another written or deleted by the hostile host"
KINDS = (
    TWO_HOLDERS,
    FORMER,
    LATE,
    ELSEWHERE,
    UNASKED,
    GOT,
    "done twice",
    "said done, was not",
    "said not done, was",
    "call without an answer",
    "call refused by the server",
    "call beyond its budget",
    NOT_BACK,
    OVERWRITTEN,
)


@dataclass(slots=True)
class FleetCall(Call):
    """Its effects are touches at points that no other call has."""

    gateway: str = ""
    handle: str = ""
    """Of the lease that it names."""
    at: str = ""
    """The phone that it means; "" if it leaves that to the fleet."""
    ended: bool = False
    """Its client knew that the lease had ended."""

    @property
    def over(self) -> float:
        return self.began + self.took


class Touch(NamedTuple):
    """A finger that came down."""

    at: float
    phone: str
    point: str


@dataclass(slots=True)
class Grant:
    """A lease, as its holder was told of it."""

    handle: str
    client: str
    phone: str
    asked: float
    """When it was asked for: it was granted between that and `told`."""
    told: float
    seconds: float
    given_back: float = math.inf
    """When its holder began to give it back."""


class Fault(NamedTuple):
    kind: str
    """`killed`, `paused`, or another that only the course tells of."""
    who: str
    begin: float
    end: float

    def overlaps(self, begin: float, end: float) -> bool:
        return self.begin <= end and self.end >= begin


def check_fleet(
    calls: Sequence[FleetCall],
    touches: Iterable[Touch],
    grants: Sequence[Grant],
    faults: Sequence[Fault],
    hosts: Mapping[str, Sequence[str]],
    slack: float = SLACK,
) -> list[Violation]:
    """`hosts`: those that each phone is, or was, connected to."""
    ordered = sorted(touches)
    by_point = {effect.what: call for call in calls for effect in call.effects}
    by_call: dict[int, list[Touch]] = defaultdict(list)
    found: list[Violation] = []
    for touch in ordered:
        call = by_point.get(touch.point)
        if call is None:
            found.append(Violation(UNASKED, f"{touch.point} on {touch.phone} at {touch.at:.1f} s"))
        else:
            by_call[id(call)].append(touch)
    by_who: dict[str, list[Fault]] = defaultdict(list)
    for fault in faults:
        by_who[fault.who].append(fault)
    journal: Journal = Counter((TOUCH, touch.point) for touch in ordered)
    judged = [_excuse(call, by_who[call.gateway]) for call in calls]
    found += check_calls(judged, {FLEET: journal})
    for call in calls:
        if own := by_call.get(id(call)):
            # What its host held up by standing still was not on its way, nor what its gateway did
            # while the client waited for it.
            of_hosts = chain.from_iterable(by_who[who] for who in hosts.get(own[0].phone, ()))
            held_up = _paused(of_hosts, call.began, own[0].at)
            held_up += _paused(by_who[call.gateway], call.began, min(call.over, own[0].at))
            for violation in _check_touched(call, own, OLDEST + slack + held_up):
                course = tell_course(call, faults)
                found.append(violation._replace(evidence=f"{violation.evidence}; {course}"))
    found += _find_two_holders(ordered, by_point, grants, faults, hosts)
    return found


def _excuse(call: FleetCall, of_gateway: Sequence[Fault]) -> FleetCall:
    """The call as a client may expect it of a gateway that was killed or paused meanwhile."""
    if call.outcome is Outcome.LOST and any(
        fault.kind == "killed" and fault.overlaps(call.began, call.over) for fault in of_gateway
    ):
        call = replace(call, outcome=Outcome.LEFT)
    return replace(call, budget=call.budget + _paused(of_gateway, call.began, call.over))


def _paused(faults: Iterable[Fault], begin: float, end: float) -> float:
    """Seconds of that time in which they stood still."""
    return sum(
        min(end, fault.end) - max(begin, fault.begin)
        for fault in faults
        if fault.kind == "paused" and fault.overlaps(begin, end)
    )


def _check_touched(call: FleetCall, touches: Sequence[Touch], oldest: float) -> Iterator[Violation]:
    first = touches[0]
    said = f"{describe(call)}; touched {first.phone} at {first.at:.1f} s"
    if call.ended:
        yield Violation(FORMER, said)
    if call.at and any(touch.phone != call.at for touch in touches):
        yield Violation(ELSEWHERE, said)
    if first.at - call.began > oldest:
        yield Violation(LATE, f"{first.at - call.began:.1f} s old; {said}")


def _find_two_holders(
    touches: Sequence[Touch],
    by_point: Mapping[str, FleetCall],
    grants: Sequence[Grant],
    faults: Sequence[Fault],
    hosts: Mapping[str, Sequence[str]],
) -> Iterator[Violation]:
    """Whoever was told that a phone is his has it alone until it can have ended; and the touches of
    leases come one lease after the other."""
    on_phone: dict[str, list[Touch]] = defaultdict(list)
    for touch in touches:
        on_phone[touch.phone].append(touch)
    times = {phone: [touch.at for touch in own] for phone, own in on_phone.items()}
    leased: dict[str, list[tuple[Grant, float]]] = defaultdict(list)
    for grant in grants:
        leased[grant.phone].append((grant, _sure_until(grant, faults, hosts)))
    for phone, held in leased.items():
        for grant, until in held:
            for other, _ in held:
                if other is not grant and grant.told < other.asked and other.told < until:
                    yield Violation(
                        TWO_HOLDERS,
                        f"{phone} was {tell_grant(grant, until)}, and was then"
                        f" {tell_grant(other, math.inf)}; {tell_moves(phone, faults)}",
                    )
            at = times.get(phone, [])
            for touch in on_phone[phone][bisect_right(at, grant.told) : bisect_left(at, until)]:
                call = by_point.get(touch.point)
                if call and call.client != grant.client:
                    yield Violation(
                        TWO_HOLDERS,
                        f"{phone} was {tell_grant(grant, until)}, and was touched at"
                        f" {touch.at:.2f} s by {describe(call)}; {tell_course(call, faults)}",
                    )
    for phone, own in on_phone.items():
        seen: dict[str, None] = {}
        for touch in own:
            call = by_point.get(touch.point)
            if call is None or not call.handle:
                continue
            if call.handle in seen and call.handle != next(reversed(seen)):
                yield Violation(
                    TWO_HOLDERS,
                    f"{phone} was touched by a later lease before it was at {touch.at:.2f} s by"
                    f" {describe(call)}; {tell_course(call, faults)}",
                )
            seen.setdefault(call.handle)


def _sure_until(grant: Grant, faults: Sequence[Fault], hosts: Mapping[str, Sequence[str]]) -> float:
    """When it can have ended first: its time was over, it was given back, its host ended or lost
    the phone."""
    ends = [grant.given_back, grant.asked + grant.seconds]
    ends += [
        fault.begin
        for fault in faults
        if fault.begin >= grant.asked
        and (
            (fault.kind == "killed" and fault.who in hosts.get(grant.phone, ()))
            or (fault.kind == "moved" and fault.who == grant.phone)
        )
    ]
    # Taken while the phone was at two hosts: until one of them is unplugged.
    ends += [
        fault.end
        for fault in faults
        if fault.kind == "moved"
        and fault.who == grant.phone
        and fault.begin < grant.asked
        and fault.end >= grant.asked
    ]
    return min(ends)


def check_got(calls: Sequence[FleetCall], got: Sequence[tuple[float, str, str]]) -> list[Violation]:
    """What reached a host that has none of the phones: a client may have called it there only after
    it was told that this host has a phone of that name now."""
    told: dict[str, float] = {}
    for call in calls:
        if IS_ELSEWHERE in call.text:
            told[call.client] = min(call.over, told.get(call.client, math.inf))
    return [
        Violation(GOT, f"{token}'s {tool} at {at:.1f} s")
        for at, token, tool in got
        if at < told.get(token, math.inf)
    ]


def describe(call: FleetCall) -> str:
    by = f" by {call.handle}" if call.handle else ""
    return (
        f"{call.client}'s {call.tool} through {call.gateway}{by} at {call.began:.1f} to"
        f" {call.over:.1f} s: {call.outcome}, {call.text[:200]!r}"
    )


def tell_grant(grant: Grant, until: float) -> str:
    return (
        f"{grant.client}'s by {grant.handle}, asked for at {grant.asked:.2f} s and told at"
        f" {grant.told:.2f} s, until {until:.2f} s"
    )


def tell_moves(phone: str, faults: Iterable[Fault]) -> str:
    moves = [f"{fault.begin:.2f} to {fault.end:.2f} s" for fault in faults if fault.who == phone]
    return f"moved {', '.join(moves) or 'never'}"


def tell_course(call: FleetCall, faults: Iterable[Fault]) -> str:
    """The faults around a call."""
    around = [
        f"{fault.who} {fault.kind} {fault.begin:.1f} to {fault.end:.1f} s"
        for fault in sorted(faults, key=lambda fault: fault.begin)
        if fault.overlaps(call.began - COURSE, call.over)
    ]
    return f"faults: {', '.join(around) or 'none'}"
