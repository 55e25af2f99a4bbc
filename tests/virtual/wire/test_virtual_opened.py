"""The record of the services that clients have opened on a virtual phone."""

from handheld.adb.shell import run
from handheld_virtual.phone import OPENED, OPENED_LENGTH, VirtualPhone
from harness.phones import link_to


async def test_opened_services_are_recorded_in_order() -> None:
    async with VirtualPhone() as phone, link_to(phone) as link:
        await run(link, ["echo", "one"])
        await run(link, ["echo", "two"])
    assert list(phone.opened) == ["shell,v2,raw:echo one", "shell,v2,raw:echo two"]


async def test_recorded_services_are_bounded_in_number_and_length() -> None:
    async with VirtualPhone() as phone, link_to(phone) as link:
        await run(link, ["echo", "x" * OPENED_LENGTH])
        first = phone.opened[0]
        for number in range(OPENED):
            await run(link, ["echo", str(number)])
    assert first == f"shell,v2,raw:echo {'x' * OPENED_LENGTH}"[:OPENED_LENGTH]
    assert list(phone.opened) == [f"shell,v2,raw:echo {number}" for number in range(OPENED)]
