"""Tables in the engine, on a real server; with the faults of the library's own that we avoid."""

import asyncio
import secrets
import signal
from contextlib import aclosing
from pathlib import Path

import pytest

from handheld.fleet.nats.kv import Change, Conflict, Entry, Gone, Kv, KvError, UpToDate
from handheld.fleet.nats.names import CLAIMS, PHONES, Bucket
from handheld.fleet.nats.wire import EngineWire
from harness.polling import HANG, until_true

from .lab import Lab, Relay, through, until

pytestmark = pytest.mark.needs_nats


async def bucket(wire: EngineWire, seconds: float = 0, domain: str = "") -> Kv:
    kv = Kv(wire, Bucket(f"t{secrets.token_hex(4)}", seconds), domain=domain)
    await kv.ensure(1, 1)
    return kv


async def test_a_value_is_read_as_it_was_written(lab: Lab) -> None:
    async with lab.wires(lab.admin()) as [wire]:
        kv = await bucket(wire)
        assert await kv.get("a") is None
        for value in (b"", b"one", "Füße 📱".encode(), bytes(range(256))):
            revision = await kv.put("a", value)
            assert await kv.get("a") == Entry("a", value, revision)


async def test_a_swap_needs_the_revision(lab: Lab) -> None:
    async with lab.wires(lab.admin()) as [wire]:
        kv = await bucket(wire)
        first = await kv.swap("a", b"one", 0)
        with pytest.raises(Conflict):
            await kv.swap("a", b"two", 0)
        second = await kv.swap("a", b"two", first)
        with pytest.raises(Conflict):
            await kv.swap("a", b"three", first)
        with pytest.raises(Conflict):
            await kv.delete("a", first)
        await kv.delete("a", second)
        assert await kv.get("a") is None


async def test_of_many_who_create_a_key_exactly_one_does(lab: Lab) -> None:
    async with lab.wires(lab.admin(), lab.admin()) as wires:
        kv = await bucket(wires[0])
        other = Kv(wires[1], kv._bucket)
        for number in range(20):
            tried = await asyncio.gather(
                *(one.swap(f"k{number}", b"x", 0) for one in (kv, other, kv, other)),
                return_exceptions=True,
            )
            assert sum(isinstance(one, int) for one in tried) == 1


@pytest.mark.parametrize("key", ["", "*", ">", "a.*", "a..b", ".a", "a.", "a b", "ä", "a\r\nb"])
async def test_a_key_that_would_mean_others_is_refused(lab: Lab, key: str) -> None:
    async with lab.wires(lab.admin()) as [wire]:
        with pytest.raises(KvError):
            await Kv(wire, CLAIMS).put(key, b"x")


async def until_gone(kv: Kv, key: str) -> None:
    async def is_gone() -> bool:
        return await kv.get(key) is None

    await until_true(is_gone)


async def test_an_expired_key_is_not_there(lab: Lab) -> None:
    async with lab.wires(lab.admin()) as [wire]:
        kv = await bucket(wire, seconds=1)
        await kv.put("a", b"one")
        await until_gone(kv, "a")


async def test_a_key_can_be_created_again_once_it_expired_or_was_deleted(lab: Lab) -> None:
    async with lab.wires(lab.admin()) as [wire]:
        kv = await bucket(wire, seconds=1)
        await kv.swap("a", b"one", 0)
        await until_gone(kv, "a")
        revision = await kv.swap("a", b"two", 0)
        await kv.delete("a", revision)
        await kv.swap("a", b"three", 0)


async def test_a_renewed_key_expires_too(lab: Lab) -> None:
    async with lab.wires(lab.admin()) as [wire]:
        kv = await bucket(wire, seconds=1)
        revision = await kv.swap("a", b"one", 0)
        await kv.swap("a", b"two", revision)
        await until_gone(kv, "a")


async def test_a_store_with_a_domain_is_written_through_it(server: None, tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.kill(1)
    file = lab.folder.node(1) / "nats-server.conf"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("jetstream {", "jetstream {\n  domain: hub"), encoding="utf-8")
    lab.start(1)
    try:
        async with lab.wires(lab.admin()) as [wire]:
            kv = await bucket(wire, domain="hub")
            revision = await kv.swap("a", b"one", 0)
            assert await kv.get("a") == Entry("a", b"one", revision)
            async with aclosing(kv.watch()) as changes:
                assert await anext(changes) == Entry("a", b"one", revision)
    finally:
        lab.close()


async def test_a_write_whose_answer_was_lost_is_found_again(lab: Lab) -> None:
    async with Relay(lab.plan.nodes[0]) as relay:  # noqa: SIM117
        async with lab.wires(lab.admin(), through(lab.admin(), relay.address)) as [direct, wire]:
            kv = await bucket(direct)
            lossy = Kv(wire, kv._bucket)
            relay.hold_back()
            written = asyncio.create_task(lossy.swap("a", b"one", 0))
            async with asyncio.timeout(HANG):
                while await kv.get("a") is None:  # noqa: ASYNC110
                    await asyncio.sleep(0)
                relay.cut()
                relay.release()
                entry = await kv.get("a")
                assert entry is not None
                # Not a conflict with itself, and not a second writing.
                assert await written == entry.revision


# Watching


async def collected(kv: Kv, seen: list[Change], enough: asyncio.Event, last: bytes) -> None:
    async with aclosing(kv.watch()) as changes:
        async for change in changes:
            seen.append(change)
            if isinstance(change, Entry) and change.value == last:
                enough.set()


