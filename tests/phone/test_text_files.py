"""Text files and paths, without a phone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.errors import InvalidParams
from handheld.phone.paths import clean_path, mime_type
from handheld.phone.text_file import REPLY_LIMIT, decode_text, page, split_lines


@given(st.text(alphabet="ab\n\r\u2028\x0bé👋", max_size=60), st.integers(1, 20))
def test_pages_add_up_to_the_file(text: str, limit: int) -> None:
    lines = split_lines(text)
    assert "\n".join(lines) == text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    shown: list[str] = []
    offset = 1
    while True:
        rows = page(lines, offset, limit).split("\n")
        assert len(rows) <= limit + 1
        if not rows[-1].startswith("--- More"):
            shown += rows
            break
        assert rows[-1] == (
            f"--- More lines available. Use offset={offset + limit} to continue reading. Total"
            f" lines: {len(lines)} ---"
        )
        shown += rows[:-1]
        offset += limit
    assert shown == [f"{number}| {line}" for number, line in enumerate(lines, 1)]


def test_a_page_of_very_long_lines_ends_early() -> None:
    lines = ["x" * (REPLY_LIMIT // 2)] * 3 + ["y" * (REPLY_LIMIT * 2)]
    first = page(lines, 1, 200).split("\n")
    assert first[2] == (
        "--- More lines available. Use offset=3 to continue reading. Total lines: 4 ---"
    )
    assert page(lines, 4, 200) == "4| " + "y" * (REPLY_LIMIT * 2)


@given(st.binary(max_size=200))
def test_data_is_decoded_or_rejected(data: bytes) -> None:
    text = decode_text(data)
    assert (text is None) or b"\0" not in data


@given(st.text(min_size=1, max_size=100))
def test_every_printable_text_is_text(text: str) -> None:
    text = "".join(char for char in text if char.isprintable() and char != "\ufffd")
    assert decode_text(text.encode()) == text.removeprefix("\ufeff")


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
