"""Reads a printed screen as a model does: from its text alone."""

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_HEADER = re.compile(
    r"(?:list|strip|pages|web) ([a-z]\d{1,3})\b.*:|web page ([a-z]\d{1,3})\b.*, nothing readable.*"
)
_REF = re.compile(r"([a-z])(\d{1,3})(?:–[a-z](\d{1,3}))?")
_CUT = re.compile(r"(.*)…\+(\d+)", re.DOTALL)
_MORE = re.compile(r"\+(\d+) more in ([a-z]\d{1,3})")
_TIMES = re.compile(r" ×(\d+)$")
KINDS = ("switch", "check", "radio", "slider", "menu", "field", "tab", "image", "progress")


@dataclass(slots=True)
class Item:
    refs: tuple[str, ...]
    """More than one for a range."""
    kind: str
    pieces: list[str]
    value: str | None
    states: str
    """What is printed after the words."""
    plain: str
    """The item without its ref."""
    times: int = 1

    def has(self, state: str) -> bool:
        return state in self.states.split(" ")


@dataclass(slots=True)
class Line:
    depth: int
    text: str
    """Without refs."""
    items: list[Item] = field(default_factory=list[Item])
    ref: str = ""
    """Of a block, for its first line."""
    heads: bool = False
    """Whether the lines with more depth below belong to this one."""


@dataclass(slots=True)
class Reading:
    lines: list[Line]
    left_out: dict[str, int]
    """Parts that are counted instead of printed, by the ref that they are in."""

    @property
    def items(self) -> list[Item]:
        return [item for line in self.lines for item in line.items]


def read(text: str) -> Reading:
    """Read the lines of a screen; the first, its header, is left out."""
    reading = Reading([], {})
    for raw in text.split("\n")[1:]:
        body = raw.lstrip(" ")
        depth = len(raw) - len(body)
        if more := _MORE.fullmatch(body):
            reading.left_out[more[2]] = int(more[1])
        elif head := _HEADER.fullmatch(body):
            ref = head[1] or head[2]
            reading.lines.append(Line(depth, body.replace(ref, ""), ref=ref, heads=True))
        elif body == "behind:" or re.fullmatch(r"window .*:", body):
            reading.lines.append(Line(depth, body, heads=True))
        else:
            items = [_item(part) for part in _parts(body)]
            reading.lines.append(Line(depth, ", ".join(item.plain for item in items), items))
    return reading


def _parts(line: str) -> list[str]:
    """Split at the commas outside of quotes."""
    parts, begin, at = list[str](), 0, 0
    while at < len(line):
        if quoted := _QUOTED.match(line, at):
            at = quoted.end()
        elif line.startswith(", ", at):
            parts.append(line[begin:at])
            at = begin = at + 2
        else:
            at += 1
    return [*parts, line[begin:]]


def _item(part: str) -> Item:
    times = 1
    if counted := _TIMES.search(part):
        times, part = int(counted[1]), part[: counted.start()]
    plain = part
    refs: tuple[str, ...] = ()
    first, _, rest = part.partition(" ")
    if found := _REF.fullmatch(first):
        begin, end = int(found[2]), int(found[3] or found[2])
        refs = tuple(f"{found[1]}{number}" for number in range(begin, end + 1))
        plain = rest
    kind = plain.partition(" ")[0]
    kind = kind if kind in KINDS else ""
    pieces: list[str] = []
    value: str | None = None
    for quoted in _QUOTED.finditer(plain):
        if plain[: quoted.start()].endswith("= "):
            value = unescape(quoted[1])
        else:
            pieces += [unescape(piece) for piece in quoted[1].split(" | ")]
    return Item(refs, kind, pieces, value, _QUOTED.sub("", plain), plain, times)


def unescape(words: str) -> str:
    return re.sub(r"\\(.)", r"\1", words)


def cut(piece: str) -> tuple[str, int] | None:
    """Return what is left of a text that was cut, and how long the text was."""
    found = _CUT.fullmatch(piece)
    return None if found is None else (found[1], len(found[1]) + int(found[2]))


@lru_cache(maxsize=4096)
def seen(words: str) -> str:
    """Return what a person sees of a text, in one form: without unseen characters and case."""
    words = unicodedata.normalize("NFKC", words)
    kept = (
        " " if character.isspace() else character
        for character in words
        if character.isspace() or unicodedata.category(character) not in ("Cf", "Co", "Cn", "Cc")
    )
    return unicodedata.normalize("NFKC", " ".join("".join(kept).split()).casefold())
