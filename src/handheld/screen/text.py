"""The screen as text: notes, a line about the display, and a table of elements for each window."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from .characters import is_plain, plain
from .model import Flag, Node, Screen, Window, split_hint, surround
from .web_text import Folding, join, split

LIMIT = 100
"""The most UTF-16 units of a text, a description or a title."""

_LOOKED_AT = 1000
"""The most characters of an app's text that are cleaned for a table, which shows a tenth of
them."""
_INDENT = re.compile(r"\A[^\S\n\v\f\r\x85\u2028\u2029]+")
"""Whitespace before a text. Line breaks are shown."""

FLAGS_NOTE = (
    "note:flags: on=onscreen off=offscreen clk=clickable lclk=longClickable foc=focusable"
    " scr=scrollable edt=editable ena=enabled"
)
STANDING_NOTES = (
    "note:structural-only nodes are omitted from the tree",
    "note:certain elements are custom and will not be properly reported, if needed or if tools are"
    " not working as expected set include_screenshot=true to see the screen and take what you see"
    " into account",
    f"{FLAGS_NOTE} chk=checked unchk=unchecked sel=selected"
    " inf=inputFocus pwd=password hint=emptyShowsHint exp=expanded col=collapsed",
    "note:offscreen items require scroll_to_element before interaction",
)
"""At the top of every screen."""
DEGRADED_NOTE = "note:DEGRADED — multi-window API unavailable, showing rootInActiveWindow only"
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
FLAG_WORDS = frozenset({"on", "off", *(word for _, word in _SHOWN)})
"""Words of flags that every element may have; the words of its states follow."""
_STATES = (
    ("checked", int(Flag.CHECKABLE | Flag.CHECKED), int(Flag.CHECKED), "chk", "unchk"),
    ("selected", int(Flag.SELECTED), int(Flag.SELECTED), "sel", ""),
    ("focused", int(Flag.FOCUSED), int(Flag.FOCUSED), "inf", ""),
    ("password", int(Flag.PASSWORD), int(Flag.PASSWORD), "pwd", ""),
    ("showingHint", int(Flag.SHOWING_HINT), int(Flag.SHOWING_HINT), "hint", ""),
    ("expanded", int(Flag.EXPANDED | Flag.COLLAPSED), int(Flag.EXPANDED), "exp", "col"),
)
"""For each state its key in JSON, the flags of elements that have it, the flags that make it true,
and its words."""
_HINT = int(Flag.SHOWING_HINT)


def states(flags: int) -> dict[str, bool]:
    """Return the states that an element has, by their key in JSON. Most have none."""
    return {key: flags & true != 0 for key, has, true, _, _ in _STATES if flags & has}


@lru_cache(maxsize=1024)
def _flag_words(flags: int) -> str:
    words = ["on" if flags & Flag.VISIBLE else "off"]
    words += [word for flag, word in _SHOWN if flags & flag]
    words += [on if flags & true else off for _, has, true, on, off in _STATES if flags & has]
    return ",".join(words)


_FORGING = re.compile(r"(?<!\w)(?:(window|type|pkg|title|activity|layer|focused):|---(?!\w))")
"""Text that would continue or end a window's header."""


def is_kept(node: Node) -> bool:
    """Whether a node is listed; structural nodes, without content or function, are omitted."""
    return bool(node.text or node.description or node.resource_id or node.flags & _ACTS)


def screen_text(screen: Screen, labels: Sequence[Sequence[str]]) -> str:
    """Return the text of a screen; `labels` are the hashes in hex, a list for each window."""
    return join_tables(screen, list(map(window_table, screen.windows, labels)))


def join_tables(screen: Screen, tables: Sequence[str]) -> str:
    """Return the text of a screen with the tables of its windows."""
    lines = [*STANDING_NOTES]
    if screen.degraded:
        lines.append(DEGRADED_NOTE)
    lines += [f"note:{tidy(note)}" for note in screen.all_notes]
    if screen.profile and screen.foreground is not None:
        lines.append(f"note:{tidy(screen.foreground[0])} in front is that of: {screen.profile}")
    lines.append(
        f"screen:{screen.width}x{screen.height} density:{screen.density}"
        f" orientation:{screen.orientation}"
    )
    for window, table in zip(screen.windows, tables, strict=True):
        lines.append(_window_line(window, screen.foreground))
        lines.append(table)
    return "\n".join(lines)


