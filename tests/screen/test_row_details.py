"""What views tell beyond a dump, in the rows of the screen for models."""

from dataclasses import replace

import pytest

from handheld.screen.model import Details, Flag, Node, Range, Screen, Window
from handheld.screen.rows.changes import changed_rows
from handheld.screen.rows.screen import rows_of

from .test_rows import BUTTON, CLICK, SHOWN, VIEW, Box, button, group, numbered, text
from .trees import node, screen, window

FIELD = "android.widget.EditText"
LIST = "androidx.recyclerview.widget.RecyclerView"


def told(*parts: tuple[Node, Details | None]) -> Window:
    shown = window(node(), *(each for each, _ in parts))
    shown.details = {
        number: details for number, (_, details) in enumerate(parts, 1) if details is not None
    }
    return shown


def lines(*parts: tuple[Node, Details | None]) -> list[str]:
    shown = rows_of(screen(told(*parts)), numbered())
    return [*(row.text for row in shown.rows), *shown.tail]


def field(words: str | None = None, flags: int = 0, box: Box = (0, 100, 900, 200)) -> Node:
    return node(1, 0, FIELD, words, bounds=box, flags=CLICK | Flag.EDITABLE | flags, key="1:2:-1")


def bar(class_name: str, flags: int = SHOWN, *, width: int = 900, depth: int = 1) -> Node:
    box = (0, 0, width, 90)
    return node(depth, 0, f"android.widget.{class_name}", bounds=box, flags=flags)


# Ranges


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        (Range(0, 0, 100, 40), "= 40 of 0–100"),
        (Range(0, -10, 10, -3), "= -3 of -10–10"),
        (Range(1, 0, 1, 0.10000000149), "= 0.1 of 0–1"),
        (Range(2, 0, 100, 40), "= 40%"),
        (Range(2, 0, 1, 0.25), "= 25%"),
        (Range(2, 5, 5, 5), "= 5 of 5–5"),
        (Range(1, 0, 3e38, 1e38), "= 1e+38 of 0–3e+38"),
        (Range(1, 0, float("inf"), 1), ""),
    ],
)
def test_a_slider_has_its_value_and_range(shown: Range, printed: str) -> None:
    assert lines((bar("SeekBar"), Details(range=shown))) == [f"k1 slider {printed}".rstrip()]


def test_a_progress_bar_is_printed_without_a_ref() -> None:
    part = bar("ProgressBar"), Details(range=Range(0, 0, 100, 7))
    assert lines(part) == ["progress = 7 of 0–100"]


def test_a_target_shows_the_progress_inside_it() -> None:
    assert lines(
        (group((0, 0, 900, 200), flags=CLICK), None),
        (text("Download", (0, 0, 500, 90), 2), None),
        (replace(bar("ProgressBar"), depth=2), Details(range=Range(0, 0, 100, 7))),
    ) == ['k1 "Download" = 7 of 0–100']


def test_progress_inside_a_container_that_is_not_printed_stays() -> None:
    inside = replace(bar("ProgressBar"), depth=2), Details(range=Range(0, 0, 100, 7))
    assert lines(
        (group((0, 0, 1080, 900), flags=CLICK), None),
        inside,
        (button("OK", (0, 200, 300, 290), 2), None),
    ) == ["progress = 7 of 0–100", 'k1 "OK"']
    texts = [(text(f"T{n}", (0, 100 * n, 300, 100 * n + 50), 2), None) for n in range(2, 12)]
    printed = lines((group((0, 0, 1080, 1900), flags=CLICK), None), inside, *texts)
    assert printed[0] == "progress = 7 of 0–100"


@pytest.mark.parametrize(
    ("state", "printed"),
    [
        *((same, "") for same in ("40%", "40 %", "٤٠٪", "41%")),
        *((other, f' = "{other}"') for other in ("90%", "4 hours", "40 minutes")),
    ],
)
def test_the_state_of_a_range_is_printed_if_it_is_not_its_percentage(
    state: str, printed: str
) -> None:
    part = bar("SeekBar"), Details(state=state, range=Range(0, 0, 100, 40))
    assert lines(part) == [f"k1 slider = 40 of 0–100{printed}"]


