"""Search for nodes."""

import pytest

from handheld.screen.search import Place, find

from .trees import node, screen, window

SHOWN = screen(
    window(
        node(class_name="android.widget.LinearLayout"),
        node(1, 0, "android.widget.Button", "Submit", "Send it", "com.example:id/submit_btn"),
        node(1, 1, "android.widget.TextView", "submit\nlater", flags=0),
        node(1, 2, "android.widget.TextView", ""),
    ),
    window(node(class_name=None, text="STRASSE"), id=7),
)


@pytest.mark.parametrize(
    ("by", "value", "exact", "expected"),
    [
        ("text", "SUBMIT", False, [(0, 1), (0, 2)]),
        ("text", "Submit", True, [(0, 1)]),
        ("text", "submit", True, []),
        ("text", "submit later", True, [(0, 2)]),
        ("text", "submit\nlater", True, [(0, 2)]),
        ("text", "straße", False, [(1, 0)]),
        ("text", "nothing", False, []),
        ("content_desc", "send", False, [(0, 1)]),
        ("resource_id", "submit_btn", False, [(0, 1)]),
        ("resource_id", "submit_btn", True, []),
        ("class_name", "textview", False, [(0, 2), (0, 3)]),
        ("class_name", "android.widget.LinearLayout", True, [(0, 0)]),
    ],
)
def test_nodes_are_found_in_all_windows_in_order(
    by: str, value: str, exact: bool, expected: list[Place]
) -> None:
    assert find(SHOWN, by, value, exact) == expected
