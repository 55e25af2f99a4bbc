"""The record of hosts in the engine: what is copied, who may, and what a reader can tell."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, closing
from pathlib import Path

import pytest

from audit.calls import make_call
from audit.test_chain import drop, record
from handheld.audit import AuditLog
from handheld.audit.copies import CopyVerification
from handheld.audit.verification import verify
from handheld.fleet.fleet_record import FleetEntry, FleetRecord
from handheld.fleet.nats.audit_stream import LARGEST_MESSAGE, AuditStream
from handheld.fleet.nats.jetstream import BATCH, KvError
from handheld.fleet.nats.names import AUDIT, audit_subject
from handheld.fleet.nats.wire import EngineWire, NotAllowed
from handheld.fleet.record_copies import RecordCopies
from handheld.tools.call import Caller
from harness.manual_clock import ManualClock
from harness.polling import HANG

from .fleet_lab import Fleet
from .lab import Lab, until
from .test_fleet import TAP
from .test_rights import refused

pytestmark = pytest.mark.needs_nats


@pytest.fixture
async def engine(server: None, tmp_path: Path) -> AsyncGenerator[Lab]:
    """One of its own: the stream has the copies of all hosts."""
    lab = Lab(tmp_path / "engine")
    try:
        await lab.set_up()
        yield lab
    finally:
        lab.close()


async def until_copied(wire: EngineWire, *states: str) -> list[FleetEntry]:
    """The calls at all hosts, once their copies have these states."""
    async with asyncio.timeout(HANG):
        while True:
            found = (await FleetRecord(wire).newest()).entries
            if tuple(each.entry.state for each in found) == states:
                return found


class Copied:
    """A host's record, and its copies as a gateway reads them."""

    def __init__(self, folder: Path, name: str, host: EngineWire, gateway: EngineWire) -> None:
        self.file = folder / f"{name}.sqlite"
        self.log = AuditLog(self.file)
        self.id = host.id
        self._name = name
        self._host = host
        self.record = FleetRecord(gateway)

    async def copy(self) -> None:
        """All that is new, as a host does that was just started."""
        self.log.write_ends()
        copies = RecordCopies(self._host, self._name, self.file)
        while await copies.copy():
            pass
        copies.close()

    def remove(self) -> None:
        for file in self.file.parent.glob(f"{self._name}.*"):
            if file.suffix != ".copied":
                file.unlink()

    async def found(self) -> CopyVerification:
        return (await self.record.verify())[self.id]

    def __enter__(self) -> "Copied":
        return self

    def __exit__(self, *_: object) -> None:
        self.log.close()


