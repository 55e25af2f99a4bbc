"""How a text is divided into short messages: its alphabet, and where it is split."""

from dataclasses import dataclass

from ..views.text.graphemes import split, units

GSM = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ !\"#¤%&'()*+,-./0123456789:;<=>?¡"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüàÆæßÉ"
)
"""The default alphabet, with seven bits per character."""
GSM_EXTENDED = frozenset("^{}\\[~]|€\f")
"""Characters of two septets, which are never separated."""
GSM_ONE, GSM_MANY = 160, 153
UCS2_ONE, UCS2_MANY = 70, 67


@dataclass(frozen=True, slots=True)
class Parts:
    encoding: str
    """`gsm7` or `ucs2`."""
    texts: tuple[str, ...]

    @property
    def count(self) -> int:
        return len(self.texts)


def divide(text: str) -> Parts:
    """Divide a text as Android's `divideMessage` does: one message if it fits, otherwise parts with
    space for a header. A grapheme is only split if it is longer than a part."""
    if all(char in GSM or char in GSM_EXTENDED for char in text):
        pieces = [(char, 2 if char in GSM_EXTENDED else 1) for char in text]
        return Parts("gsm7", _cut(pieces, GSM_ONE, GSM_MANY))
    pieces: list[tuple[str, int]] = []
    for piece in split(text):
        size = units(piece)
        pieces += [(piece, size)] if size <= UCS2_MANY else [(char, units(char)) for char in piece]
    return Parts("ucs2", _cut(pieces, UCS2_ONE, UCS2_MANY))


def weigh(text: str, encoding: str) -> int:
    """The length of a text in septets or UTF-16 units."""
    if encoding == "ucs2":
        return units(text)
    return sum(2 if char in GSM_EXTENDED else 1 for char in text)


def _cut(pieces: list[tuple[str, int]], single: int, many: int) -> tuple[str, ...]:
    if sum(size for _, size in pieces) <= single:
        return ("".join(piece for piece, _ in pieces),)
    texts: list[str] = []
    start = used = 0
    for number, (_, size) in enumerate(pieces):
        if used + size > many:
            texts.append("".join(piece for piece, _ in pieces[start:number]))
            start, used = number, 0
        used += size
    texts.append("".join(piece for piece, _ in pieces[start:]))
    return tuple(texts)
