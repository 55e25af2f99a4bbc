"""Fields that misbehave or misreport: typing, keys and actions report what really happened."""

from collections.abc import Callable
from typing import Any

import pytest

from handheld.screen.model import Flag, Node
from handheld_virtual.system.android import android
from handheld_virtual.system.clipboard import Clip
from handheld_virtual.system.timers import Timers
from handheld_virtual.toolkit import Activity, App, Column, Field, View, theme
from handheld_virtual.views.text.editing import Editing

from .conftest import Stage
from .host import Host
from .test_text import type_reply, typed, typing

PACKAGE = "org.example.odd"


def show(stage: Stage, *views: View) -> None:
    """Show an app with only these views."""

    class Page(Activity):
        def content(self) -> View:
            return Column(*views, background=theme.SURFACE)

    class Odd(App):
        package, label = PACKAGE, "Odd fields"
        screens = (Page,)

    stage.world.install(Odd)
    stage.world.show(PACKAGE)


def node(stage: Stage, name: str = "field") -> Node:
    return next(
        node
        for window in stage.world.automation.read_windows()
        for node in window.nodes
        if node.resource_id == f"{PACKAGE}:id/{name}"
    )


def acting(node: Node, action: str) -> dict[str, Any]:
    return {"key": node.key, "action": action, "expect": {}, "anchor": None}


class Shaping(Field):
    """Changes the text that is set."""

    shape: Callable[[str], str] = staticmethod(str.upper)

    @property
    def content(self) -> str:
        return self.editing.text

    @content.setter
    def content(self, value: str) -> None:
        self.edit(lambda: self.editing.set(self.shape(value)))


class Late(Field):
    """A field drawn by a toolkit: it answers immediately, and shows the text a few frames later."""

    timers: Timers | None = None

    @property
    def content(self) -> str:
        return self.editing.text

    @content.setter
    def content(self, value: str) -> None:
        assert self.timers is not None
        length = len(self.editing.text)
        self.timers.after(40, lambda: self.edit(lambda: self.editing.replace(0, length, value)))


class SlowToPaste(Field):
    """As on a web page: it accepts the action, and reads the clipboard later."""

    pastes_after_ms = 700.0


class Pinned(Editing):
    """Only typing moves its cursor."""

    def select(self, start: int, end: int) -> None:
        """Does not move the cursor."""


class Silent(Editing):
    """Does not report its cursor."""

    @property
    def selection(self) -> tuple[int, int]:
        return -1, -1


class Unmoved(Field):
    """A click does not focus it."""

    def click(self) -> bool:
        return self.clickable


class Deaf(View):
    """Handles a long click but answers false."""

    def long_click(self) -> bool:
        super().long_click()
        return False


def late(stage: Stage, text: str = "", **options: Any) -> Late:
    field = Late(id="field", **options)
    field.virtual = 4
    field.editing.insert(text)
    field.timers = stage.world.timers
    return field


async def test_a_field_with_the_focus_and_the_cursor_in_place_is_typed_into(
    stage: Stage, host: Host
) -> None:
    field = Field(id="field")
    show(stage, field)
    key = node(stage).key
    assert stage.world.automation.perform(key, "focus")
    # As Android's own fields answer.
    assert not stage.world.automation.perform(key, "focus")
    assert not stage.world.automation.set_selection(key, 0, 0)
    assert await typed(host, typing(node(stage), "ab")) == type_reply("ab", 2)
    assert await typed(host, typing(node(stage), "cd", where="all")) == type_reply("cd", 2, 2)
    assert await typed(host, typing(node(stage), "", where="all")) == type_reply("", 0, 2)


async def test_focusing_a_focused_view_succeeds(stage: Stage, host: Host) -> None:
    show(stage, Field(id="field"))
    for _ in range(2):
        answer = await host.do("act", acting(node(stage), "focus"), act=True)
        assert answer.reply == {}
        assert node(stage).flags & Flag.FOCUSED


async def test_long_click_answered_false_may_have_happened(stage: Stage, host: Host) -> None:
    done: list[str] = []
    show(stage, Deaf(id="field", width=100, height=100, on_long_click=lambda: done.append("!")))
    answer = await host.do("act", acting(node(stage), "long_click"), act=True)
    assert answer.failure == ("failed", "maybe")
    assert done == ["!"]


