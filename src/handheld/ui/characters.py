"""Text of apps as an agent reads it: every character that is invisible, reverses the order of
others or ends a line is replaced by something visible, or by a space."""

import re

LINE_END = "⏎"
"""Where text of an app has a line end and its place in a reply has none."""

_JOINER = "[\u200c\u200d]"
_JOINS = (
    "[\u0620-\u109f\u1700-\u180d\u180f-\u1cff\u2190-\u2bff\u3030\u303d\u3297\u3299\ua800-\uabff"
    "\ufb50-\ufdff\ufe0e\ufe0f\ufe70-\ufefc\U00010a00-\U00011fff\U0001f000-\U0001faff]"
)
"""What a joiner may follow: Arabic, Persian and Indic letters, and emoji."""
_SELECTOR = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
_VARIES = (
    "[#*0-9©®\u0620-\u109f\u1700-\u180d\u180f-\u1cff\u203c\u2049\u2100-\u2bff\u2e80-\ufaff"
    "\uff00-\uffef\U00010000-\U0003ffff]"
)
"""What a variation selector may follow: emoji, ideographs and the like, not another selector."""
_HIDDEN = (
    "[\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
"""Bidi controls, tag characters, and other format characters without a width."""
_ODD = re.compile(
    "(\r\n|[\n\x0b\x0c\r\x85\u2028\u2029])|([\x00-\x1f\x7f-\x9f])"
    f"|{_HIDDEN}|{_JOINER}(?<!{_JOINS}{_JOINER})|{_SELECTOR}(?<!{_VARIES}{_SELECTOR})"
)
_ANY_SELECTOR = re.compile(_SELECTOR)


def is_plain(text: str) -> bool:
    """Whether there is nothing to replace."""
    # Of all that is replaced, Python calls only variation selectors printable.
    return text.isprintable() and (text.isascii() or _ANY_SELECTOR.search(text) is None)


def plain(text: str) -> str:
    """Return text of an app on one line."""
    return _replace(text, LINE_END)


def plain_lines(text: str) -> str:
    """Return text of an app for JSON, where a line end is written as `\\n`."""
    return _replace(text, "\n")


def _replace(text: str, line_end: str) -> str:
    if is_plain(text):
        return text

    def shown(found: re.Match[str]) -> str:
        if found[1]:
            return line_end
        return " " if found[2] else f"⟨U+{ord(found[0]):04X}⟩"

    return _ODD.sub(shown, replace_surrogates(text))


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates with U+FFFD, and surrogate pairs with their character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
