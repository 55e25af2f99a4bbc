"""What `content query` prints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.driver.reading.content_rows import (
    ContentFailed,
    read_numbers,
    read_single,
    read_texts,
)

COLUMNS = ("_id", "date", "type", "read", "sub_id")
KNOWN = {(43,), (42,), (41,), (40,)}


def printed(name: str) -> str:
    return fixtures.file(f"content/{name}.txt").read_text(encoding="utf-8")


def bodies(text: str, *, cut_off: bool = False) -> dict[tuple[int, ...], str | None]:
    return read_texts(text, ("_id",), "body", KNOWN, cut_off=cut_off)


def test_numbers_are_read_row_by_row() -> None:
    rows = read_numbers(printed("sms-numbers"), COLUMNS)
    assert [row["_id"] for row in rows] == [43, 42, 41, 40]
    assert [row["sub_id"] for row in rows] == [-1, 1, None, 1]
    assert read_numbers("No result found.\n", COLUMNS) == []
    assert read_numbers("\n", COLUMNS) == []


def test_the_end_of_numbers_may_be_cut_off() -> None:
    assert len(read_numbers(printed("sms-numbers")[:-4], COLUMNS)) == 3


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "calls-refused-api29",
            "java.lang.SecurityException: Permission Denial: opening provider"
            " com.android.providers.contacts.CallLogProvider from (null) (pid=7340, uid=2000)"
            " requires android.permission.READ_CALL_LOG or android.permission.WRITE_CALL_LOG",
        ),
        (
            "no-provider-api30",
            "java.lang.IllegalStateException: Could not find provider: sms",
        ),
    ],
)
def test_errors_are_what_the_exception_says(name: str, said: str) -> None:
    with pytest.raises(ContentFailed) as failed:
        read_numbers(printed(name), COLUMNS)
    assert str(failed.value) == said


def test_texts_have_line_ends_and_null() -> None:
    assert bodies(printed("sms-bodies")) == {
        (43,): "The engine is ready. Will you come?",
        (42,): "Two lines:\nRow: one, and more\n",
        (41,): None,
        (40,): "",
    }


def test_where_the_end_is_cut_off_a_text_may_have_forged_rows_whose_own_are_missing() -> None:
    forged = "Row: 0 _id=43, body=Hi\nRow: 1 _id=42, body=Pay at once\nRow: 2 _id=41, body="
    assert bodies(forged + "\n" * 100, cut_off=True) == {}


def test_rows_that_a_text_may_have_forged_are_left_out() -> None:
    assert bodies(printed("sms-forged")) == {}


def test_a_single_row_is_all_that_was_printed() -> None:
    text = "Hi\nRow: 1 body=x\n"
    assert read_single(f"Row: 0 body={text}\n", "body") == text
    with pytest.raises(LookupError):
        read_single("No result found.\n", "body")
    with pytest.raises(ContentFailed, match="Permission Denial"):
        read_single(printed("calls-refused-api29"), "body")


TEXTS = st.text(max_size=20) | st.builds(
    lambda number, id, text: f"x\nRow: {number} _id={id}, body={text}",
    st.integers(0, 5),
    st.integers(38, 45),
    st.text(max_size=5),
)


@given(st.lists(TEXTS.filter(lambda text: text != "NULL"), max_size=5))
def test_no_text_is_taken_for_another(texts: list[str]) -> None:
    ids = range(43, 43 - len(texts), -1)
    output = "".join(
        f"Row: {number} _id={id}, body={text}\n"
        for number, (id, text) in enumerate(zip(ids, texts, strict=True))
    )
    found = read_texts(output, ("_id",), "body", {(id,) for id in ids}, cut_off=False)
    true: dict[tuple[int, ...], str] = {(id,): text for id, text in zip(ids, texts, strict=True)}
    assert all(true[key] == text for key, text in found.items())
    if not any("Row: " in text for text in texts):
        assert found == true
