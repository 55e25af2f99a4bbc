"""Which host a phone accepts, of several that can reach it."""

import asyncio
from typing import Any

import pytest

from handheld.helper.protocol import CLAIM_FILE, Claim, Frame, FrameKind, decode_json

from .conftest import Stage
from .host import Host
from .java_stage import JavaStage

DESK, RACK = "h0000000desk", "h0000000rack"


def claim(epoch: int, host: str = DESK) -> Claim:
    return Claim(epoch, host, "desk" if host == DESK else "rack")


async def start(stage: Stage, accepted: Claim | None) -> tuple[Host, Frame]:
    [started] = await start_all(stage, accepted)
    return started


async def start_all(stage: Stage, *claims: Claim | None) -> list[tuple[Host, Frame]]:
    """Start helpers at once; time passes until they have ended the one before."""
    starting = asyncio.gather(*(stage.start("suite", each) for each in claims))
    while not starting.done():
        if stage.clock.sleepers:
            await stage.clock.advance(10)
        await asyncio.sleep(0)
    return await starting


def refused(frame: Frame) -> dict[str, Any]:
    assert (frame.kind, frame.call) == (FrameKind.ERROR, 0)
    return decode_json(frame.payload)


def touches(stage: Stage) -> list[tuple[Any, ...]]:
    return [event.details for event in stage.world.events if event.kind == "touch"]


def spoil(stage: Stage, content: bytes) -> None:
    if isinstance(stage, JavaStage):
        stage.claim_file.write_bytes(content)
    else:
        stage.files.write(CLAIM_FILE, content, 0o600)


async def test_hello_repeats_the_claim_that_was_accepted(stage: Stage) -> None:
    _, frame = await start(stage, claim(7))
    assert frame.kind == FrameKind.HELLO
    told = decode_json(frame.payload)["claim"]
    assert told == {"epoch": 7, "host": DESK, "name": "desk"}


@pytest.mark.parametrize("second", [claim(8), claim(8, RACK), claim(7)])
async def test_the_phone_accepts_a_higher_number_and_its_own_host_again(
    stage: Stage, second: Claim
) -> None:
    first, _ = await start(stage, claim(7))
    await first.end()
    await first.ended()
    _, frame = await start(stage, second)
    assert frame.kind == FrameKind.HELLO


@pytest.mark.parametrize("second", [claim(6), claim(6, RACK), claim(7, RACK)])
@pytest.mark.parametrize("live", [True, False])
async def test_the_phone_refuses_a_lower_number_and_the_same_of_another_host(
    stage: Stage, second: Claim, live: bool
) -> None:
    first, _ = await start(stage, claim(7))
    if not live:
        await first.end()
        await first.ended()
    other, frame = await start(stage, second)
    error = refused(frame)
    assert (error["code"], error["happened"]) == ("claimed", "no")
    assert error["data"] == {"epoch": 7, "host": DESK, "name": "desk", "live": live}
    assert error["message"] == "The host desk has claimed this phone, by number 7."
    assert await other.ended() == 1
    if live:
        await first.ping()


async def test_a_claim_outlives_the_helper_that_is_killed(stage: Stage) -> None:
    first, _ = await start(stage, claim(7))
    await first.kill()
    _, frame = await start(stage, claim(6, RACK))
    assert refused(frame)["code"] == "claimed"


@pytest.mark.parametrize("second", [claim(8, RACK), claim(7)])
async def test_by_accepting_a_host_the_phone_ends_the_former_stream(
    stage: Stage, second: Claim
) -> None:
    """Its fingers are lifted before the new one is told."""
    first, _ = await start(stage, claim(7))
    await first.call("touch", {"strokes": [[[10, 300, 0], [10, 900, 60_000]]]}, act=True)
    await first.call("touch", {"strokes": [[[20, 300, 0]]]}, act=True)
    await first.settle()
    assert [event[0] for event in touches(stage)] == ["down"]
    _, frame = await start(stage, second)
    assert frame.kind == FrameKind.HELLO
    events = touches(stage)
    assert (events[0][0], events[-1][0]) == ("down", "cancel")
    assert {event[0] for event in events[1:-1]} <= {"move"}
    assert await first.ended() == 3
    assert touches(stage) == events


async def test_the_former_host_is_told_who_has_the_phone_now(stage: Stage) -> None:
    first, _ = await start(stage, claim(7))
    await start(stage, claim(8, RACK))
    assert await first.ended() == 3
    error = first.why_ended
    assert error["code"] == "claimed"
    assert error["data"] == {"epoch": 8, "host": RACK, "name": "rack", "live": True}


@pytest.mark.slow
async def test_a_host_that_does_not_read_is_ended_too(stage: Stage) -> None:
    first, _ = await start(stage, claim(7))
    for _ in range(3):
        await first.call("capture", {"max_size": None, "format": "png", "quality": 90})
    _, frame = await start(stage, claim(8, RACK))
    assert frame.kind == FrameKind.HELLO


async def test_of_two_that_come_at_once_the_higher_number_stays(stage: Stage) -> None:
    await start(stage, claim(7))
    second, third = await start_all(stage, claim(8, RACK), claim(9, DESK))
    if second[1].kind == FrameKind.ERROR:
        assert refused(second[1])["data"]["epoch"] == 9
    assert third[1].kind == FrameKind.HELLO
    await third[0].ping()


async def test_a_host_without_a_claim_uses_a_phone_that_nobody_uses(stage: Stage) -> None:
    first, _ = await start(stage, claim(7))
    _, frame = await start(stage, None)
    error = refused(frame)
    assert error["code"] == "in_use"
    assert error["data"]["claim"] == {"epoch": 7, "host": DESK, "name": "desk"}
    await first.end()
    await first.ended()
    without, frame = await start(stage, None)
    assert frame.kind == FrameKind.HELLO
    assert "claim" not in decode_json(frame.payload)
    # It is not ended by one with a claim, and the number stays.
    _, frame = await start(stage, claim(8))
    assert refused(frame)["code"] == "in_use"
    await without.ping()
    await without.end()
    await without.ended()
    _, frame = await start(stage, claim(7, RACK))
    assert refused(frame)["code"] == "claimed"


@pytest.mark.parametrize(
    "content", [b"{}", b"7", b"1 0:h:n", b"x 1:h:n", b"1 1:h\xff:n", b"\0" * 64]
)
async def test_a_claim_that_cannot_be_read_is_not_taken_for_none(
    stage: Stage, content: bytes
) -> None:
    spoil(stage, content)
    _, frame = await start(stage, claim(7))
    error = refused(frame)
    assert (error["code"], error["happened"]) == ("failed", "no")
    assert "cannot keep the claim of its host" in error["message"]
    assert "handheld.claim" in error["message"]
    _, frame = await start(stage, None)
    assert frame.kind == FrameKind.HELLO


async def test_an_empty_file_is_no_claim(stage: Stage) -> None:
    spoil(stage, b"")
    _, frame = await start(stage, claim(1))
    assert frame.kind == FrameKind.HELLO
