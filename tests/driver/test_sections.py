"""Several commands in one command line, and the outputs of each."""

from hypothesis import given
from hypothesis import strategies as st

from handheld.driver.sections import Section, join_lines, split_sections

MARK = "handheld-00ff"
LINES = {"first": "one", "second": "two --three"}


def test_each_command_is_followed_by_a_mark_with_its_number_and_exit_code() -> None:
    assert join_lines(LINES, MARK) == (
        f"one; c=$?; echo; echo {MARK} 0 $c; two --three; c=$?; echo; echo {MARK} 1 $c"
    )


def test_outputs_are_told_apart() -> None:
    printed = f"a\nb\n\n{MARK} 0 0\nno end of line\n{MARK} 1 127\n"
    assert split_sections(printed, MARK, LINES) == {
        "first": Section("a\nb\n", 0),
        "second": Section("no end of line", 127),
    }


def test_a_command_that_did_not_end_is_missing() -> None:
    assert split_sections(f"a\n\n{MARK} 0 0\nhalf", MARK, LINES) == {"first": Section("a\n", 0)}


def test_a_line_that_only_looks_like_a_mark_stays_in_the_output() -> None:
    printed = f"handheld-beef 0 0\n x {MARK} 0 0\n\n{MARK} 0 0\n"
    assert split_sections(printed, MARK, LINES) == {
        "first": Section(f"handheld-beef 0 0\n x {MARK} 0 0\n", 0)
    }


@given(st.text(), st.text())
def test_any_output_without_the_mark_is_returned_as_it_is(first: str, second: str) -> None:
    printed = f"{first}\n{MARK} 0 0\n{second}\n{MARK} 1 5\n"
    assert split_sections(printed, MARK, LINES) == {
        "first": Section(first.replace("\r\n", "\n"), 0),
        "second": Section(second.replace("\r\n", "\n"), 5),
    }
