"""The text tools."""

import asyncio
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, ClassVar

import pytest

from handheld.calls.local import Caller, LocalSurface
from handheld.driver.by_shell.unsupported import Unsupported
from handheld.driver.text import TextSearch, Typing
from handheld.errors import (
    ActionFailed,
    ElementNotFound,
    InvalidParams,
    PermissionDenied,
    ToolError,
)
from handheld.helper.protocol import BUDGET_LIMIT_MS
from handheld.screen.characters import visible_lines
from handheld.tools.main import CATALOG
from handheld_virtual.apps.form import ContactForm
from handheld_virtual.apps.notes.app import NoteEditor, NoteList
from handheld_virtual.packages.app import Activity, App
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.views.layout import Column
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.basic import Text
from handheld_virtual.views.widgets.field import Field
from harness.polling import HANG

from .conftest import Bench

AGAIN = "Call get_screen_state again and use an id from its reply."
FAMILY = "👨‍👩‍👧‍👦"


class Fields(Activity):
    """A field that says in its description how much it holds, one that is off, one that leads
    away once it is full, and a list row whose name follows what is typed."""

    name = ".Fields"

    def content(self) -> View:
        self.telling = Field(id="telling", width=MATCH, on_type=self._tell)
        self.disabled = Field("fixed", id="disabled", width=MATCH, enabled=False)
        self.leading = Field(id="leading", width=MATCH, on_type=self._lead)
        self.far = 3
        return Column(self.telling, self.disabled, self.leading, Text("Words", id="words"))

    def _tell(self, text: str) -> None:
        self.telling.description = f"{len(text)} letters"

    def _lead(self, text: str) -> None:
        if len(text) == self.far:
            self.finish()


class FieldsApp(App):
    package, label = "org.example.fields", "Fields"
    main = ".Fields"
    activities: ClassVar[Mapping[str, type[Activity]]] = {".Fields": Fields}


async def ids(bench: Bench) -> dict[str, str]:
    """Every element by the last part of its resource id."""
    return {row[4].rpartition("/")[2]: row[0] for row in await bench.rows()}


async def form(bench: Bench) -> tuple[dict[str, str], dict[str, Field]]:
    """The contact form on the screen: its ids and its fields."""
    bench.world.show("dev.handheld.form")
    front = bench.world.front
    assert isinstance(front, ContactForm)
    return await ids(bench), front.fields


async def own_fields(bench: Bench) -> tuple[dict[str, str], Fields]:
    bench.world.install(FieldsApp)
    bench.world.show("org.example.fields")
    front = bench.world.front
    assert isinstance(front, Fields)
    return await ids(bench), front


async def reply_text(bench: Bench, tool: str, **arguments: Any) -> str:
    return await bench.passing(bench.call(tool, **arguments))


async def refused(bench: Bench, tool: str, **arguments: Any) -> tuple[type[ToolError], str]:
    failure = await bench.passing(bench.failure(tool, **arguments))
    return type(failure), failure.message


async def until(bench: Bench, reached: Callable[[], bool]) -> None:
    """Let the phone's time pass until something is so."""
    clock = bench.world.clock
    assert isinstance(clock, ManualClock)
    async with asyncio.timeout(HANG):
        while not reached():
            if clock.due is not None and clock.due - clock.now() < 3000:
                await clock.advance(clock.due - clock.now())
            await asyncio.sleep(0)


# What each tool says and does.


async def test_text_is_typed_at_the_end_and_a_hint_is_no_content(bench: Bench) -> None:
    named, fields = await form(bench)
    name = named["name"]
    assert await reply_text(bench, "type_append_text", element_id=name, text="Hello World") == (
        f"Typed 11 characters at end of element '{name}'.\nField content: Hello World"
    )
    assert await reply_text(bench, "type_append_text", element_id=name, text="!") == (
        f"Typed 1 characters at end of element '{name}'.\nField content: Hello World!"
    )
    assert fields["name"].content == "Hello World!"
    assert fields["name"].editing.selection == (12, 12)
    assert fields["name"].focused


