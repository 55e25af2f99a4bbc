"""The project's own screens as models read them: complete, and counted."""

import re

import pytest
from bench import recount
from bench.economy import captures, checks, facts, measure, printed, tokens
from bench.economy.checks import Findings

from handheld.access.request_scope import AGENT
from handheld.cli.cost import estimate, kept_counts, key_of

AGAIN = "Its text has changed since its tokens were counted: make tables WHAT=tokens"
NAMES = [capture.name for capture in captures.own()]
OWN = {capture.name: capture for capture in captures.own()}


@pytest.mark.parametrize("name", NAMES)
def test_everything_visible_on_a_screen_is_printed_in_reading_order(name: str) -> None:
    found = findings(name)
    assert found.lost_texts == []
    assert found.lost_targets == []
    assert found.lost_states == []
    assert found.leaked == []
    assert found.disordered == []


@pytest.mark.parametrize("name", NAMES)
def test_the_tokens_of_a_screen_and_its_changes_are_kept(name: str) -> None:
    counts = tokens.kept()
    texts = measure.examine([OWN[name]])
    assert all(map(counts.knows, [*texts.screens, *texts.changes])), AGAIN
    assert all(counts.of(text) <= 800 for text in texts.screens)


async def test_the_list_and_the_instructions_for_models_fit_into_two_thousand_tokens() -> None:
    texts = await measure.listing(AGENT)
    assert all(key_of(text) in kept_counts() for text in texts), AGAIN
    assert sum(kept_counts()[key_of(text)] for text in texts) <= measure.LIST_LIMIT


async def test_the_tokens_of_the_main_list_are_kept() -> None:
    assert all(key_of(text) in kept_counts() for text in await measure.listing("")), AGAIN


def test_an_estimate_is_near_the_count() -> None:
    counts = tokens.kept()
    texts = [text for text in recount.own_texts() if text.isascii()]
    assert sum(map(estimate, texts)) == pytest.approx(sum(map(counts.of, texts)), rel=0.2)


def findings(name: str, pattern: str = "", instead: str = "") -> Findings:
    """What is found wrong with a screen, or with a text of it in which something was replaced."""
    shown = OWN[name].print()
    text, count = re.subn(pattern, instead, shown.text, count=1) if pattern else (shown.text, 1)
    assert count == 1, shown.text
    return checks.check(facts.read(OWN[name].xml), printed.read(text), shown.places)


LOGIN, SETTINGS = "login-hint-api35.xml", "settings-list-api26.xml"


@pytest.mark.parametrize(
    ("name", "pattern", "instead", "lost"),
    [
        (SETTINGS, r" \| Connected, 5 GHz", "", "lost_texts"),
        (SETTINGS, r"\n[^\n]*$", "", "lost_targets"),
        (LOGIN, "secret [0-9]+ chars", "", "lost_states"),
        (LOGIN, "secret [0-9]+ chars", '= "123456"', "leaked"),
        (SETTINGS, r"(\n  k5[^\n]*)(\n  k6[^\n]*)", r"\2\1", "disordered"),
    ],
)
def test_the_check_notices(name: str, pattern: str, instead: str, lost: str) -> None:
    assert getattr(findings(name, pattern, instead), lost) != []


def test_the_check_notices_targets_that_cannot_be_told_apart() -> None:
    reading = printed.read('app s1\nk1 "Delete", k2 "Delete"\nk3–k9 #day')
    assert len(checks.check([], reading, {}).alike) == 2


@pytest.mark.parametrize(
    ("line", "refs", "pieces", "value", "states"),
    [
        ('k4 "Wi-Fi | Home" on', ("k4",), ["Wi-Fi", "Home"], None, {"on"}),
        (
            'k5 field "E, \\"mail\\"" = "a | b" focused',
            ("k5",),
            ['E, "mail"'],
            "a | b",
            {"focused"},
        ),
        ("k6 field secret 8 chars", ("k6",), [], None, {"secret"}),
        ("k1–k3 #day", ("k1", "k2", "k3"), [], None, set[str]()),
        ('"a \\| b" selected', (), ["a | b"], None, {"selected"}),
    ],
)
def test_an_item_is_read_from_its_text(
    line: str, refs: tuple[str, ...], pieces: list[str], value: str | None, states: set[str]
) -> None:
    [item] = printed.read(f"app s1\n{line}").items
    assert (item.refs, item.pieces, item.value) == (refs, pieces, value)
    assert all(item.has(state) for state in states)
