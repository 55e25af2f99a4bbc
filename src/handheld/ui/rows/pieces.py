"""The words of one thing: each text once, in reading order."""

from ..model import Bounds
from .words import clean, fold, holds


def distinct(texts: list[str | None]) -> list[str]:
    """Return cleaned texts; one that is part of another is dropped."""
    found: list[str] = []
    for text in texts:
        words = clean(text) if text else ""
        if not words:
            continue
        key = fold(words)
        if any(holds(fold(other), key) for other in found):
            continue
        found = [other for other in found if not holds(key, fold(other))]
        found.append(words)
    return found


def reading_order(texts: list[tuple[Bounds, str, int]]) -> list[tuple[Bounds, str, int]]:
    """Sort by rows, then from left to right."""
    left = sorted(texts, key=lambda text: (text[0].top, text[0].left))
    rows: list[list[tuple[Bounds, str, int]]] = []
    for text in left:
        if rows and text[0].top < (rows[-1][0][0].top + rows[-1][0][0].bottom) / 2:
            rows[-1].append(text)
        else:
            rows.append([text])
    return [text for row in rows for text in sorted(row, key=lambda text: text[0].left)]
