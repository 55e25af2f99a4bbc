"""The font and width of each character. Font files are parsed without Pillow, to save memory in a
phone whose screen is not captured."""

import os
import struct
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import font_roboto

FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.fonts",
    "~/.local/share/fonts",
    "/Library/Fonts",
    "/System/Library/Fonts",
    "C:/Windows/Fonts",
)
EXTRA = (
    ("noto_cjk_sans_otc", "NotoSansCJK-Regular.ttc", 2),  # 2: simplified Chinese
    ("deckr_fonts", "fonts/NotoEmoji[wght].ttf", 0),
    ("fontpkg_noto_sans_arabic", "files/NotoSansArabic[wdth,wght].ttf", 0),
    ("fontpkg_heebo", "files/Heebo[wght].ttf", 0),
    ("fontpkg_noto_sans_thai", "files/NotoSansThai[wdth,wght].ttf", 0),
    ("fontpkg_noto_sans_devanagari", "files/NotoSansDevanagari[wdth,wght].ttf", 0),
)
"""The fonts of `handheld[fonts]`, in order: a package, its file and the index of the font in the
file. They precede the system's fonts, to make pictures equal on all machines.

Ideographs have the same forms as on an English phone, where Android prefers its Chinese font.
"""
MOST_FONTS = 400
"""The search for the system's fonts ends at this number."""
LINE_HEIGHT = 1.172
"""Roboto's ascent and descent, in ems."""


_UNREADABLE = (OSError, ValueError, KeyError, IndexError, struct.error)


class Face:
    """One font file: its characters and, for our own font, their widths."""

    def __init__(self, path: Path, index: int = 0) -> None:
        self.file = str(path)
        self.index = index
        """The index in a font collection, whose fonts all have the same characters."""
        self._starts: list[int] = []
        self._ends: list[int] = []
        with path.open("rb") as file:
            tables = _tables(file.read(65536))
            if b"glyf" not in tables and b"CFF " not in tables:
                raise ValueError("bitmaps only: cannot be drawn at any size")

            def table(name: bytes) -> bytes:
                offset, length = tables[name]
                file.seek(offset)
                return file.read(min(length, 1 << 22))

            self._maps = _cmap(table(b"cmap"))
            for start, end, _ in self._maps:
                self._starts.append(start)
                self._ends.append(end)
            self._units = struct.unpack_from(">H", table(b"head"), 18)[0]
            self._metrics = struct.unpack_from(">H", table(b"hhea"), 34)[0]
            self._hmtx = table(b"hmtx")
        self._advances: dict[str, float] = {}

    def has(self, character: str) -> bool:
        return self._glyph(ord(character)) != 0

    def advance(self, character: str) -> float | None:
        """Return the width in ems, or None if the font does not have the character."""
        known = self._advances.get(character)
        if known is not None:
            return known
        glyph = self._glyph(ord(character))
        if glyph == 0:
            return None
        at = 4 * min(glyph, self._metrics - 1)
        width = struct.unpack_from(">H", self._hmtx, at)[0] / self._units
        if len(self._advances) < 4096:
            self._advances[character] = width
        return width

    def _glyph(self, code: int) -> int:
        """Return the glyph, or 0 if the font does not have the character."""
        place = bisect_right(self._starts, code) - 1
        if place < 0 or code > self._ends[place]:
            return 0
        start, _, glyphs = self._maps[place]
        return glyphs[code - start] if isinstance(glyphs, tuple) else glyphs + code - start


def _tables(head: bytes) -> dict[bytes, tuple[int, int]]:
    start = struct.unpack_from(">I", head, 12)[0] if head[:4] == b"ttcf" else 0
    count = struct.unpack_from(">H", head, start + 4)[0]
    found: dict[bytes, tuple[int, int]] = {}
    for number in range(count):
        tag, _, offset, length = struct.unpack_from(">4sIII", head, start + 12 + 16 * number)
        found[tag] = (offset, length)
    return found


_Map = tuple[int, int, "int | tuple[int, ...]"]
"""The first and last character, and either the first of consecutive glyphs, or all glyphs."""


def _cmap(data: bytes) -> list[_Map]:
    best: tuple[int, int] | None = None
    for number in range(struct.unpack_from(">H", data, 2)[0]):
        platform, encoding, offset = struct.unpack_from(">HHI", data, 4 + 8 * number)
        form = struct.unpack_from(">H", data, offset)[0]
        unicode = platform == 0 or (platform == 3 and encoding in (1, 10))
        if unicode and form in (4, 12) and (best is None or form > best[0]):
            best = (form, offset)
    if best is None:
        return []
    return sorted(_read_12(data, best[1]) if best[0] == 12 else _read_4(data, best[1]))


