"""The text of a field, its selection and its filters."""

from collections.abc import Callable

from .graphemes import before, index_of, split, units

MOST_TYPED = 100_000
"""The limit of characters in a field; more are not accepted."""


class Editing:
    """The text, and the selection in Python indices with `start` <= `end`."""

    __slots__ = ("accept", "end", "most", "replaced", "single_line", "start", "text")

    def __init__(
        self,
        text: str = "",
        *,
        single_line: bool = True,
        accept: Callable[[str], bool] | None = None,
        most: int | None = None,
    ) -> None:
        """`accept` decides about each character; `most` is the maximum length in UTF-16 units."""
        self.single_line, self.accept, self.most = single_line, accept, most
        self.text = self._taken(text, 0)
        self.start: int = 0
        self.end: int = 0
        self.replaced = (0, "", "")
        """The last change: its place, the old and the new text."""

    def set(self, text: str) -> None:
        """Replace the whole text and move the cursor to the start."""
        self.replace(0, len(self.text), text)
        self.start = self.end = 0

    def insert(self, text: str) -> None:
        """Replace the selection with the text."""
        self.replace(self.start, self.end, text)

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace a part with the text, and move the cursor behind it."""
        left, right = self.text[:start], self.text[end:]
        taken = self._taken(text, units(left) + units(right))
        self.replaced = (start, self.text[start:end], taken)
        self.text = left + taken + right
        self.start = self.end = start + len(taken)

    def delete(self) -> None:
        """Delete the selection, or the character before the cursor."""
        if self.start == self.end:
            self.start = before(self.text, self.end)
        self.insert("")

    def move(self, step: int) -> None:
        """Move the cursor by one character, in the order of the text."""
        if self.start != self.end:
            self.start = self.end = self.start if step < 0 else self.end
        elif step < 0:
            self.start = self.end = before(self.text, self.start)
        else:
            following = split(self.text[self.end :])
            self.start = self.end = self.end + (len(following[0]) if following else 0)

    def select(self, start: int, end: int) -> None:
        length = len(self.text)
        start, end = max(0, min(start, length)), max(0, min(end, length))
        self.start, self.end = min(start, end), max(start, end)

    @property
    def selection(self) -> tuple[int, int]:
        """The selection in UTF-16 units."""
        return units(self.text[: self.start]), units(self.text[: self.end])

    def select_units(self, start: int, end: int) -> bool:
        """Select by UTF-16 offsets; return False if they are not positions in the text."""
        first, last = index_of(self.text, start), index_of(self.text, end)
        if first is None or last is None:
            return False
        self.select(first, last)
        return True

    def _taken(self, text: str, beside: int) -> str:
        """Return the part of the text that the field accepts in addition to `beside` units."""
        if self.accept is not None:
            text = "".join(character for character in text if self.accept(character))
        text = text[: max(0, MOST_TYPED - beside)]
        if self.most is None or units(text) + beside <= self.most:
            return text
        kept = ""
        for piece in split(text):
            beside += units(piece)
            if beside > self.most:
                break
            kept += piece
        return kept