def test_a_bar_without_an_end_is_loading() -> None:
    spinner = bar("ProgressBar")
    assert lines((text("A", (0, 200, 90, 290)), None), (spinner, Details(loading=True))) == [
        '"A"',
        "loading",
    ]
    spinner.description = "Loading…"
    assert lines((spinner, Details(loading=True))) == ['"Loading…" loading', "loading"]
    spinner.flags = 0
    assert "loading" not in lines((spinner, Details(loading=True)))


# States


@pytest.mark.parametrize(
    ("flags", "details", "printed"),
    [
        (Flag.EXPANDED, Details(), " expanded"),
        (Flag.COLLAPSED, Details(), " collapsed"),
        (Flag.EXPANDED, Details(state="Expanded"), " expanded"),
        (Flag.COLLAPSED, Details(state="Half"), ' = "Half" collapsed'),
        (Flag.HEADING, Details(), " heading"),
        (0, Details(state="3 of 5"), ' = "3 of 5"'),
        (0, Details(state="Selected"), ""),
        (0, Details(state="On"), ' = "On"'),
        (0, Details(state="mode"), ""),
        (0, Details(state='" on, k9 "Pay'), r' = "\" on, k9 \"Pay"'),
        (0, Details(state="x" * 300), f' = "{"x" * 100}…+200"'),
        (0, Details(error="y" * 300), f' error "{"y" * 200}…+100"'),
        (Flag.CHECKABLE, Details(state="Off"), " off"),
        (Flag.CHECKABLE | Flag.CHECKED, Details(state="Checked"), " on"),
        (Flag.CHECKABLE | Flag.CHECKED, Details(state="Silent"), ' on = "Silent"'),
        (Flag.CHECKABLE | Flag.PARTLY_CHECKED, Details(), " partly on"),
    ],
)
def test_a_state_is_printed_once(flags: int, details: Details, printed: str) -> None:
    kind = "check " if flags & Flag.CHECKABLE else ""
    part = button("Mode", (0, 0, 200, 100), flags=CLICK | flags), details
    assert lines(part) == [f'k1 {kind}"Mode"{printed}']


def test_a_heading_is_not_joined_with_the_text_below_it() -> None:
    assert lines(
        (text("Network", (0, 0, 300, 50), flags=SHOWN | Flag.HEADING), None),
        (text("Wi-Fi", (0, 52, 300, 100)), None),
    ) == ['"Network" heading', '"Wi-Fi"']


def test_a_disabled_button_inside_a_target_keeps_its_state() -> None:
    off = int(Flag.VISIBLE | Flag.FOCUSABLE)
    row = node(
        1, 0, "android.widget.Switch", "Play", bounds=(0, 0, 900, 300), flags=CLICK | Flag.CHECKABLE
    )
    assert lines(
        (row, None),
        (button("Fast", (0, 100, 300, 200), 2, off), None),
        (button("Balanced", (300, 100, 600, 200), 2, off | Flag.SELECTED), None),
    ) == ['k1 switch "Play" off', 'k2 "Fast" disabled, k3 "Balanced" selected disabled']


# Names


LABEL = node(1, 0, "android.widget.TextView", "Email", bounds=(0, 40, 300, 90), key="1:1:-1")
FAR = replace(LABEL, bounds=LABEL.bounds._replace(top=1000, bottom=1050))


@pytest.mark.parametrize(
    ("label", "words", "flags", "details", "printed"),
    [
        (LABEL, None, 0, Details(), ['k1 field "Email" empty']),
        (LABEL, "a@b.c", 0, Details(), ['k1 field "Email" = "a@b.c"']),
        (LABEL, "you@x.y", Flag.SHOWING_HINT, Details(), ['k1 field "Email" empty hint "you@x.y"']),
        (LABEL, "Email", Flag.SHOWING_HINT, Details(), ['k1 field "Email" empty']),
        (LABEL, "a", 0, Details(hint="you@x.y"), ['k1 field "Email" = "a"']),
        (LABEL, "•••", Flag.PASSWORD, Details(), ['k1 field "Email" secret 3 chars']),
        (FAR, None, 0, Details(), ['k1 field "Email" empty', '"Email"']),
        (LABEL, None, 0, Details(error="Missing"), ['k1 field "Email" empty error "Missing"']),
    ],
)
def test_a_field_has_the_words_of_its_label(
    label: Node, words: str | None, flags: int, details: Details, printed: list[str]
) -> None:
    details = replace(details, label="1:1:-1")
    assert lines((label, None), (field(words, flags), details)) == printed