def _read_12(data: bytes, offset: int) -> Iterator[_Map]:
    for number in range(struct.unpack_from(">I", data, offset + 12)[0]):
        yield struct.unpack_from(">III", data, offset + 16 + 12 * number)


def _read_4(data: bytes, offset: int) -> Iterator[_Map]:
    count = struct.unpack_from(">H", data, offset + 6)[0] // 2

    def column(place: int, form: str) -> tuple[int, ...]:
        return struct.unpack_from(f">{count}{form}", data, offset + place)

    ends, starts = column(14, "H"), column(16 + 2 * count, "H")
    deltas, ranges = column(16 + 4 * count, "H"), column(16 + 6 * count, "H")
    for number, (start, end, delta, away) in enumerate(
        zip(starts, ends, deltas, ranges, strict=True)
    ):
        if start == 0xFFFF:
            continue
        glyphs: list[int] = []
        for code in range(start, end + 1):
            if away == 0:
                glyphs.append((code + delta) & 0xFFFF)
                continue
            at = offset + 16 + 6 * count + 2 * number + away + 2 * (code - start)
            glyph = struct.unpack_from(">H", data, at)[0] if at + 2 <= len(data) else 0
            glyphs.append((glyph + delta) & 0xFFFF if glyph else 0)
        yield start, end, tuple(glyphs)


@lru_cache(maxsize=16)
def roboto(weight: str) -> Face:
    """Roboto in a weight such as Regular, Medium or Light."""
    return Face(Path(font_roboto.font_directory) / f"Roboto-{weight}.ttf")


def packaged(package: str, file: str, index: int) -> Face | None:
    """Return a font in an installed package; None if the package or the font is missing."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return None
    try:
        return Face(Path(spec.origin).parent / file, index)
    except _UNREADABLE:
        return None


@lru_cache(maxsize=1)
def extra_fonts() -> tuple[Face, ...]:
    """Return the installed fonts of `handheld[fonts]`."""
    return tuple(face for each in EXTRA if (face := packaged(*each)) is not None)


@lru_cache(maxsize=1)
def _system_fonts() -> list[Path]:
    found: list[Path] = []
    for folder in FOLDERS:
        for base, folders, names in os.walk(os.path.expanduser(folder)):
            folders.sort()
            for name in sorted(names):
                if name.lower().endswith((".ttf", ".otf", ".ttc")):
                    found.append(Path(base) / name)
            if len(found) > MOST_FONTS:
                break
    # Plain faces first: "Noto Sans Arabic" before "Noto Sans Arabic Bold Italic".
    styles = ("bold", "italic", "oblique", "light", "mono", "serif", "condensed", "black", "thin")
    found.sort(key=lambda path: (sum(s in path.name.lower() for s in styles), path.name))
    return found[:MOST_FONTS]


@lru_cache(maxsize=8)
def _open(path: Path) -> Face | None:
    try:
        return Face(path)
    except _UNREADABLE:
        return None


@lru_cache(maxsize=8192)
def face_for(character: str, weight: str) -> Face | None:
    """Return Roboto, or the first font of `handheld[fonts]` or of the system that has the
    character, or None."""
    if unicodedata.category(character) in ("Cc", "Cs", "Cn"):
        return None
    own = roboto(weight)
    if own.advance(character) is not None:
        return own
    for face in extra_fonts():
        if face.has(character):
            return face
    for path in _system_fonts():
        face = _open(path)
        if face is not None and face.has(character):
            return face
    return None


def advance(character: str, weight: str) -> float:
    """Return the width in ems, which is equal on all machines: the width of a character that Roboto
    does not have depends on its kind, not on the font that draws it."""
    width = roboto(weight).advance(character)
    if width is not None and character >= " ":
        return width
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0.0
    return 1.0 if is_wide(character) else 0.6


def is_wide(character: str) -> bool:
    """Return whether the character fills a square and needs no shaping, like ideographs, Hangul
    syllables and emoji."""
    if character < "\u00a6":
        return False
    wide = unicodedata.east_asian_width(character) in "WF"
    category = unicodedata.category(character)
    return (wide and category not in ("Mn", "Me")) or category == "So"
