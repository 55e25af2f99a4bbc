"""Who gets a phone that two hosts can reach: every decision, and any course of them."""

from dataclasses import dataclass

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from hypothesis.strategies import booleans, sampled_from

from handheld.fleet.claiming import FIRST, ClaimUse, Leave, Sight, decide
from handheld.helper.claim import PhoneClaim, PhoneClaims, Refusal
from handheld.helper.protocol import Claim, Code, HelperFailure

HOSTS = sampled_from((0, 1))
ME, OTHER, HOSTILE = "h-me", "h-other", "h-hostile"
LIVE, GONE = Refusal(Claim(9, OTHER, "other"), True), Refusal(Claim(9, OTHER, "other"), False)
OWN = Refusal(Claim(9, ME, "me"), True)


@pytest.mark.parametrize(
    ("epoch", "refusal", "listed", "away", "expected"),
    [
        # The phone has refused nobody.
        (0, None, False, False, ClaimUse(FIRST)),
        (6, None, False, False, ClaimUse(6)),
        # It has accepted another, which says that it has it,
        (0, GONE, True, False, Leave("other")),
        (12, LIVE, True, False, Leave("other")),
        (0, GONE, True, True, ClaimUse(10)),
        (0, LIVE, True, True, ClaimUse(10)),
        # and which does not.
        (0, GONE, False, False, ClaimUse(10)),
        (12, GONE, False, False, ClaimUse(13)),
        (0, LIVE, False, False, Leave("other")),
        # It has accepted us.
        (0, OWN, True, False, ClaimUse(10)),
        (5, OWN, False, False, ClaimUse(10)),
    ],
)
def test_what_a_host_does_by_what_it_knows(
    epoch: int, refusal: Refusal | None, listed: bool, away: bool, expected: ClaimUse | Leave
) -> None:
    assert decide(Sight(ME, epoch, refusal, listed, away)) == expected


@dataclass(eq=False)
class Host:
    id: str
    claim: PhoneClaim
    epoch: int = 0
    refusal: Refusal | None = None
    lease: int = 0
    """Its number in the fleet; 0 without one."""


class Courses(RuleBasedStateMachine):
    """A phone, two hosts, an engine that may forget, and a host that does not reach the phone and
    writes what it likes."""

    def __init__(self) -> None:
        super().__init__()
        claims = [PhoneClaims(), PhoneClaims()]
        for each in claims:
            each.required = True
        self.hosts = [Host(f"h-{n}", each.of("p")) for n, each in enumerate(claims)]
        self.rows: set[str] = set()
        """The hosts that say that they have the phone."""
        self.accepted: Claim | None = None
        self.user: Host | None = None
        self.leases = 0

    # What a host does

    def look(self, host: Host, away: bool) -> ClaimUse | Leave:
        claim = host.claim
        if claim.refusal is not None:
            host.lease, host.refusal = 0, claim.refusal
        listed = host.refusal is not None and host.refusal.claim.host in self.rows
        decision = decide(Sight(host.id, host.epoch, host.refusal, listed, away))
        if isinstance(decision, ClaimUse):
            self.rows.add(host.id)
            if decision.epoch != host.epoch or not claim.ours:
                self.use(host, decision.epoch)
        else:
            self.rows.discard(host.id)
            host.lease = host.epoch = 0
            claim.claim, claim.refusal, claim.elsewhere = None, None, "another has it"
            self.unlink(host)
            if not listed:
                host.refusal = None
        return decision

    def use(self, host: Host, epoch: int) -> None:
        if epoch != host.epoch:
            host.lease = 0
        self.unlink(host)
        host.claim.give(Claim(epoch, host.id, host.id))
        if self.link(host):
            host.epoch, host.refusal = epoch, None
            host.claim.settle()
            self.unlink(host)

    def unlink(self, host: Host) -> None:
        if self.user is host:
            self.user = None

    def link(self, host: Host, told: bool = True) -> bool:
        """`told`: the former user of the phone learns why its stream has ended."""
        claim = host.claim.claim
        if claim is None or host.claim.elsewhere:
            return False
        if self.user is host:
            return True
        if self.accepted is not None and not self.accepted.yields_to(claim):
            self.refuse(host, self.accepted)
            return False
        if self.user is not None and told:
            self.refuse(self.user, claim)
        self.accepted, self.user = claim, host
        host.claim.accept(claim)
        return True

    def refuse(self, host: Host, claim: Claim) -> None:
        data = {**claim._asdict(), "live": self.user is not None}
        host.claim.refuse(
            host.claim.claim, HelperFailure(Code.CLAIMED, "It is another's.", data=data)
        )

    # What happens

    @rule(number=HOSTS, away=booleans())
    def a_host_looks(self, number: int, away: bool) -> None:
        self.look(self.hosts[number], away)

    @rule(number=HOSTS, told=booleans())
    def a_host_leases(self, number: int, told: bool) -> None:
        host = self.hosts[number]
        if host.claim.ours and self.link(host, told) and not host.lease:
            self.leases += 1
            host.lease = self.leases

    @rule(number=HOSTS, told=booleans())
    def a_host_that_hears_of_no_other_looks_and_leases(self, number: int, told: bool) -> None:
        self.look(self.hosts[number], away=True)
        self.a_host_leases(number, told)

    @rule(number=HOSTS, fault=sampled_from(("stream", "host", "claim", "answer", "rows")))
    def something_is_lost(self, number: int, fault: str) -> None:
        host = self.hosts[number]
        if fault == "rows":
            self.rows.clear()
            return
        self.unlink(host)
        if fault != "stream":
            host.lease, host.claim, host.refusal = 0, PhoneClaims().of("p"), None
            host.claim.asked = True
            if host.epoch:
                host.claim.claim = Claim(host.epoch, host.id, host.id)
        if fault in ("claim", "answer"):
            host.epoch, host.claim.claim = 0, None
            if fault == "claim":
                self.rows.discard(host.id)

    @rule(there=booleans())
    def the_hostile_host_writes_its_row(self, there: bool) -> None:
        leases = [host.lease for host in self.hosts]
        (self.rows.add if there else self.rows.discard)(HOSTILE)
        for host in self.hosts:
            if host is self.user:
                assert isinstance(self.look(host, away=False), ClaimUse)
        assert [host.lease for host in self.hosts if host is self.user] == [
            lease for host, lease in zip(self.hosts, leases, strict=True) if host is self.user
        ]

    @invariant()
    def no_former_holder_can_act(self) -> None:
        if self.user is not None and self.user.lease:
            assert self.user.lease == self.leases

    def teardown(self) -> None:
        """Left alone, one host gets the phone, and keeps it."""
        for _ in range(8):
            for host in self.hosts:
                self.look(host, away=False)
                self.link(host)
        user, accepted = self.user, self.accepted
        assert user is not None
        for _ in range(3):
            for host in self.hosts:
                decision = self.look(host, away=False)
                assert isinstance(decision, ClaimUse if host is user else Leave)
                assert self.link(host) is (host is user)
        assert (self.user, self.accepted) == (user, accepted)


Courses.TestCase.settings = settings(max_examples=400, stateful_step_count=20)
test_any_course_of_claims = Courses.TestCase
