"""What is typed after `handheld call`, and what is printed of its reply."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.cli.call import print_items, read_arguments, save_image
from handheld.clients import NAME, curl, snippets
from handheld.tool import Image

SCHEMA = {
    "properties": {
        "x": {"type": "number"},
        "text": {"type": "string"},
        "on": {"type": "boolean"},
        "list": {"type": "array"},
    }
}


@pytest.mark.parametrize(
    ("pairs", "text", "arguments"),
    [
        ([], None, {}),
        (["x=1", "on=true", "text=1"], None, {"x": 1, "on": True, "text": "1"}),
        (["text=a=b", "list=[1, 2]"], None, {"text": "a=b", "list": [1, 2]}),
        (["x=five"], None, {"x": "five"}),
        (["text="], None, {"text": ""}),
        (["other=null"], None, {"other": None}),
        (["x=2"], '{"x": 1, "text": "t"}', {"x": 2, "text": "t"}),
    ],
)
def test_values_have_the_type_that_the_schema_wants(
    pairs: list[str], text: str | None, arguments: dict[str, Any]
) -> None:
    assert read_arguments(pairs, text, SCHEMA) == arguments


@given(st.text())
def test_a_text_argument_is_taken_as_typed(value: str) -> None:
    assert read_arguments([f"text={value}"], None, SCHEMA) == {"text": value}


@pytest.mark.parametrize(
    ("pairs", "text"), [(["x"], None), (["=1"], None), ([], "{"), ([], "1"), ([], "NaN]")]
)
def test_what_is_no_argument_is_refused(pairs: list[str], text: str | None) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        read_arguments(pairs, text, SCHEMA)


def test_pictures_never_overwrite_each_other(tmp_path: Path) -> None:
    names = [save_image(Image(b"1", "image/png"), "tool", tmp_path).name for _ in range(2)]
    assert names == ["tool-1.png", "tool-2.png"]


def test_text_that_no_terminal_can_show_is_printed_with_a_mark(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_items(["a\ud800b"], "tool", None)
    assert capsys.readouterr().out == "a?b\n"


def test_without_a_token_no_configuration_speaks_of_one() -> None:
    texts = [one.text for one in snippets("http://127.0.0.1:1/mcp", "", ("handheld", "stdio"))]
    texts.append(curl("http://127.0.0.1:1/mcp", "", "android_tap"))
    assert not [text for text in texts if "Bearer" in text or "headers" in text]
    assert all(NAME in text for text in texts)
