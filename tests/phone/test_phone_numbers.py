"""Phone numbers, compared as Android compares them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.phone.personal.phone_numbers import dialled, number_pattern, same_number


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("+36 30 111 2233", "+36301112233"),
        ("+36301112233", "0036301112233"),
        ("+36301112233", "06301112233"),
        ("+36301112233", "301112233"),
        ("+36301112233", "1112233"),
        ("+49 (0151) 234-5678", "+4901512345678"),
        ("01512345678", "+491512345678"),
        ("+1-202-555-0101", "12025550101"),
        ("0112025550101", "002025550101"),
        ("2233", "22 33"),
        ("*100#", "*100#"),
    ],
)
def test_one_number_in_two_ways(one: str, other: str) -> None:
    assert same_number(one, other)
    assert same_number(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("+36301112233", "+36301112234"),
        ("+36301112233", "+36201112233"),
        ("+36301112233", "112233"),
        ("+36301112233", "2233"),
        ("2233", "+2233"),
        ("", ""),
        ("BANK", "BANK"),
        ("+36301112233", "BANK"),
        ("1112233", "1112233x"),
    ],
)
def test_two_numbers(one: str, other: str) -> None:
    assert not same_number(one, other)
    assert not same_number(other, one)


NUMBERS = st.from_regex(r"\+?[0-9]{1,12}", fullmatch=True)


@given(NUMBERS, NUMBERS, st.sampled_from(["", "0", "+36", "0036"]))
def test_the_pattern_finds_every_number_that_is_the_same(one: str, other: str, prefix: str) -> None:
    for written in (other, prefix + one.lstrip("+")):
        if same_number(one, written):
            pattern = ".*".join(map(re.escape, number_pattern(one).split("%")))
            assert re.fullmatch(pattern, f"({written})".replace("1", "1 - "))


@given(st.text())
def test_any_text_is_a_number_or_none(text: str) -> None:
    assert re.fullmatch(r"(\+?[0-9*#]+)?", dialled(text))