async def test_text_is_inserted_at_its_place_wherever_the_cursor_is(
    stage: Stage, host: Host
) -> None:
    field = Field(id="field")
    field.editing = Pinned("ad")
    show(stage, field)
    assert await typed(host, typing(node(stage), "bc", where={"offset": 1})) == type_reply(
        "abcd", 2
    )


async def test_password_is_not_typed_when_the_cursor_cannot_be_placed(
    stage: Stage, host: Host
) -> None:
    field = Field(id="field", password=True)
    field.editing = Pinned("ad")
    show(stage, field)
    answer = await host.do("type", typing(node(stage), "x"), act=True)
    assert answer.failure == ("failed", "partly")
    assert field.content == "ad"


async def test_content_of_a_formatting_field_is_reported_as_shown(stage: Stage, host: Host) -> None:
    show(stage, Shaping(id="field"))
    assert await typed(host, typing(node(stage), "ab")) == type_reply("AB", 2, matches=False)


async def test_key_with_another_effect_is_partly_done(stage: Stage, host: Host) -> None:
    field = Shaping(id="field")
    field.editing.insert("ab")
    show(stage, field)
    stage.world.automation.perform(node(stage).key, "focus")
    answer = await host.do("key", {"key": "space"}, act=True)
    assert answer.failure == ("failed", "partly")
    assert field.content == "AB "


async def test_dropped_key_leaves_the_cursor(stage: Stage, host: Host) -> None:
    field = Field(id="field", accept=str.isdigit)
    field.editing.set("12")
    show(stage, field)
    stage.world.automation.perform(node(stage).key, "focus")
    stage.world.automation.set_selection(node(stage).key, 1, 1)
    answer = await host.do("key", {"key": "space"}, act=True)
    assert answer.failure == ("failed", "no")
    assert field.editing.selection == (1, 1)


async def test_field_that_closes_on_the_last_character_accepted_it(
    stage: Stage, host: Host
) -> None:
    field = Field(id="field")

    def go(_: str) -> None:
        field.shown = False

    field.on_type = go
    show(stage, field)
    reply = await typed(host, typing(node(stage), "x"))
    assert reply == {**type_reply("", 1, matches=None), "content": None}
    assert field.content == "x"


async def test_full_field_reports_how_much_was_typed(stage: Stage, host: Host) -> None:
    field = Field(id="field")

    def lock(_: str) -> None:
        field.enabled = False

    field.on_type = lock
    show(stage, field)
    number = await host.call("type", typing(node(stage), "xyz"), act=True)
    await host.advance(1000)
    answer = await host.answer(number)
    assert answer.failure == ("field_lost", "partly")
    assert answer.value["data"] == {"typed": 1}
    assert field.content == "x"


async def test_focus_action_is_used_when_a_click_does_not_focus(stage: Stage, host: Host) -> None:
    show(stage, Unmoved(id="field"))
    assert await typed(host, typing(node(stage), "ab"), 2000) == type_reply("ab", 2)


@pytest.mark.parametrize(
    ("clickable", "failure"),
    [(True, ("not_editable", "partly")), (False, ("failed", "no"))],
)
async def test_field_without_focus_is_not_typed_into(
    stage: Stage, host: Host, clickable: bool, failure: tuple[str, str]
) -> None:
    field = Unmoved(id="field", clickable=clickable, focusable=False)
    show(stage, field)
    number = await host.call("type", typing(node(stage), "ab"), act=True)
    await host.advance(2000)
    assert (await host.answer(number)).failure == failure
    assert field.content == ""


async def test_field_that_closes_on_the_click_is_not_typed_into(stage: Stage, host: Host) -> None:
    field = Field(id="field")

    def go() -> None:
        field.shown = False

    field.on_click = go
    show(stage, field)
    number = await host.call("type", typing(node(stage), "ab"), act=True)
    await host.advance(2000)
    assert (await host.answer(number)).failure == ("not_editable", "partly")
    assert field.content == ""


# Fields drawn by a toolkit


@pytest.mark.parametrize("delay", [0, 10])
async def test_field_that_updates_late_loses_no_text(stage: Stage, host: Host, delay: int) -> None:
    show(stage, late(stage, "ae"))
    arguments = typing(node(stage), "bcd", where={"offset": 1}, delay_ms=delay)
    assert await typed(host, arguments) == type_reply("abcde", 3)
    arguments = typing(node(stage), "xyz", where="all", delay_ms=delay)
    assert await typed(host, arguments) == type_reply("xyz", 3, 5)