async def test_text_is_typed_at_an_offset_whatever_the_cursor(bench: Bench) -> None:
    named, fields = await form(bench)
    name = named["name"]
    fields["name"].content = "Hello World"
    assert await reply_text(
        bench, "type_insert_text", element_id=name, text="inserted ", offset=5
    ) == (
        f"Typed 9 characters at offset 5 in element '{name}'.\nField content: Helloinserted  World"
    )
    assert fields["name"].editing.selection == (14, 14)
    for offset, content in ((0, "aHelloinserted  World"), (21, "aHelloinserted  Worldb")):
        letter = "b" if offset else "a"
        assert (
            await reply_text(bench, "type_insert_text", element_id=name, text=letter, offset=offset)
            == f"Typed 1 characters at offset {offset} in element '{name}'."
            f"\nField content: {content}"
        )


async def test_the_first_occurrence_is_replaced(bench: Bench) -> None:
    named, fields = await form(bench)
    name = named["name"]
    fields["name"].content = "World, Hello World"
    assert await reply_text(
        bench, "type_replace_text", element_id=name, search="World", new_text="Android"
    ) == (
        f"Replaced 5 characters with 7 characters in element '{name}'."
        "\nField content: Android, Hello World"
    )
    assert await reply_text(
        bench, "type_replace_text", element_id=name, search=", Hello", new_text=""
    ) == (
        f"Replaced 7 characters with 0 characters in element '{name}'."
        "\nField content: Android World"
    )
    assert fields["name"].content == "Android World"


@pytest.mark.by_helper(
    "up to Android 14 a dump does not tell a hint from a text: see test_without_helper"
)
async def test_a_field_is_cleared_and_an_empty_one_is_left_alone(bench: Bench) -> None:
    named, fields = await form(bench)
    fields["notes"].content = "one\ntwo"
    notes = named["notes"]
    cleared = f"Text cleared from element '{notes}'.\nField content: "
    assert await reply_text(bench, "type_clear_text", element_id=notes) == cleared
    assert fields["notes"].content == ""
    bench.events()
    assert await reply_text(bench, "type_clear_text", element_id=notes) == cleared
    assert bench.events() == []


@pytest.mark.parametrize(
    "text",
    [
        f"a{FAMILY}b🇩🇪🇫🇷c👍🏽",
        "e\u0301a\u0308\u0323 क्षि 각",
        "שָׁלוֹם עולם mixed مرحبا",
        "first\nsecond\n\n\tlast",
        "\x00\u200d\u2028\ufeff\U0010ffff",
    ],
    ids=["emoji", "marks", "right to left", "lines", "odd"],
)
@pytest.mark.needs(Unsupported.LETTERS)
async def test_every_kind_of_text_arrives_whole_a_character_at_a_time(
    bench: Bench, text: str
) -> None:
    """Counted in UTF-16 units."""
    named, fields = await form(bench)
    seen: list[str] = []
    fields["notes"].on_type = seen.append
    length = len(text.encode("utf-16-le")) // 2
    name = named["notes"]
    shown = visible_lines(text)
    assert (
        await reply_text(bench, "type_append_text", element_id=name, text=text, typing_speed=10)
        == f"Typed {length} characters at end of element '{name}'.\nField content: {shown}"
    )
    assert fields["notes"].content == text
    for whole in (FAMILY, "🇩🇪", "🇫🇷", "👍🏽", "e\u0301", "a\u0308\u0323", "שָׁ"):
        begun = text.find(whole)
        for inside in range(begun + 1, begun + len(whole)) if begun >= 0 else ():
            assert text[:inside] not in seen
    assert seen[-1] == text


@pytest.mark.needs(Unsupported.LETTERS)
async def test_text_goes_between_what_stands_there_in_any_script(bench: Bench) -> None:
    named, fields = await form(bench)
    fields["name"].content = f"שלום{FAMILY}!"
    await reply_text(bench, "type_insert_text", element_id=named["name"], text="é😀", offset=4)
    assert fields["name"].content == f"שלוםé😀{FAMILY}!"