async def test_a_call_through_a_gateway_is_on_record_in_the_engine(
    engine: Lab, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        fleet = Fleet(engine, tmp_path, stack)
        hosts = {slug: await fleet.host(slug) for slug in ("left", "right")}
        gateway = await fleet.gateway("left", "right")
        assert "failed" not in await gateway.call("tap", device="left", **TAP)
        assert "failed" in await gateway.call("tap", device="right", x=-5, y=5)
        wire, _ = await fleet.line()
        found = await until_copied(wire, "done", "failed")
        assert [(each.host, each.host_name) for each in found] == [
            (hosts["left"].id, "left"),
            (hosts["right"].id, "right"),
        ]
        assert [each.entry for each in found] == [
            *hosts["left"].log.entries(),
            *hosts["right"].log.entries(),
        ]


async def test_a_restart_goes_on_where_the_last_process_ended(engine: Lab, tmp_path: Path) -> None:
    async with engine.wires(engine.member("host"), engine.member("gateway")) as [host, gateway]:
        with Copied(tmp_path, "desk", host, gateway) as desk:
            record(desk.log, 3)
            await desk.copy()
            first = await AuditStream(gateway).last()
            record(desk.log, 2)
            await desk.copy()
            await desk.copy()
            assert await AuditStream(gateway).last() == first + 1  # four links in one message
            found = await desk.found()
            assert (found.problems, found.calls) == ([], 5)
            assert found.head == verify(desk.file).head


async def test_a_copy_whose_acknowledgement_was_lost_is_kept_once(
    engine: Lab, tmp_path: Path
) -> None:
    async with engine.wires(engine.member("host"), engine.member("gateway")) as [host, gateway]:
        with Copied(tmp_path, "desk", host, gateway) as desk:
            record(desk.log, 1)
            await desk.copy()
            kept = desk.file.with_suffix(".copied").read_bytes()
            record(desk.log, 2)
            await desk.copy()
            last = await AuditStream(gateway).last()
            desk.file.with_suffix(".copied").write_bytes(kept)
            await desk.copy()
            assert await AuditStream(gateway).last() == last
            assert (await desk.found()).problems == []


async def test_a_record_that_was_replaced_is_copied_and_told(engine: Lab, tmp_path: Path) -> None:
    async with engine.wires(engine.member("host"), engine.member("gateway")) as [host, gateway]:
        with Copied(tmp_path, "desk", host, gateway) as desk:
            record(desk.log, 2)
            await desk.copy()
        desk.remove()
        with Copied(tmp_path, "desk", host, gateway) as desk:
            record(desk.log, 3)
            await desk.copy()
            found = await desk.found()
            assert [problem[:37] for problem in found.problems] == [
                "After link 5 the host started over, a"
            ]
            assert (found.calls, found.head) == (3, verify(desk.file).head)


async def test_what_was_dropped_while_the_engine_was_away_is_counted(
    engine: Lab, tmp_path: Path
) -> None:
    async with engine.wires(engine.member("host"), engine.member("gateway")) as [host, gateway]:
        with Copied(tmp_path, "desk", host, gateway) as desk:
            await desk.copy()
            ids = record(desk.log, 4)
            drop(desk.file, ids[:2])
            await desk.copy()
            found = await desk.found()
            assert (found.problems, found.uncopied, found.calls) == ([], 4, 2)
            assert sum(each.calls for each in found.dropped) == 2


async def test_an_engine_that_is_away_stops_no_call_and_is_caught_up_with(
    engine: Lab, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        fleet = Fleet(engine, tmp_path, stack)
        host = await fleet.host("left")
        wire, _ = await fleet.line()
        engine.kill(1)
        await until(lambda: not host.wire.linked and not wire.linked)
        await host.surface.call("android_tap", {"device": "left", **TAP}, Caller("http", "tests"))
        assert host.touches("left") == 1
        engine.start(1)
        await wire.ready(60)
        await until_copied(wire, "done")


async def test_the_newest_are_found_by_host_phone_token_tool_and_time(
    engine: Lab, tmp_path: Path
) -> None:
    members = engine.member("host"), engine.member("host"), engine.member("gateway")
    async with engine.wires(*members) as [one, other, gateway]:
        with (
            Copied(tmp_path, "desk", one, gateway) as desk,
            Copied(tmp_path, "rack", other, gateway) as rack,
        ):
            empty = await desk.record.newest()
            assert (empty.entries, empty.more) == ([], False)
            # More than are read at a time, and the last of them first.
            record(desk.log, BATCH, "robot")
            for name in ("ci", "nightly"):
                caller = Caller("http", "agent", name)
                desk.log.begin(make_call("press_home", caller=caller, phone=f"{name}-phone"))
            await desk.copy()
            record(rack.log, 1, "ci")
            await rack.copy()

            async def tokens(**asked: str | float) -> list[str]:
                found = await desk.record.newest(**asked)  # pyright: ignore[reportArgumentType]
                return [each.entry.token for each in found.entries]

            assert await tokens(limit=3) == ["ci", "nightly", "ci"]
            assert await tokens(limit=0) == []
            assert len(await tokens(limit=100_000)) == BATCH + 3
            assert await tokens(host=rack.id) == ["ci"]
            assert await tokens(phone="nightly-phone") == ["nightly"]
            assert await tokens(token="ci") == ["ci", "ci"]
            assert await tokens(tool="press_home", token="ci") == ["ci"]
            assert await tokens(token="nobody") == []
            since = (await desk.record.newest(limit=1)).entries[0].entry.at
            assert await tokens(since=since) == ["ci"]
            assert [
                each.entry for each in (await desk.record.newest(limit=5, host=desk.id)).entries
            ] == desk.log.entries(limit=5)
            assert (await desk.record.newest(limit=5)).more
            assert not (await desk.record.newest(limit=1000)).more


async def test_calls_that_were_copied_late_are_not_taken_for_the_newest(
    engine: Lab, tmp_path: Path
) -> None:
    members = engine.member("host"), engine.member("host"), engine.member("gateway")
    async with engine.wires(*members) as [one, other, gateway]:
        with Copied(tmp_path, "desk", one, gateway) as desk:
            with closing(AuditLog(tmp_path / "rack.sqlite", clock=ManualClock())) as log:
                record(log, 20, "late")
            record(desk.log, 2, "new")
            await desk.copy()
            with Copied(tmp_path, "rack", other, gateway) as rack:
                await rack.copy()
            found = await desk.record.newest(limit=2)
            assert [each.entry.token for each in found.entries] == ["new", "new"]


async def test_large_copies_are_read_in_small_pieces_and_the_search_ends(
    engine: Lab, tmp_path: Path
) -> None:
    async with engine.wires(engine.member("host"), engine.member("gateway")) as [host, gateway]:
        with Copied(tmp_path, "desk", host, gateway) as desk:
            record(desk.log, 1, "old")
            await desk.copy()
            for number in range(140):
                await AuditStream(host).append(bytes(LARGEST_MESSAGE), f"x{number}")
            record(desk.log, 1, "new")
            await desk.copy()
            found = await desk.record.newest()
            assert [each.entry.token for each in found.entries] == ["new"]
            assert found.more


async def test_copies_are_there_when_a_node_is_not(cluster: Lab, tmp_path: Path) -> None:
    members = cluster.member("host"), cluster.member("gateway")
    async with cluster.wires(*members) as [host, gateway]:
        with Copied(tmp_path, "desk", host, gateway) as desk:
            record(desk.log, 2)
            await desk.copy()
            cluster.kill(1)
            await host.ready(60)
            record(desk.log, 1)
            await desk.copy()
            await gateway.ready(60)
            async with asyncio.timeout(HANG):  # a replica may lag behind
                while (await desk.found()).calls < 3:
                    pass
            found = await desk.record.newest(host=desk.id)
            assert [each.entry for each in found.entries][:2] == desk.log.entries()[:2]
            assert (await desk.found()).problems == []


async def test_only_a_host_writes_its_copies_and_nobody_removes_them(
    engine: Lab, tmp_path: Path
) -> None:
    members = engine.member("host"), engine.member("host"), engine.member("gateway")
    async with engine.wires(*members) as [one, other, gateway]:
        await AuditStream(one).append(b"x", "a")
        for wire in (other, gateway):
            assert await refused(wire, audit_subject(one.id), b"y")
        for wire in (one, other, gateway):
            for request in (
                f"STREAM.DELETE.{AUDIT}",
                f"STREAM.PURGE.{AUDIT}",
                f"STREAM.UPDATE.{AUDIT}",
                f"STREAM.MSG.DELETE.{AUDIT}",
                f"STREAM.MSG.GET.{AUDIT}",
                f"CONSUMER.CREATE.{AUDIT}",
                f"CONSUMER.CREATE.{AUDIT}.{wire.id}.hh1.audit.>",
            ):
                assert await refused(wire, f"$JS.API.{request}", b"{}"), request
        for wire in (one, other):
            with pytest.raises(NotAllowed):
                await AuditStream(wire).last()
        for headers in ({"Nats-Rollup": "sub"}, {"Nats-TTL": "1s"}):
            answer = await one.request(audit_subject(one.id), b"x", 10, headers)
            assert b"error" in answer.data
        with pytest.raises(KvError):
            await AuditStream(one).append(bytes(LARGEST_MESSAGE + 4096), "b")
        stored = [message.data async for message in AuditStream(gateway).read(1, 1000)]
        assert stored == [b"x"]
    async with engine.wires(engine.admin()) as [admin]:
        question = json.dumps({"seq": 1}).encode()
        answer = await admin.request(f"$JS.API.STREAM.MSG.DELETE.{AUDIT}", question, 60)
        assert b"error" in answer.data


async def test_what_cannot_be_read_is_told_and_hides_nothing(engine: Lab, tmp_path: Path) -> None:
    async with engine.wires(engine.member("host"), engine.member("gateway")) as [host, gateway]:
        with Copied(tmp_path, "desk", host, gateway) as desk:
            record(desk.log, 1)
            await desk.copy()
            await AuditStream(host).append(b"[" * 10_000, "x")
            record(desk.log, 1)
            await desk.copy()
            found = await desk.found()
            assert (found.problems, found.calls) == (["Some copies cannot be read."], 2)
            assert len((await desk.record.newest()).entries) == 2