async def test_a_password_is_pasted_before_the_clipboard_is_put_back(
    stage: Stage, host: Host
) -> None:
    secret = SlowToPaste(password=True, id="field")
    show(stage, secret)
    stage.world.clipboard.hold(Clip("the owner's", "org.example.vault"))
    assert await typed(host, typing(node(stage), "ß")) == type_reply("•", 1, password=True)
    assert secret.content == "ß"
    assert stage.world.clipboard.paste() == "the owner's"


async def test_key_waits_for_a_field_that_updates_late(stage: Stage, host: Host) -> None:
    field = late(stage, "ab")
    show(stage, field)
    stage.world.automation.perform(node(stage).key, "focus")
    for key, after in (("space", "ab "), ("del", "ab")):
        number = await host.call("key", {"key": key}, act=True)
        await host.advance(100)
        assert (await host.answer(number)).reply == {}
        assert field.content == after


async def test_field_that_rejects_characters_reports_its_content(stage: Stage, host: Host) -> None:
    field = late(stage, "1", accept=str.isdigit)
    show(stage, field)
    reply = await typed(host, typing(node(stage), "ab2"), 3000)
    assert reply == type_reply("12", 3, matches=False)


# Enter


async def enter(stage: Stage, host: Host, ms: float = 1000) -> Any:
    stage.world.automation.perform(node(stage).key, "focus")
    number = await host.call("key", {"key": "enter"}, act=True)
    await host.advance(ms)
    return await host.answer(number)


def lined(text: str, at: int, **options: Any) -> Field:
    field = Field(id="field", single_line=False, **options)
    field.editing.set(text)
    field.editing.select(at, at)
    return field


async def test_keys_act_at_the_end_of_a_field_that_does_not_report_its_cursor(
    stage: Stage, host: Host
) -> None:
    field = Field(id="field")
    field.editing = Silent("abc")
    show(stage, field)
    stage.world.automation.perform(node(stage).key, "focus")
    for key, after in (("del", "ab"), ("space", "ab "), ("tab", "ab \t")):
        assert (await host.do("key", {"key": key}, act=True)).reply == {}
        assert field.content == after


@pytest.mark.parametrize("refused", [False, True])
async def test_enter_adds_a_line_in_a_multi_line_field(
    stage: Stage, host: Host, refused: bool
) -> None:
    field = lined("ab", 1)
    show(stage, field, Field(id="next"))
    stage.world.input_refused = refused
    assert (await enter(stage, host)).reply == {}
    assert (field.content, field.editing.selection) == ("a\nb", (2, 2))
    assert node(stage).flags & Flag.FOCUSED


@pytest.mark.parametrize(("refused", "happened"), [(False, "maybe"), (True, "no")])
async def test_enter_fails_in_a_field_that_rejects_new_lines(
    stage: Stage, host: Host, refused: bool, happened: str
) -> None:
    field = lined("ab", 1, accept=str.isalpha)
    show(stage, field)
    stage.world.input_refused = refused
    assert (await enter(stage, host)).failure == ("failed", happened)
    assert (field.content, field.editing.selection) == ("ab", (1, 1))


async def test_cancelled_enter_may_have_happened(stage: Stage, host: Host) -> None:
    show(stage, lined("ab", 1, accept=str.isalpha))
    stage.world.automation.perform(node(stage).key, "focus")
    number = await host.call("key", {"key": "enter"}, act=True)
    await host.advance(100)
    await host.cancel(number)
    assert (await host.answer(number)).failure == ("cancelled", "maybe")


@pytest.mark.parametrize("api", [26, 29, 30, 34])
async def test_enter_runs_the_action_of_a_single_line_field(
    stage: Stage, host: Host, api: int
) -> None:
    done: list[str] = []
    show(stage, Field(id="field", on_enter=lambda: done.append("!")))
    stage.world.android = android(api)
    assert (await enter(stage, host)).reply == {}
    assert done == ["!"]


@pytest.mark.parametrize(("api", "works"), [(26, False), (29, False), (30, True), (34, True)])
async def test_enter_without_injection_uses_ime_enter_since_android_11(
    stage: Stage, host: Host, api: int, works: bool
) -> None:
    done: list[str] = []
    show(stage, Field(id="field", on_enter=lambda: done.append("!")))
    stage.world.android = android(api)
    stage.world.input_refused = True
    answer = await enter(stage, host)
    if works:
        assert answer.reply == {}
    else:
        assert answer.failure == ("input_refused", "no")
    assert done == ["!"] * works
