"""The screen for models: what is printed, in which row, and what cannot be forged."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given

from handheld.screen.model import Bounds, Flag, Node, Screen, Window
from handheld.screen.rows.changes import changed_rows
from handheld.screen.rows.screen import Rows, rows_of
from handheld.screen.rows.tree import reading_order
from handheld.screen.rows.words import clean, cut, fold, short_id
from handheld.screen.search import Place
from harness.work import PROPORTIONATE, growth

from .trees import hostile_screens, node, screen, window

SHOWN = int(Flag.VISIBLE | Flag.ENABLED)
CLICK = SHOWN | Flag.CLICKABLE
TEXT, BUTTON = "android.widget.TextView", "android.widget.Button"
VIEW = "android.view.View"

Box = tuple[int, int, int, int]


def numbered() -> Callable[[Place], str]:
    names: dict[Place, str] = {}
    return lambda place: names.setdefault(place, f"k{len(names) + 1}")


def rows(*nodes: Node) -> Rows:
    return rows_of(screen(window(node(), *nodes)), numbered())


def lines(*nodes: Node) -> list[str]:
    shown = rows(*nodes)
    return [*(row.text for row in shown.rows), *shown.tail]


def text(words: str, box: Box, depth: int = 1, flags: int = SHOWN) -> Node:
    return node(depth, 0, TEXT, words, bounds=box, flags=flags)


def button(words: str | None, box: Box, depth: int = 1, flags: int = CLICK) -> Node:
    return node(depth, 0, BUTTON, words, bounds=box, flags=flags)


def group(box: Box, depth: int = 1, flags: int = SHOWN, class_name: str = VIEW) -> Node:
    return node(depth, 0, class_name, bounds=box, flags=flags)


def test_things_side_by_side_share_a_line_and_lines_go_from_top_to_bottom() -> None:
    # The tree has the title last, as Compose does.
    assert lines(
        button("Edit", (500, 210, 700, 290)),
        text("Row", (0, 200, 300, 300)),
        text("Title", (0, 0, 300, 100)),
    ) == ['"Title"', '"Row", k1 "Edit"']


def test_a_line_goes_from_right_to_left_where_most_letters_do() -> None:
    assert lines(
        text("שלום", (700, 0, 1000, 100)),
        button("ביטול", (0, 0, 300, 100)),
    ) == ['"שלום", k1 "ביטול"']


def test_a_target_takes_the_texts_inside_it() -> None:
    assert lines(
        group((0, 0, 1080, 200), flags=CLICK),
        text("Wi-Fi", (100, 20, 500, 90), 2),
        text("Home", (100, 100, 500, 170), 2),
    ) == ['k1 "Wi-Fi | Home"']


def test_texts_with_different_words_in_two_places_both_stay() -> None:
    assert lines(
        group((0, 0, 1080, 200), flags=CLICK),
        text("1", (100, 20, 200, 90), 2),
        text(":", (210, 20, 250, 90), 2),
        text("1", (260, 20, 360, 90), 2),
    ) == ['k1 "1 | : | 1"']


def test_a_description_that_repeats_the_text_inside_is_not_printed_twice() -> None:
    assert lines(
        node(1, 0, VIEW, None, "Reminders, tab 2 of 5", bounds=(0, 0, 300, 200), flags=CLICK),
        text("Reminders", (50, 100, 250, 180), 2),
    ) == ['k1 "Reminders, tab 2 of 5"']


def test_icons_of_one_name_in_several_places_are_counted() -> None:
    star = "android.widget.ImageView"
    assert lines(
        group((0, 0, 1080, 200), flags=CLICK),
        text("Blue shirt", (0, 20, 400, 90), 2),
        *(node(2, 0, star, None, "Star", bounds=(n * 50, 100, n * 50 + 50, 150)) for n in range(3)),
        node(2, 0, star, None, "Blue shirt", bounds=(500, 0, 700, 200)),
    ) == ['k1 "Blue shirt | Star | Star | Star"']


def test_words_in_a_list_stay_where_a_row_around_it_has_them_in_another_place() -> None:
    assert lines(
        group((0, 0, 1080, 900), flags=CLICK),
        text("12", (0, 0, 100, 90), 2),
        group((0, 100, 1080, 900), 2, SHOWN | Flag.SCROLLABLE, "android.widget.ScrollView"),
        text("12", (0, 200, 100, 290), 3),
    ) == ['k1 "12"', "list k2:", ' "12"']


def test_a_target_with_many_texts_gives_its_parts_refs_of_their_own() -> None:
    markers = [text(f"Marker {n}", (0, n * 100, 300, n * 100 + 50), 2) for n in range(50)]
    printed = lines(group((0, 0, 1080, 2400), flags=CLICK), *markers[:20])
    assert printed[0] == 'k1 "Marker 0"'
    assert len(printed) == 20


def test_parts_beyond_forty_are_counted_and_can_be_named() -> None:
    parts = [text(f"P{n}", (0, n * 40, 300, n * 40 + 30), 2) for n in range(50)]
    shown = rows(group((0, 0, 1080, 2400), flags=CLICK), *parts)
    assert len(shown.rows) == 41
    last = shown.rows[-1]
    assert last.text == "+10 more in k41"
    assert [thing.words for thing in last.things] == [f'"P{n}"' for n in range(40, 50)]
    assert [thing.place for thing in last.things] == [(0, 2 + n) for n in range(40, 50)]


def test_each_child_of_an_adapter_view_is_a_row_of_its_own() -> None:
    assert lines(
        group((0, 0, 1080, 600), flags=SHOWN, class_name="android.widget.ListView"),
        text("Chrome", (0, 0, 1080, 200), 2),
        text("Firefox", (0, 200, 1080, 400), 2),
    ) == ['k1 "Chrome"', 'k2 "Firefox"']


@pytest.mark.parametrize(
    ("class_name", "flags", "printed"),
    [
        ("android.widget.Switch", Flag.CHECKED, 'k1 switch "Wi-Fi" on'),
        ("android.widget.Switch", 0, 'k1 switch "Wi-Fi" off'),
        ("android.widget.CheckBox", Flag.CHECKED, 'k1 check "Wi-Fi" on'),
        ("android.widget.RadioButton", 0, 'k1 radio "Wi-Fi" off'),
    ],
)
def test_a_row_has_the_kind_and_state_of_the_checkable_inside_it(
    class_name: str, flags: int, printed: str
) -> None:
    assert lines(
        group((0, 0, 1080, 200), flags=CLICK),
        text("Wi-Fi", (100, 50, 500, 150), 2),
        node(2, 1, class_name, bounds=(800, 50, 1000, 150), flags=SHOWN | Flag.CHECKABLE | flags),
    ) == [printed]


def test_a_row_and_a_switch_that_are_both_clickable_are_two_targets_on_one_line() -> None:
    assert lines(
        group(
            (0, 0, 1080, 800), flags=SHOWN | Flag.SCROLLABLE, class_name="android.widget.ListView"
        ),
        group((0, 0, 1080, 200), 2, CLICK),
        text("Wi-Fi", (100, 50, 500, 150), 3),
        node(
            3,
            1,
            "android.widget.Switch",
            bounds=(800, 50, 1000, 150),
            flags=CLICK | Flag.CHECKABLE | Flag.CHECKED,
        ),
    ) == ["list k1:", ' k2 "Wi-Fi", k3 switch on']


def test_the_state_of_plain_text_is_printed() -> None:
    assert lines(
        text("Home", (0, 0, 200, 100), flags=SHOWN | Flag.SELECTED),
        button("Cars", (300, 0, 500, 100)),
    ) == ['"Home" selected, k1 "Cars"']


@pytest.mark.parametrize(
    ("class_name", "printed"),
    [
        ("androidx.appcompat.app.ActionBar$Tab", 'k1 tab "Songs" selected, k2 tab "Albums"'),
        (VIEW, 'k1 "Songs" selected, k2 "Albums"'),
    ],
)
def test_a_selected_tab_is_a_target_although_it_is_not_clickable(
    class_name: str, printed: str
) -> None:
    """Material and Compose: the words of a tab are inside it."""
    assert lines(
        group((0, 0, 500, 100), 1, SHOWN | Flag.SELECTED, class_name),
        text("Songs", (0, 0, 200, 100), 2),
        group((500, 0, 1000, 100), 1, CLICK, class_name),
        text("Albums", (500, 0, 700, 100), 2),
    ) == [printed]


def test_a_selected_text_beside_others_that_are_not_clickable_is_no_target() -> None:
    assert lines(
        text("Home", (0, 0, 200, 100), flags=SHOWN | Flag.SELECTED),
        text("Cars", (300, 0, 500, 100)),
    ) == ['"Home" selected, "Cars"']


def test_selected_is_not_printed_where_everything_is() -> None:
    assert lines(
        button("A", (0, 0, 200, 100), flags=CLICK | Flag.SELECTED),
        button("B", (300, 0, 500, 100), flags=CLICK | Flag.SELECTED),
    ) == ['k1 "A", k2 "B"']


@pytest.mark.parametrize(
    ("content", "flags", "printed"),
    [
        ("a@b.c", 0, 'k1 field = "a@b.c"'),
        ("Email", Flag.SHOWING_HINT, 'k1 field "Email" empty'),
        ("•••", Flag.PASSWORD, "k1 field secret 3 chars"),
        ("Password", Flag.PASSWORD | Flag.SHOWING_HINT, 'k1 field "Password" empty'),
        ("Password", Flag.PASSWORD, "k1 field secret"),
        (None, Flag.FOCUSED, "k1 field empty focused"),
    ],
)
def test_hint_content_and_secret_of_a_field_are_told_apart(
    content: str | None, flags: int, printed: str
) -> None:
    field = node(
        1,
        0,
        "android.widget.EditText",
        content,
        bounds=(0, 0, 900, 100),
        flags=CLICK | Flag.EDITABLE | flags,
    )
    assert lines(field) == [printed]


def test_a_target_without_words_is_printed_by_its_id_or_its_place() -> None:
    named = node(1, 0, VIEW, resource_id="com.x:id/send", bounds=(0, 0, 90, 90), flags=CLICK)
    assert lines(named, button(None, (900, 0, 1000, 90))) == ["k1 #send, k2 unnamed top-right"]


def test_equal_targets_without_words_side_by_side_are_one_range() -> None:
    cells = [
        node(
            1,
            0,
            VIEW,
            resource_id="com.x:id/day",
            bounds=(n * 100, 0, n * 100 + 90, 90),
            flags=CLICK,
        )
        for n in range(7)
    ]
    assert lines(*cells) == ["k1–k7 #day"]


def test_an_unnamed_container_around_other_targets_is_not_printed() -> None:
    assert lines(group((0, 0, 1080, 2400), flags=CLICK), button("OK", (0, 0, 200, 100), 2)) == [
        'k1 "OK"'
    ]


def test_a_disabled_target_says_so() -> None:
    assert lines(button("Next", (0, 0, 200, 100), flags=int(Flag.VISIBLE | Flag.CLICKABLE))) == [
        'k1 "Next" disabled'
    ]


def drawn(order: int, each: Node) -> Node:
    """Return a node that Android draws after those with a lower number beside it."""
    each.drawing_order = order
    return each


def test_a_covered_target_stays_in_its_place_with_the_word() -> None:
    assert lines(
        drawn(1, button("Below", (0, 0, 400, 400))),
        drawn(2, button("Above", (0, 0, 400, 400))),
    ) == ['k1 "Below" covered', 'k2 "Above"']


def test_nothing_is_covered_where_the_drawing_order_is_not_known() -> None:
    assert lines(
        button("One", (0, 0, 400, 400)),
        button("Other", (0, 0, 400, 400)),
    ) == ['k1 "One"', 'k2 "Other"']


def test_something_smaller_on_top_does_not_cover_a_target() -> None:
    assert lines(
        button("Below", (0, 0, 800, 800)),
        button("Above", (350, 350, 450, 450)),
    ) == ['k1 "Below"', 'k2 "Above"']


def test_drawing_order_decides_what_covers_what() -> None:
    box = (0, 0, 400, 400)
    last, first = drawn(2, button("Drawn last", box)), drawn(1, button("Drawn first", box))
    assert lines(last, first) == ['k1 "Drawn last"', 'k2 "Drawn first" covered']


PAGE = (0, 0, 1080, 2400)


def pages(old: Node, new: Node) -> list[str]:
    """The rows of two pages on the same place; the old one comes first in the tree."""
    return lines(
        old,
        text("Old title", (0, 0, 500, 100), 2),
        button("Old button", (0, 200, 500, 300), 2),
        new,
        text("New title", (0, 0, 500, 100), 2),
        button("New button", (0, 200, 500, 300), 2),
    )


NEW_IN_FRONT = ['"New title"', 'k1 "New button"', "behind:", ' "Old title"']
OLD_IN_FRONT = ['"Old title"', 'k1 "Old button"', "behind:", ' "New title"']
DIALOG = "android.app.Dialog"


@pytest.mark.parametrize(
    ("old", "new", "front"),
    [
        (drawn(1, group(PAGE)), drawn(2, group(PAGE)), NEW_IN_FRONT),
        (drawn(2, group(PAGE)), drawn(1, group(PAGE)), OLD_IN_FRONT),
        (group(PAGE), group(PAGE, class_name=DIALOG), NEW_IN_FRONT),
        (group(PAGE, class_name=DIALOG), group(PAGE), OLD_IN_FRONT),
        # What is drawn last is above whatever it calls itself.
        (drawn(2, group(PAGE)), drawn(1, group(PAGE, class_name=DIALOG)), OLD_IN_FRONT),
    ],
)
def test_a_page_under_another_page_is_printed_as_behind(
    old: Node, new: Node, front: list[str]
) -> None:
    printed = pages(old, new)
    assert printed[:-1] == front
    assert printed[-1].endswith('button" covered')


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (group(PAGE), group(PAGE)),
        (group(PAGE, class_name=DIALOG), group(PAGE, class_name=DIALOG)),
        # The focus stays where it was when something is drawn over it.
        (group(PAGE), group(PAGE, flags=SHOWN | Flag.FOCUSED)),
        (group(PAGE, flags=SHOWN | Flag.FOCUSED), group(PAGE)),
        # The content of a window takes every touch to close the keyboard.
        (group(PAGE, flags=CLICK), group(PAGE)),
        (group(PAGE, flags=CLICK), group(PAGE, flags=CLICK)),
    ],
)
def test_no_page_is_behind_where_nothing_tells_which_is(old: Node, new: Node) -> None:
    printed = pages(old, new)
    assert "behind:" not in printed
    assert not [row for row in printed if "covered" in row]


def test_a_layer_that_takes_every_touch_is_in_front_of_the_one_before_it() -> None:
    printed = pages(group(PAGE), group(PAGE, flags=CLICK))
    assert printed == [
        'k1 "New title"',
        'k2 "New button"',
        "behind:",
        ' "Old title"',
        ' k3 "Old button" covered',
    ]


@pytest.mark.parametrize(
    ("box", "class_name"),
    [
        ((0, 0, 1080, 2000), VIEW),
        (PAGE, "android.webkit.WebView"),
    ],
)
def test_what_takes_touches_in_a_part_of_the_window_or_is_a_page_tells_nothing(
    box: Box, class_name: str
) -> None:
    assert "behind:" not in pages(group(PAGE), group(box, flags=CLICK, class_name=class_name))


def test_what_lies_beside_the_things_of_a_sheet_and_takes_touches_puts_the_page_behind() -> None:
    """As React Native shows one: a layer with a view for touches, and the sheet."""
    assert lines(
        group(PAGE),
        button("Place order", (0, 2100, 1080, 2300), 2),
        group(PAGE),
        group(PAGE, 2, flags=CLICK),
        button("Cash", (0, 1500, 1080, 1700), 2),
    ) == ["k1 unnamed centre", 'k2 "Cash"', "behind:", ' k3 "Place order" covered']


def test_a_field_with_the_focus_does_not_cover_the_button_that_is_drawn_on_it() -> None:
    field = node(1, 0, "android.widget.EditText", "Milk", bounds=(0, 0, 1000, 150))
    field.flags = int(CLICK | Flag.EDITABLE | Flag.FOCUSED)
    assert lines(field, button("Clear", (850, 10, 990, 140))) == [
        'k1 field = "Milk" focused',
        'k2 "Clear"',
    ]


PAGE_VIEW = "android.webkit.WebView"


def test_a_dialog_of_a_page_is_not_in_front_of_the_browser_around_the_page() -> None:
    # The page is larger than its place, as while it is zoomed.
    page = (0, 0, 1080, 2400)
    assert lines(
        group(page, class_name=PAGE_VIEW),
        button("Order", (0, 500, 500, 600), 2),
        group(page, 2, class_name=DIALOG),
        button("Close", (0, 700, 500, 800), 3),
        group((0, 2200, 1080, 2400)),
        button("Menu", (900, 2200, 1080, 2400), 2),
    ) == ["web k1:", ' k2 "Order" covered', ' k3 "Close"', 'k4 "Menu"']


@pytest.mark.slow
def test_any_number_of_dialogs_takes_work_in_proportion() -> None:
    def prepare(count: int) -> Callable[[], object]:
        dialogs = [group(PAGE, 2, CLICK, class_name=DIALOG) for _ in range(count)]
        beside = [button(f"B{number}", PAGE) for number in range(count)]
        shown = screen(window(node(), group(PAGE, class_name=PAGE_VIEW), *dialogs, *beside))
        return lambda: rows_of(shown, numbered())

    assert growth(prepare, 50) <= PROPORTIONATE


def test_a_dialog_that_shows_nothing_is_in_front_of_nothing() -> None:
    hidden = int(Flag.ENABLED)
    assert lines(
        group(PAGE, class_name=PAGE_VIEW),
        button("Order", (0, 500, 500, 600), 2),
        group(PAGE, 2, class_name=DIALOG),
        button("Close", (0, 700, 500, 800), 3, hidden | Flag.CLICKABLE),
    ) == ["web k1:", ' k2 "Order"', "1 text off screen"]


def test_what_compose_lists_last_is_in_front() -> None:
    around = "androidx.compose.ui.platform.ComposeView"
    assert "behind:" in lines(
        group(PAGE, class_name=around),
        group(PAGE, 2),
        text("Old", (0, 0, 500, 100), 3),
        group(PAGE, 2),
        text("New", (0, 0, 500, 100), 3),
    )


def test_a_dialog_inside_a_list_is_in_front_of_the_form_in_it() -> None:
    assert lines(
        group(PAGE, flags=SHOWN | Flag.SCROLLABLE, class_name="android.webkit.WebView"),
        group((0, 0, 1080, 2400), 2),
        text("Your name", (0, 900, 500, 1000), 3),
        button("Send", (0, 1100, 500, 1200), 3),
        group((0, 800, 1080, 1400), 2, class_name=DIALOG),
        text("Stay informed?", (100, 850, 900, 950), 3),
        button("Close", (100, 1000, 900, 1100), 3),
        # What lies between the two, and takes touches beside the dialog.
        group((0, 0, 1080, 2400), 2, flags=CLICK),
    ) == [
        "web k1:",
        ' "Stay informed?", k2 "Close"',
        "behind:",
        " k3 unnamed centre",
        ' "Your name"',
        ' k4 "Send" covered',
    ]


def test_every_card_of_a_pager_is_printed_and_the_next_one_is_counted() -> None:
    pager = "androidx.viewpager.widget.ViewPager"
    assert lines(
        group(PAGE, flags=SHOWN | Flag.SCROLLABLE, class_name=pager),
        drawn(2, group((60, 300, 1020, 2100), 2, flags=CLICK)),
        text("Card one", (100, 1900, 900, 2000), 3),
        button("Save", (800, 320, 1000, 420), 3),
        drawn(1, group((1040, 300, 2000, 2100), 2, flags=CLICK)),
        text("Card two", (1100, 1900, 1900, 2000), 3),
    ) == [
        "pages k1:",
        " k2 unnamed right",
        ' k3 "Card one", k4 "Save"',
        "1 text off screen",
    ]


def test_the_overlays_of_a_video_feed_and_the_video_under_them_can_all_be_tapped() -> None:
    feed = "androidx.recyclerview.widget.RecyclerView"
    assert lines(
        group(PAGE, flags=SHOWN | Flag.SCROLLABLE, class_name=feed),
        group(PAGE, 2),
        # The video comes last in the tree, and is drawn first.
        drawn(2, group((0, 1800, 800, 2300), 3)),
        text("@anna", (40, 1850, 400, 1900), 4),
        text("A day at the sea", (40, 1920, 700, 1980), 4),
        drawn(3, group((900, 900, 1080, 1700), 3)),
        button("Like", (920, 920, 1060, 1060), 4),
        button("Share", (920, 1120, 1060, 1260), 4),
        drawn(1, node(3, 0, VIEW, None, "Video", bounds=PAGE, flags=CLICK)),
    ) == [
        "list k1:",
        ' k2 "Video"',
        ' k3 "Like"',
        ' k4 "Share"',
        ' "@anna | A day at the sea"',
    ]


def test_only_what_is_visible_inside_every_scroller_is_printed_and_the_rest_is_counted() -> None:
    scroller = Flag.SCROLLABLE | SHOWN
    assert lines(
        group((0, 200, 1080, 600), flags=scroller, class_name="android.widget.ScrollView"),
        text("Seen", (0, 250, 500, 350), 2),
        text("Below the edge", (0, 700, 500, 800), 2),
        text("Hidden", (0, 400, 500, 500), 2, flags=int(Flag.ENABLED)),
    ) == ["list k1:", ' "Seen"', "2 texts off screen"]


def test_texts_of_one_thing_below_one_another_are_one_string() -> None:
    scroller = Flag.SCROLLABLE | SHOWN
    row = (0, 0, 1080, 250)
    assert lines(
        group((0, 0, 1080, 2400), flags=scroller),
        group(row, 2),
        text("Insurance", (50, 10, 700, 80), 3),
        text("27 June", (50, 90, 700, 160), 3),
        button("Done", (800, 10, 900, 160), 3),
        button("Edit", (920, 10, 1020, 160), 3),
        group((0, 250, 1080, 500), 2),
        text("Air filter", (50, 260, 700, 330), 3),
        button("Done", (800, 260, 900, 330), 3),
    ) == ["list k1:", ' "Insurance | 27 June", k2 "Done", k3 "Edit"', ' "Air filter", k4 "Done"']


def test_identical_adjacent_texts_are_counted() -> None:
    boxes = [(0, n * 200, 300, n * 200 + 50) for n in range(3)]
    assert lines(*(text("Loading", box) for box in boxes)) == ['"Loading" ×3']


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        ('say "hi"', r"say \"hi\""),
        ("a | b", r"a \| b"),
        ("back\\slash", r"back\\slash"),
        ("two\nlines\u2028end", "two lines end"),
        ("\u202eevil\u200b", "evil"),
        ("icon \ue001", "icon"),
        ("half \ud83d", "half \ufffd"),
        ("می\u200cخواهم", "می\u200cخواهم"),
    ],
)
def test_words_of_apps_are_made_safe(words: str, printed: str) -> None:
    assert clean(words) == printed


def test_long_words_are_cut_and_say_by_how_much() -> None:
    assert cut("x" * 512, 200) == "x" * 200 + "…+312"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café", "CAFE"),
        ("Ｗｉ－Ｆｉ", "wi-fi"),
        ("Wi\u2011Fi", "Wi-Fi"),
        ("don’t  do", "don't do"),
    ],
)
def test_words_are_compared_without_case_accents_width_and_spaces(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_ids_of_apps_cannot_forge_a_ref_or_a_state() -> None:
    assert short_id('com.x:id/a", k7 "Pay') == "a___k7__Pay"


def dialog_over_an_app() -> Screen:
    app = window(node(), button("Behind", (0, 0, 300, 100)), id=1, title="App")
    app.focused = False
    box = (200, 800, 900, 1500)
    front = window(
        node(bounds=box), button("Allow", (300, 900, 600, 1000)), id=2, title="Allow access?"
    )
    return screen(front, app)


def test_a_dialog_is_named_and_what_lies_under_it_is_behind() -> None:
    shown = rows_of(dialog_over_an_app(), numbered())
    assert shown.header == 'dialog com.android.calculator2 "Allow access?"'
    assert [row.text for row in shown.rows] == ['k1 "Allow"', "behind:", ' k2 "Behind"']


def test_bars_of_the_system_are_not_printed_and_the_keyboard_is_named() -> None:
    bar = Window(9, "SYSTEM", "com.android.systemui", None, 2, False, [])
    bar.nodes = [node(bounds=(0, 0, 1080, 80)), text("12:00", (0, 0, 100, 80))]
    keyboard = Window(8, "INPUT_METHOD", "com.keys", None, 1, False, [])
    keyboard.nodes = [node(bounds=(0, 1500, 1080, 2400)), button("q", (0, 1500, 100, 1600))]
    app = window(
        node(), button("OK", (0, 100, 200, 200)), button("Under", (0, 1600, 200, 1700)), id=1
    )
    shown = rows_of(screen(bar, keyboard, app), numbered())
    assert [row.text for row in shown.rows] == ['k1 "OK"', 'k2 "Under" covered']
    assert shown.tail == ["keyboard open"]


def test_without_a_window_the_header_says_so() -> None:
    assert rows_of(screen(), numbered()).text == "nothing is shown"


_QUOTED = r'"(?:[^"\\]|\\.)*"'
_NUMBER = r"-?[0-9.e+-]{1,12}"
_ITEM = re.compile(
    r"(?:[a-z]\d+(?:–[a-z]\d+)?)?(?: ?(?:switch|check|radio|slider|menu|field|tab|progress))?"
    r'(?: ?(?:"(?:[^"\\]|\\.)*"|#[A-Za-z0-9_.-]+|unnamed [a-z-]+))?'
    r'(?: ?= "(?:[^"\\]|\\.)*")?'
    r"(?: ?(?:on|off|partly on|selected|focused|disabled|covered|empty|secret(?: \d+ chars)?"
    rf"|expanded|collapsed|heading|loading|= {_QUOTED}|error {_QUOTED}|hint {_QUOTED}"
    rf"|= {_NUMBER} of {_NUMBER}–{_NUMBER}|= {_NUMBER}%))*(?: ×\d+)?"
)
_LINE = re.compile(
    rf" *(?:{_ITEM.pattern}(?:, {_ITEM.pattern})*"
    r"|(?:list|strip|pages|web)(?: page)? [a-z]\d+"
    r"(?:, (?:rows? |columns? )?\d+(?:–\d+)?(?: of \d+)?)?"
    r"(?:, more (?:above|below|left|right|before|after))*(?:, disabled)?(?:, selected)?"
    r"(?:(?:, empty)?:|, nothing readable; ask for picture: marked)|behind:"
    r"|draws itself: \d+ views?; ask for picture: marked|\+\d+ more in [a-z]\d+"
    r'|window [A-Za-z0-9_.-]+(?: "(?:[^"\\]|\\.)*")?:)'
)


@given(hostile_screens())
def test_no_app_can_forge_a_row_a_ref_or_a_state(shown: Screen) -> None:
    result = rows_of(shown, numbered())
    assert all(_LINE.fullmatch(row.text) for row in result.rows), result.text
    assert re.fullmatch(
        rf"(?:dialog )?(?:[A-Za-z0-9_.-]+(?: {_QUOTED})?|nothing is shown)", result.header
    )
    result.text.encode()


@given(hostile_screens())
def test_the_same_screen_gives_the_same_rows(shown: Screen) -> None:
    first, second = (rows_of(shown, numbered()) for _ in range(2))
    assert first.text == second.text
    assert changed_rows(first, second) == []


def test_changed_rows_are_marked() -> None:
    before = rows(
        *(button(f"Row {n}", (0, n * 100, 500, n * 100 + 80)) for n in range(10)),
        node(
            1,
            0,
            "android.widget.Switch",
            "Airplane",
            bounds=(0, 1100, 500, 1180),
            flags=CLICK | Flag.CHECKABLE,
        ),
    )
    after = rows(
        *(button(f"Row {n}", (0, n * 100, 500, n * 100 + 80)) for n in range(10)),
        node(
            1,
            0,
            "android.widget.Switch",
            "Airplane",
            bounds=(0, 1100, 500, 1180),
            flags=CLICK | Flag.CHECKABLE | Flag.CHECKED,
        ),
        text("Turned off: Wi-Fi", (0, 1300, 500, 1380)),
    )
    assert changed_rows(before, after) == [
        '~ k11 switch "Airplane" on',
        '+ "Turned off: Wi-Fi"',
    ]


def test_the_whole_screen_is_better_where_things_only_vanished() -> None:
    row = [button(f"Row {n}", (0, n * 100, 500, n * 100 + 80)) for n in range(10)]
    assert changed_rows(rows(*row), rows(*row[:-1])) is None


def test_the_whole_screen_is_better_where_another_window_is_in_front() -> None:
    other = rows_of(screen(window(node(), button("OK", (0, 0, 9, 9)), id=7)), numbered())
    assert changed_rows(rows(button("OK", (0, 0, 9, 9))), other) is None


def test_of_a_changed_row_only_what_changed_is_printed() -> None:
    def row(state: int, words: str) -> Rows:
        return rows(
            *(button(f"Row {n}", (0, n * 100, 500, n * 100 + 80)) for n in range(10)),
            button("Wi-Fi", (0, 1100, 400, 1180)),
            node(
                1,
                0,
                "android.widget.Switch",
                bounds=(500, 1100, 700, 1180),
                flags=CLICK | Flag.CHECKABLE | state,
            ),
            text(words, (0, 1300, 500, 1380)),
        )

    assert changed_rows(row(0, "1 s"), row(int(Flag.CHECKED), "2 s")) == [
        "~ k12 switch on",
        '~ "2 s"',
    ]


def test_words_inside_another_word_are_printed() -> None:
    clear = node(1, 0, BUTTON, "C", "clear", bounds=(0, 0, 90, 90), flags=CLICK)
    assert lines(clear) == ['k1 "C | clear"']


def test_a_screen_that_draws_itself_says_so() -> None:
    assert lines() == ["draws itself: 1 view; ask for picture: marked"]


def test_a_web_page_without_content_keeps_its_ref() -> None:
    page = group((0, 0, 1080, 2000), class_name="android.webkit.WebView")
    assert lines(page) == ["web page k1, nothing readable; ask for picture: marked"]


def test_a_row_of_a_list_that_holds_only_an_empty_scroller_prints_nothing() -> None:
    scroller = SHOWN | Flag.SCROLLABLE
    assert lines(
        group((0, 0, 1080, 2000), flags=scroller),
        group((0, 0, 1080, 300), 2),
        group((0, 0, 1080, 300), 3, flags=scroller),
        text("Row", (0, 300, 1080, 400), 2),
    ) == ["list k1:", ' "Row"']


@pytest.mark.parametrize(
    ("boxes", "expected"),
    [
        ([], ""),
        ([(0, 0, 9, 10), (0, 10, 9, 20)], "ab"),
        ([(0, 10, 9, 20), (0, 0, 9, 10)], "ba"),
        ([(50, 0, 90, 10), (0, 2, 40, 10)], "ba"),
        ([(0, 0, 90, 30), (0, 2, 40, 10), (0, 20, 40, 30)], "abc"),
        ([(5, 0, 9, 10), (0, 0, 4, 10)], "ba"),
        # Off screen, bounds may be inverted.
        ([(0, 20, 9, 0), (0, 15, 9, 30)], "ba"),
    ],
)
def test_texts_are_read_by_rows_and_then_from_left_to_right(
    boxes: list[Box], expected: str
) -> None:
    texts = [(Bounds(*box), chr(97 + number)) for number, box in enumerate(boxes)]
    assert "".join(reading_order(texts)) == expected
