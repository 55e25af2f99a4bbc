"""The check of `make fleet-chaos`, on a host that is broken and on one that is not."""

import signal
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from chaos.calls import Effect, Outcome
from chaos.fleet.check import FLEET, LATE, FleetCall, Touch, check_fleet
from chaos.phone import NotedEvents

from handheld.access.tool_filter import EVERYTHING
from handheld.clock import SYSTEM_CLOCK
from handheld.engine.frames import Frame
from handheld.engine.names import to_host
from handheld.engine.wire import NoAnswer
from handheld.fleet import call_service
from handheld.fleet.messages import HostCall
from handheld.toolkit.call import Caller

from .fleet_lab import Fleet
from .lab import Lab

pytestmark = pytest.mark.needs_nats
OLDEST = 1.0


@pytest.fixture
async def fleet(server: None, tmp_path: Path) -> AsyncGenerator[Fleet]:
    async with AsyncExitStack() as stack:
        lab = Lab(tmp_path / "engine")
        stack.callback(lab.close)
        await lab.set_up()
        yield Fleet(lab, tmp_path, stack)


@pytest.mark.parametrize(("host_refuses_after", "found"), [(OLDEST, []), (float("inf"), [LATE])])
async def test_a_host_that_does_what_comes_late_is_found(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch, host_refuses_after: float, found: list[str]
) -> None:
    monkeypatch.setattr(call_service, "OLDEST", host_refuses_after)
    touches: list[Touch] = []
    host = await fleet.host("left")
    wire, line = await fleet.line()

    def note(kind: str, what: str) -> None:
        touches.append(Touch(time.monotonic(), "left", what))

    host.phones["left"].world.events = NotedEvents(note)

    def tap(x: int) -> tuple[FleetCall, HostCall]:
        effect, spot = Effect("touch", f"{x},900"), {"device": "left", "x": x, "y": 900}
        call = FleetCall("ann", FLEET, "android_tap", (effect,), 60, time.monotonic(), at="left")
        return call, HostCall("android_tap", spot, Caller("http", "ann", "ci"), EVERYTHING)

    # A gateway that dies while the engine stands still, so that nothing stops its call.
    fleet.lab.pause(1)
    late, asked = tap(1)
    head = {**asked.pack(), "call": "1", "stamp": SYSTEM_CLOCK.now()}
    with pytest.raises(NoAnswer):
        await wire.request(to_host("call", host.id, wire.id), Frame(head).encode(), 1.1 * OLDEST)
    late.outcome = Outcome.UNKNOWN
    fleet.lab.signal(1, signal.SIGCONT)
    # What follows on the same connection comes after it.
    after, asked = tap(2)
    await line.call(host.id, asked)
    after.outcome = Outcome.DONE
    violations = check_fleet([late, after], touches, [], [], {}, oldest=OLDEST)
    assert [one.kind for one in violations] == found
