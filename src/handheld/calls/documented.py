"""Replies as they are documented, for clients that take nothing else: all that Handheld adds to one
is taken away here, and nowhere else."""

import json
from collections.abc import Iterator, Set
from typing import Any, cast

from ..screen.text import DEGRADED_NOTE, FLAG_WORDS, FLAGS_NOTE, STANDING_NOTES
from ..tools.listing import OPTIONAL_TOOLSETS
from ..tools.tool import Image, Item, Tool, json_text

_NOTES = frozenset({*STANDING_NOTES, DEGRADED_NOTE})
_ELEMENT = frozenset(
    {
        *("id", "text", "contentDescription", "resourceId", "className", "bounds", "clickable"),
        *("longClickable", "scrollable", "editable", "enabled"),
        *("left", "top", "right", "bottom"),
    }
)
_KEYS = {
    "find_elements": _ELEMENT | {"elements"},
    "wait_for_element": _ELEMENT | {"found", "elapsedMs", "attempts", "element"},
    "wait_for_idle": frozenset({"message", "elapsedMs", "similarity"}),
    "get_device_logs": frozenset({"logs", "line_count", "truncated"}),
}
"""Of the replies in JSON that may have further ones."""


def is_documented(tool: Tool) -> bool:
    """Whether the tool, which is one of the main surface, is in the documents."""
    return tool.listing.toolset not in OPTIONAL_TOOLSETS


def documented(name: str, items: list[Item]) -> list[Item]:
    """Return what is documented of a tool's reply: one text, and the picture if there is one."""
    first, *further = items
    if isinstance(first, str):
        if name == "get_screen_state":
            first = "\n".join(_screen_lines(first))
        elif name in _KEYS:
            first = json_text(_with_keys(json.loads(first), _KEYS[name]))
    return [first, *(item for item in further if isinstance(item, Image))]


def _screen_lines(text: str) -> Iterator[str]:
    """No app can write a line that begins like these: see `screen.text`."""
    for line in text.split("\n"):
        if line.startswith("note:"):
            if line in _NOTES:
                yield FLAGS_NOTE if line.startswith(FLAGS_NOTE) else line
        elif line.startswith("node_"):
            row, _, flags = line.rpartition("\t")
            yield f"{row}\t{','.join(word for word in flags.split(',') if word in FLAG_WORDS)}"
        else:
            yield line


def _with_keys(value: Any, keys: Set[str]) -> Any:
    if isinstance(value, list):
        return [_with_keys(each, keys) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {key: _with_keys(each, keys) for key, each in fields.items() if key in keys}
    return value
