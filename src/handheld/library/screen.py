"""The result of `look`: the text that agents read, and its parsed form."""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import ActionFailed, ElementNotFound, InvalidParams
from ..screen.rows.words import fold, split_quoted, unescape

_WORD = re.compile(r'[^\s"]+')
_HEADER = re.compile(
    r'(?P<dialog>dialog )?(?P<app>[\w.-]+)(?: "(?P<title>(?:[^"\\]|\\.)*)")?'
    r" (?P<id>s\d+)(?P<conditions>(?:, [a-z0-9 ]+)*)"
)
_REFS = re.compile(r"([a-z])([1-9]\d{0,2})(?:–([a-z])([1-9]\d{0,2}))?")
"""A letter has 999 refs, so no range of them is longer."""
_OWNER = re.compile(r"in [a-z][1-9]\d*: ")
_BLOCK = re.compile(r"(\w+) ([a-z][1-9]\d*)(?: @\S+ \S+)?(?:, (.*))?:")
"""The first line of a list: `list k3, 13–24 of 200, more below:`."""
_KINDS = ("switch", "check", "radio", "slider", "progress", "menu", "field", "tab", "image")
_CUT = re.compile(r"…\+\d+$")
_LONG = 100
"""Longer texts are cut; an app may use the same sign in a shorter text."""
_BAR = re.compile(r"(?<!\\) \| ")
_STATE = re.compile(r'(?:hint|error|to) "(?:[^"\\]|\\.)*"|partly on|secret \d+ chars|\S+')
_TIMES = re.compile(r"×\d+")
"""How often the row is repeated."""
_OFF_SCREEN = "off screen:"


@dataclass(frozen=True, slots=True)
class Element:
    """An element of the screen that has words, or can be acted on."""

    ref: str
    """The ref that methods accept, such as `k4`; empty for plain text, which methods find by its
    words."""
    kind: str = ""
    """`switch`, `check`, `radio`, `slider`, `progress`, `menu`, `field`, `tab`, `image`, `list` and
    others that scroll; empty for buttons and plain text."""
    texts: tuple[str, ...] = ()
    """Its words, one entry per text."""
    value: str | None = None
    """The content of a field, or the position of a slider; None if there is none."""
    states: tuple[str, ...] = ()
    """As they are printed: `on`, `off`, `selected`, `focused`, `disabled`, `empty` …"""
    id: str = ""
    """The id that methods accept if it has no words: `send` for `#send`."""
    visible: bool = True
    """False for elements off the screen, which `look(all=True)` lists."""

    @property
    def text(self) -> str:
        """All of its words."""
        return " ".join(self.texts)

    @property
    def is_cut(self) -> bool:
        """Whether only the beginning of a text is known: `look(all=True)` returns all of it."""
        return any(
            len(text) > _LONG and _CUT.search(text) for text in (*self.texts, self.value or "")
        )


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of the screen."""

    data: bytes
    mime_type: str = "image/jpeg"

    def save(self, path: "str | Path") -> Path:
        """Write the picture to a file, in the format of its extension: .jpg, .png, .webp."""
        file = Path(path)
        jpeg = file.suffix.lower() in (".jpg", ".jpeg")
        if jpeg and self.mime_type == "image/jpeg":
            file.write_bytes(self.data)
            return file
        from PIL import Image

        try:
            with Image.open(io.BytesIO(self.data)) as image:
                (image.convert("RGB") if jpeg else image).save(file)
        except ValueError:
            raise InvalidParams(f"{file} does not end in .jpg, .png or .webp.") from None
        return file

    def __repr__(self) -> str:
        return f"<Picture {self.mime_type}, {len(self.data)} bytes>"

    def _repr_jpeg_(self) -> bytes:
        """For notebooks."""
        return self.data


@dataclass(frozen=True, slots=True, repr=False)
class Screen:
    """A screen at the time it was read. `"Sent" in screen` tells whether words are visible. It
    compares as `wait` does: without regard to case, accents, width and spaces."""

    text: str
    """One line per row, as agents read it."""
    elements: tuple[Element, ...] = ()
    """Everything on it, in the order of the lines."""
    app: str = ""
    """The package of the app in front."""
    title: str = ""
    """The title of its window."""
    id: str = ""
    """The screen's id, such as `s41`, for `look(since=…)`."""
    is_dialog: bool = False
    """Whether a dialog is in front."""
    conditions: tuple[str, ...] = ()
    """`locked`, `screen off`, `landscape`, and the profile that the app belongs to: `work`,
    `clone`."""
    picture: Picture | None = None
    """The picture, if one was requested."""

    def __contains__(self, text: str) -> bool:
        wanted = fold(text)
        shown = [element for element in self.elements if element.visible]
        if any(wanted in fold(f"{each.text} {each.value or ''}") for each in shown):
            return True
        if any(element.is_cut for element in shown):
            raise ActionFailed(
                f"It is unknown whether {text!r} is on the screen: a text on it was cut. Use"
                " look(all=True), or expect."
            )
        return False

    def element(self, text: str) -> Element:
        """Return the only element with these words as one of its texts, or all of them; also by its
        ref or id (`#send`). Raises ElementNotFound."""
        wanted = fold(text)
        found = [each for each in self.elements if wanted in _names(each)]
        if len(found) == 1:
            return found[0]
        if found:
            refs = ", ".join(each.ref or "plain text" for each in found)
            problem = ElementNotFound(f"{len(found)} elements are called {text!r}: {refs}.")
        else:
            problem = ElementNotFound(f"No element is called {text!r}.")
        problem.add_note(self.text)
        raise problem

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        name = " ".join(filter(None, (self.app, f'"{self.title}"' * bool(self.title), self.id)))
        return f"<Screen {name}, {len(self.elements)} elements>"


