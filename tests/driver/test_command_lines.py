"""Command lines for touching and typing."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.driver import Point
from handheld.driver.by_shell.finger import (
    NoPaths,
    TooManyFingers,
    drag_stroke,
    scroll_ends,
    slow_stroke,
    touch_line,
)
from handheld.driver.by_shell.keystrokes import LINE, key_lines, pieces, typing_lines, untypable
from handheld.driver.reading.uiautomator import DumpedWindow
from handheld.driver.reading.window_numbers import WindowNumbers

TAPS: list[list[Point]] = [[(5.0, 6.0, 0)], [(5.0, 6.0, 100)]]


@pytest.mark.parametrize(
    ("strokes", "api", "line"),
    [
        ([[(1080.0, 2400.0, 0)]], 26, "input tap 1079 2399"),
        ([[(10.25, 20.0, 0), (10.25, 20.0, 700)]], 26, "input swipe 10.25 20 10.25 20 700"),
        ([[(1.0, 2.0, 0), (3.0, 4.0, 300)]], 34, "input swipe 1 2 3 4 300"),
        (TAPS, 34, "input tap 5 6; sleep 0.100; input tap 5 6"),
        (TAPS, 30, "input tap 5 6 & sleep 0.100; input tap 5 6; wait"),
        (
            [[(1.0, 2.0, 0), (3.0, 4.0, 50), (5.0, 6.0, 50), (7.0, 8.0, 90)]],
            29,
            "input motionevent DOWN 1 2; sleep 0.050; input motionevent MOVE 3 4;"
            " input motionevent MOVE 5 6; sleep 0.040; input motionevent MOVE 7 8;"
            " input motionevent UP 7 8",
        ),
    ],
)
def test_one_finger_is_one_command_line(strokes: list[list[Point]], api: int, line: str) -> None:
    assert touch_line(strokes, 1080, 2400, api) == line


def test_two_simultaneous_fingers_are_rejected() -> None:
    one: list[Point] = [(1.0, 2.0, 0), (3.0, 4.0, 300)]
    other: list[Point] = [(5.0, 6.0, 299), (7.0, 8.0, 400)]
    for strokes in ([one, other], [other, one], [[(1.0, 2.0, 0)], [(3.0, 4.0, 0)]]):
        with pytest.raises(TooManyFingers):
            touch_line(strokes, 1080, 2400, 34)


def test_android_9_has_no_paths() -> None:
    with pytest.raises(NoPaths):
        touch_line([[(1.0, 2.0, 0), (3.0, 4.0, 50), (1.0, 2.0, 90)]], 1080, 2400, 28)


def test_scroll_goes_against_the_direction() -> None:
    """By the share and by what content does not follow: 8 dp, and 3 pixels."""
    assert scroll_ends("down", 0.5, 1000, 2000, 160) == ((500, 1505.5), (500, 494.5))
    assert scroll_ends("left", 0.2, 1000, 2000, 160) == ((394.5, 1000), (605.5, 1000))
    assert scroll_ends("right", 1, 1000, 2000, 160) == ((1000, 1000), (0, 1000))


def test_drag_passes_the_slop_slowly_and_rests_at_the_end() -> None:
    stroke = drag_stroke((500, 1500), (500, 500), 320)
    assert [(1500 - y, ms) for _, y, ms in stroke] == [
        (0, 0),
        (pytest.approx(18), 60),
        (pytest.approx(20), 110),
        (pytest.approx(998), 410),
        (pytest.approx(1000), 660),
    ]
    assert drag_stroke((0, 0), (10, 0), 320) == [(0, 0, 0), (10, 0, 660)]


def test_finger_that_cannot_rest_is_slow() -> None:
    assert slow_stroke((0, 500), (0, 280), 320) == [(0, 500, 0), (0, 280, 1000)]


ASCII = st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), min_size=1)


def as_input_takes_it(word: str) -> str:
    return word.replace("%s", " ")


@given(ASCII | st.text(alphabet="%s 'a\"$\\", min_size=1), st.sampled_from([26, 30, 31, 34]))
def test_every_typable_character_arrives(text: str, api: int) -> None:
    arrived = ""
    for line, sizes in typing_lines(text, 70, 15, api):
        assert len(line.encode()) < LINE + 200
        words = [part.split(" && ")[-1] for part in line.split(" && echo .")]
        typed = [as_input_takes_it(shlex.split(one)[-1]) for one in words if one.strip()]
        assert list(map(len, typed)) == list(sizes)
        arrived += "".join(typed)
    assert arrived == text


def test_old_phones_receive_several_characters_per_command() -> None:
    assert list(pieces("abcdefghijk", 100, 30)) == ["abcde", "fghij", "k"]
    assert list(pieces("abc", 100, 31)) == ["a", "b", "c"]
    assert list(pieces("a%sb", 1, 26)) == ["a%", "sb"]


def test_character_without_a_key_is_reported() -> None:
    assert [untypable(text) for text in ("plain ~", "a\nb", "né", "")] == ["", "\n", "é", ""]


def test_many_keys_are_split_into_lines() -> None:
    lines = list(key_lines([67] * 150, 34))
    assert [line.count("67") for line in lines] == [100, 50]


# Windows without numbers.


def dumped(title: str, type: str = "APPLICATION") -> DumpedWindow:
    return DumpedWindow(type, title, package="p")


def test_window_keeps_its_number() -> None:
    numbers = WindowNumbers()
    first = numbers.number([dumped("bar", "SYSTEM"), dumped("main")])
    assert first == [2, 1]
    assert numbers.number([dumped("ask"), dumped("bar", "SYSTEM"), dumped("main")]) == [3, 2, 1]
    assert numbers.number([dumped("main")]) == [1]
    assert numbers.number([dumped("bar", "SYSTEM"), dumped("main")]) == [4, 1]


def test_second_window_with_the_same_title_gets_another_number() -> None:
    numbers = WindowNumbers()
    assert numbers.number([dumped("same")]) == [1]
    assert numbers.number([dumped("same"), dumped("same")]) == [2, 1]