async def test_a_typed_note_is_in_the_list(bench: Bench) -> None:
    bench.world.show("dev.handheld.notes")
    # By its place: it lies over the list, and Android 14's own dump does not say so.
    [place] = [row[5] for row in await bench.rows() if row[4].endswith("/new_note")]
    left, top, right, bottom = map(int, place.split(","))
    await bench.call("tap", x=(left + right) // 2, y=(top + bottom) // 2)
    named = await ids(bench)
    await reply_text(bench, "type_append_text", element_id=named["note_title"], text="Shopping")
    await bench.call("press_key", key="ENTER")  # the next field
    assert isinstance(bench.world.front, NoteEditor)
    assert bench.world.front.body.focused
    await reply_text(bench, "type_append_text", element_id=named["note_body"], text="Milk")
    await bench.call("press_key", key="enter")  # a new line
    await reply_text(bench, "type_append_text", element_id=named["note_body"], text="Bread")
    await bench.call("click_element", element_id=named["save"])
    assert [row[2] for row in await bench.rows() if "/note_" in row[4]] == [
        "Shopping",
        "Milk⏎Bread",
    ]


# Pace.


async def pauses(bench: Bench, **arguments: Any) -> list[float]:
    """The times between the characters of a typing, and from the last one to the reply."""
    named, fields = await form(bench)
    times: list[float] = []
    clock = bench.world.clock
    fields["name"].on_type = lambda _: times.append(clock.now())
    await reply_text(
        bench, "type_append_text", element_id=named["name"], text="abcdefghij", **arguments
    )
    times.append(clock.now())
    return [later - earlier for earlier, later in pairwise(times)]


async def test_characters_are_typed_at_the_requested_speed(bench: Bench) -> None:
    """And nothing is waited for after the last."""
    assert await pauses(bench, typing_speed=120, typing_speed_variance=0) == [120] * 9 + [0]


async def test_the_default_is_70_ms_give_or_take_15(bench: Bench) -> None:
    found = await pauses(bench)
    assert all(55 <= pause <= 85 for pause in found[:-1])
    assert len(set(found[:-1])) > 1


async def test_the_variance_is_no_more_than_the_speed(bench: Bench) -> None:
    found = await pauses(bench, typing_speed=10, typing_speed_variance=5000)
    assert all(1 <= pause <= 20 for pause in found[:-1])


def test_the_slowest_typing_has_time_enough() -> None:
    slowest = Typing("x" * 2000, "end", 5000, 5000)
    assert 2000 * 10_000 < slowest.budget_ms <= BUDGET_LIMIT_MS
    assert Typing(where=TextSearch("x")).budget_ms == 10_000


async def test_the_instructions_state_how_long_typing_takes(bench: Bench) -> None:
    """The documented descriptions of the tools do not."""
    surface = LocalSurface(CATALOG, bench)
    assert "about 70 ms a character" in await surface.instructions()
    assert [tool.name for tool in await surface.tools() if "70 ms" in tool.description] == []


# Ends before the end.


@pytest.mark.by_helper("there are keys for ASCII alone: see test_without_helper")
async def test_cancelled_typing_reports_how_much_was_typed(bench: Bench) -> None:
    named, fields = await form(bench)
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    }
    body: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    session = (await bench.http.post("/mcp", json=body)).headers["mcp-session-id"]
    arguments = {"element_id": named["name"], "text": "ab😀def"}
    params = {"name": "android_type_append_text", "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    headers = {"mcp-session-id": session}
    typing = asyncio.create_task(bench.http.post("/mcp", json=body, headers=headers))
    await until(bench, lambda: fields["name"].content == "ab😀")
    cancel = {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": 7},
    }
    await bench.http.post("/mcp", json=cancel, headers=headers)
    assert (await typing).json() == {
        "jsonrpc": "2.0",
        "id": 7,
        "error": {
            "code": -32800,
            "message": "The client cancelled this request. 4 of 7 characters had been typed.",
        },
    }
    assert fields["name"].content == "ab😀"
    # The phone is free at once.
    await reply_text(bench, "type_append_text", element_id=named["name"], text="!")
    assert fields["name"].content == "ab😀!"


@pytest.mark.by_helper("the commands take time themselves: see test_without_helper")
async def test_typing_stops_when_the_client_goes_away(bench: Bench) -> None:
    named, fields = await form(bench)
    typing = asyncio.create_task(
        bench.call("type_append_text", element_id=named["name"], text="abcdef")
    )
    await until(bench, lambda: fields["name"].content == "abc")
    typing.cancel()
    await asyncio.gather(typing, return_exceptions=True)
    # The next call gets its turn without any time passing.
    await bench.call("press_key", key="SPACE")
    clock = bench.world.clock
    assert isinstance(clock, ManualClock)
    await clock.advance(1000)
    await bench.call("get_screen_state")
    assert fields["name"].content == "abc "


async def test_typings_take_turns(bench: Bench) -> None:
    named, fields = await form(bench)
    async with asyncio.TaskGroup() as group:
        for letter in "abc":
            group.create_task(
                reply_text(bench, "type_append_text", element_id=named["name"], text=letter * 4)
            )
    content = fields["name"].content
    assert sorted(content[at : at + 4] for at in (0, 4, 8)) == ["aaaa", "bbbb", "cccc"]
    assert len(content) == 12


@pytest.mark.by_helper("keys go wherever the focus is: see test_without_helper")
async def test_a_field_that_disappears_is_reported(bench: Bench) -> None:
    named, scene = await own_fields(bench)
    name = named["leading"]
    assert await refused(bench, "type_append_text", element_id=name, text="abcdef") == (
        ActionFailed,
        "Input connection lost during typing at position 3 of 6. Look at the screen before going"
        " on.",
    )
    assert scene.leading.content == "abc"


@pytest.mark.by_helper("keys go wherever the focus is: see test_without_helper")
async def test_a_field_that_leads_away_at_the_end_cannot_be_read(bench: Bench) -> None:
    named, scene = await own_fields(bench)
    name = named["leading"]
    assert await reply_text(bench, "type_append_text", element_id=name, text="abc") == (
        f"Typed 3 characters at end of element '{name}'."
        "\nField content: (unable to read field content)"
    )
    assert scene.leading.content == "abc"


# Fields of their own kind.


@pytest.mark.needs(Unsupported.LETTERS)
async def test_a_password_is_typed_at_its_place_and_never_returned(bench: Bench) -> None:
    named, fields = await form(bench)
    name = named["password"]
    assert await reply_text(bench, "type_append_text", element_id=name, text="s3😀") == (
        f"Typed 4 characters at end of element '{name}'.\nField content: ••••"
    )
    assert await reply_text(bench, "type_append_text", element_id=name, text="et") == (
        f"Typed 2 characters at end of element '{name}'.\nField content: ••••••"
    )
    assert await reply_text(bench, "type_insert_text", element_id=name, text="cr", offset=1) == (
        f"Typed 2 characters at offset 1 in element '{name}'.\nField content: ••••••••"
    )
    assert fields["password"].content == "scr3😀et"
    assert await refused(bench, "type_replace_text", element_id=name, search="•", new_text="x") == (
        ElementNotFound,
        f"Search text (1 chars) not found in element '{name}': the text of a password field cannot"
        " be read. Clear it and type it again.",
    )
    await bench.call("press_key", key="DEL")  # the cursor stands where the last typing ended
    assert fields["password"].content == "sc3😀et"
    assert await reply_text(bench, "type_clear_text", element_id=name) == (
        f"Text cleared from element '{name}'.\nField content: "
    )
    assert fields["password"].content == ""


@pytest.mark.parametrize(
    ("field", "text", "content"),
    [
        ("phone", "555 ab 12", "555  12"),
        ("phone", "+123456789012345678901234", "+1234567890123456789"),
        pytest.param(
            "name", "two\nlines", "two lines", marks=pytest.mark.needs(Unsupported.LETTERS)
        ),
    ],
    ids=["digits only", "at most 20", "one line"],
)
async def test_what_an_app_does_not_take_is_no_success(
    bench: Bench, field: str, text: str, content: str
) -> None:
    named, fields = await form(bench)
    name = named[field]
    assert await refused(
        bench, "type_append_text", element_id=name, text=text, typing_speed=10
    ) == (
        ActionFailed,
        f"The text of element '{name}' was edited, but the field does not contain the expected "
        "text: the app may drop, shorten or change typed text. Check the content before going "
        "on."
        f"\nField content: {content}",
    )
    assert fields[field].content == content


async def test_the_character_that_android_shows_of_a_password_is_masked(bench: Bench) -> None:
    _, fields = await form(bench)
    fields["password"].content = "secre"
    fields["password"].take_focus()
    bench.world.input_method.move(2)
    bench.world.input_method.commit("Q")
    assert fields["password"].text == "•••••Q"
    [shown] = [row[2] for row in await bench.rows() if row[4].endswith("/password")]
    assert shown == "••••••"


async def test_a_password_that_is_cut_short_is_no_success(bench: Bench) -> None:
    """Checked by its length."""
    named, fields = await form(bench)
    fields["password"].editing.most = 4
    kind, message = await refused(
        bench, "type_append_text", element_id=named["password"], text="secret"
    )
    assert kind is ActionFailed
    assert message.endswith("\nField content: ••••")


# Element ids.


async def test_the_reply_counts_as_printing_the_id_again(bench: Bench) -> None:
    """The field's description changes with what it holds."""
    named, scene = await own_fields(bench)
    name = named["telling"]
    await reply_text(bench, "type_append_text", element_id=name, text="ab")
    assert scene.telling.description == "2 letters"
    await reply_text(bench, "type_append_text", element_id=name, text="c")
    assert scene.telling.content == "abc"
    await reply_text(bench, "type_clear_text", element_id=name)
    assert scene.telling.content == ""


async def test_a_changed_element_is_not_typed_into(bench: Bench) -> None:
    named, scene = await own_fields(bench)
    scene.telling.description = "something else"
    name = named["telling"]
    assert await refused(bench, "type_append_text", element_id=name, text="x") == (
        ElementNotFound,
        f"Element '{name}' not found: it has changed since it was listed. {AGAIN}",
    )
    assert (scene.telling.content, bench.events()) == ("", [])


async def test_an_element_that_is_gone_is_not_typed_into(bench: Bench) -> None:
    named, _ = await form(bench)
    bench.world.show("com.android.calculator2")
    name = named["name"]
    for tool, more in (
        ("type_append_text", {"text": "x"}),
        ("type_insert_text", {"text": "x", "offset": 0}),
        ("type_replace_text", {"search": "x", "new_text": ""}),
        ("type_clear_text", {}),
    ):
        assert await refused(bench, tool, element_id=name, **more) == (
            ElementNotFound,
            f"Element '{name}' not found: it is gone from the screen. {AGAIN}",
        )
    assert bench.events() == []


async def test_what_is_no_field_is_not_even_clicked(bench: Bench) -> None:
    named, _ = await form(bench)
    for name in (named["submit"], named["title"]):
        assert await refused(bench, "type_append_text", element_id=name, text="x") == (
            ActionFailed,
            f"Input connection not available after focusing element '{name}'. The element may not"
            " be an editable text field.",
        )
    assert bench.events() == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("type_append_text", {"text": "x"}),
        ("type_insert_text", {"text": "x", "offset": 0}),
        ("type_replace_text", {"search": "fix", "new_text": "x"}),
        ("type_clear_text", {}),
    ],
)
async def test_a_field_that_is_off_takes_nothing(
    bench: Bench, tool: str, arguments: dict[str, Any]
) -> None:
    named, scene = await own_fields(bench)
    name = named["disabled"]
    assert await refused(bench, tool, element_id=name, **arguments) == (
        ActionFailed,
        f"Action failed on element '{name}': The field did not accept a click. Nothing was done.",
    )
    assert scene.disabled.content == "fixed"


