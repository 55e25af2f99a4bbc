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


async def test_a_field_that_is_full_fails_with_what_it_holds(tools: Tools) -> None:
    target = await tools.id_of("short")
    message = await tools.failure("type_append_text", element_id=target, text="abcdefgh")
    assert message.endswith("Field content: abcde")
    assert (await tools.android.state("short"))["text"] == "abcde"
