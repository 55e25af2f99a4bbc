"""Typing into Android's own fields."""

import pytest

from .conftest import Tools

pytestmark = pytest.mark.needs_framework

PAGE = "fields"

TEXTS = ["hello", "äöü ß", "日本語", "👩‍🚀 flies", "two  spaces", "a\tb"]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("view", ["single", "lines", "completing"])
async def test_text_is_typed_at_the_end(tools: Tools, view: str, text: str) -> None:
    await tools.call("type_append_text", element_id=await tools.id_of(view), text=text)
    state = await tools.android.state(view)
    assert (state["text"], state["focused"]) == (text, True)


async def test_a_long_text_stops_where_the_field_is_full(tools: Tools) -> None:
    reply = await tools.call("type_append_text", element_id=await tools.id_of("short"), text="abcdefgh")
    assert (await tools.android.state("short"))["text"] == "abcde"
    assert "abcde" in reply
