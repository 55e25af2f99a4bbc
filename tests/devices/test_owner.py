"""One owner per phone: claims, entries, and who is chosen."""

import asyncio
import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from handheld.devices.ownership import (
    OwnerError,
    Owners,
    OwnershipClaim,
    OwnershipEntry,
    choose,
    join,
    take,
)
from harness.manual_clock import ManualClock
from harness.polling import HANG


def entry(selection: str, url: str = "http://127.0.0.1:1", pid: int = 1) -> OwnershipEntry:
    return OwnershipEntry(
        selection, pid, f"handheld serve --phone {selection}".rstrip(), "2026", url
    )


async def nobody(entry: OwnershipEntry, serial: str) -> bool:
    return False


async def everybody(entry: OwnershipEntry, serial: str) -> bool:
    return True


def claim(owners: Owners, selection: str) -> OwnershipClaim:
    made = owners.claim([selection] if selection else [], "handheld serve")
    assert made is not None
    return made


def test_a_selection_has_one_owner_at_a_time(tmp_path: Path) -> None:
    owners = Owners(tmp_path / "owners")
    first = claim(owners, "virtual")
    assert owners.claim(["virtual"], "handheld stdio") is None
    other = claim(owners, "R58M")
    first.publish("http://127.0.0.1:8080", "secret", "/cert.pem")
    assert {one.selection: one.url for one in owners.entries()} == {
        "virtual": "http://127.0.0.1:8080",
        "R58M": "",
    }
    assert first.entry in owners.entries()
    first.release()
    claim(owners, "virtual").release()
    other.release()
    assert list((tmp_path / "owners").iterdir()) == []


def test_only_this_user_can_read_an_entry(tmp_path: Path) -> None:
    folder = tmp_path / "owners"
    held = claim(Owners(folder), "virtual")
    held.publish("http://127.0.0.1:8080", "secret")
    (file,) = folder.iterdir()
    assert (file.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    assert "secret" not in repr(held.entry)
    held.release()


def test_the_entry_of_an_exited_owner_is_removed(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from handheld.devices.ownership import Owners\n"
        "claim = Owners(Path(sys.argv[1])).claim(['virtual'], 'handheld serve')\n"
        "claim.publish('http://127.0.0.1:1', 't'); os._exit(9)"
    )
    run = subprocess.run([sys.executable, "-c", code, str(tmp_path)], timeout=HANG, check=False)
    assert (run.returncode, len(list(tmp_path.iterdir()))) == (9, 1)
    assert Owners(tmp_path).entries() == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"pid": 1}'])
def test_an_unreadable_entry_is_ignored(tmp_path: Path, content: bytes) -> None:
    owners = Owners(tmp_path)
    held = claim(owners, "virtual")
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert owners.entries() == []
    held.release()


@pytest.mark.parametrize(
    ("entries", "selection", "serves", "chosen"),
    [
        ([], "", nobody, None),
        ([entry("")], "", nobody, ""),
        ([entry("virtual")], "", nobody, "virtual"),
        ([entry("virtual"), entry("")], "", nobody, ""),
        ([entry("virtual")], "virtual", nobody, "virtual"),
        ([entry("")], "virtual", everybody, None),
        ([entry("")], "R58M", everybody, ""),
        ([entry("")], "R58M", nobody, None),
        ([entry("", url="")], "R58M", everybody, None),
        ([entry("R58M"), entry("")], "R58M", everybody, "R58M"),
        ([entry("virtual")], "R58M", everybody, None),
        ([entry("R58M,virtual")], "virtual", nobody, "R58M,virtual"),
        ([entry("R58M,virtual")], "virtual,R58M", nobody, "R58M,virtual"),
        ([entry("R58M,virtual")], "pixel7", everybody, "R58M,virtual"),
        ([entry("R58M,virtual")], "emulator-5554", nobody, None),
        ([entry("R58M,virtual", url="")], "virtual", nobody, "R58M,virtual"),
    ],
)
async def test_the_owner_of_the_wanted_phones_is_chosen(
    entries: list[OwnershipEntry], selection: str, serves: object, chosen: str | None
) -> None:
    phones = [name for name in selection.split(",") if name]
    found = await choose(entries, phones, serves)  # pyright: ignore[reportArgumentType]
    assert (found.selection if found else None) == chosen


