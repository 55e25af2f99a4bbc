"""A server prints a few characters that stand for more elements than there can be."""

from handheld.library.screen import read_screen
from harness.work import lines

ATTACK = "a screen that is longer than its text"
HEADER = 'com.notes "Notes" s1'
MOST_LINES = 100_000
"""Of Python, a tenth of what a million elements would take."""


def test_a_range_of_refs_has_no_more_than_a_letter_has() -> None:
    with lines(MOST_LINES):
        screen = read_screen(f"{HEADER}\nk1–k1000000 unnamed top")
    assert len(screen.elements) <= 1


def test_a_range_that_is_printed_again_and_again_is_one() -> None:
    screen = read_screen("\n".join([HEADER, *["k1–k900 unnamed top"] * 50]))
    assert len(screen.elements) == 900


def test_a_range_that_ends_before_it_begins_is_none() -> None:
    assert read_screen(f"{HEADER}\nk5–k3 unnamed top").elements == ()
