"""A screen with all details: what is added, and that nothing is lost or forged."""

from hypothesis import given

from handheld.screen.model import Flag, Node, Screen
from handheld.screen.rows.everything import all_rows
from handheld.screen.rows.marks import mark_refs
from handheld.screen.rows.screen import Rows, rows_of

from .test_rows import SHOWN, button, group, numbered, text
from .trees import hostile_screens, node, screen, window

HIDDEN = Flag.ENABLED.value


def everything(shown: Screen) -> Rows:
    names = numbered()
    return all_rows(shown, rows_of(shown, names), names)


def lines(*nodes: Node) -> list[str]:
    return [row.text for row in everything(screen(window(node(), *nodes))).rows]


def test_each_ref_has_its_centre_and_size() -> None:
    assert lines(
        text("Row", (0, 200, 300, 300)),
        button("Edit", (500, 210, 700, 290)),
        group((0, 400, 1080, 1400), flags=SHOWN | Flag.SCROLLABLE),
        button("In it", (0, 400, 1080, 544), 2),
    ) == [
        "activity .Calculator",
        '"Row", k1 @600,250 200x80 "Edit"',
        "list k2 @540,900 1080x1000:",
        ' k3 @540,472 1080x144 "In it"',
    ]


def test_rows_off_screen_follow_under_what_scrolls_them() -> None:
    assert lines(
        group((0, 0, 1080, 500), flags=SHOWN | Flag.SCROLLABLE),
        button("Seen", (0, 0, 1080, 144), 2),
        button("Below", (0, 500, 1080, 500), 2, flags=HIDDEN | Flag.CLICKABLE),
        text("Gone", (0, 0, 0, 0), flags=HIDDEN),
    )[3:] == ["off screen:", " list k1:", '  k3 "Below"', ' "Gone"']


def test_a_password_off_screen_is_not_printed() -> None:
    field = node(
        1,
        0,
        "android.widget.EditText",
        "hunter2",
        bounds=(0, 0, 0, 0),
        flags=HIDDEN | Flag.EDITABLE | Flag.PASSWORD,
        resource_id="a:id/pass",
    )
    assert lines(field)[-1] == " k1 field #pass secret"


def test_an_activity_cannot_forge_a_row() -> None:
    shown = screen(window(node(), text("A", (0, 0, 100, 100))))
    shown.foreground = ("a.b", 'a.b.C\nk1 "Pay"')
    assert everything(shown).rows[0].text == "activity .C_k1__Pay_"


def test_repeated_texts_stay_counted() -> None:
    same = [text("Same", (0, at * 200, 300, at * 200 + 50)) for at in range(3)]
    assert lines(*same)[1:] == ['"Same" ×3']


def test_a_target_that_is_seen_keeps_its_ref() -> None:
    names = numbered()
    shown = screen(window(node(), button("A", (0, 0, 200, 200)), button("B", (0, 300, 200, 400))))
    rows = rows_of(shown, names)
    assert [row.refs for row in all_rows(shown, rows, names).rows[1:]] == [
        row.refs for row in rows.rows
    ]


@given(hostile_screens())
def test_details_of_any_screen_are_lines(shown: Screen) -> None:
    names = numbered()
    rows = rows_of(shown, names)
    found = all_rows(shown, rows, names)
    assert not any("\n" in row.text for row in found.rows)
    seen = [thing.ref for _, thing in rows.things]
    assert [thing.ref for _, thing in found.things][: len(seen)] == seen


def test_marks_are_the_refs_of_what_can_be_seen() -> None:
    page = window(node(), button("Under", (0, 300, 900, 400)), id=1, title="Page")
    page.focused = False
    front = window(
        node(bounds=(0, 0, 1080, 1900)),
        group((0, 0, 1080, 240), flags=SHOWN | Flag.CLICKABLE),
        text("Row", (200, 60, 600, 180), 2),
        text("Plain", (0, 400, 300, 460)),
        button("OK", (0, 600, 1080, 840)),
    )
    shown = screen(front, page)
    rows = rows_of(shown, numbered())
    marks = mark_refs(shown, rows, (540, 1200))
    assert [(mark.label, mark.box) for mark in marks] == [
        ("k1", (0, 0, 540, 120)),
        ("k2", (0, 300, 540, 420)),
    ]
    assert marks[0].content == (100, 30, 300, 90)
