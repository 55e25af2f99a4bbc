"""Text outside Roboto is drawn with the fonts of `handheld[fonts]`, each character with its
glyph."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont, features

from handheld_virtual.views.drawing import masks
from handheld_virtual.views.text import fonts
from handheld_virtual.views.text.lines import visual, wrap

ROOT = Path(__file__).parents[3]
SIZE = 48.0
UNASSIGNED = "\U0003ffff"
"""A character that no font has."""
SCRIPTS = {
    "Chinese, simplified": "你好世界汉语简体图书馆",
    "Chinese, traditional": "繁體圖書館學習龜",
    "Japanese": "ひらがなカタカナ日本語時計",
    "Korean": "한국어설정와이파이",
    "full width": "，。！？：（）「」Ａ１",
    "emoji": "😀😢👍🚀🎉🐱🍕⏰🏠🥰",
    "Arabic": "مرحبابكم",
    "Hebrew": "שלוםעבריתקצ",
    "Thai": "ตั้งค่าภาษาไทย",
    "Devanagari": "नमस्ते",
}
LETTERS = [
    pytest.param(sign, id=f"{script}, U+{ord(sign):04X}")
    for script, signs in SCRIPTS.items()
    for sign in dict.fromkeys(signs)
]


def ink(mask: Image.Image) -> bytes:
    """The drawn pixels without the empty margins."""
    box = mask.getbbox()
    assert box is not None, "nothing is drawn"
    piece = mask.crop(box)
    return repr(piece.size).encode() + piece.tobytes()


def drawn(text: str, weight: str = "Regular") -> bytes:
    return ink(masks.written(text, weight, SIZE))


def glyph(face: fonts.Face, sign: str) -> bytes:
    """The glyph of a character in a font; missing characters have the same glyph."""
    mask = Image.new("L", (400, 400))
    font = ImageFont.truetype(face.file, 100, face.index)
    ImageDraw.Draw(mask).text((150, 250), sign, 255, font, anchor="ls")
    return mask.tobytes()


@pytest.mark.matrix
@pytest.mark.parametrize("sign", LETTERS)
def test_character_is_not_drawn_as_a_box(sign: str) -> None:
    face = fonts.face_for(sign, "Regular")
    assert face is not None
    assert face in fonts.extra_fonts()
    assert drawn(sign) != drawn(UNASSIGNED)
    assert glyph(face, sign) != glyph(face, UNASSIGNED)


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_characters_of_a_script_differ(script: str) -> None:
    signs = list(dict.fromkeys(SCRIPTS[script]))
    assert len({drawn(sign) for sign in signs}) == len(signs)


def test_character_without_a_font_is_a_box() -> None:
    assert fonts.face_for(UNASSIGNED, "Regular") is None
    assert drawn(UNASSIGNED) == drawn("\U0003fffe")


@pytest.mark.parametrize("sign", ["你", "語", "한", "😀", "🚀"])
def test_wide_character_stays_in_its_space(sign: str) -> None:
    """Lines must not be wider than in the layout."""
    mask = masks.written(sign * 3, "Regular", SIZE)
    box = mask.getbbox()
    assert box is not None
    left = masks.margin(SIZE)
    assert left - 1 <= box[0]
    assert box[2] <= left + 3 * SIZE + 1
    assert box[1] > 0
    assert box[3] < mask.height
    cells = {
        ink(mask.crop((left + int(n * SIZE), 0, left + int((n + 1) * SIZE), mask.height)))
        for n in range(3)
    }
    assert len(cells) == 1


def test_character_is_the_same_in_every_line() -> None:
    alone = drawn("語")
    masks.written("日本語", "Regular", SIZE)
    assert drawn("語") == alone


def test_arabic_letters_are_joined_and_run_from_right_to_left() -> None:
    """A word is narrower than its separate letters, and its first letter is at the right."""
    if not features.check("raqm"):
        pytest.fail("Pillow has no Raqm here: install libfribidi0")
    word, apart = "سلام", "س\u200cل\u200cا\u200cم"
    assert ink(masks.written(word, "Regular", SIZE)) != ink(masks.written(apart, "Regular", SIZE))
    # Alef does not join to its left, so the word ends with it at the left edge.
    longer = masks.written("ببببا", "Regular", SIZE)
    box = longer.getbbox()
    assert box is not None
    column = longer.crop((box[0], box[1], box[0] + 6, box[3])).getbbox()
    assert column is not None
    assert column[3] - column[1] > (box[3] - box[1]) * 0.6


def test_latin_letters_use_only_roboto() -> None:
    own = fonts.roboto("Medium")
    for sign in "Hello, wörld! Ελλάδα Привет 12 %":
        assert fonts.face_for(sign, "Medium") is own


def test_a_picture_is_the_same_in_another_process() -> None:
    code = (
        "import sys; from handheld_virtual.views.drawing.masks import written;"
        "sys.stdout.buffer.write(written('設定 설정 😀 مرحبا ไทย', 'Regular', 40.0).tobytes())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert run.stdout == masks.written("設定 설정 😀 مرحبا ไทย", "Regular", 40.0).tobytes()


def test_fonts_need_their_packages() -> None:
    assert fonts.packaged("handheld_has_no_such_package", "font.ttf", 0) is None
    assert fonts.packaged("font_roboto", "no-such-file.ttf", 0) is None


def test_every_font_is_of_a_package_that_the_extra_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = project["optional-dependencies"]["fonts"]
    packages = [re.split("[<>=]", each)[0].replace("-", "_") for each in named]
    assert packages == [package for package, _, _ in fonts.EXTRA]
    assert len(fonts.extra_fonts()) == len(fonts.EXTRA)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        # Lines break between any two ideographs, but not within a word.
        ("Wi-Fi设置已更改", ("Wi-Fi设", "置已更", "改")),
        ("你好Hello", ("你好", "Hello")),
        # No line begins with punctuation that ends a clause.
        ("一二三，四", ("一二", "三，四")),
        ("plain words", ("plain", "words")),
    ],
)
def test_lines_break_between_ideographs(text: str, lines: tuple[str, ...]) -> None:
    assert wrap(text, 10, "Regular", 39, 9) == lines


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("שלום (עולם)", "(עולם) שלום"),
        ("abc (def)", "abc (def)"),
        ("א [12] ב", "ב [12] א"),
    ],
)
def test_brackets_are_mirrored_in_right_to_left_text(line: str, seen: str) -> None:
    assert visual(line) == seen


def test_a_comma_after_an_arabic_word_is_at_its_left() -> None:
    """The word and the comma are drawn separately although they have the same font."""
    word, comma = "مرحبا", "،"
    both = masks.written(word + comma, "Regular", SIZE)
    room = both.width - 2 * masks.margin(SIZE)
    assert both.width > masks.written(word, "Regular", SIZE).width
    first = both.crop((0, 0, masks.margin(SIZE) + room // 6, both.height))
    assert ink(first) == drawn(comma)


def test_a_keycap_is_drawn_as_its_digit() -> None:
    assert wrap("1\ufe0f\u20e3", SIZE, "Regular", 500, 1) == ("1",)