def test_a_label_that_is_not_on_the_screen_names_nothing() -> None:
    assert lines((field(), Details(label="1:77:-1"))) == ["k1 field empty"]
    assert lines((field(), Details(label="1:2:-1"))) == ["k1 field empty"]


def test_a_field_with_content_is_named_by_its_hint() -> None:
    assert lines((field("a@b.c"), Details(hint="Email"))) == ['k1 field "Email" = "a@b.c"']


def test_a_switch_has_the_words_of_the_label_beside_it() -> None:
    switch = node(
        1,
        0,
        "android.widget.Switch",
        bounds=(900, 40, 1000, 90),
        flags=CLICK | Flag.CHECKABLE,
    )
    parts = (LABEL, None), (switch, Details(label="1:1:-1"))
    assert lines(*parts) == ['k1 switch "Email" off']


# Lists


def listed(
    flags: int,
    rows: tuple[int, int] | None,
    places: list[tuple[int, int]],
    class_name: str = LIST,
) -> str:
    shown = window(
        node(),
        group((0, 0, 1080, 2000), flags=SHOWN | Flag.SCROLLABLE | flags, class_name=class_name),
        *(
            button(f"R{number}", (0, number * 100, 1080, number * 100 + 90), 2)
            for number in range(len(places))
        ),
    )
    shown.items = dict(enumerate(places, 2))
    shown.details = {} if rows is None else {1: Details(rows=rows)}
    return rows_of(screen(shown), numbered()).rows[0].text


FORWARD, BACKWARD = int(Flag.SCROLLS_FORWARD), int(Flag.SCROLLS_BACKWARD)
ROWS = int(Flag.COLLECTION)


@pytest.mark.parametrize(
    ("flags", "rows", "places", "printed"),
    [
        (0, None, [], "list k1:"),
        (FORWARD, None, [], "list k1, more below:"),
        (FORWARD | BACKWARD, None, [], "list k1, more above, more below:"),
        (Flag.SCROLLS_DOWN | FORWARD, None, [], "list k1, more below:"),
        (Flag.SCROLLS_RIGHT | FORWARD, None, [], "strip k1, more right:"),
        (Flag.SCROLLS_LEFT | FORWARD, None, [], "strip k1, more left:"),
        (ROWS | BACKWARD, (200, 1), [(12, 0), (13, 0)], "list k1, 13–14 of 200, more above:"),
        (ROWS, (200, 1), [(12, 0)], "list k1, 13 of 200:"),
        (ROWS, (2, 1), [(0, 0), (1, 0)], "list k1:"),
        (ROWS | FORWARD, (-1, -1), [(0, 0), (1, 0)], "list k1, 1–2, more below:"),
        (ROWS, (-1, -1), [(0, 0), (1, 0)], "list k1:"),
        (ROWS | FORWARD, (1, 1), [(7, 0)], "list k1, 8, more below:"),
        (ROWS | FORWARD, (333, 3), [(4, 0), (4, 1)], "list k1, row 5 of 333, more below:"),
        (ROWS | FORWARD, (333, 3), [(4, 0), (5, 0)], "list k1, rows 5–6 of 333, more below:"),
        (ROWS | Flag.SCROLLS_RIGHT, (1, 9), [(0, 2), (0, 3)], "strip k1, 3–4 of 9, more right:"),
        (FORWARD, (200, 1), [(12, 0)], "list k1, more below:"),
        (ROWS | FORWARD, (200, 1), [(-5, 0)], "list k1, more below:"),
    ],
)
def test_a_block_says_what_its_list_tells(
    flags: int, rows: tuple[int, int] | None, places: list[tuple[int, int]], printed: str
) -> None:
    assert listed(flags, rows, places or [(-1, -1), (-1, -1)]) == printed


