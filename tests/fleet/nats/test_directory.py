"""Which hosts and phones there are, as gateways see it."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest

from handheld.clock import SYSTEM_CLOCK
from handheld.fleet.nats.directory import (
    STALE,
    Directory,
    HostRow,
    LeaseRow,
    PhoneRow,
    Registrar,
    decode_host,
    decode_rows,
    encode_row,
    encode_rows,
)
from handheld.fleet.nats.kv import Entry, Gone, Kv
from handheld.fleet.nats.names import PHONES, phone_id, slot_of
from handheld.fleet.nats.wire import EngineWire
from harness.manual_clock import ManualClock
from harness.polling import HANG

from .lab import Lab, Relay, through


@asynccontextmanager
async def running(*parts: Registrar | Directory) -> AsyncGenerator[None]:
    tasks = [asyncio.create_task(part.run()) for part in parts]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def until(directory: Directory, holds: Callable[[], bool]) -> None:
    changed = asyncio.Event()
    directory.changed = changed.set
    async with asyncio.timeout(HANG):
        while not holds():
            await changed.wait()
            changed.clear()


@pytest.mark.needs_nats
async def test_gateways_see_what_a_host_says_of_its_phones(lab: Lab) -> None:
    async with lab.wires(lab.member("host"), lab.member("gateway")) as [host, gateway]:
        registrar = Registrar(host, HostRow("desk", "1.0"))
        directory = Directory(gateway)
        lease = LeaseRow("Zoë’s agent", 1.5, 2.5)
        row = PhoneRow("192.168.1.20:5555", "ready", "desk", "Pixel 9", 36, ("lab", "ü"), 7)
        registrar.set(row)
        async with running(registrar, directory):
            await until(directory, lambda: directory.phone(host.id, phone_id(row.serial)) == row)
            await until(directory, lambda: directory.is_fresh(host.id))
            leased = PhoneRow(row.serial, "leased", model="Pixel 9", lease=lease)
            registrar.set(leased)
            await until(directory, lambda: directory.phone(host.id, phone_id(row.serial)) == leased)
            registrar.remove(row.serial)
            await until(directory, lambda: not any(p.host == host.id for p in directory.phones()))


def key(host: str, serial: str) -> str:
    """Of the row that has the phone."""
    return f"{host}.{slot_of(phone_id(serial))}"


@pytest.mark.needs_nats
async def test_rows_that_an_earlier_run_left_are_removed(lab: Lab) -> None:
    async with lab.wires(lab.member("host"), lab.member("gateway")) as [host, gateway]:
        old = PhoneRow("old")
        await Kv(host, PHONES).put(key(host.id, "old"), encode_rows([old]))
        await Kv(host, PHONES).put(key(host.id, "junk"), b"not JSON")
        registrar, directory = Registrar(host, HostRow("desk", "1.0")), Directory(gateway)
        registrar.set(PhoneRow("new"))
        async with running(registrar, directory):
            await until(directory, lambda: directory.phone(host.id, phone_id("new")) is not None)
            await until(directory, lambda: directory.phone(host.id, phone_id("old")) is None)
            kv = Kv(host, PHONES)
            async with asyncio.timeout(HANG):
                while len(await kv.read_all(f"{host.id}.")) > 1:  # noqa: ASYNC110
                    await asyncio.sleep(0)


@pytest.mark.needs_nats
async def test_the_directory_stays_while_the_engine_is_away(lab: Lab) -> None:
    async with Relay(lab.plan.nodes[0]) as relay, lab.wires(lab.member("host")) as [host]:  # noqa: SIM117
        async with EngineWire(through(lab.member("gateway"), relay.address)) as gateway:
            registrar, directory = Registrar(host, HostRow("desk", "1.0")), Directory(gateway)
            registrar.set(PhoneRow("one"))
            async with running(registrar, directory):
                await until(
                    directory, lambda: directory.phone(host.id, phone_id("one")) is not None
                )
                relay.cut()
                assert directory.phone(host.id, phone_id("one")) == PhoneRow("one")
                registrar.set(PhoneRow("two"))
                registrar.remove("one")
                await until(
                    directory,
                    lambda: (
                        directory.phone(host.id, phone_id("two")) is not None
                        and directory.phone(host.id, phone_id("one")) is None
                    ),
                )


# Without an engine


class NoWire(EngineWire):
    """Never dialled."""

    def __init__(self) -> None:
        self.id = "g000000000000"


HOST = "h0123456789ab"


def beat(number: int) -> Entry:
    return Entry(HOST, encode_row(HostRow("desk", "1.0", number)), number)


async def test_freshness_is_judged_by_the_readers_own_clock() -> None:
    clock = ManualClock()
    directory = Directory(NoWire(), clock)
    assert not directory.is_fresh(HOST)
    directory._host_changed(beat(1))
    await clock.advance(STALE)
    assert directory.is_fresh(HOST)
    await clock.advance(0.1)
    assert not directory.is_fresh(HOST)
    # The same row told again, after the bucket was read anew, is not news.
    directory._host_changed(beat(1))
    assert not directory.is_fresh(HOST)
    directory._host_changed(beat(2))
    assert directory.is_fresh(HOST)
    assert directory.age(HOST) == 0


async def test_a_lease_at_a_host_that_is_gone_ends_by_its_time() -> None:
    clock = ManualClock()
    directory = Directory(NoWire(), clock)
    directory._host_changed(beat(1))
    now = clock.time()
    for serial, ends in (("held", now + 100), ("ending", 0.0)):
        row = PhoneRow(serial, lease=LeaseRow("ci's", now, ends, "ci"))
        directory._phone_changed(Entry(key(HOST, serial), encode_rows([row]), 1))

    def leased() -> list[str]:
        return [each.row.serial for each in directory.leased_to("ci")]

    assert leased() == ["held", "ending"]
    await clock.advance(STALE + 1)
    assert leased() == ["held"]
    await clock.advance(100)
    assert leased() == []


async def test_a_row_under_another_phones_key_is_refused() -> None:
    directory = Directory(NoWire(), SYSTEM_CLOCK)
    with pytest.raises(ValueError, match="another"):
        directory._phone_changed(Entry(key(HOST, "one"), encode_rows([PhoneRow("two")]), 1))
    assert directory.count() == 0


ROWS = [
    PhoneRow("R58M123ABC"),
    PhoneRow("ü:5555", "gone", "desk", "Pixel 📱", 36, ("a", "b"), 9, LeaseRow("x", 1, 2.5)),
]


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_read_as_it_was_written(row: PhoneRow) -> None:
    assert decode_rows(encode_rows([row])) == [row]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b'{"serial":5}',
        b'{"serial":"a","tags":"b"}',
        b'{"serial":"a","tags":[5]}',
        b'{"serial":"a","api":"5"}',
        b'{"serial":"a","api":true}',
        b'{"serial":"a","uses":1e400}',
        b'{"serial":"a","lease":[1]}',
        b'{"serial":"a","lease":["x",NaN,1]}',
        b'{"serial":"a","lease":["x",-1,1,""]}',
        b'{"serial":"a","lease":["x",1,1e12,""]}',
        b'{"serial":"' + b"a" * 201 + b'"}',
        b"[" * 100_000,
    ],
)
def test_a_row_that_cannot_be_read_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode_rows(b"[" + (data or b"0") + b"]")
    with pytest.raises(ValueError, match=r"."):
        decode_host(data)


def test_phones_are_found_by_name_and_holder_as_a_look_at_each_would_find_them() -> None:
    """Hosts write, change and delete rows, of which some share slugs and serials."""
    chance = random.Random(7)
    directory = Directory(NoWire())
    names, tokens = ["a", "b", "c", "d"], ["ann", "bob"]
    for revision in range(1, 500):
        host, serial = f"h{chance.randrange(3):012}", chance.choice(names)
        at = key(host, serial)
        if chance.random() < 0.3:
            directory._phone_changed(Gone(at))
        else:
            lease = (
                LeaseRow("x", 1, 2**36, chance.choice(tokens)) if chance.random() < 0.5 else None
            )
            row = PhoneRow(serial, slug=chance.choice([*names, ""]), lease=lease)
            directory._phone_changed(Entry(at, encode_rows([row]), revision))
        every = list(directory.phones())
        for name in names:
            found = [each for each in every if name in (each.row.slug, each.row.serial)]
            assert sorted(directory.named(name), key=str) == sorted(found, key=str)
        for token in tokens:
            held = [each for each in every if each.row.lease and each.row.lease.token == token]
            assert sorted(directory.leased_to(token), key=str) == sorted(held, key=str)
    assert directory.named("") == []
    for host in range(3):
        for name in names:
            directory._phone_changed(Gone(key(f"h{host:012}", name)))
    assert (directory._named, directory._leased) == ({}, {})
