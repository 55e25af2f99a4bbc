"""Replies and failures as text that every encoder accepts."""

import pytest

from handheld.calls.rendering import render, render_bug, render_failure
from handheld.errors import ActionFailed
from handheld.tools.main import CATALOG
from handheld.tools.tool import Image, Reply

HALF = "half \ud83d"
TOOLS = {tool.name: tool for toolset in CATALOG for tool in toolset.tools}


@pytest.mark.parametrize(
    ("reply", "items"),
    [
        ("text", ["text"]),
        (Image(b"jpeg"), [Image(b"jpeg")]),
        (["text", Image(b"jpeg")], ["text", Image(b"jpeg")]),
        ([HALF], ["half \ufffd"]),
    ],
)
def test_a_reply_becomes_a_list_of_items(reply: Reply, items: list[str | Image]) -> None:
    assert render(reply) == items


def test_a_failure_keeps_its_kind_and_its_details() -> None:
    plain = ActionFailed("It failed.", "detail")
    assert render_failure(plain) is plain
    clean = render_failure(ActionFailed(HALF, HALF))
    assert (type(clean), clean.message, clean.details) == (
        ActionFailed,
        "half \ufffd",
        ("half \ufffd",),
    )


def test_a_bug_is_reported_without_its_text() -> None:
    message = "Internal error in x; details are in Handheld's log."
    doubt = " It may or may not have happened."
    assert render_bug("x", TOOLS["get_screen_state"]).message == message
    assert render_bug("x", TOOLS["tap"]).message == message + doubt
    assert render_bug("x", None).message == message + doubt
