"""Dialogs and menus of Android's own, each a window of its own."""

import pytest

from .conftest import Tools

pytestmark = pytest.mark.needs_framework

PAGE = "windows"


async def test_a_dialog_is_read_and_answered(tools: Tools) -> None:
    await tools.call("click_element", element_id=await tools.id_of("Dialog"))
    await tools.call("wait_for_element", by="text", value="Really?", timeout=20_000)
    await tools.call("click_element", element_id=await tools.id_by_text("YES"))
    assert await tools.android.log() == ["yes"]
    assert "Really?" not in await tools.call("get_screen_state")


async def test_back_closes_a_dialog(tools: Tools) -> None:
    await tools.call("click_element", element_id=await tools.id_of("Dialog"))
    await tools.call("wait_for_element", by="text", value="Really?", timeout=20_000)
    await tools.call("press_back")
    assert "Really?" not in await tools.call("get_screen_state")


async def test_a_menu_is_opened_and_one_item_is_chosen(tools: Tools) -> None:
    await tools.call("click_element", element_id=await tools.id_of("Menu"))
    await tools.call("wait_for_element", by="text", value="Move", timeout=20_000)
    found = await tools.call("find_elements", by="text", value="Move", exact_match=True)
    assert "Move" in found


async def test_a_toast_is_announced_and_not_listed(tools: Tools) -> None:
    """Android lists no window that cannot be touched; what is below it can be read and used."""
    before = len(await tools.rows())
    await tools.android.events()
    await tools.call("click_element", element_id=await tools.id_of("Toast"))
    await tools.android.elapse(300)
    sent = [event for event in await tools.android.events() if "Toast" in event["class"]]
    assert [event["type"] for event in sent] == ["NOTIFICATION_STATE_CHANGED"]
    assert len(await tools.rows()) == before
    await tools.call("click_element", element_id=await tools.id_of("Dialog"))
    await tools.call("wait_for_element", by="text", value="Really?", timeout=20_000)