def window_table(window: Window, labels: Sequence[str], *, folded: bool = False) -> str:
    """Return the rows of a window's elements, under the names of the columns. `folded`: pieces of
    text of a web page that follow one another share a row."""
    lines = [_COLUMNS]
    suffix = f"_w{window.id}"
    nodes = fold_nodes(window) if folded and window.web else window.nodes
    for node, label in zip(nodes, labels, strict=True):
        if node is None:
            continue
        text, description, resource_id, flags = (
            node.text,
            node.description,
            node.resource_id,
            node.flags,
        )
        if text or description or resource_id or flags & _ACTS:
            if flags & _HINT:
                text, description = split_hint(node)
            left, top, right, bottom = node.bounds
            lines.append(
                f"node_{label}{suffix}\t{_class(node.class_name)}"
                f"\t{_cell(text) if text else '-'}"
                f"\t{_cell(description) if description else '-'}"
                f"\t{_resource(resource_id) if resource_id else '-'}"
                f"\t{left},{top},{right},{bottom}\t{_flag_words(flags)}"
            )
    return "\n".join(lines)


def fold_nodes(window: Window) -> list[Node | None]:
    """Return the nodes as they are listed with web text folded: the first of several pieces has the
    text of all, and None stands for the others. Each text is whole or missing, because none may be
    cut on account of others before it."""
    nodes: list[Node | None] = [*window.nodes]
    runs: dict[int, list[int]] = {}
    for number, run in Folding(window).runs.items():
        runs.setdefault(run, []).append(number)
    for numbers in runs.values():
        if len(numbers) == 1:
            continue
        texts = [window.nodes[number].text or "" for number in numbers]
        for together in split((units(tidy(text[:_LOOKED_AT])) for text in texts), LIMIT):
            if len(together) > 1:
                first = numbers[together[0]]
                node = window.nodes[first]
                bounds = surround(window.nodes[numbers[at]].bounds for at in together)
                text = join(texts[at] for at in together)
                nodes[first] = replace(node, text=text, bounds=bounds)
                for at in together[1:]:
                    nodes[numbers[at]] = None
    return nodes


def _window_line(window: Window, foreground: tuple[str, str] | None) -> str:
    activity = ""
    if (
        foreground is not None
        and window.focused
        and window.type == "APPLICATION"
        and foreground[0] == window.package
    ):
        activity = f"activity:{_in_header(short_activity(*foreground))} "
    return (
        f"--- window:{window.id} type:{_in_header(window.type)}"
        f" pkg:{_in_header(window.package)} title:{_in_header(window.title, LIMIT)}"
        f" {activity}layer:{window.layer} focused:{'true' if window.focused else 'false'} ---"
    )


def _in_header(value: str | None, limit: int | None = None) -> str:
    """Return a value in which no word looks like another value of the header, or like its end."""
    shown = _FORGING.sub(
        lambda found: f"{found[1]}⟨U+003A⟩" if found[1] else "⟨U+002D⟩--",
        _tidy_start(value or ""),
    )
    return (shown if limit is None else cut(shown, limit)) or "unknown"


def short_activity(package: str, activity: str) -> str:
    """Return `.Class` if the activity is in its package."""
    return activity[len(package) :] if activity.startswith(f"{package}.") else activity


def _cell(text: str) -> str:
    if len(text) <= LIMIT // 2 and ((text.isascii() and text.isprintable()) or is_plain(text)):
        # The usual case: nothing to replace, and too short to truncate in any script.
        return text.strip() or "-"
    return cut(_tidy_start(text)) or "-"


@lru_cache(maxsize=1024)
def _class(name: str | None) -> str:
    return tidy((name or "").rpartition(".")[2]) or "-"


@lru_cache(maxsize=4096)
def _resource(name: str) -> str:
    return tidy(name) or "-"


def tidy(text: str) -> str:
    """Return text of an app on one line, for a table."""
    return plain(text).strip()


def _tidy_start(text: str) -> str:
    return tidy(_INDENT.sub("", text, count=1)[:_LOOKED_AT])


def brief(text: str, limit: int = LIMIT) -> str:
    """Return a client's text on one line, truncated if it is long."""
    return cut(plain(text[: 4 * limit]), limit)


def quoted(text: str, limit: int = LIMIT) -> str:
    """Return the text in quotation marks, with those inside escaped."""
    return json.dumps(brief(text, limit), ensure_ascii=False)


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