async def test_a_watch_tells_what_is_there_then_each_change(lab: Lab) -> None:
    async with lab.wires(lab.admin(), lab.admin()) as [writer, wire]:
        kv = await bucket(writer)
        await kv.put("a", b"1")
        await kv.put("b", b"2")
        seen: list[Change] = []
        async with aclosing(Kv(wire, kv._bucket).watch()) as changes:
            async for change in changes:
                seen.append(change)
                if isinstance(change, UpToDate):
                    await kv.put("a", b"3")
                    await kv.delete("b")
                if change == Gone("b"):
                    break
        told = [(one.key, one.value) if isinstance(one, Entry) else one for one in seen]
        assert told == [("a", b"1"), ("b", b"2"), UpToDate(), ("a", b"3"), Gone("b")]


async def test_a_watch_of_nothing_is_up_to_date_at_once(lab: Lab) -> None:
    async with lab.wires(lab.admin()) as [wire]:
        kv = await bucket(wire)
        async with aclosing(kv.watch()) as changes:
            assert await anext(changes) == UpToDate()


async def test_a_watch_survives_cuts_without_losing_or_reordering(lab: Lab) -> None:
    async with Relay(lab.plan.nodes[0]) as relay:
        watcher = through(lab.admin(), relay.address)
        async with lab.wires(lab.admin(), watcher) as [writer, wire]:
            kv = await bucket(writer)
            await kv.put("gone", b"x")
            seen: list[Change] = []
            enough = asyncio.Event()
            task = asyncio.create_task(collected(Kv(wire, kv._bucket), seen, enough, b"199"))
            for number in range(200):
                await kv.put(f"k{number % 7}", str(number).encode())
                if number % 50 == 25:
                    relay.cut()
                if number == 60:
                    await kv.delete("gone")
            async with asyncio.timeout(HANG):
                await enough.wait()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert seen.count(UpToDate()) == 1
            last: dict[str, int] = {}
            for change in seen:
                if isinstance(change, Entry):
                    assert change.revision > last.get(change.key, 0), "older or told twice"
                    last[change.key] = change.revision
            current = await kv.read_all()
            assert {key: entry.revision for key, entry in current.items()} == {
                key: revision for key, revision in last.items() if key != "gone"
            }
            if "gone" in last:
                assert Gone("gone") in seen


async def test_a_gap_in_the_numbers_is_noticed_and_the_bucket_read_again(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with lab.wires(lab.admin(), lab.admin()) as [writer, wire]:
        kv = await bucket(writer)
        await kv.put("a", b"1")
        async with aclosing(Kv(wire, kv._bucket).watch()) as changes:
            assert await anext(changes) == Entry("a", b"1", 1)
            assert await anext(changes) == UpToDate()
            # Lose one message of the stream on the way to the watch.
            [followed] = [one for one in wire._inboxes.values() if ".stream." in one.subject]
            lost: list[object] = []
            monkeypatch.setattr(followed._messages, "put_nowait", lost.append)
            await kv.put("b", b"2")
            async with asyncio.timeout(HANG):
                await until(lambda: lost)
                monkeypatch.undo()
                await kv.put("c", b"3")
                told = [await anext(changes), await anext(changes)]
            assert told == [Entry("b", b"2", 2), Entry("c", b"3", 3)]


async def test_the_store_goes_on_when_its_leader_is_killed(cluster: Lab) -> None:
    async with cluster.wires(cluster.admin(), cluster.admin()) as [wire, other]:
        kv = Kv(wire, CLAIMS)
        key = secrets.token_hex(4)
        revision = await kv.swap(key, b"0", 0)
        cluster.kill(1)
        for number in range(1, 5):
            revision = await again(kv, key, str(number).encode(), revision)
        found = await Kv(other, CLAIMS).get(key)
        assert found is not None
        assert found.value == b"4"


async def again(kv: Kv, key: str, value: bytes, revision: int) -> int:
    """An election takes 5 to 10 seconds, more on a slow disk."""
    stored: list[int] = []

    async def is_stored() -> bool:
        try:
            try:
                stored.append(await kv.swap(key, value, revision))
            except Conflict:
                # Perhaps with an earlier attempt, of which it was not known whether it was
                # stored, or that the nodes have not agreed on yet.
                found = await kv.get(key)
                if found is not None and found.value == value:
                    stored.append(found.revision)
                elif found is None or found.revision != revision:
                    raise
        except Conflict:
            raise
        except Exception:
            return False
        return bool(stored)

    await until_true(is_stored)
    return stored[0]


async def test_a_stopped_node_does_not_stop_the_store(cluster: Lab) -> None:
    async with EngineWire(cluster.admin()) as wire:  # which leaves a silent node soon
        await wire.ready(60)
        kv = Kv(wire, CLAIMS)
        key = secrets.token_hex(4)
        revision = await kv.swap(key, b"0", 0)
        cluster.signal(2, signal.SIGSTOP)
        try:
            await again(kv, key, b"1", revision)
        finally:
            cluster.signal(2, signal.SIGCONT)


async def test_a_host_reads_only_its_own_rows(lab: Lab) -> None:
    async with lab.wires(lab.member("host")) as [host]:
        kv = Kv(host, PHONES)
        await kv.put(f"{host.id}.01", b"one")
        assert list(await kv.read_all(f"{host.id}.")) == [f"{host.id}.01"]
