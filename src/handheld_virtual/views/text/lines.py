"""Lines of text: widths and line breaks. Text beyond what a screen can show is not processed."""

import re
import unicodedata
from functools import lru_cache

from .fonts import advance, is_wide
from .graphemes import split

MOST_CHARACTERS = 4000
"""The limit of characters that are laid out; more would not fit on any screen."""
ELLIPSIS = "…"
_NEVER_FIRST = frozenset("，。、．！？：；）］｝〉》」』】〕〗々ゝゞヽヾーっッゃゅょャュョ…‥・")
"""Characters that begin no line, unless it cannot break elsewhere."""
_MIRRORED = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")
"""Brackets are mirrored in right-to-left text."""
_COMPOSED = re.compile("\u200d|\u20e3|[\U0001f1e6-\U0001f1ff]{2}|[\U0001f3fb-\U0001f3ff]")


def drawable(text: str) -> str:
    """Return the visible text: tabs and separators become spaces, marks such as directional ones
    are removed. Line breaks stay."""
    if text.isascii() and text.isprintable():
        return text
    if _COMPOSED.search(text):
        # An emoji of several code points is drawn as its first one.
        text = "".join(p[0] if _COMPOSED.search(p) else p for p in split(text))
    kept: list[str] = []
    for character in text:
        category = unicodedata.category(character)
        if character in "\t\r\v\f" or category in ("Zl", "Zp"):
            kept.append(" ")
        elif category != "Cf" and not "\ufe00" <= character <= "\ufe0f":
            kept.append(character)
    return "".join(kept)


@lru_cache(maxsize=4096)
def width(text: str, size: float, weight: str) -> float:
    """Return the width in pixels at a font size in pixels."""
    return sum(advance(character, weight) for character in text) * size


def ellipsise(text: str, size: float, weight: str, limit: float) -> str:
    """Truncate the text to fit with an ellipsis; return "" if not even the ellipsis fits."""
    if width(text, size, weight) <= limit:
        return text
    left = limit - advance(ELLIPSIS, weight) * size
    if left < 0:
        return ""
    for end, character in enumerate(text):
        left -= advance(character, weight) * size
        if left < 0:
            return text[:end].rstrip() + ELLIPSIS
    return text + ELLIPSIS


@lru_cache(maxsize=2048)
def wrap(text: str, size: float, weight: str, limit: float, most: int) -> tuple[str, ...]:
    """Break the text into at most `most` lines of at most `limit` pixels; the last may be
    ellipsised."""
    lines: list[str] = []
    for paragraph in drawable(text[:MOST_CHARACTERS]).split("\n"):
        _wrap_paragraph(paragraph, size, weight, limit, most, lines)
        if len(lines) > most:
            break
    if len(lines) > most:
        last = lines[most - 1] + ELLIPSIS
        lines[most - 1 :] = [
            last
            if width(last, size, weight) <= limit
            else ellipsise(lines[most - 1] + " " + lines[most], size, weight, limit)
        ]
    return tuple(lines)


def _wrap_paragraph(
    paragraph: str, size: float, weight: str, limit: float, most: int, lines: list[str]
) -> None:
    if most == 1:
        lines.append(ellipsise(paragraph, size, weight, limit))
        return
    start = end = 0  # end: behind the last possible line break
    used = 0.0
    for place, character in enumerate(paragraph):
        wide = is_wide(character)
        if wide and place > start and character not in _NEVER_FIRST:
            end = place
        used += advance(character, weight) * size
        # A word that is too long even for its own line needs two breaks.
        while used > limit and place > start and character != " ":
            cut = end if end > start else place
            lines.append(paragraph[start:cut].rstrip(" "))
            if len(lines) > most:
                return
            start, end = cut, cut
            used = sum(advance(c, weight) for c in paragraph[start : place + 1]) * size
        if character in " -" or (wide and paragraph[place + 1 : place + 2] not in _NEVER_FIRST):
            end = place + 1
    lines.append(paragraph[start:].rstrip(" ") if limit > 0 else "")


def is_backwards(text: str) -> bool:
    """Return whether the first letter with a direction runs from right to left."""
    for character in text:
        direction = unicodedata.bidirectional(character)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False


def visual(line: str) -> str:
    """Return the words of a line in visual order. Letters within a word stay in the order of the
    text: the font's shaping reverses them."""
    if line.isascii() or not any(map(runs_back, line)):
        return line
    base = is_backwards(line)
    runs: list[tuple[bool, list[str]]] = []
    neutral: list[str] = []
    for character in line:
        if runs and not neutral and unicodedata.combining(character):
            runs[-1][1].append(character)
            continue
        backwards = runs_back(character)
        if not backwards and unicodedata.bidirectional(character) not in ("L", "EN", "AN"):
            neutral.append(character)
            continue
        if runs and runs[-1][0] == backwards:
            runs[-1][1].extend(neutral)
        elif neutral:
            runs.append((base, neutral))
        neutral = []
        if runs and runs[-1][0] == backwards:
            runs[-1][1].append(character)
        else:
            runs.append((backwards, [character]))
    if neutral:
        runs.append((base, neutral))
    ordered = reversed(runs) if base else runs
    return "".join(_turned(run) if back else "".join(run) for back, run in ordered)


def runs_back(character: str) -> bool:
    """Return whether the character is a letter of a right-to-left script."""
    return unicodedata.bidirectional(character) in ("R", "AL")


def _turned(run: list[str]) -> str:
    """Return the words, and the parts between them, in reverse order."""
    pieces: list[str] = []
    for character in run:
        if pieces and (
            unicodedata.combining(character) or (runs_back(character) and runs_back(pieces[-1][0]))
        ):
            pieces[-1] += character
        else:
            pieces.append(character)
    return "".join(piece.translate(_MIRRORED) for piece in reversed(pieces))
