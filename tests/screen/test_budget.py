"""What is left out of a screen that has to fit into a number of tokens, and in which order."""

import re
from contextlib import suppress
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.screen.model import Flag, Screen
from handheld.screen.rows.budget import TooSmall, fit
from handheld.screen.rows.everything import all_rows
from handheld.screen.rows.screen import Rows, rows_of
from handheld.screen.rows.token_bound import most_tokens

from .test_rows import BUTTON, CLICK, SHOWN, TEXT, button, group, numbered, text
from .trees import hostile_screens, node, screen, window

LONG = "a rather long text of the app " * 5


def cost(lines: list[str]) -> int:
    return sum(most_tokens(f"{line}\n") for line in lines)


def fitted(shown: Screen, most: int) -> list[str]:
    rows = rows_of(shown, numbered())
    return fit([f"{rows.header} s1"], rows.rows, rows.tail, shown, most)


@cache
def by_limit() -> dict[int, list[str]]:
    """What is shown of the layered screen, by the limit."""
    found: dict[int, list[str]] = {}
    for most in range(60, 480, 3):
        with suppress(TooSmall):
            found[most] = fitted(layered(), most)
    return found


def smallest_with(part: str) -> int:
    """The smallest limit with which this is still shown."""
    return next(most for most, lines in by_limit().items() if any(part in line for line in lines))


def layered() -> Screen:
    """A dialog over a page with a focused field in the middle."""
    page = window(
        node(),
        text(f"Behind {LONG}", (0, 300, 900, 360)),
        id=1,
        title="Page",
    )
    page.focused = False
    dialog = window(
        node(bounds=(0, 0, 1080, 1900)),
        text(LONG, (0, 0, 900, 90)),
        text("Short", (300, 100, 900, 190)),
        button("Far", (0, 200, 900, 290)),
        button("Near", (0, 300, 900, 390)),
        node(
            1,
            0,
            "android.widget.EditText",
            "typed",
            description="Field",
            bounds=(0, 400, 900, 490),
            flags=CLICK | Flag.EDITABLE | Flag.FOCUSED,
        ),
    )
    return screen(dialog, page)


@pytest.mark.slow
def test_rows_are_left_out_in_their_order() -> None:
    order = ["Behind", "a rather long text of the app a rather long t", "Short", '"Far"', '"Near"']
    least = [smallest_with(part) for part in [*order, "typed"]]
    assert least == sorted(least, reverse=True)
    assert len(set(least)) == len(least)


def test_a_plain_text_is_cut_before_it_is_left_out() -> None:
    most = smallest_with("a rather long text of the app a rather l…+")
    assert most < smallest_with(LONG.strip())
    lines = fitted(layered(), most)
    assert '"a rather long text of the app a rather l…+109"' in lines
    assert lines[-1] == "left out: 2 rows; look with find"


def test_what_fits_is_whole() -> None:
    shown = layered()
    rows = rows_of(shown, numbered())
    whole = [f"{rows.header} s1", *(row.text for row in rows.rows), *rows.tail]
    assert fitted(shown, cost(whole)) == whole
    assert fitted(shown, cost(whole) - 1) != whole


def test_a_list_without_rows_is_left_out_and_named() -> None:
    lists = group((0, 0, 1080, 2000), flags=SHOWN | Flag.SCROLLABLE)
    rows = [button(f"Row {at}", (0, at * 100, 900, at * 100 + 90), 2) for at in range(12)]
    shown = screen(window(node(), lists, *rows))
    lines = fitted(shown, 70)
    assert lines[1] == "list k1:"
    assert lines[-1] == f"left out: {12 - (len(lines) - 3)} rows; look within k1"
    with pytest.raises(TooSmall) as problem:
        fitted(shown, 20)
    assert fitted(shown, problem.value.least)[1:] == ["left out: 13 rows; look within k1"]


SCRIPTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(st.lists(SCRIPTS, max_size=12), st.integers(1, 600))
def test_no_script_exceeds_the_limit(texts: list[str], most: int) -> None:
    nodes = [
        node(
            1,
            at,
            BUTTON if at % 3 else TEXT,
            words,
            bounds=(0, at * 100, 900, at * 100 + 90),
            flags=CLICK if at % 3 else SHOWN,
        )
        for at, words in enumerate(texts)
    ]
    shown = screen(window(node(), *nodes, title="".join(texts)[:80]))
    assert_fits(shown, rows_of(shown, numbered()), most)


@given(hostile_screens(), st.integers(1, 600))
def test_no_screen_exceeds_the_limit(shown: Screen, most: int) -> None:
    names = numbered()
    rows = rows_of(shown, names)
    assert_fits(shown, rows, most)
    assert_fits(shown, all_rows(shown, rows, names), most)


def assert_fits(shown: Screen, rows: Rows, most: int) -> None:
    first = [f"{rows.header} s1"]
    try:
        lines = fit(first, rows.rows, rows.tail, shown, most)
    except TooSmall as problem:
        least = problem.least
        lines = fit(first, rows.rows, rows.tail, shown, least)
        most = max(most + 1, least)
    assert cost(lines) <= most
    assert lines[:1] == first
    whole = 1 + len(rows.rows) + len(rows.tail)
    said = re.fullmatch(r"left out: (\d+) rows?; look (?:within \S+|with find)", lines[-1])
    if said:
        assert len(lines) - 1 + int(said[1]) == whole
    else:
        assert len(lines) == whole
