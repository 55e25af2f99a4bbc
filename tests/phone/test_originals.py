"""What phones had before they were changed."""

from pathlib import Path

import pytest

from handheld.phone.device.language_tags import is_same_language, normalise_tag
from handheld.phone.device.settable import label_of
from handheld.phone.device.settings_backup import (
    MOST_PHONES,
    MOST_VALUES,
    NotKept,
    OriginalSettings,
    SettingsBackup,
)


@pytest.fixture(params=["in memory", "in a file"])
def originals(request: pytest.FixtureRequest, tmp_path: Path) -> SettingsBackup:
    return SettingsBackup(tmp_path / "originals.json" if request.param == "in a file" else None)


def test_only_the_first_value_is_kept(originals: SettingsBackup) -> None:
    originals.remember("a", "usb", "wifi", "on")
    originals.remember("a", "usb", "wifi", "off")
    originals.remember("a", "usb", "font_scale", "1")
    originals.remember("b", "tcp", "wifi", "off")
    assert originals.of("a") == {"wifi": "on", "font_scale": "1"}
    originals.forget("a", "wifi")
    originals.forget("b", "wifi")
    originals.forget("c", "wifi")
    assert originals.all() == [OriginalSettings("a", "usb", {"font_scale": "1"})]


@pytest.mark.slow
def test_phones_and_values_are_bounded(originals: SettingsBackup) -> None:
    for number in range(MOST_PHONES + 3):
        originals.remember(f"p{number}", "x", "wifi", "on")
    assert len(originals.all()) == MOST_PHONES
    assert originals.of("p0") == {}
    for number in range(MOST_VALUES):
        originals.remember("q", "x", f"language:a.b{number}", "")
    with pytest.raises(NotKept, match="64 settings"):
        originals.remember("q", "x", "wifi", "on")


def test_a_file_does_not_grow_until_it_cannot_be_read(tmp_path: Path) -> None:
    originals = SettingsBackup(tmp_path / "originals.json")
    originals.remember("a", "x", "wifi", "on")
    with pytest.raises(NotKept, match="too much is stored already"):
        originals.remember("b", "x", "language", "x" * 1_000_000)
    assert originals.all() == [OriginalSettings("a", "x", {"wifi": "on"})]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"phones": 1}', '{"phones": [{"phone": 1}]}', '{"phones": [[]]}']
)
def test_a_damaged_file_is_neither_believed_nor_replaced(tmp_path: Path, text: str) -> None:
    file = tmp_path / "originals.json"
    file.write_text(text, encoding="utf-8")
    assert SettingsBackup(file).all() == []
    with pytest.raises(NotKept, match="damaged"):
        SettingsBackup(file).remember("a", "x", "wifi", "on")
    assert file.read_text(encoding="utf-8") == text


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "originals.lock").mkdir()
    with pytest.raises(NotKept, match="directory"):
        SettingsBackup(tmp_path / "originals.json").remember("a", "x", "wifi", "on")


def test_settings_are_called_as_people_call_them() -> None:
    names = ["wifi", "volume.music", "language", "language:org.example", "location", "x\ny"]
    assert [label_of(name) for name in names] == [
        "Wi-Fi",
        "Music volume",
        "Language",
        "Language of org.example",
        "Location",
        label_of("x\ny"),
    ]
    assert "\n" not in label_of("x\ny")


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("de", "de"),
        ("DE_de", "de-DE"),
        ("zh-hant-tw", "zh-Hant-TW"),
        ("es-419", "es-419"),
        ("fil", "fil"),
        ("sr-Latn", "sr-Latn"),
        ("de-DE-u-co-phonebk", "de-DE-u-co-phonebk"),
        ("xx-ZZ", ""),
        ("xx", ""),
        ("de-ZZ", ""),
        ("deutsch", ""),
        ("de DE", ""),
        ("de;ls", ""),
        ("", ""),
        ("d", ""),
    ],
)
def test_language_tags_are_known_by_their_codes(text: str, tag: str) -> None:
    assert normalise_tag(text) == tag


def test_a_language_may_have_two_codes() -> None:
    assert is_same_language("iw-IL", "he-IL")
    assert is_same_language("de", "DE")
    assert not is_same_language("de", "de-AT")