async def test_without_a_choice_several_owners_are_listed() -> None:
    with pytest.raises(OwnerError) as raised:
        await choose([entry("virtual"), entry("R58M", pid=2)], (), nobody)
    assert str(raised.value) == (
        "Several phones are served. Say which one to use: `handheld serve --phone virtual` "
        "(pid 1, http://127.0.0.1:1): --phone virtual; `handheld serve --phone R58M` (pid 2, "
        "http://127.0.0.1:1): --phone R58M."
    )


async def test_an_owner_of_only_some_of_the_phones_is_reported() -> None:
    with pytest.raises(OwnerError) as raised:
        await choose([entry("R58M")], ["virtual", "R58M"], nobody)
    assert str(raised.value) == (
        "`handheld serve --phone R58M` (pid 1, http://127.0.0.1:1) has R58M, but not all of the"
        " requested phones. Leave it out, or stop that one first."
    )


def test_several_phones_are_claimed_together_or_not_at_all(tmp_path: Path) -> None:
    owners = Owners(tmp_path)
    held = claim(owners, "R58M")
    assert owners.claim(["virtual", "R58M"], "handheld serve") is None
    held.release()
    both = owners.claim(["virtual", "R58M"], "handheld serve", "pixel7")
    assert both is not None
    both.publish("http://127.0.0.1:8080", "secret")
    assert owners.entries() == [both.entry]
    assert (both.entry.phones, both.entry.slug) == (("virtual", "R58M"), "pixel7")
    assert owners.claim(["virtual"], "handheld serve") is None
    both.release()
    assert list(tmp_path.iterdir()) == []


def test_an_entry_is_complete_while_a_shorter_one_replaces_it(tmp_path: Path) -> None:
    owners = Owners(tmp_path)
    held = claim(owners, "virtual")
    held.publish("http://127.0.0.1:8080", "secret" * 20)
    (file,) = tmp_path.iterdir()
    long = file.read_bytes()
    held.publish("http://127.0.0.1:8080", "short")
    short = file.read_bytes()
    file.write_bytes(short + long[len(short) :])
    assert owners.entries() == [held.entry]
    held.release()


async def test_of_two_simultaneous_starts_one_owns_and_the_other_goes_through_it(
    tmp_path: Path,
) -> None:
    owners = Owners(tmp_path)

    async def start(name: str) -> OwnershipClaim | OwnershipEntry:
        joined = await join(owners, ["virtual"], name, nobody)
        if isinstance(joined, OwnershipClaim):
            await asyncio.sleep(0)
            joined.publish("http://127.0.0.1:7", "t")
        return joined

    both = await asyncio.gather(start("one"), start("two"))
    (mine,) = [one for one in both if isinstance(one, OwnershipClaim)]
    assert [one for one in both if isinstance(one, OwnershipEntry)] == [mine.entry]
    mine.release()


async def test_an_owner_without_a_listener_is_reported(tmp_path: Path) -> None:
    clock = ManualClock()
    owners = Owners(tmp_path, clock)
    held = claim(owners, "virtual")
    joining = asyncio.create_task(join(owners, ["virtual"], "handheld stdio", nobody))
    await clock.until_waits_only(0.05)
    await clock.advance(29.9)
    assert not joining.done()
    await clock.advance(0.2)
    with pytest.raises(OwnerError) as raised:
        await joining
    assert str(raised.value) == (
        f"`handheld serve` (pid {held.entry.pid}) has the phone but offers no way to share it. "
        "Stop it and try again."
    )
    held.release()


async def test_taking_an_owned_phone_reports_its_owner(tmp_path: Path) -> None:
    owners = Owners(tmp_path)
    held = claim(owners, "")
    held.publish("http://127.0.0.1:8080", "t")
    for phones, serves in (([], nobody), (["R58M"], everybody)):
        with pytest.raises(OwnerError) as raised:
            await take(owners, phones, "handheld serve", serves)
        assert str(raised.value) == (
            f"`handheld serve` (pid {held.entry.pid}, http://127.0.0.1:8080) has this phone. "
            "Work through it, or stop it first."
        )
    (await take(owners, ["virtual"], "handheld serve", everybody)).release()
    held.release()


def only_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


async def test_reading_an_entry_does_not_block_a_claim(tmp_path: Path) -> None:
    clock = ManualClock()
    owners = Owners(tmp_path, clock)
    held = claim(owners, "virtual")
    file = only_file(tmp_path)
    held.release()
    with file.open("w", encoding="utf-8") as looking:
        fcntl.flock(looking, fcntl.LOCK_EX)
        taking = asyncio.ensure_future(take(owners, ["virtual"], "handheld serve", nobody))
        await clock.until_waits_only(0.05)
    await clock.advance(0.05)
    (await taking).release()