def test_pages_that_do_not_tell_their_direction_have_more_after() -> None:
    pager = "androidx.viewpager.widget.ViewPager"
    assert listed(FORWARD | BACKWARD, None, [(-1, 0)], pager) == (
        "pages k1, more before, more after:"
    )


def test_items_of_a_list_inside_a_row_are_not_rows() -> None:
    shown = window(
        node(),
        group((0, 0, 1080, 2000), flags=SHOWN | Flag.SCROLLABLE | ROWS | FORWARD, class_name=LIST),
        group((0, 0, 1080, 300), 2, SHOWN | ROWS),
        node(3, 0, BUTTON, "A", bounds=(0, 0, 300, 90), flags=CLICK),
    )
    shown.items = {2: (4, 0), 3: (50, 0)}
    shown.details = {1: Details(rows=(200, 1)), 2: Details(rows=(60, 1))}
    assert rows_of(screen(shown), numbered()).rows[0].text == "list k1, 5 of 200, more below:"


# The first line


def titled(*panes: str | None) -> Screen:
    parts = [
        (
            node(1, 0, VIEW, bounds=(0, n * 100, 90, n * 100 + 90)),
            Details(pane=pane) if pane else None,
        )
        for n, pane in enumerate(panes)
    ]
    return screen(told(*parts, (button("OK", (0, 900, 90, 990)), None)))


@pytest.mark.parametrize(
    ("panes", "title"),
    [
        ([None], "Calculator"),
        (["History"], "Calculator | History"),
        (["Calculator"], "Calculator"),
        (["A", "B", "C"], "Calculator | A | B"),
        (['x" s1, locked'], r"Calculator | x\" s1, locked"),
        (["a | b"], r"Calculator | a \| b"),
        (["z" * 99], f"Calculator | {'z' * 60}…+39"),
    ],
)
def test_titles_of_panes_follow_that_of_the_window(panes: list[str | None], title: str) -> None:
    header = rows_of(titled(*panes), numbered()).header
    assert header == f'com.android.calculator2 "{title}"'


def test_another_pane_is_another_screen() -> None:
    name = numbered()
    before, after = rows_of(titled("A"), name), rows_of(titled("B"), name)
    assert changed_rows(before, after) is None
    assert changed_rows(before, before) == []


def test_the_first_line_says_that_the_phone_is_locked_dark_or_turned() -> None:
    shown = titled(None)
    shown.locked, shown.awake = True, False
    shown.notes, shown.conditions = ("window 3 is missing",), ("the phone is locked",)
    rows = rows_of(shown, numbered())
    assert rows.title("s7") == 'com.android.calculator2 "Calculator" s7, locked, screen off'
    assert rows.tail == ["window 3 is missing"]
    shown.width, shown.height = 2400, 1080
    assert rows_of(shown, numbered()).title("s8").endswith(" s8, locked, screen off, landscape")


PAGE = group((0, 100, 1080, 2400), class_name="android.webkit.WebView")


@pytest.mark.parametrize(
    ("parts", "loads"),
    [
        ([(bar("ProgressBar"), 40.0), (PAGE, None)], False),  # too narrow
        ([(bar("ProgressBar", width=1080), 40.0), (PAGE, None)], True),
        ([(bar("ProgressBar", width=1080), 100.0), (PAGE, None)], False),
        ([(bar("SeekBar", width=1080), 40.0), (PAGE, None)], False),
        ([(bar("ProgressBar", width=1080), 40.0)], False),
        ([(PAGE, None), (bar("ProgressBar", width=1080, depth=2), 40.0)], False),
    ],
)
def test_a_bar_along_a_web_page_and_short_of_its_end_says_that_the_page_loads(
    parts: list[tuple[Node, float | None]], loads: bool
) -> None:
    shown = [
        (each, None if now is None else Details(range=Range(0, 0, 100, now))) for each, now in parts
    ]
    assert ("loading" in lines(*shown)) == loads
