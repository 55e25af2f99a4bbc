"""Android's own list, which shows its rows again for others."""

import pytest

from .conftest import Tools

pytestmark = pytest.mark.needs_framework

PAGE = "list"


async def test_a_list_is_scrolled_by_a_page(tools: Tools) -> None:
    before = await tools.android.state("list")
    await tools.call("scroll", direction="down", element_id=await tools.id_of("list"))
    after = await tools.android.state("list")
    assert after["first"] > before["first"]


async def test_an_id_never_means_the_row_that_took_its_place(tools: Tools) -> None:
    first = await tools.id_by_text("Row 0")
    await tools.call("scroll", direction="down", element_id=await tools.id_of("list"))
    assert (await tools.android.state("list"))["first"] > 0
    await tools.failure("click_element", element_id=first)


async def test_a_row_far_below_is_reached(tools: Tools) -> None:
    await tools.call("wait_for_idle", timeout=5000)