@pytest.mark.by_helper("uiautomator does not say who holds it: see test_without_helper")
async def test_a_held_automation_is_a_permission(bench: Bench) -> None:
    named, _ = await form(bench)
    await bench.phone.driver.release()
    bench.world.automation.holder = "uiautomator2"
    for tool, arguments in (
        ("type_append_text", {"element_id": named["name"], "text": "x"}),
        ("type_insert_text", {"element_id": named["name"], "text": "x", "offset": 0}),
        ("type_replace_text", {"element_id": named["name"], "search": "x", "new_text": "y"}),
        ("type_clear_text", {"element_id": named["name"]}),
        ("press_key", {"key": "SPACE"}),
        ("press_key", {"key": "BACK"}),
    ):
        kind, message = await refused(bench, tool, **arguments)
        assert kind is PermissionDenied
        assert "UiAutomation is held by another program (uiautomator2)" in message


# Arguments.

TYPED: dict[str, Any] = {"element_id": "node_1_w1", "text": "x"}
INSERTED: dict[str, Any] = {**TYPED, "offset": 0}
REPLACED: dict[str, Any] = {"element_id": "node_1_w1", "search": "x", "new_text": "y"}


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        (
            "type_append_text",
            {**TYPED, "element_id": ""},
            "Parameter 'element_id' must be non-empty",
        ),
        ("type_append_text", {**TYPED, "text": ""}, "Parameter 'text' must be non-empty"),
        (
            "type_append_text",
            {**TYPED, "text": "😀" * 1001},
            "text exceeds maximum length of 2000 characters (got 2002)",
        ),
        (
            "type_append_text",
            {**TYPED, "typing_speed": 9},
            "typing_speed must be >= 10 ms, got 9",
        ),
        (
            "type_append_text",
            {**TYPED, "typing_speed": "5001"},
            "typing_speed must be <= 5000 ms, got 5001",
        ),
        (
            "type_append_text",
            {**TYPED, "typing_speed_variance": -1},
            "typing_speed_variance must be >= 0, got -1",
        ),
        (
            "type_insert_text",
            {**INSERTED, "offset": -1},
            "Parameter 'offset' must be >= 0, got -1",
        ),
        (
            "type_insert_text",
            {**INSERTED, "text": ""},
            "Parameter 'text' must be non-empty",
        ),
        (
            "type_replace_text",
            {**REPLACED, "search": ""},
            "Parameter 'search' must be non-empty",
        ),
        (
            "type_replace_text",
            {**REPLACED, "search": "x" * 10_001},
            "search exceeds maximum length of 10000 characters (got 10001)",
        ),
        (
            "type_replace_text",
            {**REPLACED, "new_text": "x" * 2001},
            "new_text exceeds maximum length of 2000 characters (got 2001)",
        ),
        ("type_clear_text", {"element_id": ""}, "Parameter 'element_id' must be non-empty"),
        (
            "press_key",
            {"key": "Power"},
            "Invalid key: 'Power'. Allowed values: ENTER, BACK, DEL, HOME, TAB, SPACE",
        ),
    ],
)
async def test_arguments_that_cannot_be_used_are_refused(
    bench: Bench, tool: str, arguments: dict[str, Any], message: str
) -> None:
    assert await refused(bench, tool, **arguments) == (InvalidParams, message)
    assert bench.events() == []


