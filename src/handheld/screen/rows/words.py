"""Makes texts of apps safe to print: they cannot end a quotation, forge a row or hide."""

import re
import unicodedata
from functools import lru_cache

from ..characters import replace_surrogates, without_unseen

_BAR = re.compile(r"(?<![^ ])\|(?![^ ])")
"""A separator of the texts of one thing, or a bar that would look like one."""
_ESCAPED = re.compile(r"\\(.)")
_QUOTED = re.compile(r'"(?:[^"\\]|\\(?:.|\Z))*("?)', re.DOTALL)
_JOINERS = "\u200c\u200d"
_ID = re.compile(r"[^A-Za-z0-9_.-]")
NAME_LIMIT = 48
MOST_KEPT = 1024
"""The number of texts whose cleaned and folded forms are kept: most words stay from one screen to
the next."""
KEPT_LENGTH = 200
"""Longer texts are not kept, because apps must not fill the memory."""


def clean(text: str) -> str:
    """Return `text` on one line, escaped and without invisible characters."""
    return _clean(text) if len(text) <= KEPT_LENGTH else _clean.__wrapped__(text)


@lru_cache(maxsize=MOST_KEPT)
def _clean(text: str) -> str:
    if text.isascii() and text.isprintable():
        words = text
    else:
        words = "".join(
            " " if character.isspace() else character
            for character in replace_surrogates(text)
            if _is_seen(character)
        )
        words = without_unseen(unicodedata.normalize("NFC", words))
    words = " ".join(words.split()).replace("\\", "\\\\").replace('"', '\\"')
    return _BAR.sub(r"\\|", words) if "|" in words else words


def _is_seen(character: str) -> bool:
    # Icon fonts use the private areas. Joiners change how Persian, Indic text and emoji look.
    category = unicodedata.category(character)
    if category in ("Cf", "Co", "Cn", "Cc"):
        return character in _JOINERS or character.isspace()
    return True


def cut(words: str, limit: int) -> str:
    """Cut after `limit` characters and append the number of missing ones."""
    if len(words) <= limit:
        return words
    kept = words[:limit].rstrip("\\ ")
    return f"{kept}…+{len(words) - len(kept)}"


def unescape(words: str) -> str:
    """Return cleaned words in the form on the screen."""
    return _ESCAPED.sub(r"\1", words) if "\\" in words else words


def split_quoted(text: str) -> list[str]:
    """Return the parts of a text outside quotes and, at every second place, those in quotes. An
    unterminated quote does not count; no other begins in it, because quotes inside are escaped."""
    parts: list[str] = []
    end = 0
    for found in _QUOTED.finditer(text):
        if found[1]:
            parts += [text[end : found.start()], found[0]]
            end = found.end()
    return [*parts, text[end:]]


def fold(text: str) -> str:
    """Return the form in which words are compared: without case, accents, width and spaces.

    Marks of other scripts than Latin, Greek and Cyrillic stay: there they are letters.
    """
    return _fold(text) if len(text) <= KEPT_LENGTH else _fold.__wrapped__(text)


@lru_cache(maxsize=MOST_KEPT)
def _fold(text: str) -> str:
    if text.isascii() and text.isprintable():
        return " ".join(text.lower().split())
    words = unicodedata.normalize("NFKD", text).casefold()
    kept = (
        " " if character.isspace() else character
        for character in words
        if character.isspace() or (_is_seen(character) and not "\u0300" <= character <= "\u036f")
    )
    return " ".join("".join(kept).translate(_QUOTES).split())


def has_words(text: str, wanted: str) -> bool:
    """Compare like `holds`; but in scripts without spaces a part of a text is enough."""
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (
            _goes_on(text[at - 1 : at], wanted[0]) or _goes_on(text[end : end + 1], wanted[-1])
        ):
            return True
        at = text.find(wanted, at + 1)
    return False


def _goes_on(beside: str, edge: str) -> bool:
    """Whether a character beside a word belongs to it: in scripts with spaces between words."""
    return _in_word(beside) and _in_word(edge)


def _in_word(character: str) -> bool:
    return character.isalnum() and character < "\u0e00"


def holds(text: str, part: str) -> bool:
    """Whether a folded text contains folded words as whole words."""
    at = text.find(part)
    while part and at >= 0:
        end = at + len(part)
        if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
            return True
        at = text.find(part, at + 1)
    return not part


def words_of(text: str | None, description: str | None) -> list[str]:
    """Return the words of a view, cleaned: one of the two if the other is part of it."""
    if text and description:
        return distinct([text, description])
    words = clean(text or description or "")
    return [words] if words else []


def distinct(texts: list[str | None]) -> list[str]:
    """Return cleaned texts; one that is part of another is dropped."""
    found: list[str] = []
    for text in texts:
        words = clean(text) if text else ""
        if not words:
            continue
        if not found:
            found.append(words)
            continue
        key = fold(words)
        if any(holds(fold(other), key) for other in found):
            continue
        found = [other for other in found if not holds(key, fold(other))]
        found.append(words)
    return found


_QUOTES = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "‐": "-", "–": "-", "—": "-", "…": "..."}
)
"""Android's own "Wi‑Fi" has a hyphen at which no line breaks."""


def short_id(resource_id: str | None) -> str:
    """Return the entry name of a resource id, limited to characters that cannot forge anything."""
    return short_name((resource_id or "").rpartition("/")[2])


def short_name(name: str) -> str:
    """Return an app's name outside of quotes, such as a package."""
    return _ID.sub("_", name)[:NAME_LIMIT].strip("_.")
