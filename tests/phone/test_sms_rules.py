"""Numbers, texts and the number of parts."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handheld.phone.personal.sms_rules import (
    SentParts,
    SmsRules,
    count_parts,
    find_number_fault,
    find_text_fault,
    mask,
)
from handheld_virtual.sms.parts import divide

NUMBERS = st.one_of(st.text(max_size=20), st.from_regex(r"\+?[0-9 ]{0,18}", fullmatch=True))


@given(NUMBERS)
def test_a_number_is_e164_or_rejected(number: str) -> None:
    wanted = re.fullmatch(r"\+[1-9][0-9]{6,14}", number, re.ASCII)
    assert (find_number_fault(number) == "") == bool(wanted)


@given(st.text(max_size=170))
def test_a_text_has_1_to_160_units_or_is_rejected(text: str) -> None:
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    assert (find_text_fault(text) == "") == (1 <= units <= 160)


@given(
    st.text(st.characters(codec="latin-1"), min_size=1, max_size=160)
    | st.text(st.sampled_from("aő👋"), min_size=60, max_size=160)
    | st.text(st.sampled_from("a€{"), min_size=140, max_size=160)
)
def test_parts_are_counted_like_the_phone_does(text: str) -> None:
    assert count_parts(text) == divide(text).count


@pytest.mark.parametrize(
    ("text", "parts"),
    [("a" * 160, 1), ("€" * 80, 1), ("€" * 81, 2), ("€" * 160, 3), ("ő" * 70, 1), ("ő" * 71, 2),
     ("👋" * 66, 2), ("👋" * 67, 3), ("👋" * 80, 3), ("€" * 152, 2), ("€" * 153, 3)],
)  # fmt: skip
def test_the_number_of_parts_of_a_text(text: str, parts: int) -> None:
    assert count_parts(text) == parts


@given(
    st.lists(st.tuples(st.integers(1, 3), st.floats(0, 30)), max_size=60),
    st.integers(3, 10),
)
@example([(1, 1e-85), (1, 0.0), (1, 30.0), (1, 30.0)], 3)  # 60 s later, but for rounding
def test_the_limit_per_minute_holds_and_the_wait_is_exact(
    asked: list[tuple[int, float]], most: int
) -> None:
    sent, taken, now = SentParts(), list[float](), 0.0
    for parts, pause in asked:
        now += pause
        wait = sent.take(parts, most, now)
        if wait:
            assert 0 < wait <= 60 + 1e-6
            assert sum(time > now - 60 for time in taken) + parts > most
            assert sum(time > now + wait - 60 + 1e-6 for time in taken) + parts <= most
        else:
            taken += [now] * parts
        assert sum(time > now - 60 + 1e-6 for time in taken) <= most


@pytest.mark.parametrize(
    ("allow", "block", "bar"),
    [
        ((), (), ""),
        (("+3620*",), (), ""),
        (("+3630*",), (), "sms.allow"),
        (("+3630*", "+3620*"), (), ""),
        ((), ("+3620*",), "sms.block"),
        (("+3620*",), ("+36201*",), "sms.block"),
        (("+3620123456?",), (), ""),
        (("+362012345?",), (), "sms.allow"),
        ((), ("*4567",), "sms.block"),
        ((), ("+36201234567",), "sms.block"),
    ],
)
def test_block_overrides_allow(allow: tuple[str, ...], block: tuple[str, ...], bar: str) -> None:
    assert SmsRules(allow=allow, block=block).find_bar("+36201234567") == bar


@given(st.from_regex(r"\+[1-9][0-9]{6,14}", fullmatch=True))
def test_a_masked_number_shows_at_most_four_digits(number: str) -> None:
    assert sum(sign.isdigit() for sign in mask(number)) <= 4
    assert number not in mask(number)
