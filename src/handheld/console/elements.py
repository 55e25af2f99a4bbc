"""Parses the text of get_screen_state, for the page that draws the elements over the picture."""

import re
from typing import Any

from ..screen.text import STANDING_NOTES

_SCREEN = re.compile(r"screen:(\d+)x(\d+) density:(\d+) orientation:(\w+)")
_COLUMNS = ("id", "class", "text", "desc", "res_id", "bounds", "flags")


def read_elements(text: str) -> dict[str, Any]:
    """Return the size, the notes specific to this screen, the windows and the elements."""
    size = (0, 0)
    notes: list[str] = []
    windows: list[str] = []
    elements: list[dict[str, Any]] = []
    for line in text.split("\n"):
        cells = line.split("\t")
        if len(cells) == len(_COLUMNS):
            if cells[0] != "id":
                elements.append(_element(cells, len(windows) - 1))
        elif line.startswith("--- window:"):
            windows.append(line.strip("- "))
        elif line.startswith("note:"):
            if line not in STANDING_NOTES:
                notes.append(line.removeprefix("note:"))
        elif found := _SCREEN.fullmatch(line):
            size = int(found[1]), int(found[2])
    return {
        "width": size[0],
        "height": size[1],
        "notes": notes,
        "windows": windows,
        "elements": elements,
    }


def _element(cells: list[str], window: int) -> dict[str, Any]:
    row: dict[str, Any] = dict(zip(_COLUMNS, cells, strict=True))
    row["bounds"] = [int(part) for part in cells[5].split(",")]
    return {**row, "flags": cells[6].split(","), "window": window}
