"""Who gets a phone that two hosts can reach: every decision, and any course of them."""

from dataclasses import dataclass, field

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from hypothesis.strategies import booleans, sampled_from

from handheld.engine.claims import ClaimRow
from handheld.fleet.claiming import Leave, Sight, Stay, Take, decide
from handheld.helper.claim import PhoneClaim, PhoneClaims, Refusal
from handheld.helper.protocol import Claim, Code, HelperFailure

HOSTS = sampled_from((0, 1))
ME, OTHER = "h-me", "h-other"
MINE, THEIRS = ClaimRow(ME, "me", 0, 5), ClaimRow(OTHER, "other", 2, 5)
LIVE, GONE = Refusal(Claim(9, OTHER, "other"), True), Refusal(Claim(9, OTHER, "other"), False)
OWN = Refusal(Claim(9, ME, "me"), True)


@pytest.mark.parametrize(
    ("epoch", "row", "away", "refusal", "expected"),
    [
        # Nobody's.
        (0, None, False, None, Take(0, 0)),
        (6, None, False, None, Take(0, 6)),
        (6, None, False, GONE, Take(0, 9)),
        (6, None, False, LIVE, Leave("other")),
        # Ours.
        (0, MINE, False, None, Take(5, 0)),
        (5, MINE, False, None, Stay(5)),
        (6, MINE, False, None, Stay(6)),
        (5, MINE, False, GONE, Take(5, 9)),
        (5, MINE, False, LIVE, Leave("other")),
        (5, MINE, False, OWN, Take(5, 9)),
        # Another's.
        (0, THEIRS, False, None, Leave("other")),
        (0, THEIRS, True, None, Take(5, 2)),
        (0, THEIRS, True, LIVE, Take(5, 9)),
        (7, THEIRS, False, None, Leave("other")),
        (7, THEIRS, False, LIVE, Leave("other")),
        (8, THEIRS, False, None, Take(5, 8)),
        (8, THEIRS, False, GONE, Take(5, 9)),
    ],
)
def test_what_a_host_does_by_what_it_knows(
    epoch: int,
    row: ClaimRow | None,
    away: bool,
    refusal: Refusal | None,
    expected: Stay | Take | Leave,
) -> None:
    decision = decide(Sight(ME, epoch, row, away, refusal))
    assert decision == expected
    if isinstance(decision, Take):
        # The new number is above all that is known.
        revision = (row.revision if row else 0) + 1
        known = [epoch, row.epoch if row else 0, refusal.claim.epoch if refusal else 0]
        assert decision.above + revision > max(known)


@dataclass(eq=False)
class Host:
    id: str
    claim: PhoneClaim
    epoch: int = 0
    lease: int = 0
    """Its number in the fleet; 0 without one."""


@dataclass
class Engine:
    rows: list[ClaimRow | None] = field(default_factory=lambda: [None])

    @property
    def revision(self) -> int:
        return len(self.rows) - 1


class Courses(RuleBasedStateMachine):
    """A phone, two hosts, and an engine that may forget."""

    def __init__(self) -> None:
        super().__init__()
        claims = [PhoneClaims(), PhoneClaims()]
        for each in claims:
            each.required = True
        self.hosts = [Host(f"h-{n}", each.of("p")) for n, each in enumerate(claims)]
        self.engine = Engine()
        self.accepted: Claim | None = None
        self.user: Host | None = None
        self.leases = 0
        self.releases: list[ClaimRow] = []
        """Those on their way to the engine."""

    # What a host does

    def look(self, host: Host, away: bool) -> Stay | Take | Leave:
        claim, row = host.claim, self.engine.rows[-1]
        if claim.refusal is not None:
            host.lease = 0
        away = away and row is not None and row.host != host.id
        decision = decide(Sight(host.id, host.epoch, row, away, claim.refusal))
        if isinstance(decision, Stay):
            self.use(host, decision.epoch)
        elif isinstance(decision, Take):
            assert decision.revision in (0, row.revision if row else 0)
            revision = self.engine.revision + 1
            self.engine.rows.append(ClaimRow(host.id, host.id, decision.above, revision))
            self.use(host, decision.above + revision)
        elif row is not None and row.host == host.id:
            claim.refusal, claim.elsewhere = None, ""
            self.link(host)
        else:
            host.lease = host.epoch = 0
            claim.claim, claim.refusal, claim.elsewhere = None, None, "another has it"
            self.unlink(host)
        return decision

    def use(self, host: Host, epoch: int) -> None:
        given = Claim(epoch, host.id, host.id)
        if epoch != host.epoch:
            host.lease, host.epoch = 0, epoch
        if given != host.claim.claim:
            self.unlink(host)
        host.claim.claim, host.claim.refusal, host.claim.elsewhere = given, None, ""

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
        if self.link(host, told) and not host.lease:
            self.leases += 1
            host.lease = self.leases

    @rule(number=HOSTS, told=booleans())
    def a_host_that_hears_of_no_other_looks_and_leases(self, number: int, told: bool) -> None:
        self.look(self.hosts[number], away=True)
        self.a_host_leases(number, told)

    @rule(number=HOSTS, fault=sampled_from(("stream", "host", "claim", "answer", "row", "table")))
    def something_is_lost(self, number: int, fault: str) -> None:
        host, row = self.hosts[number], self.engine.rows[-1]
        if fault in ("row", "table"):
            self.engine.rows = self.engine.rows[: -1 if fault == "row" else 0] or [None]
            return
        self.unlink(host)
        if fault != "stream":
            host.lease, host.claim = 0, PhoneClaims().of("p")
        if fault in ("claim", "answer"):
            host.epoch = 0
            if row is not None and row.host == host.id:
                self.releases.append(row)
                if fault == "claim":
                    self.a_release_arrives()

    @precondition(lambda self: self.releases)
    @rule()
    def a_release_arrives(self) -> None:
        row = self.releases.pop()
        if row is self.engine.rows[-1]:
            assert not any(host.lease for host in self.hosts if host.id == row.host)
            self.engine.rows.append(None)

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
                assert isinstance(decision, Stay if host is user else Leave)
                assert self.link(host) is (host is user)
        assert (self.user, self.accepted) == (user, accepted)


Courses.TestCase.settings = settings(max_examples=400, stateful_step_count=20)
test_any_course_of_claims = Courses.TestCase
