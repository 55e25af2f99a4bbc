"""Refs over starts of the server: a ref from before a start means nothing."""

import logging
import stat
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

from handheld.calls.local import Caller, LocalSurface
from handheld.calls.options import SurfaceOptions
from handheld.devices.opening import PhoneFactory
from handheld.errors import ElementNotFound
from handheld.phone.phone import Phone
from handheld.phone.screen.ref_letters import LETTERS, RefLetters
from handheld.phone.screen.refs import RefIdentity, Refs
from handheld.settings import load
from handheld.tools.agent.catalog import AGENT_CATALOG
from handheld_virtual.phone import VirtualPhone
from harness.one_phone import OnePhone
from harness.phones import link_to, put_jar


def test_letters_follow_one_another_and_begin_again_after_the_last() -> None:
    letters = RefLetters()
    assert [letters.take() for _ in range(22)] == [*LETTERS, "a"]
    assert not set("ilops") & set(LETTERS)


@pytest.mark.parametrize(("before", "expected"), [("", "a"), ("a", "b"), ("xabh", "j"), ("z", "a")])
def test_the_letter_of_the_next_start_follows_the_last_one(
    tmp_path: Path, before: str, expected: str
) -> None:
    file = tmp_path / "state" / "ref-letters"
    if before:
        file.parent.mkdir()
        file.write_text(before, encoding="utf-8")
    assert RefLetters(file).take() == expected
    assert file.read_text("utf-8")[-1] == expected
    assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0 or before


@pytest.mark.parametrize("content", [b"?", b"\xff\x00", b"a" * 200, b"i", b"a" * 30])
def test_a_damaged_file_gives_any_letter_one_logged_line_and_a_usable_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    file = tmp_path / "ref-letters"
    file.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        first = RefLetters(file).take()
    assert [record.getMessage() for record in caplog.records] == [
        f"{file} does not contain letters. Refs begin with any letter."
    ]
    assert first in LETTERS
    second = RefLetters(file).take()
    assert file.read_text("utf-8") == first + second
    assert second != first


def test_without_a_usable_file_each_phone_still_gets_another_letter(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "ref-letters"
    folder.mkdir()
    letters = RefLetters(folder)
    taken = [letters.take() for _ in LETTERS]
    assert sorted(taken) == sorted(LETTERS)
    assert f"{folder} cannot be used" in caplog.text


def test_a_letter_that_comes_round_again_takes_no_ref_with_it() -> None:
    """Other phones have used up all other letters meanwhile."""
    letters = RefLetters()
    refs = Refs(letters)
    refs._new(_identity(0))  # pyright: ignore[reportPrivateUsage]
    for _ in range(20):
        letters.take()
    refs.count = 999
    ref = refs._new(_identity(1))  # pyright: ignore[reportPrivateUsage]
    assert ref.name == "a1"
    assert not refs.was_used("a2")


def _identity(number: int) -> RefIdentity:
    return RefIdentity(number, "x", None, True)


def served(phone: Phone) -> LocalSurface:
    return LocalSurface(AGENT_CATALOG, OnePhone(phone), SurfaceOptions(bare=True))


@asynccontextmanager
async def started(home: Mapping[str, str], device: VirtualPhone) -> AsyncGenerator[LocalSurface]:
    """The server, from start to end."""
    factory = PhoneFactory(load({"phone": "virtual"}, home))
    async with link_to(device) as link, aclosing(factory.make_phone(link)) as phone:
        yield served(phone)


async def call(surface: LocalSurface, name: str, **arguments: str) -> str:
    [text] = await surface.call(f"phone_{name}", arguments, Caller("cli"))
    assert isinstance(text, str)
    return text


async def test_a_ref_from_before_a_start_of_the_server_does_nothing(tmp_path: Path) -> None:
    home = {"HANDHELD_HOME": str(tmp_path)}
    async with VirtualPhone() as device:
        put_jar(device)
        async with started(home, device) as surface:
            assert "a1" in await call(surface, "look")
        async with started(home, device) as surface:
            shown = await call(surface, "look")
            assert "b1" in shown
            with pytest.raises(ElementNotFound) as failure:
                await call(surface, "tap", at="a1")
            assert failure.value.message == (
                "a1 was not shown since the server started: call phone_look."
            )
            with pytest.raises(ElementNotFound) as failure:
                await call(surface, "tap", at="k1")
            assert failure.value.message == "k1 was never shown on this phone: call phone_look."
        assert [event for event in device.world.events if event.kind in ("touch", "perform")] == []


async def test_a_ref_means_the_same_after_the_connection_was_lost(tmp_path: Path) -> None:
    factory = PhoneFactory(load({"phone": "virtual"}, {"HANDHELD_HOME": str(tmp_path)}))
    replies: list[str] = []
    async with VirtualPhone() as device:
        put_jar(device)
        for name, arguments in (("look", {}), ("tap", {"at": "a1"})):
            async with link_to(device) as link, aclosing(factory.make_phone(link)) as phone:
                replies.append(await call(served(phone), name, **arguments))
    [item] = [part for row in replies[0].split("\n") for part in row.split(", ") if "a1 " in part]
    assert replies[1].startswith(f"Tapped {item}.")
