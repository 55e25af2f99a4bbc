"""The check of `make chaos WHAT=fleet`, on a host that is broken and on one that is not."""

import asyncio
import signal

import pytest
from chaos.calls import Effect, Outcome
from chaos.fleet.check import (
    FLEET,
    GOT,
    IS_ELSEWHERE,
    LATE,
    FleetCall,
    Touch,
    check_fleet,
    check_got,
)
from chaos.phone import NotedEvents

from handheld.access.request_scope import EVERYTHING
from handheld.fleet import call_service
from handheld.fleet.messages import HostCall
from handheld.fleet.nats.frames import NatsFrame
from handheld.fleet.nats.names import to_host
from handheld.tools.call import Caller
from harness.polling import HANG

from .fleet_lab import Fleet, ShiftedClock

pytestmark = pytest.mark.needs_nats
HOUR = 3600.0


def test_what_reaches_a_hostile_host_is_found_unless_its_client_was_told() -> None:
    told = FleetCall("ann", FLEET, "android_tap", (), HOUR, 10.0)
    told.text, told.took = f"failed: left was at desk. The host evil {IS_ELSEWHERE}.", 1.0
    got = [(5.0, "ann", "android_tap"), (12.0, "ann", "android_tap"), (12.0, "bob", "android_tap")]
    found = check_got([told], got)
    assert [each.kind for each in found] == [GOT, GOT]
    assert [each.evidence for each in found] == [
        "ann's android_tap at 5.0 s",
        "bob's android_tap at 12.0 s",
    ]


@pytest.mark.parametrize(("refused_after", "found"), [(HOUR / 2, []), (float("inf"), [LATE])])
async def test_a_host_that_does_what_comes_late_is_found(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch, refused_after: float, found: list[str]
) -> None:
    monkeypatch.setattr(call_service, "OLDEST", refused_after)
    touches: list[Touch] = []
    clock = ShiftedClock()
    host = await fleet.host("left", clock=clock)
    wire, line = await fleet.line(clock)

    def note(kind: str, what: str) -> None:
        touches.append(Touch(clock.now(), "left", what))

    host.phones["left"].world.events = NotedEvents(note)

    def tap(x: int) -> tuple[FleetCall, HostCall]:
        effect, spot = Effect("touch", f"{x},900"), {"device": "left", "x": x, "y": 900}
        call = FleetCall("ann", FLEET, "android_tap", (effect,), HOUR, clock.now(), at="left")
        return call, HostCall("android_tap", spot, Caller("http", "ann", "ci"), EVERYTHING)

    # While the engine stands still, and as a gateway that dies, so that nothing stops the call.
    fleet.lab.pause(1)
    late, asked = tap(1)
    head = {**asked.pack(), "call": "1", "stamp": clock.now()}
    subject = to_host("call", host.id, wire.id)
    answers = wire.inbox(subject)
    await wire.publish(subject, NatsFrame(head).encode(), reply=answers.subject)
    late.outcome = Outcome.UNKNOWN
    clock.shift = HOUR
    fleet.lab.signal(1, signal.SIGCONT)
    async with asyncio.timeout(HANG):
        while NatsFrame.decode((await answers.get()).data).head["is"] != "end":
            pass
    after, asked = tap(2)
    await line.call(host.id, asked)
    after.outcome = Outcome.DONE
    violations = check_fleet([late, after], touches, [], [], {})
    assert [one.kind for one in violations] == found
