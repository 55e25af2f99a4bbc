"""Every documented error is provoked by a test, or cannot occur."""

import re
from pathlib import Path

from server.test_v1_errors import CASES

from .extraction import find_document

NOT_OVER_ADB = {
    ("capture_screenshot", -32001): "MediaProjection permission not granted",
}
"""Errors that only a service on the phone can have; docs/errors.md lists them by tool."""


def test_every_error_of_the_first_surface_is_provoked_or_listed_as_impossible() -> None:
    text = find_document("002").read_text(encoding="utf-8")
    parts = re.split(r"^### `(\w+)`\n", text, flags=re.MULTILINE)
    listed = [
        (tool, int(code))
        for tool, section in zip(parts[1::2], parts[2::2], strict=True)
        for code in re.findall(r"^- `(-\d+)`: .+$", section, re.MULTILINE)
    ]
    assert sorted(listed) == sorted({*CASES, *NOT_OVER_ADB})
    docs = Path(__file__).resolve().parents[3] / "docs" / "errors.md"
    rows = docs.read_text(encoding="utf-8").splitlines()
    for (tool, _), sentence in NOT_OVER_ADB.items():
        assert any(f"`{tool}`" in row and sentence in row for row in rows), sentence
