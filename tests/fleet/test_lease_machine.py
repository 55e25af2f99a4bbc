"""Leases under any order of calls, takes, ends and time: a state machine on the clock of tests."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
)

from handheld.errors import ToolError
from handheld.phone.leases.lease import Lease, LeaseRefused, State, Use
from handheld.phone.leases.leases import ENDED_BY_OWNER, GIVEN_BACK, IDLE_SECONDS, PATIENCE, Leases
from harness.manual_clock import ManualClock

Result = TypeVar("Result")

# The first two are one phone, by two addresses.
PHONES = (frozenset({"usb", "R1"}), frozenset({"wifi", "R1"}), frozenset({"rack"}))
TOKENS = ("ada", "bob", "")
SLACK = 1.0


class LeaseMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.run(self._begin())

    async def _begin(self) -> None:
        self.clock = ManualClock()
        self.stamps: dict[str, float] = {"ada": 1.0, "bob": 1.0, "owner": 1.0}
        self.leases = Leases(self.clock, most=2, stamp=self.stamps.get)
        self.calls: list[tuple[Use, frozenset[str]]] = []
        self.stopping: set[Use] = set()
        self.takes: list[tuple[asyncio.Future[Lease], float, frozenset[str]]] = []
        self.granted: list[Lease] = []
        self.cleaning: set[frozenset[str]] = set()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        async def settled() -> Result:
            result = await work
            for _ in range(20):
                await asyncio.sleep(0)
            return result

        return self.loop.run_until_complete(settled())

    def teardown(self) -> None:
        async def end() -> None:
            for take, _, _ in self.takes:
                take.cancel()
            await asyncio.gather(*(take for take, _, _ in self.takes), return_exceptions=True)
            await self.leases.aclose()

        self.run(end())
        self.loop.close()

    def _holder(self, phone: frozenset[str]) -> Lease | None:
        held = [each for each in self.granted if each.held and each.names & phone]
        assert len(held) <= 1, "two holders of one phone"
        return held[0] if held else None

    @rule(token=st.sampled_from(TOKENS), phone=st.sampled_from(PHONES), minutes=st.integers(1, 30))
    def take(self, token: str, phone: frozenset[str], minutes: int) -> None:
        async def clean() -> None:
            running = [use for use, on in self.calls if on & phone and use.lease is not None]
            assert not running, "a call of the last holder ran during the clean-up"
            self.cleaning.add(phone)
            await asyncio.sleep(0)
            self.cleaning.discard(phone)

        async def begin() -> asyncio.Future[Lease]:
            label = sorted(phone)[-1]
            return asyncio.ensure_future(
                self.leases.take(token, f"{token}!", label, phone, minutes * 60.0, clean)
            )

        self.takes.append((self.run(begin()), self.clock.now(), phone))
        self._answer()

    def _answer(self) -> None:
        for each in list(self.takes):
            take, asked, phone = each
            if not take.done():
                assert self.clock.now() - asked <= PATIENCE + SLACK, "a taker was not answered"
                continue
            self.takes.remove(each)
            if take.cancelled() or isinstance(take.exception(), ToolError):
                continue
            lease = take.result()
            others = [use for use, on in self.calls if on & phone and use.token != lease.token]
            assert not others, "granted while calls of others ran"
            assert all(not on & phone for on in self.cleaning), "granted during a clean-up"
            self.granted.append(lease)

    @rule(
        token=st.sampled_from(TOKENS),
        phone=st.sampled_from(PHONES),
        by=st.integers(0, 5),
        handle=st.booleans(),
    )
    def call(self, token: str, phone: frozenset[str], by: int, handle: bool) -> None:
        under = self.granted[-1 - by] if handle and by < len(self.granted) else None
        if under is not None:
            phone, token = under.names, under.token
        use: Use | None = None

        def stop(why: str) -> None:
            assert use is not None
            self.stopping.add(use)

        async def begin() -> Use:
            return self.leases.begin(token, "tap", lambda: phone, stop, under)

        try:
            use = self.run(begin())
        except LeaseRefused:
            return
        holder = self._holder(phone)
        assert under is None or under.held, "a call of a former holder began"
        assert holder is None or use.lease is holder, "a call of another began on a leased phone"
        left = [
            each
            for each, on in self.calls
            if on & phone and each.lease is not None and each.lease.token != use.token
        ]
        assert not left, "a call began while one of the last holder ran"
        self.calls.append((use, phone))

    @precondition(lambda self: self.calls)
    @rule(data=st.data())
    def end_call(self, data: st.DataObject) -> None:
        each = data.draw(st.sampled_from(self.calls))
        self.calls.remove(each)
        self.stopping.discard(each[0])

        async def end() -> None:
            self.leases.end_use(each[0])

        self.run(end())
        self._answer()

    @precondition(lambda self: self.leases.all())
    @rule(data=st.data(), why=st.sampled_from((GIVEN_BACK, ENDED_BY_OWNER)))
    def end_lease(self, data: st.DataObject, why: str) -> None:
        lease = data.draw(st.sampled_from(self.leases.all()))

        async def end() -> None:
            self.leases.end(lease, why)

        self.run(end())
        self._answer()

    @precondition(lambda self: self.takes)
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        take, _, _ = data.draw(st.sampled_from(self.takes))

        async def cancel() -> None:
            take.cancel()

        self.run(cancel())
        self._answer()

    @rule(token=st.sampled_from(("ada", "bob")))
    def renew_token(self, token: str) -> None:
        """It is revoked, and made again under the same name."""
        self.stamps[token] += 1

        async def look() -> None:
            assert self.leases.of(token) == []

        self.run(look())
        self._answer()

    @rule(seconds=st.sampled_from((1.0, 7.0, 31.0, 300.0, IDLE_SECONDS, 1800.0)))
    def wait(self, seconds: float) -> None:
        self.run(self.clock.advance(seconds))
        # A call that is to stop ends soon.
        for use in list(self.stopping):
            self.end_stopped(use)
        self._answer()

    def end_stopped(self, use: Use) -> None:
        self.stopping.discard(use)
        self.calls = [each for each in self.calls if each[0] is not use]

        async def end() -> None:
            self.leases.end_use(use)

        self.run(end())

    @invariant()
    def one_holder(self) -> None:
        for phone in PHONES:
            self._holder(phone)

    @invariant()
    def in_time(self) -> None:
        async def check() -> None:
            now = self.clock.now()
            for lease in self.leases.all():
                if not lease.held:
                    continue
                assert now < lease.began + lease.seconds
                assert lease.uses or now < lease.used + IDLE_SECONDS
                assert lease.stamp == self.stamps[lease.token]

        self.run(check())
        self._answer()

    @invariant()
    def ended_leases_stop_their_calls(self) -> None:
        for use, _ in self.calls:
            if use.lease is not None and not use.lease.held:
                pending = use.lease.state is State.PENDING
                assert pending or use in self.stopping, "a call goes on after the end of its lease"

    @invariant()
    def no_token_has_too_many(self) -> None:
        for token in ("ada", "bob", "owner"):
            own = [each for each in self.leases.all() if each.token == token and each.open]
            assert len(own) <= 2


LeaseMachine.TestCase.settings = settings(stateful_step_count=30)
TestLeases = LeaseMachine.TestCase
