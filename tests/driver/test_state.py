"""Settings and sent messages, as Android's own commands tell them."""

import pytest

from handheld.driver.by_adb.state import read_sent_messages, read_setting
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sms.message import Box
from harness.phones import link_to


@pytest.mark.parametrize(
    ("value", "read"), [("5", "5"), ("", ""), ("two\nlines = 1", "two\nlines = 1"), (None, None)]
)
async def test_a_setting_is_read_as_it_is(value: str | None, read: str | None) -> None:
    async with VirtualPhone() as phone:
        if value is not None:
            phone.world.preferences.put("global", "mark", value)
        async with link_to(phone) as link:
            assert await read_setting(link, "global", "mark") == read


@pytest.mark.parametrize(
    ("api", "sent"),
    [(34, {1: "+15550100", 3: "+15550102"}), pytest.param(28, None, marks=pytest.mark.matrix)],
)
async def test_sent_messages_are_listed_where_the_shell_may_read_them(
    api: int, sent: dict[int, str] | None
) -> None:
    async with VirtualPhone(api=api) as phone, link_to(phone) as link:
        assert await read_sent_messages(link) == (None if sent is None else {})
        for number, box in enumerate((Box.SENT, Box.INBOX, Box.SENT)):
            phone.world.telephony.store(f"+1555010{number}", "Hi", box)
        assert await read_sent_messages(link) == sent
