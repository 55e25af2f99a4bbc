"""Several commands in one command line, and the outputs of each."""

from hypothesis import given
from hypothesis import strategies as st

from handheld.driver.by_adb.batch import BatchPart, join_lines, split_sections

MARK = "handheld-00ff"
LINES = {"first": "one", "second": "two --three"}


def test_each_command_is_followed_by_a_mark_with_its_number_and_exit_code() -> None:
    assert join_lines(LINES, MARK) == (
        f"one; c=$?; echo; echo {MARK} 0 $c; two --three; c=$?; echo; echo {MARK} 1 $c"
    )


def test_outputs_are_told_apart() -> None:
    printed = f"a\nb\n\n{MARK} 0 0\nno end of line\n{MARK} 1 127\n".encode()
    assert split_sections(printed, MARK, LINES) == {
        "first": BatchPart(b"a\nb\n", 0),
        "second": BatchPart(b"no end of line", 127),
    }


def test_of_a_command_that_did_not_end_nothing_is_known() -> None:
    printed = f"a\n\n{MARK} 0 0\nhalf".encode()
    assert split_sections(printed, MARK, LINES) == {
        "first": BatchPart(b"a\n", 0),
        "second": BatchPart(b"", None),
    }


def test_a_line_that_only_looks_like_a_mark_stays_in_the_output() -> None:
    printed = f"handheld-beef 0 0\n x {MARK} 0 0\n\n{MARK} 0 0\n".encode()
    found = split_sections(printed, MARK, LINES)
    assert found["first"].text == f"handheld-beef 0 0\n x {MARK} 0 0\n"


def test_lines_of_a_text_end_alike() -> None:
    assert BatchPart(b"a\r\nb\xff\n").text == "a\nb\ufffd\n"


@given(st.binary(), st.binary())
def test_any_output_without_the_mark_is_returned_as_it_is(first: bytes, second: bytes) -> None:
    printed = b"%b\n%b 0 0\n%b\n%b 1 5\n" % (first, MARK.encode(), second, MARK.encode())
    assert split_sections(printed, MARK, LINES) == {
        "first": BatchPart(first, 0),
        "second": BatchPart(second, 5),
    }
