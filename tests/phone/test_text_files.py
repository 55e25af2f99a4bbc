"""Text files and paths, without a phone."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handheld.errors import InvalidParams
from handheld.phone.files.paths import clean_path, mime_type
from handheld.phone.files.text_file import BOM, CUT, REPLY_LIMIT, SHOWN_BY_CODE, TextFile, is_text
from handheld.screen.characters import visible


@given(
    st.text(alphabet="ab\n\r\t\u2028\x0bé👋", max_size=60), st.integers(1, 20), st.integers(1, 9)
)
@example("\r\n" * 9, 2, 1)
def test_pages_add_up_to_the_file(text: str, limit: int, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("handheld.phone.files.text_file._BLOCK", block)
        file = TextFile(text.encode())
    lines = re.sub("\r\n?", "\n", text).removesuffix("\n").split("\n")
    codes = {0x0B: "⟨U+000B⟩", 0x2028: "⟨U+2028⟩"}
    expected = [f"{number}| {line.translate(codes)}" for number, line in enumerate(lines, 1)]
    assert file.count == len(lines)
    shown: list[str] = []
    offset = 1
    while True:
        page, notes = file.page(offset, limit)
        rows = page.split("\n")
        assert len(rows) <= limit + 1
        assert notes == ((SHOWN_BY_CODE,) if "⟨" in page else ())
        if not rows[-1].startswith("--- More"):
            shown += rows
            break
        assert rows[-1] == (
            f"--- More lines available. Use offset={offset + limit} to continue reading. Total"
            f" lines: {len(lines)} ---"
        )
        shown += rows[:-1]
        offset += limit
    assert shown == expected


def test_a_page_of_very_long_lines_ends_early() -> None:
    lines = ["x" * (REPLY_LIMIT // 2)] * 3 + ["y" * (REPLY_LIMIT * 2)]
    file = TextFile("\n".join(lines).encode())
    first = file.page(1, 200).text.split("\n")
    assert first[2] == (
        "--- More lines available. Use offset=3 to continue reading. Total lines: 4 ---"
    )
    assert file.page(4, 200) == (f"4| {'y' * REPLY_LIMIT}...truncated", (CUT,))


@given(st.binary(max_size=200))
def test_text_has_few_control_characters_and_no_nul(data: bytes) -> None:
    text = data.removeprefix(BOM).decode(errors="replace")
    strange = len(re.findall("[\x01-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f\ufffd]", text))
    assert is_text(data) == (b"\0" not in data and strange * 10 <= len(text) * 3)


@given(st.text(min_size=1, max_size=100))
def test_every_printable_text_is_text(text: str) -> None:
    text = "".join(char for char in text if char.isprintable() and char != "\ufffd")
    assert is_text(text.encode())
    assert "\n".join(TextFile(text.encode()).lines(1, 1)[0]) == visible(text)


@given(st.text(max_size=30))
def test_an_accepted_path_stays_inside(path: str) -> None:
    try:
        cleaned = clean_path(path)
    except InvalidParams:
        return
    assert clean_path(cleaned) == cleaned
    assert not path.startswith("/")
    parts = cleaned.split("/") if cleaned else []
    assert not {"", ".", ".."} & {*parts}
    assert all(char.isprintable() or not ord(char) < 32 for char in cleaned)
    assert parts == [part for part in path.split("/") if part not in ("", ".")]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/a", "Path must be relative, not absolute"),
        ("..", "Path must not contain '..' segments"),
        ("a/../b", "Path must not contain '..' segments"),
        ("a\tb", "Path must not contain control characters"),
        ("\ud83d", "Path must not contain half a character (a lone surrogate)"),
    ],
)
def test_a_path_that_leads_outside_is_rejected(path: str, message: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        clean_path(path)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("a.JPG", "image/jpeg"),
        ("a.b.txt", "text/plain"),
        (".txt", "application/octet-stream"),
        ("txt", "application/octet-stream"),
        ("a.", "application/octet-stream"),
        ("a.unheard", "application/octet-stream"),
    ],
)
def test_the_mime_type_follows_from_the_extension(name: str, type: str) -> None:
    assert mime_type(name) == type
