"""Phones of several hosts through gateways, over a real server."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.clock import SYSTEM_CLOCK
from handheld.errors import PermissionDenied, ToolError, UnknownTool
from handheld.fleet import host_lists
from handheld.fleet.call_service import ALIVE_EVERY, TOLD_AFTER, CallService
from handheld.fleet.host_calls import SILENT, CallInDoubt, NothingDone
from handheld.fleet.messages import HostCall, read_listings
from handheld.fleet.nats.calls import LARGEST_CALL, calling
from handheld.fleet.nats.frames import NatsFrame
from handheld.fleet.nats.names import to_host
from handheld.fleet.nats.wire import EngineWire
from handheld.fleet.standstill import SETTLED_AFTER
from handheld.phone.leases.leases import ENDED_BY_OWNER
from handheld.phone.leases.shares import OWNER
from handheld.progress import watched
from handheld.tasks.phone_time import passing
from handheld.tools.call import Caller
from handheld.tools.listing import Image
from handheld_virtual.system.clock import ManualClock as PhoneClock
from harness.manual_clock import ManualClock
from harness.patient_clock import PatientClock
from harness.polling import HANG
from tools.main.conftest import LONGEST_PAUSE_MS, pass_time

from .fleet_lab import Fleet, Gateway, Host, ShiftedClock, open_fleet
from .lab import Relay, through, until

pytestmark = pytest.mark.needs_nats

CALLER = Caller("http", "tests", "ci")
TAP: dict[str, Any] = {"x": 500, "y": 900}
SWIPE: dict[str, Any] = {"x1": 100, "y1": 500, "x2": 300, "y2": 500, "duration": 3000}
TAPPING = HostCall("android_tap", {"device": "left", **TAP}, CALLER, EVERYTHING)
SWIPING = HostCall("android_swipe", {"device": "left", **SWIPE}, CALLER, EVERYTHING)


@pytest.fixture
async def fleet(server: None, tmp_path: Path) -> AsyncGenerator[Fleet]:
    """On a server of its own: the directory keeps the phones of hosts that are gone."""
    async with open_fleet(tmp_path, PatientClock()) as fleet:
        yield fleet


async def swipe(fleet: Fleet, host: Host) -> "asyncio.Task[str]":
    """A finger that goes over the screen of `left`, whose time stands still."""
    gateway = await fleet.gateway("left")
    task = asyncio.create_task(gateway.call("swipe", device="left", **SWIPE))
    await until(lambda: host.phones["left"].world.injection.down)
    return task


async def test_a_tap_lands_once_on_the_phone_that_is_named(fleet: Fleet) -> None:
    left, right = await fleet.host("left"), await fleet.host("right")
    gateway = await fleet.gateway("left", "right")
    assert "failed" not in await gateway.call("tap", device="right", **TAP)
    assert (left.touches("left"), right.touches("right")) == (0, 1)
    serial = (await gateway.phones())["left"]["serial"]
    assert "failed" not in await gateway.call("tap", device=serial, **TAP)
    assert (left.touches("left"), right.touches("right")) == (1, 1)
    reply = await gateway.call("tap", **TAP)
    assert "Several phones are connected: " in reply
    reply = await gateway.call("tap", device="middle", **TAP)
    assert "No phone here is called 'middle'" in reply
    assert (left.touches("left"), right.touches("right")) == (1, 1)


async def test_who_asks_a_gateway_is_told_what_the_host_reports(fleet: Fleet) -> None:
    host = await fleet.host("left")
    gateway = await fleet.gateway("left")
    seen: list[tuple[float, float | None, str]] = []
    wait: dict[str, Any] = {
        "device": "left",
        "by": "text",
        "value": "nothing of the kind",
        "timeout": 1000,
    }
    clock = host.phones["left"].clock
    assert isinstance(clock, PhoneClock)
    with watched(lambda *word: seen.append(word)):
        await passing(clock, gateway.call("wait_for_element", **wait))
    assert seen
    assert {word[1:] for word in seen} == {(1000, "Waiting for the element")}
    assert host.touches("left") == 0


async def test_the_host_records_who_called_and_applies_the_limits_of_the_call(
    fleet: Fleet,
) -> None:
    host = await fleet.host("left")
    gateway = await fleet.gateway("left")
    assert "failed" not in await gateway.call("tap", **TAP)  # the only phone
    gateway.limits = RequestScope(read_only=True)
    with pytest.raises(UnknownTool):
        await gateway.call("tap", **TAP)
    gateway.limits = RequestScope(phones=frozenset({"right"}))
    assert "This token may use: right." in await gateway.call("tap", **TAP)
    assert host.touches("left") == 1
    recorded = [(entry.tool, entry.client, entry.token) for entry in host.log.entries()]
    assert recorded == [("tap", "tests", "ci"), ("tap", "tests", "ci")]


async def test_pictures_arrive_as_they_were_taken(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = await fleet.host("left")
    gateway = await fleet.gateway("left")
    taken: list[Any] = []
    call = host.surface.call

    async def noting(*arguments: Any, **named: Any) -> Any:
        taken.append(await call(*arguments, **named))
        return taken[-1]

    monkeypatch.setattr(host.surface, "call", noting)
    asked = {"device": "left", "include_screenshot": True}
    items = await gateway.surface.call("android_get_screen_state", asked, CALLER)
    assert any(isinstance(item, Image) for item in items)
    assert [items] == taken


async def test_who_has_leased_one_of_two_phones_of_a_name_uses_that_one_by_it(fleet: Fleet) -> None:
    """Also one phone at two hosts, of which the former has not noticed yet."""
    one, two = await fleet.host("left", name="one"), await fleet.host("left", name="two")
    first = await fleet.gateway()
    await until(lambda: len(first.surface.phones.named("left")) == 2)
    # To one that comes later neither was the first.
    gateway = await fleet.gateway("one/left", "two/left")
    assert "Several hosts have a phone called left" in await gateway.call(
        "tap", device="left", **TAP
    )
    refused = await gateway.call("take_phone", slug="left")
    assert "Several hosts have a phone called left: " in refused
    assert "one/left" in refused
    assert "two/left" in refused
    assert "failed" not in await gateway.call("take_phone", slug="two/left")
    assert "failed" not in await gateway.call("tap", device="left", **TAP)
    [leased] = [host for host in (one, two) if host.leases.all()]
    assert leased is two
    assert leased.touches("left") == one.touches("left") + two.touches("left") == 1
    gateway.limits = RequestScope(phone="left")
    assert "Tap executed" in await gateway.call("left_tap", **TAP)
    assert leased.touches("left") == one.touches("left") + two.touches("left") == 2
    # Others are told as before.
    gateway.limits = EVERYTHING
    reply = await gateway.call("tap", token="eve", device="left", **TAP)
    assert "Several hosts have a phone called left" in reply


TOOL = "android_app_get_weather_forecast"
WEATHER = "dev.handheld.weather"


async def listed(gateway: Gateway, **limits: Any) -> list[str]:
    return [each.name for each in await gateway.surface.tools(RequestScope(**limits))]


async def test_tools_of_apps_are_listed_of_the_phone_that_is_named(fleet: Fleet) -> None:
    left, _ = await fleet.host("left"), await fleet.host("right")
    gateway = await fleet.gateway("left", "right")
    left.phones["left"].world.uninstall(WEATHER)
    named = "android_{}_app_get_weather_forecast"
    assert named.format("left") not in await listed(gateway, phone="left")
    assert named.format("right") in await listed(gateway, phone="right")
    assert "android_left_take_phone" in await listed(gateway, phone="left")
    # Without a name all that there are.
    names = await listed(gateway)
    assert (names.count(TOOL), names.count("android_tap")) == (1, 1)
    assert names.count("android_take_phone") == 1
    assert TOOL not in await listed(gateway, read_only=True)


async def test_who_has_leased_a_phone_is_listed_the_tools_of_its_apps(fleet: Fleet) -> None:
    left, _ = await fleet.host("left"), await fleet.host("right")
    gateway = await fleet.gateway("left", "right")
    left.phones["left"].world.uninstall(WEATHER)
    await gateway.call("take_phone", slug="left")
    assert TOOL not in await listed(gateway, token="ci")
    assert TOOL in await listed(gateway, token="eve")
    await gateway.call("give_back_phone")
    await gateway.call("take_phone", slug="right")
    assert TOOL in await listed(gateway, token="ci")


async def test_a_list_that_is_the_same_is_not_sent_again(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = await fleet.host("left")
    gateway = await fleet.gateway("left")
    first = await gateway.surface.tools()
    read: list[int] = []

    def count(raw: bytes) -> Any:
        read.append(len(raw))
        return read_listings(raw)

    monkeypatch.setattr(host_lists, "read_listings", count)
    assert await gateway.surface.tools() == first
    assert not read
    left.phones["left"].world.uninstall(WEATHER)
    assert TOOL not in await listed(gateway)
    assert len(read) == 1


async def test_a_host_that_is_away_leaves_the_tools_that_every_phone_has(fleet: Fleet) -> None:
    async with fleet.open_host("left"):
        gateway = await fleet.gateway("left")
        assert TOOL in await listed(gateway)
    names = await listed(gateway)
    assert (TOOL in names, "android_tap" in names) == (False, True)
    assert "android_left_tap" in await listed(gateway, phone="left")


async def test_kept_steps_are_listed_and_done_through_every_gateway(fleet: Fleet) -> None:
    left = await fleet.host("left")
    one, other = await fleet.gateway("left"), await fleet.gateway("left")
    one.token = other.token = OWNER  # those of others are listed once the owner has accepted them
    time = left.phones["left"].clock
    assert isinstance(time, PhoneClock)
    steps = [{"tool": "press", "key": "home"}]
    doing = one.agent("phone_do", steps=steps, save_as="go_home", phone="left")
    reply = await pass_time(time, doing, LONGEST_PAUSE_MS)
    assert "Kept as my_go_home" in reply
    for gateway in (one, other):
        assert "my_go_home" in await listed(gateway, surface="agent")
        assert "save_as" in str(await gateway.surface.tools(RequestScope(surface="agent")))
    left.phones["left"].world.events.clear()
    reply = await pass_time(time, other.agent("my_go_home"), LONGEST_PAUSE_MS)
    assert "1 of 1 done" in reply
    assert left.phones["left"].world.events


async def test_a_lease_that_one_gateway_took_holds_at_all(fleet: Fleet) -> None:
    left, right = await fleet.host("left"), await fleet.host("right")
    one, other = await fleet.gateway("left", "right"), await fleet.gateway("left", "right")
    taken = json.loads(await one.call("take_phone", tags=["left_tag"], minutes=30))
    assert taken["phone"] == "left"
    assert left.id in taken["device"]
    # Its token needs no name for it, wherever it calls.
    assert "failed" not in await one.call("tap", **TAP)
    assert "failed" not in await other.call("tap", device=taken["device"], **TAP)
    assert (left.touches("left"), right.touches("right")) == (2, 0)
    # Others are told who has it.
    refused = await other.call("tap", token="eve", device="left", **TAP)
    assert "left is leased to tests (token ci) until " in refused
    assert "Nothing was done" in refused
    stolen = await other.call("tap", token="eve", device=taken["device"], **TAP)
    assert "no lease with that handle" in stolen
    # None free, and none at all.
    assert "is free. Nothing was taken. left is leased to tests (token ci) until" in (
        await other.call("take_phone", token="eve", slug="left")
    )
    assert "No phone here fits the model 'Fairphone'" in (
        await other.call("take_phone", token="eve", model="Fairphone")
    )
    assert json.loads(await other.call("take_phone", token="eve"))["phone"] == "right"
    assert "No phone is free. Nothing was taken." in await one.call("take_phone", token="bob")
    shown = json.loads(await one.call("lease_status"))
    assert [row["device"] for row in shown] == [taken["device"]]
    assert await one.call("give_back_phone") == "left is given back."
    assert (left.touches("left"), right.touches("right")) == (2, 0)


async def test_the_least_used_phone_comes_first(fleet: Fleet) -> None:
    await fleet.host("left")
    await fleet.host("right")
    gateway = await fleet.gateway("left", "right")
    first = json.loads(await gateway.call("take_phone"))
    await gateway.call("give_back_phone", device=first["device"])
    await gateway.until(lambda rows: rows[first["phone"]]["state"] == "free")
    second = json.loads(await gateway.call("take_phone"))
    assert {first["phone"], second["phone"]} == {"left", "right"}


async def test_many_takers_at_once_get_as_many_phones(fleet: Fleet) -> None:
    names = [f"phone{number}" for number in range(12)]
    await fleet.host(*names)
    gateway = await fleet.gateway(*names)
    await gateway.until(lambda rows: all(row["state"] == "free" for row in rows.values()))
    takers = [gateway.call("take_phone", token=f"job{number}") for number in range(12)]
    replies = await asyncio.gather(*takers)
    assert [reply for reply in replies if "failed" in reply] == []
    assert {json.loads(reply)["phone"] for reply in replies} == set(names)
    refused = await gateway.call("take_phone", token="late")
    assert "No phone is free. Nothing was taken." in refused
    assert "become free" not in refused


async def test_who_leaves_while_it_takes_a_phone_has_taken_none(fleet: Fleet) -> None:
    host = await fleet.host("left")
    gateway = await fleet.gateway("left")
    taking = asyncio.create_task(gateway.call("take_phone"))
    await until(lambda: host.leases.of("ci"))
    taking.cancel()
    with suppress(asyncio.CancelledError):
        pytest.fail(await taking)
    await until(lambda: not host.leases.all())


async def test_how_a_lease_ended_is_told_when_the_directory_has_forgotten_it(
    fleet: Fleet,
) -> None:
    host = await fleet.host("left", "right")
    gateway = await fleet.gateway("left", "right")

    async def lose() -> None:
        await gateway.call("take_phone", slug="left")
        host.leases.end(host.leases.of("ci")[0], ENDED_BY_OWNER)
        await gateway.until(lambda rows: rows["left"]["state"] == "free")

    await lose()
    said = await gateway.call("tap", **TAP)
    assert said.startswith("failed: Nothing was done. Your lease of left ended at ")
    assert "Several phones are connected" in await gateway.call("tap", **TAP)
    await lose()
    said = await gateway.call("lease_status")
    assert said.startswith("[]\nYour lease of left ended at ")
    assert await gateway.call("lease_status") == "[]"
    assert host.touches("left") == 0


async def test_models_lease_and_use_phones_too(fleet: Fleet) -> None:
    left, _ = await fleet.host("left"), await fleet.host("right")
    gateway = await fleet.gateway("left", "right")
    limits = RequestScope(surface="agent")
    names = [each.name for each in await gateway.surface.tools(limits)]
    assert {"phone_lease", "phone_look", "phone_tap"} <= set(names)
    [took] = await gateway.surface.call(
        "phone_lease", {"action": "take", "phone": "left"}, CALLER, limits
    )
    assert str(took).startswith('Took left "')
    [shown] = await gateway.surface.call("phone_lease", {"action": "list"}, CALLER, limits)
    lines = str(shown).split("\n")
    assert [line.split()[0] for line in lines] == ["left", "right"]
    assert f"yours as lease-{left.id}-" in lines[0]
    # The screen that a model sees is that of its leased phone.
    here = await left.surface.call("phone_look", {"phone": "left"}, CALLER, limits)
    assert await gateway.surface.call("phone_look", {}, CALLER, limits) == here


async def test_a_call_by_a_lease_that_has_ended_is_not_done_without_it(fleet: Fleet) -> None:
    host = await fleet.host("left")
    _, calls = await fleet.line()
    asked = TAPPING._replace(leased="device")
    with pytest.raises(PermissionDenied, match=r"Nothing was done\. You no longer have a lease\."):
        await calls.call(host.id, asked)
    assert host.touches("left") == 0


async def test_a_caller_that_goes_away_stops_the_call(fleet: Fleet) -> None:
    host = await fleet.host("left")
    task = await swipe(fleet, host)
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as stopped:
        await task
    assert stopped.value.__notes__ == ["The touch was broken off, and the fingers were lifted."]
    assert not host.phones["left"].world.injection.down


async def test_a_host_that_stopped_is_away(fleet: Fleet) -> None:
    async with fleet.open_host("left") as host:
        gateway = await fleet.gateway("left")
        assert "failed" not in await gateway.call("tap", **TAP)
        _, calls = await fleet.line()
    reply = await gateway.call("tap", device="left", **TAP)
    assert reply == "failed: The host left is away: nothing was done."
    # Within 15 s it is not known to be gone.
    reply = await gateway.call("take_phone", tags=["left_tag"])
    assert reply == (
        "failed: No phone that fits is free. Nothing was taken. The host left is away: nothing was"
        " done."
    )
    with pytest.raises(NothingDone, match="is away: nothing was done"):
        await calls.call(host.id, TAPPING)  # it never knew the host's clock


async def test_a_host_that_dies_in_a_call_leaves_it_in_doubt(fleet: Fleet) -> None:
    clock = ManualClock()
    async with Relay(fleet.lab.plan.nodes[0]) as relay:
        member = through(fleet.lab.member("host"), relay.address)
        host = await fleet.host("left", membership=member)
        _, calls = await fleet.line(clock)
        task = asyncio.create_task(calls.call(host.id, SWIPING))
        await until(lambda: host.phones["left"].world.injection.down)
        await clock.until_waits_only(SILENT)
        relay.hold()
        await clock.advance(SILENT)
        with pytest.raises(CallInDoubt, match="may or may not have happened"):
            await task
        relay.release()


async def test_a_short_call_is_answered_by_one_message_with_the_clock_of_the_host(
    fleet: Fleet,
) -> None:
    host = await fleet.host("left")
    wire = EngineWire(fleet.lab.member("host"))
    # By its clock no time passes.
    service = CallService(wire, host.surface, host.leases, ManualClock())
    async with wire:
        await wire.ready(60)
        gateway, _ = await fleet.line()
        head = {**TAPPING.pack(), "call": "1", "stamp": 0.0}
        subject = to_host("call", wire.id, gateway.id)
        answer = await gateway.request(subject, NatsFrame(head).encode(), 60)
        found = NatsFrame.decode(answer.data).head
        assert (found["is"], found["n"], found["clock"]) == ("end", 0, 0.0)
        assert "refused" not in found
        await service.aclose()


async def test_a_call_that_lasts_is_not_given_up(fleet: Fleet) -> None:
    here, there = ManualClock(), ManualClock()
    host = await fleet.host("left")
    wire = EngineWire(fleet.lab.member("host"))
    service = CallService(wire, host.surface, host.leases, there)
    async with wire:
        await wire.ready(60)
        _, calls = await fleet.line(here)
        task = asyncio.create_task(calls.call(wire.id, SWIPING))
        await there.until_waits(TOLD_AFTER)
        await there.advance(TOLD_AFTER)
        for _ in range(3):
            await there.until_waits(ALIVE_EVERY)
            await here.until_waits(SILENT)
            await here.advance(SILENT / 2)
            await there.advance(ALIVE_EVERY)
        await here.until_waits(SILENT)
        time = host.phones["left"].clock
        assert isinstance(time, PhoneClock)
        async with asyncio.timeout(HANG):
            while not task.done():
                await time.advance(100)
                await asyncio.sleep(0)
        assert await task
        await service.aclose()


@pytest.mark.parametrize("age", [6.0, -3600.0])
async def test_a_call_that_was_kept_too_long_is_not_done(fleet: Fleet, age: float) -> None:
    clock = ShiftedClock()
    host = await fleet.host("left", clock=clock)
    wire, _ = await fleet.line(clock)
    head = {**TAPPING.pack(), "call": "1", "stamp": clock.now() - age}
    subject = to_host("call", host.id, wire.id)
    answer = await wire.request(subject, NatsFrame(head).encode(), 60)
    assert NatsFrame.decode(answer.data).head["refused"] == "old"
    assert host.touches("left") == 0


async def test_a_server_that_stood_still_delivers_nothing_that_is_done(fleet: Fleet) -> None:
    clock = ShiftedClock()
    host = await fleet.host("left", clock=clock)
    gateway = await fleet.gateway("left", clock=SYSTEM_CLOCK)
    assert "failed" not in await gateway.call("tap", device="left", **TAP)
    fleet.lab.pause(1)
    reply = await gateway.call("tap", device="left", **TAP)
    assert "may or may not have happened" in reply
    clock.shift = 10.0
    fleet.lab.signal(1, signal.SIGCONT)
    async with asyncio.timeout(HANG):
        # It comes after the one that was kept. The first may find the host's clock elsewhere.
        while "failed" in (reply := await gateway.call("tap", device="left", **TAP)):
            assert "nothing was done" in reply.lower() or "may or may not" in reply
            await asyncio.sleep(0)  # while there is no connection nothing is waited for
    assert host.touches("left") == 2


async def test_a_gateway_that_stood_still_does_not_begin_what_waited_meanwhile(
    fleet: Fleet,
) -> None:
    clock = ShiftedClock()
    host = await fleet.host("left", clock=clock)
    gateway = await fleet.gateway("left", clock=clock)
    assert "failed" not in await gateway.call("tap", device="left", **TAP)
    clock.shift = 60.0
    reply = await gateway.call("tap", device="left", **TAP)
    assert reply == (
        "failed: This gateway was paused for 60 s, and the call may be from before: nothing was"
        " done. Try again."
    )
    clock.shift += SETTLED_AFTER + 0.1
    assert "failed" not in await gateway.call("tap", device="left", **TAP)
    assert host.touches("left") == 2


async def test_a_call_that_is_delivered_twice_is_done_once(fleet: Fleet) -> None:
    clock = ShiftedClock()
    host = await fleet.host("left", clock=clock)
    wire, calls = await fleet.line(clock)
    head = {**TAPPING.pack(), "call": "1", "stamp": clock.now()}
    subject = to_host("call", host.id, wire.id)
    answers = wire.inbox(subject)
    for _ in range(3):
        await wire.publish(subject, NatsFrame(head).encode(), reply=answers.subject)
    # Before the end may come that it was taken, if it lasts.
    while NatsFrame.decode((await answers.get()).data).head["is"] != "end":
        pass
    # What comes later on the same way is answered later.
    await calls.call(host.id, TAPPING)
    assert host.touches("left") == 2
    assert not answers.ready


async def test_a_call_whose_last_bytes_were_kept_too_long_is_not_done(fleet: Fleet) -> None:
    """The first ones were in time."""
    clock = ShiftedClock()
    host = await fleet.host("left", clock=clock)
    wire, _ = await fleet.line(clock)
    asked = HostCall(
        "android_tap", {"device": "left", **TAP, "_": "x" * 500_000}, CALLER, EVERYTHING
    )
    head, raw = asked.split()
    now = clock.now()

    def last() -> dict[str, float]:
        return {"stamp": now - 6}

    async with calling(wire, host.id, {**head, "stamp": now}, raw, last) as call:
        assert (await call.end(60)).head["refused"] == "old"
    assert host.touches("left") == 0


@pytest.mark.parametrize(
    "spoilt",
    [
        {"arguments": []},
        {"caller": ["http", "x"]},
        {"filter": {"sees": "all"}},
        {"filter": {"only": "tap"}},
        {"name": 7},
        {"stamp": "now"},
        {"made": "now"},
    ],
)
async def test_a_call_of_another_form_is_refused(fleet: Fleet, spoilt: dict[str, object]) -> None:
    clock = ShiftedClock()
    host = await fleet.host("left", clock=clock)
    wire, _ = await fleet.line(clock)
    head = {**TAPPING.pack(), "call": "1", "stamp": clock.now(), **spoilt}
    answer = await wire.request(to_host("call", host.id, wire.id), NatsFrame(head).encode(), 60)
    assert NatsFrame.decode(answer.data).head["refused"] in ("malformed", "old")
    assert host.touches("left") == 0


async def test_arguments_that_are_too_large_are_not_sent(fleet: Fleet) -> None:
    host = await fleet.host("left")
    _, calls = await fleet.line()
    asked = HostCall("android_type_text", {"text": "x" * LARGEST_CALL}, CALLER, EVERYTHING)
    with pytest.raises(ToolError, match="too large"):
        await calls.call(host.id, asked)


async def test_a_leased_phone_that_is_unplugged_stays_known_until_its_lease_ends(
    fleet: Fleet,
) -> None:
    host = await fleet.host("left", "right")
    gateway = await fleet.gateway("left", "right")
    await gateway.call("take_phone", slug="left")
    for slug in ("left", "right"):
        await host.phones[slug].aclose()
    await gateway.until(lambda rows: "right" not in rows)
    await gateway.until(lambda rows: rows["left"]["state"] == "unplugged")
    assert "No phone answers adb" in await gateway.call("tap", **TAP)  # as its host says
    said = await gateway.call("take_phone", token="eve", slug="left")
    assert "are away: left (" in said
    assert await gateway.call("give_back_phone") == "left is given back."
    await gateway.until(lambda rows: not rows)


async def test_a_host_that_is_killed_is_away_at_once(fleet: Fleet, tmp_path: Path) -> None:
    """A program of its own, which joins with a code."""
    codes: asyncio.Queue[str] = asyncio.Queue()
    admitting = asyncio.create_task(
        fleet.lab.administration.admit("host", "desk", "main", codes.put_nowait)
    )
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "handheld", "host", "--join", "-", "--phone", "virtual"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HANDHELD_HOME": str(tmp_path / "desk")},
    )
    try:
        assert program.stdin is not None
        assert program.stdout is not None
        async with asyncio.timeout(HANG):
            program.stdin.write(f"{await codes.get()}\n".encode())
            program.stdin.close()
            assert await admitting
            assert (await program.stdout.readline()).startswith(b"This is the host desk (h")
        gateway = await fleet.gateway()
        await gateway.until(lambda rows: [row["state"] for row in rows.values()] == ["free"])
        assert "Tap executed" in await gateway.call("tap", **TAP)
    finally:
        program.kill()
        await program.wait()
    # Until the server has noticed, nobody can know.
    while "may or may not have happened" in (reply := await gateway.call("tap", **TAP)):
        pass
    assert reply == "failed: The host desk is away: nothing was done."