async def test_half_a_character_is_not_typed_as_something_else(bench: Bench) -> None:
    arguments = {**TYPED, "text": "a\ud83d"}
    with pytest.raises(InvalidParams, match=r"^Parameter 'text' has half of a surrogate pair"):
        await bench.surface.call("android_type_append_text", arguments, Caller("cli"))


async def test_a_number_is_typed_as_its_text(bench: Bench) -> None:
    named, fields = await form(bench)
    await reply_text(
        bench, "type_append_text", element_id=named["name"], text=42, typing_speed="10"
    )
    assert fields["name"].content == "42"


@pytest.mark.parametrize(
    ("offset", "message"),
    [
        (15, "offset (15) exceeds text length (14) in element '{id}'"),
        pytest.param(
            2,
            "offset (2) is inside a character of element '{id}'. Use 1 or 12.",
            marks=pytest.mark.needs(Unsupported.CURSOR),
        ),
        pytest.param(
            3,
            "offset (3) is inside a character of element '{id}'. Use 1 or 12.",
            marks=pytest.mark.needs(Unsupported.CURSOR),
        ),
        pytest.param(
            13,
            "offset (13) is inside a character of element '{id}'. Use 12 or 14.",
            marks=pytest.mark.needs(Unsupported.CURSOR),
        ),
    ],
)
async def test_an_offset_must_be_between_two_characters(
    bench: Bench, offset: int, message: str
) -> None:
    named, fields = await form(bench)
    fields["name"].content = f"a{FAMILY}e\u0301"
    name = named["name"]
    assert await refused(bench, "type_insert_text", element_id=name, text="x", offset=offset) == (
        InvalidParams,
        message.format(id=name),
    )
    assert (fields["name"].content, bench.events()) == (f"a{FAMILY}e\u0301", [])


