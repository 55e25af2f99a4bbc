"""The wall clock is set forward or back: no limit is lifted by it, and no question stays open."""

import asyncio
import json
from pathlib import Path

import pytest

from access.test_questions import a_call, runs
from handheld.access.allowance import HOUR, Allowance
from handheld.access.approval import WAIT_SECONDS, ApprovalGate
from handheld.access.tokens import Tokens
from handheld.phone.leases.lease import LeaseRefused
from handheld.phone.leases.leases import Leases
from handheld.settings.rules import Rules
from harness.manual_clock import ManualClock

ATTACK = "a clock that is set"
JUMPS = (-9 * HOUR, -HOUR, HOUR, 9 * HOUR)
jumping = pytest.mark.parametrize("jump", JUMPS)


@jumping
async def test_messages_of_an_hour_stay_counted(tmp_path: Path, jump: float) -> None:
    clock = ManualClock()

    def take() -> bool:
        return Allowance(tmp_path / "sent.json", 2, clock).take()

    assert [take() for _ in range(3)] == [True, True, False]
    clock.set_time(clock.time() + jump)
    assert not take()
    await clock.advance(HOUR - 1)
    assert not take()
    await clock.advance(1)
    assert [take() for _ in range(3)] == [True, True, False]


def test_messages_are_counted_where_the_computer_was_started_again(tmp_path: Path) -> None:
    before, after = ManualClock(), ManualClock()
    before.put_forward(1_000_000)
    after.set_time(before.time() + 60)
    file = tmp_path / "sent.json"
    assert Allowance(file, 1, before).take()
    assert not Allowance(file, 1, after).take()


def test_a_count_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    clock, file = ManualClock(), tmp_path / "sent.json"
    file.write_text(json.dumps([clock.time() - 60]), encoding="utf-8")
    assert not Allowance(file, 1, clock).take()


@jumping
async def test_a_question_is_open_for_its_time(jump: float) -> None:
    clock = ManualClock()
    gate = ApprovalGate(Rules(ask=["tap"]), clock=clock)
    gate.consoles = 1
    asking = asyncio.create_task(runs(gate, a_call("tap")))
    await clock.until_waits(WAIT_SECONDS)
    clock.set_time(clock.time() + jump)
    await clock.advance(WAIT_SECONDS - 1)
    [pending] = gate.pending()
    await clock.advance(1)
    assert gate.pending() == []
    assert not gate.answer(pending.id, True, "owner")
    assert await asking is False


@jumping
async def test_a_lease_ends_when_it_should(jump: float) -> None:
    clock = ManualClock()
    leases = Leases(clock)
    try:
        lease = await leases.take("ada", "Ada", "desk", {"desk"}, 120.0)
        clock.set_time(clock.time() + jump)
        await clock.advance(119)
        with pytest.raises(LeaseRefused):
            await leases.take("bob", "Bob", "desk", {"desk"}, 60.0)
        await clock.advance(1)
        assert not lease.held
    finally:
        await leases.aclose()


def test_a_token_ends_at_its_date_by_the_clock_of_the_computer(tmp_path: Path) -> None:
    clock = ManualClock()
    tokens = Tokens(tmp_path / "tokens.json", clock=clock)
    secret = tokens.make("reader", expires=clock.time() + HOUR)
    assert tokens.recognise(secret) is not None
    clock.set_time(clock.time() + HOUR)
    assert tokens.recognise(secret) is None
