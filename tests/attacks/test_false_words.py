"""A caller puts its own words beside a ref, or gives a place without any: the person who is asked
reads what the phone shows there."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from attacks.conftest import Target
from attacks.test_changed_screen import Person
from handheld.access.approval import ApprovalGate
from handheld.settings.rules import Rules

ATTACK = "false words for a place"
ROW = 'a1 "Contact form", a2 "Gallery", a3 "Notes", a4 "Messages"'


class Reader(Person):
    """Reads what a call is about, and says no."""

    def __init__(self, target: Target) -> None:
        super().__init__(target, "*")
        self.read: list[str] = []

    async def _answer(self, questions: Any) -> None:
        async for change in questions:
            if change.state == "asked":
                self.read.append(change.pending.call.subject)
                self.gate.answer(change.pending.id, False, "owner")


async def look(target: Target) -> None:
    target.rule(ApprovalGate(Rules()))
    assert ROW in str((await target.call("phone_look"))[0])


@pytest.mark.parametrize(
    "words",
    [
        " (the Cancel button)",
        " Messages",
        ", Messages",
        " #cancel",
        ' Messages "Notes"',
        ' "Notes" Messages',
        ' "Notes", which is Messages',
        ' "Notes", "Messages"',
        " メッセージ",
        " @Cancel this_order",
        " @540,900 Cancel",
        ' @540,900 10x10 Cancel "Notes"',
        " ❌",
        " ← ✖",
    ],
)
async def test_words_that_are_not_those_of_the_element_are_refused(
    target: Target, tried: Callable[[], None], words: str
) -> None:
    await look(target)
    tried()
    said = await target.refused("phone_tap", at=f"a3{words}")
    assert 'a3 is "Notes", which does not fit' in said
    assert "nothing was done" in said
    assert target.touches() == []


@pytest.mark.parametrize(
    "words",
    [
        "",
        " Notes",
        " (the Notes button)",
        ' "Notes"',
        ' "Not"',
        ' "Notes", a4 "Messages"',
        ' @540,900 10x10 "Notes"',
        ' @-40,900 10x10 "Notes"',
        " → Notes …",
    ],
)
async def test_words_that_are_on_the_screen_are_taken(target: Target, words: str) -> None:
    await look(target)
    assert 'Tapped a3 "Notes"' in str((await target.call("phone_tap", at=f"a3{words}"))[0])


@pytest.mark.parametrize(
    "words", [" (the harmless list)", " Cancel", ", which is harmless", ' "OK"']
)
@pytest.mark.parametrize("name", ["", "list "])
async def test_words_that_are_not_those_of_the_list_are_refused(
    target: Target, name: str, words: str
) -> None:
    target.rule(ApprovalGate(Rules()))
    target.world.show("com.android.settings")
    look = str((await target.call("phone_look"))[0])
    found = re.search(r"^list (\w+)(.*)$", look, re.MULTILINE)
    assert found is not None
    await target.refused("phone_scroll", within=f"{name}{found[1]}{words}")
    assert target.touches() == []
    assert "Scrolled" in str(
        await target.call("phone_scroll", within=f"{name}{found[1]}{found[2]}")
    )


@pytest.mark.parametrize("at", ["a3", "a3 (the Cancel button)", "Notes", "700,250"])
async def test_the_person_reads_what_lies_there(target: Target, at: str) -> None:
    await look(target)
    person = Reader(target)
    reply = str(await person.call("phone_tap", at=at))
    [read] = person.read
    assert read.startswith(("at: a3 ", "at: 700,250 is on a3 "))
    assert '"Notes"' in read
    assert "Notes" not in reply
    assert target.touches() == []
    if at in ("a3", "Notes"):
        assert ROW in read
        assert " to " in read


async def test_the_person_reads_what_lies_at_a_point_of_a_picture(target: Target) -> None:
    await look(target)
    reply = await target.call("phone_look", picture="clean")
    assert "p1" in str(reply)
    person = Reader(target)
    await person.call("phone_tap", at="p1:290,105")
    assert 'is on a3 "Notes"' in person.read[0]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tap", {"x": 700, "y": 250}),
        ("swipe", {"x1": 700, "y1": 250, "x2": 700, "y2": 900}),
        ("pinch", {"center_x": 700, "center_y": 250, "scale": 2}),
        (
            "custom_gesture",
            {"paths": [[{"x": 700, "y": 250, "time": 0}, {"x": 9, "y": 9, "time": 9}]]},
        ),
    ],
)
async def test_the_person_reads_what_lies_at_coordinates(
    target: Target, tool: str, arguments: dict[str, Any]
) -> None:
    await look(target)
    person = Reader(target)
    await person.call(tool, **arguments)
    assert '700,250 is on "Notes"' in person.read[0]


async def test_the_person_reads_what_an_id_stands_for(target: Target) -> None:
    await look(target)
    state = str((await target.call("get_screen_state"))[0])
    id = next(line for line in state.split("\n") if "\tNotes\t" in line).split("\t")[0]
    person = Reader(target)
    await person.call("click_element", element_id=id)
    assert 'element_id: "Notes"' in person.read[0]


@pytest.mark.parametrize("target", ["helper"], indirect=True)
async def test_the_person_reads_which_field_is_typed_into(target: Target) -> None:
    target.rule(ApprovalGate(Rules()))
    target.world.show("dev.handheld.form")
    await target.call("phone_tap", at="Email")
    person = Reader(target)
    await person.call("phone_type", text="x")
    await person.call("phone_type", text="x", into="Password")
    assert [read.partition('"')[2].partition('"')[0] for read in person.read] == [
        "Email",
        "Password",
    ]