@pytest.mark.by_helper(
    "up to Android 14 a dump does not tell a hint from a text: see test_without_helper"
)
async def test_an_offset_in_a_hint_is_beyond_the_text(bench: Bench) -> None:
    named, _ = await form(bench)
    name = named["name"]
    assert await refused(bench, "type_insert_text", element_id=name, text="x", offset=1) == (
        InvalidParams,
        f"offset (1) exceeds text length (0) in element '{name}'",
    )


async def test_a_text_that_is_not_there_is_not_replaced(bench: Bench) -> None:
    named, fields = await form(bench)
    name = named["name"]
    for search in ("name", "hello"):  # of the hint, and in another case
        assert await refused(
            bench, "type_replace_text", element_id=name, search=search, new_text="x"
        ) == (
            ElementNotFound,
            f"Search text ({len(search)} chars) not found in element '{name}'",
        )
        fields["name"].content = "Hello"
    assert fields["name"].content == "Hello"


# Keys.


async def typed(bench: Bench, content: str, at: int) -> Field:
    """The notes field with the focus, and its cursor there."""
    named, fields = await form(bench)
    field = fields["notes"]
    await bench.call("click_element", element_id=named["notes"])
    field.content = content
    field.edit(lambda: field.editing.select(at, at))
    return field


@pytest.mark.parametrize(
    ("key", "before", "after"),
    [
        ("DEL", "ab|cd", "a|cd"),
        ("DEL", f"a{FAMILY}|b", "a|b"),
        ("DEL", "xe\u0301|", "x|"),
        ("DEL", "🇩🇪🇫🇷|", "🇩🇪|"),
        ("DEL", "|ab", "|ab"),
        ("DEL", "|", "|"),
        ("SPACE", "ab|cd", "ab |cd"),
        pytest.param(
            "TAB",
            "שלום|עולם",
            "שלום\t|עולם",
            marks=pytest.mark.needs(Unsupported.TAB),
        ),
        ("ENTER", "ab|cd", "ab\n|cd"),
        ("enter", "|", "\n|"),
    ],
)
async def test_keys_work_at_the_cursor(bench: Bench, key: str, before: str, after: str) -> None:
    at = before.index("|")
    field = await typed(bench, before.replace("|", ""), at)
    assert await bench.call("press_key", key=key) == f"Key '{key.upper()}' pressed successfully"
    text, place = field.content, field.editing.end
    assert f"{text[:place]}|{text[place:]}" == after


