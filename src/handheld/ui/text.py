"""The screen as text: notes, a line about the display, and a table of elements for each window."""

import re
from collections.abc import Sequence
from functools import lru_cache

from .model import Flag, Node, Screen, Window

LIMIT = 100
"""The most UTF-16 units of a text, a description or a title."""

STANDING_NOTES = (
    "note:structural-only nodes are omitted from the tree",
    "note:certain elements are custom and will not be properly reported, if needed or if tools are"
    " not working as expected set include_screenshot=true to see the screen and take what you see"
    " into account",
    "note:flags: on=onscreen off=offscreen clk=clickable lclk=longClickable foc=focusable"
    " scr=scrollable edt=editable ena=enabled",
    "note:offscreen items require scroll_to_element before interaction",
)
"""At the top of every screen."""
_DEGRADED = "note:DEGRADED — multi-window API unavailable, showing rootInActiveWindow only"
_COLUMNS = "id\tclass\ttext\tdesc\tres_id\tbounds\tflags"

_ACTS = int(Flag.CLICKABLE | Flag.LONG_CLICKABLE | Flag.SCROLLABLE | Flag.EDITABLE)
_SHOWN = (
    (Flag.CLICKABLE, "clk"),
    (Flag.LONG_CLICKABLE, "lclk"),
    (Flag.FOCUSABLE, "foc"),
    (Flag.SCROLLABLE, "scr"),
    (Flag.EDITABLE, "edt"),
    (Flag.ENABLED, "ena"),
)


def _flag_words(flags: int) -> str:
    first = "on" if flags & Flag.VISIBLE else "off"
    return ",".join([first, *(word for flag, word in _SHOWN if flags & flag)])


_FLAG_BITS = int(Flag.VISIBLE) | sum(int(flag) for flag, _ in _SHOWN)
_FLAG_WORDS = {flags: _flag_words(flags) for flags in range(_FLAG_BITS + 1)}

_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def is_kept(node: Node) -> bool:
    """Whether a node is listed; structural nodes, without content or function, are omitted."""
    return bool(node.text or node.description or node.resource_id or node.flags & _ACTS)


def screen_text(screen: Screen, labels: Sequence[Sequence[str]]) -> str:
    """Return the text of a screen; `labels` are the hashes in hex, a list for each window."""
    lines = [*STANDING_NOTES]
    if screen.degraded:
        lines.append(_DEGRADED)
    lines += [f"note:{tidy(note)}" for note in screen.notes]
    lines.append(
        f"screen:{screen.width}x{screen.height} density:{screen.density}"
        f" orientation:{screen.orientation}"
    )
    for window, hexes in zip(screen.windows, labels, strict=True):
        lines.append(_window_line(window, screen.foreground))
        lines.append(_COLUMNS)
        _add_rows(lines, window, hexes)
    return "\n".join(lines)


def _add_rows(lines: list[str], window: Window, hexes: Sequence[str]) -> None:
    words, bits, suffix = _FLAG_WORDS, _FLAG_BITS, f"_w{window.id}"
    for node, label in zip(window.nodes, hexes, strict=True):
        text, description, resource_id, flags = (
            node.text,
            node.description,
            node.resource_id,
            node.flags,
        )
        if text or description or resource_id or flags & _ACTS:
            left, top, right, bottom = node.bounds
            lines.append(
                f"node_{label}{suffix}\t{_class(node.class_name)}"
                f"\t{_cell(text) if text else '-'}"
                f"\t{_cell(description) if description else '-'}"
                f"\t{_resource(resource_id) if resource_id else '-'}"
                f"\t{left},{top},{right},{bottom}\t{words[flags & bits]}"
            )


def _window_line(window: Window, foreground: tuple[str, str] | None) -> str:
    activity = ""
    if (
        foreground is not None
        and window.focused
        and window.type == "APPLICATION"
        and foreground[0] == window.package
    ):
        activity = f"activity:{tidy(short_activity(*foreground)) or 'unknown'} "
    return (
        f"--- window:{window.id} type:{tidy(window.type)}"
        f" pkg:{tidy(window.package or '') or 'unknown'}"
        f" title:{cut(tidy(window.title or '')) or 'unknown'}"
        f" {activity}layer:{window.layer} focused:{'true' if window.focused else 'false'} ---"
    )


def short_activity(package: str, activity: str) -> str:
    """Return `.Class` if the activity is in its package."""
    return activity[len(package) :] if activity.startswith(f"{package}.") else activity


def _cell(text: str) -> str:
    if len(text) <= LIMIT // 2 and text.isprintable():
        # The usual case: nothing to replace, and too short to truncate in any script.
        return text.strip() or "-"
    return cut(tidy(text)) or "-"


@lru_cache(maxsize=1024)
def _class(name: str | None) -> str:
    return tidy((name or "").rpartition(".")[2]) or "-"


@lru_cache(maxsize=4096)
def _resource(name: str) -> str:
    return tidy(name) or "-"


def plain(text: str) -> str:
    """Return text of an app without characters that break lines or encoders."""
    if text.isprintable():
        return text
    return replace_surrogates(_BREAKS.sub(" ", text))


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates with U+FFFD, and surrogate pairs with their character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def tidy(text: str) -> str:
    return plain(text).strip()


def units(text: str) -> int:
    """Return the length in UTF-16 units, as in Android."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, limit: int = LIMIT) -> str:
    """Truncate to `limit` UTF-16 units without splitting a character, and append a marker."""
    if len(text) <= limit // 2:
        return text
    data = text.encode("utf-16-le")
    if len(data) <= limit * 2:
        return text
    return data[: limit * 2].decode("utf-16-le", "ignore") + "...truncated"
