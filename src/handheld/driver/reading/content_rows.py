"""Parse the output of Android's `content query`: `Row: 0 _id=7, body=Hello`, without any escaping.

A text may contain line breaks, and lines that look like rows. So only one text is queried at a
time, as the last column, and a row is accepted only if it is unambiguous.
"""

import re
from collections.abc import Collection, Mapping, Sequence

NOTHING = "No result found."
_NULL = "NULL"
_FAILED = "Error while accessing provider:"
_WORD = re.compile(r"[\w.]+")

Key = tuple[int, ...]


class ContentFailed(Exception):
    """`content` printed an error. The message is the line that names the exception."""


def read_numbers(printed: str, columns: Sequence[str]) -> list[dict[str, int | None]]:
    """Parse rows of integers only: they cannot contain line breaks. Raises ContentFailed."""
    cells = ", ".join(rf"{re.escape(name)}=(-?\d{{1,19}}|NULL)" for name in columns)
    row = re.compile(rf"Row: \d{{1,9}} {cells}")
    found: list[dict[str, int | None]] = []
    lines = printed.split("\n")
    for place, line in enumerate(lines):
        match = row.fullmatch(line)
        if match is not None:
            values = (None if cell == _NULL else int(cell) for cell in match.groups())
            found.append(dict(zip(columns, values, strict=True)))
        elif line.strip() and line.strip() != NOTHING:
            if place == len(lines) - 1 and found and not line.startswith(_FAILED):
                break  # cut off at the limit
            raise ContentFailed(_explain(printed))
    return found


def _explain(printed: str) -> str:
    for line in printed.splitlines()[:50]:
        for word in _WORD.finditer(line[:2000]):
            if _is_exception(word[0]):
                return line[word.start() : 2000].strip()
    return next((line.strip() for line in printed.splitlines() if line.strip()), "nothing")[:500]


def _is_exception(word: str) -> bool:
    """Whether the word is or begins with a class name such as java.lang.SecurityException."""
    return any(
        "A" <= part[:1] <= "Z" and part.endswith(("Exception", "Error"))
        for part in word.split(".")[1:]
    )


def read_texts(
    printed: str, key: Sequence[str], column: str, known: Collection[Key], *, cut_off: bool
) -> dict[Key, str | None]:
    """Parse rows of a key and one text. A row is left out if a text may have forged its beginning
    or its end: the keys `known` to exist do not tell for certain where it ends. `cut_off`: the end
    of the output is missing, perhaps with genuine rows whose forgeries are in it."""
    if cut_off:
        return {}
    cells = ", ".join(rf"{re.escape(name)}=(-?\d{{1,19}})" for name in key)
    begins = list(
        re.finditer(rf"^Row: (\d{{1,9}}) {cells}, {re.escape(column)}=", printed, re.MULTILINE)
    )
    keys = [tuple(map(int, begin.groups()[1:])) for begin in begins]
    numbers = [int(begin[1]) for begin in begins]
    counts: dict[Key, int] = {}
    for each in keys:
        counts[each] = counts.get(each, 0) + 1
    known = frozenset(known)

    def certain(place: int) -> bool:
        return counts[keys[place]] == 1 and keys[place] in known

    found: dict[Key, str | None] = {}
    for place, begin in enumerate(begins):
        last = place + 1 == len(begins)
        if not certain(place):
            continue
        if not last and not (certain(place + 1) and numbers[place + 1] == numbers[place] + 1):
            continue
        end = len(printed) if last else begins[place + 1].start()
        found[keys[place]] = _cell(printed[begin.end() : end])
    return found


def read_single(printed: str, column: str) -> str | None:
    """Parse the only row of a query for one text: all the rest of the output is the text. Raises
    ContentFailed, and LookupError if the row is gone."""
    begin = f"Row: 0 {column}="
    if not printed.startswith(begin):
        if printed.strip() == NOTHING:
            raise LookupError
        raise ContentFailed(_explain(printed))
    return _cell(printed.removeprefix(begin))


def _cell(text: str) -> str | None:
    text = text.removesuffix("\n")
    return None if text == _NULL else text


def key_of(row: Mapping[str, int | None], key: Sequence[str]) -> Key | None:
    values = [row[name] for name in key]
    return None if None in values else tuple(value for value in values if value is not None)
