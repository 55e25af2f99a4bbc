"""Typing into Android's own fields."""

import pytest

from .conftest import Tools

pytestmark = pytest.mark.needs_framework

PAGE = "fields"
QUICK = {"typing_speed": 10, "typing_speed_variance": 0}

TEXTS = ["hello", "äöü ß", "日本語", "👩‍🚀 flies", "two  spaces", "a\tb"]


async def type_into(tools: Tools, view: str, text: str) -> str:
    element = await tools.id_of(view)
    return await tools.call("type_append_text", element_id=element, text=text, **QUICK)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("view", ["single", "lines", "completing"])
async def test_text_is_typed_at_the_end(tools: Tools, view: str, text: str) -> None:
    await type_into(tools, view, text)
    state = await tools.android.state(view)
    assert (state["text"], state["focused"]) == (text, True)


async def test_a_second_text_follows_the_first(tools: Tools) -> None:
    await type_into(tools, "single", "one ")
    await type_into(tools, "single", "two")
    assert (await tools.android.state("single"))["text"] == "one two"


async def test_text_is_typed_at_an_offset(tools: Tools) -> None:
    await type_into(tools, "single", "ac")
    element = await tools.id_of("single")
    await tools.call("type_insert_text", element_id=element, text="b", offset=1, **QUICK)
    assert (await tools.android.state("single"))["text"] == "abc"


async def test_text_is_replaced(tools: Tools) -> None:
    await type_into(tools, "single", "red green red")
    element = await tools.id_of("single")
    await tools.call(
        "type_replace_text", element_id=element, search="red", new_text="blue", **QUICK
    )
    assert (await tools.android.state("single"))["text"] == "blue green red"


async def test_text_is_cleared(tools: Tools) -> None:
    await type_into(tools, "lines", "one\ntwo")
    await tools.call("type_clear_text", element_id=await tools.id_of("lines"))
    assert (await tools.android.state("lines"))["text"] == ""


async def test_lines_are_typed_into_a_field_of_several(tools: Tools) -> None:
    await type_into(tools, "lines", "one\ntwo")
    assert (await tools.android.state("lines"))["text"] == "one\ntwo"


async def test_a_password_is_typed_and_not_shown(tools: Tools) -> None:
    reply = await type_into(tools, "password", "secret")
    assert (await tools.android.state("password"))["text"] == "secret"
    assert reply.endswith("\nField content: ••••••")
    assert (await tools.row_of("password"))[2] == "••••••"


async def test_a_hint_is_no_text(tools: Tools) -> None:
    before = await tools.row_of("single")
    assert [before[2], before[3], before[6].split(",")[-1]] == ["-", "one line", "hint"]
    details = await tools.call("get_element_details", ids=[before[0]])
    assert details.endswith(f"{before[0]}\t-\tone line")
    await type_into(tools, "single", "x")
    after = await tools.row_of("single")
    assert [after[2], after[3], after[6].split(",")[-1]] == ["x", "-", "inf"]


async def test_a_field_that_is_full_fails_with_what_it_holds(tools: Tools) -> None:
    target = await tools.id_of("short")
    message = await tools.failure("type_append_text", element_id=target, text="abcdefgh", **QUICK)
    assert message.endswith("Field content: abcde")
    assert (await tools.android.state("short"))["text"] == "abcde"


async def test_a_field_that_refuses_digits_fails_with_what_it_holds(tools: Tools) -> None:
    target = await tools.id_of("refusing")
    message = await tools.failure("type_append_text", element_id=target, text="12", **QUICK)
    assert message.endswith("Field content: ")
    assert (await tools.android.state("refusing"))["text"] == ""


async def test_a_field_that_formats_says_what_it_made_of_the_text(tools: Tools) -> None:
    target = await tools.id_of("formatting")
    message = await tools.failure("type_append_text", element_id=target, text="abcdef", **QUICK)
    assert message.endswith("Field content: abc def")
    assert (await tools.android.state("formatting"))["text"] == "abc def"


@pytest.mark.parametrize(("key", "text"), [("SPACE", "ab "), ("DEL", "a")])
async def test_keys_go_to_the_field_with_the_focus(tools: Tools, key: str, text: str) -> None:
    await type_into(tools, "single", "ab")
    await tools.call("press_key", key=key)
    assert (await tools.android.state("single"))["text"] == text


async def test_the_clipboard_is_set_and_read(tools: Tools) -> None:
    await tools.call("set_clipboard", text="äöü 👍🏽")
    assert await tools.call("get_clipboard") == '{"text":"äöü 👍🏽"}'
