"""Text of web pages, folded: nothing is lost, nothing that can be acted on is touched, the order
stays."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.screen.ids import assign
from handheld.screen.model import Flag, Node, WebNode, Window
from handheld.screen.rows.everything import all_rows
from handheld.screen.rows.screen import rows_of
from handheld.screen.text import LIMIT, fold_nodes, is_kept, units, window_table
from handheld.screen.web_text import Folding, join, split
from harness.work import PROPORTIONATE, growth

from .test_rows import CLICK, SHOWN, VIEW, numbered
from .trees import hostile_screens, node, screen, window

WEB = "android.webkit.WebView"
TEXT = "android.widget.TextView"
ROLES = ("paragraph", "staticText", "strong", "link", "genericContainer", "listItem", "heading")
ACTS = int(Flag.CLICKABLE | Flag.LONG_CLICKABLE | Flag.SCROLLABLE | Flag.EDITABLE)
_FLAGS = (
    SHOWN,
    SHOWN,
    SHOWN,
    CLICK,
    SHOWN | Flag.EDITABLE,
    SHOWN | Flag.CHECKABLE,
    int(Flag.ENABLED),
    SHOWN | Flag.HEADING,
)


def page(*parts: tuple[Node, str | None]) -> Window:
    """A window with nodes and their roles."""
    shown = window(node(), node(1, 0, WEB), *(each for each, _ in parts))
    shown.web = {
        number: WebNode(role, f"https://x/{number}" if role == "link" else None)
        for number, (_, role) in enumerate(parts, 2)
        if role is not None
    }
    return shown


def part(
    depth: int, words: str | None, role: str | None, row: int = 0, flags: int = SHOWN
) -> tuple[Node, str | None]:
    box = (0, 100 + 50 * row, 900, 140 + 50 * row)
    return node(depth, row, TEXT if words else VIEW, words, bounds=box, flags=flags), role


@st.composite
def pages(draw: st.DrawFn) -> Window:
    """Any tree of web nodes, and of others between them. Every text is there once."""
    parts: list[tuple[Node, str | None]] = []
    depth = 2
    for number in range(draw(st.integers(0, 25))):
        depth = draw(st.integers(2, depth + 1))
        role = draw(st.sampled_from((*ROLES, None)))
        size = draw(st.sampled_from((0, 0, 3, 20, 60, 150)))
        words = (
            f"{'t' * size}{number}{draw(st.sampled_from(('', ' ', '.', ',')))}" if size else None
        )
        made, _ = part(depth, words, role, number, draw(st.sampled_from(_FLAGS)))
        made.description = draw(st.sampled_from((None, None, None, f"d{number}")))
        made.resource_id = draw(st.sampled_from((None, None, None, f"id{number}")))
        parts.append((made, role))
    return page(*parts)


def rows(shown: Window, *, folded: bool) -> list[list[str]]:
    [labels] = assign(screen(shown)).labels
    return [line.split("\t") for line in window_table(shown, labels, folded=folded).split("\n")[1:]]


def letters(texts: list[str]) -> str:
    return "".join("".join(texts).replace("-", "").split())


@given(pages())
def test_every_text_is_there_in_its_order(shown: Window) -> None:
    folded = [each.text or "" for each in fold_nodes(shown) if each is not None]
    assert letters(folded) == letters([each.text or "" for each in shown.nodes])


@given(pages())
def test_what_can_be_acted_on_is_listed_once_with_its_id_and_bounds(shown: Window) -> None:
    plain, folded = rows(shown, folded=False), rows(shown, folded=True)
    acting = [row for row in plain if {"clk", "lclk", "scr", "edt"} & {*row[6].split(",")}]
    assert [row for row in folded if {"clk", "lclk", "scr", "edt"} & {*row[6].split(",")}] == acting
    ids = [row[0] for row in plain]
    assert [id for id in ids if id in {row[0] for row in folded}] == [row[0] for row in folded]
    # What has an id of its own, a description or a state stays as it is, too.
    kept = [row for row in plain if row[3] != "-" or row[4] != "-" or "chk" in row[6]]
    assert all(row in folded for row in kept)


@given(pages())
def test_nothing_is_cut_that_was_not_cut_before(shown: Window) -> None:
    before = {row[2] for row in rows(shown, folded=False) if row[2].endswith("...truncated")}
    after = {row[2] for row in rows(shown, folded=True) if row[2].endswith("...truncated")}
    assert after == before


@given(pages())
def test_no_run_crosses_a_block_or_something_that_is_listed(shown: Window) -> None:
    runs = Folding(shown).runs
    last: tuple[int, int] | None = None
    for number, each in enumerate(shown.nodes):
        if not is_kept(each):
            continue
        run = runs.get(number)
        if last is not None and run == last[1]:
            between = shown.nodes[last[0] + 1 : number]
            assert not any(map(is_kept, between))
            assert each.flags == shown.nodes[last[0]].flags
        last = None if run is None else (number, run)


@given(hostile_screens())
def test_other_windows_are_as_they_were(shown: object) -> None:
    for each in shown.windows:  # type: ignore[attr-defined]
        if not each.web:
            assert fold_nodes(each) == each.nodes


@given(pages())
def test_models_see_every_text_and_each_target_once(shown: Window) -> None:
    found = rows_of(screen(shown), numbered())
    printed = "\n".join(row.text for row in found.rows)
    assert "…" not in printed
    visible = [each for each in shown.nodes if each.text and each.flags & Flag.VISIBLE]
    for each in visible:
        words = re.escape((each.text or "").strip())
        assert len(re.findall(rf"(?<![t\d]){words}(?!\d)", printed)) == 1, each.text
    refs = [thing.place for _, thing in found.things if thing.ref]
    assert len(refs) == len(set(refs))
    plain = rows_of(screen(replace(shown, web={})), numbered())
    assert {*refs} == {thing.place for _, thing in plain.things if thing.ref}


def test_a_paragraph_is_a_line_in_the_order_of_the_page() -> None:
    shown = page(
        part(2, None, "paragraph"),
        part(3, "Read the", "staticText"),
        part(3, "terms", "link", flags=CLICK),
        # It goes on in the next line, where it begins at the left.
        part(3, "and all of the", "staticText", 0),
        part(3, "small", "strong", 1),
        part(3, "print", "staticText", 1),
        part(3, ".", "staticText", 1),
        part(2, "Next", "paragraph", 3),
    )
    found = rows_of(screen(shown), numbered())
    assert [row.text for row in found.rows] == [
        "web k1:",
        ' "Read the", k2 "terms", "and all of the small print."',
        ' "Next"',
    ]
    told = [row.text for row in all_rows(screen(shown), found, numbered()).rows]
    assert any('k2 @450,120 900x40 "terms" to "https://x/4"' in row for row in told)


def test_words_of_a_link_stay_with_it_and_outside_text_outside() -> None:
    shown = page(
        part(2, None, "paragraph"),
        part(3, None, "link", flags=CLICK),
        part(4, "one", "staticText"),
        part(4, "two", "staticText", 1),
        part(3, "three", "staticText", 2),
        part(3, "four", "staticText", 2),
    )
    assert [row[2] for row in rows(shown, folded=True)] == ["-", "one two", "three four"]
    runs = Folding(shown).runs
    assert [runs.get(number) for number in range(2, 8)] == [None, None, 1, 1, 2, 2]


def test_a_folded_row_has_the_place_of_all_its_pieces() -> None:
    shown = page(
        part(2, None, "paragraph"), part(3, "one", "staticText"), part(3, "two", "staticText", 1)
    )
    [row] = rows(shown, folded=True)
    assert (row[2], row[5]) == ("one two", "0,100,900,190")


def test_without_roles_nothing_is_folded() -> None:
    """As by `uiautomator`, which prints none."""
    shown = page(part(2, "one", None), part(2, "two", None))
    assert rows(shown, folded=True) == rows(shown, folded=False)


@pytest.mark.parametrize(
    ("pieces", "joined"),
    [
        (["one", "two"], "one two"),
        (["one ", " two"], "one two"),
        (["one", ", two", "."], "one, two."),
        (["(", "one", ")"], "(one)"),
        (["one", "\n", ", two"], "one , two"),
        (["", "  ", "one"], "one"),
        (["said", '"yes"'], 'said "yes"'),
        ([], ""),
    ],
)
def test_pieces_are_joined_as_they_are_read(pieces: list[str], joined: str) -> None:
    assert join(pieces) == joined


@given(st.lists(st.integers(0, 150), max_size=30))
def test_pieces_are_told_together_as_far_as_they_fit(lengths: list[int]) -> None:
    groups = list(split(lengths, LIMIT))
    assert [at for group in groups for at in group] == list(range(len(lengths)))
    for group in groups:
        assert len(group) == 1 or sum(lengths[at] + 1 for at in group) - 1 <= LIMIT


def large(count: int) -> Window:
    """A page of so many nodes: paragraphs of words and links, and one that never ends."""
    parts = [part(2, None, "paragraph")]
    for number in range(count // 2):
        parts.append(part(3, f"word {number}", "staticText", number))
    for number in range(count // 10):
        parts.append(part(2, None, "paragraph", number))
        parts += [part(3, f"piece {number} {at}", "staticText", number) for at in range(3)]
        parts.append(part(3, f"link {number}", "link", number, CLICK))
    return page(*parts)


@pytest.mark.slow
@pytest.mark.parametrize("written", ["table", "rows"])
def test_a_page_takes_work_in_proportion_to_its_size(written: str) -> None:
    def prepare(count: int) -> Callable[[], object]:
        shown = large(count)
        if written == "rows":
            return lambda: rows_of(screen(shown), numbered())
        [labels] = assign(screen(shown)).labels
        return lambda: window_table(shown, labels, folded=True)

    assert growth(prepare, 500) <= PROPORTIONATE


def test_one_text_of_any_length_is_cut_once() -> None:
    shown = page(part(2, "x" * 1_000_000, "staticText"), part(2, "y", "staticText"))
    [first, second] = rows(shown, folded=True)
    assert units(first[2]) == LIMIT + len("...truncated")
    assert second[2] == "y"
