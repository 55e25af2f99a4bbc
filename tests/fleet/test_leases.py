"""Leases by themselves: who has a phone, since when, until when, and what becomes of calls."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress

import pytest

from handheld.errors import InvalidParams, TimedOut, ToolError
from handheld.phone.leases.lease import Lease, LeaseRefused, State, Use, clock_text, span_text
from handheld.phone.leases.leases import (
    CHECK_SECONDS,
    CLEAN_SECONDS,
    ENDED_BY_OWNER,
    GIVEN_BACK,
    IDLE,
    IDLE_SECONDS,
    MOST_OF_ONE,
    PATIENCE,
    REVOKED,
    TIME_OVER,
    Leases,
)
from harness.manual_clock import MORNING, ManualClock

DESK, RACK = frozenset({"desk", "R58M1"}), frozenset({"rack", "R58M2"})
HOUR = 3600.0


class LeasesAtHand:
    def __init__(self) -> None:
        self.clock = ManualClock()
        self.stamps: dict[str, float | None] = {}
        self.leases = Leases(self.clock, most=2, stamp=lambda token: self.stamps.get(token, 1.0))
        self.stopped: list[tuple[str, str]] = []

    async def take(
        self,
        token: str,
        names: frozenset[str] = DESK,
        seconds: float = HOUR,
        clean: Callable[[], Awaitable[object]] | None = None,
    ) -> Lease:
        return await self.leases.take(token, f"{token}'s", sorted(names)[-1], names, seconds, clean)

    def call(
        self,
        token: str,
        names: frozenset[str] = DESK,
        under: Lease | None = None,
        name: str = "tap",
    ) -> Use:
        return self.leases.begin(
            token, name, lambda: names, lambda why: self.stopped.append((token, why)), under
        )

    def refused(self, token: str, names: frozenset[str] = DESK, under: Lease | None = None) -> str:
        with pytest.raises(LeaseRefused) as refusal:
            self.call(token, names, under)
        return refusal.value.message


@pytest.fixture
async def bench() -> AsyncGenerator[LeasesAtHand]:
    made = LeasesAtHand()
    yield made
    await made.leases.aclose()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_nobody_needs_a_lease_until_somebody_takes_one(bench: LeasesAtHand) -> None:
    for token in ("ada", "bob"):
        bench.leases.end_use(bench.call(token))
    lease = await bench.take("ada")
    assert bench.refused("bob") == (
        f"desk is leased to ada's until {clock_text(MORNING + HOUR)}. Nothing was done, and "
        "others cannot see the phone. Use another phone, or try again later."
    )
    bench.leases.end_use(bench.call("ada"))
    bench.leases.end_use(bench.call("bob", RACK))
    bench.leases.end(lease, GIVEN_BACK)
    await settle()
    bench.leases.end_use(bench.call("bob"))


async def test_a_machine_that_sleeps_ends_leases_by_the_time_asleep(bench: LeasesAtHand) -> None:
    lease = await bench.take("ada")
    bench.clock.sleep_through(IDLE_SECONDS)
    assert "there was no call for 10 minutes" in bench.refused("ada", under=lease)
    await settle()
    assert (await bench.take("bob")).held


async def test_two_names_of_a_phone_have_one_lease(bench: LeasesAtHand) -> None:
    await bench.take("ada", frozenset({"desk", "R58M1"}))
    assert "leased" in bench.refused("bob", frozenset({"192.168.1.20:5555", "R58M1"}))
    with pytest.raises(LeaseRefused):
        await bench.take("bob", frozenset({"192.168.1.20:5555", "R58M1"}))


async def test_who_has_a_phone_is_found_without_a_look_at_the_tokens_of_others(
    bench: LeasesAtHand,
) -> None:
    asked: list[str] = []
    leases = Leases(bench.clock, most=2, stamp=lambda token: asked.append(token) or 1.0)
    for token, names in (("ada", DESK), ("bob", RACK)):
        await leases.take(token, token, sorted(names)[-1], names, HOUR)
    asked.clear()
    lease = leases.on(DESK)
    assert lease is not None
    assert lease.token == "ada"
    assert asked == ["ada"]
    await leases.aclose()


async def test_without_a_token_the_holder_is_the_owner(bench: LeasesAtHand) -> None:
    lease = await bench.take("")
    assert bench.call("owner").lease is lease
    assert bench.leases.of("owner") == bench.leases.of("") == [lease]


async def test_a_phone_is_handed_over_when_the_calls_of_others_have_ended(
    bench: LeasesAtHand,
) -> None:
    first, second = bench.call("bob"), bench.call("cy")
    own = bench.call("ada")
    taking = asyncio.ensure_future(bench.take("ada"))
    await bench.clock.until_waits(PATIENCE)
    assert "is being taken by ada's" in bench.refused("bob")
    bench.leases.end_use(first)
    await settle()
    assert not taking.done()
    bench.leases.end_use(second)
    lease = await taking
    assert lease.held
    assert own.lease is lease
    assert bench.stopped == []


async def test_a_call_of_another_that_does_not_end_keeps_the_phone(bench: LeasesAtHand) -> None:
    bench.call("bob", name="android_swipe")
    taking = asyncio.ensure_future(bench.take("ada"))
    await bench.clock.until_waits(PATIENCE)
    await bench.clock.advance(PATIENCE)
    with pytest.raises(TimedOut, match=r"busy: android_swipe, of another client, .* not taken"):
        await taking
    assert bench.leases.all() == []
    bench.call("bob")


async def test_a_taker_that_goes_away_while_it_waits_takes_nothing(bench: LeasesAtHand) -> None:
    use = bench.call("bob")
    own = bench.call("ada")
    taking = asyncio.ensure_future(bench.take("ada"))
    await bench.clock.until_waits(PATIENCE)
    taking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await taking
    assert bench.leases.all() == []
    assert own.lease is None
    bench.leases.end_use(use)
    bench.leases.end_use(own)
    assert (await bench.take("cy")).held


async def test_a_lease_ends_without_calls_and_every_call_renews_it(bench: LeasesAtHand) -> None:
    lease = await bench.take("ada")
    await bench.clock.advance(IDLE_SECONDS - 1)
    use = bench.call("ada")
    await bench.clock.advance(IDLE_SECONDS + 60)  # a call that runs is use
    assert lease.held
    bench.leases.end_use(use)
    await bench.clock.advance(IDLE_SECONDS - 1)
    assert lease.held
    await bench.clock.advance(1)
    assert (lease.state, lease.why) == (State.OVER, IDLE)


async def test_the_end_as_asked_for_is_absolute(bench: LeasesAtHand) -> None:
    lease = await bench.take("ada", seconds=1200)
    use = bench.call("ada")
    for _ in range(19):
        await bench.clock.advance(60)
        bench.leases.renew(lease)
        bench.leases.end_use(bench.call("ada"))
    await bench.clock.advance(59)
    assert lease.held
    await bench.clock.advance(1)
    assert (lease.state, lease.why) == (State.ENDING, TIME_OVER)
    assert bench.stopped == [("ada", TIME_OVER)]
    assert "is ending" in bench.refused("bob")
    bench.leases.end_use(use)
    await settle()
    bench.call("bob")


async def test_a_late_timer_lets_no_call_begin_after_the_end(bench: LeasesAtHand) -> None:
    lease = await bench.take("ada", seconds=60)
    bench.clock._now += 60  # pyright: ignore[reportPrivateUsage]
    assert "the requested time is over" in bench.refused("ada", under=lease)
    assert not lease.held


async def test_the_phone_is_not_free_before_the_last_call_has_ended(bench: LeasesAtHand) -> None:
    lease = await bench.take("ada")
    use = bench.call("ada")
    bench.leases.end(lease, GIVEN_BACK)
    assert bench.stopped == [("ada", GIVEN_BACK)]
    with pytest.raises(LeaseRefused, match="is ending"):
        await bench.take("bob")
    over = asyncio.ensure_future(bench.leases.wait_over(lease, PATIENCE))
    await settle()
    assert not over.done()
    bench.leases.end_use(use)
    assert await over
    assert (await bench.take("bob")).held


async def test_waiting_for_the_end_is_bounded(bench: LeasesAtHand) -> None:
    lease = await bench.take("ada")
    bench.call("ada")
    bench.leases.end(lease, GIVEN_BACK)
    over = asyncio.ensure_future(bench.leases.wait_over(lease, 30.0))
    await bench.clock.until_waits(30.0)
    await bench.clock.advance(30.0)
    assert not await over


@pytest.mark.parametrize("why", [TIME_OVER, IDLE, ENDED_BY_OWNER])
async def test_a_former_holder_is_told_once_and_whenever_it_uses_the_handle(
    bench: LeasesAtHand, why: str
) -> None:
    lease = await bench.take("ada")
    bench.leases.end(lease, why)
    await settle()
    assert bench.leases.tell("bob") == ""
    said = bench.refused("ada")
    assert said.startswith("Nothing was done. Your lease of desk ended at ")
    assert f": {why}. desk is free: take it again" in said
    bench.leases.end_use(bench.call("ada"))
    other = await bench.take("bob")
    with pytest.raises(LeaseRefused, match=r"desk is leased to bob's until .*, since ") as old:
        bench.leases.find(lease.handle, "ada")
    assert other.handle not in old.value.message
    with pytest.raises(LeaseRefused, match="has no lease with that handle"):
        bench.leases.find(lease.handle, "bob")


async def test_a_handle_of_another_token_is_as_unknown_as_a_guessed_one(
    bench: LeasesAtHand,
) -> None:
    lease = await bench.take("ada")
    said: set[str] = set()
    for handle in (lease.handle, "lease-", "lease-aaaaaaaaaaaa", "lease-\ud800", "lease-é" * 999):
        with pytest.raises(LeaseRefused) as refusal:
            bench.leases.find(handle, "bob")
        said.add(refusal.value.message)
    assert len(said) == 1
    assert lease.phone not in said.pop()
    assert bench.leases.find(lease.handle, "ada") is lease


async def test_handles_differ(bench: LeasesAtHand) -> None:
    handles: set[str] = set()
    for _ in range(100):
        lease = await bench.take("ada")
        handles.add(lease.handle)
        bench.leases.end(lease, GIVEN_BACK)
        await settle()
    assert len(handles) == 100
    assert all(len(each) == 18 for each in handles)


async def test_a_call_found_by_a_lease_does_not_begin_after_its_end(bench: LeasesAtHand) -> None:
    """Also when another call was told of the end meanwhile."""
    lease = await bench.take("ada")
    bench.leases.end(lease, TIME_OVER)
    await settle()
    assert bench.leases.tell("ada")
    assert TIME_OVER in bench.refused("ada", under=lease)


async def test_a_lease_ends_with_its_token(bench: LeasesAtHand) -> None:
    lease = await bench.take("ada")
    bench.stamps["ada"] = None
    await bench.clock.advance(CHECK_SECONDS)
    assert (lease.state, lease.why) == (State.OVER, REVOKED)
    lease = await bench.take("bob")
    bench.stamps["bob"] = None
    bench.call("cy", RACK)
    assert bench.leases.on(DESK) is lease
    assert lease.state is State.ENDING
    with pytest.raises(LeaseRefused, match="token is no longer valid"):
        await bench.take("bob", RACK)


async def test_a_new_token_of_the_same_name_has_neither_lease_nor_news(bench: LeasesAtHand) -> None:
    first = await bench.take("ada")
    bench.leases.end(first, TIME_OVER)
    await settle()
    second = await bench.take("ada")
    bench.stamps["ada"] = 2.0
    assert bench.leases.of("ada") == []
    await settle()
    bench.leases.end_use(bench.call("ada"))
    for lease in (first, second):
        with pytest.raises(LeaseRefused, match="has no lease with that handle"):
            bench.leases.find(lease.handle, "ada")


async def test_a_token_has_so_many_leases_at_a_time(bench: LeasesAtHand) -> None:
    lease = await bench.take("ada", DESK)
    await bench.take("ada", RACK)
    with pytest.raises(InvalidParams, match=r"at most 2 leases .* desk \(lease-.*rack \(lease-"):
        await bench.take("ada", frozenset({"third"}))
    await bench.take("bob", frozenset({"third"}))
    bench.leases.end(lease, GIVEN_BACK)
    await settle()
    await bench.take("ada", DESK)


async def test_pending_leases_count(bench: LeasesAtHand) -> None:
    takings: list[asyncio.Future[Lease]] = []
    for names in (DESK, RACK):
        bench.call("bob", names)
        takings.append(asyncio.ensure_future(bench.take("ada", names)))
    await settle()
    with pytest.raises(InvalidParams, match="at most 2"):
        await bench.take("ada", frozenset({"third"}))
    for taking in takings:
        taking.cancel()
        with suppress(asyncio.CancelledError):
            await taking


async def test_the_owner_ends_a_lease_that_is_pending(bench: LeasesAtHand) -> None:
    bench.call("bob")
    taking = asyncio.ensure_future(bench.take("ada"))
    await bench.clock.until_waits(PATIENCE)
    [lease] = bench.leases.all()
    bench.leases.end(lease, ENDED_BY_OWNER)
    with pytest.raises(LeaseRefused, match=f"desk was not taken: {ENDED_BY_OWNER}"):
        await taking
    await settle()
    assert bench.leases.all() == []
    assert bench.leases.tell("ada") == ""


async def test_the_least_used_phone_comes_first(bench: LeasesAtHand) -> None:
    def order() -> list[frozenset[str]]:
        return sorted((RACK, DESK), key=lambda names: bench.leases.preference(names, "ada"))

    assert order()[0] == RACK  # as given: both are new
    bench.leases.end(await bench.take("ada", RACK), GIVEN_BACK)
    await settle()
    assert order() == [DESK, RACK]
    bench.leases.end(await bench.take("ada", DESK), GIVEN_BACK)
    await settle()
    bench.leases.end(await bench.take("ada", DESK), GIVEN_BACK)
    await settle()
    assert order() == [RACK, DESK]
    bench.call("bob", RACK)
    assert order() == [DESK, RACK]


async def test_a_phone_is_cleaned_up_between_the_last_call_and_the_next_lease(
    bench: LeasesAtHand,
) -> None:
    order: list[str] = []
    gate = asyncio.Event()

    async def clean() -> None:
        order.append("clean")
        await gate.wait()

    lease = await bench.take("ada", clean=clean)
    use = bench.call("ada")
    bench.leases.end(lease, GIVEN_BACK)
    await settle()
    assert order == []
    bench.leases.end_use(use)
    await settle()
    assert order == ["clean"]
    assert "is ending" in bench.refused("bob")
    gate.set()
    await settle()
    assert (await bench.take("bob")).fault == ""


async def test_a_phone_that_another_host_has_is_not_cleaned_up(bench: LeasesAtHand) -> None:
    cleaned: list[str] = []

    async def clean() -> None:
        cleaned.append("clean")

    lease = await bench.take("ada", clean=clean)
    bench.leases.end(lease, "another host has it", moved=True)
    assert await bench.leases.wait_over(lease, 1)
    assert cleaned == []


@pytest.mark.parametrize("fault", ["refuses", "breaks", "hangs"])
async def test_a_clean_up_that_failed_is_told_to_the_next_taker(
    bench: LeasesAtHand, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def clean() -> None:
        if fault == "hangs":
            await asyncio.Event().wait()
        raise ToolError("The phone is off.") if fault == "refuses" else ZeroDivisionError

    lease = await bench.take("ada", clean=clean)
    bench.leases.end(lease, GIVEN_BACK)
    if fault == "hangs":
        await bench.clock.until_waits(CLEAN_SECONDS)
        await bench.clock.advance(CLEAN_SECONDS)
    await settle()
    said = {"refuses": "The phone is off", "breaks": "it broke"}
    assert (await bench.take("bob")).fault == said.get(fault, "it took longer than 60 s")
    assert "desk was not cleaned up after a lease" in caplog.text


async def test_the_last_tenth_is_said(bench: LeasesAtHand) -> None:
    lease = await bench.take("ada", seconds=HOUR)
    said: list[str] = []
    for _ in range(60):
        bench.leases.renew(lease)
        said.append(lease.describe_last_part(bench.clock.now()))
        await bench.clock.advance(60)
    assert said[:54] == [""] * 54
    assert said[54:56] == ["The lease of desk ends in 6 min.", "The lease of desk ends in 5 min."]
    assert said[-1] == "The lease of desk ends in 60 s."


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59.6, "60 s"), (119, "119 s"), (120, "2 min"), (28_800, "480 min")],
)
def test_spans_are_short(seconds: float, text: str) -> None:
    assert span_text(seconds) == text


async def test_old_leases_of_one_token_push_out_only_its_own(bench: LeasesAtHand) -> None:
    kept = await bench.take("bob", RACK)
    bench.leases.end(kept, TIME_OVER)
    ended: list[Lease] = []
    for _ in range(MOST_OF_ONE + 1):
        ended.append(await bench.take("ada"))
        bench.leases.end(ended[-1], TIME_OVER)
        await settle()
    with pytest.raises(LeaseRefused, match="Your lease of rack ended"):
        bench.leases.find(kept.handle, "bob")
    with pytest.raises(LeaseRefused, match="no lease with that handle"):
        bench.leases.find(ended[0].handle, "ada")
    with pytest.raises(LeaseRefused, match="Your lease of desk ended"):
        bench.leases.find(ended[1].handle, "ada")


async def test_whoever_watches_hears_of_each_change(bench: LeasesAtHand) -> None:
    with bench.leases.changes.watch() as changed:
        lease = await bench.take("ada")
        assert changed.is_set()
        changed.clear()
        bench.leases.end(lease, GIVEN_BACK)
        assert changed.is_set()
        changed.clear()
        await settle()
        assert changed.is_set()


async def test_nothing_waits_while_there_is_no_lease(bench: LeasesAtHand) -> None:
    assert not bench.leases.active
    lease = await bench.take("ada")
    assert bench.clock.waits == [CHECK_SECONDS]
    bench.leases.end(lease, GIVEN_BACK)
    await bench.clock.advance(CHECK_SECONDS)
    assert bench.clock.waits == []
    assert not bench.leases.active
