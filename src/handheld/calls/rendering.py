"""Renders replies and failures: as text that every encoder accepts, because half a surrogate pair
would stop a server on standard input and output, and for clients that take nothing else as they are
documented. All that Handheld adds to a documented reply is taken away here, and nowhere else."""

import json
from collections.abc import Iterator, Sequence, Set
from typing import Any, cast

from ..errors import ToolError
from ..screen.characters import replace_surrogates
from ..screen.text import DEGRADED_NOTE, FLAG_WORDS, FLAGS_NOTE, STANDING_NOTES
from ..tools.listing import OPTIONAL_TOOLSETS
from ..tools.tool import Image, Item, Reply, Tool, json_text

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


def render(reply: Reply) -> list[Item]:
    items = [reply] if isinstance(reply, str | Image) else reply
    return [replace_surrogates(item) if isinstance(item, str) else item for item in items]


def add_texts(reply: Reply, texts: Sequence[str]) -> Reply:
    """Return the reply with further texts after it."""
    if not texts:
        return reply
    return [*([reply] if isinstance(reply, str | Image) else reply), *texts]


def render_failure(failure: ToolError) -> ToolError:
    texts = [failure.message, *failure.details]
    clean = [replace_surrogates(text) for text in texts]
    if clean == texts:
        return failure
    rendered = type(failure)(*clean)
    rendered.for_owner = failure.for_owner
    return rendered


def render_bug(name: str, tool: Tool | None) -> ToolError:
    """What a model reads of an unexpected exception: its text may contain anything, so it
    goes only to the log."""
    acts = tool is None or not tool.listing.read_only
    doubt = " It may or may not have happened." if acts else ""
    return ToolError(f"Internal error in {name}; details are in Handheld's log.{doubt}")


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
