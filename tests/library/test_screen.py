"""Screens that are taken apart: by a table, and compared with what the rows were made of."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from handheld import ActionFailed, Element, ElementNotFound, InvalidParams, Phone, Picture, Screen
from handheld.library.connections import PhoneConnection
from handheld.library.screen import read_screen
from handheld.screen.rows.words import unescape

HEADER = 'com.example.shop "Shop" s3'
PARTS = [
    ('k4 "Send"', Element("k4", texts=("Send",))),
    ('"Total | 12.50"', Element("", texts=("Total", "12.50"))),
    (r'k4 "a \| b | say \"hi, you\""', Element("k4", texts=("a | b", 'say "hi, you"'))),
    ('k4 switch "Wi-Fi" on', Element("k4", "switch", ("Wi-Fi",), states=("on",))),
    ("k4 check partly on", Element("k4", "check", states=("partly on",))),
    (
        'k4 field "Name" = "Ada, L." focused error "Too, short" hint "x"',
        Element("k4", "field", ("Name",), "Ada, L.", ("focused", 'error "Too, short"', 'hint "x"')),
    ),
    (
        'k4 field "Password" secret 8 chars focused',
        Element("k4", "field", ("Password",), states=("secret 8 chars", "focused")),
    ),
    ('k4 slider "Volume" = 40%', Element("k4", "slider", ("Volume",), "40%")),
    ('k4 slider "Stars" = 3 of 0–5', Element("k4", "slider", ("Stars",), "3 of 0–5")),
    ('k4 switch "Dark" on = "Until 7"', Element("k4", "switch", ("Dark",), "Until 7", ("on",))),
    ("k4 #send disabled", Element("k4", states=("disabled",), id="send")),
    ("k4 image #photo", Element("k4", "image", id="photo")),
    ("k4 unnamed bottom-left", Element("k4")),
    ("k4 tab selected", Element("k4", "tab", states=("selected",))),
    ('k4 @540,550 1080x189 "Pay"', Element("k4", texts=("Pay",))),
    (
        'k4 "change" to "https://a, b"',
        Element("k4", texts=("change",), states=('to "https://a, b"',)),
    ),
    ('"Same" ×3', Element("", texts=("Same",))),
    ('~ k4 "New"', Element("k4", texts=("New",))),
    ('  in k9: "hidden"', Element("", texts=("hidden",))),
    (
        "list k3, 13–24 of 200, more below:",
        Element("k3", "list", states=("13–24 of 200", "more below")),
    ),
    ("web k3:", Element("k3", "web")),
]
NOTES = [
    *(
        "loading",
        "keyboard open",
        "2 texts off screen",
        "behind:",
        "activity .Main",
        "",
        '- k4 "x"',
    ),
    *('window com.example.other "Other":', "notifications of 2 apps", 'No row of s3 has "x".'),
    *(
        "draws itself: 3 views; ask for picture: marked",
        "+3 more in k4",
        "Nothing changed since s3.",
    ),
]


@pytest.mark.parametrize(("row", "element"), PARTS)
def test_a_row_becomes_its_element(row: str, element: Element) -> None:
    assert read_screen(f"{HEADER}\n{row}").elements == (element,)


@pytest.mark.parametrize("note", NOTES)
def test_a_note_is_no_element(note: str) -> None:
    assert read_screen(f"{HEADER}\n{note}").elements == ()


def test_things_side_by_side_and_equal_ones_are_elements_of_their_own() -> None:
    screen = read_screen(f'{HEADER}\nk1 "a, b", k2 switch on, "c"\nk4–k6 unnamed top')
    refs = [(each.ref, each.texts) for each in screen.elements]
    assert refs == [("k1", ("a, b",)), ("k2", ()), ("", ("c",)), ("k4", ()), ("k5", ()), ("k6", ())]


@pytest.mark.parametrize(
    ("first", "app", "title", "id", "dialog", "conditions"),
    [
        (HEADER, "com.example.shop", "Shop", "s3", False, ()),
        (r'dialog a.b "Say \"no\"" s12, locked', "a.b", 'Say "no"', "s12", True, ("locked",)),
        ("a.b s1, screen off, landscape", "a.b", "", "s1", False, ("screen off", "landscape")),
        ("Nothing changed since s3.", "", "", "", False, ()),
        ("s5 since s3:", "", "", "", False, ()),
    ],
)
def test_the_first_line_tells_app_and_window(
    first: str, app: str, title: str, id: str, dialog: bool, conditions: Sequence[str]
) -> None:
    screen = read_screen(first)
    assert (screen.app, screen.title, screen.id) == (app, title, id)
    assert (screen.is_dialog, screen.conditions) == (dialog, conditions)


def test_words_are_found_as_the_phone_compares_them() -> None:
    screen = read_screen(f'{HEADER}\nk1 "Wi\u2011Fi | Café Zürich"\nk2 field "Name" = "Ada"')
    assert "wi-fi" in screen
    assert "CAFE  zurich" in screen
    assert "fi cafe" in screen, "the words of one thing stand together"
    assert "ada" in screen
    assert "zurich name" not in screen


def test_what_is_off_the_screen_is_not_on_it() -> None:
    screen = read_screen(f'{HEADER}\nk1 "Pay"\noff screen:\n list k3:\n  k4 "Refund"')
    assert "Refund" not in screen
    assert not screen.element("Refund").visible


def test_nothing_is_guessed_about_a_text_that_was_cut() -> None:
    screen = read_screen(f'{HEADER}\n"{"x" * 200}…+312"')
    assert "xxx" in screen
    with pytest.raises(ActionFailed, match="a text on it was cut"):
        assert "y" not in screen
    assert "y" not in read_screen(f'{HEADER}\n"more…+3"'), "an app may write so"


def test_an_element_is_found_by_words_ref_or_id_if_it_is_the_only_one() -> None:
    screen = read_screen(f'{HEADER}\nk1 "Pay | now"\nk2 #send\nk3 "OK"\nk4 "OK"')
    assert screen.element("pay now").ref == screen.element("NOW").ref == "k1"
    assert screen.element("k2") is screen.element("#send")
    with pytest.raises(ElementNotFound, match="2 elements are called 'OK': k3, k4"):
        screen.element("OK")
    with pytest.raises(ElementNotFound, match="No element is called 'Pa'") as failed:
        screen.element("Pa")
    assert failed.value.__notes__ == [screen.text]


def test_a_screen_prints_as_its_rows() -> None:
    screen = read_screen(f'{HEADER}\nk1 "Pay"')
    assert str(screen) == screen.text
    assert repr(screen) == '<Screen com.example.shop "Shop" s3, 1 elements>'


async def things(connection: PhoneConnection) -> list[tuple[str, str, tuple[str, ...], str | None]]:
    """What the rows that were shown last are made of."""
    phone = await connection.device()
    assert phone is not None
    assert phone.screens.last is not None
    return [
        (
            thing.ref,
            thing.item.kind,
            tuple(map(unescape, thing.item.pieces)),
            thing.item.value,
        )
        for row in phone.screens.last.rows.rows
        for thing in row.things
    ]


@pytest.mark.slow
@pytest.mark.parametrize("app", ["Settings", "Widgets", "Contact form", "Calculator", "Clock"])
def test_every_thing_of_a_screen_is_read_from_its_text(app: str) -> None:
    with Phone.virtual() as phone:
        phone.open(app)
        screen = phone.look()
        made_of = phone._session.wait(things)
    read = [
        (each.ref, each.kind, each.texts, each.value if each.kind == "field" else None)
        for each in screen.elements
        if each.ref not in {other.ref for other in screen.elements if _scrolls(other)} - {""}
    ]
    assert read == made_of


def _scrolls(element: Element) -> bool:
    return element.kind in ("list", "page", "pages", "strip", "web", "area", "scroll")


@pytest.mark.slow
def test_a_picture_is_saved_in_the_format_of_its_name(tmp_path: Path) -> None:
    with Phone.virtual() as phone:
        picture = phone.screenshot(tmp_path / "screen.png")
        marked = phone.look(picture="marked").picture
    assert (tmp_path / "screen.png").read_bytes().startswith(b"\x89PNG")
    assert picture.save(tmp_path / "a.jpg").read_bytes() == picture.data
    assert isinstance(marked, Picture)
    assert marked.data != picture.data
    with pytest.raises(InvalidParams, match=r"does not end in .jpg, .png or .webp"):
        picture.save(tmp_path / "screen.nothing")
    assert picture._repr_jpeg_() == picture.data
    assert repr(picture) == f"<Picture image/jpeg, {len(picture.data)} bytes>"


def test_a_screen_without_words_has_no_elements() -> None:
    assert read_screen("nothing is shown s1") == Screen("nothing is shown s1")