def read_screen(text: str, picture: Picture | None = None) -> Screen:
    """Parse a reply of `phone_look`: a whole screen, some of its rows, or changes."""
    first, *lines = text.split("\n")
    header = _HEADER.fullmatch(first)
    if header is None:
        return Screen(text, tuple(_elements((first, *lines))), picture=picture)
    return Screen(
        text,
        tuple(_elements(lines)),
        header["app"],
        unescape(header["title"] or ""),
        header["id"],
        bool(header["dialog"]),
        tuple(header["conditions"].split(", ")[1:]),
        picture,
    )


def _elements(lines: Sequence[str]) -> Iterator[Element]:
    visible = True
    ranged: set[str] = set()
    for line in lines:
        row = line.strip()
        if row.startswith("- "):
            continue  # gone since the earlier screen
        row = _OWNER.sub("", row.removeprefix("~ ").removeprefix("+ "), count=1)
        visible = visible and row != _OFF_SCREEN
        if block := _BLOCK.fullmatch(row):
            states = tuple((block[3] or "").split(", ")) if block[3] else ()
            yield Element(block[2], block[1], states=states, visible=visible)
        elif not row.endswith(":"):
            for tokens in _split_row(row):
                yield from _read_part(tokens, visible, ranged)


def _split_row(row: str) -> list[list[str]]:
    """The parts of a row as words and quoted texts. Commas in quotes do not separate parts."""
    parts: list[list[str]] = [[]]
    for number, piece in enumerate(split_quoted(row)):
        if number % 2:
            parts[-1].append(piece)
            continue
        first, *rest = piece.split(", ")
        parts[-1] += _WORD.findall(first)
        parts += map(_WORD.findall, rest)
    return parts


def _read_part(tokens: list[str], visible: bool, ranged: set[str]) -> Iterator[Element]:
    """The elements of a part of a row: none for a note, several for equal elements side by side.
    `ranged` are the refs of the latter, each of which is one element however often it is
    printed."""
    refs = [""]
    found = _REFS.fullmatch(tokens[0]) if tokens else None
    if found is not None and found[3] in (None, found[1]):
        letter, begin, _, end = found.groups()
        refs = [f"{letter}{number}" for number in range(int(begin), int(end or begin) + 1)]
        if end is not None:
            refs = [ref for ref in refs if ref not in ranged]
            ranged.update(refs)
        if not refs:
            return
        del tokens[0]
    if tokens and tokens[0].startswith("@"):
        del tokens[:2]  # its position
    kind = tokens.pop(0) if tokens and tokens[0] in _KINDS else ""
    texts: tuple[str, ...] = ()
    id = ""
    if tokens and tokens[0].startswith('"'):
        texts = tuple(map(unescape, _BAR.split(tokens.pop(0)[1:-1])))
    elif tokens and tokens[0].startswith("#") and (refs[0] or kind):
        id = tokens.pop(0)[1:]
    elif tokens and tokens[0] == "unnamed":
        del tokens[:2]
    if not (refs[0] or kind or texts):
        return
    value, states = _read_states(tokens)
    for ref in refs:
        yield Element(ref, kind, texts, value, states, id, visible)


def _read_states(tokens: list[str]) -> tuple[str | None, tuple[str, ...]]:
    value = None
    if "=" in tokens:
        at = tokens.index("=")
        # A text, or a position: 40%, or 3 of 0–10.
        end = at + (4 if tokens[at + 2 : at + 3] == ["of"] else 2)
        words = " ".join(tokens[at + 1 : end])
        value = unescape(words[1:-1]) if words.startswith('"') else words
        del tokens[at:end]
    rest = " ".join(token for token in tokens if not _TIMES.fullmatch(token))
    return value, tuple(_STATE.findall(rest))


def _names(element: Element) -> set[str]:
    names = {element.ref, *map(fold, element.texts), fold(element.text)}
    return {*names, f"#{element.id.lower()}"} - {""} if element.id else names - {""}
