"""Fields: characters, cursor, selection, filters and display."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.screen.model import Flag
from handheld_virtual.apps.form import ContactForm
from handheld_virtual.apps.notes.app import NoteEditor, NoteList
from handheld_virtual.system.android import android
from handheld_virtual.views.drawing import theme
from handheld_virtual.views.text.editing import Editing
from handheld_virtual.views.text.graphemes import before, index_of, split, units
from handheld_virtual.views.text.lines import drawable, visual
from handheld_virtual.views.widgets.field import Field
from handheld_virtual.world import World

from .finger import Finger

FORM = "dev.handheld.form"
UP, DOWN, LEFT, RIGHT, HOME, END = 19, 20, 21, 22, 122, 123
KEY_A, KEY_B, DEL = 29, 30, 67


@pytest.mark.parametrize(
    "characters",
    [
        ["a", "b", "c"],
        ["👨‍👩‍👧‍👦", "a", "❤️‍🔥", "🧑🏽‍💻"],
        ["🇩🇪", "🇫🇷", "🇮"],
        ["👍🏽", "👍"],
        ["e\u0301", "a\u0308\u0323", "x"],
        ["1\ufe0f\u20e3", "2"],
        ["🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "!"],
        ["\r\n", "\n", "\r", "a"],
        ["\u1112\u1161\u11ab", "각", "가"],
        ["שָׁ", "ל", "וֹ", "ם"],
        ["a\u200d", "b"],
        ["\n", "\u0301", "a"],
        ["\u06001"],
    ],
)
def test_characters_are_what_people_see(characters: list[str]) -> None:
    text = "".join(characters)
    assert split(text) == characters
    assert before(text, len(text)) == len(text) - len(characters[-1])


@given(st.text())
def test_no_character_is_lost_or_empty(text: str) -> None:
    pieces = split(text)
    assert "".join(pieces) == text
    assert all(pieces)


@given(st.text())
def test_utf_16_offsets_are_places_in_the_text(text: str) -> None:
    assert units(text) == len(text.encode("utf-16-le")) // 2
    places = [index_of(text, unit) for unit in range(units(text) + 1)]
    assert [place for place in places if place is not None] == list(range(len(text) + 1))
    assert index_of(text, units(text) + 1) is None


def test_what_is_selected_is_replaced() -> None:
    editing = Editing("Hello World")
    editing.select(6, 11)
    editing.insert("you")
    assert (editing.text, editing.selection) == ("Hello you", (9, 9))
    editing.select(9, 5)
    editing.delete()
    assert (editing.text, editing.selection) == ("Hello", (5, 5))


def test_filters_apply_to_all_input() -> None:
    editing = Editing(accept=str.isdigit, most=4)
    editing.insert("1a2")
    editing.insert("345")
    assert editing.text == "1234"
    editing.set("x98765")
    assert (editing.text, editing.start) == ("9876", 0)


def test_a_limit_never_cuts_a_character() -> None:
    editing = Editing(most=4)
    editing.insert("abc😀")
    assert editing.text == "abc"
    assert editing.select_units(1, 2)
    assert editing.selection == (1, 2)
    editing.set("😀😀😀")
    assert editing.text == "😀😀"
    assert not editing.select_units(1, 1)


@pytest.fixture
def fields(world: World) -> dict[str, Field]:
    world.show(FORM)
    front = world.front
    assert isinstance(front, ContactForm)
    return front.fields


def test_keys_move_the_cursor(world: World, finger: Finger, fields: dict[str, Field]) -> None:
    finger.tap("name")
    world.type_text("a👍🏽c")
    for codes, cursor in (((LEFT,), 5), ((LEFT,), 1), ((HOME,), 0), ((LEFT,), 0), ((END,), 6)):
        for code in codes:
            world.key(code)
        assert fields["name"].editing.selection == (cursor, cursor)
    world.key(HOME)
    world.key(RIGHT)
    world.key(RIGHT)
    assert fields["name"].editing.selection == (5, 5)
    world.key(67)
    assert fields["name"].content == "ac"


def test_set_text_of_an_app_puts_the_cursor_at_the_start(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    finger.tap("name")
    world.type_text("abc")
    fields["name"].content = "hello"
    assert fields["name"].editing.selection == (0, 0)
    world.type_text("x")
    assert fields["name"].content == "xhello"


def test_action_set_text_puts_the_cursor_at_the_end_of_what_the_app_made_of_it(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    name = fields["name"]

    def format(text: str) -> None:
        if " " not in text:
            name.content = f"{text[:3]} {text[3:]}"

    name.on_type = format
    assert world.automation.set_text(finger.find("name").key, "abcdef")
    assert (name.content, name.editing.selection) == ("abc def", (7, 7))


def test_a_watcher_that_sets_the_text_puts_the_cursor_at_the_start(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    name = fields["name"]

    def shout(text: str) -> None:
        if not text.isupper():
            name.content = text.upper()

    name.on_type = shout
    finger.tap("name")
    world.key(KEY_A)
    world.key(KEY_B)
    assert (name.content, name.editing.selection) == ("BA", (0, 0))


def test_set_text_of_an_app_shows_no_character_of_a_password(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    finger.tap("password")
    world.key(KEY_A)
    world.key(KEY_B)
    assert finger.find("password").text == "•b"
    fields["password"].content = "abc"
    assert finger.find("password").text == "•••"


def test_the_typed_character_of_a_password_is_shown_where_it_was_typed(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    finger.tap("password")
    fields["password"].content = "abc"
    for code, shown in (
        (KEY_A, "a•••"),
        (END, "a•••"),
        (DEL, "a••"),
        (HOME, "a••"),
        (KEY_B, "b•••"),
        (RIGHT, "b•••"),
        (DEL, "b••"),
        (DEL, "••"),
    ):
        world.key(code)
        assert finger.find("password").text == shown


def test_home_and_end_go_to_the_edges_of_the_line(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    finger.tap("notes")
    world.type_text("one\ntwo\nשלום")
    for place, home, end in ((1, 0, 3), (5, 4, 7), (9, 12, 8)):
        for key, expected in ((HOME, home), (END, end)):
            fields["notes"].editing.select(place, place)
            world.key(key)
            assert fields["notes"].editing.selection == (expected, expected)


def test_end_goes_before_the_break_of_a_line_that_was_too_long(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    finger.tap("notes")
    fields["notes"].content = "word " * 30
    world.key(END)
    [at, _] = fields["notes"].editing.selection
    assert 4 <= at < 100
    assert at % 5 == 4
    world.key(HOME)
    assert fields["notes"].editing.selection == (0, 0)


def test_a_cursor_set_by_a_service_gives_the_field_the_focus(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    fields["name"].content = "hello"
    assert world.automation.set_selection(finger.find("name").key, 2, 2)
    assert fields["name"].focused


def test_a_key_that_replaces_a_selection_with_the_same_text_is_typed(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    name = fields["name"]
    heard: list[str] = []
    name.content = "ab"
    name.on_type = heard.append
    assert world.automation.set_selection(finger.find("name").key, 0, 1)
    world.screen.changes.sent.clear()
    world.key(KEY_A)
    assert (name.content, name.editing.selection, heard) == ("ab", (1, 1), ["ab"])
    assert [event.kind for event in world.screen.changes.sent if event.source is name] == [
        "VIEW_TEXT_SELECTION_CHANGED",
        "VIEW_TEXT_CHANGED",
    ]


def test_up_and_down_go_to_the_ends_of_a_line_and_then_to_another_view(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    email = fields["email"]
    email.content = "hello"
    email.take_focus()
    assert world.automation.set_selection(finger.find("email").key, 1, 3)
    for key, selection in ((DOWN, (3, 3)), (DOWN, (5, 5)), (UP, (0, 0)), (DOWN, (5, 5))):
        world.key(key)
        assert (email.focused, email.editing.selection) == (True, selection)
    world.key(DOWN)
    assert not email.focused


def test_the_touch_that_gives_a_field_the_focus_is_no_click(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    clicks: list[str] = []
    fields["name"].on_click = lambda: clicks.append("click")
    finger.tap("name")
    assert (fields["name"].focused, clicks) == (True, [])
    finger.tap("name")
    assert clicks == ["click"]


def test_a_field_that_loses_the_focus_has_no_selection_any_more(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    fields["name"].content = "hello"
    assert world.automation.set_selection(finger.find("name").key, 1, 3)
    fields["email"].take_focus()
    assert fields["name"].editing.selection == (3, 3)


def test_a_tap_puts_the_cursor_where_the_finger_is(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    finger.tap("notes")
    world.type_text("iiii\nWWWW\nשלום")
    left, top, right, _ = finger.find("notes").bounds
    for x, y, cursor in (
        (left + 45, top + 60, 0),
        (right - 50, top + 60, 4),
        (left + 45, top + 110, 5),
        (left + 45 + 2 * 39, top + 110, 7),
        (right - 45, top + 160, 10),
        (left + 45, top + 160, 14),
        (right - 45, top + 300, 10),
    ):
        finger.tap_at(x, y)
        assert fields["notes"].editing.selection == (cursor, cursor)


def test_a_click_by_a_service_leaves_the_cursor(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    finger.tap("name")
    world.type_text("abc")
    world.key(LEFT)
    assert world.automation.perform(finger.find("name").key, "click")
    assert fields["name"].editing.selection == (2, 2)


def test_focused_field_answers_false_to_focus(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    key = finger.find("name").key
    assert world.automation.perform(key, "focus")
    assert not world.automation.perform(key, "focus")
    assert fields["name"].focused


def test_ime_enter_adds_no_line_and_moves_the_focus(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    password, notes = finger.find("password").key, finger.find("notes").key
    world.automation.perform(password, "focus")
    assert world.automation.perform(notes, "ime_enter")  # True although it has no effect
    assert finger.find("password").flags & Flag.FOCUSED
    assert world.automation.perform(password, "ime_enter")
    assert finger.find("notes").flags & Flag.FOCUSED
    assert world.automation.perform(notes, "ime_enter")
    assert fields["notes"].content == ""
    assert world.input_method.window is None
    assert not world.automation.perform(finger.find("submit").key, "ime_enter")
    world.android = android(29)
    assert not world.automation.perform(password, "ime_enter")


def test_a_service_sets_text_and_selection(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    key = finger.find("name").key
    assert world.automation.set_text(key, "a😀b")
    assert world.automation.selection(key) == (4, 4)
    assert world.automation.set_selection(key, 1, 3)
    assert world.automation.selection(key) == (1, 3)
    assert not world.automation.set_selection(key, 1, 3)
    assert not world.automation.set_selection(key, 2, 2)
    assert not world.automation.set_selection(key, 0, 9)
    fields["name"].enabled = False
    assert not world.automation.set_text(key, "x")
    assert not world.automation.set_text(finger.find("submit").key, "x")
    assert world.automation.selection("99:1:-1") is None
    assert fields["name"].content == "a😀b"


def test_enter_moves_to_the_next_field_and_stops_at_the_last(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    finger.tap("name")
    visited: list[str] = []
    for _ in range(4):
        world.key(66)
        visited += [name for name, field in fields.items() if field.focused]
    assert visited == ["email", "phone", "password", "notes"]
    world.key(66)
    assert fields["notes"].content == "\n"


def test_a_password_has_a_bullet_for_each_utf_16_unit(
    world: World, finger: Finger, fields: dict[str, Field]
) -> None:
    finger.tap("password")
    world.type_text("a😀")
    node = finger.find("password")
    assert node.text == "•••"
    assert node.flags & Flag.PASSWORD
    left, top, right, bottom = node.bounds
    finger.tap_at(right - 60, (top + bottom) / 2)
    assert fields["password"].editing.selection == (3, 3)
    finger.tap_at(left + 45, (top + bottom) / 2)
    assert fields["password"].editing.selection == (0, 0)


def test_field_scrolls_to_text_beyond_its_width(world: World, finger: Finger) -> None:
    world.show(FORM)
    finger.tap("notes")
    _, top, right, bottom = finger.find("notes").bounds

    def ink(column: tuple[int, int]) -> int:
        """Dark pixels between two heights of the field."""
        picture = world.picture().crop((0, column[0], right, column[1])).convert("L")
        return sum(picture.histogram()[:100])

    world.type_text("\n" * 30)
    _, top, right, bottom = finger.find("notes").bounds
    blank = ink((top + 20, bottom - 20))
    world.type_text("WWWWW")
    assert ink((top + 20, bottom - 20)) > blank
    for _ in range(40):
        world.key(LEFT)
    assert ink((top + 20, bottom - 20)) <= blank + 200


def test_the_cursor_and_the_selection_are_drawn(world: World, finger: Finger) -> None:
    world.show(FORM)
    finger.tap("name")
    world.type_text("Hello World")
    node = finger.find("name")
    inner = (
        node.bounds.left + 10,
        node.bounds.top + 10,
        node.bounds.right - 10,
        node.bounds.bottom - 10,
    )

    def count(color: theme.Color) -> int:
        colors = world.picture().crop(inner).getcolors(1 << 20)
        assert colors is not None
        return next((number for number, seen in colors if seen == color), 0)

    assert count(theme.PRIMARY) > 100
    assert count(theme.PRIMARY_CONTAINER) == 0
    assert world.automation.set_selection(node.key, 0, 5)
    assert count(theme.PRIMARY) == 0
    assert count(theme.PRIMARY_CONTAINER) > 1000


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("plain words", "plain words"),
        ("שלום עולם", "עולם שלום"),
        ("שלום, one two", "one two ,שלום"),
        ("see שלום עולם there", "see עולם שלום there"),
        ("שלום!", "!שלום"),
    ],
)
def test_right_to_left_words_are_in_visual_order(line: str, shown: str) -> None:
    assert visual(line) == shown


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_letter_is_lost_by_bidi_reordering(line: str) -> None:
    assert sorted(visual(line)) == sorted(line)


def test_an_emoji_of_several_parts_is_drawn_as_one() -> None:
    assert drawable("a👨‍👩‍👧🇩🇪b👍🏽") == "a👨🇩b👍"


def test_note_is_written_found_and_deleted(world: World, finger: Finger) -> None:
    world.launch("dev.handheld.notes")
    assert finger.text("empty") == "No notes"
    for title, body in (("First", "milk"), ("Second", "bread\nbutter")):
        finger.tap("new_note")
        finger.tap("note_title")
        world.type_text(title)
        world.key(66)
        world.type_text(body)
        finger.tap("save")
    assert isinstance(world.front, NoteList)
    assert [n.text for n in finger.nodes() if (n.resource_id or "").endswith("/note_title")] == [
        "Second",
        "First",
    ]
    finger.tap("search")
    world.type_text("MILK")
    assert [n.text for n in finger.nodes() if (n.resource_id or "").endswith("/note_title")] == [
        "First"
    ]
    world.key(66)
    finger.tap("First")
    assert isinstance(world.front, NoteEditor)
    assert world.front.body.content == "milk"
    for id in ("note_title", "note_body"):
        world.automation.set_text(finger.find(id).key, "")
    world.press("back")
    assert finger.text("empty") == "No notes"