async def test_a_key_takes_the_place_of_what_is_selected(bench: Bench) -> None:
    for key, content in (("DEL", "ad"), ("SPACE", "a d")):
        field = await typed(bench, "abcd", 0)
        field.editing.select(1, 3)
        await bench.call("press_key", key=key)
        assert field.content == content


async def test_enter_does_what_the_field_is_for(bench: Bench) -> None:
    named, fields = await form(bench)
    await bench.call("click_element", element_id=named["name"])
    await bench.call("press_key", key="ENTER")
    assert fields["email"].focused
    bench.world.show("dev.handheld.notes")
    named = await ids(bench)
    await reply_text(bench, "type_append_text", element_id=named["search"], text="milk")
    assert "INPUT_METHOD" in [window.type for window in bench.world.automation.read_windows()]
    await bench.call("press_key", key="ENTER")
    assert "INPUT_METHOD" not in [window.type for window in bench.world.automation.read_windows()]
    assert isinstance(bench.world.front, NoteList)


async def test_back_and_home_are_the_phones_own_buttons(bench: Bench) -> None:
    named, fields = await form(bench)
    await bench.call("click_element", element_id=named["name"])
    bench.events()
    assert await bench.call("press_key", key="BACK") == "Key 'BACK' pressed successfully"
    assert fields["name"].focused  # only the keyboard went
    assert await bench.call("press_key", key="HOME") == "Key 'HOME' pressed successfully"
    pressed = {"helper": [("press", "back"), ("press", "home")], "shell": [("key", 4), ("key", 3)]}
    assert bench.events() == pressed[bench.by]
    assert bench.world.foreground is not None
    assert bench.world.foreground[0] == "com.android.launcher3"


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("ENTER", "No focused element found for ENTER key"),
        ("DEL", "No focused editable element found for DEL key"),
        ("TAB", "No focused editable element found for key input"),
        ("SPACE", "No focused editable element found for key input"),
    ],
)
async def test_a_key_without_a_field_is_not_pressed(bench: Bench, key: str, message: str) -> None:
    bench.world.show("com.android.calculator2")
    assert await refused(bench, "press_key", key=key) == (ElementNotFound, message)
    assert bench.events() == []


