"""The resource table: which value a number stands for."""

import struct

import pytest

from handheld.app_formats.apk.binary import BadApk
from handheld.app_formats.apk.resources import Resources
from handheld.app_formats.apk.values import Value

from .writer import chunk, config, reference, table

LABEL, TITLE, FILE, LIST = 0x7F020000, 0x7F020003, 0x7F030000, 0x7F040001
DEFAULT = config()


def text(resources: Resources, number: int) -> str | None:
    return resources.follow(reference(number)).coerce()


LANGUAGES = table(
    {
        LABEL: {
            config("de"): "Werkzeug",
            config("de", "AT"): "Zeug",
            DEFAULT: "Tool",
            config("pt", "BR"): "Ferramenta",
        },
        TITLE: {config("fr"): "Titre"},
    }
)


@pytest.mark.parametrize(
    ("locale", "label"),
    [
        (None, "Tool"),
        ("en", "Tool"),
        ("de", "Werkzeug"),
        ("de-DE", "Werkzeug"),
        ("de-AT", "Zeug"),
        ("de_AT", "Zeug"),
        ("pt", "Tool"),
        ("pt-BR", "Ferramenta"),
    ],
)
def test_strings_of_the_locale_are_preferred(locale: str | None, label: str):
    resources = Resources(LANGUAGES, locale=locale)
    assert text(resources, LABEL) == label
    assert text(resources, TITLE) == "Titre", "a foreign word is better than none"


@pytest.mark.parametrize("flags", [0, 1, 2])
@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("utf8", [False, True])
def test_every_layout_of_entries_is_read(flags: int, compact: bool, utf8: bool):
    data = table(
        {LABEL: {DEFAULT: "Grüße"}, TITLE: {DEFAULT: 7}, FILE: {DEFAULT: "res/a1.xml"}},
        flags=flags,
        compact=compact,
        utf8=utf8,
    )
    resources = Resources(data)
    assert text(resources, LABEL) == "Grüße"
    assert resources.get(TITLE) == Value(0x10, 7)
    assert resources.path(FILE) == "res/a1.xml"
    assert resources.get(LABEL + 1) is None
    assert resources.get(LABEL + 99) is None
    assert resources.get(0x7F990000) is None
    assert resources.get(0x01010000) is None


@pytest.mark.parametrize(
    ("sdk", "label"), [(20, "old"), (21, "new"), (30, "newest"), (99, "newest")]
)
def test_newest_supported_version_is_chosen(sdk: int, label: str):
    values = {DEFAULT: "old", config(sdk=21): "new", config(sdk=30): "newest"}
    assert text(Resources(table({LABEL: values}), sdk=sdk), LABEL) == label


def test_unqualified_value_precedes_screen_qualifiers():
    values = {config(density=640): "dense", DEFAULT: "any", config(density=120): "rare"}
    assert text(Resources(table({LABEL: values})), LABEL) == "any"


def test_references_are_resolved():
    data = table({LABEL: {DEFAULT: reference(TITLE)}, TITLE: {DEFAULT: "End"}})
    assert Resources(data).follow(reference(LABEL)).text == "End"
    assert Resources(data).get(LABEL) == reference(TITLE)


def test_reference_with_any_package_id_of_its_own_is_resolved():
    assert Resources(LANGUAGES).follow(Value(0x07, LABEL & 0xFFFFFF)).text == "Tool"


def test_external_reference_is_kept():
    assert text(Resources(LANGUAGES), 0x01040000) == "@17039360"


def test_circular_references_are_rejected():
    data = table({LABEL: {DEFAULT: reference(TITLE)}, TITLE: {DEFAULT: reference(LABEL)}})
    with pytest.raises(BadApk, match=r"^resources\.arsc: references to 0x7f02000. lead on"):
        Resources(data).follow(reference(LABEL))


def test_an_array_is_a_bag():
    resources = Resources(table({LIST: {DEFAULT: ["add", 5]}, LABEL: {DEFAULT: "x"}}))
    bag = resources.bag(LIST)
    assert bag is not None
    assert [item.value.coerce() for item in bag] == ["add", "5"]
    assert resources.get(LIST) is None
    assert resources.bag(LABEL) is None


def test_a_language_of_three_letters_is_read():
    # Five bits for each letter, the first one last.
    letters = [ord(letter) - ord("a") for letter in "fil"]
    value = 0x8000 | letters[2] << 10 | letters[1] << 5 | letters[0]
    packed = DEFAULT[:8] + struct.pack(">H", value) + DEFAULT[10:]
    resources = Resources(table({LABEL: {DEFAULT: "a", packed: "b"}}), locale="fil")
    assert text(resources, LABEL) == "b"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "it ends before byte 2"),
        (b"PK\x03\x04", "it is not a resource table"),
        (LANGUAGES[:-1], "is longer than what holds it"),
        (LANGUAGES.replace(DEFAULT[:4], b"\x02\0\0\0"), "a configuration of 2 bytes"),
        (
            chunk(
                2,
                bytes(4),
                chunk(
                    0x200,
                    struct.pack("<I276s", 0x7F, b""),
                    chunk(0x201, struct.pack("<BBHII", 1, 0, 0, 1 << 30, 0) + DEFAULT, b""),
                ),
            ),
            "no room for 1073741824 resources",
        ),
    ],
)
def test_damaged_table_is_rejected(data: bytes, problem: str):
    with pytest.raises(BadApk, match=rf"^resources\.arsc: .*{problem}"):
        Resources(data)


def test_empty_table_has_no_values():
    assert Resources(chunk(2, bytes(4), b"")).get(LABEL) is None


@pytest.mark.matrix
def test_table_with_too_many_chunks_is_rejected():
    package = chunk(0x200, struct.pack("<I276s", 0x7F, b""), chunk(0x203, b"", b"") * 50_001)
    with pytest.raises(BadApk, match="its packages have more than 200000 chunks"):
        Resources(chunk(2, bytes(4), package * 4))


@pytest.mark.matrix
def test_table_with_many_configurations_is_read_in_bounded_time():
    values = {config(density=number): "x" for number in range(2000)}
    resources = Resources(table({LABEL: values}))
    numbers = range(0x7F020000, 0x7F030000)
    with pytest.raises(BadApk, match="too many resources are asked for"):
        _ = [resources.get(number) for number in numbers]
