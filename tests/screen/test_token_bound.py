"""The bound on tokens, against counts of the tokenizer that `make tables WHAT=tokens` keeps."""

import json
from pathlib import Path

import pytest
from bench.economy import captures, tokens
from hypothesis import given
from hypothesis import strategies as st

from handheld.screen.rows.token_bound import most_tokens

FIXTURES = Path(__file__).parents[1] / "fixtures"
HARD: list[tuple[str, int]] = json.loads((FIXTURES / "hard_texts.json").read_text("utf-8"))


def test_no_text_has_more_tokens_than_the_bound_says() -> None:
    exceeded = [text for text, count in HARD if count > most_tokens(text)]
    assert exceeded == []


def test_some_texts_reach_the_bound() -> None:
    """So that the texts are a check: a smaller bound would be wrong."""
    assert sum(count == most_tokens(text) for text, count in HARD) > len(HARD) // 10


def test_screens_stay_below_the_bound_and_not_too_far() -> None:
    counts = tokens.kept()
    texts = [capture.print().text for capture in captures.own()]
    shares = [most_tokens(text) / counts.of(text) for text in texts if counts.knows(text)]
    assert shares
    assert min(shares) >= 1
    assert sorted(shares)[len(shares) // 2] < 2.5


@given(st.lists(st.text(st.characters(exclude_characters="\n\r"), max_size=30), max_size=5))
def test_the_bounds_of_lines_add_up(lines: list[str]) -> None:
    each = sum(most_tokens(f"{line}\n") for line in lines)
    assert most_tokens("".join(f"{line}\n" for line in lines)) == each


@given(st.text())
def test_a_text_has_at_most_as_many_tokens_as_bytes(text: str) -> None:
    assert most_tokens(text) <= len(text.encode(errors="surrogatepass"))


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("", 0),
        ("a", 1),
        ("ab", 1),
        ("abc", 2),
        (" ab", 2),
        ("12", 1),
        ("1234", 2),
        ("漢", 2),
        ("😀", 2),
    ],
)
def test_the_bound_of_a_text(text: str, most: int) -> None:
    assert most_tokens(text) == most
