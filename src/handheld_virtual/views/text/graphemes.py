"""Grapheme clusters, and lengths in UTF-16 units.

A small replacement of Android's `BreakIterator.getCharacterInstance`: combining marks, emoji of
several code points, flags, keycaps, Hangul syllables and CR LF stay whole.
"""

import unicodedata

_JOINER = "\u200d"
_PREPENDED = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)


def units(text: str) -> int:
    """Return the length in UTF-16 units, as Android counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def index_of(text: str, unit: int) -> int | None:
    """Return the index of a UTF-16 offset; None inside a surrogate pair or beyond the end."""
    if text.isascii():
        return unit if unit <= len(text) else None
    at = 0
    for index, character in enumerate(text):
        if at >= unit:
            return index if at == unit else None
        at += 2 if character > "\uffff" else 1
    return len(text) if at == unit else None


def split(text: str) -> list[str]:
    """Split the text into user-perceived characters."""
    if text.isascii() and "\r" not in text:
        return list(text)
    pieces: list[str] = []
    start = 0
    for place in range(1, len(text)):
        if not _together(text, start, place):
            pieces.append(text[start:place])
            start = place
    if text:
        pieces.append(text[start:])
    return pieces


def before(text: str, index: int) -> int:
    """Return the start of the character before `index`."""
    pieces = split(text[:index])
    return index - len(pieces[-1]) if pieces else 0


def _together(text: str, start: int, place: int) -> bool:
    """Return whether the character at `place` belongs to the cluster that began at `start`."""
    last, here = text[place - 1], text[place]
    if last == "\r" and here == "\n":
        return True
    if _is_control(last) or _is_control(here):
        return False
    if _extends(here) or last in _PREPENDED:
        return True
    if last == _JOINER:
        return _is_picture(here) and _is_picture(text[start])
    if _is_flag_letter(last) and _is_flag_letter(here):
        return (place - start) % 2 == 1
    return _hangul(last, here)


def _is_control(character: str) -> bool:
    category = unicodedata.category(character)
    if category in ("Cc", "Zl", "Zp", "Cs"):
        return True
    return category == "Cf" and not _extends(character) and character not in _PREPENDED


def _extends(character: str) -> bool:
    return (
        unicodedata.category(character) in ("Mn", "Me", "Mc")
        or character in (_JOINER, "\u200c", "\uff9e", "\uff9f")
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_picture(character: str) -> bool:
    return character >= "\u00a9" and (
        unicodedata.category(character) == "So"
        or "\U0001f000" <= character <= "\U0001faff"
        or character in "‼⁉↔↕↖↗↘↙↩↪▶◀♾"
    )


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _hangul(last: str, here: str) -> bool:
    before, after = _jamo(last), _jamo(here)
    if before == "L":
        return after in ("L", "V", "LV", "LVT")
    if before in ("V", "LV"):
        return after in ("V", "T")
    return before in ("T", "LVT") and after == "T"


def _jamo(character: str) -> str:
    if "\u1100" <= character <= "\u115f" or "\ua960" <= character <= "\ua97c":
        return "L"
    if "\u1160" <= character <= "\u11a7" or "\ud7b0" <= character <= "\ud7c6":
        return "V"
    if "\u11a8" <= character <= "\u11ff" or "\ud7cb" <= character <= "\ud7fb":
        return "T"
    if "\uac00" <= character <= "\ud7a3":
        return "LVT" if (ord(character) - 0xAC00) % 28 else "LV"
    return ""
