"""What Android's own widgets tell beyond a dump, in the rows that models get."""

import pytest

from handheld.phone.screen.screen_log import ScreenLog
from handheld.screen.rows.screen import Rows

from .conftest import Tools

pytestmark = pytest.mark.needs_framework

PAGE = "described"


async def rows_of(tools: Tools) -> Rows:
    phone = tools.phone
    return ScreenLog().show(phone.elements, await phone.driver.read_screen()).rows


async def test_states_of_views_are_printed(tools: Tools) -> None:
    rows = await rows_of(tools)
    assert rows.header.endswith('Profile"')
    state = ' = "Vibrate"' if tools.api >= 30 else ""
    assert [row.text for row in rows.rows] == [
        '"Account" heading',
        'a1 field "Email" empty error "Not an address" hint "name@example.com"',
        f'a2 "Ringer"{state}',
        'a3 slider "Level" = 40 of 0–100',
        "progress = 25 of 0–100",
        'a4 check "Box" off',
        # Before Android 11 the state is a part of its text.
        f'a5 switch "Toggle{"" if tools.api >= 30 else " ON"}" on',
    ]
    assert rows.tail == ["loading"]


async def test_lists_say_which_rows_they_show(tools: Tools) -> None:
    """A ListView does not count its rows since Android 11."""
    await tools.android.show("list")
    shown = (await tools.android.state("list"))["last"] + 1
    count = " of 1000" if tools.api < 30 else ""
    assert (await rows_of(tools)).rows[0].text == f"list a1, 1–{shown}{count}, more below:"
    await tools.items("scroll", direction="down", amount="large")
    await tools.android.elapse(1000)
    header = (await rows_of(tools)).rows[0].text
    assert header.endswith(f"{count}, more above, more below:")


async def test_a_grid_says_which_rows_it_shows(tools: Tools) -> None:
    await tools.android.show("grid")
    header = (await rows_of(tools)).rows[0].text
    assert header.startswith("list a1, rows 1–")
    assert header.endswith(" of 333, more below:")


async def test_groups_are_collapsed_or_expanded(tools: Tools) -> None:
    """An ExpandableListView offers ACTION_EXPAND and ACTION_COLLAPSE since Android 14."""
    await tools.android.show("groups")
    collapsed, expanded = (" collapsed", " expanded") if tools.api >= 34 else ("", "")
    before = [row.text for row in (await rows_of(tools)).rows]
    assert before == [f'a1 "Fruit"{collapsed}', f'a2 "Nuts"{collapsed}']
    await tools.call("click_element", element_id=await tools.id_by_text("Fruit"))
    after = [row.text for row in (await rows_of(tools)).rows]
    assert (after[0], after[-1]) == (f'a1 "Fruit"{expanded}', f'a5 "Nuts"{collapsed}')
