"""The next holder of a phone asks for what the last one was shown."""

import re
from collections.abc import AsyncGenerator

import pytest

from fleet import conftest
from fleet.conftest import House

ATTACK = "the words of the last holder"

opened = conftest.opened
house = conftest.house


@pytest.fixture
async def seen(house: House) -> AsyncGenerator[tuple[str, str]]:
    """A ref and a screen id that ada was shown, with words that nobody else was; bob has the phone
    now."""
    await house.take("ada", slug="left")
    said = await house.agent("ada", "phone_open", what="Settings")
    ref = re.search(r'([a-z]\d+) "Network & internet', await house.agent("ada", "phone_look"))
    screen = re.search(r"\bs\d+\b", said)
    assert ref is not None
    assert screen is not None
    assert await house.call("ada", "give_back_phone") == "left is given back."
    await house.take("bob", slug="left")
    yield ref[1], screen[0]
    await house.call("bob", "give_back_phone")


async def test_an_old_ref_tells_no_words(house: House, seen: tuple[str, str]) -> None:
    ref, _ = seen
    for said in (
        await house.agent("bob", "phone_tap", at=ref),
        await house.agent("bob", "phone_tap", at=f'{ref} "Nothing"'),
    ):
        assert said.startswith(f"failed: {ref} was ")
        assert "Network" not in said
    look = await house.agent("bob", "phone_look")
    shown = set(re.findall(r"^([a-z])\d+ ", look, re.MULTILINE))
    assert shown
    assert ref[0] not in shown, "the next holder's refs have another letter"


async def test_an_old_screen_is_not_compared_with(house: House, seen: tuple[str, str]) -> None:
    _, screen = seen
    await house.agent("bob", "phone_open", what="Settings")
    said = await house.agent("bob", "phone_look", since=screen)
    assert said.startswith(f"{screen} is no longer known.\n")
