"""Typing and keys: the field after each call, and the reply."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handheld.screen.model import Flag, Node
from handheld_virtual.apps.form import ContactForm
from handheld_virtual.system.clipboard import NO_OVERLAY, PASSING, SENSITIVE, SHELL, Clip

from .conftest import MemoryStage, Stage
from .host import Host
from .java_stage import JavaStage

FORM = "dev.handheld.form"


def field(stage: Stage, name: str) -> Node:
    return next(
        node
        for window in stage.world.automation.read_windows()
        for node in window.nodes
        if node.resource_id == f"{FORM}:id/{name}"
    )


def content(stage: Stage, name: str) -> str:
    """The content, also of a password field."""
    front = stage.world.front
    assert isinstance(front, ContactForm)
    return front.fields[name].content


def typing(node: Node, text: str = "", **changes: Any) -> dict[str, Any]:
    signature = {
        "class": node.class_name,
        "resource_id": node.resource_id,
        "description": node.description,
    }
    return {
        "key": node.key,
        "expect": signature,
        "anchor": None,
        "where": "end",
        "text": text,
        "delay_ms": 10,
        "variance_ms": 0,
        **changes,
    }


async def typed(host: Host, arguments: dict[str, Any], ms: float = 1000) -> dict[str, Any]:
    number = await host.call("type", arguments, budget_ms=20_000, act=True)
    await host.advance(ms)
    return (await host.answer(number)).reply


def type_reply(content: str, typed: int, removed: int = 0, **changes: Any) -> dict[str, Any]:
    reply = {"content": content, "typed": typed, "removed": removed}
    return {**reply, "password": False, "matches": True, **changes}


async def test_text_is_typed_at_the_cursor_in_place_of_the_selection(
    stage: Stage, host: Host
) -> None:
    stage.world.show(FORM)
    name = field(stage, "name")
    await typed(host, typing(name, "a😀b"))
    assert stage.world.automation.set_selection(name.key, 3, 3)
    assert await typed(host, typing(name, "x", where="cursor")) == type_reply("a😀xb", 1)
    # The cursor is behind what was typed.
    assert await typed(host, typing(name, "y", where="cursor")) == type_reply("a😀xyb", 1)
    assert stage.world.automation.set_selection(name.key, 1, 4)
    assert await typed(host, typing(name, "-", where="cursor")) == type_reply("a-yb", 1, 3)


async def test_text_can_be_typed_at_each_place_in_a_field(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    name = field(stage, "name")
    assert name.flags & Flag.SHOWING_HINT
    assert await typed(host, typing(name, "ad")) == type_reply("ad", 2)
    assert await typed(host, typing(name, "d", where={"offset": 1})) == type_reply("add", 1)
    assert await typed(host, typing(name, "😀", where={"search": "dd"})) == type_reply("a😀", 2, 2)
    assert await typed(host, typing(name, "x", where={"offset": 3})) == type_reply("a😀x", 1)
    assert await typed(host, typing(name, "new", where="all")) == type_reply("new", 3, 4)
    assert await typed(host, typing(name, where={"search": "e"})) == type_reply("nw", 0, 1)
    assert await typed(host, typing(name, where="all")) == type_reply("", 0, 2)
    assert field(stage, "name").flags & Flag.FOCUSED


async def test_typing_returns_the_window_as_it_is_afterwards(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    for arguments in (typing(field(stage, "name"), "ad"), typing(field(stage, "notes"))):
        number = await host.call("type", arguments, act=True)
        await host.advance(1000)
        returned = json.loads((await host.answer(number)).data)["windows"]
        shown = json.loads((await host.do("screen")).data)["windows"]
        window = int(arguments["key"].partition(":")[0])
        assert returned == [item for item in shown if item["id"] == window]
        assert len(returned) == 1


@pytest.mark.slow
async def test_text_without_delay_is_set_in_one_step(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    long = "añ😀" * 600
    at_once = typing(field(stage, "name"), long, where="all", delay_ms=0)
    assert (await host.do("type", at_once, act=True)).reply == type_reply(long, 2400)
    behind = typing(field(stage, "name"), "!", delay_ms=0)
    assert (await host.do("type", behind, act=True)).reply == type_reply(f"{long}!", 1)
    emptied = typing(field(stage, "name"), "", where="all", delay_ms=0)
    assert (await host.do("type", emptied, act=True)).reply == type_reply("", 0, 2401)


async def test_password_without_delay_is_typed_by_characters(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    number = await host.call("type", typing(field(stage, "password"), "abc", delay_ms=0), act=True)
    await host.settle()
    assert (content(stage, "password"), number in host.answers) == ("a", False)
    await host.advance(2)
    assert (await host.answer(number)).reply["typed"] == 3
    assert content(stage, "password") == "abc"


async def test_clearing_an_empty_field_has_no_effect(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    assert await typed(host, typing(field(stage, "name"), where="all")) == type_reply("", 0)
    assert stage.world.events == []


async def test_characters_are_typed_at_their_time_without_a_final_delay(
    stage: Stage, host: Host
) -> None:
    stage.world.show(FORM)
    arguments = typing(field(stage, "name"), "abc", delay_ms=100)
    number = await host.call("type", arguments, act=True)
    await host.settle()
    for wanted in ("a", "ab"):
        assert content(stage, "name") == wanted
        await host.advance(99)
        assert content(stage, "name") == wanted
        await host.advance(1)
    assert (await host.answer(number)).reply == type_reply("abc", 3)


async def test_variance_stays_within_its_bounds(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    arguments = typing(field(stage, "name"), "x" * 41, delay_ms=50, variance_ms=20)
    number = await host.call("type", arguments, act=True)
    await host.advance(40 * 30 - 1)
    assert number not in host.answers
    await host.advance(40 * 40 + 1)
    assert (await host.answer(number)).reply == type_reply("x" * 41, 41)


async def test_password_is_reported_as_bullets(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    secret = field(stage, "password")
    assert await typed(host, typing(secret, "a😀")) == type_reply("•••", 3, password=True)
    assert await typed(host, typing(secret, "b")) == type_reply("••••", 1, password=True)
    answer = await host.do("type", typing(secret, "c", where={"search": "•"}), act=True)
    assert answer.failure == ("text_not_found", "no")
    assert answer.value["data"] == {"password": True}
    assert content(stage, "password") == "a😀b"
    assert await typed(host, typing(secret, where="all")) == type_reply("", 0, 4, password=True)


async def test_text_that_the_app_rejected_is_reported(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    assert await typed(host, typing(field(stage, "phone"), "1a2")) == type_reply(
        "12", 3, matches=False
    )


@pytest.mark.parametrize(
    ("offset", "data"),
    [
        (5, {"length": 4}),
        (2, {"length": 4, "before": 1, "after": 3}),
    ],
)
async def test_offset_inside_a_character_or_beyond_the_text_is_rejected(
    stage: Stage, host: Host, offset: int, data: dict[str, int]
) -> None:
    stage.world.show(FORM)
    name = field(stage, "name")
    await typed(host, typing(name, "a😀b"))
    stage.world.events.clear()
    answer = await host.do("type", typing(name, "x", where={"offset": offset}), act=True)
    assert answer.failure == ("outside_text", "no")
    assert answer.value["data"] == data
    assert stage.world.events == []


async def test_view_that_is_not_editable_is_not_typed_into(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    name, submit = field(stage, "name"), field(stage, "submit")
    signature = typing(name)["expect"]
    for arguments, code in (
        (typing(submit, "x"), "not_editable"),
        (typing(name, "x", where={"search": "y"}), "text_not_found"),
        (typing(name, "x", key="99:1:-1"), "gone"),
        (typing(name, "x", expect={**signature, "description": "other"}), "changed"),
        (typing(name, "x", anchor={"key": submit.key, "text": "Send"}), "changed"),
    ):
        assert (await host.do("type", arguments, act=True)).failure == (code, "no")
    assert stage.world.events == []


@pytest.mark.parametrize(
    "changes",
    [
        {"where": "start"},
        {"where": {}},
        {"where": {"offset": -1}},
        {"where": {"offset": True}},
        {"where": {"offset": 1, "search": "x"}},
        {"where": {"search": ""}},
        {"where": {"search": "x" * 10_001}},
        {"where": None},
        {"text": None},
        {"text": "😀" * 1001},
        {"delay_ms": -1},
        {"delay_ms": 5001},
        {"text": "x" * 2001},
        {"text": "x" * 100_001, "delay_ms": 0},
        {"variance_ms": 1.5},
        {"key": ""},
        {"expect": None},
        {"speed": 1},
    ],
)
async def test_malformed_type_call_is_rejected(
    stage: Stage, host: Host, changes: dict[str, Any]
) -> None:
    stage.world.show(FORM)
    arguments = {**typing(field(stage, "name"), "x"), **changes}
    assert (await host.do("type", arguments, act=True)).failure == ("bad_call", "no")
    assert stage.world.events == []


async def test_cancelled_typing_reports_how_much_was_typed(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    number = await host.call("type", typing(field(stage, "name"), "a😀bcd"), act=True)
    following = await host.call("key", {"key": "space"}, act=True)
    await host.advance(10)
    await host.cancel(number)
    answer = await host.answer(number)
    assert answer.failure == ("cancelled", "partly")
    assert answer.value["data"] == {"typed": 3}
    assert (await host.answer(following)).reply == {}
    await host.advance(100)
    assert content(stage, "name") == "a😀 "


async def test_typing_out_of_time_reports_how_much_was_typed(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    arguments = typing(field(stage, "name"), "abcdef", delay_ms=100)
    number = await host.call("type", arguments, budget_ms=250, act=True)
    await host.advance(1000)
    answer = await host.answer(number)
    assert answer.failure == ("out_of_time", "partly")
    assert answer.value["data"] == {"typed": 3}
    assert content(stage, "name") == "abc"


async def test_lost_field_reports_how_much_was_typed(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    for name in ("name", "password"):
        number = await host.call("type", typing(field(stage, name), "abc"), act=True)
        await host.advance(10)
        stage.world.show("com.android.calculator2")
        await host.advance(10)
        answer = await host.answer(number)
        assert answer.failure == ("field_lost", "partly")
        assert answer.value["data"] == {"typed": 2}
        stage.world.show(FORM)
        assert content(stage, name) == "ab"


async def test_password_characters_without_a_key_are_pasted_as_sensitive(
    stage: Stage, host: Host
) -> None:
    world = stage.world
    world.clipboard.hold(Clip("the owner's", "org.example.vault", frozenset((SENSITIVE,))))
    world.show(FORM)
    assert await typed(host, typing(field(stage, "password"), "aßc")) == type_reply(
        "•••", 3, password=True
    )
    assert content(stage, "password") == "aßc"
    unseen = frozenset((SENSITIVE, NO_OVERLAY))
    assert world.clipboard.history == [
        Clip("ß", SHELL, unseen | {PASSING}),
        Clip("the owner's", SHELL, unseen),
    ]
    assert world.clipboard_overlay.window is None


async def test_empty_clipboard_is_empty_after_a_password(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    await typed(host, typing(field(stage, "password"), "ß"))
    assert content(stage, "password") == "ß"
    assert stage.world.clipboard.paste() is None


async def test_password_without_keys_fails_without_the_clipboard(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    asked = typing(field(stage, "password"), "aß", delay_ms=0)
    stage.world.clipboard.refusal = "Disallowed."
    call = await host.call("type", asked, act=True)
    await host.advance(10)
    answer = await host.answer(call)
    assert answer.failure == ("failed", "partly")
    assert answer.value["message"] == "Disallowed."
    assert content(stage, "password") == "a"


async def test_password_is_typed_only_into_its_field(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    number = await host.call("type", typing(field(stage, "password"), "abc"), act=True)
    await host.settle()
    stage.world.automation.perform(field(stage, "name").key, "focus")
    await host.advance(100)
    assert (await host.answer(number)).failure == ("field_lost", "partly")
    assert (content(stage, "password"), content(stage, "name")) == ("a", "")


async def lose_nothing(stage: Stage, before: str, text: str, data: st.DataObject) -> None:
    host, _ = await stage.start()
    stage.world.show(FORM)
    notes = field(stage, "notes")
    stage.world.automation.set_text(notes.key, before)
    at = data.draw(st.integers(0, len(before)))
    offset = len(before[:at].encode("utf-16-le")) // 2
    number = await host.call(
        "type", typing(notes, text, where={"offset": offset}), budget_ms=20_000, act=True
    )
    await host.advance(1000)
    answer = await host.answer(number)
    if answer.value.get("code") == "outside_text":
        assert content(stage, "notes") == before
    else:
        wanted = before[:at] + text + before[at:]
        assert answer.reply == type_reply(wanted, len(text.encode("utf-16-le")) // 2)
        assert content(stage, "notes") == wanted
    await host.end()
    assert await host.ended() == 0
    await stage.aclose()


@given(st.text(max_size=30), st.text(max_size=30, min_size=1), st.data())
def test_no_part_of_any_text_is_lost(before: str, text: str, data: st.DataObject) -> None:
    async def run() -> None:
        await lose_nothing(MemoryStage(), before, text, data)

    asyncio.run(run())


@pytest.mark.needs_java
@settings(max_examples=15, deadline=None)
@given(st.text(max_size=30), st.text(max_size=30, min_size=1), st.data())
def test_no_part_of_any_text_is_lost_in_java(before: str, text: str, data: st.DataObject) -> None:
    async def run() -> None:
        await lose_nothing(JavaStage(), before, text, data)

    asyncio.run(run())


# key


async def test_keys_act_at_the_cursor(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    notes = field(stage, "notes")
    await typed(host, typing(notes, "a👍🏽b"))
    await typed(host, typing(notes, "c", where={"offset": 5}))
    for key, after in (
        ("del", "a👍🏽b"),
        ("del", "ab"),
        ("tab", "a\tb"),
        ("space", "a\t b"),
        ("enter", "a\t \nb"),
    ):
        assert (await host.do("key", {"key": key}, act=True)).reply == {}
        assert content(stage, "notes") == after


async def test_key_in_a_password_field_is_injected(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    await typed(host, typing(field(stage, "password"), "ab"))
    for key, after in (("space", "ab "), ("del", "ab"), ("del", "a")):
        assert (await host.do("key", {"key": key}, act=True)).reply == {}
        assert content(stage, "password") == after


async def test_a_key_needs_a_field_with_the_focus(stage: Stage, host: Host) -> None:
    stage.world.show("com.android.calculator2")
    for key in ("enter", "del", "tab", "space"):
        assert (await host.do("key", {"key": key}, act=True)).failure == ("no_field", "no")
    for wrong in ("back", "A", None):
        assert (await host.do("key", {"key": wrong}, act=True)).failure == ("bad_call", "no")
    assert stage.world.events == []


async def test_a_keycode_is_pressed_with_its_modifiers_where_the_focus_is(
    stage: Stage, host: Host
) -> None:
    stage.world.show(FORM)
    notes = field(stage, "notes")
    await typed(host, typing(notes, "ab"))
    ctrl = 0x1000
    for code, meta, after in (
        (29, 0, "aba"),
        (29, 1, "abaA"),
        (29, ctrl, "abaA"),
        (277, 0, ""),
        (279, 0, "abaA"),
        (279, 0, "abaAabaA"),
        (122, ctrl, "abaAabaA"),
        (112, 0, "baAabaA"),
    ):
        assert (await host.do("keycode", {"code": code, "meta": meta}, act=True)).reply == {}
        assert content(stage, "notes") == after


@pytest.mark.parametrize(
    "arguments",
    [{"code": 29}, {"code": -1, "meta": 0}, {"code": 1024, "meta": 0}, {"code": "a", "meta": 0},
     {"code": 29, "meta": 1 << 24}, {"code": 29, "meta": 0, "long": True}],
)  # fmt: skip
async def test_a_keycode_that_is_none_is_a_bad_call(
    stage: Stage, host: Host, arguments: dict[str, Any]
) -> None:
    assert (await host.do("keycode", arguments, act=True)).failure == ("bad_call", "no")
    assert stage.world.events == []


async def test_a_keycode_is_not_pressed_where_input_is_refused(stage: Stage, host: Host) -> None:
    stage.world.input_refused = True
    answer = await host.do("keycode", {"code": 29, "meta": 0}, act=True)
    assert answer.failure == ("input_refused", "no")


async def test_key_that_the_app_rejects_is_a_failure(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    await typed(host, typing(field(stage, "phone"), "1"))
    assert (await host.do("key", {"key": "tab"}, act=True)).failure == ("failed", "no")
    assert content(stage, "phone") == "1"


async def test_typing_for_over_ten_minutes_keeps_uiautomation(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    arguments = typing(field(stage, "name"), "x" * 130, delay_ms=5000)
    number = await host.call("type", arguments, budget_ms=1_000_000, act=True)
    for _ in range(43):
        await host.advance(15_000)
    assert (await host.answer(number)).reply == type_reply("x" * 130, 130)
    assert stage.world.automation.holder is not None
