"""Tasks that ask whether something is so; nothing may change."""

from random import Random

from handheld_virtual import Box, World

from ..task import Book, Plan, open_app, stage, tap
from .parts import (
    STORAGE,
    number,
    one_sim,
    put_file,
    put_notes,
    said,
    things,
)

BOOK = Book("verification")
_ASKS = " Answer yes or no."


def _words(yes: bool) -> str:
    return "yes" if yes else "no"


@BOOK.task("is-bluetooth-on")
def is_bluetooth_on(draw: Random) -> Plan:
    on = draw.random() < 0.5

    def prepare(world: World) -> None:
        if world.switches["bluetooth"] != on:
            world.switches.turn("bluetooth")

    return Plan(
        "Is Bluetooth on?" + _ASKS,
        said(lambda facts: facts["setting global bluetooth_on"] == "1"),
        [stage(open_app("Settings"), tap("Connected devices"), note="(Bluetooth)")],
        answer=_words(on),
        prepare=prepare,
        real_phone=True,
    )


@BOOK.task("was-it-sent")
def was_it_sent(draw: Random) -> Plan:
    to, sent = number(draw), draw.random() < 0.5

    def prepare(world: World) -> None:
        one_sim(world)
        world.telephony.store(to, "I am late", Box.SENT if sent else Box.FAILED)

    return Plan(
        f"Was the text message “I am late” to {to} sent?" + _ASKS + " Do not send it again.",
        said(sent),
        [stage(open_app("Messages"), note="(I am late)")],
        answer=_words(sent),
        prepare=prepare,
    )


@BOOK.task("is-it-on-the-list")
def is_it_on_the_list(draw: Random) -> Plan:
    items = things(draw, 4)
    there = draw.random() < 0.5
    listed = items if there else items[1:]
    return Plan(
        f"Does the note “Shopping” have {items[0]} on it?" + _ASKS,
        said(there),
        [stage(open_app("Notes")), stage(tap("Shopping"), note=f"({items[1]})")],
        answer=_words(there),
        prepare=put_notes(("Shopping", ", ".join(listed)), ("Recipe", f"200 g {items[0]}")),
    )


@BOOK.task("is-the-file-there")
def is_the_file_there(draw: Random) -> Plan:
    there = draw.random() < 0.5

    def prepare(world: World) -> None:
        put_file(world, "ticket.txt" if there else "tickets-old.txt", "Seat 12")

    return Plan(
        "Is there a file ticket.txt in the folder Download?" + _ASKS,
        said(there),
        [stage(open_app("Files"), *map(tap, STORAGE), note=r"(readme\.txt)")],
        answer=_words(there),
        prepare=prepare,
    )
