"""Text of apps as an agent reads it: a character that is invisible, reverses the order of others or
ends a line is replaced by something visible, or by a space."""

import json
import re
import unicodedata
from collections.abc import Callable
from functools import cache

LINE_END = "⏎"
"""Replaces a line break in an app's text if the reply cannot contain one."""

_JOINER = "[\u200c\u200d]"
_JOINS = (
    "[\u0620-\u109f\u1700-\u17b3\u17b6-\u180d\u180f-\u1cff\u2600-\u27bf\u3030\u303d\u3297\u3299\ua800-\uabff"
    "\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff\U0001f000-\U0001faff]"
)
"""The characters that a joiner may follow: Arabic, Persian and Indic letters, and emoji. Other
symbols, such as the one for a line break, are never joined."""
_SELECTOR = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
_VARIES = (
    "[#*0-9©®\u0620-\u109f\u1700-\u17b3\u17b6-\u180d\u180f-\u1cff\u203c\u2049\u2100-\u27ff"
    "\u2900-\u2bff\u2e80-\u3163\u3165-\ufaff\uff00-\uff9f\uffa1-\uffef\U00010000-\U0003ffff]"
)
"""The characters that a variation selector may follow, such as emoji and ideographs, but not
another selector or an invisible letter."""
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
"""Invisible letters and marks."""
_HIDDEN = (
    f"[{_BLANK}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
"""Bidi controls, tag characters, and other format characters without a width."""
_NOTHING_SEEN = (
    f"{_HIDDEN}|{_JOINER}(?<!{_JOINS}{_JOINER})(?<!{_VARIES}[\ufe0e\ufe0f]{_JOINER})"
    f"|{_SELECTOR}(?<!{_VARIES}{_SELECTOR})"
)
_LINE_ENDS = "\r\n|[\n\x0b\x0c\r\x85\u2028\u2029]"
_LINE_END = re.compile(_LINE_ENDS)
_ODD = f"{_LINE_ENDS}|[\x00-\x1f\x7f-\x9f]|{_NOTHING_SEEN}"
_NOT_TAB = f"{_LINE_ENDS}|[\x00-\x08\x0a-\x1f\x7f-\x9f]|{_NOTHING_SEEN}"
_IN_JSON = f"[\x7f-\x9f\u2028\u2029]|{_NOTHING_SEEN}"
_PRINTABLE = re.compile(f"{_SELECTOR}|[{_BLANK}]")

_compiled = cache(re.compile)
"""Compiled when first needed: these take 12 ms each, and most texts are plain."""


def is_plain(text: str) -> bool:
    """Whether the text needs no replacements."""
    # Of all replaced characters, Python considers only variation selectors and blank letters
    # printable.
    return text.isprintable() and (text.isascii() or _PRINTABLE.search(text) is None)


def plain(text: str) -> str:
    """Return text of an app on one line."""
    return _replace(text, _ON_ONE_LINE)


def plain_lines(text: str) -> str:
    """Return text of an app for JSON, which writes a line break as `\\n`."""
    return _replace(text, _ON_LINES)


def visible(text: str) -> str:
    """Return a line of a file or a log: nothing is dropped, and tabs stay."""
    if is_plain(text):
        return text
    shown = _compiled(_NOT_TAB).sub(_CODES.replace, replace_surrogates(text))
    return text if shown == text else shown


def visible_lines(text: str) -> str:
    """Return a text of several lines that is printed as such; only LF and CRLF end a line."""
    if is_plain(text):
        return text
    return "\n".join(map(visible, text.replace("\r\n", "\n").split("\n")))


def without_unseen(text: str) -> str:
    """Drop invisible characters, and joiners and selectors without a base character."""
    return text if is_plain(text) else _compiled(_NOTHING_SEEN).sub("", text)


def escape_json(text: str) -> str:
    """Write invisible characters as JSON escapes, which preserves the value."""
    return text if is_plain(text) else _compiled(_IN_JSON).sub(_ESCAPES.replace, text)


class _Replacements(dict[str, str]):
    """Creates each replacement once: a text may contain millions of such characters."""

    def __init__(self, make: Callable[[str], str]) -> None:
        self._make = make

    def __missing__(self, found: str) -> str:
        self[found] = made = self._make(found)
        return made

    def replace(self, found: re.Match[str]) -> str:
        return self[found[0]]


def _code(char: str) -> str:
    return f"⟨U+{ord(char):04X}⟩" if len(char) == 1 else "⟨U+000D⟩⟨U+000A⟩"


def _shown_as(line_end: str) -> Callable[[str], str]:
    def show(char: str) -> str:
        if _LINE_END.fullmatch(char):
            return line_end
        return " " if unicodedata.category(char) == "Cc" else _code(char)

    return show


_ON_ONE_LINE, _ON_LINES = _Replacements(_shown_as(LINE_END)), _Replacements(_shown_as("\n"))
_CODES = _Replacements(_code)
_ESCAPES = _Replacements(lambda char: json.dumps(char)[1:-1])


def _replace(text: str, replacements: _Replacements) -> str:
    if is_plain(text):
        return text
    return _compiled(_ODD).sub(replacements.replace, replace_surrogates(text))


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates with U+FFFD, and surrogate pairs with their character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