@pytest.mark.needs(Unsupported.TAB)
async def test_a_key_that_the_field_does_not_take_failed(bench: Bench) -> None:
    named, fields = await form(bench)
    await bench.call("click_element", element_id=named["phone"])
    assert await refused(bench, "press_key", key="TAB") == (
        ActionFailed,
        "Key input action failed: The field did not take the key. Nothing was done.",
    )
    assert fields["phone"].content == ""


@pytest.mark.parametrize("wake", [False])
async def test_a_phone_that_is_to_stay_off_takes_no_buttons(bench: Bench) -> None:
    bench.world.awake = False
    for key in ("BACK", "HOME"):
        kind, message = await refused(bench, "press_key", key=key)
        assert kind is ActionFailed
        assert message == (
            f"{key} key failed: The screen is off: a button would have no effect. Wake the phone"
            " first. Nothing was done."
        )


async def test_a_long_click_on_a_field_offers_paste_and_select_all(bench: Bench) -> None:
    named, fields = await form(bench)
    fields["name"].content = "Ada"
    bench.world.clipboard.copy(" King")
    long_click = bench.call("long_click_element", element_id=named["name"])
    assert await bench.passing(long_click) == (f"Long-click performed on element '{named['name']}'")
    toolbar = {row[3]: row[0] for row in await bench.rows() if row[3] in ("Paste", "Select all")}
    await bench.call("click_element", element_id=toolbar["Select all"])
    assert fields["name"].editing.selection == (0, 3)
    text = await bench.id_of("Copy")
    done, _ = await bench.items("click_element", element_id=text)
    assert done == f"Click performed on element '{text}'"
    assert bench.world.clipboard.paste() == "Ada"
