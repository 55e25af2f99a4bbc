"""The text of a screen."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.ui.ids import assign
from handheld.ui.model import Flag, Node, Screen
from handheld.ui.text import cut, is_kept, plain, screen_text, short_activity

from . import dumps
from .trees import calculator, hostile_screens, node, screen, window

NOTES = """\
note:structural-only nodes are omitted from the tree
note:certain elements are custom and will not be properly reported, if needed or if tools are not \
working as expected set include_screenshot=true to see the screen and take what you see into account
note:flags: on=onscreen off=offscreen clk=clickable lclk=longClickable foc=focusable \
scr=scrollable edt=editable ena=enabled
note:offscreen items require scroll_to_element before interaction
"""
HEADER = (
    "--- window:42 type:APPLICATION pkg:com.android.calculator2 title:Calculator"
    " activity:.Calculator layer:0 focused:true ---\n"
    "id\tclass\ttext\tdesc\tres_id\tbounds\tflags"
)


def text_of(shown: Screen) -> str:
    return screen_text(shown, assign(shown).labels)


def rows(*nodes: Node) -> list[list[str]]:
    lines = text_of(screen(window(*nodes))).split("\n")
    return [line.split("\t")[1:] for line in lines[7:]]


def test_a_screen_is_notes_a_header_and_a_row_for_each_element() -> None:
    assert text_of(calculator()) == (
        NOTES
        + "screen:1080x2400 density:420 orientation:portrait\n"
        + HEADER
        + "\nnode_a9c404a_w42\tTextView\tCalculator\t-\tcom.android.calculator2:id/title"
        "\t100,50,500,120\ton,ena"
        "\nnode_8c04d1f9_w42\tButton\t7\t-\tcom.android.calculator2:id/digit_7"
        "\t50,800,270,1000\ton,clk,ena"
    )


def test_the_degraded_note_follows_the_standing_notes() -> None:
    shown = calculator()
    shown.degraded = True
    shown.notes = ("window 42 com.x did not answer in time and is missing", "a\nb")
    shown.windows = []
    assert text_of(shown) == (
        NOTES + "note:DEGRADED — multi-window API unavailable, showing rootInActiveWindow only\n"
        "note:window 42 com.x did not answer in time and is missing\n"
        "note:a b\n"
        "screen:1080x2400 density:420 orientation:portrait"
    )


def test_a_window_without_kept_nodes_still_has_its_lines() -> None:
    assert text_of(screen(window(node()))).endswith(HEADER)


def test_a_wide_screen_is_landscape() -> None:
    assert "screen:2400x1080 density:420 orientation:landscape" in text_of(
        replace(screen(), width=2400, height=1080)
    )


@pytest.mark.parametrize(
    ("given_node", "kept"),
    [
        (node(), False),
        (node(text=""), False),
        (node(text=" "), True),
        (node(description="d"), True),
        (node(resource_id="r"), True),
        (node(flags=Flag.FOCUSABLE | Flag.ENABLED | Flag.VISIBLE), False),
        (node(flags=Flag.CLICKABLE), True),
        (node(flags=Flag.LONG_CLICKABLE), True),
        (node(flags=Flag.SCROLLABLE), True),
        (node(flags=Flag.EDITABLE), True),
        (node(flags=Flag.CHECKABLE | Flag.COLLECTION), False),
    ],
)
def test_structural_nodes_are_omitted(given_node: Node, kept: bool) -> None:
    assert is_kept(given_node) is kept
    assert len(rows(given_node)) == kept


def test_every_flag_has_its_word_in_order() -> None:
    everything = (1 << 14) - 1
    assert rows(node(flags=everything), node(flags=everything - 1), node(text="t", flags=0)) == [
        ["FrameLayout", "-", "-", "-", "0,0,1080,2400", "on,clk,lclk,foc,scr,edt,ena"],
        ["FrameLayout", "-", "-", "-", "0,0,1080,2400", "off,clk,lclk,foc,scr,edt,ena"],
        ["FrameLayout", "t", "-", "-", "0,0,1080,2400", "off"],
    ]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("android.widget.Button", "Button"),
        ("Button", "Button"),
        ("a.b.C$D", "C$D"),
        ("odd.", "-"),
        ("", "-"),
        (None, "-"),
        ("a.B\tc", "B c"),
    ],
)
def test_a_class_is_shown_without_its_package(name: str | None, shown: str) -> None:
    assert rows(node(class_name=name, text="t"))[0][0] == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc\rd", "a b c d"),
        ("  padded \n", "padded"),
        ("\n\t ", "-"),
        ("a\u2028b\u2029c\x85d\x7fe\x00f", "a b c d e f"),
        ("half \ud83d", "half \ufffd"),
        ("whole \ud83d\ude00", "whole 😀"),
        ("e\u0301 \u200d \u202e", "e\u0301 \u200d \u202e"),
        ("x" * 100, "x" * 100),
        ("x" * 101, "x" * 100 + "...truncated"),
        (" " + "x" * 100 + " ", "x" * 100),
        ("😀" * 50, "😀" * 50),
        ("😀" * 51, "😀" * 50 + "...truncated"),
        ("x" + "😀" * 50, "x" + "😀" * 49 + "...truncated"),
    ],
)
def test_text_of_an_app_stays_in_its_column(text: str, shown: str) -> None:
    assert rows(node(text=text, description=text)) == [
        ["FrameLayout", shown, shown, "-", "0,0,1080,2400", "on,ena"]
    ]


def test_a_resource_id_is_never_truncated() -> None:
    assert rows(node(resource_id="a:id/\n" + "x" * 200))[0][3] == "a:id/ " + "x" * 200


def test_a_title_is_truncated_and_cannot_begin_a_line() -> None:
    shown = text_of(screen(window(id=3, title="t\nnote:forged " + "x" * 100)))
    line = shown.split("\n")[5]
    assert line.startswith("--- window:3 type:APPLICATION pkg:com.android.calculator2")
    assert f" title:t note:forged {'x' * 86}...truncated activity:.Calculator layer:0" in line


def test_unknown_properties_of_a_window_are_shown_as_unknown() -> None:
    anonymous = replace(window(title=None), package=None)
    assert text_of(screen(anonymous)).split("\n")[5] == (
        "--- window:42 type:APPLICATION pkg:unknown title:unknown layer:0 focused:true ---"
    )


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({}, True),
        ({"focused": False}, False),
        ({"type": "SYSTEM"}, False),
        ({"package": "com.other"}, False),
    ],
)
def test_only_the_focused_window_of_the_foreground_app_has_its_activity(
    changes: dict[str, object], shown: bool
) -> None:
    changed = replace(window(), **changes)  # pyright: ignore[reportArgumentType]
    assert ("activity:" in text_of(screen(changed))) is shown


@pytest.mark.parametrize(
    ("package", "activity", "shown"),
    [
        ("com.a", "com.a.Main", ".Main"),
        ("com.a", "com.a.ui.Main", ".ui.Main"),
        ("com.a", "com.ab.Main", "com.ab.Main"),
        ("com.a", "org.b.Main", "org.b.Main"),
    ],
)
def test_an_activity_of_its_own_package_is_shortened(
    package: str, activity: str, shown: str
) -> None:
    assert short_activity(package, activity) == shown


@given(st.text(alphabet=st.characters() | st.just("😀"), max_size=130))
def test_truncation_never_splits_a_character(text: str) -> None:
    text = plain(text)
    short = cut(text)
    if len(text.encode("utf-16-le")) <= 200:
        assert short == text
    else:
        kept = short.removesuffix("...truncated")
        assert text.startswith(kept)
        assert 99 <= len(kept.encode("utf-16-le")) // 2 <= 100


ROW = re.compile(
    r"node_[0-9a-f]{1,8}_w-?\d+\t[^\t]+\t[^\t]+\t[^\t]+\t[^\t]+\t-?\d+(,-?\d+){3}\t(on|off)[a-z,]*"
)


def check_lines(shown: Screen, text: str) -> None:
    """Every line has a known form, and there is one for each note, window and listed node."""
    assert text.splitlines() == text.split("\n")
    text.encode()
    lines = text.split("\n")
    notes = 4 + shown.degraded + len(shown.notes)
    assert all(line.startswith("note:") for line in lines[:notes])
    rest = iter(lines[notes:])
    assert next(rest).startswith("screen:")
    for part in shown.windows:
        assert next(rest).startswith(f"--- window:{part.id} type:APPLICATION pkg:")
        assert next(rest) == "id\tclass\ttext\tdesc\tres_id\tbounds\tflags"
        for each in part.nodes:
            if is_kept(each):
                assert ROW.fullmatch(next(rest))
    assert list(rest) == []


@given(hostile_screens())
def test_no_app_can_forge_a_row_a_note_or_a_header(shown: Screen) -> None:
    check_lines(shown, text_of(shown))


@pytest.mark.parametrize("name", fixtures.names("screens/*.xml"))
def test_a_recorded_screen_is_listed_line_by_line(name: str) -> None:
    shown = dumps.read(fixtures.file(name)).screen
    check_lines(shown, text_of(shown))


@pytest.mark.parametrize(
    ("name", "row"),
    [
        (
            "settings-list-api26",
            "ImageButton\t-\t-\t-\t933,73,1080,221\ton,clk,lclk,foc,ena",
        ),
        (
            "right-to-left-api28",
            "TextView\t\u202egnp.exe\u202c \u2067עברית\u2069\t-\torg.example.shop:id/file"
            "\t48,588,1032,684\ton,ena",
        ),
        (
            "chat-emoji-api29",
            "TextView\tShe said: \"a < b & b > c\"  then 'left'\t-\torg.example.chat:id/body"
            "\t40,1410,1040,1500\ton,lclk,ena",
        ),
        (
            "chat-emoji-api29",
            "Button\t-\tSend 🚀\torg.example.chat:id/send\t910,2020,1040,2140\ton,clk,foc",
        ),
        ("web-page-api33", "View\tSkip to content\t-\t-\t-24,-120,1104,-8\ton,clk,foc,ena"),
        ("web-page-api33", "View\t-\t-\ttracker\t0,0,0,0\ton,ena"),
        ("compose-api34", "View\t-\tAda's story\tstory_1\t20,240,320,600\ton,clk,foc,ena"),
    ],
)
def test_a_recorded_node_has_its_row(name: str, row: str) -> None:
    lines = text_of(dumps.read(fixtures.file(f"screens/{name}.xml")).screen).split("\n")
    assert [line.partition("\t")[2] for line in lines].count(row) == 1


def test_only_long_texts_of_a_recorded_screen_are_truncated() -> None:
    lines = text_of(dumps.read(fixtures.file("screens/chat-emoji-api29.xml")).screen).split("\n")
    cut_off = [line.split("\t")[2] for line in lines if "...truncated\t" in line]
    assert cut_off == [
        "Line 1 of a message that goes on and on, as forwarded ones do. Line 2 of a message that"
        " goes on and ...truncated"
    ]
