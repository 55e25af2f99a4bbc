"""Joining an engine with a code, and being revoked."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from handheld.fleet.nats.frames import NatsFrame
from handheld.fleet.nats.joining import Joined, join, make_code, read_code
from handheld.fleet.nats.kv import Kv
from handheld.fleet.nats.names import PHONES, TOKENS
from handheld.fleet.nats.nkeys import USER, KeyPair
from handheld.fleet.nats.plan import EngineError
from handheld.fleet.nats.wire import EngineWire, Membership
from harness.polling import HANG

from .lab import Lab, until


async def admitted(lab: Lab, role: str, name: str, tenant: str = "main") -> Joined:
    codes: asyncio.Queue[str] = asyncio.Queue()
    waiting = asyncio.create_task(lab.administration.admit(role, name, tenant, codes.put_nowait))
    joined = await join(await codes.get())
    assert await waiting == joined.membership.id
    return joined


@pytest.mark.needs_nats
async def test_a_host_joins_with_a_code_and_keeps_what_it_got(lab: Lab, tmp_path: Path) -> None:
    joined = await admitted(lab, "host", "desk")
    file = tmp_path / "state" / "joined.json"
    joined.save(file)
    assert file.stat().st_mode & 0o777 == 0o600
    again = Joined.load(file)
    assert (again.role, again.name, again.tenant) == ("host", "desk", "main")
    async with EngineWire(again.membership) as wire:
        await wire.ready(60)
        await Kv(wire, PHONES).put(f"{wire.id}.01", b"x")
        status = await lab.administration.status()
        assert list(status.nodes) == ["node-1"]
        assert again.membership.key.public in status.connected


@pytest.mark.needs_nats
async def test_a_code_counts_once(lab: Lab) -> None:
    codes: asyncio.Queue[str] = asyncio.Queue()
    waiting = asyncio.create_task(
        lab.administration.admit("host", "once", "main", codes.put_nowait)
    )
    code = await codes.get()
    tried = await asyncio.gather(*(join(code) for _ in range(4)), return_exceptions=True)
    won = [one for one in tried if isinstance(one, Joined)]
    assert len(won) == 1
    assert await waiting == won[0].membership.id
    with pytest.raises(EngineError, match="Nobody listens"):
        await join(code)


@pytest.mark.needs_nats
async def test_who_has_a_code_can_do_nothing_but_join(lab: Lab) -> None:
    codes: asyncio.Queue[str] = asyncio.Queue()
    waiting = asyncio.create_task(
        lab.administration.admit("host", "limited", "main", codes.put_nowait)
    )
    code = read_code(await codes.get())
    async with EngineWire(code) as wire:
        await wire.ready(60)
        from .test_rights import refused

        for subject in ("hh1.join.j000000000000", "$KV.phones.x.y", "hh1.call.h.g", "$JS.API.INFO"):
            assert await refused(wire, subject)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)


@pytest.mark.needs_nats
async def test_who_has_a_code_cannot_have_the_answer_written_into_a_table(lab: Lab) -> None:
    codes: asyncio.Queue[str] = asyncio.Queue()
    waiting = asyncio.create_task(lab.administration.admit("host", "sly", "main", codes.put_nowait))
    code = await codes.get()
    question = NatsFrame({"public": KeyPair.make(USER).public}).encode()
    async with EngineWire(read_code(code)) as wire:
        await wire.ready(60)
        for reply in ("$KV.tokens.ci", ""):
            await wire.publish(f"hh1.join.{wire.id}", question, reply=reply)
        joined = await join(code)
    assert await waiting == joined.membership.id
    async with lab.wires(lab.admin()) as [admin]:
        assert await Kv(admin, TOKENS).get("ci") is None


@pytest.mark.needs_nats
async def test_the_phones_of_a_revoked_host_are_not_in_the_directory(lab: Lab) -> None:
    joined, other = await admitted(lab, "host", "gone"), lab.member("host")
    async with lab.wires(joined.membership, other) as wires:
        for wire in wires:
            await Kv(wire, PHONES).put(f"{wire.id}.01", b"x")
    await lab.administration.revoke("gone")
    async with lab.wires(lab.admin()) as [admin]:
        found = await Kv(admin, PHONES).read_all()
    assert f"{other.id}.01" in found
    assert f"{joined.membership.id}.01" not in found


@pytest.mark.needs_nats
async def test_a_revoked_member_is_thrown_out_and_stays_out(cluster: Lab) -> None:
    name = f"gw-{len(cluster.folder.load().members)}"
    joined = await admitted(cluster, "gateway", name)
    async with (
        EngineWire(joined.membership) as wire,
        cluster.wires(cluster.member("host")) as [other],
    ):
        await wire.ready(60)
        await cluster.administration.revoke(name)
        async with asyncio.timeout(HANG):
            await wire.until(lambda: not wire.linked)
        # At none of the three nodes, and nobody else is disturbed.
        for address in cluster.plan.addresses:
            async with EngineWire(replace(joined.membership, servers=(address,))) as tried:
                # The others learn of it a moment later, and a loaded one answers late.
                await until(lambda: "Authorization" in tried.problem)
                assert not tried.linked
        assert not wire.linked
        assert (other.links, other.linked) == (1, True)
    with pytest.raises(EngineError, match="No member"):
        await cluster.administration.revoke(name)


@pytest.mark.needs_nats
async def test_a_name_is_given_once_until_it_is_revoked(lab: Lab) -> None:
    first = await admitted(lab, "host", "named")
    with pytest.raises(EngineError, match="already"):
        await lab.administration.admit("gateway", "named", "main", pytest.fail)
    await lab.administration.revoke("named")
    second = await admitted(lab, "host", "named")
    assert first.membership.id != second.membership.id


@pytest.mark.needs_nats
async def test_a_tenant_is_added_while_the_engine_runs(lab: Lab) -> None:
    await lab.administration.add_tenant("third")
    joined = await admitted(lab, "host", "of-third", "third")
    async with EngineWire(joined.membership) as wire:
        await wire.ready(60)
        await Kv(wire, PHONES).put(f"{wire.id}.01", b"x")


# Without an engine


def code() -> str:
    key = KeyPair.make(USER)
    return make_code(Membership("j0", ("a:1", "[::1]:2"), "PEM", key, "a.b.c"))


def test_a_code_is_read_with_line_breaks() -> None:
    text = code()
    broken = "\n ".join(text[at : at + 40] for at in range(0, len(text), 40))
    assert read_code(f"  {broken}\n").servers == ("a:1", "[::1]:2")


@pytest.mark.parametrize("cut", [0, 8, 9, 30, -1, -2, -5, -40])
def test_a_code_that_was_cut_says_so_without_showing_it(cut: int) -> None:
    for _ in range(20):  # keys differ, and so do lengths
        text = code()[:cut]
        with pytest.raises(EngineError) as told:
            read_code(text)
        assert text[10:30] not in str(told.value) or len(text) <= 10


def test_a_code_of_something_else_is_refused() -> None:
    for text in ("", "hello", "hhjoin1.", "hhjoin1.AAAA", "hhjoin1." + "A" * 9000, "hhjoin1.ä"):
        with pytest.raises(EngineError):
            read_code(text)


def test_a_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="has not joined"):
        Joined.load(tmp_path / "none")
    for text in ("", "[]", "{}", '{"id":"h"}'):
        (tmp_path / "file").write_text(text, encoding="utf-8")
        with pytest.raises(EngineError, match="Join the engine again"):
            Joined.load(tmp_path / "file")
