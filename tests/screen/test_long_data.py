"""Names that are data and no words."""

import pytest

from handheld.screen.rows.long_data import shorten

SVG = "PHN2ZyB4bWxucz0i" + "aHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmci" * 85
PNG = "iVBORw0KGgo" + "AAAANSUhEUgAAAAUA" * 20
ADDRESS = "https://shop.example/cart?session=" + "a1B2c3" * 40
WRAPPED = " ".join([SVG[at : at + 76] for at in range(0, len(SVG), 76)])
LOGO = f"data:image/png;base64,{PNG}"
PATH = "/storage/emulated/0/Music/" + "LongAlbum/" * 20
FILE = "Minutes_of_the_Meeting_" * 10
SENTENCE = "A person reads this sentence to its end, whatever it may be about. " * 4


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (f"data:image/svg+xml;base64,{SVG}", "image/svg, 3.1 kB"),
        (f"Logo data:image/svg+xml;base64,{SVG} of a shop", "Logo image/svg, 3.1 kB of a shop"),
        ("data:image/svg+xml;utf8,<svg width='1'>" + "<path d='M0 0'/> " * 20, "image/svg, 0.4 kB"),
        (f"data:image/svg+xml;base64,{WRAPPED}", "image/svg, 3.1 kB"),
        (f"{LOGO} {LOGO}", "image/png, 0.4 kB image/png, 0.4 kB"),
        (PNG, "image/png, 0.4 kB"),
        ("0f" * 200, "data, 0.4 kB"),
        ("a1B2" * 100, "data, 0.4 kB"),
        ('{\\"a\\": [' + "1, " * 100 + "2]}", "JSON, 0.3 kB"),
        (ADDRESS, f"{ADDRESS[:100]}…+{len(ADDRESS) - 100}"),
    ],
)
def test_long_data_is_said_by_its_kind_and_length(words: str, printed: str) -> None:
    assert shorten(words, 200) == printed


@pytest.mark.parametrize(
    "words",
    [
        "data:image/png;base64,iVBORw0KGgo=",
        "https://shop.example/cart?session=1",
        "a" * 199,
        '{\\"a\\": 1}',
    ],
)
def test_short_data_stays(words: str) -> None:
    assert shorten(words, 200) == words


@pytest.mark.parametrize(
    "words", [SENTENCE, "Ha" + "ha" * 150, "[" + SENTENCE + "]", "長" * 300, PATH, FILE]
)
def test_what_a_person_reads_is_only_cut_at_its_end(words: str) -> None:
    kept, _, rest = shorten(words, 200).partition("…+")
    assert words.startswith(kept)
    assert int(rest) == len(words) - len(kept)


def test_where_whole_texts_are_wanted_data_is_whole() -> None:
    assert shorten(PNG, 20_000) == PNG
