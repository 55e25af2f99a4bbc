"""What a process that was killed left changed on a phone, and who puts it back."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from handheld.adb.link import Link
from handheld.devices.opening import PhoneFactory
from handheld.driver.by_adb.left_file import RUN, drop, drop_run, note, read_left
from handheld.helper.protocol import LEFT_FILE, LEFT_LIMIT
from handheld.phone.phone import Phone
from handheld_virtual.phone import VirtualPhone
from harness.phones import reached
from harness.polling import HANG

OTHER = "0123abcd"


class Used:
    def __init__(self, device: VirtualPhone, link: Link, phone: Phone) -> None:
        self.device, self.link, self.phone = device, link, phone

    @property
    def file(self) -> str:
        files = self.device.files
        return files.read(LEFT_FILE).decode() if files.exists(LEFT_FILE) else ""

    @file.setter
    def file(self, text: str) -> None:
        self.device.files.write(LEFT_FILE, text.encode(), 0o600)

    def by_another_process(self) -> "Used":
        return Used(self.device, self.link, PhoneFactory().make_phone(self.link))

    async def settle(self) -> None:
        """Use it, and wait until what was left is put back."""
        await self.phone.driver.read_screen()
        task = self.phone._putting_back  # pyright: ignore[reportPrivateUsage]
        assert task is not None
        await asyncio.wait_for(task, HANG)


@pytest.fixture(params=["helper", "shell"])
async def used(request: pytest.FixtureRequest) -> AsyncIterator[Used]:
    make = PhoneFactory().make_phone
    async with reached(VirtualPhone(), request.param, make=make) as (device, link, phone):
        yield Used(device, link, phone)


async def test_a_change_is_noted_on_the_phone_until_it_is_put_back(used: Used) -> None:
    await used.phone.device.change({"dark_mode": "yes"})
    assert used.file == f"{RUN} dark_mode no\n"
    await used.phone.device.change({"font_scale": "1.3"})
    await used.phone.device.change({"font_scale": "1.15"})
    assert used.file == f"{RUN} dark_mode no\n{RUN} font_scale 1\n"
    await used.phone.device.restore()
    assert used.file == ""


async def test_what_was_changed_stays_after_an_orderly_end_without_a_note(used: Used) -> None:
    await used.phone.device.change({"font_scale": "1.3"})
    used.file += f"{OTHER} x 1\n"
    await used.phone.aclose()
    assert used.file == f"{OTHER} x 1\n"
    assert used.device.world.preferences.get("system", "font_scale") == "1.3"


async def test_what_a_killed_process_left_is_put_back(used: Used) -> None:
    await used.phone.device.change({"dark_mode": "yes", "font_scale": "1.3"})
    used.device.kill("handheld")
    used.file = used.file.replace(RUN, OTHER)
    other = used.by_another_process()
    await other.settle()
    assert other.file == ""
    facts = await other.phone.device.info()
    assert (facts["screen"]["dark"], facts["screen"]["font_scale"]) == (False, 1.0)
    assert facts["changed"] == []
    await other.phone.aclose()


async def test_a_pretended_place_is_taken_back(used: Used) -> None:
    await used.phone.device.change_place((48.1, 11.6))
    where = used.device.world.whereabouts
    assert (bool(where.tests), where.mock_allowed) == (True, True)
    assert used.file == f"{RUN} location real\n"
    await used.phone.driver.aclose()
    used.file = f"{OTHER} location real\n"
    other = used.by_another_process()
    await other.settle()
    assert (where.tests, where.mock_allowed, other.file) == ({}, False, "")
    await other.phone.aclose()


async def test_own_changes_are_not_taken_back(used: Used) -> None:
    await used.phone.device.change({"dark_mode": "yes"})
    await used.phone.driver.read_screen()
    assert used.phone._putting_back is None  # pyright: ignore[reportPrivateUsage]
    assert used.file == f"{RUN} dark_mode no\n"


async def test_a_change_before_that_takes_the_first_value_over(used: Used) -> None:
    used.file = f"{OTHER} font_scale 0.85\n"
    await used.phone.device.change({"font_scale": "1.3"})
    assert used.file == f"{RUN} font_scale 0.85\n"
    assert dict(await used.phone.device.changed()) == {"font_scale": "0.85"}


async def test_restoring_puts_it_back_too(used: Used) -> None:
    used.device.world.preferences.put("system", "font_scale", "1.3")
    used.file = f"{OTHER} font_scale 1\n"
    assert await used.phone.device.restore() == ["Font scale: 1.3 -> 1"]
    assert used.file == ""


async def test_what_cannot_be_put_back_stays_noted(used: Used) -> None:
    used.file = f"{OTHER} unknown 1\nnonsense\n"
    await used.settle()
    assert used.file == f"{OTHER} unknown 1\nnonsense\n"


def test_only_lines_of_our_form_are_read() -> None:
    text = f"{OTHER} a b c\n{OTHER} a\nx a b\n\x00\n{OTHER} language:org.x de,en\n"
    assert [each[1:] for each in read_left(text)] == [("a", "b c"), ("language:org.x", "de,en")]


async def test_the_file_is_bounded_and_leaves_out_what_it_cannot_hold(used: Used) -> None:
    driver = used.phone.driver
    for number in range(25):
        await driver.change_device(note(f"n{number}", "v" * 90), ())
    assert 1000 < len(used.file) <= LEFT_LIMIT
    assert note("a", "x\ny") == note("a", "v" * 101) == "true"
    await driver.change_device(drop("n1"), ())
    names = [each.name for each in read_left(used.file)]
    assert ("n1" in names, "n10" in names) == (False, True)
    await driver.change_device(drop_run(), ())
    assert used.file == ""
